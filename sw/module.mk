# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Firmware: build/sw/<app>.elf for every directory sw/apps/<app>, from all its .c files.
SW_CC := riscv64-unknown-elf-gcc
SW_SIZE := riscv64-unknown-elf-size
SW_RAM ?= 128K
SW_TABLE ?= 40K
SW_STACK ?= 8K
SW_ARCH ?= rv32imc
SW_APPS := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard sw/apps/*/*.c)))))
# Branch targets on words: a 32-bit instruction there costs no second fetch.
SW_CFLAGS = -march=$(SW_ARCH) -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs -std=gnu11 -O2 -g -ffunction-sections -fdata-sections \
	-falign-functions=4 -falign-jumps=4 -falign-loops=4 -Wall -Wextra -Wshadow -Werror -I. -Isw/run -I$(B)/gen $(SW_CSR_BASE:%=-DRV_CSR_BASE=%) $(SW_CONFIG_CFLAGS) $(SW_EXTRA_CFLAGS)
SW_CONFIG_CFLAGS = -DRUN_CONFIG_SHORT
# 1: sample and hold in the unit's table (--set rate=), and with it the whole configuration block. In a build folder of its own, as below.
SW_RATE ?=
ifneq ($(SW_RATE),)
SW_CONFIG_CFLAGS = -DTRACE_RATE=1
endif
# The first CSR of the trace unit, if it is not 0x7C0: the core's TRACE_CSR_BASE. In a build folder of its own: make B=FOLDER SW_CSR_BASE=0xBC0
SW_CSR_BASE ?=
SW_LDFLAGS = -nostartfiles -Wl,--gc-sections -Wl,-z,max-page-size=16 -Wl,--no-warn-rwx-segments -T sw/hal/link.ld \
	-Wl,--defsym=__ram_size=$(SW_RAM) -Wl,--defsym=__table_size=$(SW_TABLE) -Wl,--defsym=__stack_size=$(SW_STACK)

# What every program is linked with: each folder lists its own.
SW_LIB_SRCS :=
include sw/hal/module.mk sw/trace/module.mk sw/run/module.mk
SW_LIB_SRCS += common/frame.c
SW_LIB_OBJS := $(patsubst %,$(B)/sw/obj/%.o,$(basename $(SW_LIB_SRCS)))

firmware: $(SW_APPS:%=$(B)/sw/%.elf) ## build the firmware: one program for each application

$(B)/sw/obj/%.o: %.c sw/module.mk | $(VERSION_H)
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -MMD -MP -c $< -o $@
$(B)/sw/obj/%.o: %.S sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -MMD -MP -c $< -o $@

# $(1): application
define SW_APP
$$(B)/sw/obj/name/$(1).o: sw/run/name.c sw/module.mk
	@mkdir -p $$(@D)
	$$(SW_CC) $$(SW_CFLAGS) '-DAPP_NAME="$(1)"' -c $$< -o $$@
$$(B)/sw/$(1).elf: $$(patsubst %.c,$$(B)/sw/obj/%.o,$$(wildcard sw/apps/$(1)/*.c)) $$(patsubst %.S,$$(B)/sw/obj/%.o,$$(wildcard sw/apps/$(1)/*.S)) $$(B)/sw/obj/name/$(1).o $$(SW_LIB_OBJS) sw/hal/link.ld
	$$(SW_CC) $$(SW_CFLAGS) $$(SW_LDFLAGS) $$(filter %.o,$$^) -o $$@ -lm
endef
$(foreach app,$(SW_APPS),$(eval $(call SW_APP,$(app))))
-include $(shell find $(B)/sw -name '*.d' 2>/dev/null)
.PHONY: firmware
