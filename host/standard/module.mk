# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/standard/code.c
LIB_SRCS += host/standard/flow.c
LIB_SRCS += host/standard/decoder.c
