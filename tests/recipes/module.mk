# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
CHECKS += check-recipes
check-recipes: $(RIVULET) $(FIXTURE) ## recipes of CONTRIBUTING.md, followed in a copy of the tree
	@tests/recipes/run $(B) $(B)/tests/recipes
.PHONY: check-recipes
