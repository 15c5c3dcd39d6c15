# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The trace driver beside programs that have the machine for themselves, in every way to collect.
DRIVER_OWN := own1 own2 own3 own4 own5 own6 own7
DRIVER_PROGRAMS := $(patsubst %,$(B)/sw/%.elf,registers $(DRIVER_OWN))
$(B)/sw/registers.elf: $(B)/sw/obj/tests/driver/registers.o
$(eval $(call SW_APP,registers))
$(DRIVER_OWN:%=$(B)/sw/obj/tests/driver/%.o): $(B)/sw/obj/tests/driver/own%.o: tests/driver/own.c tests/driver/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -DOWN=$* -MMD -MP -c $< -o $@
$(foreach own,$(DRIVER_OWN),$(eval $(B)/sw/$(own).elf: $(B)/sw/obj/tests/driver/$(own).o $(B)/sw/obj/tests/driver/own.o)$(eval $(call SW_APP,$(own))))
$(B)/sw/obj/tests/driver/own.o: tests/driver/own.S
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -c $< -o $@
check-driver: $(RIVULET) $(DRIVER_PROGRAMS) ## the trace driver beside programs with own registers, vectors, mscratch, timer and interrupts, in every way to collect
	@tests/driver/run $(RIVULET) $(B)/tests/driver $(DRIVER_PROGRAMS)
CHECKS += check-driver
.PHONY: check-driver
