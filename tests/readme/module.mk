# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
CHECKS += check-readme
check-readme: $(RIVULET) sim-build $(B)/sw/json.elf ## what the README says is pasted and run: three ways in, each with its report
	@tests/readme/run $(B)
.PHONY: check-readme
