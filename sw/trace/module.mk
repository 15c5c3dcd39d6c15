# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
SW_LIB_SRCS += sw/trace/handler.S sw/trace/trace.c sw/trace/check.c sw/trace/count.c sw/trace/timer.c sw/trace/vectors.c sw/trace/adapt.c sw/trace/table.c sw/trace/profile.c
LIB_SRCS += sw/trace/table.c sw/trace/adapt.c sw/trace/profile.c
TESTS += check_table
# Set-up, once in a run: small. What runs in the handler is as fast as it can be.
$(B)/sw/obj/sw/trace/trace.o $(B)/sw/obj/sw/trace/check.o $(B)/sw/obj/sw/trace/vectors.o $(B)/sw/obj/sw/trace/count.o $(B)/sw/obj/sw/trace/timer.o $(B)/sw/obj/sw/trace/profile.o $(B)/sw/obj/sw/run/main.o: SW_CFLAGS += -Os
