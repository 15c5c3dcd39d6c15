/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_HEAT_H
#define RIVULET_PHASES_HEAT_H
/*
 * How often each path ran in each phase of a run: hot paths of a phase, and by them its functions. A path's heat is the
 * sum of its blocks' instructions, or of a class of them, or of its cycles; its hot value is heat x frequency (BHS).
 */
#include "host/phases/segments.h"

struct heat_path {
	const uint32_t *blocks; /* numbers of the phases file */
	uint32_t count;
	uint64_t instructions; /* of one trip */
	uint64_t heat;         /* of one trip: instructions, or what heat_weigh() makes of it */
	uint64_t first;        /* instruction of the run at which it ran first */
};
/* The heat of one trip of a path, if it is not its instructions: those of a class, or cycles (BHS). */
typedef uint64_t heat_weigh(void *context, const uint32_t *blocks, uint32_t count);
struct heat {
	struct sorted *table;
	uint64_t *trips; /* [path * phases + phase] */
	uint64_t *first; /* [path] */
	uint64_t *insns; /* [path] */
	uint64_t *heats; /* [path] */
	uint32_t paths, phases;
	size_t room;
};
/* Reads the whole file. weigh may be NULL. */
int heat_make(struct heat *heat, struct phases_file *file, const struct intervals *intervals,
    const struct segments *segments, heat_weigh *weigh, void *context);
void heat_free(struct heat *heat);
void heat_path(const struct heat *heat, uint32_t path, struct heat_path *what);
/* How often a path ran in one phase; phase == heat->phases: in the whole run. */
uint64_t heat_trips(const struct heat *heat, uint32_t path, uint32_t phase);
/* Its hot value there: heat x trips. */
uint64_t heat_value(const struct heat *heat, uint32_t path, uint32_t phase);
/* Numbers of the paths that ran in this phase, or in the whole run, the hottest first. To be freed; NULL: out of memory
 * or none. */
uint32_t *heat_order(const struct heat *heat, uint32_t phase, uint32_t *count);
/* Instructions of some paths in each interval: [row * intervals->count + interval], row r is of path order[r]. A trip
 * is of the interval in which it begins. Reads the whole file. To be freed; NULL: out of memory. */
uint64_t *heat_over_time(const struct heat *heat, struct phases_file *file, const struct intervals *intervals,
    const uint32_t *order, uint32_t rows);
#endif
