# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The phases file of each application held against what was retired; a program of marked parts; the plug-in.
CHECKS += check-phases
PHASES := $(B)/tests/phases
PHASES_APPS ?= $(filter-out selftest,$(SW_APPS))
$(B)/tests/phases_judge: $(B)/host/tests/phases/judge.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
$(PHASES)/%.name.o: sw/run/name.c sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) '-DAPP_NAME="$*"' -c $< -o $@
$(PHASES)/many.elf: SW_TABLE := 4K
$(PHASES)/parts.elf $(PHASES)/many.elf $(PHASES)/nested.elf: $(PHASES)/%.elf: $(B)/sw/obj/tests/phases/%.o $(PHASES)/%.name.o $(SW_LIB_OBJS) sw/hal/link.ld
	$(SW_CC) $(SW_CFLAGS) $(SW_LDFLAGS) $(filter %.o,$^) -o $@ -lm
$(PHASES)/mix.so: docs/examples/mix.c host/phases/plugin.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -Werror -shared -fPIC -I. $< -o $@

# Two processes whose time slices are a part of the run each
$(eval $(call KERNEL_IMAGE,slices,300000,huffman:SLOT_PROFILE:1 sha256:SLOT_PROFILE:1))

check-phases: $(KERNEL_DIR)/slices.elf $(B)/bench/phases_bench $(RIVULET) $(B)/tests/phases_judge $(PHASES)/parts.elf $(PHASES)/many.elf $(PHASES)/nested.elf $(PHASES)/mix.so $(PHASES_APPS:%=$(B)/sw/%.elf) ## the phases file of every application against its retired instructions, marked phases, windows, the plug-in
	@tests/phases/run $(B) $(PHASES_APPS)
.PHONY: check-phases

# Events of inserted code; small in `make check`.
PHASES_TRACE = $(RIVULET) $(B)/tests/phases_judge $(SW_APPS:%=$(B)/sw/%.elf) $(patsubst %,$(B)/sw/obj/sw/probe/%.o,trace trace_hook)
CHECKS += check-phases-trace
check-phases-trace: $(PHASES_TRACE) ## the sequence that inserted code writes down against the golden model's, three applications, and of programs for Linux
	@tests/phases/trace $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" hello json qsort
phases-trace: $(PHASES_TRACE) ## the sequence that inserted code writes down against the golden model's, all applications
	@tests/phases/trace $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(PHASES_APPS)
.PHONY: check-phases-trace phases-trace
