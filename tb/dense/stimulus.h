/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_DENSE_STIMULUS_H
#define RIVULET_TB_DENSE_STIMULUS_H
/*
 * Random records: a walk over traces of which each has two that usually follow, so that there is something to guess.
 * How dense records are, how fast bytes are taken, how many traces there are changes from phase to phase.
 */
#include "model/dense.h"

#define DENSE_POOL 2048

struct dense_stimulus {
	struct dense_config config;
	uint64_t random;
	struct dense_trace pool[DENSE_POOL];
	uint16_t follows[DENSE_POOL][2];
	unsigned at, traces, surprise;            /* one in `surprise` goes elsewhere */
	unsigned gap, slow, repeat, flush, begin; /* one in so many cycles; flush 0: never, 1: always */
	unsigned left;                            /* cycles of the phase */
};

void dense_stimulus_init(struct dense_stimulus *stimulus, const struct dense_config *config, uint64_t seed);
void dense_stimulus_cycle(struct dense_stimulus *stimulus, struct dense_in *in);
uint32_t dense_stimulus_draw(struct dense_stimulus *stimulus, uint32_t limit); /* below the limit */
#endif
