# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/account/account.c host/account/tables.c host/account/context.c host/account/errors.c host/account/paths.c host/account/rows.c host/account/diff.c host/account/remainder.c host/account/inclusive.c
LIBS_HOST += -lm
TESTS += check_account
ACCOUNT_PROGRAMS := $(B)/sw/json.elf $(B)/sw/qsort.elf $(B)/sw/interp.elf $(B)/sw/huffman.elf
$(B)/host/tests/check_account.o: CPPFLAGS_HOST += -DFIXTURE='"$(FIXTURE)"' -DSW='"$(B)/sw"'
$(B)/tests/check_account: | $(FIXTURE) $(ACCOUNT_PROGRAMS)
