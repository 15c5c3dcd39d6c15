# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Memory protection and the kernel: docs/kernel.md.
TESTS += check_model_pmp

# Slices are short and odd, so that switches fall everywhere.
KERNEL_FOUR := json:SLOT_PROFILE:1 qsort:SLOT_PROFILE:1 huffman:0:1 regex:0:1
$(eval $(call KERNEL_IMAGE,four,3001,$(KERNEL_FOUR)))
$(eval $(call KERNEL_IMAGE,four701,701,$(KERNEL_FOUR)))
$(eval $(call KERNEL_IMAGE,alone1,3001,json:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,alone2,3001,- qsort:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,two,1201,hello:SLOT_PROFILE:2 hello:SLOT_PROFILE+SLOT_SAVE_LAST:2))
$(eval $(call KERNEL_IMAGE,attack,5003,attack:0:500 sha256:SLOT_PROFILE:1 queens:0:1))
$(eval $(call KERNEL_IMAGE,forge,3001,forge:SLOT_PROFILE:9 sha256:SLOT_PROFILE:1 forge:0:9 hello:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,fault,4001,fault:SLOT_PROFILE:7 queens:0:1 fault:0:7 hello:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,switch00,100000,switch:0:1 switch:0:1))
$(eval $(call KERNEL_IMAGE,switch01,100000,switch:0:1 switch:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,switch11,100000,switch:SLOT_PROFILE:1 switch:SLOT_PROFILE:1))

KERNEL_FULL ?= 0
CHECKS += check-kernel
check-kernel: $(TB)/lockstep $(RIVULET) $(KERNEL_IMAGES) ## the kernel in lockstep (KERNEL_FULL=1: all of it): processes, faults, attacks; profiles as of each program alone
	@KERNEL_FULL=$(KERNEL_FULL) tests/kernel/check $(B)
.PHONY: check-kernel

# What the head of a program says, word by word
$(eval $(call KERNEL_IMAGE,heads,3001,tiny:SLOT_PROFILE:1 tiny:0:1))
$(KERNEL_DIR)/heads: $(B)/host/tests/kernel/heads.o $(B)/librivulet.a
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ $(LIBS_HOST)
KERNEL_HEADS ?= 60
CHECKS += check-kernel-heads
check-kernel-heads: $(KERNEL_DIR)/heads $(KERNEL_DIR)/heads.elf ## heads of programs with changed words (KERNEL_HEADS of each): a bad slot ends alone
	@$(KERNEL_DIR)/heads $(KERNEL_DIR)/heads.elf $(KERNEL_HEADS)
kernel-heads: $(KERNEL_DIR)/heads $(KERNEL_DIR)/heads.elf ## the same, each word 1,000 times
	@$(KERNEL_DIR)/heads $(KERNEL_DIR)/heads.elf 1000
.PHONY: check-kernel-heads kernel-heads

# How long the kernel keeps a process waiting that another one attacks
$(eval $(call KERNEL_IMAGE,gap,4001,flood:SLOT_PROFILE+SLOT_OPTIMISE:4 queens:0:30))
$(KERNEL_DIR)/gap.elf: KERNEL_TABLE := 48K
$(KERNEL_DIR)/gap-optimised.elf: KERNEL_OPT_TABLE := 16K
CHECKS += check-kernel-gap
check-kernel-gap: $(RIVULET) $(KERNEL_DIR)/gap.elf $(KERNEL_DIR)/gap-optimised.elf ## how long a process waits beside one that makes the kernel work
	@tests/kernel/gap $(B)
.PHONY: check-kernel-gap

# rivulet_pmp alone, for REGIONS-GRAIN, against the model
PMP_CONFIGS := 1-0 4-0 5-0 8-0 16-0 4-1 8-2 4-10 3-28
PMP_CYCLES ?= 400000
PMP_DIR := $(KERNEL_DIR)/pmp
$(PMP_CONFIGS:%=$(PMP_DIR)/%/unit.o): $(PMP_DIR)/%/unit.o: rtl/core/rivulet_pmp.v tests/kernel/pmp_rtl.cpp tests/kernel/pmp_rtl.h
	@rm -rf $(@D) && mkdir -p $(@D)
	@verilator --cc -O3 --x-assign unique --x-initial unique --noassert -Wall -Wno-DECLFILENAME -Wno-UNUSED --prefix Vpmp --Mdir $(@D) \
		--top-module rivulet_pmp -GREGIONS=$(word 1,$(subst -, ,$*)) -GGRAIN=$(word 2,$(subst -, ,$*)) $<
	@ls $(@D) | sed -n 's/.*\.cpp$$/#include "&"/p' > $(@D)/sources.h
	@g++ -std=c++17 -O1 -Wall -I. -I$(@D) -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd \
		-DUNIT_REGIONS=$(word 1,$(subst -, ,$*)) -DUNIT_GRAIN=$(word 2,$(subst -, ,$*)) -c tests/kernel/pmp_rtl.cpp -o $@
$(PMP_CONFIGS:%=$(PMP_DIR)/%/bench): %/bench: %/unit.o $(B)/host/tests/kernel/pmp_bench.o $(UNIT_RUNTIME) $(B)/librivulet.a
	@g++ -o $@ $^ -lpthread
CHECKS += check-pmp
check-pmp: $(PMP_CONFIGS:%=$(PMP_DIR)/%/bench) ## the memory protection alone, with 1 to 16 regions and several grains, against the model
	@for c in $^; do $$c $(SEED) $(PMP_CYCLES) || exit 1; done
.PHONY: check-pmp

# The timer interrupt at each cycle of a loop
$(eval $(call KERNEL_IMAGE,sweep,600,sweep:SLOT_PROFILE:1 sweep:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,sweep-alone,1000000,sweep:SLOT_PROFILE:1))
$(KERNEL_DIR)/sweep-where: $(B)/host/tests/kernel/sweep.o $(B)/librivulet.a
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ $(LIBS_HOST)
CHECKS += check-kernel-sweep
check-kernel-sweep: $(TB)/lockstep $(RIVULET) $(KERNEL_DIR)/sweep.elf $(KERNEL_DIR)/sweep-alone.elf $(KERNEL_DIR)/sweep-where ## a traced process interrupted at each of its cycles: the same profile
	@tests/kernel/sweep $(B) $(KERNEL_DIR)
.PHONY: check-kernel-sweep

# Long runs. Small tables, so that they are full; the short build's counts begin near their end, and its clocks wrap soon.
LONG_TABLE := 6K
LONG_MAX := 1000
$(eval $(call KERNEL_IMAGE,long,9001,json:SLOT_PROFILE:21 qsort:SLOT_PROFILE:21 fault:SLOT_PROFILE:420 huffman:0:21 regex:SLOT_PROFILE:21))
$(eval $(call KERNEL_IMAGE,long-part,9001,json:SLOT_PROFILE:1 qsort:SLOT_PROFILE:1 fault:SLOT_PROFILE:20 huffman:0:1 regex:SLOT_PROFILE:1))
$(KERNEL_DIR)/long.elf $(KERNEL_DIR)/long-part.elf: KERNEL_TABLE := $(LONG_TABLE)
$(eval $(call KERNEL_IMAGE,long-slots,9001,json:SLOT_PROFILE:1 qsort:SLOT_PROFILE:1 hello:0:20))
LONG_OBJS := $(patsubst $(KERNEL_DIR)/obj/%,$(KERNEL_DIR)/short/%,$(KERNEL_OBJS))
$(KERNEL_DIR)/short/%.o: %.c sw/kernel/module.mk sw/module.mk tests/kernel/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -msmall-data-limit=0 -DTABLE_COUNT_FROM='(UINT32_MAX-$(LONG_MAX))' -DKERNEL_CLOCK_FROM=0xFFFC0000u -MMD -MP -c $< -o $@
$(KERNEL_DIR)/short/%.o: $(KERNEL_DIR)/obj/%.o
	@mkdir -p $(@D)
	@cp $< $@
$(KERNEL_DIR)/long-short.elf: $(KERNEL_DIR)/long-slots.slots.o $(LONG_OBJS) sw/kernel/link.ld
	$(SW_CC) $(SW_CFLAGS) -nostartfiles -Wl,--gc-sections -Wl,-z,max-page-size=16 -Wl,--no-warn-rwx-segments -T sw/kernel/link.ld \
		-Wl,--defsym=__slots=$(KERNEL_SLOTS) -Wl,--defsym=__table_size=$(KERNEL_TABLE) -Wl,--defsym=__work_size=$$((3*$(KERNEL_WORK))) $(filter %.o,$^) -o $@
$(KERNEL_DIR)/long-short: $(B)/host/tests/kernel/long_short.o $(B)/librivulet.a
	@mkdir -p $(@D)
	@$(CC) -o $@ $^ $(LIBS_HOST)
LONG_NEEDS := $(RIVULET) $(KERNEL_DIR)/long-short.elf $(KERNEL_DIR)/long-short
long-run: $(LONG_NEEDS) $(KERNEL_DIR)/long.elf ## a billion cycles of the kernel on the model: processes start, end, fault; nothing is lost that is not counted (minutes)
	@tests/kernel/long $(B) $(KERNEL_DIR) long long-short $(LONG_MAX)
CHECKS += check-long-run
check-long-run: $(LONG_NEEDS) $(KERNEL_DIR)/long-part.elf ## the same, some million cycles
	@tests/kernel/long $(B) $(KERNEL_DIR) long-part long-short $(LONG_MAX)
# The same in lockstep with the RTL: processes that start, end and fault (5 of the ends are failures: the exit code), full
# tables; then the short counters.
$(eval $(call KERNEL_IMAGE,long-rtl,9001,json:SLOT_PROFILE:2 qsort:SLOT_PROFILE:2 fault:SLOT_PROFILE:40 huffman:0:2 regex:SLOT_PROFILE:2))
$(KERNEL_DIR)/long-rtl.elf: KERNEL_TABLE := $(LONG_TABLE)
long-run-lockstep: $(TB)/lockstep $(KERNEL_DIR)/long-rtl.elf $(KERNEL_DIR)/long-short.elf ## 100 million cycles and more of the kernel, RTL and model compared in every cycle
	@$(TB)/lockstep --set input=train --set way=every --uart $(KERNEL_DIR)/long-rtl.uart $(KERNEL_DIR)/long-rtl.elf 2>&1 | tee $(KERNEL_DIR)/long-rtl.log; grep -q "exit code 5$$" $(KERNEL_DIR)/long-rtl.log && grep -q " 0 differences" $(KERNEL_DIR)/long-rtl.log
	@$(TB)/lockstep --set input=train --set way=every --set threshold=0 --uart $(KERNEL_DIR)/long-short-rtl.uart $(KERNEL_DIR)/long-short.elf
.PHONY: long-run check-long-run long-run-lockstep

# Processes that the kernel optimises; opt.elf: sw/kernel/module.mk
$(eval $(call KERNEL_IMAGE,hostile,4001,hostile:SLOT_PROFILE+SLOT_OPTIMISE:23 hostile:SLOT_PROFILE+SLOT_OPTIMISE:12 sha256:SLOT_PROFILE+SLOT_OPTIMISE:1 queens:SLOT_PROFILE+SLOT_OPTIMISE:1))
$(eval $(call KERNEL_IMAGE,hostile-rtl,4001,hostile:SLOT_PROFILE+SLOT_OPTIMISE:5 hostile:SLOT_PROFILE+SLOT_OPTIMISE:2))
KERNEL_OPT_IMAGES := $(foreach i,opt hostile,$(KERNEL_DIR)/$(i).elf $(KERNEL_DIR)/$(i)-optimised.elf) $(KERNEL_DIR)/hostile-rtl-optimised.elf
CHECKS += check-kernel-optimise
check-kernel-optimise: $(TB)/lockstep $(RIVULET) $(KERNEL_OPT_IMAGES) ## the kernel that optimises processes: the same output, code and profiles as without; hostile ones gain nothing
	@tests/kernel/optimise $(B)
.PHONY: check-kernel-optimise
