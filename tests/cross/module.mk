# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The retire port between two clocks, and that a queue which tells its other side too early, or too much, is noticed.
CHECKS += check-cross
check-cross: ## the retire port between two clocks: each retirement once, in order, or told to be lost
	@tests/cross/run $(B)
.PHONY: check-cross
