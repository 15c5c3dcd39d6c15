# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The trace unit alone, built from every line of configs.def, in lockstep with model/trace.
TRACE_CYCLES ?= $(call share,1000000,700000)
SHORTENED += check-trace-configs
TTB := $(TB)/trace-units
TTB_DEF := tb/trace/configs.def
TTB_NAMES := $(shell awk -F "[^a-z0-9_]+" '/^CONFIG/ { print $$2 }' $(TTB_DEF))
TTB_RTL = $(shell cat rtl/trace/rivulet_trace.f) $(wildcard rtl/trace/*.vh)
TTB_OBJS = $(patsubst %.c,$(B)/host/%.o,tb/functional.c $(wildcard tb/trace/*.c))
# Registers start at random values: one that reset forgets is a difference.
TTB_VERILATE := verilator --cc -O3 --x-assign unique --x-initial unique --noassert -Wall -Wno-DECLFILENAME -Wno-UNUSED -Wno-PINCONNECTEMPTY \
	--top-module rivulet_trace -f rtl/trace/rivulet_trace.f -Irtl/trace

# Each unit runs for a second or two, so what counts is the time to compile it: -Og takes a third of -O1's, and Verilator's header is
# read once for all.
TTB_CXX = g++ -std=c++17 -Og -Wall -I. -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd
$(TTB)/verilated.h.gch: tb/trace/module.mk
	@mkdir -p $(@D)
	@echo '#include <verilated.h>' >$(TTB)/verilated.h
	@$(TTB_CXX) -x c++-header $(TTB)/verilated.h -o $@
$(TTB_NAMES:%=$(TTB)/%.o): $(TTB)/%.o: tb/trace/rtl.cpp tb/trace/rtl.h tb/verilated_unit.h tb/observe.h model/trace.h $(TTB_DEF) $(TTB_RTL) tb/trace/module.mk tb/trace/parameters \
		$(TTB)/verilated.h.gch
	@rm -rf $(TTB)/$* && mkdir -p $(TTB)/$*
	@$(TTB_VERILATE) --prefix Vtrace_$* --Mdir $(TTB)/$* $$(tb/trace/parameters $(TTB_DEF) $*)
	@ls $(TTB)/$* | sed -n 's/.*\.cpp$$/#include "&"/p' > $(TTB)/$*/sources.h
	@$(TTB_CXX) -include $(TTB)/verilated.h -Winvalid-pch -I$(TTB)/$* \
		-DUNIT_SOURCES='"sources.h"' -DUNIT_TOP=Vtrace_$* -DUNIT_CLASS=trace_rtl_$* \
		$(if $(filter two%,$*),-DUNIT_TWO) -c tb/trace/rtl.cpp -o $@

TTB_UNITS = $(TTB_NAMES:%=$(TTB)/%.o) $(UNIT_RUNTIME)
$(TTB)/lockstep: $(TTB_UNITS) $(TTB_OBJS) $(LIB)
	g++ -o $@ $(TTB_UNITS) $(TTB_OBJS) $(LIB) -lpthread

trace-configs-build: ; @$(MAKE) --no-print-directory -j$(SIM_JOBS) $(TTB)/lockstep
check-trace-configs: trace-configs-build ## the trace unit alone in many configurations against the model: TRACE_CYCLES=$(TRACE_CYCLES) cycles each, from SEED=$(SEED)
	@tb/trace/check $(TTB)/lockstep $(SEED) $(TRACE_CYCLES)
.PHONY: trace-configs-build check-trace-configs
