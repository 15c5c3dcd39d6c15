# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
bench-exact: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) ## overhead of exact profiles by the unit's table, each application on ref input; writes bench/exact.md (minutes)
	@bench/exact/run $(B) $(BENCH_APPS)
.PHONY: bench-exact
