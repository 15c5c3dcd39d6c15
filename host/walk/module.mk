# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/walk/walk.c host/walk/path.c host/walk/follow.c host/walk/cache.c
TESTS += check_walk check_walk_random check_follow
