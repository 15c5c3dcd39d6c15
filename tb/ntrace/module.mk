# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The N-Trace encoder alone, built from every line of configs.def, in lockstep with model/ntrace; and on the applications.
NTRACE_CYCLES ?= 300000
NTB := $(TB)/ntrace-units
NTB_DEF := tb/ntrace/configs.def
NTB_NAMES := $(shell awk -F "[^a-z0-9_]+" '/^CONFIG/ { print $$2 }' $(NTB_DEF))
NTB_RTL = $(shell cat rtl/ntrace/rivulet_ntrace.f) $(wildcard rtl/ntrace/*.vh)
NTB_OBJS = $(patsubst %.c,$(B)/host/%.o,$(wildcard tb/ntrace/*.c) tb/trace/stimulus.c tb/trace/stimulus_core.c)
# Registers start at random values: one that reset forgets is a difference.
NTB_VERILATE := verilator --cc -O3 --x-assign unique --x-initial unique --noassert -Wall -Wno-DECLFILENAME -Wno-UNUSED -Wno-PINCONNECTEMPTY \
	--top-module rivulet_ntrace -f rtl/ntrace/rivulet_ntrace.f -Irtl/ntrace

$(NTB_NAMES:%=$(NTB)/%.o): $(NTB)/%.o: tb/ntrace/rtl.cpp tb/ntrace/rtl.h tb/verilated_unit.h model/ntrace.h $(NTB_DEF) $(NTB_RTL) tb/ntrace/module.mk tb/trace/parameters
	@rm -rf $(NTB)/$* && mkdir -p $(NTB)/$*
	@$(NTB_VERILATE) --prefix Vntrace_$* --Mdir $(NTB)/$* $$(tb/trace/parameters $(NTB_DEF) $*)
	@ls $(NTB)/$* | sed -n 's/.*\.cpp$$/#include "&"/p' > $(NTB)/$*/sources.h
	@bits=$$(sed -n 's/^CONFIG($*,.*context_bits = \([0-9]*\).*/\1/p' $(NTB_DEF)); \
	g++ -std=c++17 -O1 -Wall -I. -I$(NTB)/$* -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd \
		-DUNIT_SOURCES='"sources.h"' -DUNIT_TOP=Vntrace_$* -DUNIT_CLASS=ntrace_rtl_$* -DCONTEXT_ONES="((1ull << $${bits:-1}) - 1)" \
		-c tb/ntrace/rtl.cpp -o $@
NTB_UNITS = $(NTB_NAMES:%=$(NTB)/%.o) $(UNIT_RUNTIME)
$(NTB)/lockstep: $(NTB_UNITS) $(NTB_OBJS) $(LIB)
	g++ -o $@ $(NTB_UNITS) $(NTB_OBJS) $(LIB) $(LIBS_HOST) -lpthread
