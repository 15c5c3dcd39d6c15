# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
TESTS += check_cycles
LIB_SRCS += host/cycles/core.c
LIB_SRCS += host/cycles/core_text.c
LIB_SRCS += host/cycles/split.c
LIB_SRCS += host/cycles/trace.c
LIB_SRCS += host/cycles/estimate.c
# The built-in descriptions as strings, in the order of core_names[].
CORES_INC := $(B)/gen/host/cycles/cores.inc
$(CORES_INC): host/cycles/rivulet.core host/cycles/rivulet-small.core host/cycles/generic.core host/cycles/hazard3.core host/cycles/ibex.core host/cycles/picorv32.core
	@mkdir -p $(@D)
	for f in $^; do sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $$f; echo ,; done >$@
$(B)/host/host/cycles/core_text.o $(B)/fuzz/obj/host/cycles/core_text.o: $(CORES_INC)
CYCLES_JUDGE := $(B)/bin/cycles-judge
$(CYCLES_JUDGE): $(B)/host/tests/cycles_judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
WAITS_JUDGE := $(B)/bin/waits-judge
$(WAITS_JUDGE): $(B)/host/tests/waits_judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
# Every application, train input.
CHECKS += check-cycles
check-cycles: $(CYCLES_JUDGE) $(BENCH_APPS:%=$(B)/sw/%.elf) ## the rules of both of this project's cores give the cycles of the golden model, instruction by instruction
	@for app in $(BENCH_APPS); do $(CYCLES_JUDGE) $(B)/sw/$$app.elf input=train && \
		$(CYCLES_JUDGE) -s -c rivulet-small $(B)/sw/$$app.elf input=train || exit 1; done
.PHONY: check-cycles
