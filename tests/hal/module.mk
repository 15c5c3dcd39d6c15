# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The system side of the C library on sw/hal (sw/hal/posix.c).
HAL_TEST := $(B)/tests/hal/library.elf
$(HAL_TEST): $(B)/sw/obj/tests/hal/library.o $(B)/sw/obj/name/hello.o $(SW_LIB_OBJS) sw/hal/link.ld
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) $(SW_LDFLAGS) $(filter %.o,$^) -o $@ -lm
CHECKS += check-hal
check-hal: $(RIVULET) $(HAL_TEST) ## fopen, time, abort, assert of a program on sw/hal
	@tests/hal/check $(B)
.PHONY: check-hal
