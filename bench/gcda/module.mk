# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
bench-gcda: $(RIVULET) ## what gcc -fprofile-use gains for lua by our counters, against its own; writes bench/gcda.md
	@bench/gcda/run $(B) bench/gcda.md
	@scripts/fold-document bench/gcda.md
.PHONY: bench-gcda
