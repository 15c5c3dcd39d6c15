# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/ntrace/message.c
LIB_SRCS += host/ntrace/decoder.c
LIB_SRCS += host/ntrace/encoder.c
TESTS += check_ntrace

check-standards: $(RIVULET) $(B)/sw/interp.elf ## N-Trace and E-Trace: runs to bytes and back, cut and damaged
	@tests/standards/run $(B) $(B)/tests/standards
CHECKS += check-standards
check-perf-data: $(RIVULET) ## perf.data with the AUX area of Linux's rvtrace: made, read, cut
	@tests/standards/perf $(B) $(B)/tests/perf-data
CHECKS += check-perf-data
.PHONY: check-standards check-perf-data
