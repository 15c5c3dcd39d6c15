# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The applications as Linux programs, from the same objects.
define SPEED_USER
$$(B)/bench/user/$(1): $$(B)/sw/$(1).elf bench/speed/user.c bench/speed/user.ld bench/speed/module.mk
	@mkdir -p $$(@D)
	@$$(SW_CC) $$(SW_CFLAGS) -c bench/speed/user.c -o $$@.o
	@$$(SW_CC) $$(SW_CFLAGS) -nostartfiles -static -Wl,--gc-sections -Wl,--no-warn-rwx-segments -T bench/speed/user.ld \
	    $$(patsubst %.c,$$(B)/sw/obj/%.o,$$(wildcard sw/apps/$(1)/*.c)) $$@.o -o $$@ -lm
endef
$(foreach app,$(BENCH_APPS),$(eval $(call SPEED_USER,$(app))))
bench-speed: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(BENCH_APPS:%=$(B)/bench/user/%) ## instructions a second of every way to run; writes bench/speed.md
	@bench/speed/run $(B) bench/speed.md $(BENCH_APPS)
	@scripts/fold-document bench/speed.md
.PHONY: bench-speed
