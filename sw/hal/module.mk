# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
SW_LIB_SRCS += sw/hal/start.S sw/hal/hal.c sw/hal/libc.c sw/hal/posix.c
