# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# `make help` lists the targets. Each part's rules are in its own module.mk.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
B := build
CC := gcc
PKGS := libelf libdw libzstd libprotobuf-c zlib
CPPFLAGS_HOST = -I. -I$(B)/gen -D_POSIX_C_SOURCE=200809L
CFLAGS_HOST = -std=c11 -O2 -g -Wall -Wextra -Wshadow -Wconversion -Werror $(EXTRA_CFLAGS)
# Tests end what hangs by it: scripts/bound says how.
export BOUND := $(CURDIR)/scripts/bound
export CK_TIMEOUT_MULTIPLIER := 30
LIBS_HOST = -lelf -ldw -lzstd -lprotobuf-c -lz

all: host tests firmware sim-build ## build everything

# The release, from the file VERSION; RIVULET_VERSION_ID is what field VERSION of register ID holds.
VERSION_H := $(B)/gen/version.h
$(VERSION_H): VERSION
	@mkdir -p $(@D)
	awk -F . '{ print "#define RIVULET_VERSION \"" $$0 "\""; printf "#define RIVULET_VERSION_ID 0x%x%x\n", $$1, $$2 }' $< >$@
# Host objects: build/host/<path>.o from <path>.c. A module.mk adds its sources to LIB_SRCS (the library) or a
# Check suite to TESTS (tests/check_x.c -> build/tests/check_x).
# CHECKS are further targets that `make check` runs, each one test. Those in SHORTENED run a share there, by SHORT=1, and whole in
# `make check-long` and by themselves: CONTRIBUTING.md.
LIB := $(B)/librivulet.a
RIVULET := $(B)/bin/rivulet
FIXTURE := $(B)/tests/fixture.elf
LIB_SRCS :=
TESTS :=
CHECKS :=
SHORTENED :=
SHORT ?=
# $(call share,WHOLE,SHARE): what a target in SHORTENED works on
share = $(if $(SHORT),$(2),$(1))
# $(call library_name,NAME): of the shared library that -lNAME means, as a program that is linked with it has it
library_name = $(shell objdump -p "$$($(CC) -print-file-name=lib$(1).so)" | awk '$$1 == "SONAME" { print $$2 }')
# Half of the applications: what compiles to the most different code, and what the rest of those tests runs.
SHARE_APPS := json lz printf qsort queens regex
# Each folder lists its own sources, tests and benches. First the parts whose names others need while they are read.
include $(addsuffix /module.mk,isa regs common model sw rtl tb fpga tests bench)
include $(filter-out $(MAKEFILE_LIST),$(sort $(wildcard */*/module.mk)) $(sort $(wildcard */module.mk)))

$(B)/host/%.o: %.c | $(VERSION_H)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) $(CFLAGS_HOST) -MMD -MP -c $< -o $@
$(LIB): $(LIB_SRCS:%.c=$(B)/host/%.o)
	rm -f $@ && ar rcs $@ $^
tests: $(TESTS:%=$(B)/tests/%)
.PHONY: tests
$(B)/tests/check_%: $(B)/host/tests/check_%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST) -lcheck -lsubunit -lm -lrt -lpthread
-include $(shell find $(B)/host -name '*.d' 2>/dev/null)

# ---------------------------------------------------------------- the two commands of the README, and what serves them
APP ?= json
INPUT ?= ref
# A make of its own that builds on all cores, unless -j was given.
BUILD = $(MAKE) -s --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
setup: ## install the missing Debian packages (scripts/setup --help: for one purpose, as demo, linux, formal)
	@scripts/setup
demo: ## the hot paths of a real program, counted and sampled by the trace unit (APP=name INPUT=train|ref SET="name=value ...")
	@[ -d sw/apps/$(APP) ] || { echo "demo: no application '$(APP)'; there are: $$(ls sw/apps | tr '\n' ' ')" >&2; exit 2; }
	@echo "Rivulet: the hot paths of a RISC-V program, here $(APP). The first picture comes in about a minute."
	@scripts/setup build
	@echo "Building the command; the compiler for RISC-V is installed meanwhile, if it is missing."
	@scripts/setup firmware & firmware=$$!; $(BUILD) host || { wait; exit 1; }; wait $$firmware && $(BUILD) $(B)/sw/$(APP).elf
	@scripts/demo $(B) $(APP) $(INPUT) model $(SET)
	@scripts/setup rtl
	@$(BUILD) sim-build
	@scripts/demo $(B) $(APP) $(INPUT) hardware $(SET)
check: setup ## everything that must hold, with a count at the end
	@echo "Building everything."
	@$(BUILD) all firmware-optimise
	@{ $(BUILD) web && $(BUILD) host; } || echo "The page could not be built: what needs it will fail."
	@scripts/check $(B)
check-long: setup ## whole, what make check runs a share of: CONTRIBUTING.md
	@echo "Building everything."
	@$(BUILD) all firmware-optimise
	@scripts/check --long $(B)
help: ## this text
	@echo 'Rivulet: which paths a RISC-V program took, how often, how long.'
	@echo 'make TARGET [VARIABLE=value ...]'; echo
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST) | sort
	@echo; echo 'Variables and their values now:'
	@printf '  %-16s %s\n' APP '$(APP)' INPUT '$(INPUT)' SET '$(SET)' SEED '$(SEED)' RANDOM_PROGRAMS '$(RANDOM_PROGRAMS)' \
		SIM_JOBS '$(SIM_JOBS)' SW_RAM '$(SW_RAM)' SW_TABLE '$(SW_TABLE)' SW_ARCH '$(SW_ARCH)' CC '$(CC)' B '$(B)'
print-checks:
	@echo $(CHECKS)
print-shortened:
	@echo $(SHORTENED)
print-tests:
	@echo $(TESTS)
print-apps:
	@echo $(SW_APPS)
.PHONY: setup demo check check-long help print-checks print-shortened print-tests print-apps

clean: ## remove everything that was built
	rm -rf $(B)
.PHONY: all clean
