# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
TABLE_BENCH := $(B)/bench/table
$(TABLE_BENCH)/probe: $(B)/host/bench/table/probe.o $(B)/librivulet.a
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ $(LIBS_HOST)
bench-table: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(TABLE_BENCH)/probe ## the trace table's probes and cycles, in order, unsorted, and open addressing; writes bench/table.md (minutes)
	@bench/table/run $(B) $(BENCH_APPS)
.PHONY: bench-table
