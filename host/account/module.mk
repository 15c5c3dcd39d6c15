# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/account/account.c host/account/tables.c host/account/context.c host/account/weights.c host/account/errors.c
