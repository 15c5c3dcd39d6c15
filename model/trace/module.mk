# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += model/trace/trace.c
LIB_SRCS += model/trace/decoder.c
LIB_SRCS += model/trace/slots.c
LIB_SRCS += model/trace/scope.c
LIB_SRCS += model/trace/pair.c
LIB_SRCS += model/trace/sample.c
LIB_SRCS += model/trace/repeat.c
LIB_SRCS += model/trace/table.c
LIB_SRCS += model/trace/fifo.c
LIB_SRCS += model/trace/recorder.c
LIB_SRCS += model/trace/sink.c
LIB_SRCS += model/trace/dense.c
LIB_SRCS += model/trace/dense_pack.c
LIB_SRCS += model/trace/dense_ring.c
LIB_SRCS += model/trace/arbiter.c
LIB_SRCS += model/trace/front.c
LIB_SRCS += model/trace/reg_bits.c
LIB_SRCS += model/trace/retire_check.c
TESTS += check_retire check_trace check_trace_scope check_trace_context check_trace_records check_trace_table check_trace_random
