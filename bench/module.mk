# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# selftest drives the unit itself, hello is too short to measure.
BENCH_APPS = $(filter-out selftest hello,$(SW_APPS))
bench: host firmware ## CPI, overlap and overhead of every application on ref input; writes bench/apps.md (some minutes)
	@rm -f $(B)/bench/rows.new
	@bench/apps $(B) $(BENCH_APPS)
.PHONY: bench
