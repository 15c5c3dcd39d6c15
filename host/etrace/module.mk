# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix host/etrace/,packet.c transport.c state.c decoder.c encoder.c)
TESTS += check_etrace
