# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# iCEBreaker with memory protection: the kernel and its processes (docs/fpga.md). What the variables are: fpga/module.mk;
# what is not said here is as in fpga/icebreaker/board.mk.
icebreaker_pmp_RAM := $(icebreaker_RAM)
icebreaker_pmp_MHZ := $(call FPGA_PARAMETER,icebreaker_pmp,CLOCK_MHZ)
icebreaker_pmp_BAUD := $(call FPGA_PARAMETER,icebreaker_pmp,BAUD)
icebreaker_pmp_SYNTH := $(icebreaker_SYNTH)
icebreaker_pmp_WIRE := $(icebreaker_WIRE)
icebreaker_pmp_MAP := $(icebreaker_MAP)
icebreaker_pmp_BLOCK_NS := $(icebreaker_BLOCK_NS)
icebreaker_pmp_PNR := $(icebreaker_PNR)
icebreaker_pmp_RTL := $(icebreaker_RTL) fpga/icebreaker_pmp/rivulet_icebreaker_pmp.v
icebreaker_pmp_DEFINES := $(icebreaker_DEFINES)
icebreaker_pmp_INIT := $(icebreaker_INIT)
icebreaker_pmp_INIT_PARAMETER := $(icebreaker_INIT_PARAMETER)
icebreaker_pmp_FILES := $(FPGA)/icebreaker_pmp/icebreaker_pmp.bin $(FPGA)/icebreaker_pmp/kernel.image
icebreaker_pmp_LOAD := $(FPGA)/icebreaker_pmp/kernel.image
icebreaker_pmp_SIM_FILES := $(FPGA)/icebreaker_pmp/netlist.json $(FPGA)/icebreaker_pmp/kernel.image

# The kernel in 40 KiB, and three slots of 28 KiB: build/fpga/icebreaker_pmp/kernel/board.elf (sw/kernel/module.mk)
icebreaker_pmp_KERNEL := KERNEL_SLOTS=0x8000A000 KERNEL_SLOT_SIZE=0x7000 KERNEL_TABLE=8K KERNEL_STACK=2K KERNEL_DATA=512 KERNEL_CACHE=0 KERNEL_CFLAGS=-DKERNEL_PROCESSES=3
$(FPGA)/icebreaker_pmp/kernel/board.elf: FORCE
	@$(MAKE) -s --no-print-directory B=$(FPGA)/icebreaker_pmp BOARD=icebreaker_pmp $(icebreaker_pmp_KERNEL) $@
$(FPGA)/icebreaker_pmp/icebreaker_pmp.bin: $(FPGA)/icebreaker_pmp/routed.asc
	icepack $< $@
$(FPGA)/icebreaker_pmp/kernel.image: $(FPGA)/icebreaker_pmp/kernel/board.elf $(BOARD_IMAGE) FORCE
	$(BOARD_IMAGE) flash $(icebreaker_pmp_RAM) $< $(FPGA_SET) > $@
