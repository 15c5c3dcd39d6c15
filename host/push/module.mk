# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Profiles to the store of a fleet.
LIB_SRCS += host/push/push.c
LIB_SRCS += host/push/spool.c
# Loaded when a profile is sent (host/base/late.h), by the name that the linker would have written.
$(B)/host/host/push/push.o $(B)/fuzz/obj/host/push/push.o: CPPFLAGS_HOST += -DCURL_LIBRARY='"$(call library_name,curl)"'
