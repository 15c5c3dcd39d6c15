/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_PLACES_H
#define RIVULET_COUNTED_PLACES_H
/*
 * What the path register r of an open call says. Of an array r is an address. Parts of an array may lie in small data,
 * each in a run of its own (near.h), so one address may be several numbers:
 *
 *   place 0       the object's counters without its runs in small data
 *   place 1 + i   run i of the object
 *
 * All paths of one begin are in one place. So of the numbers that r may be, the one is right whose path comes to the
 * call and lies in the place by which it was read. If that holds for two of them, r says nothing.
 */
#include "host/insert/counted.h"
#include "host/insert/pending.h"

#define COUNTED_PLACES UINT32_MAX
/* The place of all paths of a function; COUNTED_PLACES: they have several. */
uint32_t counted_place_of_all(const struct map *map, const struct map_function *f);
uint32_t counted_place_of(const struct map *map, const struct map_function *f, uint64_t number);
struct counted_r {
	uint32_t function, block; /* block: which the call is in, index in the map */
	uint64_t value;           /* of r */
	int64_t r;                /* a number; it may be too large by as much as the code adds when it counts */
	uint32_t place;
};
/* Finds r->r and r->place. 1; 0: it says nothing; COUNTED_ENOMEM. */
int counted_r_read(
    struct counted *counted, const struct profile_stack *stack, const struct pending *pending, struct counted_r *r);
#endif
