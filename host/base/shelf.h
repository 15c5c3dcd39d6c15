/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_SHELF_H
#define RIVULET_BASE_SHELF_H
/*
 * States of a stack, each kept once and known by a number, so that two of them are equal if their numbers are, and one
 * can be put back. Stacks that begin alike share what they have in common:
 *
 *   number:  0 ◄── 1 (main) ◄── 2 (parse) ◄── 3 (string)
 *                               └◄─────────── 4 (number)
 *
 * Saving and loading cost what has changed, not the depth: the shelf remembers what the live stack held the last time,
 * and is told how far down it has changed since.
 *
 * The shelf also keeps steps: the state that a record leads to from a state, how often that step was taken, and its
 * cycles. So equal steps are walked once, and their counts multiplied.
 */
#include "host/base/hash.h"

/* Frames are of `size` bytes; padding in them is the reason for the two functions. */
typedef uint32_t shelf_hash(const void *frame);
typedef bool shelf_same(const void *a, const void *b);

struct shelf_link {
	uint32_t below, depth; /* number of the stack without this frame; frames in all */
};
struct shelf {
	size_t size;
	shelf_hash *hash;
	shelf_same *same;
	unsigned char *frames; /* of number i at (i - 1) * size */
	struct shelf_link *links;
	size_t count, frame_room, link_room;
	struct hash table;
	uint32_t *live; /* number of the live stack's lowest i + 1 frames */
	size_t known, live_room;
};
void shelf_init(struct shelf *shelf, size_t size, shelf_hash *hash, shelf_same *same);
void shelf_free(struct shelf *shelf);
/* Forgets all states. */
void shelf_clear(struct shelf *shelf);
/* The number of the live stack of `depth` frames, of which the lowest `low` have not changed since the last save or
 * load. False: out of memory. */
bool shelf_save(struct shelf *shelf, const void *frames, size_t depth, size_t low, uint32_t *number);
size_t shelf_depth(const struct shelf *shelf, uint32_t number);
/* Makes the live stack that of number; there is room for shelf_depth() frames. False: out of memory. */
bool shelf_load(struct shelf *shelf, uint32_t number, void *frames, size_t low);

#define STEP_NONE HASH_NONE
struct step_taken {
	uint32_t state, key, next; /* next: the state behind it */
	uint32_t guess;            /* the step that followed it the last time, STEP_NONE: none yet */
	uint64_t count, cycles;
};
struct steps_taken {
	struct step_taken *all;
	size_t count, room;
	struct hash table;
};
void steps_free(struct steps_taken *steps);
void steps_clear(struct steps_taken *steps);
/* The step of this state and key, STEP_NONE: not there. before: the step taken before, or STEP_NONE. */
static inline uint32_t steps_find(struct steps_taken *steps, uint32_t before, uint32_t state, uint32_t key);
/* Adds it, with count 0. False: out of memory. */
bool steps_add(struct steps_taken *steps, uint32_t state, uint32_t key, uint32_t next, uint32_t *step);

struct step_wanted {
	const struct steps_taken *steps;
	uint32_t state, key;
};
static inline bool steps_same(const void *context, uint32_t index)
{
	const struct step_wanted *wanted = context;
	const struct step_taken *step = &wanted->steps->all[index];
	return step->state == wanted->state && step->key == wanted->key;
}
static inline uint32_t steps_find(struct steps_taken *steps, uint32_t before, uint32_t state, uint32_t key)
{
	if (before != STEP_NONE) {
		uint32_t guess = steps->all[before].guess;
		if (guess != STEP_NONE && steps->all[guess].key == key && steps->all[guess].state == state)
			return guess;
	}
	const struct step_wanted wanted = {steps, state, key};
	uint32_t found = hash_find(&steps->table, hash_of((uint64_t)state << 32 | key), steps_same, &wanted);
	if (before != STEP_NONE && found != STEP_NONE)
		steps->all[before].guess = found;
	return found;
}
#endif
