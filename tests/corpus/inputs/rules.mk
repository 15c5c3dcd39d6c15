# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Functions and pattern rules; a few recipes.
MAKEFLAGS += --no-builtin-rules --no-print-directory
numbers := $(foreach a,0 1 2 3 4 5 6 7,$(foreach b,0 1 2 3 4 5 6 7,$(foreach c,0 1 2 3,$(a)$(b)$(c))))
reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
objects := $(patsubst %,object-%.o,$(wordlist 1,40,$(numbers)))
$(foreach n,$(wordlist 1,20,$(numbers)),$(eval value-$(n) := $(subst 0,zero,$(n))))
all: $(objects) last
	@echo $(words $(sort $(numbers) $(numbers))) $(lastword $(call reverse,$(numbers))) $(value-013)
object-%.o: ; $(info made $@ from $*)
last: ; @echo $(filter-out %3,$(wordlist 1,9,$(numbers))); exit 0
.PHONY: all last $(objects)
