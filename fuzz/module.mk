# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Sanitizers, valgrind, fuzzers: docs/fuzzing.md.

# ---------------------------------------------------------------- fuzz targets, by clang's libFuzzer
FUZZ := $(B)/fuzz
FUZZ_CC := clang-14
FUZZ_SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_CFLAGS = -std=c11 -O2 -g1 -fno-omit-frame-pointer -Wall -Wextra $(FUZZ_SAN)
FUZZ_TARGETS := $(shell awk '/^[a-z]/ { print $$1 }' fuzz/targets.tbl)
FUZZ_LIB := $(FUZZ)/librivulet.a

$(FUZZ)/obj/%.o: %.c | $(GENERATED) $(PPROF_C)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS_HOST) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@
$(FUZZ)/obj/host/export/profile.pb-c.o: $(PPROF_C)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS_HOST) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@
$(FUZZ_LIB): $(LIB_SRCS:%.c=$(FUZZ)/obj/%.o)
	rm -f $@ && ar rcs $@ $^
# Each target is a program of its own.
$(FUZZ)/bin/%: $(FUZZ)/obj/fuzz/%.o $(FUZZ_LIB)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer $(FUZZ_WRAP) $(filter %.o,$^) $(FUZZ_LIB) -o $@ $(LIBS_HOST)
$(FUZZ)/obj/fuzz/walk.o: CPPFLAGS_HOST += -DFIXTURE='"$(FIXTURE)"'
$(FUZZ)/bin/walk: | $(FIXTURE)
# The command's main() must not be that of libFuzzer.
$(FUZZ)/obj/host/cmd/main.o: CPPFLAGS_HOST += -Dmain=rivulet_main
$(FUZZ)/bin/cmdline: $(CMD_SRCS:%.c=$(FUZZ)/obj/%.o)
$(FUZZ)/bin/cmdline: FUZZ_WRAP = -Wl,--wrap=argp_parse,--wrap=argp_error,--wrap=argp_failure,--wrap=argp_usage,--wrap=exit,--wrap=calloc
-include $(shell find $(FUZZ)/obj -name '*.d' 2>/dev/null)

TARGET ?=
FUZZ_SECONDS ?= 60
fuzz: $(if $(TARGET),$(FUZZ)/bin/$(TARGET)) ## fuzzes one target: TARGET=name FUZZ_SECONDS=n; fuzz/targets.tbl has the names
	@fuzz/run seconds $(B) $(TARGET) $(FUZZ_SECONDS)
fuzz-targets: $(FUZZ_TARGETS:%=$(FUZZ)/bin/%)
check-fuzz: fuzz-targets ## every fuzz target: its corpus, and a fixed number of new inputs
	@fuzz/run check $(B)
CHECKS += check-fuzz
.PHONY: fuzz fuzz-targets check-fuzz
