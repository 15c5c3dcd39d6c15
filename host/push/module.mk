# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Profiles to the store of a fleet.
LIB_SRCS += host/push/push.c
LIB_SRCS += host/push/spool.c
LIBS_HOST += -lcurl
