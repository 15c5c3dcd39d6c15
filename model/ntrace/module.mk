# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix model/ntrace/,ntrace.c class.c filter.c events.c queue.c encode.c sync.c stack.c repeat.c pack.c regs.c sink.c)
TESTS += check_ntrace_encoder
