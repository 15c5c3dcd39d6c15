# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Boards: docs/fpga.md. BOARD is icebreaker or hx8k; everything of a board is in build/fpga/BOARD.
BOARD ?= icebreaker
FPGA_APP ?= steps
FPGA_SET ?=
SEEDS ?= 16
FPGA := $(B)/fpga
FPGA_BOARDS := icebreaker hx8k
ifeq ($(filter $(BOARD),$(FPGA_BOARDS)),)
$(error BOARD=$(BOARD): it is one of $(FPGA_BOARDS))
endif

# What a board has: RAM, clock as nextpnr is to reach it (MHz), yosys, what its mapper takes for the delay of a wire (ps), the mapper's script if it
# is not yosys' own, nextpnr, sources: a file of the same name in the board's folder stands in for one of rtl/
# FPGA_MAP: yosys' abc9.script.flow2, but a gate may become one or two levels later if that spares others. 2% fewer LUT4.
FPGA_MAP_ONCE := &if -m {C} {W} {D} {R}; &mfs -e -L 2; &save
FPGA_MAP := +&scorr; &sweep; &synch2 -K 4 -C 500; $(FPGA_MAP_ONCE); &dch -C 500; $(FPGA_MAP_ONCE); &load; &st; &sopb -R 10 -C 4; &synch2 -K 4 -C 500; \
	$(FPGA_MAP_ONCE); &dch -C 500; $(FPGA_MAP_ONCE); &load
FPGA_RTL = $(foreach f,$(shell cat rtl/soc/rivulet_soc.f),$(or $(wildcard fpga/$(1)/$(notdir $(f))),$(f))) fpga/rivulet_reset.v
icebreaker_RAM := 131072
icebreaker_MHZ := 18
icebreaker_BAUD := 500000
icebreaker_SYNTH := -abc9 -device u
icebreaker_WIRE := 900
icebreaker_MAP := scratchpad -set abc9.script "$(FPGA_MAP)";
icebreaker_BLOCK_NS := 8
icebreaker_PNR := --up5k --package sg48
icebreaker_RTL := $(call FPGA_RTL,icebreaker) $(wildcard fpga/icebreaker/rivulet_dsp_*.v) fpga/icebreaker/rivulet_icebreaker.v
icebreaker_INIT := $(FPGA)/icebreaker/boot.hex
icebreaker_INIT_PARAMETER := ROM_FILE
icebreaker_SW := SW_RAM=128K
hx8k_RAM := 8192
hx8k_MHZ := 39
hx8k_BAUD := 1000000
hx8k_SYNTH := -abc9 -device hx
hx8k_WIRE := 700
hx8k_PNR := --hx8k --package ct256
hx8k_MAP :=
hx8k_RTL := $(call FPGA_RTL,hx8k) fpga/hx8k/rivulet_hx8k.v
hx8k_INIT := $(FPGA)/hx8k/random.hex
hx8k_INIT_PARAMETER := RAM_FILE
hx8k_SW := SW_RAM=8K SW_TABLE=1536 SW_STACK=960 SW_EXTRA_CFLAGS="-Os -msave-restore -falign-functions=2 -falign-jumps=2 -falign-loops=2" \
	SW_LIB_SRCS="sw/hal/start.S sw/hal/hal.c sw/hal/libc.c sw/trace/table.c sw/trace/profile.c common/frame.c fpga/app/small.c"

# Firmware: an application of sw/apps, or fpga/app/steps.c, linked for the board's RAM
$(B)/sw/steps.elf: $(B)/sw/obj/fpga/app/steps.o
$(eval $(call SW_APP,steps))
BOARD_IMAGE := $(B)/bin/board-image
$(BOARD_IMAGE): $(B)/host/fpga/tool/board_image.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)

CORE_CYCLES := $(B)/bin/core-cycles
$(CORE_CYCLES): $(B)/host/fpga/tool/core_cycles.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
core-cycles: $(CORE_CYCLES) $(SW_APPS:%=$(B)/sw/%.elf) ## cycles of the applications with the fast and the small multiplier (bench/neighbours.md)
	@$(CORE_CYCLES) $(filter-out %/hello.elf %/selftest.elf,$(filter %.elf,$^))

# The boot ROM of the iCEBreaker
$(FPGA)/icebreaker/boot.elf: fpga/boot/boot.S fpga/boot/boot.c fpga/boot/boot.ld fpga/boot/flash_image.h
	@mkdir -p $(@D)
	$(SW_CC) -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -Os -ffreestanding -nostdlib -nostartfiles -static -Wall -Wextra -Wshadow -Werror -I. \
		-Wl,--no-warn-rwx-segments -Wl,--defsym=__ram_size=$(icebreaker_RAM) -T fpga/boot/boot.ld -o $@ fpga/boot/boot.S fpga/boot/boot.c -lgcc
$(FPGA)/icebreaker/boot.hex: $(FPGA)/icebreaker/boot.elf
	riscv64-unknown-elf-objcopy -O binary $< $(FPGA)/icebreaker/boot.bin
	od -An -v -tx4 -w4 $(FPGA)/icebreaker/boot.bin | awk '{ print $$1 } END { while (NR++ < 256) print "00000000" }' > $@
# What the HX8K's block RAM is synthesized with: nothing equals it, so icebram finds it and puts the firmware there.
$(FPGA)/hx8k/random.hex:
	@mkdir -p $(@D)
	icebram -g -s 1 32 $$(($(hx8k_RAM) / 4)) > $@

# $(1): board
define FPGA_BOARD
$(FPGA)/$(1)/sw/$(FPGA_APP).elf: FORCE
	@$$(MAKE) -s --no-print-directory B=$(FPGA)/$(1) BOARD=$(1) $$($(1)_SW) $$@
$(FPGA)/$(1)/netlist.json: $$($(1)_RTL) $$($(1)_INIT) $(wildcard rtl/trace/*.vh) fpga/module.mk
	@mkdir -p $$(@D)
	yosys -q -l $(FPGA)/$(1)/yosys.log -p 'read_verilog -Irtl/trace $$($(1)_RTL); chparam -set $$($(1)_INIT_PARAMETER) "$$($(1)_INIT)" rivulet_$(1); \
		$$($(1)_MAP) scratchpad -set synth_ice40.abc9.W $$($(1)_WIRE); synth_ice40 $$($(1)_SYNTH) -top rivulet_$(1) -json $$@; write_verilog -noattr $(FPGA)/$(1)/netlist.v'
$(FPGA)/$(1)/routed.asc: $(FPGA)/$(1)/netlist.json fpga/$(1)/$(1).pcf
	nextpnr-ice40 $$($(1)_PNR) --json $$< --pcf fpga/$(1)/$(1).pcf --asc $$@ --freq $$($(1)_MHZ) --seed $(FPGA_SEED) --timing-allow-fail --report $(FPGA)/$(1)/nextpnr.json --sdf $(FPGA)/$(1)/routed.sdf \
		> $(FPGA)/$(1)/nextpnr.log 2>&1 || { tail -5 $(FPGA)/$(1)/nextpnr.log; false; }
endef
FPGA_SEED ?= 1
$(foreach board,$(FPGA_BOARDS),$(eval $(call FPGA_BOARD,$(board))))
FORCE:

# iCEBreaker: bitstream and flash image are two files
$(FPGA)/icebreaker/icebreaker.bin: $(FPGA)/icebreaker/routed.asc
	icepack $< $@
$(FPGA)/icebreaker/$(FPGA_APP).image: $(FPGA)/icebreaker/sw/$(FPGA_APP).elf $(BOARD_IMAGE) FORCE
	$(BOARD_IMAGE) flash $(icebreaker_RAM) $< $(FPGA_SET) > $@
# HX8K: the firmware is in the bitstream
$(FPGA)/hx8k/$(FPGA_APP).hex: $(FPGA)/hx8k/sw/$(FPGA_APP).elf $(BOARD_IMAGE) FORCE
	$(BOARD_IMAGE) words $(hx8k_RAM) $< $(FPGA_SET) > $@
$(FPGA)/hx8k/hx8k.asc: $(FPGA)/hx8k/routed.asc $(FPGA)/hx8k/random.hex $(FPGA)/hx8k/$(FPGA_APP).hex
	icebram $(FPGA)/hx8k/random.hex $(FPGA)/hx8k/$(FPGA_APP).hex < $< > $@
$(FPGA)/hx8k/hx8k.bin: $(FPGA)/hx8k/hx8k.asc
	icepack $< $@
FPGA_FILES_icebreaker := $(FPGA)/icebreaker/icebreaker.bin $(FPGA)/icebreaker/$(FPGA_APP).image
FPGA_FILES_hx8k := $(FPGA)/hx8k/hx8k.bin

fpga: $(FPGA_FILES_$(BOARD)) ## bitstream and firmware for a board: BOARD=icebreaker|hx8k FPGA_APP=name FPGA_SET="name=value ..."
	@fpga/utilisation $(BOARD) $($(BOARD)_MHZ) $(FPGA)/$(BOARD)/nextpnr.log
	@$(if $($(BOARD)_BLOCK_NS),fpga/block-paths $($(BOARD)_MHZ) $(FPGA)/$(BOARD)/routed.sdf $($(BOARD)_BLOCK_NS))
	@ls -l $^ | awk '{ print $$NF ": " $$5 " bytes" }'
PORT ?=
PROG ?=
prog: $(FPGA_FILES_$(BOARD)) ## writes bitstream and firmware to the board: BOARD=, PROG=iceprog|openFPGALoader
	@fpga/prog "$(PROG)" $(BOARD) $^
load: $(FPGA)/icebreaker/$(FPGA_APP).image ## firmware over the UART to an iCEBreaker whose button is pressed at reset: PORT=
	@BAUD=$(icebreaker_BAUD) fpga/monitor load "$(PORT)" $<
monitor: host $(FPGA)/$(BOARD)/sw/$(FPGA_APP).elf ## the profile that the board sends, as a report: BOARD= FPGA_APP= PORT=
	@BAUD=$($(BOARD)_BAUD) fpga/monitor report "$(PORT)" $(B)/bin/rivulet $(FPGA)/$(BOARD)/sw/$(FPGA_APP).elf $(FPGA)/$(BOARD)/capture
# clock cycles of a bit on the UART of a board
BIT_CYCLES = $$(awk 'BEGIN { printf "%.0f", $($(1)_MHZ) * 1e6 / $($(1)_BAUD) }')
# Dense samples: the run is short.
SIM_NETLIST_SET := period=24 dither=15
sim-netlist: $(B)/bin/rivulet ## the netlist read back from the HX8K bitstream, and the UP5K one of yosys, against the RTL, UART pin cycle by cycle
	@$(MAKE) -s --no-print-directory BOARD=hx8k FPGA_APP=steps FPGA_SET="$(SIM_NETLIST_SET)" $(FPGA)/hx8k/hx8k.bin
	@BIT_CYCLES=$(call BIT_CYCLES,hx8k) SET="$(SIM_NETLIST_SET)" fpga/sim-netlist $(B) hx8k $(FPGA)/hx8k/sw/steps.elf $(FPGA)/hx8k/hx8k.bin
	@$(MAKE) -s --no-print-directory BOARD=icebreaker FPGA_APP=steps FPGA_SET="$(SIM_NETLIST_SET)" $(FPGA)/icebreaker/netlist.json $(FPGA)/icebreaker/steps.image
	@BIT_CYCLES=$(call BIT_CYCLES,icebreaker) fpga/sim-netlist $(B) icebreaker $(FPGA)/icebreaker/sw/steps.elf $(FPGA)/icebreaker/steps.image
synth: $(FPGA)/icebreaker/netlist.json $(FPGA)/hx8k/netlist.json ## area of trace unit, core, boards; writes docs/trace-unit-cost.md, bench/area.json (some minutes)
	fpga/synth $(B)
fmax: ## clock rate of the core with and without trace unit, SEEDS=16 placements each; writes bench/fmax.md (half an hour)
	fpga/fmax $(B) $(SEEDS) $(hx8k_WIRE)
CHECKS += check-core-file check-board-tools check-blocks
check-board-tools: $(BOARD_IMAGE) $(B)/bin/rivulet $(B)/sw/hello.elf ## prog, monitor and board-image as far as they can be tested without a board
	@fpga/check-tools $(B)
check-blocks: ## the modules made of the UP5K's DSP blocks are proved equal to those of rtl/
	@fpga/check-blocks $(B)
check-core-file: ## rivulet.core, the file lists and the tree name the same files
	@fpga/check-core-file
.PHONY: fpga prog load monitor sim-netlist synth fmax check-core-file core-cycles check-board-tools check-blocks FORCE
