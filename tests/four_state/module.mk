# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Directed tests in four-state simulation, about 1000 cycles a second on a busy machine: the short ones. FOUR_STATE_NAMES="alu branch" takes others
# (not external, which needs the bench that drives interrupts).
CHECKS += check-four-state
FOUR_STATE := $(B)/four-state
FOUR_STATE_NAMES = compressed counters csr exit fault fencei memory pmp trace traps uart umode
$(FOUR_STATE)/checks: $(B)/host/tests/four_state/checks.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@
$(FOUR_STATE)/bench.vvp: tests/four_state/four_state.v $(FOUR_STATE)/checks tb/signals.def $(RTL_SIM)
	$(FOUR_STATE)/checks ports rtl/soc/rivulet_sim.v >$(FOUR_STATE)/four_state_ports.vh
	$(FOUR_STATE)/checks rows >$(FOUR_STATE)/four_state_checks.vh
	iverilog -g2005 -Wall -Wno-timescale -DRAM_BYTES=$(SIM_RAM) -Irtl/trace -I$(FOUR_STATE) -o $@ -s four_state $< $(RTL_SIM)
# The same with the trace unit's CSRs elsewhere, and trace.S for them.
FOUR_STATE_BASE := 0xBC0
$(FOUR_STATE)/elsewhere.vvp: $(FOUR_STATE)/bench.vvp
	iverilog -g2005 -Wall -Wno-timescale -DRAM_BYTES=$(SIM_RAM) -Pfour_state.TRACE_CSR_BASE=$$(($(FOUR_STATE_BASE))) -Irtl/trace -I$(FOUR_STATE) -o $@ -s four_state \
		tests/four_state/four_state.v $(RTL_SIM)
$(FOUR_STATE)/elsewhere.elf: tests/asm/trace.S $(wildcard tests/asm/*.h) common/rivulet_regs.h
	$(ASM_CC) -DRV_CSR_BASE=$(FOUR_STATE_BASE) -o $@ $<
$(FOUR_STATE)/elsewhere.hex: $(FOUR_STATE)/elsewhere.elf
	riscv64-unknown-elf-objcopy -O binary $< $(@:.hex=.bin)
	(echo @0; od -An -v -tx4 -w4 $(@:.hex=.bin)) >$@
$(FOUR_STATE)/%.hex: $(B)/tb/asm/%.elf
	@mkdir -p $(@D)
	riscv64-unknown-elf-objcopy -O binary $< $(@:.hex=.bin)
	(echo @0; od -An -v -tx4 -w4 $(@:.hex=.bin)) >$@

check-four-state: $(FOUR_STATE)/elsewhere.vvp $(FOUR_STATE)/elsewhere.hex $(FOUR_STATE)/bench.vvp $(FOUR_STATE)/fault.hex $(FOUR_STATE_NAMES:%=$(FOUR_STATE)/%.hex) ## the directed tests from registers without a value: no X after reset (Icarus)
	@failed=0; for t in $(FOUR_STATE_NAMES); do \
		out=$$(vvp -n $(FOUR_STATE)/bench.vvp +program=$(FOUR_STATE)/$$t.hex +tohost=$$(riscv64-unknown-elf-nm $(B)/tb/asm/$$t.elf | sed -n "s, . tohost$$,,p") | tail -n 12); \
		case $$out in *" 0 unknown, exit code 0") echo "$$t: $$out";; *) echo "$$t FAILED: $$out"; failed=1;; esac; \
	done; \
	case $$(vvp -n $(FOUR_STATE)/bench.vvp +program=$(FOUR_STATE)/fault.hex +poison | tail -n 12) in *" 0 unknown"*) echo "an X in the program is not noticed"; failed=1;; esac; \
	out=$$(vvp -n $(FOUR_STATE)/elsewhere.vvp +program=$(FOUR_STATE)/elsewhere.hex +tohost=$$(riscv64-unknown-elf-nm $(FOUR_STATE)/elsewhere.elf | sed -n "s, . tohost$$,,p") | tail -n 12); \
	case $$out in *" 0 unknown, exit code 0") ;; *) echo "CSRs from $(FOUR_STATE_BASE) on: $$out"; failed=1;; esac; \
	case $$(vvp -n $(FOUR_STATE)/bench.vvp +program=$(FOUR_STATE)/elsewhere.hex +tohost=$$(riscv64-unknown-elf-nm $(FOUR_STATE)/elsewhere.elf | sed -n "s, . tohost$$,,p") | tail -n 12) in \
		*"exit code 0") echo "CSRs from $(FOUR_STATE_BASE) on are there where they should not be"; failed=1;; esac; \
	[ $$failed = 0 ] && echo "four-state: $(words $(FOUR_STATE_NAMES)) programs without an X"
.PHONY: check-four-state
