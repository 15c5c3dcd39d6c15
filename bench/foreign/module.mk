# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Libraries of Debian's sources as applications of the firmware; FOREIGN="zlib lua": these alone.
FOREIGN ?=
FOREIGN_CC = $(SW_CC) -march=$(SW_ARCH) -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs -std=gnu11 -O2 -w -ffunction-sections -fdata-sections \
	-falign-functions=4 -falign-jumps=4 -falign-loops=4 -I. -Isw/run -I$(B)/gen
FOREIGN_LD = $(subst __table_size=$(SW_TABLE),__table_size=256K,$(EMBENCH_LD))
bench-foreign: $(RIVULET) $(SW_LIB_OBJS) ## exact profiles by the unit's table of seven libraries of Debian's sources; network; writes bench/foreign.md (minutes)
	@FOREIGN="$(FOREIGN)" bench/foreign/run $(B) "$(FOREIGN_CC)" "$(FOREIGN_LD)" $(SW_LIB_OBJS)
.PHONY: bench-foreign
