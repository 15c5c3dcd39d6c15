# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
DENSE_MEASURE := $(B)/bench/dense/measure
$(DENSE_MEASURE): $(B)/host/bench/dense/measure.o $(B)/librivulet.a
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ $(LIBS_HOST)
DENSE_STARTS := $(B)/bench/dense/starts
$(DENSE_STARTS): $(B)/host/bench/dense/starts.o $(B)/librivulet.a
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ $(LIBS_HOST) -lm
DENSE_KEPT := $(B)/bench/dense/kept
$(DENSE_KEPT): $(B)/host/bench/dense/kept.o $(B)/librivulet.a
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ $(LIBS_HOST)
bench-dense: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(DENSE_MEASURE) $(DENSE_STARTS) $(DENSE_KEPT) ## bits an instruction of the dense coder on the applications, by its sizes; writes bench/dense.md (minutes)
	@bench/dense/run $(B) $(BENCH_APPS)
.PHONY: bench-dense
