# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
SAMPLING := $(B)/bench/sampling
SAMPLING_BIAS ?= sha256
bench-sampling: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) ## overhead and overlap of each way to collect at several rates; writes bench/sampling.md and .svg (some 10 minutes)
	@mkdir -p $(SAMPLING)
	@bench/sampling/run $(B) ways $(BENCH_APPS) > $(SAMPLING)/ways.rows
	@bench/sampling/run $(B) bias $(SAMPLING_BIAS) > $(SAMPLING)/bias.rows
	@bench/sampling/run $(B) long $(BENCH_APPS) > $(SAMPLING)/long.rows
	@bench/sampling/page $(SAMPLING)/ways.rows $(SAMPLING)/long.rows $(SAMPLING)/bias.rows "$$(bench/digest $(B) applications)" | scripts/fold-document > bench/sampling.md
	@bench/sampling/plot bench/sampling.md > bench/sampling.svg
	@sed -n '/^At/p' bench/sampling.md
.PHONY: bench-sampling
