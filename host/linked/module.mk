# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Linked programs as objects, and back.
LIB_SRCS += host/linked/open.c
LIB_SRCS += host/linked/check.c
LIB_SRCS += host/linked/fields.c
LIB_SRCS += host/linked/names.c
LIB_SRCS += host/linked/import.c
LIB_SRCS += host/linked/place.c
LIB_SRCS += host/linked/relocate.c
LIB_SRCS += host/linked/dynamic.c
LIB_SRCS += host/linked/image.c
LIB_SRCS += host/linked/write.c
LIB_SRCS += host/linked/attach.c
CHECKS += check-linked
check-linked: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## counters in linked programs and libraries: each instruction's count as qemu's
	@LINKED=$(call share,all,) tests/linked/check $(B)
SHORTENED += check-linked
.PHONY: check-linked
bench-linked: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## counters in linked programs beside llvm-bolt-19 --instrument; writes bench/linked.md
	@bench/linked $(B) bench/linked.md && scripts/fold-document bench/linked.md
.PHONY: bench-linked
