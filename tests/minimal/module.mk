# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The worked example of docs/integration.md: the trace unit beside a core that shares nothing with ours.
CHECKS += check-minimal
SHORTENED += check-minimal
MINIMAL := $(B)/minimal
# numbers that the program sorts
MINIMAL_WORK := -DCOUNT=120
MINIMAL_RTL := $(addprefix tests/minimal/,minimal_core.v minimal_soc.v)
MINIMAL_CC = riscv64-unknown-elf-gcc -march=rv32i -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -nostartfiles -static \
	-fno-tree-loop-distribute-patterns -Wl,--no-warn-rwx-segments -Wall -Wextra -I. $(MINIMAL_FRONT)
# The driver's parameters (sw/trace/front.h): Wishbone front, interrupt 11, one entry for all traps, no timer, no sw/hal.
MINIMAL_FRONT := -DTRACE_MMIO_BASE=0x40000000 -DTRACE_IRQ=11 -DTRACE_DIRECT=1 -DTRACE_TIMER=0 -DTRACE_HAL=0
MINIMAL_DRIVER := $(filter sw/trace/%,$(SW_LIB_SRCS)) common/frame.c
MINIMAL_TRACE = $(shell cat rtl/trace/rivulet_trace.f)
$(MINIMAL)/program.o: tests/minimal/program.c $(wildcard sw/trace/*.h sw/hal/*.h) common/frame.h common/rivulet_regs.h tests/minimal/module.mk
	@mkdir -p $(@D)
	$(MINIMAL_CC) $(MINIMAL_WORK) -c $< -o $@
$(MINIMAL)/program.elf: $(MINIMAL)/program.o tests/minimal/link.ld $(MINIMAL_DRIVER) $(wildcard sw/trace/*.h sw/hal/*.h) common/frame.h common/rivulet_regs.h \
		tests/minimal/module.mk
	@mkdir -p $(@D)
	$(MINIMAL_CC) -T tests/minimal/link.ld $< $(MINIMAL_DRIVER) -lgcc -o $@
$(MINIMAL)/program.hex: $(MINIMAL)/program.elf
	riscv64-unknown-elf-objcopy -O verilog --verilog-data-width=4 $< $@
$(MINIMAL)/program.host: tests/minimal/program.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 -DHOST $(MINIMAL_WORK) -fno-strict-aliasing $< -o $@
$(MINIMAL)/bench.vvp: $(MINIMAL_RTL) tests/minimal/minimal_bench.v $(MINIMAL_TRACE) rtl/trace/rivulet_regs.vh
	@mkdir -p $(@D)
	iverilog -g2005 -Wall -Wno-timescale -Irtl/trace -o $@ -s minimal_bench $(MINIMAL_RTL) tests/minimal/minimal_bench.v $(MINIMAL_TRACE)
$(MINIMAL)/judge: $(B)/host/tests/minimal/judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)

# two-state, and fast: the whole program. Icarus has four states, and sees the same as far as it runs.
$(MINIMAL)/two-state/bench: $(MINIMAL_RTL) tests/minimal/minimal_bench.v $(MINIMAL_TRACE) rtl/trace/rivulet_regs.vh tests/minimal/module.mk $(RUNTIME_OBJS)
	@$(call fresh_bench,$(@D))
	@verilator --binary -j 1 $(WITH_RUNTIME) --timing --x-assign unique --x-initial unique -CFLAGS -O1 -Wno-fatal -Wno-lint -Wno-style --top-module minimal_bench \
		-o bench -Irtl/trace --Mdir $(@D) $(MINIMAL_RTL) tests/minimal/minimal_bench.v $(MINIMAL_TRACE) >$(@D)/log 2>&1 || { grep '%Error' $(@D)/log; false; }
check-minimal: $(MINIMAL)/two-state/bench $(MINIMAL)/bench.vvp $(MINIMAL)/program.hex $(MINIMAL)/program.elf $(MINIMAL)/program.host $(MINIMAL)/judge $(RIVULET) ## the trace unit beside another core (RV32I, multi-cycle, four-state), judged by the golden model
	@verilator --lint-only -Wall -Wno-DECLFILENAME -Wno-UNUSED -Wno-PINCONNECTEMPTY -Irtl/trace --top-module minimal_soc $(MINIMAL_RTL) $(MINIMAL_TRACE)
	@$(MINIMAL)/two-state/bench +verilator+rand+reset+2 +program=$(MINIMAL)/program.hex +console=$(MINIMAL)/console +events=$(MINIMAL)/events >$(MINIMAL)/log
	@vvp -n $(MINIMAL)/bench.vvp +program=$(MINIMAL)/program.hex +console=$(MINIMAL)/states.console +events=$(MINIMAL)/states.events $(call share,,+limit=20000)
	@cmp <(head -n -1 $(MINIMAL)/states.events) <(head -n $$(($$(wc -l <$(MINIMAL)/states.events) - 1)) $(MINIMAL)/events)
	@$(MINIMAL)/program.host | diff - <(grep -a '^work' $(MINIMAL)/console)
	@$(MINIMAL)/judge $(MINIMAL)/program.elf $(MINIMAL)/events $(MINIMAL)/console
	@$(RIVULET) report $(MINIMAL)/program.elf $(MINIMAL)/console | grep -q 'compare'
.PHONY: check-minimal
