# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The run-time optimiser: the same sources in the firmware and on the host.
OPTIMISE_SRCS := $(wildcard sw/optimise/*.c)
LIB_SRCS += $(OPTIMISE_SRCS)
TESTS += check_optimise check_optimise_counts

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

# ---------------------------------------------------------------- on the core: build/optimise/APP.elf
# The same applications, linked with the optimiser: sw/run/optimise.c stands between main.c and the driver.
OPT := $(B)/optimise
OPT_RAM ?= 512K
OPT_MEMORY ?= 256K
OPT_LIB_SRCS = $(SW_LIB_SRCS) sw/run/optimise.c sw/run/engine.c sw/run/memory.c sw/run/patches.c $(OPTIMISE_SRCS) isa/isa.c isa/table.c
OPT_LIB_OBJS = $(patsubst %,$(OPT)/obj/%.o,$(basename $(OPT_LIB_SRCS)))
OPT_LDFLAGS = $(subst __ram_size=$(SW_RAM),__ram_size=$(OPT_RAM),$(SW_LDFLAGS)) -Wl,--defsym=__optimise_size=$(OPT_MEMORY) \
	$(addprefix -Wl$(comma)--wrap=,trace_prepare trace_start trace_stop trace_adopt table_sort hal_exit hal_trap)
comma := ,
$(OPT)/obj/%.o: SW_CONFIG_CFLAGS =
$(OPT)/obj/%.o: %.c sw/module.mk sw/optimise/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -MMD -MP -c $< -o $@
$(OPT)/obj/%.o: %.S sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -MMD -MP -c $< -o $@
# The optimiser's own memset and memcpy: those of the library are the program's, and may be patched while it works.
# However the program is compiled, this is made to be fast: it takes the program's time.
OPT_OWN = $(patsubst %.c,$(OPT)/obj/%.o,$(OPTIMISE_SRCS) isa/isa.c isa/table.c)
$(OPT_OWN): $(OPT)/obj/%.o: %.c sw/module.mk sw/optimise/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) -O2 -finline-limit=1000 -MMD -MP -c $< -o $@
	riscv64-unknown-elf-objcopy --redefine-sym memset=optimise_memset --redefine-sym memcpy=optimise_memcpy --redefine-sym memmove=optimise_memmove $@
define OPT_APP
$(OPT)/$(1).elf: $$(patsubst %.c,$$(B)/sw/obj/%.o,$$(wildcard sw/apps/$(1)/*.c)) $$(patsubst %.S,$$(B)/sw/obj/%.o,$$(wildcard sw/apps/$(1)/*.S)) \
		$$(B)/sw/obj/name/$(1).o $$(OPT_LIB_OBJS) sw/hal/link.ld
	$$(SW_CC) $$(SW_CFLAGS) $$(OPT_LDFLAGS) $$(filter %.o,$$^) -o $$@ -lm
endef
$(foreach app,$(SW_APPS),$(eval $(call OPT_APP,$(app))))
-include $(shell find $(OPT) -name '*.d' 2>/dev/null)
firmware-optimise: $(SW_APPS:%=$(OPT)/%.elf) ## every application linked with the optimiser that runs on the core: build/optimise/APP.elf
.PHONY: firmware-optimise

# ---------------------------------------------------------------- random programs on the core
$(B)/bin/optimise-generate: $(B)/host/tests/optimise/generate.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
$(OPT)/obj/name/random.o: sw/run/name.c sw/module.mk
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) '-DAPP_NAME="random"' -c $< -o $@
$(OPT)/random.elf: $(OPT)/obj/tests/optimise/random/random.o $(OPT)/obj/tests/optimise/random/enter.o $(OPT)/obj/name/random.o $(OPT_LIB_OBJS) sw/hal/link.ld
	$(SW_CC) $(SW_CFLAGS) $(OPT_LDFLAGS) $(filter %.o,$^) -o $@ -lm

# Programs of the tests: one that changes its code, and looks at pc and registers of faults; one whose trace loses; one
# whose divisors repeat; one with breakpoints of its own
define OPT_TEST
$(OPT)/obj/name/$(1).o: sw/run/name.c sw/module.mk
	@mkdir -p $$(@D)
	$$(SW_CC) $$(SW_CFLAGS) '-DAPP_NAME="$(1)"' -c $$< -o $$@
$(OPT)/$(1).elf: $(OPT)/obj/tests/optimise/$(1)/$(1).o $(OPT)/obj/tests/optimise/$(1)/$(2).o $(OPT)/obj/name/$(1).o $$(OPT_LIB_OBJS) sw/hal/link.ld
	$$(SW_CC) $$(SW_CFLAGS) $$(OPT_LDFLAGS) $$(filter %.o,$$^) -o $$@ -lm
endef
$(eval $(call OPT_TEST,changes,loops))
$(eval $(call OPT_TEST,loses,loop))
$(eval $(call OPT_TEST,divides,divide))
$(eval $(call OPT_TEST,breaks,divide))

CHECKS += check-optimise
OPTIMISE_RANDOM ?= $(call share,300,100)
SHORTENED += check-optimise
check-optimise: $(RIVULET) $(B)/bin/optimise-generate $(OPT)/random.elf $(OPT)/changes.elf $(OPT)/loses.elf $(OPT)/divides.elf $(OPT)/breaks.elf $(SW_APPS:%=$(OPT)/%.elf) ## the optimiser on the core: every application, OPTIMISE_RANDOM (300) random programs: output and state as without it
	@tests/optimise/core.sh $(RIVULET) $(B)/tests/optimise-core $(SW_APPS:%=$(OPT)/%.elf)
	@tests/optimise/changes.sh $(RIVULET) $(B)/tests/optimise-changes $(OPT)/changes.elf
	@tests/optimise/loses.sh $(RIVULET) $(B)/tests/optimise-loses $(OPT)/loses.elf
	@tests/optimise/divides.sh $(RIVULET) $(B)/tests/optimise-divides $(OPT)/divides.elf
	@tests/optimise/breaks.sh $(RIVULET) $(B)/tests/optimise-breaks $(OPT)/breaks.elf
	@tests/optimise/own.sh $(RIVULET) $(B)/tests/optimise-own 390 $(OPT)/json.elf $(OPT)/huffman.elf $(OPT)/kernels.elf
	@tests/optimise/random.sh $(RIVULET) $(B)/bin/optimise-generate $(OPT)/random.elf $(B)/tests/optimise-random 1 $(OPTIMISE_RANDOM)
.PHONY: check-optimise

# ---------------------------------------------------------------- what it brings
$(B)/bin/optimise-where: $(B)/host/bench/optimise_where.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
$(B)/bin/optimise-loss: $(B)/host/bench/optimise_loss.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
bench-optimise-loss: $(RIVULET) $(B)/bin/optimise-loss $(BENCH_APPS:%=$(B)/sw/%.elf) $(BENCH_APPS:%=$(OPT)/%.elf) ## where the optimiser on the core loses what an exact profile would bring, writes bench/optimise-loss.md; APPS="json qsort", WAYS=samples: prints these (a quarter of an hour)
	@FEW="$(APPS)$(WAYS)" bench/optimise-loss $(B) $(or $(APPS),$(BENCH_APPS))
.PHONY: bench-optimise-loss
bench-optimise: $(RIVULET) $(B)/bin/optimise-where $(BENCH_APPS:%=$(B)/sw/%.elf) $(BENCH_APPS:%=$(OPT)/%.elf) ## the optimiser on the core and on the host, every application, -O2, -O1, -Os; writes bench/optimise.md (ten minutes of processor)
	@$(MAKE) -s --no-print-directory B=$(B)/O1 SW_EXTRA_CFLAGS=-O1 $(BENCH_APPS:%=$(B)/O1/optimise/%.elf)
	@$(MAKE) -s --no-print-directory B=$(B)/Os SW_EXTRA_CFLAGS=-Os $(BENCH_APPS:%=$(B)/Os/optimise/%.elf)
	@bench/optimise $(B) $(BENCH_APPS)
.PHONY: bench-optimise

# RTL and golden model in lockstep, with the optimiser at work
check-optimise-lockstep: $(TB)/lockstep $(B)/bin/optimise-generate $(OPT)/random.elf $(OPT)/hello.elf $(OPT)/qsort.elf ## the optimiser on the RTL, in lockstep with the golden model: 0 differences
	@tests/optimise/lockstep.sh $(TB)/lockstep $(B)/bin/optimise-generate $(OPT) $(B)/tests/optimise-lockstep $(call share,,share)
CHECKS += check-optimise-lockstep
SHORTENED += check-optimise-lockstep
.PHONY: check-optimise-lockstep
