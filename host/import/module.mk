# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/import/import.c
LIB_SRCS += host/import/gaps.c
LIB_SRCS += host/import/lines.c
LIB_SRCS += host/import/forms.c
LIB_SRCS += host/import/messages.c
LIB_SRCS += host/import/runs.c
LIB_SRCS += host/import/frames.c
LIB_SRCS += host/import/perf_file.c
LIB_SRCS += host/import/clock.c
TESTS += check_import
TESTS += check_import_clock
TESTS += check_import_runs
TESTS += check_perf_file

# Branches a second of an encoder's bytes: bench/decode.md. DECODE_RUNS measurements of each.
DECODE_BENCH := $(B)/bin/decode-bench
DECODE_RUNS ?= 3
$(DECODE_BENCH): $(B)/host/bench/decode_bench.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
bench-decode: $(DECODE_BENCH) host firmware ## branches a second of N-Trace and E-Trace bytes, decoded and imported; writes bench/decode.md
	@bench/decode $(B) $(DECODE_RUNS) $(BENCH_APPS)
.PHONY: bench-decode

# A program with Zcmp and Zcmt. The assembler does not know these names, so the attributes that have them come from here.
ZCMP := $(B)/tests/zcmp.elf
$(ZCMP): tests/import/zcmp.S
	@mkdir -p $(@D)
	riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32 -nostdlib -nostartfiles -static -Wl,--build-id=none -Wl,-n -Wl,-Ttext=0x80000000 $< -o $@
	printf 'A\076\0\0\0riscv\0\001\064\0\0\0\005rv32i2p1_m2p0_zicsr2p0_zca1p0_zcmp1p0_zcmt1p0\0' >$@.attributes
	riscv64-unknown-elf-objcopy --update-section .riscv.attributes=$@.attributes $@
$(B)/host/tests/check_import.o: CPPFLAGS_HOST += -DZCMP='"$(ZCMP)"' -DFIXTURE='"$(FIXTURE)"'
$(B)/tests/check_import: | $(ZCMP) $(FIXTURE)

# Graphs and profiles of unmodified RV64 programs, held against what qemu executed.
CFG_JUDGE := $(B)/bin/cfg-judge
$(CFG_JUDGE): $(B)/host/tests/cfg_judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
check-programs: $(RIVULET) $(CFG_JUDGE) ## RV64 Linux programs, C and C++, under qemu: profiles and graphs against independent counts
	@tests/programs/run $(B) $(B)/tests/programs
CHECKS += check-programs
.PHONY: check-programs
