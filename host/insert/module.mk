# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
TESTS += check_insert
LIB_SRCS += host/insert/graph.c
LIB_SRCS += host/insert/graph_labels.c
LIB_SRCS += host/insert/reserved.c
LIB_SRCS += host/insert/budget.c
LIB_SRCS += host/insert/modes.c
LIB_SRCS += host/insert/jumps.c
LIB_SRCS += host/insert/computed.c
LIB_SRCS += host/insert/row_of_jumps.c
LIB_SRCS += host/insert/ways.c
LIB_SRCS += host/insert/live.c
LIB_SRCS += host/insert/shape.c
LIB_SRCS += host/insert/place.c
LIB_SRCS += host/insert/inserter.c
LIB_SRCS += host/insert/variables.c
LIB_SRCS += host/insert/values.c
LIB_SRCS += host/insert/frame.c
LIB_SRCS += host/insert/code.c
LIB_SRCS += host/insert/scratch.c
LIB_SRCS += host/insert/code_bucket.c
LIB_SRCS += host/insert/code_counters.c
LIB_SRCS += host/insert/code_switch.c
LIB_SRCS += host/insert/versions.c
LIB_SRCS += host/insert/versions_copy.c
LIB_SRCS += host/insert/versions_tables.c
LIB_SRCS += host/insert/schedule.c
LIB_SRCS += host/insert/commit.c
LIB_SRCS += host/insert/commit_places.c
LIB_SRCS += host/insert/sequence.c
LIB_SRCS += host/insert/number.c
LIB_SRCS += host/insert/insert.c
LIB_SRCS += host/insert/insert_switch.c
LIB_SRCS += host/insert/node.c
LIB_SRCS += host/insert/object_map.c
LIB_SRCS += host/insert/profilers.c
LIB_SRCS += host/insert/profile_paths.c
LIB_SRCS += host/insert/profile_edges.c
LIB_SRCS += host/insert/profile_blocks.c
LIB_SRCS += host/insert/self.c
LIB_SRCS += host/insert/weights.c
LIB_SRCS += host/insert/flow.c
LIB_SRCS += host/insert/tables.c
LIB_SRCS += host/insert/profile_metric.c
LIB_SRCS += host/insert/words.c
LIB_SRCS += host/insert/held.c
LIB_SRCS += host/insert/held_codes.c
LIB_SRCS += host/insert/price.c
LIB_SRCS += host/insert/turns.c
LIB_SRCS += host/insert/chain.c
LIB_SRCS += host/insert/guess.c
LIB_SRCS += host/insert/profile_regions.c
LIB_SRCS += host/insert/regions_pending.c
LIB_SRCS += host/insert/counted_nested.c
LIB_SRCS += host/insert/counted_early.c
LIB_SRCS += host/insert/counted_elsewhere.c
LIB_SRCS += host/insert/regions_variables.c
LIB_SRCS += host/insert/regions_codes.c
LIB_SRCS += host/insert/regions_map.c
LIB_SRCS += host/insert/named.c
LIB_SRCS += host/insert/map.c
LIB_SRCS += host/insert/counted.c
LIB_SRCS += host/insert/counted_stretches.c
LIB_SRCS += host/insert/counted_paths.c
LIB_SRCS += host/insert/counted_stops.c
LIB_SRCS += host/insert/counted_solve.c
LIB_SRCS += host/insert/counted_joined.c
LIB_SRCS += host/insert/counted_regions.c
LIB_SRCS += host/insert/induction.c
LIB_SRCS += host/insert/cost.c
LIB_SRCS += host/insert/contexts.c
LIB_SRCS += host/insert/profile_cycles.c
LIB_SRCS += host/insert/cycles_variable.c
LIB_SRCS += host/insert/comes_back.c
LIB_SRCS += host/insert/potential.c
LIB_SRCS += host/insert/code_context.c
LIB_SRCS += host/insert/profile_trace.c
LIB_SRCS += host/insert/traced.c
LIB_SRCS += host/insert/cached.c
LIB_SRCS += host/insert/tree.c
LIB_SRCS += host/insert/near.c
LIB_SRCS += host/insert/pending.c
LIB_SRCS += host/insert/unwind.c
LIB_SRCS += host/insert/unwind_follow.c
LIB_SRCS += host/insert/counted_stacks.c
LIB_SRCS += host/insert/counted_places.c
LIB_SRCS += host/insert/counted_cuts.c
LIB_SRCS += host/insert/counted_back.c
LIB_SRCS += host/insert/counted_twin.c
LIB_SRCS += host/insert/uncounted.c
LIB_SRCS += host/insert/counted_graph.c
LIB_SRCS += host/insert/counted_graph_give.c
LIB_SRCS += host/insert/counted_bounds.c
LIB_SRCS += host/insert/counted_tails.c

# Counters of edited programs against the hardware's records of the unedited ones.
INSERT_PROBE := $(patsubst %,$(B)/sw/obj/sw/probe/%.o,probe hash hash_hook soc)
INSERT_JUDGE := $(B)/bin/insert-judge
$(INSERT_JUDGE): $(B)/host/tests/insert_judge.o $(B)/host/tests/insert_judge_blocks.o $(B)/host/tests/insert_judge_regions.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
$(INSERT_JUDGE)-metric: $(B)/host/tests/insert_judge_metric.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
CHECKS += check-insert
SHORTENED += check-insert check-insert-random check-insert-regions check-insert-budget check-insert-unfinished
check-insert: $(INSERT_JUDGE) $(INSERT_JUDGE)-metric $(B)/bin/rivulet $(SW_APPS:%=$(B)/sw/%.elf) \
		$(INSERT_PROBE) ## counts of inserted code equal those of the hardware's records, all applications
	@tests/insert/check $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(call share,$(filter-out selftest,$(SW_APPS)),$(SHARE_APPS))
.PHONY: check-insert
CHECKS += check-insert-regions
check-insert-regions: $(INSERT_JUDGE) $(B)/bin/rivulet $(SW_APPS:%=$(B)/sw/%.elf) $(patsubst %,$(B)/sw/obj/sw/probe/%.o,probe hash hash_hook) ## paths of regions from inserted code equal those of the hardware's records, all applications
	@tests/insert/regions $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(call share,$(filter-out selftest,$(SW_APPS)),$(SHARE_APPS) kernels)
.PHONY: check-insert-regions
$(B)/bin/insert-where: $(B)/host/bench/insert_where.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
CHECKS += check-insert-reserved
check-insert-reserved: $(B)/bin/rivulet ## global register variables of one object: every mode leaves them alone in all, gcc and clang, RV32 and RV64
	@tests/insert/reserved $(B)
.PHONY: check-insert-reserved
CHECKS += check-insert-strange
check-insert-strange: $(B)/bin/rivulet ## jumps to computed places, millicode with exceptions: the same result, each instruction's count, or left alone and named
	@tests/insert/strange $(B)
.PHONY: check-insert-strange
CHECKS += check-insert-unbroken
check-insert-unbroken: $(B)/bin/rivulet ## what must stay together does: between LR and SC no memory, loops of 16 instructions, calls of the host in one page
	@tests/insert/unbroken $(B)
.PHONY: check-insert-unbroken
CHECKS += check-insert-budget
check-insert-budget: $(B)/bin/rivulet $(SW_APPS:%=$(B)/sw/%.elf) ## counters of each application keep to 16 KB, or to --budget, and count what unlimited ones do
	@tests/insert/budget $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(call share,$(filter-out selftest hello,$(SW_APPS)),$(SHARE_APPS))
.PHONY: check-insert-budget
CHECKS += check-insert-user
check-insert-user: $(B)/bin/rivulet ## a bare-metal program in user mode with counters: no illegal instruction, and no clock is said
	@tests/insert/user-mode $(B)
.PHONY: check-insert-user
CHECKS += check-insert-speed
check-insert-speed: $(B)/bin/rivulet ## counters into a whole libc.a: processor time, and memory in proportion to the largest member
	@tests/insert/speed $(B)
.PHONY: check-insert-speed
CHECKS += check-insert-interrupted
check-insert-interrupted: $(B)/bin/rivulet $(B)/sw/hello.elf $(INSERT_PROBE) ## handlers with counters interrupt code with counters at thousands of moments: no count changes
	@tests/insert/interrupted $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))"
.PHONY: check-insert-interrupted
bench-insert: $(B)/bin/insert-where $(B)/bin/rivulet $(SW_APPS:%=$(B)/sw/%.elf) $(INSERT_PROBE) ## overhead of inserted counters, ref input; writes bench/insert.md
	@bench/insert $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(filter-out selftest hello,$(SW_APPS))
.PHONY: bench-insert
bench-versions: $(B)/bin/rivulet $(SW_APPS:%=$(B)/sw/%.elf) $(INSERT_PROBE) ## overhead of two versions of each function, off, on for a tenth of the time, on; writes bench/versions.md
	@bench/versions $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(filter-out selftest hello,$(SW_APPS))
.PHONY: bench-versions

# RV64 programs with the whole edited C and C++ libraries; block counts against what qemu executed.
INSERT_PROGRAMS := chess allocator $(addprefix app-,$(filter-out selftest hello,$(SW_APPS))) \
	$(filter-out maps,$(sort $(basename $(notdir $(wildcard tests/programs/*.c tests/programs/*.cc)))))
CHECKS += check-insert-programs
check-insert-programs: $(B)/bin/rivulet ## three of insert-programs: C, C++ with exceptions
	@tests/insert/run-programs $(B) app-json throws containers
insert-programs: $(B)/bin/rivulet ## RV64 programs with edited libc, libm, libstdc++, libgcc: same results, and block counts as qemu executed
	@tests/insert/run-programs $(B) $(INSERT_PROGRAMS)
.PHONY: check-insert-programs insert-programs

# Random programs in every mode. INSERT_SEED, INSERT_FUNCTIONS, INSERT_RANDOM: seeds from where on, how many of either kind.
INSERT_SEED ?= 1
INSERT_FUNCTIONS ?= 300
INSERT_RANDOM ?= 100
INSERT_RANDOM_NEEDS = $(INSERT_JUDGE) $(CYCLES_JUDGE) $(B)/bin/rivulet $(RANDOM_GEN) $(B)/sw/hello.elf $(patsubst %,$(B)/sw/obj/sw/probe/%.o,probe soc hash hash_hook cycles cycles_hooks)
INSERT_RANDOM_RUN = CC="$(SW_CC)" FLAGS="$(SW_CFLAGS)" LINK="$(SW_LDFLAGS)" OBJS="$(sort $(SW_LIB_OBJS))" tests/insert/random $(B)
CHECKS += check-insert-random
check-insert-random: $(INSERT_RANDOM_NEEDS) ## random programs with counters in every mode: same results, and counts as the judges have them
	@$(INSERT_RANDOM_RUN) 1 $(call share,4 2,2 1)
	@SIZE=12 tests/insert/gotos $(B) 101 $(call share,24,12)
	@SIZE=1 tests/insert/gotos $(B) 406 1 # RV32, and 1889 as RV64: a tail call whose index comes through a table of labels
	@SIZE=1 tests/insert/gotos $(B) 1888 2
insert-random: $(INSERT_RANDOM_NEEDS) ## the same for INSERT_FUNCTIONS=$(INSERT_FUNCTIONS) files of functions and INSERT_RANDOM=$(INSERT_RANDOM) programs from INSERT_SEED=$(INSERT_SEED) on
	@$(INSERT_RANDOM_RUN) $(INSERT_SEED) $(INSERT_FUNCTIONS) $(INSERT_RANDOM)
# Computed gotos alone, from INSERT_SEED on.
INSERT_GOTOS ?= 10000
insert-gotos: $(B)/bin/rivulet $(RANDOM_GEN) ## INSERT_GOTOS=$(INSERT_GOTOS) random programs with computed gotos in every mode: same results, gcc and clang, RV32 and RV64
	@tests/insert/gotos $(B) $(INSERT_SEED) $(INSERT_GOTOS)
.PHONY: check-insert-random insert-random insert-gotos

CHECKS += check-insert-steps
check-insert-steps: $(B)/bin/rivulet ## a session of gdb with 60 steps stops at the same lines, with as many values, as in the unedited program
	@tests/insert/steps $(B)
.PHONY: check-insert-steps
CHECKS += check-insert-debug
check-insert-debug: $(B)/bin/rivulet $(B)/sw/hello.elf $(patsubst %,$(B)/sw/obj/sw/probe/%.o,probe soc) ## breakpoints, backtraces, addr2line in programs with counters; compressed debug sections
	@CC="$(SW_CC)" FLAGS="$(SW_CFLAGS)" LINK="$(SW_LDFLAGS)" OBJS="$(sort $(SW_LIB_OBJS))" tests/insert/debug $(B)
.PHONY: check-insert-debug

CHECKS += check-insert-versions
check-insert-versions: $(B)/bin/rivulet ## two versions of each function: whole runs equal those without --switch, windows exact, parts told, Linux and bare metal
	@tests/insert/versions $(B)
insert-versions: $(B)/bin/rivulet ## the same with the C library edited, and clang
	@tests/insert/versions $(B) all
.PHONY: check-insert-versions insert-versions

CHECKS += check-insert-unfinished
check-insert-unfinished: $(B)/bin/rivulet ## programs that end in calls or leave them by longjmp(): instructions executed as the counters say, Linux and bare metal
	@tests/insert/unfinished $(B) $(call share,,share)
.PHONY: check-insert-unfinished
CHECKS += check-insert-joined
check-insert-joined: $(B)/bin/rivulet ## longjmp(), exceptions, fork(), calls that return twice or never: instructions as a plugin of qemu counts them
	@tests/insert/joined $(B)
.PHONY: check-insert-joined
CHECKS += check-insert-dumps
check-insert-dumps: $(B)/bin/rivulet ## profiles that a program writes while it runs, what a killed one leaves, the file's name and folder
	@tests/insert/dumps $(B)
.PHONY: check-insert-dumps
