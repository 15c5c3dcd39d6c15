# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix host/regions/,regions.c graphs.c steps.c find.c global.c profile.c names.c)
TESTS += check_regions check_regions_random

$(B)/bin/regions-size: $(B)/host/bench/regions_size.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
bench-regions: host firmware $(B)/bin/regions-size $(SW_APPS:%=$(B)/sw/%.elf) $(patsubst %,$(B)/sw/obj/sw/probe/%.o,probe hash hash_hook) ## paths of regions in both embodiments beside plain paths; writes bench/regions.md
	@bench/regions $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(filter-out selftest hello,$(SW_APPS))
.PHONY: bench-regions
