# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The arbiter of several units' records alone, built from every line of configs.def, in lockstep with model/trace/arbiter.c.
ARBITER_CYCLES ?= $(call share,3000000,200000)
ATB := $(TB)/arbiter-units
ATB_DEF := tb/arbiter/configs.def
ATB_NAMES := $(shell awk -F "[^a-z0-9_]+" '/^CONFIG/ { print $$2 }' $(ATB_DEF))
ATB_RTL = $(shell cat rtl/trace/rivulet_trace_arbiter.f)
# Registers start at random values: one that reset forgets is a difference.
$(ATB_NAMES:%=$(ATB)/%.o): $(ATB)/%.o: tb/arbiter/rtl.cpp tb/arbiter/rtl.h tb/verilated_unit.h model/arbiter.h $(ATB_DEF) $(ATB_RTL) tb/arbiter/module.mk tb/trace/parameters
	@rm -rf $(ATB)/$* && mkdir -p $(ATB)/$*
	@verilator --cc -O3 --x-assign unique --x-initial unique --noassert -Wall --top-module rivulet_trace_arbiter -f rtl/trace/rivulet_trace_arbiter.f \
		--prefix Varbiter_$* --Mdir $(ATB)/$* $$(tb/trace/parameters $(ATB_DEF) $*)
	@ls $(ATB)/$* | sed -n 's/.*\.cpp$$/#include "&"/p' > $(ATB)/$*/sources.h
	@g++ -std=c++17 -O1 -Wall -I. -I$(ATB)/$* -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd \
		-DUNIT_SOURCES='"sources.h"' -DUNIT_TOP=Varbiter_$* -DUNIT_CLASS=arbiter_rtl_$* -c tb/arbiter/rtl.cpp -o $@
$(ATB)/lockstep: $(ATB_NAMES:%=$(ATB)/%.o) $(B)/host/tb/arbiter/lockstep.o $(UNIT_RUNTIME) $(LIB)
	@g++ -o $@ $(ATB_NAMES:%=$(ATB)/%.o) $(UNIT_RUNTIME) $(B)/host/tb/arbiter/lockstep.o $(LIB) $(LIBS_HOST) -lpthread
check-arbiter: $(ATB)/lockstep ## the arbiter of several units' records against its model; every trace comes out once, in order, or is told to be lost
	@for signal in $$($< --list-signals); do \
		found=$$($< --seed $(SEED) --cycles 5000 --inject "$$signal" most); [ $$? = 1 ] && case "$$found" in *": $$signal is "*) ;; *) false;; esac || \
		{ echo "check-arbiter: a fault in $$signal was not noticed: $$found"; exit 1; }; done
	@$< --seed $(SEED) --cycles $(ARBITER_CYCLES)
CHECKS += check-arbiter
SHORTENED += check-arbiter
.PHONY: check-arbiter
