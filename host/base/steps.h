/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_STEPS_H
#define RIVULET_BASE_STEPS_H
/*
 * Records in great numbers: what a record does depends on the record and on the state that the one before it left (a
 * stack, what the core has in hand). Whoever takes records gives both numbers; a step is the state that a record leads
 * to from a state. So a record that comes again from the same state costs one look-up:
 *
 *   state 0 ── record 4 ──► state 1 ── record 7 ──► state 2 ── record 4 ──► ...
 *        step 0: 81 times     step 1: 80 times           step 2: 80 times
 *
 * Each step is taken once without counting anything, when it is new; steps_settle() takes it once more with its count.
 *
 * Most steps follow the one that they followed the last time: each step knows that one, so not even the table is asked.
 */
#include "host/base/hash.h"

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
	uint32_t state, before; /* at present; the step counted last; STEP_NONE: none */
	bool live;              /* the owner's state is `state`: it has not to be loaded */
};

/* Whoever takes the records. An error of his is negative and is handed on; no_memory is the one for steps. */
struct steps_owner {
	int (*save)(void *context, uint32_t *state); /* the present state as a number */
	int (*load)(void *context, uint32_t state);
	/* From the loaded state, count times with these cycles in all. Count 0: the owner's state changes and nothing
	 * is counted; step->next is not known yet, and the step will have the number steps->count. */
	int (*take)(void *context, const struct step_taken *step);
	int no_memory;
};

void steps_init(struct steps_taken *steps);
void steps_free(struct steps_taken *steps);
/* Takes all steps with their counts, and forgets them. The owner is in the state behind the last one then, and may
 * forget its states. */
int steps_settle(struct steps_taken *steps, const struct steps_owner *owner, void *context);
/* A step that was not found. */
int steps_make(struct steps_taken *steps, const struct steps_owner *owner, void *context, uint32_t key, uint32_t *step);

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

/* The step of a record from the present state, STEP_NONE: not there. */
static inline uint32_t steps_find(struct steps_taken *steps, uint32_t key)
{
	struct step_taken *before = steps->before == STEP_NONE ? NULL : &steps->all[steps->before];
	if (before != NULL && before->guess != STEP_NONE) {
		const struct step_taken *guess = &steps->all[before->guess];
		if (guess->key == key && guess->state == steps->state)
			return before->guess;
	}
	const struct step_wanted wanted = {steps, steps->state, key};
	uint32_t hash = hash_of((uint64_t)steps->state << 32 | key);
	uint32_t found = hash_find(&steps->table, hash, steps_same, &wanted);
	if (before != NULL && found != STEP_NONE)
		before->guess = found;
	return found;
}

/* The same; a new one is made. */
static inline int steps_get(
    struct steps_taken *steps, const struct steps_owner *owner, void *context, uint32_t key, uint32_t *step)
{
	*step = steps->state == STEP_NONE ? STEP_NONE : steps_find(steps, key);
	if (*step == STEP_NONE)
		return steps_make(steps, owner, context, key, step);
	steps->live = false;
	return 0;
}

/* The step was taken once more. */
static inline void steps_count(struct steps_taken *steps, uint32_t step)
{
	struct step_taken *taken = &steps->all[step];
	taken->count++;
	steps->state = taken->next;
	steps->before = step;
}
#endif
