# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Programs of RISC-V Linux under qemu-user: the command carries the plugin that qemu loads.
LIB_SRCS += host/qemu/qemu.c
LIB_SRCS += host/qemu/take.c
LIB_SRCS += host/qemu/written.c
LIB_SRCS += host/qemu/places.c
LIB_SRCS += host/qemu/order.c
LIB_SRCS += host/qemu/ranges.c
LIB_SRCS += host/qemu/system.c
QEMU_PLUGIN := $(B)/gen/qemu_plugin.so
QEMU_PLUGIN_SRCS := host/qemu/plugin.c host/qemu/plugin_blocks.c host/qemu/plugin_nodes.c host/qemu/plugin_maps.c host/qemu/plugin_system.c host/qemu/plugin_exec.c host/qemu/plugin_silent.c host/qemu/plugin_choose.c host/qemu/plugin_edges.c host/qemu/plugin_handlers.c isa/isa.c isa/table.c
TESTS += check_qemu_choose
$(B)/tests/check_qemu_choose: $(B)/host/host/qemu/plugin_choose.o
$(QEMU_PLUGIN): $(QEMU_PLUGIN_SRCS) host/qemu/plugin.h host/qemu/plugin_choose.h host/qemu/capture.h common/record.h common/reasons.def isa/isa.h isa/ops.def isa/insns.def
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS_HOST)) $(CPPFLAGS_HOST) -g0 -fPIC -shared -fvisibility=hidden $(QEMU_PLUGIN_SRCS) -o $@
$(B)/gen/qemu_plugin.h: $(QEMU_PLUGIN)
	@od -An -v -tx1 $< | sed 's/ / 0x/g; s/\([0-9a-f]\{2\}\)\( \|$$\)/\1,\2/g' >$@
$(B)/host/host/qemu/qemu.o $(B)/fuzz/obj/host/qemu/qemu.o: $(B)/gen/qemu_plugin.h
check-qemu-log: $(B)/bin/rivulet ## programs of RV64 Linux, C, C++, threads, exceptions: each count against qemu's log (-singlestep), not part of check
	@tests/qemu/log $(B)
.PHONY: check-qemu-log
CHECKS += check-qemu-user
check-qemu-user: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## programs of RV64 Linux, C, C++, threads, exceptions, fork, dynamic: each instruction's count as another plugin counts it
	@tests/qemu/check $(B)
.PHONY: check-qemu-user
CHECKS += check-qemu-follow
check-qemu-follow: $(B)/bin/rivulet ## view --serve beside profile --records: the picture has each call so far, with threads and libraries that come later
	@tests/qemu/follow $(B)
.PHONY: check-qemu-follow
CHECKS += check-qemu-budget
check-qemu-budget: $(B)/bin/rivulet ## diff --budget of programs of Linux: 1% in one function is found, none of 100 equal runs is over
	@tests/qemu/budget $(B)
.PHONY: check-qemu-budget
CHECKS += check-qemu-system
check-qemu-system: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## whole systems, RV32 and RV64, harts, modes, interrupts, faults: each instruction's count as another plugin counts it
	@tests/qemu/system $(B)
.PHONY: check-qemu-system
