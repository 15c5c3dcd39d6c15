# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
$(B)/bench/phases_bench: $(B)/host/bench/phases/phases_bench.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
BENCH_PHASES_INPUT ?= ref
BENCH_PHASES_GROW ?= 1e7 1e8 1e9 1e10
bench-phases: $(RIVULET) $(B)/bench/phases_bench $(BENCH_APPS:%=$(B)/sw/%.elf) $(patsubst %,$(B)/sw/obj/sw/probe/%.o,trace trace_hook) ## the phases file against record files and zstd, its growth, the bounded-sort table; writes bench/phases.md
	@bench/phases/run $(B) $(BENCH_PHASES_INPUT) "$(BENCH_APPS)" "$(BENCH_PHASES_GROW)" \
		"$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" > $(B)/bench/phases.md.new
	@mv $(B)/bench/phases.md.new bench/phases.md
.PHONY: bench-phases
