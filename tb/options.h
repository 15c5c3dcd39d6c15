/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_OPTIONS_H
#define RIVULET_TB_OPTIONS_H
/* The command line of the lockstep bench; `lockstep --help` explains it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tb/stimulus.h"

enum status { PASSED = 0, DIFFERENT = 1, FAILED = 2, TIMED_OUT = 3, TROUBLE = 4 };
enum { SETS = 32 };

struct options {
	const char *elf, *uart, *signature, *console, *wave, *coverage, *functional, *operands;
	const char *sets[SETS];
	size_t set_count;
	bool rtl_only, model_only, quiet, trace;
	uint32_t ctrl; /* with trace: of the trace unit */
	uint64_t max_cycles, wave_from, wave_to, inject_cycle, reset_at;
	uint32_t inject_match, inject_mask; /* mask 0: by cycle */
	int inject;                         /* signal, or -1 */
	struct stimulus_seeds seeds;
};

/* Ends the process on --help, --list-signals and words that are not understood (TROUBLE). */
void options_parse(struct options *options, int argc, char **argv);
#endif
