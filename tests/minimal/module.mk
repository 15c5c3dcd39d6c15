# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The worked example of docs/integration.md: the trace unit beside a core that shares nothing with ours.
CHECKS += check-minimal
MINIMAL := $(B)/minimal
MINIMAL_RTL := $(addprefix tests/minimal/,minimal_core.v minimal_soc.v)
MINIMAL_CC = riscv64-unknown-elf-gcc -march=rv32i -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -nostartfiles -static \
	-fno-tree-loop-distribute-patterns -Wl,--no-warn-rwx-segments -Wall -Wextra -I.
MINIMAL_TRACE = $(shell cat rtl/trace/rivulet_trace.f)
$(MINIMAL)/program.elf: tests/minimal/program.c tests/minimal/link.ld common/rivulet_regs.h
	@mkdir -p $(@D)
	$(MINIMAL_CC) -T tests/minimal/link.ld $< -lgcc -o $@
$(MINIMAL)/program.hex: $(MINIMAL)/program.elf
	riscv64-unknown-elf-objcopy -O verilog --verilog-data-width=4 $< $@
$(MINIMAL)/program.host: tests/minimal/program.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 -DHOST -fno-strict-aliasing $< -o $@
$(MINIMAL)/bench.vvp: $(MINIMAL_RTL) tests/minimal/minimal_bench.v $(MINIMAL_TRACE) rtl/trace/rivulet_regs.vh
	@mkdir -p $(@D)
	iverilog -g2005 -Wall -Wno-timescale -Irtl/trace -o $@ -s minimal_bench $(MINIMAL_RTL) tests/minimal/minimal_bench.v $(MINIMAL_TRACE)
$(MINIMAL)/judge: $(B)/host/tests/minimal/judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)

check-minimal: $(MINIMAL)/bench.vvp $(MINIMAL)/program.hex $(MINIMAL)/program.elf $(MINIMAL)/program.host $(MINIMAL)/judge ## the trace unit beside another core (RV32I, multi-cycle, four-state), judged by the golden model
	@verilator --lint-only -Wall -Wno-DECLFILENAME -Wno-UNUSED -Wno-PINCONNECTEMPTY -Irtl/trace --top-module minimal_soc $(MINIMAL_RTL) $(MINIMAL_TRACE)
	@vvp -n $(MINIMAL)/bench.vvp +program=$(MINIMAL)/program.hex +console=$(MINIMAL)/console +events=$(MINIMAL)/events
	@$(MINIMAL)/program.host | diff - <(grep '^work' $(MINIMAL)/console)
	@$(MINIMAL)/judge $(MINIMAL)/program.elf $(MINIMAL)/events $(MINIMAL)/console
.PHONY: check-minimal
