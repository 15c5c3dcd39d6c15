# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# One program, several ways. A part of its own: tests/agree/part_NAME.
CHECKS += check-agree
check-agree: $(RIVULET) $(CYCLES_JUDGE) $(BENCH_APPS:%=$(B)/sw/%.elf) ## every application on train input: records, inserted code and the golden model say the same, number by number
	@tests/agree/run $(B) $(BENCH_APPS)
.PHONY: check-agree
