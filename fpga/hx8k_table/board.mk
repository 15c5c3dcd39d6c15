# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# iCE40-HX8K breakout board with a hot-trace table (docs/fpga.md). What the variables are: fpga/module.mk; what is not said here is
# as in fpga/hx8k/board.mk.
hx8k_table_RAM := $(hx8k_RAM)
hx8k_table_MHZ := $(call FPGA_PARAMETER,hx8k_table,CLOCK_MHZ)
hx8k_table_BAUD := $(call FPGA_PARAMETER,hx8k_table,BAUD)
hx8k_table_SYNTH := $(hx8k_SYNTH)
hx8k_table_WIRE := $(hx8k_WIRE)
hx8k_table_MAP := $(hx8k_MAP)
hx8k_table_PNR := $(hx8k_PNR)
hx8k_table_RTL := $(hx8k_RTL) fpga/hx8k_table/rivulet_hx8k_table.v
hx8k_table_DEFINES := $(hx8k_DEFINES)
hx8k_table_INIT := $(hx8k_INIT)
hx8k_table_INIT_PARAMETER := $(hx8k_INIT_PARAMETER)
hx8k_table_SW := $(hx8k_SW)
hx8k_table_SET := way=table watermark=2
hx8k_table_FILES := $(FPGA)/hx8k_table/hx8k_table.bin
hx8k_table_SIM_FILES := $(FPGA)/hx8k_table/hx8k_table.bin
$(FPGA)/hx8k_table/$(FPGA_APP).hex: $(FPGA)/hx8k_table/sw/$(FPGA_APP).elf $(BOARD_IMAGE) FORCE
	$(BOARD_IMAGE) words $(hx8k_table_RAM) $< $(hx8k_table_SET) $(FPGA_SET) > $@
$(FPGA)/hx8k_table/hx8k_table.asc: $(FPGA)/hx8k_table/routed.asc $(hx8k_INIT) $(FPGA)/hx8k_table/$(FPGA_APP).hex
	icebram $(hx8k_INIT) $(FPGA)/hx8k_table/$(FPGA_APP).hex < $< > $@
$(FPGA)/hx8k_table/hx8k_table.bin: $(FPGA)/hx8k_table/hx8k_table.asc
	icepack $< $@
