# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Exact profiles by the sink: from outside, and by its driver.
SINK_APPS := lz printf regex
SINK_OBJS := $(filter-out $(B)/sw/obj/sw/run/main.o,$(SW_LIB_OBJS)) $(B)/sw/obj/tests/sink/ring.o
SINK_ELFS := $(SINK_APPS:%=$(B)/tests/sink/%.elf)
# $(1): application
define SINK_APP
$(B)/tests/sink/$(1).elf: $$(patsubst %.c,$$(B)/sw/obj/%.o,$$(wildcard sw/apps/$(1)/*.c)) $$(B)/sw/obj/name/$(1).o $$(SINK_OBJS) sw/hal/link.ld
	@mkdir -p $$(@D)
	$$(SW_CC) $$(SW_CFLAGS) $$(SW_LDFLAGS) $$(filter %.o,$$^) -o $$@ -lm
endef
$(foreach app,$(SINK_APPS),$(eval $(call SINK_APP,$(app))))
CHECKS += check-sink
check-sink: $(RIVULET) $(SINK_ELFS) $(APP_ELFS) ## profiles that the sink wrote to memory are those of all records
	@tests/sink/run $(B) $(SINK_APPS)
.PHONY: check-sink
