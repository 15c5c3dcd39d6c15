# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Profile-guided compilation: the applications by clang, start-up, trace driver and library as for the firmware.
PGO_CFLAGS := --target=riscv32-unknown-elf -march=rv32imc -mabi=ilp32 -isystem /usr/lib/picolibc/riscv64-unknown-elf/include -std=gnu11 -O2 -g \
	-fdebug-info-for-profiling -ffunction-sections -fdata-sections -falign-functions=4 -Wall -Wextra -I. -Isw/run -I$(B)/gen $(PGO_EXTRA_CFLAGS)
PGO_APPS = $(filter-out selftest hello,$(SW_APPS))
# The train inputs are short: samples as dense as a second run of minutes would give with the usual period.
PGO_SAMPLE ?= --set way=watermark --set period=16 --set dither=15
# What profiles make larger by inlining has room: 256K of RAM, at run time too (scripts/pgo).
PGO_ENV = PGO_CFLAGS="$(PGO_CFLAGS)" PGO_LINK="$(SW_CC) $(SW_CFLAGS) $(subst __ram_size=$(SW_RAM),__ram_size=256K,$(SW_LDFLAGS))" PGO_OBJS="$(SW_LIB_OBJS)" PGO_SAMPLE="$(PGO_SAMPLE)"
pgo: $(RIVULET) $(PGO_APPS:%=$(B)/sw/%.elf) ## cycles of every application before and after profile-guided compilation with clang; writes bench/pgo.md
	@$(PGO_ENV) bench/pgo $(B) $(PGO_APPS)
# Two that gain: a wrong line, count or discriminator in the exported profile loses it.
PGO_CHECK := json lz
PGO_CHECK_PERCENT ?= 3
CHECKS += check-pgo
check-pgo: $(RIVULET) $(PGO_CHECK:%=$(B)/sw/%.elf) ## two applications sampled, compiled again by clang, and faster by PGO_CHECK_PERCENT
	@$(PGO_ENV) PGO_REQUIRE=$(PGO_CHECK_PERCENT) scripts/pgo $(B) $(PGO_CHECK)
.PHONY: pgo check-pgo
