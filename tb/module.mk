# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The lockstep bench. tb/regress.sh runs it over many programs.
SIM_RAM ?= 4194304
SIM_JOBS ?= 2
RANDOM_PROGRAMS ?= 200
SEED ?= 1
WAVE_BEFORE ?= 400
WAVE_AFTER ?= 50
TB := $(B)/tb
TB_SRCS := $(addprefix tb/,history.c lockstep.c program.c sample.c stimulus.c uart_tap.c)
TB_OBJS = $(TB_SRCS:%.c=$(B)/host/%.o)
SIM_RTL = $(shell cat rtl/rivulet_sim.f) $(wildcard rtl/trace/*.vh)
VERILATE := verilator --cc -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint -Wno-style \
	--top-module rivulet_sim --prefix Vrivulet_sim -f rtl/rivulet_sim.f -y rtl/trace -Irtl/trace -I$(B)/gen
VERILATOR_ROOT_DIR := $(shell verilator --getenv VERILATOR_ROOT)
SHIM_FLAGS = -std=c++17 -O3 -Wall -Wextra -I. -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd -DRAM_BYTES=$(SIM_RAM)u

# $(1): directory, $(2): verilator's options, $(3): 1 with FST, $(4): parts of its run time
define verilated
$(TB)/$(1)/stamp: $$(SIM_RTL) rtl/rivulet_sim.f tb/module.mk | $$(GENERATED)
	@rm -rf $(TB)/$(1) && mkdir -p $(TB)/$(1)
	$(VERILATE) $(2) -GRAM_BYTES=$(SIM_RAM) --Mdir $(TB)/$(1)
	+$$(MAKE) --no-print-directory -C $(TB)/$(1) -f Vrivulet_sim.mk OPT_FAST="-O3 -fno-plt" OPT_SLOW=-O1 OPT_GLOBAL=-O2 Vrivulet_sim__ALL.a $(4:%=%.o) >$(TB)/$(1)/log 2>&1 || { cat $(TB)/$(1)/log; false; }
	@touch $$@
$(TB)/$(1)/shim.o: tb/shim.cpp tb/shim.h tb/signals.def $(TB)/$(1)/stamp
	g++ $(SHIM_FLAGS) -I$(TB)/$(1) -DVM_TRACE_FST=$(3) -c tb/shim.cpp -o $$@
endef
TB_PARTS := verilated verilated_dpi verilated_threads
$(eval $(call verilated,fast,,0,$(TB_PARTS)))
$(eval $(call verilated,wave,--trace-fst --trace-structs,1,$(TB_PARTS) verilated_fst_c))

$(TB)/lockstep: $(TB)/fast/shim.o $(TB_OBJS) $(LIB)
	g++ -o $@ $(TB)/fast/shim.o $(TB_OBJS) $(TB)/fast/Vrivulet_sim__ALL.a $(TB_PARTS:%=$(TB)/fast/%.o) $(LIB) $(LIBS_HOST) -lpthread
$(TB)/lockstep-wave: $(TB)/wave/shim.o $(TB_OBJS) $(LIB)
	g++ -o $@ $(TB)/wave/shim.o $(TB_OBJS) $(TB)/wave/Vrivulet_sim__ALL.a $(TB_PARTS:%=$(TB)/wave/%.o) $(TB)/wave/verilated_fst_c.o $(LIB) $(LIBS_HOST) -lpthread -lz

sim-build: $(TB)/lockstep ## build the lockstep bench
sim-wave-build: $(TB)/lockstep-wave
.PHONY: sim-build sim-wave-build
