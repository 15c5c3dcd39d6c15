/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_REPETITIONS_H
#define RIVULET_PHASES_REPETITIONS_H
/*
 * The layers of a grammar of phases: each repetition of it once, and where in the run each of its runs lies.
 *
 *   [A (B C)^2]^4        layer 1: (B C)^2         4 runs
 *                        layer 2: [A (B C)^2]^4   1 run
 *
 * A repetition of layer 1 repeats phases alone; one of layer n + 1 holds one of layer n, and none above. BHS calls
 * these strata, stratum layer 0, stratum layer 1, and so on.
 */
#include "host/phases/grammar.h"

struct phase_repetition {
	uint32_t layer, trips;
	uint32_t runs;
	uint64_t instructions;     /* of all its runs */
	struct phase_grammar part; /* of the grammar, which must stay; not to be freed */
};
struct phase_run {
	uint32_t repetition;
	uint32_t first, behind; /* segments */
};
struct phase_repetitions {
	struct phase_repetition *repetition; /* by layer, then in the order of their first runs */
	uint32_t count;
	struct phase_run *run; /* in the order of their beginnings, outer ones first */
	uint32_t runs;
	uint32_t layers;
};
/* PHASES_OK or PHASES_ENOMEM. */
int phase_repetitions_make(struct phase_repetitions *all, const struct phase_grammar *grammar,
    const struct segments *segments, const struct intervals *intervals);
void phase_repetitions_free(struct phase_repetitions *all);
/* "strata", "stratum layer 0", ... */
#define PHASE_LAYER_NAME_MAX 32
void phase_layer_name(uint32_t layer, char text[PHASE_LAYER_NAME_MAX]);
#endif
