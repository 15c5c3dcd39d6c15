/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_EARLY_H
#define RIVULET_COUNTED_EARLY_H
#include "host/insert/counted_back.h"
#include "host/insert/counted_places.h"

/* A call that was left or had not ended, whose path had been counted before it: one of those that come to its block. */
struct counted_early {
	struct counted_unfinished u;
	const struct pending *pending;
	const struct counted_r *r; /* what r was there, which says the path as far as the block; NULL: not known */
	const struct counted_back *back;
};

/* Takes `count` of such paths back, and adds what was run of them. With the r that was found first: a loop around
 * setjmp() comes to its call by several paths, not all from the entry. COUNTED_OK or COUNTED_ENOMEM. */
int counted_early_take(struct counted *counted, const struct counted_early *early, uint64_t count);
#endif
