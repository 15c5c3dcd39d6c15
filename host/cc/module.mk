# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# `rivulet cc`: the linker's command line, the cache, the runtime as the command carries it.
LIB_SRCS += host/cc/cache.c
LIB_SRCS += host/cc/linker.c
LIB_SRCS += host/cc/process.c
LIB_SRCS += host/cc/runtime.c
LIB_SRCS += host/cc/script.c
RUNTIME_FILES := common/frame.h common/frame.c common/joined.h $(wildcard sw/probe/*.h sw/probe/*.c sw/probe/*.S) sw/hal/hal.h
$(B)/gen/runtime_files.h: $(RUNTIME_FILES) scripts/as-strings
	@mkdir -p $(@D)
	scripts/as-strings $(RUNTIME_FILES) >$@
$(B)/host/host/cc/runtime.o $(B)/fuzz/obj/host/cc/runtime.o: $(B)/gen/runtime_files.h
CHECKS += check-insert-cc
check-insert-cc: $(B)/bin/rivulet $(B)/sw/sha256.elf ## rivulet cc: gcc, clang, make, CMake, every runtime, linker scripts; its cache under damage, two writers, a full disk
	@CC="$(SW_CC)" FLAGS="$(SW_CFLAGS)" LINK="$(SW_LDFLAGS)" OBJS="$(SW_LIB_OBJS)" tests/insert/cc $(B)
.PHONY: check-insert-cc
CHECKS += check-insert-events
check-insert-events: $(B)/bin/rivulet ## metrics of hardware event counters: mhpmcounter3 of qemu's machines, RV32 and RV64, path by path
	@tests/insert/events $(B)
.PHONY: check-insert-events
CHECKS += check-insert-hostile
check-insert-hostile: $(B)/bin/rivulet ## profiles of counters that were overwritten, cut off, mixed: readers say it; C++ names in other tools
	@tests/insert/hostile $(B)
.PHONY: check-insert-hostile
CHECKS += check-insert-shared
check-insert-shared: $(B)/bin/rivulet ## shared libraries with counters: one profile of a program, its library and a plugin; blocks as qemu executed them
	@tests/insert/shared $(B)
.PHONY: check-insert-shared
