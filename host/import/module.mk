# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix host/import/,import.c lines.c)

# Graphs and profiles of unmodified RV64 programs, held against what qemu executed.
CFG_JUDGE := $(B)/bin/cfg-judge
$(CFG_JUDGE): $(B)/host/tests/cfg_judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
check-programs: $(RIVULET) $(CFG_JUDGE) ## RV64 Linux programs, C and C++, under qemu: profiles and graphs against independent counts
	@tests/programs/run $(B) $(B)/tests/programs
CHECKS += check-programs
.PHONY: check-programs
