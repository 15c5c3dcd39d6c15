# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/export/gather.c
LIB_SRCS += host/export/gather_steps.c
LIB_SRCS += host/export/gather_tables.c
LIB_SRCS += host/export/gather_result.c
LIB_SRCS += host/export/gather_feed.c
LIB_SRCS += host/export/spots.c
LIB_SRCS += host/export/tree.c
LIB_SRCS += host/export/edges.c
LIB_SRCS += host/export/edges_estimate.c
LIB_SRCS += host/export/calls.c
LIB_SRCS += host/export/extremes.c
LIB_SRCS += host/export/timeline.c
LIB_SRCS += host/export/flame.c
LIB_SRCS += host/export/export.c
LIB_SRCS += host/export/encode.c
LIB_SRCS += host/export/perf_data.c
LIB_SRCS += host/export/branches.c
LIB_SRCS += host/export/coverage.c
LIB_SRCS += host/export/timing.c
# A file for each format of the table.
EXPORT_FORMATS := $(shell awk -F '[^a-zA-Z0-9_]' '/^FORMAT/ { print $$2 }' host/export/formats.def)
LIB_SRCS += $(EXPORT_FORMATS:%=host/export/%.c)

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
