# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/regions/regions.c
LIB_SRCS += host/regions/graphs.c
LIB_SRCS += host/regions/steps.c
LIB_SRCS += host/regions/find.c
LIB_SRCS += host/regions/global.c
LIB_SRCS += host/regions/profile.c
LIB_SRCS += host/regions/names.c
TESTS += check_regions check_regions_random

$(B)/bin/regions-size: $(B)/host/bench/regions_size.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
bench-regions: host firmware $(B)/bin/regions-size $(SW_APPS:%=$(B)/sw/%.elf) $(patsubst %,$(B)/sw/obj/sw/probe/%.o,probe hash hash_hook) ## paths of regions in both embodiments beside plain paths; writes bench/regions.md
	@bench/regions $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(filter-out selftest hello,$(SW_APPS))
.PHONY: bench-regions
