# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += common/frame.c common/record.c common/run_config.c common/elf_file.c
TESTS += check_frame
