# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Boards: docs/fpga.md. BOARD is a folder of fpga/ with a board.mk; everything made for a board is in build/fpga/BOARD.
BOARD ?= icebreaker
FPGA_APP ?= steps
FPGA_SET ?=
SEEDS ?= 16
FPGA := $(B)/fpga

# A board is a folder with a board.mk, which sets, for a board named x:
#   x_RAM            bytes of RAM
#   x_MHZ, x_BAUD    clock as nextpnr is to reach it, and baud rate: parameters of the top module
#   x_SYNTH, x_WIRE  options of yosys' synth_ice40, and what its mapper takes for the delay of a wire (ps)
#   x_MAP            commands for yosys before the synthesis, for instance the mapper's script
#   x_PNR            options of nextpnr-ice40
#   x_BLOCK_NS       delay of a way through a DSP block, which nextpnr leaves out (ns); empty: there is none
#   x_RTL            its own sources, the top module rivulet_x among them; rtl/soc/rivulet_soc.f comes before them
#   x_DEFINES        modules of its own that take the place of those of rtl/: RIVULET_RAM=..., -D left out
#   x_INIT, x_INIT_PARAMETER   initial content of a memory, and the top module's parameter for it
#   x_SW             variables with which the firmware is made
#   x_SET            words of the run configuration that this board needs; FPGA_SET comes behind them
#   x_FILES          what is written to the board; x_LOAD the one that make load sends, if there is one
#   x_SIM_FILES      what fpga/x/sim needs, the image that holds the firmware last
# and has the rules for the last ones. fpga/x/sim and fpga/x/bench_top.vh are for sim-netlist, x.pcf has the pins.
FPGA_BOARDS := $(patsubst fpga/%/board.mk,%,$(wildcard fpga/*/board.mk))
ifeq ($(filter $(BOARD),$(FPGA_BOARDS)),)
$(error BOARD=$(BOARD): it is one of $(FPGA_BOARDS))
endif
# parameter $(2) of the top module of board $(1)
FPGA_PARAMETER = $(shell sed -n 's/^.parameter $(2) = \([0-9]*\).*/\1/p' fpga/$(1)/rivulet_$(1).v)
# yosys' abc9.script.flow2, but a gate may become one or two levels later if that spares others. 2% fewer LUT4.
FPGA_MAP_ONCE := &if -m {C} {W} {D} {R}; &mfs -e -L 2; &save
FPGA_MAP := +&scorr; &sweep; &synch2 -K 4 -C 500; $(FPGA_MAP_ONCE); &dch -C 500; $(FPGA_MAP_ONCE); &load; &st; &sopb -R 10 -C 4; &synch2 -K 4 -C 500; \
	$(FPGA_MAP_ONCE); &dch -C 500; $(FPGA_MAP_ONCE); &load

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

# $(1): board
define FPGA_BOARD
$(FPGA)/$(1)/sw/$(FPGA_APP).elf: FORCE
	@$$(MAKE) -s --no-print-directory B=$(FPGA)/$(1) BOARD=$(1) $$($(1)_SW) $$@
$(FPGA)/$(1)/netlist.json: $(shell cat rtl/soc/rivulet_soc.f) $$($(1)_RTL) $$($(1)_INIT) $(wildcard rtl/trace/*.vh) fpga/module.mk fpga/$(1)/board.mk
	@mkdir -p $$(@D)
	yosys -q -l $(FPGA)/$(1)/yosys.log -p 'read_verilog -Irtl/trace $$($(1)_DEFINES:%=-D%) $(shell cat rtl/soc/rivulet_soc.f) $$($(1)_RTL); chparam -set $$($(1)_INIT_PARAMETER) "$$($(1)_INIT)" rivulet_$(1); \
		$$($(1)_MAP) scratchpad -set synth_ice40.abc9.W $$($(1)_WIRE); synth_ice40 $$($(1)_SYNTH) -top rivulet_$(1) -json $$@; write_verilog -noattr $(FPGA)/$(1)/netlist.v'
$(FPGA)/$(1)/routed.asc: $(FPGA)/$(1)/netlist.json fpga/$(1)/$(1).pcf
	nextpnr-ice40 $$($(1)_PNR) --json $$< --pcf fpga/$(1)/$(1).pcf --asc $$@ --freq $$($(1)_MHZ) --seed $(FPGA_SEED) --timing-allow-fail --report $(FPGA)/$(1)/nextpnr.json --sdf $(FPGA)/$(1)/routed.sdf \
		> $(FPGA)/$(1)/nextpnr.log 2>&1 || { tail -5 $(FPGA)/$(1)/nextpnr.log; false; }
endef
FPGA_SEED ?= 1
FORCE:

include $(FPGA_BOARDS:%=fpga/%/board.mk)
$(foreach board,$(FPGA_BOARDS),$(eval $(call FPGA_BOARD,$(board))))

fpga: $($(BOARD)_FILES) ## bitstream and firmware for a board: BOARD=name FPGA_APP=name FPGA_SET="name=value ..."
	@fpga/utilisation $(BOARD) $($(BOARD)_MHZ) $(FPGA)/$(BOARD)/nextpnr.log
	@$(if $($(BOARD)_BLOCK_NS),fpga/block-paths $($(BOARD)_MHZ) $(FPGA)/$(BOARD)/routed.sdf $($(BOARD)_BLOCK_NS))
	@ls -l $^ | awk '{ print $$NF ": " $$5 " bytes" }'
PORT ?=
PROG ?=
prog: $($(BOARD)_FILES) ## writes bitstream and firmware to the board: BOARD=, PROG=iceprog|openFPGALoader
	@fpga/prog "$(PROG)" $(BOARD) $^
load: $(or $($(BOARD)_LOAD),no-load) ## firmware over the UART to a board whose button is pressed at reset: BOARD= PORT=
	@BAUD=$($(BOARD)_BAUD) fpga/monitor load "$(PORT)" $<
no-load:
	@echo "load: $(BOARD) takes its firmware with the bitstream: make prog"; exit 1
monitor: host $(FPGA)/$(BOARD)/sw/$(FPGA_APP).elf ## the profile that the board sends, as a report: BOARD= FPGA_APP= PORT=
	@BAUD=$($(BOARD)_BAUD) fpga/monitor report "$(PORT)" $(B)/bin/rivulet $(FPGA)/$(BOARD)/sw/$(FPGA_APP).elf $(FPGA)/$(BOARD)/capture
# clock cycles of a bit on the UART of a board
BIT_CYCLES = $$(awk 'BEGIN { printf "%.0f", $($(1)_MHZ) * 1e6 / $($(1)_BAUD) }')
# Dense samples: the run is short.
SIM_NETLIST_SET := period=24 dither=15
sim-netlist: $(FPGA_BOARDS:%=sim-netlist-%) ## the netlist of every board against its RTL, UART pin cycle by cycle
sim-netlist-%: $(B)/bin/rivulet
	@$(MAKE) -s --no-print-directory BOARD=$* FPGA_APP=steps FPGA_SET="$(SIM_NETLIST_SET)" sim-netlist-board
sim-netlist-board: $($(BOARD)_SIM_FILES)
	@BIT_CYCLES=$(call BIT_CYCLES,$(BOARD)) SET="$($(BOARD)_SET) $(SIM_NETLIST_SET)" DEFINES="$($(BOARD)_DEFINES:%=-D%)" RTL="$(shell cat rtl/soc/rivulet_soc.f) $($(BOARD)_RTL)" \
		fpga/sim-netlist $(B) $(BOARD) $(FPGA)/$(BOARD)/sw/$(FPGA_APP).elf $(lastword $($(BOARD)_SIM_FILES))
synth: $(FPGA_BOARDS:%=$(FPGA)/%/netlist.json) ## area of trace unit, core, boards; writes docs/trace-unit-cost.md, bench/area.json (some minutes)
	fpga/synth $(B) $(FPGA_BOARDS)
fmax: ## clock rate of the core with and without trace unit, SEEDS=16 placements each; writes bench/fmax.md (half an hour)
	fpga/fmax $(B) $(SEEDS) $(FMAX_WIRE) core
fmax-table: ## clock rate and area of the trace unit by the size of its table, SEEDS=16 placements each; writes bench/fmax-table.md (half an hour of processor)
	fpga/fmax $(B) $(SEEDS) $(FMAX_WIRE) table
CHECKS += check-core-file check-board-tools check-blocks check-area
check-area: ## the areas of the trace unit, the dense coder and the N-Trace encoder are within their limits, and those of their pages
	@fpga/synth --check $(B)
	@fpga/synth-ntrace --check $(B)
	@fpga/synth-dense --check $(B)
synth-ntrace: ## area of the N-Trace encoder; writes docs/ntrace-encoder-cost.md (some minutes)
	fpga/synth-ntrace $(B)
synth-dense: ## area of the dense coder; writes docs/trace-dense-cost.md (a minute)
	fpga/synth-dense $(B)
check-board-tools: $(BOARD_IMAGE) $(B)/bin/rivulet $(B)/sw/hello.elf ## prog, monitor and board-image as far as they can be tested without a board
	@fpga/check-tools $(B)
check-blocks: ## the modules made of the UP5K's DSP blocks are proved equal to those of rtl/
	@fpga/check-blocks $(B)
check-core-file: ## rivulet.core, the file lists and the tree name the same files
	@fpga/check-core-file
.PHONY: fpga prog load no-load monitor sim-netlist sim-netlist-board synth fmax fmax-table check-core-file core-cycles check-board-tools check-blocks check-area synth-ntrace synth-dense FORCE
