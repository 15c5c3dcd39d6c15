/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Steps (host/base/steps.h) of an encoder that adds up: the state between two records is the instruction that waits for
 * its successor, how the record before ended, and what the encoder keeps. An encoder that cares about the order is
 * shown the steps as they come. */
#include "host/export/encode_private.h"

#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "common/sizes.h"
#include "host/base/array.h"
#include "host/base/record_keys.h"
#include "host/base/steps.h"

#define STEPS_MAX SIZED(1u << 19, 8u) /* then they are settled and forgotten: the memory is bounded */
#define KEYS_MAX SIZED(1u << 20, 64u) /* the same, between two blocks, of records by their cycles */
#define SOME SIZED(1024u, 4u)         /* records of a block at a time */
#define APART 1u                      /* beside the number of a key in a step: nothing joins it to the record before */
#define WAYS 2u
#define NOBODY_WAITS 1u /* odd: no address of an instruction */

struct encode_state {     /* between two records */
	uint64_t waiting; /* address, or NOBODY_WAITS */
	int outcome;
	unsigned reason;
	bool on, core_known;
	unsigned core;   /* number of what the core has in hand, for an encoder that asks for cycles, */
	uint64_t cycles; /* and those of the instruction that waits */
	uint64_t encoder[ENCODE_STATE];
};

struct encode_timed { /* the number of a record with these cycles; repeat 0: none */
	uint32_t cycles, number;
	uint16_t key, repeat;
};
#define TIMED_PLACES SIZED(4096u, 8u)

struct encode_block_key { /* the number of its record, with this many repetitions */
	uint32_t number;
	uint16_t repeat;
};

struct encode_cache {
	struct encode encode;
	struct encode_sums *sums;
	struct record_keys keys;
	struct encode_state *states;
	struct core_state *cores; /* of the states */
	size_t state_count, state_room, core_room;
	struct hash state_table;
	struct steps_taken steps;
	struct encode_block_key *block; /* by key of the block at hand */
	bool timed;                     /* records have cycles, and the encoder asks for them */
	struct encode_timed numbers[TIMED_PLACES];
	uint64_t next_number; /* of the record behind the last one, */
	uint32_t context;     /* its process */
};

struct encode_state_wanted {
	const struct encode_cache *cache;
	struct encode_state state;
};

static bool same_encode_state(const void *context, uint32_t index)
{
	const struct encode_state_wanted *wanted = context;
	const struct encode_state *a = &wanted->cache->states[index], *b = &wanted->state;
	return a->waiting == b->waiting && a->outcome == b->outcome && a->reason == b->reason && a->on == b->on &&
	       a->core_known == b->core_known && a->core == b->core && a->cycles == b->cycles &&
	       memcmp(a->encoder, b->encoder, sizeof a->encoder) == 0;
}

static int save_encoder(void *context, uint32_t *number)
{
	struct encode_cache *cache = context;
	const struct encode *e = &cache->encode;
	bool waits = e->waiting.length != 0;
	struct encode_state_wanted wanted = {cache, {.waiting = waits ? e->waiting.pc : NOBODY_WAITS,
							.outcome = waits ? e->outcome : -1,
							.reason = e->reason,
							.on = e->on}};
	if (cache->timed) {
		wanted.state.core_known = e->core_known;
		wanted.state.core = e->core_known ? core_state_number(&e->core_state) : 0;
		wanted.state.cycles = waits ? e->cycles : 0;
	}
	memcpy(wanted.state.encoder, cache->sums->state, sizeof wanted.state.encoder);
	uint32_t hash = hash_of_two(wanted.state.waiting ^ (uint64_t)e->reason << 56 ^ (uint64_t)e->on << 63 ^
					(uint64_t)wanted.state.core << 40 ^ wanted.state.cycles << 48,
	    hash_of_bytes(wanted.state.encoder, sizeof wanted.state.encoder) ^ (uint64_t)(wanted.state.outcome + 1)
										   << 32);
	*number = hash_find(&cache->state_table, hash, same_encode_state, &wanted);
	if (*number != HASH_NONE)
		return RECORDS_OK;
	*number = (uint32_t)cache->state_count;
	if (!array_room(&cache->states, cache->state_count + 1, &cache->state_room) ||
	    !array_room(&cache->cores, cache->state_count + 1, &cache->core_room) ||
	    !hash_add(&cache->state_table, hash, *number))
		return RECORDS_ENOMEM;
	cache->states[cache->state_count] = wanted.state;
	cache->cores[cache->state_count++] = e->core_state;
	return RECORDS_OK;
}

static int load_encoder(void *context, uint32_t number)
{
	struct encode_cache *cache = context;
	struct encode *e = &cache->encode;
	const struct encode_state *state = &cache->states[number];
	e->waiting.length = 0;
	if (state->waiting != NOBODY_WAITS)
		e->waiting = *standard_code_at(e->code, state->waiting);
	e->outcome = state->outcome;
	e->reason = state->reason;
	e->on = state->on;
	e->core_known = state->core_known;
	e->core_state = cache->cores[number];
	e->cycles = state->cycles;
	memcpy(cache->sums->state, state->encoder, sizeof state->encoder);
	return RECORDS_OK;
}

/* Counts of encode.c that one more of the same has changed: so often. */
static void scale_counts(struct encode_counts *counts, const struct encode_counts *before, uint64_t times)
{
	counts->instructions = before->instructions + times * (counts->instructions - before->instructions);
	counts->calls = before->calls + times * (counts->calls - before->calls);
	counts->unfit = before->unfit + times * (counts->unfit - before->unfit);
	counts->cut = before->cut + times * (counts->cut - before->cut);
	counts->breaks = before->breaks + times * (counts->breaks - before->breaks);
}

static int take_encode_step(void *context, struct step_taken *step)
{
	struct encode_cache *cache = context;
	struct encode *e = &cache->encode;
	struct encode_counts before = *e->counts;
	cache->sums->times = step->count;
	if (step->count == 0 && cache->sums->begin != NULL)
		cache->sums->begin(cache->sums, (uint32_t)cache->steps.count);
	if ((step->key & APART) != 0)
		e->reason = TRACE_NONE;
	const struct record_key *key = &cache->keys.all[step->key / WAYS];
	struct record record = key->record;
	if (cache->timed) { /* the mode of a key is its cycles */
		record.cycles = key->mode;
		record.timed = record.count;
	}
	int error = encode_record(e, &record);
	scale_counts(e->counts, &before, step->count);
	return error;
}

static const struct steps_owner steps_owner = {save_encoder, load_encoder, take_encode_step, RECORDS_ENOMEM, NULL};

static int settle_encoder(struct encode_cache *cache)
{
	int error = steps_settle(&cache->steps, &steps_owner, cache);
	steps_forget(&cache->steps);
	hash_clear(&cache->state_table);
	cache->state_count = 0;
	cache->sums->full = false;
	return error;
}

static void show_encoded(struct encode_cache *cache, const uint32_t *steps, size_t count)
{
	if (count > 0 && cache->sums->show != NULL)
		cache->sums->show(cache->sums, steps, count);
}

static int count_encoded(struct encode_cache *cache, uint32_t key)
{
	uint32_t step = 0;
	int error = cache->steps.count >= STEPS_MAX || cache->sums->full ? settle_encoder(cache) : RECORDS_OK;
	if (error == RECORDS_OK)
		error = steps_get(&cache->steps, &steps_owner, cache, key, &step);
	if (error == RECORDS_OK) {
		steps_count(&cache->steps, step, 0);
		show_encoded(cache, &step, 1);
	}
	return error;
}

/* A record with its cycles has a number of its own; most come again soon. */
static bool number_timed(struct encode_cache *cache, const struct records_block *block, uint32_t at, uint32_t *number)
{
	const uint32_t of = block->key[at], cycles = block->cycles[at];
	const uint16_t repeat = block->repeat[at];
	struct encode_timed *near = &cache->numbers[(cycles ^ of * UINT32_C(0x9E3779B1) >> 16) % TIMED_PLACES];
	if (near->cycles != cycles || near->key != of || near->repeat != repeat) {
		struct record record = block->keys[of];
		record.count = repeat;
		if (!record_keys_number(&cache->keys, &record, cycles, &near->number))
			return false;
		near->cycles = cycles;
		near->key = (uint16_t)of;
		near->repeat = repeat;
	}
	*number = near->number;
	return true;
}

/* The key of the step of a record of the block. */
static int key_encoded(struct encode_cache *cache, const struct records_block *block, uint32_t at, uint32_t *key)
{
	uint16_t of = block->key[at];
	bool joins = block->first + at == cache->next_number && block->context[of] == cache->context &&
		     (block->ctrl & RV_CTRL_SAMPLE_MASK) == 0;
	cache->next_number = block->first + at + 1;
	cache->context = block->context[of];
	if (cache->timed) {
		uint32_t number;
		if (!number_timed(cache, block, at, &number))
			return RECORDS_ENOMEM;
		*key = WAYS * number + (joins ? 0 : APART);
		return RECORDS_OK;
	}
	if (cache->block[of].repeat != block->repeat[at]) {
		struct record record = block->keys[of];
		record.count = cache->block[of].repeat = block->repeat[at];
		if (!record_keys_number(&cache->keys, &record, 0, &cache->block[of].number))
			return RECORDS_ENOMEM;
	}
	*key = WAYS * cache->block[of].number + (joins ? 0 : APART);
	return RECORDS_OK;
}

static int take_encoded_block(struct encode_cache *cache, const struct records_block *block)
{
	uint32_t keys[SOME], steps[SOME];
	int error = RECORDS_OK;
	for (uint32_t k = 0; k < block->key_count; k++)
		cache->block[k].repeat = 0; /* no record has that */
	memset(cache->numbers, 0, sizeof cache->numbers);
	if (cache->keys.count >= KEYS_MAX) {
		error = settle_encoder(cache);
		record_keys_free(&cache->keys);
	}
	for (uint32_t from = 0, count; from < block->count && error == RECORDS_OK; from += count) {
		count = block->count - from < SOME ? block->count - from : SOME;
		for (uint32_t i = 0; i < count && error == RECORDS_OK; i++)
			error = key_encoded(cache, block, from + i, &keys[i]);
		for (uint32_t i = 0; i < count && error == RECORDS_OK; i++) {
			const size_t some = steps_follow(&cache->steps, keys + i, NULL, count - i, steps);
			show_encoded(cache, steps, some);
			i += (uint32_t)some;
			if (i < count)
				error = count_encoded(cache, keys[i]);
		}
	}
	return error;
}

/* What is not over ends once; where the order counts, as a step of its own. */
static void stop_encoded(struct encode_cache *cache)
{
	const uint32_t last = 0;
	const bool ordered = cache->sums->begin != NULL;
	cache->sums->times = ordered ? 0 : 1;
	if (ordered)
		cache->sums->begin(cache->sums, last);
	encode_stop(&cache->encode);
	show_encoded(cache, &last, 1);
}

static int take_encoded_blocks(struct encode_cache *cache, struct records *records)
{
	struct records_block block;
	int got = RECORDS_OK, error = RECORDS_OK;
	while (error == RECORDS_OK && (got = records_next_block(records, &block)) == 1) {
		if (cache->encode.walk != NULL && cache->encode.ctrl != block.ctrl)
			error = settle_encoder(cache);
		if (error == RECORDS_OK)
			error = encode_ctrl(&cache->encode, records_header(records), block.ctrl);
		if (error == RECORDS_OK)
			error = take_encoded_block(cache, &block);
	}
	if (error == RECORDS_OK)
		error = settle_encoder(cache);
	stop_encoded(cache);
	return error == RECORDS_OK && got < 0 ? got : error;
}

int encode_records_sums(
    const struct image *image, struct records *records, struct encode_sums *encoder, struct encode_counts *counts)
{
	struct encode_cache cache = {.sums = encoder, .next_number = UINT64_MAX};
	const struct records_header *header = records_header(records);
	cache.timed = encoder->base.spend != NULL && (header == NULL || header->cycle_bits > 0);
	cache.block = malloc(RECORDS_BLOCK_MAX * sizeof *cache.block);
	steps_init(&cache.steps);
	int error = encode_open(&cache.encode, image, &encoder->base, counts);
	if (cache.block == NULL)
		error = RECORDS_ENOMEM;
	if (error == RECORDS_OK)
		error = take_encoded_blocks(&cache, records);
	encode_close(&cache.encode);
	free(cache.block);
	record_keys_free(&cache.keys);
	free(cache.states);
	free(cache.cores);
	hash_free(&cache.state_table);
	steps_free(&cache.steps);
	return error;
}
