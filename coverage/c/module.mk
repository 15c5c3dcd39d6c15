# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Lines and branches of the host's C that the Check suites and tests/cmd reach: docs/coverage-c.md.
COVC := $(B)/cov
COVC_CFLAGS := --coverage -fprofile-update=atomic -O0 -Wno-error
# COVC_TESTS: the suites; by default all
COVC_TESTS ?= $(TESTS)
COVC_CHECKS ?= check-gdb check-man check-paths check-export
COVC_MAKE = $(MAKE) --no-print-directory -s B=$(COVC) EXTRA_CFLAGS="$(COVC_CFLAGS)" FAST_RANDOM=5
coverage-c-build: $(FIXTURE) $(SW_APPS:%=$(B)/sw/%.elf) $(B)/gen/host/export/profile.pb-c.c
	@mkdir -p $(COVC)
	@for shared in sw gen; do [ -e $(COVC)/$$shared ] || ln -s ../$$shared $(COVC)/$$shared; done
	@$(COVC_MAKE) $(COVC)/bin/rivulet $(COVC_TESTS:%=$(COVC)/tests/%) $(COVC)/tests/fixture.elf
coverage-c: coverage-c-build ## line and branch coverage of the host's C; page in build/coverage/c, table in docs/coverage-c.md (some minutes)
	@COVC_CHECKS="$(COVC_CHECKS)" COVC_MAKE='$(COVC_MAKE)' coverage/c/run $(COVC) $(B)/coverage/c $(COVC_TESTS)
.PHONY: coverage-c-build coverage-c
