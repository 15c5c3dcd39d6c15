# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The trace unit beside a core with two retirements a cycle, late interrupts, a trap return of its own and APB; and every rule of its port broken.
CHECKS += check-ports
SHORTENED += check-ports
PORTS := $(B)/ports
PORTS_RTL = tests/ports/twin_core.v tests/ports/ports_bench.v rtl/trace/rivulet_retire_queue.v rtl/trace/rivulet_retire_check.v $(MINIMAL_TRACE)
$(PORTS)/program.elf: tests/ports/start.S tests/ports/program.c tests/minimal/link.ld common/rivulet_regs.h
	@mkdir -p $(@D)
	$(MINIMAL_CC) -T tests/minimal/link.ld tests/ports/start.S tests/ports/program.c -lgcc -o $@
$(PORTS)/program.hex: $(PORTS)/program.elf
	riscv64-unknown-elf-objcopy -O verilog --verilog-data-width=4 $< $@
$(PORTS)/bench.vvp: $(PORTS_RTL) $(wildcard rtl/trace/*.vh)
	@mkdir -p $(@D)
	iverilog -g2005 -Wall -Wno-timescale -Irtl/trace -o $@ -s ports_bench -Pports_bench.LOG='"$(PORTS)/retirements"' $(PORTS_RTL)
# two-state, 200 times as fast: the runs to the end of the program
$(PORTS)/two-state/bench: $(PORTS_RTL) $(wildcard rtl/trace/*.vh) tests/ports/module.mk $(RUNTIME_OBJS)
	@$(call fresh_bench,$(@D))
	@verilator --binary -j 1 $(WITH_RUNTIME) --timing --x-assign unique --x-initial unique -CFLAGS -O1 -Wno-fatal -Wno-lint -Wno-style --top-module ports_bench \
		-o bench -Irtl/trace '-GLOG="$(PORTS)/retirements"' --Mdir $(@D) $(PORTS_RTL) >$(@D)/log 2>&1 || { grep '%Error' $(@D)/log; false; }
check-ports: $(PORTS)/two-state/bench $(PORTS)/bench.vvp $(PORTS)/program.hex $(MINIMAL)/judge $(RIVULET) ## the trace unit beside a dual-retirement core, and beside one that breaks each rule of the port
	@tests/ports/check $(PORTS) $(MINIMAL)/judge $(RIVULET) $(call share,,4000)
.PHONY: check-ports
