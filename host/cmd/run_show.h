/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_SHOW_H
#define RIVULET_CMD_RUN_SHOW_H
/* rivulet run: how far the run is, and at its end how long it was, on standard error. */
#include <stdbool.h>
#include <time.h>
#include "model/run.h"

struct run_show {
	bool progress, shown, terminal;
	uint64_t most_cycles, most_instructions; /* where it will be stopped; 0: not known */
	struct timespec start, last;
};

/* The run begins. progress: it is to be shown, unless the run is short. */
void run_show_begin(struct run_show *show, bool progress, uint64_t most_cycles, uint64_t most_instructions);
/* A line that is written over on a terminal; elsewhere one every ten seconds. With a share if the end is known. */
void run_show(struct run_show *show, uint64_t cycles, uint64_t instructions);
/* Before anything else is printed. */
void run_show_clear(struct run_show *show);
/* One line: how it ended, cycles, instructions, speed. */
void run_show_summary(const struct run_show *show, const struct run_result *result);
#endif
