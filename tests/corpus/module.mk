# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Programs of Debian's sources with counters: their own tests, and each instruction's count against a counter of qemu's.
# CORPUS: recipes, by name; CORPUS_VARIANTS: compiler and level.
CORPUS ?= $(sort $(filter-out here fork bare,$(basename $(notdir $(wildcard tests/corpus/*.recipe)))))
CORPUS_VARIANTS ?= gcc:O2
$(B)/corpus/count_plugin.so: tests/corpus/count_plugin.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS_HOST)) -D_POSIX_C_SOURCE=200809L -fPIC -shared -fvisibility=hidden $< -o $@
corpus: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## 30 programs of Debian's sources with counters: their own tests, each instruction's count by qemu; network, hours; writes bench/corpus.md
	@tests/corpus/run $(B) $(CORPUS_VARIANTS) $(CORPUS); status=$$?; tests/corpus/table $(B) bench/corpus.md && scripts/fold-document bench/corpus.md && exit $$status
CHECKS += check-corpus
check-corpus: $(B)/bin/rivulet $(B)/corpus/count_plugin.so ## the corpus's scripts on a program of this tree: each instruction's count as qemu's
	@tests/corpus/check $(B)
.PHONY: corpus check-corpus
