# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix model/fast/,timing.c block.c engine.c state.c paths.c fast.c)
