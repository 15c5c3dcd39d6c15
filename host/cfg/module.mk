# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/cfg/cfg.c host/cfg/discover.c host/cfg/blocks.c host/cfg/values.c host/cfg/tables.c host/cfg/loops.c
