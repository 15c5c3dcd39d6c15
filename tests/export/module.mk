# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Export formats in their real consumers.
EXPORT_APPS ?= json qsort
CHECKS += check-export
check-export: $(RIVULET) $(EXPORT_APPS:%=$(B)/sw/%.elf) ## the export formats opened by callgrind_annotate, llvm-profdata, clang, genhtml and others
	@PGO_CFLAGS="$(PGO_CFLAGS)" tests/export/run $(B) $(EXPORT_APPS)
# selftest drives the unit itself and collects nothing; in hello every function that ran is inlined somewhere.
CHECKS += check-accounts
check-accounts: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) ## report, annotate, diff and exports of the same records say the same of every application, number by number
	@tests/export/accounts $(B) $(BENCH_APPS)
CHECKS += check-bolt
check-bolt: $(RIVULET) ## exact branches in perf, perf2bolt, llvm-bolt, llvm-profgen, create_llvm_prof (LEVELS="-O1 -O2")
	@tests/export/bolt $(B) $(B)/tests/bolt
CHECKS += check-gcda
check-gcda: $(RIVULET) ## counters for gcc -fprofile-use from a profile: read by gcov, taken by gcc, held against gcc's own
	@tests/export/gcda $(B) $(B)/tests/gcda
.PHONY: check-export check-accounts check-bolt check-gcda
