# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Tables: what each list command prints, as text, JSON, CSV or Markdown.
LIB_SRCS += host/table/line.c
LIB_SRCS += host/table/numbers.c
LIB_SRCS += host/table/table.c
TESTS += check_tables
