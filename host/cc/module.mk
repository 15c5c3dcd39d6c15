# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# `rivulet cc`: the linker's command line, the cache, the runtime as the command carries it.
LIB_SRCS += host/cc/cache.c host/cc/linker.c host/cc/runtime.c host/cc/script.c
RUNTIME_FILES := common/frame.h common/frame.c $(wildcard sw/probe/*.h sw/probe/*.c sw/probe/*.S) sw/hal/hal.h
$(B)/gen/runtime_files.h: $(RUNTIME_FILES) scripts/as-strings
	@mkdir -p $(@D)
	scripts/as-strings $(RUNTIME_FILES) >$@
$(B)/host/host/cc/runtime.o $(B)/fuzz/obj/host/cc/runtime.o: $(B)/gen/runtime_files.h
CHECKS += check-insert-cc
check-insert-cc: $(B)/bin/rivulet ## rivulet cc: gcc, clang, make, CMake, bare metal; its cache under damage, two writers, a full disk
	@tests/insert/cc $(B)
.PHONY: check-insert-cc
CHECKS += check-insert-shared
check-insert-shared: $(B)/bin/rivulet ## shared libraries with counters: one profile of a program, its library and a plugin; blocks as qemu executed them
	@tests/insert/shared $(B)
.PHONY: check-insert-shared
