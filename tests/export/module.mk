# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Export formats in their real consumers.
EXPORT_APPS ?= json qsort
CHECKS += check-export
check-export: $(RIVULET) $(EXPORT_APPS:%=$(B)/sw/%.elf) ## the export formats opened by callgrind_annotate, llvm-profdata, clang, genhtml and others
	@PGO_CFLAGS="$(PGO_CFLAGS)" tests/export/run $(B) $(EXPORT_APPS)
.PHONY: check-export
