# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# iCEBreaker: iCE40UP5K. What the variables are: fpga/module.mk.
icebreaker_RAM := 131072
icebreaker_MHZ := $(call FPGA_PARAMETER,icebreaker,CLOCK_MHZ)
icebreaker_BAUD := $(call FPGA_PARAMETER,icebreaker,BAUD)
icebreaker_SYNTH := -abc9 -device u
icebreaker_WIRE := 900
icebreaker_MAP := scratchpad -set abc9.script "$(FPGA_MAP)";
icebreaker_BLOCK_NS := 8
icebreaker_PNR := --up5k --package sg48
icebreaker_RTL := fpga/rivulet_reset.v $(wildcard fpga/icebreaker/*.v)
icebreaker_DEFINES := RIVULET_RAM=rivulet_up5k_ram RIVULET_COUNTER=rivulet_up5k_counter RIVULET_TIMER_COMPARE=rivulet_up5k_timer_compare \
	RIVULET_TRACE_BOUND=rivulet_up5k_trace_bound
icebreaker_INIT := $(FPGA)/icebreaker/boot.hex
icebreaker_INIT_PARAMETER := ROM_FILE
icebreaker_SW := SW_RAM=128K
icebreaker_FILES := $(FPGA)/icebreaker/icebreaker.bin $(FPGA)/icebreaker/$(FPGA_APP).image
icebreaker_LOAD := $(FPGA)/icebreaker/$(FPGA_APP).image
icebreaker_SIM_FILES := $(FPGA)/icebreaker/netlist.json $(FPGA)/icebreaker/$(FPGA_APP).image

# The boot ROM 
$(FPGA)/icebreaker/boot.elf: fpga/boot/boot.S fpga/boot/boot.c fpga/boot/boot.ld fpga/boot/flash_image.h
	@mkdir -p $(@D)
	$(SW_CC) -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -Os -ffreestanding -nostdlib -nostartfiles -static -Wall -Wextra -Wshadow -Werror -I. \
		-Wl,--no-warn-rwx-segments -Wl,--defsym=__ram_size=$(icebreaker_RAM) -T fpga/boot/boot.ld -o $@ fpga/boot/boot.S fpga/boot/boot.c -lgcc
$(FPGA)/icebreaker/boot.hex: $(FPGA)/icebreaker/boot.elf
	riscv64-unknown-elf-objcopy -O binary $< $(FPGA)/icebreaker/boot.bin
	od -An -v -tx4 -w4 $(FPGA)/icebreaker/boot.bin | awk '{ print $$1 } END { while (NR++ < 256) print "00000000" }' > $@
# Bitstream and flash image are two files.
$(FPGA)/icebreaker/icebreaker.bin: $(FPGA)/icebreaker/routed.asc
	icepack $< $@
$(FPGA)/icebreaker/$(FPGA_APP).image: $(FPGA)/icebreaker/sw/$(FPGA_APP).elf $(BOARD_IMAGE) FORCE
	$(BOARD_IMAGE) flash $(icebreaker_RAM) $< $(FPGA_SET) > $@
