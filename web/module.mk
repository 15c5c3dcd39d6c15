# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The page of `rivulet view`. It needs node and npm; everything else is built without them.
WEB_PAGE := $(B)/web/page.html
WEB_READY := web/node_modules/.rivulet-ready
web: $(WEB_PAGE) ## build the page of rivulet view (node and npm; `make host' then puts it into rivulet)
$(WEB_READY): web/package.json web/package-lock.json web/.npmrc
	@command -v npm >/dev/null || { echo "web: npm is missing; scripts/setup installs it"; exit 1; }
	cd web && npm ci --silent
	touch $@
$(WEB_PAGE): $(WEB_READY) web/build.mjs web/tsconfig.json $(wildcard web/src/*)
	cd web && node_modules/.bin/tsc --noEmit -p .
	node web/build.mjs $@
.PHONY: web
# What a release shows: one file, small enough to be attached to it.
DEMO_PAGE := $(B)/demo-page
demo-page: $(WEB_PAGE) $(RIVULET) $(B)/sw/json.elf ## a page of rivulet view to show: a parser of JSON, 41 M instructions, as one file
	@mkdir -p $(DEMO_PAGE)
	$(RIVULET) run --quiet --set way=stream --set input=ref --records $(DEMO_PAGE)/json.rvr $(B)/sw/json.elf
	$(RIVULET) view --page $(WEB_PAGE) -o $(DEMO_PAGE)/json.html $(B)/sw/json.elf $(DEMO_PAGE)/json.rvr
	@echo "$(DEMO_PAGE)/json.html: $$(wc -c <$(DEMO_PAGE)/json.html) bytes"
.PHONY: demo-page
# Times, so no test: they depend on the machine.
bench-view: $(WEB_PAGE) $(RIVULET) $(B)/tests/view/deep.elf ## what the page costs: opening, steps of the time filter, frames, in milliseconds of processor
	@node web/test/speed.mjs $(WEB_PAGE) $(RIVULET) $(B)/tests/view/deep.elf
.PHONY: bench-view
$(B)/tests/view/busy: web/test/busy.c
	@mkdir -p $(@D)
	riscv64-linux-gnu-gcc -O2 -g -static $< -o $@
bench-live: $(WEB_PAGE) $(RIVULET) $(B)/sw/json.elf $(B)/tests/view/busy ## the page beside run, profile and record: seconds to the first picture and between pictures, the server's processor
	@web/test/alongside $(B)
.PHONY: bench-live
CHECKS += check-view
VIEW_DEEP := $(B)/tests/view/deep
$(VIEW_DEEP).name.o: sw/run/name.c sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) '-DAPP_NAME="deep"' -c $< -o $@
$(VIEW_DEEP).elf: SW_STACK := 64K
$(VIEW_DEEP).elf: $(B)/sw/obj/web/test/deep.o $(VIEW_DEEP).name.o $(SW_LIB_OBJS) sw/hal/link.ld
	$(SW_CC) $(SW_CFLAGS) $(SW_LDFLAGS) $(filter %.o,$^) -o $@ -lm
check-view: $(WEB_PAGE) $(RIVULET) $(B)/sw/json.elf $(VIEW_DEEP).elf ## the page of rivulet view in a browser: every number read back from what is drawn
	@web/test/check $(B)
.PHONY: check-view
