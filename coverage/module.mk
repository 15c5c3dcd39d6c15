# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Coverage of the RTL by the regression: points of Verilator, and functional points from the golden model.
COVER := $(B)/coverage/rtl
COVER_PROGRAMS ?= 12
COVER_CYCLES ?= 300000
COVER_UNITS := wide fig5 last narrow hist33 wide_context port_all zcmp range_start

# The SoC in three builds, so that each option is there and is missing once.
$(eval $(call verilated,cover,--coverage-line --coverage-toggle,0,$(TB_PARTS) verilated_cov,$(SIM_BUILD)))
$(eval $(call verilated,cover-small,--coverage-line --coverage-toggle,0,$(TB_PARTS) verilated_cov,RAM_BYTES=$(SIM_RAM) WITH_C=0 WITH_M=1 MUL_FAST=0 WITH_COUNTERS=1 PMP_REGIONS=0 PMP_GRAIN=0))
$(eval $(call verilated,cover-odd,--coverage-line --coverage-toggle,0,$(TB_PARTS) verilated_cov,RAM_BYTES=$(SIM_RAM) WITH_C=1 WITH_M=0 MUL_FAST=1 WITH_COUNTERS=0 PMP_REGIONS=16 PMP_GRAIN=2))
COVER_BENCHES := $(addprefix $(COVER)/lockstep-,cover cover-small cover-odd)
COVER_OBJS = $(TB_SRCS:%.c=$(B)/host/%.o)
$(COVER_BENCHES): $(COVER)/lockstep-%: $(TB)/%/shim.o $(TB_SRCS:%.c=$(B)/host/%.o) $(B)/librivulet.a
	@mkdir -p $(@D)
	g++ -o $@ $(TB)/$*/shim.o $(COVER_OBJS) $(TB)/$*/Vrivulet_sim__ALL.a $(TB_PARTS:%=$(TB)/$*/%.o) $(TB)/$*/verilated_cov.o $(LIB) $(LIBS_HOST) -lpthread

# The trace unit alone, in the units of COVER_UNITS. All registers start at 0: the way from a random value to that of a constant would count as a toggle.
COVER_DEF := $(COVER)/configs.def
$(COVER_DEF): $(TTB_DEF) coverage/module.mk
	@mkdir -p $(@D)
	@for u in $(COVER_UNITS); do grep "^CONFIG($$u," $< || exit 1; done >$@
	@echo '#undef CONFIG' >>$@
COVER_UNIT_OBJS := $(COVER_UNITS:%=$(COVER)/unit/%.o)
$(COVER_UNIT_OBJS): $(COVER)/unit/%.o: tb/trace/rtl.cpp tb/trace/rtl.h tb/observe.h model/trace.h $(TTB_DEF) $(TTB_RTL)
	@rm -rf $(COVER)/unit/$* && mkdir -p $(COVER)/unit/$*
	@$(subst unique,fast,$(TTB_VERILATE)) --coverage-line --coverage-toggle --prefix Vtrace_$* --Mdir $(COVER)/unit/$* $$(tb/trace/parameters $(TTB_DEF) $*)
	@ls $(COVER)/unit/$* | sed -n 's/.*\.cpp$$/#include "&"/p' >$(COVER)/unit/$*/sources.h
	@g++ -std=c++17 -O0 -Wall -I. -I$(COVER)/unit/$* -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd \
		-DVM_COVERAGE=1 -DCOVERAGE_FILE='"$(COVER)/data/unit-$*.dat"' -DUNIT_SOURCES='"sources.h"' -DUNIT_TOP=Vtrace_$* -DUNIT_CLASS=trace_rtl_$* -c tb/trace/rtl.cpp -o $@
COVER_RUNTIME := $(COVER)/unit/verilated.o $(COVER)/unit/verilated_threads.o $(COVER)/unit/verilated_cov.o
$(COVER_RUNTIME): $(COVER)/unit/%.o: $(VERILATOR_ROOT_DIR)/include/%.cpp
	@mkdir -p $(@D)
	@g++ -std=c++17 -O1 -DVM_COVERAGE=1 -I$(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd -c $< -o $@
COVER_TRACE_OBJS := $(patsubst %.c,$(COVER)/%.o,tb/functional.c $(wildcard tb/trace/*.c))
$(COVER_TRACE_OBJS): $(COVER)/%.o: %.c $(COVER_DEF)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) $(CFLAGS_HOST) -DTRACE_CONFIGS='"$(COVER_DEF)"' -MMD -MP -c $< -o $@
$(COVER)/lockstep-trace: $(COVER_UNIT_OBJS) $(COVER_RUNTIME) $(COVER_TRACE_OBJS) $(B)/librivulet.a
	g++ -o $@ $(COVER_UNIT_OBJS) $(COVER_RUNTIME) $(COVER_TRACE_OBJS) $(LIB) -lpthread
coverage-build: $(COVER_BENCHES) $(COVER)/lockstep-trace
.PHONY: coverage-build

COVER_SUMMARY := $(COVER)/summary
$(COVER_SUMMARY): coverage/rtl/summary.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) -D_DEFAULT_SOURCE $(CFLAGS_HOST) -o $@ $<
coverage-rtl: coverage-build $(COVER_SUMMARY) $(RANDOM_GEN) $(ASM_ELFS) ## line, branch, toggle and functional coverage of the RTL: build/coverage/rtl/index.html, table.md (docs/coverage.md); COVER_PROGRAMS=$(COVER_PROGRAMS) COVER_CYCLES=$(COVER_CYCLES)
	@GEN=$(RANDOM_GEN) RANDOM_CC="$(ASM_CC)" coverage/rtl/run $(COVER) $(ASM_DIR) $(COVER_PROGRAMS) $(COVER_CYCLES)
.PHONY: coverage-rtl
