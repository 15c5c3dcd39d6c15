# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/export/gather.c host/export/spots.c host/export/export.c host/export/llvm.c
