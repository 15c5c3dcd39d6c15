# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/account/account.c
LIB_SRCS += host/account/find.c
LIB_SRCS += host/account/tables.c
LIB_SRCS += host/account/context.c
LIB_SRCS += host/account/errors.c
LIB_SRCS += host/account/paths.c
LIB_SRCS += host/account/rows.c
LIB_SRCS += host/account/diff.c
LIB_SRCS += host/account/remainder.c
LIB_SRCS += host/account/inclusive.c
LIBS_HOST += -lm
TESTS += check_account
ACCOUNT_PROGRAMS := $(B)/sw/json.elf $(B)/sw/qsort.elf $(B)/sw/interp.elf $(B)/sw/huffman.elf
$(B)/host/tests/check_account.o: CPPFLAGS_HOST += -DFIXTURE='"$(FIXTURE)"' -DSW='"$(B)/sw"'
$(B)/tests/check_account: | $(FIXTURE) $(ACCOUNT_PROGRAMS)
