# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The picture of the README: what a newcomer types, and what comes. Counts differ by some hundreds with the environment.
PICTURE := $(B)/picture
picture: $(RIVULET) ## the picture of the README, docs/images/tour.svg, from the commands that it shows
	@mkdir -p $(PICTURE) && cp docs/examples/words.c $(PICTURE)
	@cd $(PICTURE) && PATH=$(abspath $(B))/bin:$$PATH $(abspath scripts/picture) $(abspath docs/images/tour.svg) \
		'riscv64-linux-gnu-gcc -O2 -g -static words.c -o words' riscv64-linux-gnu-gcc -O2 -g -static words.c -o words \
		--then 'rivulet profile --top 4 ./words' rivulet profile --top 4 ./words
.PHONY: picture

house: ## who includes whom, folder by folder: docs/images/house.svg
	@scripts/house dot | dot -Tsvg >docs/images/house.svg
# It has to notice an arrow up and a folder that it does not know.
HOUSE := $(B)/house
check-house: ## no folder includes what stands above it (docs/house.md)
	@rm -rf $(HOUSE) && mkdir -p $(HOUSE)/common $(HOUSE)/host/attic
	@echo '#include "host/cmd/cmd.h"' >$(HOUSE)/common/frame.h
	@echo '#include "common/frame.h"' >$(HOUSE)/host/attic/attic.h
	@! scripts/house check $(HOUSE) 2>$(HOUSE)/said && [ $$(grep -c 'stands above it\|has no floor' $(HOUSE)/said) = 2 ] || \
		{ echo "check-house: an arrow up and an unknown folder are not noticed"; exit 1; }
	@scripts/house check
CHECKS += check-house
.PHONY: house check-house

CHECKS += check-limits
check-limits: ## the sentences of docs/limits.md are those of the sources
	@scripts/check-limits
	@sed 's/sampled, so most/sampled, so all/' docs/limits.md >$(B)/limits.md; ! scripts/check-limits $(B)/limits.md >/dev/null 2>&1 || \
		{ echo "check-limits: does not notice a sentence that no source has"; exit 1; }
.PHONY: check-limits
