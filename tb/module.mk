# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The lockstep bench. tb/regress runs it over many programs.
SIM_RAM ?= 4194304
SIM_JOBS ?= 2
RANDOM_PROGRAMS ?= $(call share,200,30)
SHORTENED += sim
SEED ?= 1
WAVE_BEFORE ?= 400
WAVE_AFTER ?= 50
TB := $(B)/tb
TB_SRCS := $(addprefix tb/,boot.c functional.c history.c lockstep.c operands.c options.c program.c sample.c stimulus.c uart_tap.c)
TB_OBJS = $(TB_SRCS:%.c=$(B)/host/%.o)
SIM_RTL = $(shell cat rtl/rivulet_sim.f) $(wildcard rtl/trace/*.vh)
VERILATE := verilator --cc -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint -Wno-style \
	--top-module rivulet_sim --prefix Vrivulet_sim -f rtl/rivulet_sim.f -y rtl/trace -Irtl/trace -I$(B)/gen
VERILATOR_ROOT_DIR := $(shell verilator --getenv VERILATOR_ROOT 2>/dev/null)
SHIM_FLAGS = -Wno-missing-field-initializers -std=c++17 -O3 -Wall -Wextra -I. -isystem $(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd

# A build of the SoC: parameters of rivulet_sim by name, and the same as members of struct rtl_build (tb/shim.h)
SIM_BUILD := RAM_BYTES=$(SIM_RAM) WITH_C=1 WITH_M=1 MUL_FAST=1 WITH_COUNTERS=1 PMP_REGIONS=4 PMP_GRAIN=0
RTL_BUILD = $(shell echo '$(foreach p,$(1),.$(p)$(COMMA))' | tr -d ' ' | tr A-Z a-z)
COMMA := ,

# Verilator's run time is compiled once, for all benches but those with waves or coverage. UNIT_RUNTIME: what a unit alone needs.
RUNTIME := $(TB)/runtime
UNIT_RUNTIME := $(RUNTIME)/verilated.o $(RUNTIME)/verilated_threads.o
RUNTIME_OBJS := $(UNIT_RUNTIME) $(RUNTIME)/verilated_dpi.o $(RUNTIME)/verilated_timing.o
$(RUNTIME_OBJS): $(RUNTIME)/%.o: $(VERILATOR_ROOT_DIR)/include/%.cpp tb/module.mk
	@mkdir -p $(@D)
	@g++ -std=c++17 -fcoroutines -O2 -I$(VERILATOR_ROOT_DIR)/include -isystem $(VERILATOR_ROOT_DIR)/include/vltstd -c $< -o $@
# For a bench that verilator builds itself: in a recipe an empty folder with the run time in it, and the option that lets it stay
fresh_bench = rm -rf $(1) && mkdir -p $(1) && cp $(RUNTIME_OBJS) $(1)
WITH_RUNTIME := -MAKEFLAGS "$(foreach o,$(RUNTIME_OBJS),-o $(notdir $(o)))"
# $(1): directory, $(2): verilator's options, $(3): 1 with FST, $(4): parts of its run time, $(5): build
define verilated
$(TB)/$(1).options: FORCE
	@mkdir -p $(TB) && echo '$(2) $(5) $(VERILATE)' | cmp -s - $$@ || echo '$(2) $(5) $(VERILATE)' >$$@
$(TB)/$(1)/stamp: $$(SIM_RTL) rtl/rivulet_sim.f $(TB)/$(1).options $(RUNTIME_OBJS)
	@$(if $(filter --%,$(2)),rm -rf $(TB)/$(1) && mkdir -p $(TB)/$(1),$(call fresh_bench,$(TB)/$(1)))
	$(VERILATE) $(2) $(addprefix -G,$(5)) --Mdir $(TB)/$(1)
	+$$(MAKE) --no-print-directory -C $(TB)/$(1) -f Vrivulet_sim.mk OPT_FAST="$(if $(filter fast wave,$(1)),-O3 -fno-plt,-O1)" OPT_SLOW=-O0 OPT_GLOBAL=-O2 Vrivulet_sim__ALL.a $(if $(filter --%,$(2)),$(4:%=%.o)) >$(TB)/$(1)/log 2>&1 || { cat $(TB)/$(1)/log; false; }
	@touch $$@
$(TB)/$(1)/shim.o: tb/shim.cpp tb/shim.h tb/observe.h tb/signals.def $(TB)/$(1)/stamp
	g++ $(SHIM_FLAGS) -I$(TB)/$(1) -DVM_TRACE_FST=$(3) -DVM_COVERAGE=$(if $(findstring --coverage,$(2)),1,0) -DRTL_BUILD=$$(call RTL_BUILD,$(5)) -c tb/shim.cpp -o $$@
endef
FORCE:
.PHONY: FORCE
TB_PARTS := verilated verilated_dpi verilated_threads
$(eval $(call verilated,fast,,0,$(TB_PARTS),$(SIM_BUILD)))
$(eval $(call verilated,wave,--trace-fst --trace-structs,1,$(TB_PARTS) verilated_fst_c,$(SIM_BUILD)))

$(TB)/lockstep: $(TB)/fast/shim.o $(TB_OBJS) $(B)/librivulet.a
	g++ -o $@ $(TB)/fast/shim.o $(TB_OBJS) $(TB)/fast/Vrivulet_sim__ALL.a $(TB_PARTS:%=$(TB)/fast/%.o) $(LIB) $(LIBS_HOST) -lpthread
$(TB)/lockstep-wave: $(TB)/wave/shim.o $(TB_OBJS) $(B)/librivulet.a
	g++ -o $@ $(TB)/wave/shim.o $(TB_OBJS) $(TB)/wave/Vrivulet_sim__ALL.a $(TB_PARTS:%=$(TB)/wave/%.o) $(TB)/wave/verilated_fst_c.o $(LIB) $(LIBS_HOST) -lpthread -lz

sim-build: $(TB)/lockstep ## build the lockstep bench
sim-wave-build: $(TB)/lockstep-wave
.PHONY: sim-build sim-wave-build

# Directed tests (tests/asm) and random programs (tests/random)
ASM_CC = riscv64-unknown-elf-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -nostdlib -nostartfiles -static -I. -Itests/asm -Wl,--no-warn-rwx-segments -T tests/asm/link.ld
ASM_DIR := $(TB)/asm
ASM_NAMES := $(basename $(notdir $(wildcard tests/asm/*.S)))
# What has no judge in qemu: devices of this SoC, its cycle counts, and misaligned accesses, which qemu splits
QEMU_NAMES := $(filter-out bits counters exit external fault reset sink trace trace_astray uart,$(ASM_NAMES))
QEMU_CPU := rv32,zba=false,zbb=false,zbc=false,zbs=false,pmp=true,mmu=false,a=false,f=false,d=false,s=false,h=false
$(ASM_DIR)/%.elf: tests/asm/%.S $(wildcard tests/asm/*.h) tests/asm/link.ld common/rivulet_regs.h
	@mkdir -p $(@D)
	$(ASM_CC) -o $@ $<
$(ASM_DIR)/%.qemu: tests/asm/%.S $(wildcard tests/asm/*.h) tests/asm/link.ld common/rivulet_regs.h
	@mkdir -p $(@D)
	$(ASM_CC) -DQEMU -o $@ $<
ASM_ELFS := $(ASM_NAMES:%=$(ASM_DIR)/%.elf)

check-qemu: $(QEMU_NAMES:%=$(ASM_DIR)/%.qemu) ## the directed tests judged by qemu-system-riscv32
	@failed=0; for t in $^; do \
		$(BOUND) 60 qemu-system-riscv32 -M virt -cpu $(QEMU_CPU) -bios none -display none -monitor none -serial none -kernel $$t; s=$$?; \
		[ $$s = 0 ] || { echo "$$t: failed, case $$s modulo 256 (152: hangs)"; failed=1; }; \
	done; [ $$failed = 0 ] && echo "check-qemu: $(words $(QEMU_NAMES)) programs passed"

check-conformance: $(TB)/lockstep $(ASM_ELFS) ## the directed tests meet every corner value of every instruction
	@tb/conformance $(TB)/lockstep $(TB)/conformance $(ASM_ELFS)
CHECKS += check-conformance
.PHONY: check-conformance

RANDOM_GEN := $(TB)/random-gen
RANDOM_OBJS := $(patsubst %.c,$(B)/host/%.o,$(wildcard tests/random/*.c))
$(RANDOM_GEN): $(RANDOM_OBJS) $(patsubst %.c,$(B)/host/%.o,$(wildcard isa/*.c))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) -o $@ $^

REGRESS = GEN=$(RANDOM_GEN) RANDOM_CC="$(ASM_CC)" tb/regress
APP_ELFS = $(SW_APPS:%=$(B)/sw/%.elf)
sim: $(TB)/lockstep $(RANDOM_GEN) $(ASM_ELFS) $(APP_ELFS) ## all programs in lockstep with the golden model: RANDOM_PROGRAMS=$(RANDOM_PROGRAMS) random ones from SEED=$(SEED), SIM_JOBS=$(SIM_JOBS) at a time
	@$(REGRESS) $(TB)/lockstep $(TB)/sim $(SIM_JOBS) $(APP_ELFS) $(ASM_ELFS) $$(seq -f 'random:%.0f' $(SEED) $$(($(SEED) + $(RANDOM_PROGRAMS) - 1)))
random: $(TB)/lockstep $(RANDOM_GEN) ## one random program in lockstep: SEED=n
	@$(REGRESS) $(TB)/lockstep $(TB)/random 1 random:$(SEED)
RANDOM_SECONDS ?= 3600
random-hours: $(TB)/lockstep $(RANDOM_GEN) ## random programs for RANDOM_SECONDS=$(RANDOM_SECONDS); counts on where the last run ended (docs/lockstep.md)
	@GEN=$(RANDOM_GEN) RANDOM_CC="$(ASM_CC)" tb/random_hours $(TB)/lockstep $(TB)/random-hours $(RANDOM_SECONDS) 100000
sim-directed: $(TB)/lockstep $(ASM_ELFS)
	@$(REGRESS) $(TB)/lockstep $(TB)/directed $(SIM_JOBS) $(ASM_ELFS)

# PROGRAM: an assembler text in place of the random program; SHRINK_OPTIONS: the bench's options for it
SHRINK := $(TB)/shrink
SHRINK_RUN = RANDOM_CC="$(ASM_CC)" tb/shrink $(TB)/lockstep $(SHRINK)
$(SHRINK): tb/shrink.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) $(CFLAGS_HOST) -o $@ $<
shrink: $(TB)/lockstep $(RANDOM_GEN) $(SHRINK) ## a program that differs, reduced to a few instructions: SEED=n, or PROGRAM=file.S SHRINK_OPTIONS="..."
	@mkdir -p $(TB)/shrink-out
	@program=$(PROGRAM); [ -n "$$program" ] || { program=$(TB)/shrink-out/random-$(SEED).S; $(RANDOM_GEN) $(SEED) >$$program; }; \
	$(SHRINK_RUN) $(TB)/shrink-out "$$program" "$(or $(SHRINK_OPTIONS),$$(tb/regress --options $(SEED) | tr '\n' ' '))"
# A fault that shows in one instruction only (MULHSU writes a wrong result) has to be shrunk to that instruction.
check-shrink: $(TB)/lockstep $(RANDOM_GEN) $(SHRINK)
	@mkdir -p $(TB)/check-shrink
	@$(RANDOM_GEN) 1 >$(TB)/check-shrink/random-1.S
	@$(SHRINK_RUN) $(TB)/check-shrink $(TB)/check-shrink/random-1.S "--irq-seed 1 --inject rvfi_rd_wdata@0x02002033/0xFE00707F" >$(TB)/check-shrink/log || { cat $(TB)/check-shrink/log; exit 1; }
	@awk '/^shrink:/ { print "check-" $$0; short = $$5 <= 8 } /mulhsu/ { found = 1 } END { exit !(short && found) }' $(TB)/check-shrink/log || { cat $(TB)/check-shrink/log; exit 1; }
CHECKS += check-shrink
.PHONY: shrink check-shrink

# T: a directed test, an application, or random-SEED
wave: $(TB)/lockstep $(TB)/lockstep-wave $(RANDOM_GEN) $(ASM_ELFS) ## waves around the first difference of a program: T=name, or of WAVE_FROM=n to WAVE_TO=n
	@test -n "$(T)" || { echo "make wave T=name: a test of tests/asm, an application, random-SEED, or a path"; exit 1; }
	@mkdir -p $(TB)/wave-out
	@case $(T) in random-*) $(RANDOM_GEN) $(patsubst random-%,%,$(T)) >$(TB)/wave-out/$(T).S && $(ASM_CC) -o $(TB)/wave-out/$(T).elf $(TB)/wave-out/$(T).S;; esac
	@elf=$$(ls -d $(ASM_DIR)/$(T).elf $(B)/sw/$(T).elf $(TB)/wave-out/$(T).elf $(T) 2>/dev/null | head -n 1); \
	test -n "$$elf" || { echo "no program $(T): looked for $(ASM_DIR)/$(T).elf, $(B)/sw/$(T).elf and $(T)"; exit 1; }; \
	case $(T) in random-*) o="$$(tb/regress --options $(patsubst random-%,%,$(T)) | tr '\n' ' ')";; external) o="--irq-seed 1";; reset) o="--reset-at 500";; esac; \
	tb/wave $(TB)/lockstep $(TB)/lockstep-wave $(TB)/wave-out $$elf "$$o" "$(WAVE_FROM)" "$(WAVE_TO)" $(WAVE_BEFORE) $(WAVE_AFTER)

# Other builds of the SoC, so that each option is missing in one of them. The random programs need none or at least four regions of
# memory protection: their handlers open region 3.
CONFIG_PROGRAMS ?= 6
CONFIG_NAMES := cfg-no-c cfg-no-m cfg-slow cfg-sink
$(eval $(call verilated,cfg-no-c,,0,$(TB_PARTS),RAM_BYTES=$(SIM_RAM) WITH_C=0 WITH_M=1 MUL_FAST=0 WITH_COUNTERS=1 PMP_REGIONS=0 PMP_GRAIN=0))
$(eval $(call verilated,cfg-no-m,,0,$(TB_PARTS),RAM_BYTES=$(SIM_RAM) WITH_C=1 WITH_M=0 MUL_FAST=1 WITH_COUNTERS=0 PMP_REGIONS=16 PMP_GRAIN=2))
$(eval $(call verilated,cfg-slow,-GSTATE_IN_RAM=1,0,$(TB_PARTS),RAM_BYTES=$(SIM_RAM) WITH_C=1 WITH_M=1 MUL_FAST=0 WITH_COUNTERS=1 PMP_REGIONS=4 PMP_GRAIN=1))
$(eval $(call verilated,cfg-sink,,0,$(TB_PARTS),$(SIM_BUILD) TRACE_SINK=1))
$(CONFIG_NAMES:%=$(TB)/lockstep-%): $(TB)/lockstep-%: $(TB)/%/shim.o $(TB_OBJS) $(B)/librivulet.a
	g++ -o $@ $(TB)/$*/shim.o $(TB_OBJS) $(TB)/$*/Vrivulet_sim__ALL.a $(TB_PARTS:%=$(TB)/$*/%.o) $(LIB) $(LIBS_HOST) -lpthread
sim-configs-build: $(CONFIG_NAMES:%=$(TB)/lockstep-%)
sim-configs: sim-configs-build $(RANDOM_GEN) $(ASM_DIR)/regions.elf $(ASM_DIR)/target.elf $(ASM_DIR)/sink.elf ## lockstep of other builds: without C, without M and counters, slow multiplier, with a sink; 0, 4 and 16 PMP regions, grains 0 to 2: CONFIG_PROGRAMS=$(CONFIG_PROGRAMS) random programs each
	@GEN=$(RANDOM_GEN) RANDOM_CC="$(ASM_CC)" tb/configs $(TB) $(SIM_JOBS) $(SEED) $(CONFIG_PROGRAMS) $(ASM_DIR) $(CONFIG_NAMES)
CHECKS += sim-configs
all: sim-configs-build
.PHONY: sim-configs sim-configs-build

# Every compared signal: a fault in it is noticed, and it is the one that is named.
check-lockstep: $(TB)/lockstep $(TB)/lockstep-cfg-sink $(RIVULET) $(ASM_DIR)/sink.elf $(ASM_DIR)/trace.elf $(ASM_DIR)/uart.elf $(ASM_DIR)/exit.elf ## the bench notices a fault in each signal that it compares
	tb/check_lockstep $(TB)/lockstep $(ASM_DIR)/trace.elf $(ASM_DIR)/exit.elf $(TB)/check-lockstep $(RIVULET)
.PHONY: check-qemu sim random random-hours sim-directed wave check-lockstep
