# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Sanitizers, valgrind, fuzzers: docs/fuzzing.md.

# ---------------------------------------------------------------- fuzz targets, by clang's libFuzzer
FUZZ := $(B)/fuzz
FUZZ_CC := clang-14
FUZZ_SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined
# SMALL_SIZES: common/sizes.h
FUZZ_CFLAGS = -std=c11 -O2 -g1 -fno-omit-frame-pointer -Wall -Wextra -Werror=incompatible-pointer-types -DSMALL_SIZES $(FUZZ_SAN)
# The operands of comparisons guide libFuzzer, and take most of the time: FUZZ_OPERANDS=no FUZZ=build/quick/fuzz makes targets without.
FUZZ_OPERANDS ?= yes
FUZZ_COVER = -fsanitize=fuzzer-no-link $(if $(filter no,$(FUZZ_OPERANDS)),-fno-sanitize-coverage=trace-cmp)
FUZZ_TARGETS := $(shell awk '/^[a-z]/ { print $$1 }' fuzz/targets.tbl)
FUZZ_LIB := $(FUZZ)/librivulet.a

$(FUZZ)/obj/%.o: %.c $(MESSAGES_C) | $(VERSION_H)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS_HOST) $(FUZZ_CFLAGS) $(FUZZ_COVER) -MMD -MP -c $< -o $@
$(FUZZ)/obj/host/export/%.pb-c.o: $(B)/gen/host/export/%.pb-c.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS_HOST) $(FUZZ_CFLAGS) $(FUZZ_COVER) -MMD -MP -c $< -o $@
$(FUZZ_LIB): $(LIB_SRCS:%.c=$(FUZZ)/obj/%.o)
	rm -f $@ && ar rcs $@ $^
# Each target is a program of its own.
$(FUZZ)/bin/%: $(FUZZ)/obj/fuzz/%.o $(FUZZ_LIB)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer $(FUZZ_WRAP) $(filter %.o,$^) $(FUZZ_LIB) -o $@ $(LIBS_HOST)
$(FUZZ)/obj/fuzz/walk.o: CPPFLAGS_HOST += -DFIXTURE='"$(FIXTURE)"'
$(FUZZ)/bin/walk: | $(FIXTURE)
$(FUZZ)/bin/records: FUZZ_WRAP = -Wl,--wrap=ZSTD_createDCtx,--wrap=ZSTD_freeDCtx
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
	@fuzz/run check $(B) $(call share,1,3)
CHECKS += check-fuzz
SHORTENED += check-fuzz
.PHONY: fuzz fuzz-targets check-fuzz

# ---------------------------------------------------------------- sanitizers and valgrind
# A build folder of its own, of the same Makefile; programs for the SoC and generated files are shared.
ASAN := $(B)/asan
ASAN_CFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1 -Wno-error
# The suites of what reads foreign bytes; SANITIZE=--full: all of them, and all cases of tests/cmd.
SANITIZE ?=
ASAN_SUITES := check_load check_records check_records_damage check_capture
ASAN_TESTS = $(if $(filter --full,$(SANITIZE)),$(TESTS),$(filter $(ASAN_SUITES),$(TESTS)))
ASAN_MAKE = $(MAKE) --no-print-directory -s B=$(ASAN) EXTRA_CFLAGS="$(ASAN_CFLAGS)" FAST_RANDOM=5
sanitize-build: $(FIXTURE) $(SW_APPS:%=$(B)/sw/%.elf) $(MESSAGES_C)
	@mkdir -p $(ASAN)
	@for shared in sw gen; do [ -e $(ASAN)/$$shared ] || ln -s ../$$shared $(ASAN)/$$shared; done
	@$(ASAN_MAKE) $(ASAN)/bin/rivulet $(ASAN_TESTS:%=$(ASAN)/tests/%) $(ASAN)/tests/fixture.elf
check-sanitize: sanitize-build ## suites and the command under ASan, UBSan and LSan (SANITIZE=--full: all)
	@fuzz/sanitize $(ASAN) "$(SANITIZE)" $(ASAN_TESTS)
check-valgrind: tests host $(FIXTURE) ## suites and the command under valgrind's memcheck (some minutes)
	@fuzz/valgrind $(B) $(filter-out check_model check_fast check_trace_random check_account check_branches check_export check_untimed check_stack,$(TESTS))
CHECKS += check-sanitize
.PHONY: sanitize-build check-sanitize check-valgrind
