# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The ground floor of the host: what every room above it needs, and that needs none of them.
LIB_SRCS += host/base/hash.c host/base/array.c host/base/output.c host/base/shelf.c host/base/json.c host/base/demangle.c host/base/xml.c
TESTS += check_base check_json
LIBS_HOST += -lz -lyajl -lstdc++
