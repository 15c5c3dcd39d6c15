# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
SW_LIB_SRCS += sw/trace/handler.S sw/trace/trace.c sw/trace/adapt.c sw/trace/table.c sw/trace/profile.c
LIB_SRCS += sw/trace/table.c sw/trace/adapt.c sw/trace/profile.c
TESTS += check_table
