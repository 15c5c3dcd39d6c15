# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/ntrace/message.c
LIB_SRCS += host/ntrace/decoder.c
LIB_SRCS += host/ntrace/encoder.c
TESTS += check_ntrace
TESTS += check_ntrace_messages

check-standards: $(RIVULET) $(B)/sw/interp.elf ## N-Trace and E-Trace: runs to bytes and back, cut and damaged
	@tests/standards/run $(B) $(B)/tests/standards
CHECKS += check-standards
check-chips: $(RIVULET) $(B)/sw/hello.elf $(B)/sw/regex.elf ## chips of the table to their bytes and back, a P550 bit by bit, programs with libraries, the device tree
	@tests/standards/chips $(B) $(B)/tests/chips
CHECKS += check-chips
check-perf-data: $(RIVULET) ## perf.data with the AUX area of Linux's rvtrace: made, read, cut
	@tests/standards/perf $(B) $(B)/tests/perf-data
CHECKS += check-perf-data
.PHONY: check-standards check-chips check-perf-data
# Tools of others, which are no part of this project: NEXUS and ETRACE are folders with their sources.
NEXUS ?=
ETRACE ?=
READERS_APPS ?= qsort interp lz
check-readers: $(RIVULET) $(READERS_APPS:%=$(B)/sw/%.elf) ## our N-Trace and E-Trace bytes, read by tools of others, and theirs by us: NEXUS=FOLDER, a checkout of riscv-non-isa/tg-nexus-trace; ETRACE=FOLDER, of riscv-non-isa/riscv-trace-spec (minutes)
	@NEXUS="$(NEXUS)" ETRACE="$(ETRACE)" tests/standards/readers $(B) $(B)/tests/readers $(B)/tests/ntrace/on_program $(READERS_APPS:%=$(B)/sw/%.elf)
.PHONY: check-readers
