# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += common/dense.c
LIB_SRCS += common/frame.c
LIB_SRCS += common/record.c
LIB_SRCS += common/run_config.c
LIB_SRCS += common/elf_file.c
TESTS += check_frame
