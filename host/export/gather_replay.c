/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a step counts, written down when it is taken, so that it is counted again without being taken: for results that
 * are asked for again and again while a run goes on. Steps without cycles only, as these are split each time anew.
 *
 *   step 7:  unit 81  +1    unit 82, taken  +3    context 40 entered  +1    sums 2
 *                                                                            └──► records, instructions, calls, ...
 */
#include "host/export/gather_private.h"

#include <stdlib.h>
#include <string.h>
#include "common/sizes.h"

/* What does not fit any more is taken each time: the memory is bounded. */
#define ENTRIES_MAX SIZED(1u << 24, 256u)

enum { REPLAY_UNIT, REPLAY_TAKEN, REPLAY_NOT_TAKEN, REPLAY_CALL, REPLAY_ENTERED, REPLAY_KINDS = 8 };

void gather_replay_forget(struct gather_replay *replay)
{
	replay->step_count = replay->entry_count = replay->sums_count = 0;
	hash_clear(&replay->sums_table);
}

void gather_replay_free(struct gather_replay *replay)
{
	free(replay->steps);
	free(replay->entries);
	free(replay->sums);
	hash_free(&replay->sums_table);
	*replay = (struct gather_replay){0};
}

/* ---- writing down ---- */

static void write_entry(struct gather *gather, unsigned kind, uint32_t index, uint64_t times)
{
	struct gather_replay *replay = &gather->replay;
	if (index >= UINT32_MAX / REPLAY_KINDS || times > UINT32_MAX || replay->entry_count >= ENTRIES_MAX ||
	    !array_room(&replay->entries, replay->entry_count + 1, &replay->entry_room)) {
		replay->failed = true;
		return;
	}
	replay->entries[replay->entry_count++] = (struct replay_entry){index * REPLAY_KINDS + kind, (uint32_t)times};
}

void gather_replay_unit(struct gather *gather, uint32_t unit, int outcome, uint64_t times)
{
	const unsigned counted = outcome == 1 ? REPLAY_TAKEN : REPLAY_NOT_TAKEN;
	write_entry(gather, outcome < 0 ? REPLAY_UNIT : counted, unit, times);
}

void gather_replay_call(struct gather *gather, uint32_t call, uint64_t times)
{
	write_entry(gather, REPLAY_CALL, call, times);
}

void gather_replay_entered(struct gather *gather, uint64_t times)
{
	uint32_t nodes[STACK_ENTERED];
	const size_t count = stack_entered(gather->stack, nodes);
	for (size_t i = 0; i < count; i++)
		write_entry(gather, REPLAY_ENTERED, nodes[i], times);
}

static struct replay_sums sums_now(const struct gather *gather)
{
	const struct gather_result *result = &gather->result;
	return (struct replay_sums){
	    {result->traces, result->unfit, result->unfit_insns, result->cut, result->breaks, gather->count},
	    *stack_counts(gather->stack)};
}

struct sums_wanted {
	const struct replay_sum *all;
	const struct replay_sums *sums;
};

static bool same_replay_sums(const void *context, uint32_t index)
{
	const struct sums_wanted *wanted = context;
	return memcmp(&wanted->all[index].once, wanted->sums, sizeof *wanted->sums) == 0;
}

/* The number of these sums: few steps differ in them. */
static bool number_sums(struct gather_replay *replay, const struct replay_sums *sums, uint32_t *number)
{
	const struct sums_wanted wanted = {replay->sums, sums};
	const uint32_t hash = hash_of_bytes(sums, sizeof *sums);
	*number = hash_find(&replay->sums_table, hash, same_replay_sums, &wanted);
	if (*number != HASH_NONE)
		return true;
	*number = (uint32_t)replay->sums_count;
	if (!array_room(&replay->sums, replay->sums_count + 1, &replay->sums_room) ||
	    !hash_add(&replay->sums_table, hash, *number))
		return false;
	replay->sums[replay->sums_count++] = (struct replay_sum){.once = *sums};
	return true;
}

/* What was added between two sums. */
static struct replay_sums sums_between(const struct replay_sums *before, const struct replay_sums *after)
{
	struct replay_sums sums = {.own = {0}};
	for (size_t i = 0; i < REPLAY_OWN; i++)
		sums.own[i] = after->own[i] - before->own[i];
	stack_counts_add(&sums.stack, &after->stack, 1);
	stack_counts_add(&sums.stack, &before->stack, UINT64_MAX); /* less, modulo 2^64 */
	return sums;
}

/* Each of them is a multiple of what the step counts once. */
static bool divide_sums(struct replay_sums *sums, uint64_t times)
{
	uint64_t words[sizeof *sums / sizeof(uint64_t)];
	memcpy(words, sums, sizeof words);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (words[i] % times != 0)
			return false;
		words[i] /= times;
	}
	memcpy(sums, words, sizeof words);
	return true;
}

bool gather_replay_begins(struct gather *gather, struct step_taken *step)
{
	struct gather_replay *replay = &gather->replay;
	const size_t number = (size_t)(step - gather->taken.all), known = replay->step_count;
	if (!replay->wanted || !gather->untimed || step->cycles > 0 || step->count == 0 ||
	    !array_room(&replay->steps, number + 1, &replay->step_room))
		return false;
	if (number >= known) {
		memset(replay->steps + known, 0, (number + 1 - known) * sizeof *replay->steps);
		replay->step_count = number + 1;
	}
	uint32_t before[STACK_ENTERED];
	stack_entered(gather->stack, before);
	replay->writing = true;
	replay->failed = false;
	replay->steps[number] = (struct replay_step){.first = replay->entry_count};
	replay->before = sums_now(gather);
	return true;
}

void gather_replay_ends(struct gather *gather, struct step_taken *step)
{
	struct gather_replay *replay = &gather->replay;
	struct replay_step *written = &replay->steps[step - gather->taken.all];
	const struct replay_sums after = sums_now(gather);
	struct replay_sums sums = sums_between(&replay->before, &after);
	gather_replay_entered(gather, step->count); /* of a record that does not fit, which has no visits */
	replay->writing = false;
	for (size_t i = written->first; i < replay->entry_count && !replay->failed; i++) {
		struct replay_entry *entry = &replay->entries[i];
		replay->failed = entry->times % step->count != 0;
		entry->times = (uint32_t)(entry->times / step->count);
	}
	written->count = (uint32_t)(replay->entry_count - written->first);
	written->known =
	    !replay->failed && divide_sums(&sums, step->count) && number_sums(replay, &sums, &written->sums);
	if (!written->known)
		replay->entry_count = written->first;
}

/* ---- counting again ---- */

static void replay_entry(struct gather *gather, const struct replay_entry *entry, uint64_t count)
{
	const uint32_t index = entry->what / REPLAY_KINDS, kind = entry->what % REPLAY_KINDS;
	const uint64_t times = entry->times * count;
	if (kind == REPLAY_CALL) {
		gather->calls[index].count += times;
		return;
	}
	if (kind == REPLAY_ENTERED) {
		stack_enter_again(gather->stack, index, times);
		return;
	}
	struct unit *unit = &gather->units[index];
	unit->visits += times;
	unit->taken += kind == REPLAY_TAKEN ? times : 0;
	unit->not_taken += kind == REPLAY_NOT_TAKEN ? times : 0;
}

bool gather_replay_step(struct gather *gather, size_t number, uint64_t count)
{
	struct gather_replay *replay = &gather->replay;
	if (number >= replay->step_count || !replay->steps[number].known)
		return false;
	const struct replay_step *step = &replay->steps[number];
	const struct replay_entry *entry = replay->entries + step->first;
	for (uint32_t i = 0; i < step->count; i++)
		replay_entry(gather, &entry[i], count);
	replay->sums[step->sums].times += count;
	return true;
}

/* Every other sum is below that of the instructions. */
int gather_replay_sums(struct gather *gather)
{
	struct gather_replay *replay = &gather->replay;
	struct gather_result *result = &gather->result;
	uint64_t *own[REPLAY_OWN] = {
	    &result->traces, &result->unfit, &result->unfit_insns, &result->cut, &result->breaks, &gather->count};
	for (size_t i = 0; i < replay->sums_count; i++) {
		struct replay_sum *sums = &replay->sums[i];
		for (size_t k = 0; k < REPLAY_OWN; k++) {
			uint64_t more;
			if (__builtin_mul_overflow(sums->once.own[k], sums->times, &more) ||
			    __builtin_add_overflow(*own[k], more, own[k]))
				return GATHER_EOVERFLOW;
		}
		stack_count_again(gather->stack, &sums->once.stack, sums->times);
		sums->times = 0;
	}
	return GATHER_OK;
}
