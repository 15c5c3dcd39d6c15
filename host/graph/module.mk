# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/graph/search.c
LIB_SRCS += host/graph/dominators.c
LIB_SRCS += host/graph/live.c
LIB_SRCS += host/graph/loops.c
TESTS += check_graph
