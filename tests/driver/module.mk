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

# The same driver and programs for a core whose TRACE_CSR_BASE is another one.
BASE_ELFS := $(addprefix $(B)/base/sw/,selftest.elf interp.elf)
check-base: $(RIVULET) $(B)/sw/selftest.elf $(B)/sw/interp.elf ## driver, model and run with the trace unit's CSRs elsewhere
	@$(MAKE) -s --no-print-directory B=$(B)/base SW_CSR_BASE=0xBC0 $(BASE_ELFS)
	@tests/driver/base $(RIVULET) $(B)/sw $(B)/base/sw 0xBC0
CHECKS += check-base
.PHONY: check-base
