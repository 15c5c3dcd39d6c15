# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The run-time optimiser: the same sources in the firmware and on the host.
OPTIMISE_SRCS := $(wildcard sw/optimise/*.c)
LIB_SRCS += $(OPTIMISE_SRCS)
