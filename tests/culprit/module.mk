# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Not a part of `make check`: a minute, and node.
CULPRIT_APPS := $(filter-out hello selftest kernels,$(SW_APPS))
check-culprit: $(RIVULET) $(WEB_READY) $(CULPRIT_APPS:%=$(B)/sw/%.elf) ## 20 programs with a function that was made slower by 1%: diff and the page name it
	@CC='$(SW_CC)' CFLAGS='$(SW_CFLAGS)' LDFLAGS='$(SW_LDFLAGS)' LIBRARY='$(SW_LIB_OBJS)' tests/culprit/run $(B) $(CULPRIT_APPS)
.PHONY: check-culprit
