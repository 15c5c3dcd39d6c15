# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
SW_LIB_SRCS += sw/hal/start.S
SW_LIB_SRCS += sw/hal/hal.c
SW_LIB_SRCS += sw/hal/libc.c
SW_LIB_SRCS += sw/hal/posix.c
