/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SWEEP_JOBS_H
#define RIVULET_SWEEP_JOBS_H
/*
 * Cells as processes. Each has a folder below that of the sweep:
 *
 *   FOLDER/NAME/output     what the command said
 *   FOLDER/NAME/profile    what it left, once it has ended well
 *   FOLDER/NAME/done       "status 0 seconds 1.234" and the command; put there last, by renaming
 *   FOLDER/built/NAME/     {built}, with `output` and `done` of the command that builds
 *
 * A cell without `done`, or without the profile that its command names, is run again, whatever ended the sweep: that is
 * all there is to resuming. What a killed cell began is written under another name (profile.PROCESS) and removed at the
 * next try.
 */
#include <stdbool.h>
#include "host/sweep/plan.h"

struct sweep_done {
	bool there;
	int status;     /* of the command; ended by a signal: 128 + its number */
	double seconds; /* that it took */
	bool lacks;     /* its command ended well and names {profile}, but left none */
};

/* Room for FOLDER/NAME/output. */
#define SWEEP_PATH 4096
/* part "": the folder. False: out of memory, or too long. */
bool sweep_path(
    const struct sweep_plan *plan, const char *folder, size_t cell, const char *part, char path[SWEEP_PATH]);
void sweep_done(const struct sweep_plan *plan, const char *folder, size_t cell, struct sweep_done *done);
/* What its command said for each column of the plan, the last time that it did; "": nothing. One with three dots at its
 * end was longer. True: something for each. */
#define SWEEP_VALUE 256
bool sweep_said(const struct sweep_plan *plan, const char *folder, size_t cell, char (*values)[SWEEP_VALUE]);
/* A cell that has ended, and a file that its command names was written since then: what is there may be of an earlier
 * one. */
bool sweep_older(const struct sweep_plan *plan, const char *folder, size_t cell, char file[SWEEP_PATH]);

/* Called behind each cell that has ended; anything but 0 stops: no further cell begins, and those that run are
 * ended. */
typedef int sweep_watcher(void *context, size_t cell, const struct sweep_done *done);
/* Runs the cells of the list, at most `at_once` at a time. 0, or a negative errno: that of the first thing that could
 * not be done. */
struct sweep_list {
	const size_t *cells;
	size_t count;
};
int sweep_run(const struct sweep_plan *plan, const char *folder, const struct sweep_list *list, unsigned at_once,
    sweep_watcher *watch, void *context);
#endif
