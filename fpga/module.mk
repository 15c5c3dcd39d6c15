# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
synth: ## area of the trace unit in each configuration and of the core; writes docs/trace-unit-cost.md (some minutes)
	fpga/synth $(B)
fmax: ## place and route the core on HX8K and UP5K with seeds 1 to 3 and print the clock rates (some minutes)
	fpga/fmax $(B)
.PHONY: synth fmax
