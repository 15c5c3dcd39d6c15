# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/profile/profile.c
LIB_SRCS += host/profile/stream.c
LIB_SRCS += host/profile/write.c
LIB_SRCS += host/profile/split.c
LIB_SRCS += host/profile/kernel.c
LIB_SRCS += host/profile/memory.c
LIB_SRCS += host/profile/change.c
LIB_SRCS += host/profile/place.c
LIB_SRCS += host/profile/stack.c
TESTS += check_profile check_profile_damage check_profile_harts
