# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/insert/graph.c host/insert/place.c host/insert/inserter.c host/insert/insert.c host/insert/map.c

# Counters of edited programs against the hardware's records of the unedited ones.
INSERT_JUDGE := $(B)/bin/insert-judge
$(INSERT_JUDGE): $(B)/host/tests/insert_judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
