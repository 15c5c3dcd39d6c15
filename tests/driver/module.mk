# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The trace driver beside a program that has the machine for itself, in every way to collect.
$(B)/sw/registers.elf: $(B)/sw/obj/tests/driver/registers.o
$(eval $(call SW_APP,registers))
check-driver: $(RIVULET) $(B)/sw/registers.elf ## the trace driver beside a program that uses gp and tp as general registers
	@tests/driver/run $(RIVULET) $(B)/sw/registers.elf $(B)/tests/driver
CHECKS += check-driver
.PHONY: check-driver
