# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# selftest drives the unit itself, hello is too short to measure.
BENCH_APPS = $(filter-out selftest hello,$(SW_APPS))
bench: host firmware ## CPI, overlap and overhead of every application on ref input; writes bench/apps.md
	@bench/apps $(B) $(BENCH_APPS)
.PHONY: bench
# Simulated numbers are exact, so the pages of them are checked like golden files.
CHECKS += check-pages
check-pages: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(B)/bin/core-cycles ## the pages under bench/ are those that their makers would write now: digests, and rows made again
	@$(PGO_ENV) bench/check $(B)
.PHONY: check-pages
bench-neighbours: $(B)/bin/core-cycles $(BENCH_APPS:%=$(B)/sw/%.elf)
	@bench/neighbours $(B) $(BENCH_APPS)
pages: bench bench-neighbours bench-paths bench-table pgo bench-sampling ## every page of simulated numbers made anew: what check-pages checks (some 15 minutes)
.PHONY: pages bench-neighbours

bench-grow: host ## how time and memory grow with distinct paths and records; writes bench/grow.md (some minutes)
	@bench/grow $(B)
	@scripts/fold-document bench/grow.md
.PHONY: bench-grow

bench-commands: host firmware ## records a second of export, paths, report, and what recording costs; writes bench/commands.md
	@bench/commands $(B) 5 $(BENCH_APPS)
	@scripts/fold-document bench/commands.md
RECORDING_KINDS := jumps backward branches dense indirect distinct many nested pointers divide coin ring circle \
	ocean shuffle drift maze maze2 maze5 funnel flood flicker
RECORDING_PROGRAMS := $(RECORDING_KINDS:%=$(B)/bench/recording-%.elf)
$(RECORDING_PROGRAMS): $(B)/bench/recording-%.elf: bench/recording.S tests/asm/link.ld
	@mkdir -p $(@D)
	$(ASM_CC) -DKIND_$* $< -o $@
bench-recording: host firmware $(RECORDING_PROGRAMS) ## what recording costs beside run --fast, applications and programs made against it; writes bench/recording.md
	@bench/recording $(B) 7 $(BENCH_APPS)
	@scripts/fold-document bench/recording.md
bench-width: host firmware $(WALK_BENCH) ## walk and run --fast by this build and by an earlier one; BEFORE=its build folder; writes bench/width.md
	@bench/width $(B) $(BEFORE) 5 $(BENCH_APPS)
	@scripts/fold-document bench/width.md
bench-whole: $(B)/bin/rivulet ## how much of real programs' runs is in whole paths; network, an hour; goes on where it was stopped; WHOLE="lua lz4": these; writes the table of docs/paths.md
	@bench/whole $(B) $(WHOLE) && scripts/fold-document docs/paths.md
.PHONY: bench-commands bench-width bench-whole

# Two retirements a cycle: how often a core waits for the trace unit, and that the records are those of one slot
WIDE_BENCH := $(B)/bin/wide-bench
WIDE_INSTRUCTIONS ?= 4000000
$(WIDE_BENCH): $(B)/host/bench/wide_bench.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
bench-wide: $(WIDE_BENCH) firmware ## how often a core with two retirements a cycle waits for the trace unit, WIDE_INSTRUCTIONS=$(WIDE_INSTRUCTIONS) of each application; writes bench/wide.md
	@bench/wide $(B) $(WIDE_INSTRUCTIONS) $(BENCH_APPS)
check-wide: $(WIDE_BENCH) $(B)/sw/printf.elf ## a unit with two retirements a cycle makes the records of one with one slot
	@$(WIDE_BENCH) 300000 $(B)/sw/printf.elf
CHECKS += check-wide
.PHONY: bench-wide check-wide
