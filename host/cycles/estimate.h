/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CYCLES_ESTIMATE_H
#define RIVULET_CYCLES_ESTIMATE_H
/*
 * Cycles of a trace by the rules of a core (host/cycles/core.h), for runs in which no time was measured: the least that
 * its instructions take one after the other, from behind a transfer on, where most traces begin. No cache, no wait for
 * memory, every operand the quickest. An estimate, and called one wherever it is shown.
 */
#include "host/cycles/trace.h"
#include "host/walk/cache.h"

struct estimate { /* zeros: no core, no cycles */
	const struct core *core;
	struct walk *walk;
	struct walk_cache *cache;
	struct trace_costs costs;
	struct split_part *parts;
	size_t part_room;
};

/* The image may grow, but not lose code. False: out of memory. */
bool estimate_open(struct estimate *estimate, const struct image *image, const struct core *core, unsigned hist);
void estimate_close(struct estimate *estimate);
/* Cycles of one trace of this record, which lies in the image. False: out of memory. */
bool estimate_cycles(struct estimate *estimate, const struct record *record, uint64_t *cycles);
#endif
