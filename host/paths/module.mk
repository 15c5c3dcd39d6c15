# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/paths/numbering.c
LIB_SRCS += host/paths/chords.c
LIB_SRCS += host/paths/paths.c
LIB_SRCS += host/paths/build.c
LIB_SRCS += host/paths/given.c
LIB_SRCS += host/paths/joined.c
LIB_SRCS += host/paths/feed.c
LIB_SRCS += host/paths/feed_cache.c
LIB_SRCS += host/paths/feed_cycles.c
LIB_SRCS += host/paths/survey.c

# Path profiles from records against those from every retired instruction, all applications on train input.
PATHS_JUDGE := $(B)/bin/paths-judge
$(PATHS_JUDGE): $(B)/host/tests/paths_judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
CHECKS += check-paths
check-paths: $(PATHS_JUDGE) $(SW_APPS:%=$(B)/sw/%.elf) ## path profiles from records equal those from the stream of pcs
	@for app in $(filter-out selftest hello,$(SW_APPS)); do $(PATHS_JUDGE) $(B)/sw/$$app.elf input=train || exit 1; done
.PHONY: check-paths
TESTS += check_paths

$(B)/bin/paths-number: $(B)/host/bench/paths_number.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
bench-paths: host firmware $(B)/bin/paths-number ## paths of every application, tables 2 and 3 of EPP; writes bench/paths.md
	@bench/paths $(B) $(filter-out selftest hello,$(SW_APPS))
.PHONY: bench-paths
