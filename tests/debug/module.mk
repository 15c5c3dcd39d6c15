# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A trace unit that a real OpenOCD reads over JTAG, through rtl/debug, beside a core and a program that know nothing of it.
CHECKS += check-debug
DEBUG := $(B)/debug
DEBUG_RTL := tests/debug/debug_bench.v tests/debug/debug_soc.v tests/minimal/minimal_core.v
DEBUG_PARTS = $(shell cat rtl/debug/rivulet_debug.f rtl/trace/rivulet_trace.f)
DEBUG_CC := riscv64-unknown-elf-gcc -march=rv32i -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -nostartfiles -static \
	-fno-tree-loop-distribute-patterns -Wl,--no-warn-rwx-segments -Wall -Wextra
$(DEBUG)/program.elf: tests/debug/program.c tests/minimal/link.ld tests/debug/module.mk
	@mkdir -p $(@D)
	$(DEBUG_CC) -T tests/minimal/link.ld $< -o $@
# the same, with more paths than the table has room for; and without an end
$(DEBUG)/many.elf $(DEBUG)/endless.elf: tests/debug/program.c tests/minimal/link.ld tests/debug/module.mk
	@mkdir -p $(@D)
	$(DEBUG_CC) -DBITS=12 -DCALLS=64 $(if $(findstring endless,$@),-DROUNDS=0x7FFFFFFF) -T tests/minimal/link.ld $< -o $@
$(DEBUG)/%.hex: $(DEBUG)/%.elf
	riscv64-unknown-elf-objcopy -O verilog --verilog-data-width=4 $< $@
$(DEBUG)/bench: $(DEBUG_RTL) tests/debug/rtl.cpp tests/debug/rtl.h $(B)/host/tests/debug/bitbang.o $(DEBUG_PARTS) rtl/trace/rivulet_regs.vh tests/debug/module.mk $(RUNTIME_OBJS)
	@$(call fresh_bench,$(DEBUG)/rtl)
	@verilator --cc --exe --build -j 1 $(WITH_RUNTIME) -O3 --x-assign unique --x-initial unique -CFLAGS "-O1 -I$(CURDIR)" -Wno-fatal -Wno-lint -Wno-style \
		--top-module debug_bench -o ../bench -Irtl/trace --Mdir $(DEBUG)/rtl $(DEBUG_RTL) $(DEBUG_PARTS) \
		$(CURDIR)/tests/debug/rtl.cpp $(CURDIR)/$(B)/host/tests/debug/bitbang.o >$(DEBUG)/rtl/log 2>&1 || { cat $(DEBUG)/rtl/log; false; }
check-debug: $(DEBUG)/bench $(DEBUG)/program.hex $(DEBUG)/many.hex $(DEBUG)/endless.hex $(RIVULET) ## the trace unit read by OpenOCD over JTAG while the program runs
	@tests/debug/check $(B)
.PHONY: check-debug
