# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Embench, which is not a part of this project: EMBENCH is a folder with its sources; EMBENCH_ONLY="name ..." for some,
# EMBENCH_TABLE=1024x4 for exact profiles by the trace unit's table, compared with the stream of all records.
EMBENCH ?=
EMBENCH_FLAGS ?= -O2
EMBENCH_CC = $(SW_CC) -march=$(SW_ARCH) -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs -std=gnu11 -ffunction-sections -fdata-sections \
	-falign-functions=4 -falign-jumps=4 -falign-loops=4 $(EMBENCH_FLAGS)
EMBENCH_LD = $(subst __ram_size=$(SW_RAM),__ram_size=$(SIM_RAM),$(SW_LDFLAGS))
embench: $(TB)/lockstep $(BENCH_HAL) $(RIVULET) ## builds the Embench in EMBENCH=FOLDER, runs it on the RTL, checks results, prints the speed a MHz (EMBENCH_FLAGS=-O2, minutes)
	@test -n "$(EMBENCH)" || { echo "embench: EMBENCH=FOLDER is expected, a checkout of Embench" >&2; exit 2; }
	@EMBENCH_ONLY="$(EMBENCH_ONLY)" EMBENCH_TABLE="$(EMBENCH_TABLE)" bench/embench/run $(B) "$(EMBENCH)" "$(EMBENCH_CC)" "$(EMBENCH_LD)" $(BENCH_HAL)
.PHONY: embench
