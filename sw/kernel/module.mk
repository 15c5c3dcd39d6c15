# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The kernel and its images. $(call KERNEL_IMAGE,name,slice,slots) makes build/kernel/NAME.elf, with program i of the
# list in slot i, and build/kernel/PROGRAM@i.elf, that program alone with its symbols: what `rivulet report` is given.
# A program is an application of sw/apps, or one of tests/kernel/programs. Flags: SLOT_PROFILE, SLOT_SAVE_LAST or 0 (sw/kernel/kernel.h).
KERNEL_DIR := $(B)/kernel
KERNEL_SLOTS := 0x80040000
KERNEL_SLOT_SIZE := 0x20000
KERNEL_TABLE ?= 160K
KERNEL_STACK ?= 8K
KERNEL_DATA ?= 2K
KERNEL_CACHE ?= 8K
# bytes of stack for the kernel's work for a process (work.c), without and with the optimiser
KERNEL_WORK ?= 2048
KERNEL_OPT_WORK := 6144
KERNEL_SRCS := sw/kernel/entry.S sw/kernel/kernel.c sw/kernel/image.c sw/kernel/work.c sw/kernel/collect.c sw/kernel/account.c sw/kernel/console.c sw/hal/hal.c sw/trace/handler.S sw/trace/table.c sw/trace/profile.c \
	common/frame.c
KERNEL_OBJS := $(patsubst %,$(KERNEL_DIR)/obj/%.o,$(basename $(KERNEL_SRCS)))
USER_OBJS := $(B)/sw/obj/sw/kernel/user/start.o $(B)/sw/obj/sw/kernel/user/main.o
USER_LDFLAGS = -nostartfiles -Wl,--gc-sections -Wl,-z,max-page-size=16 -Wl,--no-warn-rwx-segments -T sw/kernel/user/link.ld \
	-Wl,--defsym=__size=$(KERNEL_SLOT_SIZE) -Wl,--defsym=__stack_size=$(KERNEL_STACK) -Wl,--defsym=__data_room=$(KERNEL_DATA) -Wl,--defsym=__cache_room=$(KERNEL_CACHE)
KERNEL_PROGRAM_DIRS := sw/apps tests/kernel/programs
KERNEL_IMAGES :=

$(KERNEL_DIR)/obj/%.o: %.c sw/kernel/module.mk sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) $(KERNEL_CFLAGS) -msmall-data-limit=0 -MMD -MP -c $< -o $@
# The trace handler finds each process's area by mscratch, and the timer is the kernel's.
$(KERNEL_DIR)/obj/%.o: %.S sw/kernel/module.mk sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -DTRACE_AREA_IN_MSCRATCH=1 -DTRACE_TIMER=0 -DTRACE_OWNED=1 -MMD -MP -c $< -o $@

# The kernel that optimises the processes whose slot has SLOT_OPTIMISE: the same sources and sw/kernel/optimise.c.
KERNEL_OPT_SRCS := $(KERNEL_SRCS) sw/kernel/optimise.c $(wildcard sw/optimise/*.c) isa/isa.c isa/table.c isa/encode.c
KERNEL_OPT_OBJS := $(patsubst %,$(KERNEL_DIR)/optimise/%.o,$(basename $(KERNEL_OPT_SRCS)))
KERNEL_OPT_TABLE ?= 70K
KERNEL_OPT_MEMORY ?= 65K
$(KERNEL_DIR)/optimise/%.o: SW_CONFIG_CFLAGS =
$(KERNEL_DIR)/optimise/%.o: %.c sw/kernel/module.mk sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -DKERNEL_OPTIMISE=1 -msmall-data-limit=0 -MMD -MP -c $< -o $@
$(KERNEL_DIR)/optimise/%.o: %.S sw/kernel/module.mk sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -DKERNEL_OPTIMISE=1 -DTRACE_AREA_IN_MSCRATCH=1 -DTRACE_TIMER=0 -DTRACE_OWNED=1 -MMD -MP -c $< -o $@

# $(1): program, $(2): slot from 1. The same program in the same slot is the same file, whatever image it is for.
define KERNEL_PROGRAM
ifndef KERNEL_HAS_$(1)_$(2)
KERNEL_HAS_$(1)_$(2) := 1
$(KERNEL_DIR)/$(1)@$(2).elf: $$(foreach d,$$(KERNEL_PROGRAM_DIRS),$$(patsubst %.c,$$(B)/sw/obj/%.o,$$(wildcard $$(d)/$(1)/*.c)) \
		$$(patsubst %.S,$$(B)/sw/obj/%.o,$$(wildcard $$(d)/$(1)/*.S))) $$(B)/sw/obj/name/$(1).o $$(USER_OBJS) sw/kernel/user/link.ld
	@mkdir -p $$(@D)
	$$(SW_CC) $$(SW_CFLAGS) $$(USER_LDFLAGS) -Wl,--defsym=__base=$$$$(($(KERNEL_SLOTS)+($(2)-1)*$(KERNEL_SLOT_SIZE))) $$(filter %.o,$$^) -o $$@ -lm
$(KERNEL_DIR)/$(1)@$(2).bin: $(KERNEL_DIR)/$(1)@$(2).elf
	riscv64-unknown-elf-objcopy -O binary $$< $$@
endif
ifeq ($$(wildcard sw/apps/$(1)),)
ifndef KERNEL_HAS_NAME_$(1)
KERNEL_HAS_NAME_$(1) := 1
$(B)/sw/obj/name/$(1).o: sw/run/name.c sw/module.mk
	@mkdir -p $$(@D)
	$$(SW_CC) $$(SW_CFLAGS) '-DAPP_NAME="$(1)"' -c $$< -o $$@
endif
endif
endef

# $(1): image, $(2): cycles of a time slice, $(3): program:flags:rounds ...
define KERNEL_IMAGE
KERNEL_IMAGES += $(KERNEL_DIR)/$(1).elf
$$(foreach n,$$(shell seq $(words $(3))),$$(if $$(filter -,$$(word $$(n),$(3))),,$$(eval $$(call KERNEL_PROGRAM,$$(word 1,$$(subst :, ,$$(word $$(n),$(3)))),$$(n)))))
$(KERNEL_DIR)/$(1).slots.S: sw/kernel/module.mk $$(KERNEL_MODULES)
	@mkdir -p $$(@D)
	@sw/kernel/slots $(KERNEL_DIR) $(KERNEL_SLOTS) $(KERNEL_SLOT_SIZE) $(2) $(3) > $$@
$(KERNEL_DIR)/$(1).slots.o: $(KERNEL_DIR)/$(1).slots.S $$(foreach n,$$(shell seq $(words $(3))),$$(if $$(filter -,$$(word $$(n),$(3))),,$(KERNEL_DIR)/$$(word 1,$$(subst :, ,$$(word $$(n),$(3))))@$$(n).bin))
	$$(SW_CC) $$(SW_CFLAGS) -c $$< -o $$@
$(KERNEL_DIR)/$(1).elf: $(KERNEL_DIR)/$(1).slots.o $$(KERNEL_OBJS) sw/kernel/link.ld
	$$(SW_CC) $$(SW_CFLAGS) -nostartfiles -Wl,--gc-sections -Wl,-z,max-page-size=16 -Wl,--no-warn-rwx-segments -T sw/kernel/link.ld \
		-Wl,--defsym=__slots=$(KERNEL_SLOTS) -Wl,--defsym=__table_size=$$(KERNEL_TABLE) \
		-Wl,--defsym=__work_size=$$$$(($$(KERNEL_WORK)*$(words $(3)))) $$(filter %.o,$$^) -o $$@
$(KERNEL_DIR)/$(1)-optimised.elf: $(KERNEL_DIR)/$(1).slots.o $$(KERNEL_OPT_OBJS) sw/kernel/link.ld
	$$(SW_CC) $$(SW_CFLAGS) -nostartfiles -Wl,--gc-sections -Wl,-z,max-page-size=16 -Wl,--no-warn-rwx-segments -T sw/kernel/link.ld \
		-Wl,--defsym=__slots=$(KERNEL_SLOTS) -Wl,--defsym=__table_size=$$(KERNEL_OPT_TABLE) -Wl,--defsym=__optimise_size=$$(KERNEL_OPT_MEMORY) \
		-Wl,--defsym=__work_size=$$$$(($$(KERNEL_OPT_WORK)*$(words $(3)))) $$(filter %.o,$$^) -o $$@
endef
KERNEL_MODULES := tests/kernel/module.mk

# The example of docs/kernel.md
$(eval $(call KERNEL_IMAGE,demo,20000,json:SLOT_PROFILE:1 qsort:SLOT_PROFILE:1 huffman:0:1 regex:0:1))
# For boards of little memory: fpga/icebreaker_pmp/board.mk says how small
$(eval $(call KERNEL_IMAGE,board,5003,hello:SLOT_PROFILE:1 fault:0:6 hello:SLOT_PROFILE:1))
# Processes that are optimised (section 8)
$(eval $(call KERNEL_IMAGE,opt,9001,json:SLOT_PROFILE+SLOT_OPTIMISE:1 qsort:SLOT_PROFILE+SLOT_OPTIMISE:1 huffman:SLOT_PROFILE:1 regex:0:1))
kernel: $(KERNEL_DIR)/demo.elf ## the kernel with four applications: build/kernel/demo.elf
.PHONY: kernel
-include $(shell find $(KERNEL_DIR) -name '*.d' 2>/dev/null)
kernel-optimised: $(KERNEL_DIR)/opt-optimised.elf ## the kernel that optimises two of its four processes: build/kernel/opt-optimised.elf
.PHONY: kernel-optimised
