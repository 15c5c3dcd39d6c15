# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The picture of the README: what the two commands of it print. Simulated numbers are exact, so it can be made again.
PICTURE := $(B)/picture
picture: $(RIVULET) $(B)/sw/json.elf ## the picture of the README, docs/images/report.svg, from the commands that it shows
	@mkdir -p $(PICTURE)
	@$(RIVULET) run --fast --quiet --set input=ref --set way=stream --profile $(PICTURE)/json.prof $(B)/sw/json.elf >/dev/null
	@scripts/picture docs/images/report.svg 'rivulet report --top 5 json.elf json.prof' \
		$(RIVULET) report --top 5 $(B)/sw/json.elf $(PICTURE)/json.prof
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
