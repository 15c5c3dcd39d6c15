# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# iCEBreaker with a hot-trace table (docs/fpga.md). What the variables are: fpga/module.mk; what is not said here is as in
# fpga/icebreaker/board.mk.
icebreaker_table_RAM := $(icebreaker_RAM)
icebreaker_table_MHZ := $(call FPGA_PARAMETER,icebreaker_table,CLOCK_MHZ)
icebreaker_table_BAUD := $(call FPGA_PARAMETER,icebreaker_table,BAUD)
icebreaker_table_SYNTH := $(icebreaker_SYNTH)
icebreaker_table_WIRE := $(icebreaker_WIRE)
icebreaker_table_MAP := $(icebreaker_MAP)
icebreaker_table_BLOCK_NS := $(icebreaker_BLOCK_NS)
icebreaker_table_PNR := $(icebreaker_PNR)
icebreaker_table_RTL := $(icebreaker_RTL) fpga/icebreaker_table/rivulet_icebreaker_table.v
icebreaker_table_DEFINES := $(icebreaker_DEFINES)
icebreaker_table_INIT := $(icebreaker_INIT)
icebreaker_table_INIT_PARAMETER := $(icebreaker_INIT_PARAMETER)
icebreaker_table_SW := $(icebreaker_SW)
icebreaker_table_SET := way=table
icebreaker_table_FILES := $(FPGA)/icebreaker_table/icebreaker_table.bin $(FPGA)/icebreaker_table/$(FPGA_APP).image
icebreaker_table_LOAD := $(FPGA)/icebreaker_table/$(FPGA_APP).image
icebreaker_table_SIM_FILES := $(FPGA)/icebreaker_table/netlist.json $(FPGA)/icebreaker_table/$(FPGA_APP).image
$(FPGA)/icebreaker_table/icebreaker_table.bin: $(FPGA)/icebreaker_table/routed.asc
	icepack $< $@
$(FPGA)/icebreaker_table/$(FPGA_APP).image: $(FPGA)/icebreaker_table/sw/$(FPGA_APP).elf $(BOARD_IMAGE) FORCE
	$(BOARD_IMAGE) flash $(icebreaker_table_RAM) $< $(icebreaker_table_SET) $(FPGA_SET) > $@
