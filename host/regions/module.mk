# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix host/regions/,regions.c graphs.c steps.c find.c global.c profile.c names.c)
TESTS += check_regions
