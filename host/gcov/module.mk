# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Counters for gcc -fprofile-use.
LIB_SRCS += host/gcov/notes.c
LIB_SRCS += host/gcov/circulation.c
LIB_SRCS += host/gcov/evidence.c
LIB_SRCS += host/gcov/evidence_names.c
LIB_SRCS += host/gcov/evidence_statements.c
LIB_SRCS += host/gcov/align.c
LIB_SRCS += host/gcov/blocks.c
LIB_SRCS += host/gcov/data.c
TESTS += check_gcov
