# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The dense coder alone, built from every line of configs.def, in lockstep with model/trace/dense.c and with the receiver.
DENSE_CYCLES ?= 1000000
DTB := $(TB)/dense-units
DTB_DEF := tb/dense/configs.def
DTB_NAMES := $(shell awk -F "[^a-z0-9_]+" '/^CONFIG/ { print $$2 }' $(DTB_DEF))
DTB_RTL = $(shell cat rtl/trace/rivulet_trace_dense.f)
DTB_OBJS = $(patsubst %.c,$(B)/host/%.o,$(wildcard tb/dense/*.c))
# Registers start at random values: one that reset forgets is a difference.
DTB_VERILATE := verilator --cc -O3 --x-assign unique --x-initial unique --noassert -Wall \
	--top-module rivulet_trace_dense -f rtl/trace/rivulet_trace_dense.f

$(DTB_NAMES:%=$(DTB)/%.o): $(DTB)/%.o: tb/dense/rtl.cpp tb/dense/rtl.h tb/verilated_unit.h model/dense.h $(DTB_DEF) $(DTB_RTL) tb/dense/module.mk tb/trace/parameters
	@rm -rf $(DTB)/$* && mkdir -p $(DTB)/$*
	@$(DTB_VERILATE) --prefix Vdense_$* --Mdir $(DTB)/$* $$(tb/trace/parameters $(DTB_DEF) $*)
	@ls $(DTB)/$* | sed -n 's/.*\.cpp$$/#include "&"/p' > $(DTB)/$*/sources.h
	@g++ -std=c++17 -O1 -Wall -I. -I$(DTB)/$* -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd \
		-DUNIT_SOURCES='"sources.h"' -DUNIT_TOP=Vdense_$* -DUNIT_CLASS=dense_rtl_$* -c tb/dense/rtl.cpp -o $@
DTB_UNITS = $(DTB_NAMES:%=$(DTB)/%.o) $(UNIT_RUNTIME)
$(DTB)/lockstep: $(DTB_UNITS) $(DTB_OBJS) $(LIB)
	g++ -o $@ $(DTB_UNITS) $(DTB_OBJS) $(LIB) $(LIBS_HOST) -lpthread
dense-configs-build: $(LIB)
	@$(MAKE) -s --no-print-directory $(DTB)/lockstep
# Records in the cycles in which they left the trace unit
$(DTB)/%.rvr: $(B)/sw/%.elf $(RIVULET)
	@mkdir -p $(@D)
	@$(RIVULET) run --quiet --fast --set input=train --collect stream --records $@ $< > $@.console
check-dense: dense-configs-build $(BENCH_APPS:%=$(DTB)/%.rvr) ## the dense coder against its model and its receiver: DENSE_CYCLES=$(DENSE_CYCLES) cycles in each configuration from SEED=$(SEED), then the records of the applications
	@tb/dense/check $(DTB)/lockstep $(SEED) $(DENSE_CYCLES) $(BENCH_APPS:%=$(DTB)/%.rvr)
CHECKS += check-dense
.PHONY: dense-configs-build check-dense
