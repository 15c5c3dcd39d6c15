/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_SWEEP_H
#define RIVULET_CMD_SWEEP_H
/* rivulet sweep in parts: sweep.c chooses cells, sweep_here.c runs them, sweep_build.c what is
 * built for them, sweep_slurm.c hands them to Slurm, sweep_show.c makes the table and adds up. */
#include "host/cmd/profiled.h"
#include "host/sweep/jobs.h"
#include "host/table/table.h"

struct sweep_command {
	const char *file, *folder;
	const char *slurm;         /* options for sbatch; NULL: cells run here */
	unsigned at_once, silence; /* silence: minutes without an answer of Slurm, until it is given up */
	struct sweep_plan plan;
};

/* Runs these cells here. shown: with progress. STATUS_*, or as stop_status(). */
int sweep_cells(const struct sweep_command *s, const size_t *cells, size_t count, bool shown);
/* Builds what these cells need and was not built; cells whose build failed are taken from the list. The same. */
int sweep_builds(const struct sweep_command *s, size_t *cells, size_t *count);
/* What is built, as a sweep of its own; there are builds. */
struct sweep_command sweep_of_builds(const struct sweep_command *s);
/* Names the builds that failed. */
void sweep_tell_builds(const struct sweep_command *s);
/* Runs these cells by an array of Slurm, and waits for it. STATUS_*, or as stop_status(). */
int sweep_slurm(const struct sweep_command *s, const size_t *cells, size_t count);
/* What task I of N of that array does: "I/N". */
int sweep_task(const struct sweep_command *s, const char *task);
/* "program=json.elf period=16", valid until the next call. */
const char *sweep_title(const struct sweep_plan *plan, size_t cell);
/* A row for each cell: its values, status, seconds, and what its profile says. False: a profile cannot be used, and
 * the user was told. */
bool sweep_table(const struct sweep_command *s, enum table_format format);
/* Adds up the profiles over the axis: FOLDER/merged/NAME.prof for each choice of the others. STATUS_*. */
int sweep_merge(const struct sweep_command *s);
#endif
