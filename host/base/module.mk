# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The ground floor of the host: what every room above it needs, and that needs none of them.
LIB_SRCS += host/base/decoded.c
LIB_SRCS += host/base/hash.c
LIB_SRCS += host/base/array.c
LIB_SRCS += host/base/connect.c
LIB_SRCS += host/base/output.c
LIB_SRCS += host/base/record_keys.c
LIB_SRCS += host/base/shelf.c
LIB_SRCS += host/base/steps.c
LIB_SRCS += host/base/late.c
LIB_SRCS += host/base/json.c
LIB_SRCS += host/base/demangle.c
LIB_SRCS += host/base/demangle_rust.c
LIB_SRCS += host/base/demangle_v0.c
LIB_SRCS += host/base/xml.c
TESTS += check_base check_demangle check_json
LIBS_HOST += -lz -lyajl -lstdc++
