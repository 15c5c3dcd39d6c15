# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/export/gather.c
LIB_SRCS += host/export/gather_steps.c
LIB_SRCS += host/export/gather_replay.c
LIB_SRCS += host/export/gather_runs.c
LIB_SRCS += host/export/gather_tables.c
LIB_SRCS += host/export/gather_result.c
LIB_SRCS += host/export/gather_feed.c
LIB_SRCS += host/export/spots.c
LIB_SRCS += host/export/added.c
LIB_SRCS += host/export/tree.c
LIB_SRCS += host/export/edges.c
LIB_SRCS += host/export/edges_estimate.c
LIB_SRCS += host/export/calls.c
LIB_SRCS += host/export/extremes.c
LIB_SRCS += host/export/timeline.c
LIB_SRCS += host/export/flame.c
LIB_SRCS += host/export/export.c
LIB_SRCS += host/export/extent.c
LIB_SRCS += host/export/encode.c
LIB_SRCS += host/export/encode_sums.c
LIB_SRCS += host/export/perf_data.c
LIB_SRCS += host/export/branches.c
LIB_SRCS += host/export/coverage.c
LIB_SRCS += host/export/coverage_moved.c
LIB_SRCS += host/export/targets.c
LIB_SRCS += host/export/timing.c
LIB_SRCS += host/export/spans.c
# A file for each format of the table.
EXPORT_FORMATS := $(shell awk -F '[^a-zA-Z0-9_]' '/^FORMAT/ { print $$2 }' host/export/formats.def)
LIB_SRCS += $(EXPORT_FORMATS:%=host/export/%.c)

LIB_SRCS += host/export/stacks.c
LIB_SRCS += host/export/otlp_message.c

# The messages of pprof, OTLP and Perfetto, by the protobuf-c compiler
MESSAGES_C := $(B)/gen/host/export/profile.pb-c.c $(B)/gen/host/export/otlp.pb-c.c $(B)/gen/host/export/perfetto.pb-c.c
$(B)/gen/host/export/%.pb-c.c: host/export/%.proto
	@mkdir -p $(B)/gen
	protoc-c --c_out=$(B)/gen $<
$(B)/gen/host/export/%.pb-c.h: $(B)/gen/host/export/%.pb-c.c ;
$(B)/host/host/export/pprof.o: $(B)/gen/host/export/profile.pb-c.h
$(B)/host/host/export/perfetto.o: $(B)/gen/host/export/perfetto.pb-c.h
$(B)/host/host/export/otlp.o $(B)/host/host/export/otlp_json.o $(B)/host/host/export/otlp_message.o $(B)/host/host/push/push.o $(B)/host/host/cmd/push_otlp.o: $(B)/gen/host/export/otlp.pb-c.h
$(B)/host/host/export/%.pb-c.o: $(B)/gen/host/export/%.pb-c.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) $(CFLAGS_HOST) -MMD -MP -c $< -o $@
LIB_SRCS += host/export/profile.pb-c.c
LIB_SRCS += host/export/otlp.pb-c.c
LIB_SRCS += host/export/perfetto.pb-c.c
TESTS += check_export check_branches check_untimed
$(B)/host/tests/check_export.o $(B)/host/tests/check_branches.o $(B)/host/tests/check_untimed.o: CPPFLAGS_HOST += -DSW='"$(B)/sw"'
$(B)/tests/check_export $(B)/tests/check_branches $(B)/tests/check_untimed: | $(patsubst %,$(B)/sw/%.elf,qsort json regex interp huffman)
