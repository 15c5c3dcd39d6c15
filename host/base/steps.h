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
 * Most steps have followed the step before them already, so the table is seldom asked: `near` has the step that
 * followed a step with this key. Two may share a place there; the state and the key of the step say whether it is the
 * one.
 *
 *   step before ──┐
 *                 ├──► place in near ──► step ──► its state is the present one, and its key the wanted one: it is
 *   key ──────────┘
 */
#include "host/base/hash.h"

#define STEP_NONE HASH_NONE
struct step_taken {
	uint32_t state, key, next; /* next: the state behind it */
	uint32_t least, room;      /* of cycles, in one execution: with others it is another step; at first any */
	uint64_t count, cycles;
};

struct steps_taken {
	struct step_taken *all;
	size_t count, room;
	struct hash table;
	uint32_t *near;         /* steps by the one before and the key */
	size_t near_mask;       /* places - 1; a power of two of them */
	uint32_t state, before; /* at present; the step counted last; STEP_NONE: none */
	bool live;              /* the owner's state is `state`: it has not to be loaded */
};

/* Whoever takes the records. An error of his is negative and is handed on; no_memory is the one for steps. */
struct steps_owner {
	int (*save)(void *context, uint32_t *state); /* the present state as a number */
	int (*load)(void *context, uint32_t state);
	/* From the loaded state, count times with these cycles in all. Count 0: the owner's state changes and nothing
	 * is counted; step->next is not known yet, the step will have the number steps->count, and the owner may bound
	 * its cycles. */
	int (*take)(void *context, struct step_taken *step);
	int no_memory;
	/* Counts the step as it was counted before, without its state. False: it has to be taken.
	 * May be NULL. */
	bool (*again)(void *context, const struct step_taken *step);
};

void steps_init(struct steps_taken *steps);
void steps_free(struct steps_taken *steps);
/* Takes all steps with their counts, which begin anew then. The owner is in the state behind the last one. */
int steps_settle(struct steps_taken *steps, const struct steps_owner *owner, void *context);
/* Behind steps_settle(): forgets the steps, and the owner may forget its states. */
void steps_forget(struct steps_taken *steps);

/* The step of a record from the present state; a new one is made. */
int steps_get(struct steps_taken *steps, const struct steps_owner *owner, void *context, uint32_t key, uint32_t *step);

static inline bool step_fits(const struct step_taken *step, uint64_t cycles)
{
	return cycles - step->least <= step->room;
}

/* The step was taken once more. False: its cycles pass 64 bits. */
static inline bool steps_count(struct steps_taken *steps, uint32_t step, uint64_t cycles)
{
	struct step_taken *taken = &steps->all[step];
	taken->count++;
	steps->state = taken->next;
	steps->before = step;
	return !__builtin_add_overflow(taken->cycles, cycles, &taken->cycles);
}

/* Counts records one after the other, by key and cycles, as long as their steps are near and their cycles fit. Returns
 * how many; the next one has to be got. cycles NULL: none. shown: the step of each, or NULL. */
size_t steps_follow(
    struct steps_taken *steps, const uint32_t *keys, const uint32_t *cycles, size_t count, uint32_t *shown);
#endif
