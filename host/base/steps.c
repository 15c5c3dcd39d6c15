/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/steps.h"

#include <stdlib.h>
#include "common/sizes.h"
#include "host/base/array.h"

/* Places of near: four for each step, so that few steps share one, and no more than fit a cache. */
#define NEAR_LEAST SIZED(4096, 8)
#define NEAR_MOST SIZED(65536, 64)
#define NEAR_PER_STEP 4u

void steps_init(struct steps_taken *steps)
{
	*steps = (struct steps_taken){.state = STEP_NONE, .before = STEP_NONE};
}

void steps_free(struct steps_taken *steps)
{
	free(steps->all);
	free(steps->near);
	hash_free(&steps->table);
	steps_init(steps);
}

/* The place for the step that follows `before` with this key. Of one key, steps before have places of their own. */
static inline size_t near_place(uint32_t before, uint32_t key, size_t mask)
{
	return (before ^ (key * UINT32_C(0x9E3779B1)) >> 8) & mask;
}

/* Makes more room in near if there are more steps than it is good for. It begins empty: its places are filled again as
 * steps are found. */
static bool widen_near(struct steps_taken *steps)
{
	size_t places = steps->near == NULL ? 0 : steps->near_mask + 1, wanted = places == 0 ? NEAR_LEAST : places;
	while (wanted < NEAR_MOST && wanted < NEAR_PER_STEP * steps->count)
		wanted *= 2;
	if (wanted == places)
		return true;

	uint32_t *near = calloc(wanted, sizeof *near);
	if (near == NULL)
		return false;
	free(steps->near);
	steps->near = near;
	steps->near_mask = wanted - 1;
	return true;
}

int steps_settle(struct steps_taken *steps, const struct steps_owner *owner, void *context)
{
	int error = 0;
	if (steps->state == STEP_NONE)
		return error;

	for (size_t i = 0; i < steps->count && error == 0; i++) {
		struct step_taken *step = &steps->all[i];
		if (step->count == 0)
			continue;
		if (owner->again == NULL || !owner->again(context, step)) {
			error = owner->load(context, step->state);
			if (error == 0)
				error = owner->take(context, step);
		}
		step->count = step->cycles = 0;
	}
	if (error == 0)
		error = owner->load(context, steps->state);
	steps->live = error == 0;
	return error;
}

void steps_forget(struct steps_taken *steps)
{
	hash_clear(&steps->table);
	free(steps->near);
	steps->near = NULL;
	steps->count = 0;
	steps->state = steps->before = STEP_NONE;
}

struct step_wanted {
	const struct steps_taken *steps;
	uint32_t state, key;
};

static bool same_step(const void *context, uint32_t index)
{
	const struct step_wanted *wanted = context;
	const struct step_taken *step = &wanted->steps->all[index];
	return step->state == wanted->state && step->key == wanted->key;
}

static uint32_t hash_of_step(uint32_t state, uint32_t key)
{
	return hash_of((uint64_t)state << 32 | key);
}

/* A step that was not found. */
static int make_step(
    struct steps_taken *steps, const struct steps_owner *owner, void *context, uint32_t key, uint32_t *step)
{
	int error = 0;
	if (steps->state == STEP_NONE)
		error = owner->save(context, &steps->state);
	else if (!steps->live)
		error = owner->load(context, steps->state);
	steps->live = true;

	struct step_taken made = {.state = steps->state, .key = key, .next = STEP_NONE, .room = UINT32_MAX};
	if (error == 0)
		error = owner->take(context, &made);
	if (error == 0)
		error = owner->save(context, &made.next);
	if (error != 0)
		return error;

	if (!array_room(&steps->all, steps->count + 1, &steps->room) ||
	    !hash_add(&steps->table, hash_of_step(made.state, key), (uint32_t)steps->count))
		return owner->no_memory;
	*step = (uint32_t)steps->count;
	steps->all[steps->count++] = made;
	return widen_near(steps) ? 0 : owner->no_memory;
}

int steps_get(struct steps_taken *steps, const struct steps_owner *owner, void *context, uint32_t key, uint32_t *step)
{
	const struct step_wanted wanted = {steps, steps->state, key};
	int error = 0;
	*step = STEP_NONE;
	if (steps->state != STEP_NONE)
		*step = hash_find(&steps->table, hash_of_step(steps->state, key), same_step, &wanted);
	if (*step == STEP_NONE)
		error = make_step(steps, owner, context, key, step);
	else
		steps->live = false;

	if (error == 0 && steps->before != STEP_NONE)
		steps->near[near_place(steps->before, key, steps->near_mask)] = *step;
	return error;
}

size_t steps_follow(
    struct steps_taken *steps, const uint32_t *keys, const uint32_t *cycles, size_t count, uint32_t *shown)
{
	struct step_taken *all = steps->all;
	const uint32_t *near = steps->near;
	const size_t mask = steps->near_mask;
	uint32_t before = steps->before, state = steps->state;
	size_t i = 0;
	if (before == STEP_NONE)
		return 0;

	for (; i < count; i++) {
		uint32_t at = near[near_place(before, keys[i], mask)], spent = cycles == NULL ? 0 : cycles[i];
		struct step_taken *step = &all[at];
		uint64_t sum = step->cycles + spent;
		if (step->key != keys[i] || step->state != state || !step_fits(step, spent) || sum < spent)
			break;
		step->cycles = sum;
		step->count++;
		state = step->next;
		before = at;
		if (shown != NULL)
			shown[i] = at;
	}

	steps->live = steps->live && i == 0;
	steps->before = before;
	steps->state = state;
	return i;
}
