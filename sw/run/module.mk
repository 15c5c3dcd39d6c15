# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What runs an application under the trace unit, and what an application sees of it.
SW_LIB_SRCS += sw/run/main.c
