# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/gdb/packet.c
LIB_SRCS += host/gdb/server.c
LIB_SRCS += host/gdb/client.c
TESTS += check_gdb
CHECKS += check-gdb
check-gdb: $(B)/bin/rivulet $(B)/sw/json.elf ## gdb-multiarch debugs a program on the fast engine
	@tests/gdb/check $(B)/bin/rivulet $(B)/sw/json.elf $(B)/tests/gdb
.PHONY: check-gdb
$(B)/host/tests/check_gdb.o: CPPFLAGS_HOST += -DSCRATCH='"$(B)/tests"'
