# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix model/trace/,trace.c decoder.c scope.c pair.c sample.c repeat.c table.c fifo.c front.c reg_bits.c retire_check.c)
TESTS += check_retire check_trace check_trace_scope check_trace_records check_trace_random
