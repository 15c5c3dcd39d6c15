# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
SAMPLING := $(B)/bench/sampling
SAMPLING_BIAS ?= sha256
$(SAMPLING)/plot: $(B)/host/bench/sampling/plot.o
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ -lm
bench-sampling: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(SAMPLING)/plot ## overhead and overlap of each way to collect at several rates; writes bench/sampling.md and .svg (some 10 minutes)
	@bench/sampling/run $(B) ways $(BENCH_APPS) > $(SAMPLING)/ways.rows
	@bench/sampling/run $(B) bias $(SAMPLING_BIAS) > $(SAMPLING)/bias.rows
	@bench/sampling/run $(B) long $(BENCH_APPS) > $(SAMPLING)/long.rows
	@$(SAMPLING)/plot < $(SAMPLING)/ways.rows > bench/sampling.svg
	@bench/sampling/page $(SAMPLING)/ways.rows $(SAMPLING)/long.rows $(SAMPLING)/bias.rows "$$(bench/digest $(B) applications)" | scripts/fold-document > bench/sampling.md
	@sed -n '/^At/p' bench/sampling.md
.PHONY: bench-sampling
