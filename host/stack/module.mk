# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/stack/counts.c
LIB_SRCS += host/stack/stack.c
TESTS += check_stack
$(B)/host/tests/check_stack.o: CPPFLAGS_HOST += -DSW='"$(B)/sw"'
$(B)/tests/check_stack: | $(patsubst %,$(B)/sw/%.elf,qsort json regex printf interp)
