# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Code of linked programs in a better order.
LIB_SRCS += host/layout/layout.c
LIB_SRCS += host/layout/functions.c
LIB_SRCS += host/layout/blocks.c
LIB_SRCS += host/layout/clusters.c
LIB_SRCS += host/layout/tsp.c
TESTS += check_layout
CHECKS += check-layout
check-layout: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## programs in another order: the same output, fewer instructions, and what has to be refused
	@LAYOUT=$(call share,all,) tests/layout/check $(B)
SHORTENED += check-layout
.PHONY: check-layout
bench-layout: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## linked programs in another order beside llvm-bolt-19 and gcc -fprofile-use; LUA=DIR: Lua too; writes bench/layout.md
	@bench/layout $(B) bench/layout.md && scripts/fold-document bench/layout.md
.PHONY: bench-layout
