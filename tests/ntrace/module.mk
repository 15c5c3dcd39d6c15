# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
NTRACE_ON_PROGRAM := $(B)/tests/ntrace/on_program
$(NTRACE_ON_PROGRAM): $(B)/host/tests/ntrace/program.o $(NTB_UNITS) $(addprefix $(B)/host/tb/ntrace/,pair.o units.o) $(LIB)
	@mkdir -p $(@D)
	g++ -o $@ $(filter-out $(LIB),$^) $(LIB) $(LIBS_HOST) -lpthread

# One check, since both benches link the same units
ntrace-configs-build: $(LIB)
	@$(MAKE) --no-print-directory -j$(SIM_JOBS) $(NTB)/lockstep $(NTRACE_ON_PROGRAM)
NTRACE_LONG := $(B)/tests/ntrace/long.elf
$(NTRACE_LONG): tests/ntrace/long.S tests/asm/link.ld
	@mkdir -p $(@D)
	$(ASM_CC) -o $@ $<
check-ntrace-encoder: ntrace-configs-build $(RIVULET) $(NTRACE_LONG) $(BENCH_APPS:%=$(B)/sw/%.elf) ## the N-Trace encoder against its model: NTRACE_CYCLES=$(NTRACE_CYCLES) cycles in each configuration from SEED=$(SEED), then on the applications, decoded to what retired
	@tb/ntrace/check $(NTB)/lockstep $(SEED) $(NTRACE_CYCLES)
	@tests/ntrace/run $(NTRACE_ON_PROGRAM) $(RIVULET) $(B)/tests/ntrace $(NTRACE_LONG) $(BENCH_APPS:%=$(B)/sw/%.elf)
CHECKS += check-ntrace-encoder
all: $(B)/host/tb/trace/stimulus.o $(B)/host/tb/trace/stimulus_core.o
.PHONY: ntrace-configs-build check-ntrace-encoder
bench-ntrace: ntrace-configs-build $(BENCH_APPS:%=$(B)/sw/%.elf) ## bits an instruction of the N-Trace encoder on the applications; writes bench/ntrace.md
	@bench/ntrace $(NTRACE_ON_PROGRAM) $(BENCH_APPS:%=$(B)/sw/%.elf)
.PHONY: bench-ntrace
