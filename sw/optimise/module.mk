# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The run-time optimiser: the same sources in the firmware and on the host.
OPTIMISE_SRCS := $(wildcard sw/optimise/*.c)
LIB_SRCS += $(OPTIMISE_SRCS)
TESTS += check_optimise

# Long: every pass, ten million random states through traces of random programs, and the programs themselves.
OPTIMISE_PAIRS ?= 10000000
optimise-pairs: $(B)/tests/check_optimise ## OPTIMISE_PAIRS (10 million) random states through optimised traces, and through the program (some minutes)
	@OPTIMISE_PAIRS=$(OPTIMISE_PAIRS) $<
.PHONY: optimise-pairs

# selftest drives the trace unit itself, and expects the traces of its own code: it has no profile.
OPTIMISE_APPS := $(filter-out selftest,$(SW_APPS))
CHECKS += check-optimise-host
check-optimise-host: $(RIVULET) $(OPTIMISE_APPS:%=$(B)/sw/%.elf) ## rivulet optimise: every application written anew, the same output, fewer cycles
	@tests/optimise/run $(RIVULET) $(B)/tests/optimise $(OPTIMISE_APPS:%=$(B)/sw/%.elf)
.PHONY: check-optimise-host
