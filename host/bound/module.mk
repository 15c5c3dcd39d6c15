# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Bounds of times: implicit path enumeration, solved by GLPK's glpsol.
LIB_SRCS += host/bound/bound.c
LIB_SRCS += host/bound/contexts.c
LIB_SRCS += host/bound/elsewhere.c
LIB_SRCS += host/bound/expand.c
LIB_SRCS += host/bound/flow.c
LIB_SRCS += host/bound/seen.c
LIB_SRCS += host/bound/solve.c
LIB_SRCS += host/bound/solver.c

check-bound: $(RIVULET) ## bounds of the times of 23 programs against 1,000 random calls of each; lp_solve finds the same
	@tests/bound/run $(B)
.PHONY: check-bound
