# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A trace unit that a debugger reads: no software on the target.
LIB_SRCS += host/debugger/openocd.c
LIB_SRCS += host/debugger/collect.c
