# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Many runs: programs x inputs x settings.
LIB_SRCS += host/sweep/plan.c
LIB_SRCS += host/sweep/jobs.c
