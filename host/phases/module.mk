# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/phases/sorted.c
LIB_SRCS += host/phases/layers.c
LIB_SRCS += host/phases/format.c
LIB_SRCS += host/phases/coder.c
LIB_SRCS += host/phases/definitions.c
LIB_SRCS += host/phases/write.c
LIB_SRCS += host/phases/read.c
LIB_SRCS += host/phases/define.c
LIB_SRCS += host/phases/cursor.c
LIB_SRCS += host/phases/feed.c
LIB_SRCS += host/phases/intervals.c
LIB_SRCS += host/phases/segments.c
LIB_SRCS += host/phases/heat.c
LIB_SRCS += host/phases/grammar.c
LIB_SRCS += host/phases/repetitions.c
TESTS += check_layers check_phases
