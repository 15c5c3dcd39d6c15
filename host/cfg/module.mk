# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/cfg/cfg.c
LIB_SRCS += host/cfg/reach.c
LIB_SRCS += host/cfg/discover.c
LIB_SRCS += host/cfg/blocks.c
LIB_SRCS += host/cfg/values.c
LIB_SRCS += host/cfg/tables.c
LIB_SRCS += host/cfg/loops.c
LIB_SRCS += host/cfg/cited.c
LIB_SRCS += host/cfg/reach.c
