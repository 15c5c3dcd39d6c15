# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix host/phases/,sorted.c layers.c format.c coder.c definitions.c write.c read.c define.c cursor.c feed.c intervals.c segments.c heat.c grammar.c)
TESTS += check_layers check_phases
