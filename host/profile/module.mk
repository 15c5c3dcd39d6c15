# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/profile/profile.c host/profile/stream.c host/profile/split.c host/profile/kernel.c host/profile/memory.c host/profile/change.c host/profile/stack.c
TESTS += check_profile check_profile_damage
