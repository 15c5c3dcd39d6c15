/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Steps (host/base/steps.h) of records: the state between two of them is the call stack, how the program goes on, and
 * what the core has in hand. */
#include "host/export/gather_private.h"

#include <stdlib.h>
#include "common/sizes.h"

/* Then they are settled and forgotten: the memory is bounded. A sort that calls itself has a million of them. */
#define STEPS_MAX SIZED(1u << 21, 8u)
#define RUNS_MAX SIZED(1u << 22, 64u)
#define MISFIT 4u /* the record's cycles are not what the rules say */

void gather_steps_free(struct gather *gather)
{
	record_keys_free(&gather->keys);
	free(gather->states);
	hash_free(&gather->state_table);
	steps_free(&gather->taken);
	gather_replay_free(&gather->replay);
	free(gather->runs);
	free(gather->shown);
	free(gather->entered);
}

/* ---- keys and states ---- */

int gather_key(struct gather *gather, const struct record *record, uint32_t *number)
{
	bool good = record_keys_number(&gather->keys, record, (uint32_t)(gather->mode - gather->modes), number);
	return good ? GATHER_OK : GATHER_ENOMEM;
}

struct state_wanted {
	const struct gather *gather;
	struct state state;
};

static bool same_state(const void *context, uint32_t index)
{
	const struct state_wanted *wanted = context;
	const struct state *a = &wanted->gather->states[index], *b = &wanted->state;
	return a->stack == b->stack && a->waiting == b->waiting && a->broken == b->broken &&
	       a->waiting_site == b->waiting_site && a->next == b->next && a->core_known == b->core_known &&
	       core_state_number(&a->core) == core_state_number(&b->core);
}

static int save_context(void *context, uint32_t *number)
{
	struct gather *gather = context;
	struct state_wanted wanted = {gather, {.waiting = gather->waiting,
						  .broken = gather->broken,
						  .waiting_site = gather->waiting ? gather->waiting_site : 0,
						  .next = gather->next,
						  .core = gather->core_state,
						  .core_known = gather->core_known}};
	if (stack_save(gather->stack, &wanted.state.stack) != STACK_OK)
		return GATHER_ENOMEM;
	uint32_t hash =
	    hash_of_two(wanted.state.next ^ (uint64_t)wanted.state.waiting << 62 ^ (uint64_t)wanted.state.broken << 63,
		wanted.state.waiting_site ^ (uint64_t)wanted.state.stack << 32 ^
		    (uint64_t)core_state_number(&wanted.state.core) << 20);
	*number = hash_find(&gather->state_table, hash, same_state, &wanted);
	if (*number != HASH_NONE)
		return GATHER_OK;
	*number = (uint32_t)gather->state_count;
	if (!array_room(&gather->states, gather->state_count + 1, &gather->state_room) ||
	    !hash_add(&gather->state_table, hash, *number))
		return GATHER_ENOMEM;
	gather->states[gather->state_count++] = wanted.state;
	return GATHER_OK;
}

static int load_context(void *context, uint32_t number)
{
	struct gather *gather = context;
	const struct state *state = &gather->states[number];
	gather->waiting = state->waiting;
	gather->waiting_site = state->waiting_site;
	gather->broken = state->broken;
	gather->next = state->next;
	gather->core_state = state->core;
	gather->core_known = state->core_known;
	return stack_load(gather->stack, state->stack) == STACK_OK ? GATHER_OK : GATHER_ENOMEM;
}

/* ---- steps ---- */

static uint32_t at_most_32(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* The first time that this record comes from this state: nothing is counted. */
static int take_new_step(struct gather *gather, struct step_taken *step, enum stack_continuity continuity)
{
	struct record_key *key = &gather->keys.all[step->key / GATHER_WAYS];
	size_t number = gather->taken.count;
	if (!array_room(&gather->shown, number + 1, &gather->shown_room))
		return GATHER_ENOMEM;
	gather->run_start = gather->run_count;
	gather->shown[number] = (struct shown_step){.first = gather->run_count};
	uint32_t before[STACK_ENTERED];
	stack_entered(gather->stack, before);
	int error = gather_take(gather, key, continuity, 0, 0);
	if (error != GATHER_OK)
		return error;

	key->insns = (uint32_t)gather->step_count;
	key->whole = gather->walked->error == WALK_OK;
	if (key->whole && !gather->untimed && (step->key & MISFIT) == 0) {
		step->least = at_most_32(gather->least);
		step->room = at_most_32(gather->room);
	}
	return GATHER_OK;
}

static int take_step(void *context, struct step_taken *step)
{
	struct gather *gather = context;
	enum stack_continuity continuity = (enum stack_continuity)(step->key % GATHER_CONTINUITIES);
	if (step->count == 0)
		return take_new_step(gather, step, continuity);
	const bool written = gather_replay_begins(gather, step);
	const int error =
	    gather_take(gather, &gather->keys.all[step->key / GATHER_WAYS], continuity, step->count, step->cycles);
	if (written)
		gather_replay_ends(gather, step);
	return error;
}

static bool count_again(void *context, const struct step_taken *step)
{
	struct gather *gather = context;
	return step->cycles == 0 && gather_replay_step(gather, (size_t)(step - gather->taken.all), step->count);
}

static const struct steps_owner steps_owner = {save_context, load_context, take_step, GATHER_ENOMEM, count_again};

int gather_settle(struct gather *gather)
{
	const int error = steps_settle(&gather->taken, &steps_owner, gather);
	const int added = gather_replay_sums(gather);
	return error == GATHER_OK ? added : error;
}

/* And forgets them, so that the memory is bounded. */
static int settle_and_forget(struct gather *gather)
{
	int error = gather_settle(gather);
	steps_forget(&gather->taken);
	gather_replay_forget(&gather->replay);
	hash_clear(&gather->state_table);
	gather->state_count = gather->run_count = gather->entered_count = 0;
	stack_forget(gather->stack);
	return error;
}

/* One record more, by the key of its step: from this state, found or made. */
static int count_record(struct gather *gather, uint32_t key, uint64_t cycles)
{
	int error = GATHER_OK;
	const struct record_key *of = &gather->keys.all[key / GATHER_WAYS];
	if (gather->watcher != NULL && gather->watch == GATHER_VISITS)
		return gather_take(gather, of, (enum stack_continuity)(key % GATHER_CONTINUITIES), 1, cycles);

	struct steps_taken *taken = &gather->taken;
	uint32_t step;
	if (taken->count >= STEPS_MAX || gather->run_count >= RUNS_MAX)
		error = settle_and_forget(gather);
	if (error == GATHER_OK)
		error = steps_get(taken, &steps_owner, gather, key, &step);
	/* a record that an interrupt came into must not change what is known of the others */
	if (error == GATHER_OK && !step_fits(&taken->all[step], cycles)) {
		taken->live = false;
		error = steps_get(taken, &steps_owner, gather, key + MISFIT, &step);
	}
	if (error == GATHER_OK && !steps_count(taken, step, cycles))
		error = GATHER_EOVERFLOW;
	return error == GATHER_OK && gather->watcher != NULL ? gather_show_step(gather, step, of, cycles) : error;
}

int gather_record(struct gather *gather, const struct record *record, enum stack_continuity continuity)
{
	uint32_t number;
	int error = gather_key(gather, record, &number);
	if (error == GATHER_OK)
		error = count_record(gather, GATHER_WAYS * number + (uint32_t)continuity, record->cycles);
	return error == GATHER_OK ? gather_show_pending(gather) : error;
}

int gather_some(struct gather *gather, const struct gather_some *some)
{
	uint32_t shown[GATHER_SOME];
	bool watched = gather->watcher != NULL, visits = watched && gather->watch == GATHER_VISITS;
	int error = GATHER_OK;
	for (uint32_t i = 0; i < some->count && error == GATHER_OK; i++) {
		uint32_t from = i;
		if (!visits)
			i += (uint32_t)steps_follow(&gather->taken, some->keys + i, some->cycles + i, some->count - i,
			    watched ? shown + i : NULL);
		if (from < i && watched)
			error = gather_show_steps(gather, some, shown, from, i);
		if (i == some->count || error != GATHER_OK)
			break;
		gather->process = some->process[i];
		gather->time = watched ? some->time[i] : 0;
		error = count_record(gather, some->keys[i], some->cycles[i]);
	}
	return error == GATHER_OK ? gather_show_pending(gather) : error;
}
