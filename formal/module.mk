# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Proofs. FORMAL=--full: to their full depth, in all configurations.
FORMAL ?= $(call share,,--holds)
SHORTENED += formal-trace formal-two formal-core formal-dense formal-options formal-cross formal-arbiter
CHECKS += formal-trace formal-options formal-parts formal-two formal-core formal-front formal-ntrace formal-table formal-sink formal-dense check-options
formal: formal-trace formal-options formal-parts formal-two formal-core formal-front formal-ntrace formal-table formal-sink formal-dense formal-cross formal-arbiter ## proofs of the trace unit, the N-Trace encoder and the dense coder (without bound) and of the core (bounded); FORMAL=--full: full depth
formal-trace: ## the trace unit's properties by property directed reachability, each shown to notice a fault
	@formal/prove $(FORMAL) $(call share,,--narrow) formal/trace/checks.tbl $(B)
formal-options: ## what the trace unit's options change in its records, without bound, each property shown to notice a fault
	@formal/prove $(FORMAL) formal/trace/options.tbl $(B) $(call share,,TERM)
formal-parts: ## hold record, sampling counter and retire queue alone, without bound, each property shown to notice a fault
	@formal/prove $(FORMAL) formal/parts/checks.tbl $(B)
formal-two: ## two retirements a cycle: the records of one with one slot, in order, without bound
	@formal/prove $(FORMAL) formal/two/checks.tbl $(B)
	@formal/prove $(FORMAL) formal/two/records.tbl $(B) $(call share,,STEPS FROZEN)
check-options: ## every option of the trace unit has a property that notices a fault
	@formal/options
formal-front: ## the bus fronts of the trace unit, without bound, each shown to notice a fault
	@formal/prove $(filter --full,$(FORMAL)) formal/front/checks.tbl $(B)
formal-table: ## the hot-trace table counts each trace once and only once, without bound, each property shown to notice a fault
	@formal/prove $(filter --full,$(FORMAL)) formal/table/checks.tbl $(B)
formal-sink: ## the sink writes each record once, in order, and to no place that was not read, without bound
	@formal/prove $(filter --full,$(FORMAL)) formal/sink/checks.tbl $(B)
formal-dense: ## the dense coder codes each record once, in order, or tells its loss, and its bytes are legal; its ring keeps what is frozen; without bound
	@formal/prove $(FORMAL) formal/dense/checks.tbl $(B)
	@formal/prove $(FORMAL) formal/recorder/checks.tbl $(B)
formal-cross: ## the crossing of the retire port to another clock loses nothing that it took, without bound (make check-long)
	@formal/prove $(filter --full,$(FORMAL)) formal/cross/checks.tbl $(B)
formal-arbiter: ## the arbiter of several units lets each record out once, in order, or tells its loss, without bound (make check-long)
	@formal/prove $(filter --full,$(FORMAL)) formal/arbiter/checks.tbl $(B)
formal-core: ## the core's properties by bounded model checking, each shown to notice a fault
	@formal/prove $(FORMAL) formal/core/checks.tbl $(B)
formal-ntrace: ## the N-Trace encoder's properties, each shown to notice a fault
	@formal/prove $(filter --full,$(FORMAL)) formal/ntrace/checks.tbl $(B)
riscv-formal: ## the checks of a riscv-formal checkout on the core: RISCV_FORMAL=FOLDER (and CHECK="name ...")
	@[ -n "$(RISCV_FORMAL)" ] || { echo "riscv-formal: say where the checkout is: make riscv-formal RISCV_FORMAL=FOLDER"; exit 2; }
	@formal/riscv-formal/run $(RISCV_FORMAL) $(B) $(CHECK)
.PHONY: riscv-formal formal formal-trace formal-options formal-parts formal-two check-options formal-core formal-front formal-ntrace formal-table formal-sink formal-dense formal-cross formal-arbiter
