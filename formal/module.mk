# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Proofs. FORMAL=--full: to their full depth.
FORMAL ?=
CHECKS += formal-core
formal-core: ## the core's properties by bounded model checking, each shown to notice a fault (FORMAL=--full: full depth)
	@formal/prove-core $(FORMAL) $(B)
.PHONY: formal-core
