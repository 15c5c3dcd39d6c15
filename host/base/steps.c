/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/steps.h"

#include <stdlib.h>
#include "host/base/array.h"

void steps_init(struct steps_taken *steps)
{
	*steps = (struct steps_taken){.state = STEP_NONE, .before = STEP_NONE};
}

void steps_free(struct steps_taken *steps)
{
	free(steps->all);
	hash_free(&steps->table);
	steps_init(steps);
}

int steps_settle(struct steps_taken *steps, const struct steps_owner *owner, void *context)
{
	int error = 0;
	if (steps->state == STEP_NONE)
		return error;

	for (size_t i = 0; i < steps->count && error == 0; i++) {
		const struct step_taken *step = &steps->all[i];
		error = owner->load(context, step->state);
		if (error == 0 && step->count > 0)
			error = owner->take(context, step);
	}
	if (error == 0)
		error = owner->load(context, steps->state);
	hash_clear(&steps->table);
	steps->count = 0;
	steps->state = steps->before = STEP_NONE;
	return error;
}

int steps_make(struct steps_taken *steps, const struct steps_owner *owner, void *context, uint32_t key, uint32_t *step)
{
	int error = 0;
	if (steps->state == STEP_NONE)
		error = owner->save(context, &steps->state);
	else if (!steps->live)
		error = owner->load(context, steps->state);
	steps->live = true;

	struct step_taken made = {.state = steps->state, .key = key, .next = STEP_NONE, .guess = STEP_NONE};
	if (error == 0)
		error = owner->take(context, &made);
	if (error == 0)
		error = owner->save(context, &made.next);
	if (error != 0)
		return error;

	if (!array_room(&steps->all, steps->count + 1, &steps->room) ||
	    !hash_add(&steps->table, hash_of((uint64_t)made.state << 32 | key), (uint32_t)steps->count))
		return owner->no_memory;
	*step = (uint32_t)steps->count;
	steps->all[steps->count++] = made;
	if (steps->before != STEP_NONE)
		steps->all[steps->before].guess = *step;
	return 0;
}
