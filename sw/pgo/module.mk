# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Profile-guided compilation: the applications by clang, start-up, trace driver and library as for the firmware.
PGO_CFLAGS := --target=riscv32-unknown-elf -march=rv32imc -mabi=ilp32 -isystem /usr/lib/picolibc/riscv64-unknown-elf/include -std=gnu11 -O2 -g \
	-fdebug-info-for-profiling -ffunction-sections -fdata-sections -falign-functions=4 -Wall -Wextra -I. -Isw/hal -I$(B)/gen $(PGO_EXTRA_CFLAGS)
PGO_APPS = $(filter-out selftest hello,$(SW_APPS))
PGO_SAMPLE ?= --set way=watermark
PGO_ENV = PGO_CFLAGS="$(PGO_CFLAGS)" PGO_LINK="$(SW_CC) $(SW_CFLAGS) $(SW_LDFLAGS)" PGO_OBJS="$(SW_LIB_OBJS)" PGO_SAMPLE="$(PGO_SAMPLE)"
PGO_NEEDS = $(RIVULET) $(SW_LIB_OBJS)
pgo: $(RIVULET) $(PGO_APPS:%=$(B)/sw/%.elf) ## cycles of every application before and after profile-guided compilation with clang (some minutes)
	@$(PGO_ENV) scripts/pgo $(B) $(PGO_APPS)
.PHONY: pgo
