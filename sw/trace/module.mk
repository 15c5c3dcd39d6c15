# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
SW_LIB_SRCS += sw/trace/handler.S
SW_LIB_SRCS += sw/trace/trace.c
SW_LIB_SRCS += sw/trace/check.c
SW_LIB_SRCS += sw/trace/count.c
SW_LIB_SRCS += sw/trace/timer.c
SW_LIB_SRCS += sw/trace/vectors.c
SW_LIB_SRCS += sw/trace/adapt.c
SW_LIB_SRCS += sw/trace/table.c
SW_LIB_SRCS += sw/trace/profile.c
SW_LIB_SRCS += sw/trace/recorder.c
SW_LIB_SRCS += sw/trace/sink.c
SW_LIB_SRCS += sw/trace/hub.c
LIB_SRCS += sw/trace/table.c
LIB_SRCS += sw/trace/adapt.c
LIB_SRCS += sw/trace/profile.c
LIB_SRCS += sw/trace/hub.c
TESTS += check_table check_hub
# Set-up, once in a run: small. What runs in the handler is as fast as it can be.
$(B)/sw/obj/sw/trace/trace.o $(B)/sw/obj/sw/trace/check.o $(B)/sw/obj/sw/trace/vectors.o $(B)/sw/obj/sw/trace/count.o $(B)/sw/obj/sw/trace/timer.o $(B)/sw/obj/sw/trace/profile.o $(B)/sw/obj/sw/run/main.o: SW_CFLAGS += -Os
