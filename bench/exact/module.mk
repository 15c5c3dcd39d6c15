# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# firmware with sample and hold
$(BENCH_APPS:%=$(B)/rate/sw/%.elf): FORCE
	@$(MAKE) -s --no-print-directory B=$(B)/rate SW_RATE=1 $@
bench-exact: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(BENCH_APPS:%=$(B)/rate/sw/%.elf) ## overhead of exact profiles by the unit's table, each application on ref input; writes bench/exact.md (minutes)
	@bench/exact/run $(B) $(BENCH_APPS)
.PHONY: bench-exact
