# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/export/gather.c host/export/gather_result.c host/export/gather_feed.c host/export/spots.c host/export/tree.c host/export/edges.c host/export/text.c host/export/export.c
LIB_SRCS += host/export/callgrind.c host/export/pprof.c host/export/speedscope.c host/export/folded.c host/export/llvm.c host/export/lcov.c \
	host/export/json.c

# pprof's messages, by the protobuf-c compiler
PPROF_C := $(B)/gen/host/export/profile.pb-c.c
$(PPROF_C): host/export/profile.proto
	@mkdir -p $(B)/gen
	protoc-c --c_out=$(B)/gen $<
$(B)/gen/host/export/profile.pb-c.h: $(PPROF_C) ;
$(B)/host/host/export/pprof.o: $(B)/gen/host/export/profile.pb-c.h
$(B)/host/host/export/profile.pb-c.o: $(PPROF_C)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) $(CFLAGS_HOST) -MMD -MP -c $< -o $@
LIB_SRCS += host/export/profile.pb-c.c
TESTS += check_export
$(B)/host/tests/check_export.o: CPPFLAGS_HOST += -DSW='"$(B)/sw"'
$(B)/tests/check_export: | $(patsubst %,$(B)/sw/%.elf,qsort json regex interp huffman)
