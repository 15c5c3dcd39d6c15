# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += model/fast/timing.c
LIB_SRCS += model/fast/block.c
LIB_SRCS += model/fast/engine.c
LIB_SRCS += model/fast/state.c
LIB_SRCS += model/fast/paths.c
LIB_SRCS += model/fast/order.c
LIB_SRCS += model/fast/fast.c
TESTS += check_fast

# Programs for check_fast: FAST_RANDOM of tests/random from seed FAST_SEED on (without accesses to the current pair: docs/rivulet.md says what differs), the directed ones, the applications.
FAST_RANDOM ?= 40
FAST_SEED ?= 1000
FAST_DIR := $(B)/tests/fast
FAST_LIST := $(FAST_DIR)/list
FAST_SEEDS = $(shell seq $(FAST_SEED) $$(($(FAST_SEED) + $(FAST_RANDOM) - 1)))
$(FAST_DIR)/random-%.elf: $(RANDOM_GEN) $(wildcard tests/asm/*.h) tests/asm/link.ld
	@mkdir -p $(@D)
	@$(RANDOM_GEN) $* no-pair >$(@:.elf=.S)
	@$(ASM_CC) -o $@ $(@:.elf=.S)
$(FAST_LIST): $(FAST_SEEDS:%=$(FAST_DIR)/random-%.elf) $(ASM_ELFS) $(APP_ELFS) model/fast/module.mk
	@mkdir -p $(@D)
	@{ printf '%s\n' $(filter-out %/external.elf,$(ASM_ELFS)) $(FAST_SEEDS:%=$(FAST_DIR)/random-%.elf); \
	printf '%s input=train way=stream\n' $(APP_ELFS); \
	for way in off every timer sample watermark; do echo $(B)/sw/qsort.elf input=train way=$$way; done; \
	for app in json regex; do for set in "timer period=700" "timer period=20000" "sample period=9 dither=0" "sample period=40 dither=31" \
		"watermark period=200 watermark=3" "watermark period=17 dither=255 ctrl=2" "sample period=100 ctrl=4"; do \
		echo $(B)/sw/$$app.elf input=train way=$$set; done; done; \
	for ctrl in 2 4 6 8 16 64; do echo $(B)/sw/huffman.elf input=train way=stream ctrl=$$ctrl; done; } >$@
$(B)/host/tests/check_fast.o: CPPFLAGS_HOST += -DFAST_LIST='"$(FAST_LIST)"' -DFAST_APP='"$(B)/sw/json.elf"' -DFAST_MAZES='"$(B)/bench"'
$(B)/tests/check_fast: | $(FAST_LIST) $(patsubst %,$(B)/bench/recording-%.elf,maze maze2 maze5 funnel)
