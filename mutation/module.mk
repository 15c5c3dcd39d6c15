# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Faults put into the netlists of trace unit, dense coder and core, one at a time: do the tests notice?
MUTANTS_TRACE ?= 1000
MUTANTS_PORT ?= 400
MUTANTS_DENSE ?= 400
MUTANTS_CORE ?= 2000
MUTANTS_NTRACE ?= 300
MUTANTS_TABLE ?= 100
MUTANTS_SINK ?= 100
MUTANTS_RECORDER ?= 100
MUTANTS_TWO ?= 60
MUTANTS_ARBITER ?= 60
MUTANTS_SHORT ?= 20
MUTATION_SEED ?= 1
MUTATION_ENV = GEN=$(RANDOM_GEN) RANDOM_CC="$(ASM_CC)" RTL_BUILD="$(call RTL_BUILD,$(SIM_BUILD))" LIBRARIES="$(LIBS_HOST)" \
	OBJECTS_CORE="$(TB_OBJS)" OBJECTS_PMP="$(B)/host/tests/kernel/pmp_bench.o" OBJECTS_TRACE="$(filter-out %/tb/trace/lockstep.o,$(TTB_OBJS))" \
	OBJECTS_DENSE="$(filter-out %/tb/dense/units.o,$(DTB_OBJS))"
MUTATION_ENV += OBJECTS_RING="$(RINGTB_OBJS)"
MUTATION_ENV += OBJECTS_NTRACE="$(filter-out %/tb/ntrace/units.o,$(NTB_OBJS))"
MUTATION_NEEDS = $(NTB_OBJS) $(TB_OBJS) $(B)/host/tests/kernel/pmp_bench.o $(filter-out %/tb/trace/lockstep.o,$(TTB_OBJS)) $(filter-out %/tb/dense/units.o,$(DTB_OBJS)) $(UNIT_RUNTIME) $(LIB) $(RANDOM_GEN) $(ASM_ELFS)
CHECKS += check-mutation
mutation: $(MUTATION_NEEDS) ## mutants of trace unit, dense coder and core that the tests notice: MUTANTS_TRACE=$(MUTANTS_TRACE) MUTANTS_PORT=$(MUTANTS_PORT) MUTANTS_DENSE=$(MUTANTS_DENSE) MUTANTS_CORE=$(MUTANTS_CORE), goes on where it was interrupted
	@$(MUTATION_ENV) nice -n 10 mutation/run trace $(MUTANTS_TRACE) $(MUTATION_SEED) $(B)
	@$(MUTATION_ENV) nice -n 10 mutation/run port $(MUTANTS_PORT) $(MUTATION_SEED) $(B)
	@$(MUTATION_ENV) nice -n 10 mutation/run dense $(MUTANTS_DENSE) $(MUTATION_SEED) $(B)
	@$(MUTATION_ENV) nice -n 10 mutation/run core $(MUTANTS_CORE) $(MUTATION_SEED) $(B)
mutation-ntrace: $(MUTATION_NEEDS) ## mutants of the N-Trace encoder that its lockstep notices: MUTANTS_NTRACE=$(MUTANTS_NTRACE); fails while one lives without a reason
	@$(MUTATION_ENV) nice -n 10 mutation/run ntrace $(MUTANTS_NTRACE) $(MUTATION_SEED) $(B)
MUTATION_UNIT_NEEDS = $(filter-out %/tb/trace/lockstep.o,$(TTB_OBJS)) $(UNIT_RUNTIME) $(LIB)
mutation-table: $(MUTATION_UNIT_NEEDS) ## mutants of the hot-trace table that its lockstep notices: MUTANTS_TABLE=$(MUTANTS_TABLE); fails while one lives without a reason
	@$(MUTATION_ENV) nice -n 10 mutation/run table $(MUTANTS_TABLE) $(MUTATION_SEED) $(B)
mutation-sink: $(MUTATION_UNIT_NEEDS) ## mutants of the sink that its lockstep notices: MUTANTS_SINK=$(MUTANTS_SINK); fails while one lives without a reason
	@$(MUTATION_ENV) nice -n 10 mutation/run sink $(MUTANTS_SINK) $(MUTATION_SEED) $(B)
mutation-two: $(MUTATION_UNIT_NEEDS) ## mutants of the unit with two retirements a cycle that its lockstep notices: MUTANTS_TWO=$(MUTANTS_TWO); fails while one lives without a reason
	@$(MUTATION_ENV) nice -n 10 mutation/run two $(MUTANTS_TWO) $(MUTATION_SEED) $(B)
mutation-arbiter: $(UNIT_RUNTIME) $(LIB) ## mutants of the arbiter of several units that its lockstep notices: MUTANTS_ARBITER=$(MUTANTS_ARBITER); fails while one lives without a reason
	@$(MUTATION_ENV) nice -n 10 mutation/run arbiter $(MUTANTS_ARBITER) $(MUTATION_SEED) $(B)
mutation-recorder: $(RINGTB_OBJS) $(UNIT_RUNTIME) $(LIB) ## mutants of the ring of the dense coder that its lockstep notices: MUTANTS_RECORDER=$(MUTANTS_RECORDER); fails while one lives without a reason
	@$(MUTATION_ENV) nice -n 10 mutation/run recorder $(MUTANTS_RECORDER) $(MUTATION_SEED) $(B)
check-mutation: $(MUTATION_NEEDS) ## MUTANTS_SHORT=$(MUTANTS_SHORT) mutants of trace unit, dense coder and core: the tests notice them
	@set -o pipefail; for part in trace dense core; do $(MUTATION_ENV) mutation/run --short $$part $(MUTANTS_SHORT) $(MUTATION_SEED) $(B) | tail -1 || exit 1; done
.PHONY: mutation mutation-ntrace mutation-table mutation-sink mutation-two mutation-arbiter mutation-recorder check-mutation
