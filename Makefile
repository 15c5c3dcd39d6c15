# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# `make help` lists the targets. Each part's rules are in its own module.mk.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
B := build
CC := gcc
PKGS := libelf libdw
CPPFLAGS_HOST = -I. -I$(B)/gen -D_POSIX_C_SOURCE=200809L
CFLAGS_HOST = -std=c11 -O2 -g -Wall -Wextra -Wshadow -Wconversion -Werror $(EXTRA_CFLAGS)
LIBS_HOST = -lelf -ldw

all: host firmware sim-build ## build everything

# Host objects: build/host/<path>.o from <path>.c. A module.mk adds its sources to LIB_SRCS (the library) or a
# Check suite to TESTS (tests/check_x.c -> build/tests/check_x).
LIB_SRCS :=
TESTS :=
HELP :=
include regs/module.mk common/module.mk host/module.mk model/module.mk sw/module.mk rtl/module.mk tb/module.mk fpga/module.mk tests/module.mk bench/module.mk

$(B)/host/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) $(CFLAGS_HOST) -MMD -MP -c $< -o $@
LIB := $(B)/librivulet.a
$(LIB): $(LIB_SRCS:%.c=$(B)/host/%.o)
	rm -f $@ && ar rcs $@ $^
$(B)/tests/check_%: $(B)/host/tests/check_%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST) -lcheck -lsubunit -lm -lrt -lpthread
-include $(shell find $(B)/host -name '*.d' 2>/dev/null)

clean: ## remove everything that was built
	rm -rf $(B)
.PHONY: all clean
