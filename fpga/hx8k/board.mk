# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# iCE40-HX8K breakout board. What the variables are: fpga/module.mk.
hx8k_RAM := 8192
hx8k_MHZ := $(call FPGA_PARAMETER,hx8k,CLOCK_MHZ)
hx8k_BAUD := $(call FPGA_PARAMETER,hx8k,BAUD)
hx8k_SYNTH := -abc9 -device hx
hx8k_WIRE := 700
hx8k_MAP :=
hx8k_PNR := --hx8k --package ct256
hx8k_RTL := fpga/rivulet_reset.v fpga/hx8k/rivulet_hx8k.v
hx8k_DEFINES :=
hx8k_INIT := $(FPGA)/hx8k/random.hex
hx8k_INIT_PARAMETER := RAM_FILE
hx8k_SW := SW_RAM=8K SW_TABLE=1536 SW_STACK=960 SW_EXTRA_CFLAGS="-Os -msave-restore -falign-functions=2 -falign-jumps=2 -falign-loops=2" \
	SW_LIB_SRCS="sw/hal/start.S sw/hal/hal.c sw/hal/libc.c sw/trace/table.c sw/trace/profile.c common/frame.c fpga/app/small.c"
hx8k_FILES := $(FPGA)/hx8k/hx8k.bin
hx8k_SIM_FILES := $(FPGA)/hx8k/hx8k.bin
# make fmax measures the core on this device.
FMAX_WIRE := $(hx8k_WIRE)

# The block RAM is synthesized with random words. No other content equals them, so icebram finds them and puts the firmware there.
$(FPGA)/hx8k/random.hex:
	@mkdir -p $(@D)
	icebram -g -s 1 32 $$(($(hx8k_RAM) / 4)) > $@

# The firmware is in the bitstream.
$(FPGA)/hx8k/$(FPGA_APP).hex: $(FPGA)/hx8k/sw/$(FPGA_APP).elf $(BOARD_IMAGE) FORCE
	$(BOARD_IMAGE) words $(hx8k_RAM) $< $(FPGA_SET) > $@
$(FPGA)/hx8k/hx8k.asc: $(FPGA)/hx8k/routed.asc $(FPGA)/hx8k/random.hex $(FPGA)/hx8k/$(FPGA_APP).hex
	icebram $(FPGA)/hx8k/random.hex $(FPGA)/hx8k/$(FPGA_APP).hex < $< > $@
$(FPGA)/hx8k/hx8k.bin: $(FPGA)/hx8k/hx8k.asc
	icepack $< $@
