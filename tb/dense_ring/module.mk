# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The flight recorder over the dense coder alone, in lockstep with model/trace/dense_ring.c, and what is frozen against the receiver.
DENSE_RING_CYCLES ?= $(call share,4000000,1000000)
RINGTB := $(TB)/dense-ring
# as ring_config of lockstep.c
RINGTB_SET := -GBYTES=512 -GSTART_BYTES=200 -GENTRIES=64 -GPLACES=512 -GREPEAT_BITS=3 -GINSN_BITS=9 -GQUEUE=32 -GCHECK_BITS=4
RINGTB_OBJS = $(B)/host/tb/dense_ring/lockstep.o $(B)/host/tb/dense/stimulus.o
$(RINGTB)/unit.o: tb/dense_ring/rtl.cpp tb/dense_ring/rtl.h tb/verilated_unit.h model/dense_ring.h $(DTB_RTL) tb/dense_ring/module.mk
	@rm -rf $(RINGTB)/unit && mkdir -p $(RINGTB)/unit
	@verilator --cc -O3 --x-assign unique --x-initial unique --noassert -Wall --top-module rivulet_trace_dense_recorder -f rtl/trace/rivulet_trace_dense.f \
		--prefix Vring --Mdir $(RINGTB)/unit $(RINGTB_SET)
	@ls $(RINGTB)/unit | sed -n 's/.*\.cpp$$/#include "&"/p' > $(RINGTB)/unit/sources.h
	@g++ -std=c++17 -O1 -Wall -I. -I$(RINGTB)/unit -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd \
		-DUNIT_SOURCES='"sources.h"' -DUNIT_TOP=Vring -c tb/dense_ring/rtl.cpp -o $@
$(RINGTB)/lockstep: $(RINGTB)/unit.o $(RINGTB_OBJS) $(UNIT_RUNTIME) $(LIB)
	@g++ -o $@ $(RINGTB)/unit.o $(UNIT_RUNTIME) $(RINGTB_OBJS) $(LIB) $(LIBS_HOST) -lpthread
check-dense-ring: $(RINGTB)/lockstep ## the flight recorder over the dense coder against its model; what is frozen are the last traces, also behind a reset
	@if $(RINGTB)/lockstep --seed $(SEED) --cycles 20000 --inject >/dev/null; then echo "check-dense-ring: a fault was not noticed"; exit 1; fi
	@$(RINGTB)/lockstep --seed $(SEED) --cycles $(DENSE_RING_CYCLES)
CHECKS += check-dense-ring
SHORTENED += check-dense-ring
.PHONY: check-dense-ring
