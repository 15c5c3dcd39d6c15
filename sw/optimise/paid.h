/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PAID_H
#define RIVULET_PAID_H
/*
 * Has a trace paid? The cycles that the unit measured for the hottest records are compared with those that the program
 * would take for the same instructions by the cost model. Records from before the traces give the scale of the model:
 *
 *   before    measured cycles : model's cycles           = scale
 *   after     measured cycles of the records that begin in the trace or at its patch
 *             scale * model's cycles of the same way in the program
 *
 * A trace that takes more by PAID_MARGIN in two looks, one after the other, with PAID_VISITS each, does not pay.
 */
#include "sw/optimise/counts.h"

#define PAID_RECORDS 4u /* the hottest ones that a look compares */
#define PAID_TRACES 16u /* how many may be suspect, and how many may have failed */
#define PAID_VISITS 8u
#define PAID_MARGIN 16u /* 1/16: a trace may take so much longer */

struct paid {
	uint64_t measured, model; /* of before */
	struct {
		uint32_t pc;
		bool seen; /* in this look */
	} suspects[PAID_TRACES];
	unsigned suspect_count;
	uint32_t losers[PAID_TRACES]; /* optimise_config.avoid */
	unsigned loser_count;
};

/* Before the first build: its hottest records since the last look, none of them in the cache. */
void paid_before(struct paid *paid, struct optimise *optimise, const struct counts *counts, const struct table *table,
    uint32_t ctrl, unsigned bits);
/* After it, at a look: how many more traces have not paid, twice; the last so many of losers. */
unsigned paid_look(struct paid *paid, struct optimise *optimise, const struct counts *counts, const struct table *table,
    uint32_t ctrl, unsigned bits);
#endif
