# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/walk/walk.c
LIB_SRCS += host/walk/path.c
LIB_SRCS += host/walk/follow.c
LIB_SRCS += host/walk/cache.c
TESTS += check_walk check_walk_random check_follow
