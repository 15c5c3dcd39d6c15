# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/records/block.c
LIB_SRCS += host/records/capture.c
LIB_SRCS += host/records/columns_put.c
LIB_SRCS += host/records/damage.c
LIB_SRCS += host/records/dense.c
LIB_SRCS += host/records/dense_frame.c
LIB_SRCS += host/records/harts.c
LIB_SRCS += host/records/header.c
LIB_SRCS += host/records/identity.c
LIB_SRCS += host/records/joined.c
LIB_SRCS += host/records/profile.c
LIB_SRCS += host/records/port.c
LIB_SRCS += host/records/reader.c
LIB_SRCS += host/records/ring.c
LIB_SRCS += host/records/scan.c
LIB_SRCS += host/records/writer.c
LIB_SRCS += host/records/writer_records.c
LIB_SRCS += host/records/writer_keys.c
LIB_SRCS += host/records/writer_chain.c
LIB_SRCS += host/records/writer_cycle.c
LIBS_HOST += -lserialport
TESTS += check_dense check_harts check_records check_records_damage check_records_carried check_records_coded check_capture check_port

# Records a second: bench/walk.md. WALK_RUNS measurements of each.
WALK_BENCH := $(B)/bin/walk-bench
WALK_RUNS ?= 9
$(WALK_BENCH): $(B)/host/bench/walk_bench.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
bench-walk: $(WALK_BENCH) host firmware ## records a second, read, walked and added up; a 1 GB record file; writes bench/walk.md
	@bench/walk $(B) $(WALK_RUNS) $(BENCH_APPS)
.PHONY: bench-walk
