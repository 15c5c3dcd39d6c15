# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += model/ntrace/ntrace.c
LIB_SRCS += model/ntrace/class.c
LIB_SRCS += model/ntrace/filter.c
LIB_SRCS += model/ntrace/events.c
LIB_SRCS += model/ntrace/queue.c
LIB_SRCS += model/ntrace/encode.c
LIB_SRCS += model/ntrace/sync.c
LIB_SRCS += model/ntrace/stack.c
LIB_SRCS += model/ntrace/repeat.c
LIB_SRCS += model/ntrace/pack.c
LIB_SRCS += model/ntrace/regs.c
LIB_SRCS += model/ntrace/sink.c
TESTS += check_ntrace_encoder
