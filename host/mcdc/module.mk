# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# MC/DC: conditions of clang's mapping, branches of the code, vectors of a run.
LIB_SRCS += host/mcdc/files.c
LIB_SRCS += host/mcdc/mapping.c
LIB_SRCS += host/mcdc/match.c
LIB_SRCS += host/mcdc/origins.c
LIB_SRCS += host/mcdc/same.c
LIB_SRCS += host/mcdc/scan.c
LIB_SRCS += host/mcdc/text.c
LIB_SRCS += host/mcdc/vectors.c
TESTS += check_mcdc
