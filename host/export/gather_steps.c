/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Steps (host/base/steps.h) of records: the state between two of them is the call stack, how the program goes on, and
 * what the core has in hand. */
#include "host/export/gather_private.h"

#include <stdlib.h>
#include "common/sizes.h"

#define STEPS_MAX SIZED(1u << 19, 8u) /* then they are settled and forgotten: the memory is bounded */
#define RUNS_MAX SIZED(1u << 22, 64u)
#define CONTINUITIES 4u
#define MISFIT 4u /* the record's cycles are not what the rules say */
#define WAYS 8u

void gather_steps_free(struct gather *gather)
{
	free(gather->keys);
	hash_free(&gather->key_table);
	free(gather->states);
	hash_free(&gather->state_table);
	steps_free(&gather->taken);
	free(gather->runs);
	free(gather->first_run);
	free(gather->bounds);
}

/* ---- keys and states ---- */

struct key_wanted {
	const struct gather *gather;
	const struct record *record;
	uint32_t mode;
};

static bool same_key(const void *context, uint32_t index)
{
	const struct key_wanted *wanted = context;
	const struct key *key = &wanted->gather->keys[index];
	const struct record *a = &key->record, *b = wanted->record;
	return a->start == b->start && a->hist == b->hist && a->insns == b->insns && a->reason == b->reason &&
	       a->count == b->count && key->mode == wanted->mode;
}

int gather_key(struct gather *gather, const struct record *record, uint32_t *number)
{
	const struct key_wanted wanted = {gather, record, (uint32_t)(gather->mode - gather->modes)};
	uint32_t hash = hash_of_two(record->start ^ (uint64_t)record->reason << 56 ^ record->count << 40,
	    record->hist ^ (uint64_t)record->insns << 32 ^ wanted.mode);
	*number = hash_find(&gather->key_table, hash, same_key, &wanted);
	if (*number != HASH_NONE)
		return GATHER_OK;
	*number = (uint32_t)gather->key_count;
	if (gather->key_count >= UINT32_MAX / WAYS ||
	    !array_room(&gather->keys, gather->key_count + 1, &gather->key_room) ||
	    !hash_add(&gather->key_table, hash, *number))
		return GATHER_ENOMEM;
	gather->keys[gather->key_count++] = (struct key){.record = *record, .mode = wanted.mode};
	return GATHER_OK;
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

/* ---- runs: a step in the order of time ---- */

int gather_add_run(struct gather *gather, uint32_t node, uint64_t insns, uint64_t weight)
{
	struct run *last = gather->run_count > gather->run_start ? &gather->runs[gather->run_count - 1] : NULL;
	if (last != NULL && last->node == node) {
		last->insns += insns;
		last->weight += weight;
		return GATHER_OK;
	}
	if (!array_room(&gather->runs, gather->run_count + 1, &gather->run_room))
		return GATHER_ENOMEM;
	gather->runs[gather->run_count++] = (struct run){node, insns, weight};
	return GATHER_OK;
}

int gather_repeat_runs(struct gather *gather, uint64_t times)
{
	size_t from = gather->run_start, count = gather->run_count - from;
	gather->run_start = gather->run_count;
	if (count == 1) {
		gather->runs[from].insns *= times;
		gather->runs[from].weight *= times;
		return GATHER_OK;
	}
	for (uint64_t i = 1; i < times; i++) {
		if (!array_room(&gather->runs, gather->run_count + count, &gather->run_room))
			return GATHER_ENOMEM;
		for (size_t k = 0; k < count; k++)
			gather->runs[gather->run_count++] = gather->runs[from + k];
	}
	gather->run_start = gather->run_count;
	return GATHER_OK;
}

static int show_step(struct gather *gather, uint32_t step, const struct key *key, uint64_t cycles)
{
	size_t from = gather->first_run[step];
	size_t to = step + 1 < gather->taken.count ? gather->first_run[step + 1] : gather->run_count;
	uint64_t known = gather_known(&key->record, key->steps, key->whole, cycles), whole = 0, passed = 0, given = 0;
	for (size_t i = from; i < to; i++)
		whole += gather->runs[i].weight;
	for (size_t i = from; i < to; i++) {
		const struct run *run = &gather->runs[i];
		passed += run->weight;
		uint64_t upto = passed == whole ? known : (uint64_t)((unsigned __int128)known * passed / whole);
		int error = gather_show(gather, run->node, run->insns, upto - given, NULL, NULL);
		if (error != GATHER_OK)
			return error;
		given = upto;
	}
	return GATHER_OK;
}

/* ---- steps ---- */

/* The first time that this record comes from this state: nothing is counted. */
static int take_new_step(struct gather *gather, const struct step_taken *step, enum stack_continuity continuity)
{
	struct key *key = &gather->keys[step->key / WAYS];
	size_t number = gather->taken.count;
	if (!array_room(&gather->first_run, number + 1, &gather->first_room) ||
	    !array_room(&gather->bounds, number + 1, &gather->bound_room))
		return GATHER_ENOMEM;
	gather->first_run[number] = gather->run_start = gather->run_count;
	int error = gather_take(gather, key, continuity, 0, 0);
	if (error != GATHER_OK)
		return error;

	key->steps = (uint32_t)gather->step_count;
	key->whole = gather->walked->error == WALK_OK;
	gather->bounds[number] = (struct bounds){0, UINT64_MAX};
	if (key->whole && (step->key & MISFIT) == 0)
		gather->bounds[number] = (struct bounds){gather->least, gather->least + gather->room};
	return GATHER_OK;
}

static int take_step(void *context, const struct step_taken *step)
{
	struct gather *gather = context;
	enum stack_continuity continuity = (enum stack_continuity)(step->key % CONTINUITIES);
	if (step->count == 0)
		return take_new_step(gather, step, continuity);
	return gather_take(gather, &gather->keys[step->key / WAYS], continuity, step->count, step->cycles);
}

static const struct steps_owner steps_owner = {save_context, load_context, take_step, GATHER_ENOMEM};

int gather_settle(struct gather *gather)
{
	if (gather->taken.state == STEP_NONE)
		return GATHER_OK;
	int error = steps_settle(&gather->taken, &steps_owner, gather);
	hash_clear(&gather->state_table);
	gather->state_count = gather->run_count = 0;
	stack_forget(gather->stack);
	return error;
}

int gather_keyed(struct gather *gather, uint32_t number, enum stack_continuity continuity, uint64_t cycles)
{
	int error = GATHER_OK;
	if (gather->watcher != NULL && gather->watch == GATHER_VISITS)
		return gather_take(gather, &gather->keys[number], continuity, 1, cycles);
	struct steps_taken *taken = &gather->taken;
	uint32_t key = WAYS * number + (uint32_t)continuity, step;
	if (taken->count >= STEPS_MAX || gather->run_count >= RUNS_MAX)
		error = gather_settle(gather);
	if (error == GATHER_OK)
		error = steps_get(taken, &steps_owner, gather, key, &step);
	/* a record that an interrupt came into must not change what is known of the others */
	if (error == GATHER_OK && (cycles < gather->bounds[step].least || cycles > gather->bounds[step].most)) {
		taken->live = false;
		error = steps_get(taken, &steps_owner, gather, key + MISFIT, &step);
	}
	if (error != GATHER_OK)
		return error;
	if (__builtin_add_overflow(taken->all[step].cycles, cycles, &taken->all[step].cycles))
		return GATHER_EOVERFLOW;
	steps_count(taken, step);
	return gather->watcher == NULL ? GATHER_OK : show_step(gather, step, &gather->keys[number], cycles);
}

int gather_record(struct gather *gather, const struct record *record, enum stack_continuity continuity)
{
	uint32_t number;
	int error = gather_key(gather, record, &number);
	return error == GATHER_OK ? gather_keyed(gather, number, continuity, record->cycles) : error;
}
