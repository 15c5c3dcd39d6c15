# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The dense stream of the SoC's RTL at the pins of its ports, read by rivulet record.
PINS_RTL := $(shell cat rtl/soc/rivulet_soc.f)
PINS_BENCH := $(TB)/dense-ports/bench
PINS_WORDS := $(TB)/dense-ports.hex
PINS_PROGRAM := $(B)/sw/regex.elf
$(PINS_WORDS): $(PINS_PROGRAM) $(B)/bin/board-image
	@mkdir -p $(@D)
	@$(B)/bin/board-image words 1048576 $< input=train way=stream > $@
$(PINS_BENCH): $(PINS_RTL) tb/dense_ports/port_bench.v tb/dense_ports/module.mk $(PINS_WORDS) $(RUNTIME_OBJS)
	@$(call fresh_bench,$(@D))
	@verilator --binary -j 1 $(WITH_RUNTIME) --timing --x-assign fast --x-initial fast -CFLAGS -O1 -Wno-fatal -Wno-lint -Wno-style --top-module port_bench -o bench \
		-Irtl/trace '-GRAM_FILE="$(PINS_WORDS)"' --Mdir $(TB)/dense-ports $(PINS_RTL) tb/dense_ports/port_bench.v >$(TB)/dense-ports/log 2>&1 \
		|| { grep '%Error' $(TB)/dense-ports/log; false; }
check-dense-ports: $(PINS_BENCH) $(RIVULET) $(PINS_PROGRAM) ## the SoC's dense stream at the pins of UART, SPI and 8 bits, with noise, read by rivulet record
	@tb/dense_ports/check $(B) $(PINS_BENCH) $(PINS_PROGRAM) $(TB)/dense-ports/out
CHECKS += check-dense-ports
.PHONY: check-dense-ports

# A flight recorder over the dense coding: the programs of make demo-postmortem on the SoC's RTL, whose handlers print the ring.
DENSE_FAULTS := dispatch overflow pin
DENSE_FAULT_ELFS := $(DENSE_FAULTS:%=$(TB)/dense-recorder/%.elf)
$(DENSE_FAULT_ELFS): $(TB)/dense-recorder/%.elf: $(B)/sw/obj/tests/postmortem/%.o $(B)/sw/obj/tests/postmortem/fault_dense.o $(B)/sw/obj/sw/trace/dense.o \
		$(B)/sw/obj/name/hello.o $(SW_LIB_OBJS) sw/hal/link.ld
	@mkdir -p $(@D)
	@$(SW_CC) $(SW_CFLAGS) $(SW_LDFLAGS) $(filter %.o,$^) -o $@ -lm
RECORDER_BENCH := $(TB)/dense-recorder/bench
$(RECORDER_BENCH): $(PINS_RTL) tb/dense_ports/recorder_bench.v tb/dense_ports/module.mk $(RUNTIME_OBJS)
	@$(call fresh_bench,$(@D)/rtl)
	@verilator --binary -j 1 $(WITH_RUNTIME) --timing --x-assign fast --x-initial fast -CFLAGS -O1 -Wno-fatal -Wno-lint -Wno-style --top-module recorder_bench -o ../bench \
		-Irtl/trace '-GRAM_FILE="$(TB)/dense-recorder/words.hex"' --Mdir $(@D)/rtl $(PINS_RTL) tb/dense_ports/recorder_bench.v >$(@D)/log 2>&1 \
		|| { grep '%Error' $(@D)/log; false; }
check-dense-recorder: $(RECORDER_BENCH) $(RIVULET) $(DENSE_FAULT_ELFS) $(B)/bin/board-image ## the last instructions before a fault, from 1 KiB of the dense stream in the SoC's RTL
	@tb/dense_ports/check_recorder $(B) $(RECORDER_BENCH) $(TB)/dense-recorder $(DENSE_FAULT_ELFS)
SHORTENED += check-dense-recorder
.PHONY: check-dense-recorder
