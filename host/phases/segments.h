/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_SEGMENTS_H
#define RIVULET_PHASES_SEGMENTS_H
/*
 * Phases of a run. Neighbouring intervals with similar vectors (host/phases/intervals.h) are one segment; similar
 * segments are one phase.
 *
 * Segments: at first each interval is one. The two neighbours that differ least are made one, again and again; how much
 * two differ is the distance of their vectors times the length of the shorter one, so that a short disturbance joins
 * what it lies in, and a long segment stays. Neighbours within `distance` are joined first, however long they are.
 * Phases: segments whose vectors lie within `distance` of a phase's mean belong to it. Phases are numbered in the order
 * of their first segments.
 */
#include "host/phases/intervals.h"

struct segment {
	uint32_t first, count; /* intervals */
	uint32_t phase;
	float vector[INTERVAL_DIMENSIONS];
	double cost; /* of joining it with the next one, while segments are made */
};
struct phase {
	uint32_t segments, intervals;
	uint64_t instructions, cycles; /* cycles: 0 if the file has none */
	double apart; /* of its instructions, the share that an interval spends elsewhere than the mean of them */
	float vector[INTERVAL_DIMENSIONS];
};
struct segments {
	struct segment *segment;
	uint32_t count;
	struct phase *phase;
	uint32_t phases;
};
struct segments_config {
	double distance; /* of two phases, 0 to 2; usual 0.3 */
	double
	    shortest; /* share of the run that a segment has at least, if it differs by 1; usual 0.01, which is 5 of 500
			  * intervals; where there are more, 5 too */
};
void segments_config_default(struct segments_config *config);
/* PHASES_OK or PHASES_ENOMEM. end: the place behind the last interval. */
int segments_make(struct segments *segments, const struct intervals *intervals, const struct phases_place *end,
    const struct segments_config *config);
/* Phases that somebody else has found: one label for each interval. Segments are neighbours with the same label, phases
 * are numbered in the order of their first segments. */
int segments_of_labels(struct segments *segments, const struct intervals *intervals, const struct phases_place *end,
    const uint32_t *label);
/* How well the phases describe the run, as intervals of any other length see it (or the same): of all instructions the
 * share that lies in other blocks than the phase of their interval says, 0 to 1. own: those that the segments are made
 * of. */
double segments_apart(const struct segments *segments, const struct intervals *own, const struct intervals *seen);
void segments_free(struct segments *segments);
/* "A", "B", ..., "Z", "AA", ... */
#define PHASE_NAME_MAX 16
void phase_name(uint32_t phase, char text[PHASE_NAME_MAX]);
#endif
