# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Two cores on one bus, each with its trace unit, which share a sink: in lockstep with two golden models, the ring against what each hart retired.
DUO := $(TB)/duo
DUO_ROUNDS ?= $(call share,150,20)
DUO_RTL = $(shell cat rtl/soc/rivulet_duo.f)
DUO_CC = riscv64-unknown-elf-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -O2 -fno-inline -g -ffreestanding -nostdlib -nostartfiles -static \
	-Wl,--no-warn-rwx-segments -Wall -Wextra -I. -T tests/duo/link.ld
$(DUO)/program-%.elf: tests/duo/start.S tests/duo/program.c tests/duo/link.ld common/rivulet_regs.h tb/duo/module.mk
	@mkdir -p $(@D)
	@$(DUO_CC) -DROUNDS=$* tests/duo/start.S tests/duo/program.c -lgcc -o $@
DUO_COUNTING := tests/duo/start.S tests/duo/program.c sw/trace/hub.c sw/trace/table.c sw/trace/profile.c common/frame.c
$(DUO)/profiles-%.elf: $(DUO_COUNTING) tests/duo/link.ld $(wildcard sw/trace/*.h common/*.h) tb/duo/module.mk
	@mkdir -p $(@D)
	@$(DUO_CC) -DROUNDS=12 -DPROFILES -DTABLE=$(word 1,$(subst -, ,$*)) -DRING_SIZE=$(word 2,$(subst -, ,$*)) $(DUO_COUNTING) -lgcc -o $@
DUO_UNITS := $(DUO)/unit.o $(DUO)/unit-table.o
$(DUO)/unit-table.o: DUO_SET := -GTABLE_ENTRIES=64
$(DUO_UNITS): %.o: tb/duo/rtl.cpp tb/duo/rtl.h tb/duo/duo_observed.v $(DUO_RTL) $(wildcard rtl/trace/*.vh) tb/duo/module.mk
	@rm -rf $* && mkdir -p $*
	@verilator --cc -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint -Wno-style -Irtl/trace --top-module duo_observed \
		--prefix Vduo --Mdir $* $(DUO_SET) tb/duo/duo_observed.v $(DUO_RTL)
	@ls $* | sed -n 's/.*\.cpp$$/#include "&"/p' > $*/sources.h
	@g++ -std=c++17 -O1 -I. -I$* -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd \
		-DUNIT_SOURCES='"sources.h"' -DUNIT_TOP=Vduo -c tb/duo/rtl.cpp -o $@
DUO_OBJS := $(B)/host/tb/duo/lockstep.o $(B)/host/tb/duo/finish.o $(B)/host/tb/program.o
$(DUO)/lockstep: $(DUO)/unit.o $(DUO_OBJS) $(UNIT_RUNTIME) $(LIB)
	@g++ -o $@ $(DUO)/unit.o $(UNIT_RUNTIME) $(DUO_OBJS) $(LIB) $(LIBS_HOST) -lpthread
$(DUO)/lockstep-table: $(DUO)/unit-table.o $(DUO_OBJS) $(UNIT_RUNTIME) $(LIB)
	@g++ -o $@ $< $(UNIT_RUNTIME) $(DUO_OBJS) $(LIB) $(LIBS_HOST) -lpthread
sim-two-table: $(DUO)/lockstep-table $(DUO)/program-$(DUO_ROUNDS).elf ## two cores whose records one hot-trace table counts, against the sums of what their units made (make check-long)
	@$< --table --seed $(SEED) $(DUO)/program-$(DUO_ROUNDS).elf
sim-two: $(DUO)/lockstep $(DUO)/program-$(DUO_ROUNDS).elf ## two cores on one bus in lockstep with two golden models; the profile of each hart from the shared sink's ring against what it retired
	@$< --seed $(SEED) --records $(DUO)/run.rvr $(DUO)/program-$(DUO_ROUNDS).elf
check-duo: $(DUO)/lockstep $(DUO)/lockstep-table $(DUO)/program-$(DUO_ROUNDS).elf $(DUO)/profiles-0-18.elf $(DUO)/profiles-0-10.elf $(DUO)/profiles-1-12.elf $(RIVULET) ## the same, with a fault in each signal, and its record file in report, split and view
	@tb/duo/check $< $(SEED) $(DUO)/program-$(DUO_ROUNDS).elf $(RIVULET) $(DUO)
CHECKS += check-duo
SHORTENED += check-duo sim-two sim-two-table
.PHONY: sim-two sim-two-table check-duo
