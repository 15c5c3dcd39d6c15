# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/etrace/packet.c
LIB_SRCS += host/etrace/transport.c
LIB_SRCS += host/etrace/state.c
LIB_SRCS += host/etrace/steps.c
LIB_SRCS += host/etrace/decoder.c
LIB_SRCS += host/etrace/encoder.c
TESTS += check_etrace
TESTS += check_etrace_readers
