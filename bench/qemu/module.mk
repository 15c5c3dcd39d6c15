# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The applications as programs of RV64 Linux, and what profiles of them cost.
QEMU_BENCH := qsort interp lz regex huffman dijkstra
$(QEMU_BENCH:%=$(B)/bench/qemu/%): $(B)/bench/qemu/%: bench/qemu/linux.c $(wildcard sw/apps/*/*.[ch])
	@mkdir -p $(@D)
	@riscv64-linux-gnu-gcc -O2 -g -static -I. -Isw/run bench/qemu/linux.c $(wildcard sw/apps/$(@F)/*.c) -o $@ -lm
$(B)/bench/qemu/empty.so: bench/qemu/empty.c host/qemu/plugin.h
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS_HOST)) $(CPPFLAGS_HOST) -g0 -fPIC -shared -fvisibility=hidden $< -o $@
bench-qemu: $(RIVULET) $(B)/bench/qemu/empty.so $(QEMU_BENCH:%=$(B)/bench/qemu/%) ## what profiles of Linux programs cost, as multiples of qemu's own time; writes bench/qemu.md
	@bench/qemu/run $(B) bench/qemu.md $(QEMU_BENCH)
	@scripts/fold-document bench/qemu.md
.PHONY: bench-qemu
