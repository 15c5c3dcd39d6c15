# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The pictures of the README, from the commands that they show. Counts differ by some hundreds with the environment.
# tour.svg: what a newcomer types, and what comes, as far as the page. page.png: the page with a program that everybody has,
# Debian's mawk, at work. Look at both before they are committed.
PICTURE := $(B)/picture
picture: $(RIVULET) $(WEB_READY) ## the pictures of the README, docs/images/tour.svg and page.png: cross compiler, qemu, chromium; network for mawk
	@mkdir -p $(PICTURE) && cp docs/examples/words.c $(PICTURE)
	@cd $(PICTURE) && riscv64-linux-gnu-gcc -O2 -g -static -ffile-prefix-map=$(abspath $(PICTURE))=. words.c -o words && \
		$(abspath $(RIVULET)) profile --quiet --records words.rvr ./words >/dev/null && \
		$(abspath $(RIVULET)) view words words.rvr -o words.html && \
		node $(abspath web/test/shot.mjs) words.html '#view=paths&f=main' words.png 1120 560
	@cd $(PICTURE) && PATH=$(abspath $(B))/bin:$$PATH $(abspath scripts/picture) --page words.png $(abspath docs/images/tour.svg) \
		'riscv64-linux-gnu-gcc -O2 -g -static words.c -o words' riscv64-linux-gnu-gcc -O2 -g -static words.c -o words \
		--then 'rivulet profile --top 3 --records words.rvr ./words' rivulet profile --top 3 --records words.rvr ./words \
		--then 'rivulet view words words.rvr' rivulet view words words.rvr -o words.html
	@scripts/picture-mawk $(RIVULET) $(PICTURE) docs/images/page.png
.PHONY: picture

data-flow: ## what runs, what is collected, who reads it: docs/images/data-flow.svg
	@scripts/data-flow draw >docs/images/data-flow.svg
CHECKS += check-data-flow
check-data-flow: $(RIVULET) ## every command, form and format stands in the drawing of the data flow
	@scripts/data-flow check $(RIVULET)
	@sed 's/ sweep$$/ sweeping/; s/callgrind/callgrund/' scripts/data-flow >$(B)/data-flow; \
	! bash $(B)/data-flow check $(RIVULET) >/dev/null 2>&1 || { echo "check-data-flow: does not notice a command that is missing"; exit 1; }
.PHONY: data-flow check-data-flow

house: ## who includes whom, folder by folder: docs/images/house.svg
	@scripts/house draw >docs/images/house.svg
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
