# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
NTRACE_ON_PROGRAM := $(B)/tests/ntrace/on_program
$(NTRACE_ON_PROGRAM): $(B)/host/tests/ntrace/program.o $(NTB_UNITS) $(addprefix $(B)/host/tb/ntrace/,pair.o units.o) $(LIB)
	@mkdir -p $(@D)
	g++ -o $@ $(filter-out $(LIB),$^) $(LIB) $(LIBS_HOST) -lpthread

# One check, since both benches link the same units
ntrace-configs-build: $(LIB)
	@$(MAKE) --no-print-directory -j$(SIM_JOBS) $(NTB)/lockstep $(NTRACE_ON_PROGRAM)
check-ntrace-encoder: ntrace-configs-build $(RIVULET) $(APP_ELFS) ## the N-Trace encoder against its model: NTRACE_CYCLES=$(NTRACE_CYCLES) cycles in each configuration from SEED=$(SEED), then on the applications, decoded to what retired
	@tb/ntrace/check $(NTB)/lockstep $(SEED) $(NTRACE_CYCLES)
	@tests/ntrace/run $(NTRACE_ON_PROGRAM) $(RIVULET) $(B)/tests/ntrace $(APP_ELFS)
CHECKS += check-ntrace-encoder
all: $(B)/host/tb/trace/stimulus.o
.PHONY: ntrace-configs-build check-ntrace-encoder
