# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/optimise/divisors.c
LIB_SRCS += host/optimise/elf.c
