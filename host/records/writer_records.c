/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Records become columns of a block: each by its key, and more of the last one as its repetitions. */
#include "host/records/writer_private.h"

#include <string.h>
#include "host/base/array.h"

static uint32_t hash_record_key(const struct record *key, uint32_t context)
{
	return hash_of_two(key->start ^ (uint64_t)context << 40 ^ (uint64_t)key->reason << 33,
	    key->hist + ((uint64_t)key->insns << 32));
}

struct key_wanted {
	const struct columns *columns;
	const struct record *key;
	uint32_t context;
};

static bool same_merge_key(const void *context, uint32_t index)
{
	const struct key_wanted *wanted = context;
	const struct record *a = &wanted->columns->keys[index], *b = wanted->key;
	return a->start == b->start && a->hist == b->hist && a->insns == b->insns && a->reason == b->reason &&
	       wanted->columns->context[index] == wanted->context;
}

/* Index of the key, HASH_NONE: out of memory. */
static uint32_t find_key(struct records_writer *w, const struct record *key, uint32_t context)
{
	struct columns *c = &w->columns;
	const struct key_wanted wanted = {c, key, context};
	uint32_t hash = hash_record_key(key, context), index = hash_find(&w->table, hash, same_merge_key, &wanted);
	if (index != HASH_NONE)
		return index;
	if (!hash_add(&w->table, hash, c->key_count))
		return HASH_NONE;
	c->keys[c->key_count] = *key;
	c->context[c->key_count] = context;
	c->base[c->key_count] = (uint32_t)key->cycles;
	return c->key_count++;
}

void records_writer_merge(struct records_writer *w)
{
	w->merging = w->header.repeat_bits != 0;
	w->repeat_most = (1u << w->header.repeat_bits) - 1;
	w->cycles_most = w->header.cycle_bits != 0 ? (UINT64_C(1) << w->header.cycle_bits) - 1 : UINT32_MAX;
}

/* As a unit with REPEAT, traces that ended themselves. */
bool writer_merges(const struct records_writer *w, uint8_t reason)
{
	return w->merging && (reason == TRACE_BACKWARD || reason == TRACE_INDIRECT || reason == TRACE_FULL);
}

/* Puts so many records of the block's key `index` into the last one, if that is the same again, as it has room for.
 * Returns how many. */
uint32_t writer_merge_record(struct records_writer *w, uint32_t index, const struct record_use *use)
{
	struct columns *c = &w->columns;
	struct columns_last *last = &c->last;
	if (c->count == 0 || last->key != index || last->repeat >= w->repeat_most)
		return 0;
	uint64_t room = w->repeat_most - last->repeat;
	if (use->cycles > 0 && last->cycles + room * use->cycles > w->cycles_most)
		room = last->cycles < w->cycles_most ? (w->cycles_most - last->cycles) / use->cycles : 0;
	const uint32_t some = use->count < room ? use->count : (uint32_t)room;
	if (some == 0)
		return 0;
	last->cycles += some * use->cycles;
	last->repeat += some;
	last->time = use->time - (uint64_t)(use->count - some) * use->cycles;
	w->traces += some;
	return some;
}

static inline void append_record(
    struct records_writer *w, uint32_t index, uint32_t count, uint64_t cycles, uint64_t time)
{
	struct columns *c = &w->columns;
	if (c->count > 0)
		columns_close(c, c->count - 1, &c->last, c->before);
	c->count++;
	c->before = c->last.time;
	c->last = (struct columns_last){index, c->base[index], c->keys[index].insns, count, (uint32_t)cycles, time};
	w->next++;
	w->traces += count;
}

int records_write(struct records_writer *w, const struct record *record, const struct record_place *place)
{
	struct columns *c = &w->columns;
	if (w->error != RECORDS_OK)
		return w->error;
	if (!record_valid(record) || record->count == 0 || record->count > UINT16_MAX || record->cycles > UINT32_MAX)
		return RECORDS_EVALUE;
	if (c->count == RECORDS_BLOCK_MAX || (c->count > 0 && place->ctrl != w->ctrl)) {
		int error = writer_settle(w, writer_flush_block(w));
		if (error != RECORDS_OK)
			return error;
	}
	w->ctrl = place->ctrl;
	const uint32_t index = find_key(w, record, place->context);
	if (index == HASH_NONE)
		return writer_settle(w, RECORDS_ENOMEM);
	const struct record_use use = {.cycles = (uint32_t)record->cycles, .time = place->time, .count = 1};
	if (record->count == 1 && writer_merges(w, record->reason) && writer_merge_record(w, index, &use) == 1)
		return RECORDS_OK;
	append_record(w, index, (uint32_t)record->count, record->cycles, place->time);
	return RECORDS_OK;
}

void records_writer_forget(struct records_writer *w)
{
	w->known_count = 0;
}

bool writer_know(struct records_writer *w, size_t count, uint32_t context)
{
	if (!array_room(&w->known, count, &w->known_room))
		return false;
	if (w->known_context != context)
		w->known_count = 0;
	if (w->known_count < count)
		memset(&w->known[w->known_count], 0, (count - w->known_count) * sizeof *w->known);
	w->known_count = count;
	w->known_context = context;
	return true;
}

/* A record of a key that may be new to the block. */
static int write_first(
    struct records_writer *w, const struct record *key, const struct record_use *use, struct record_place *at)
{
	const struct columns *c = &w->columns;
	struct record record = *key;
	record.cycles = use->cycles;
	at->time = use->time - (uint64_t)(use->count - 1) * use->cycles;
	int error = records_write(w, &record, at);
	if (error == RECORDS_OK)
		w->known[use->key] = (struct known){.block = w->block,
		    .base = c->last.base,
		    .insns = key->insns,
		    .index = (uint16_t)c->last.key,
		    .merges = writer_merges(w, key->reason)};
	return error;
}

/* Runs from the first on that are no more of the last record, and fit in one of their own, as most are: how many. The
 * last record is put where it belongs first, and so is each of these. The last of them is put again when it ends. */
static size_t append_runs(struct records_writer *w, const struct record_use *uses, size_t count)
{
	struct columns *c = &w->columns;
	const struct known *const all = w->known;
	const uint32_t block = w->block, begin = c->count;
	uint32_t n = begin, index = c->last.key;
	const uint64_t repeat_most = w->repeat_most, cycles_most = w->cycles_most;
	uint64_t time = c->last.time, more = 0;
	uint16_t *const keys = c->key;
	if (n == 0)
		return 0;
	columns_close(c, n - 1, &c->last, c->before);
	bool values = (c->ored[0] | c->ored[1] | c->ored[2]) != 0; /* there is another column than that of keys */
	size_t i = 0;
	for (; i < count && n < RECORDS_BLOCK_MAX; i++, n++) {
		const struct record_use *use = &uses[i];
		const struct known *known = &all[use->key];
		if (known->block != block || (known->merges && index == known->index))
			break;
		const uint64_t cycles = (uint64_t)use->count * use->cycles;
		if ((use->count != 1) & (!known->merges | (use->count > repeat_most) | (cycles > cycles_most)))
			break; /* one branch, which hardly ever changes its mind */
		index = known->index;
		keys[n] = (uint16_t)index;
		const struct columns_last last = {
		    index, known->base, known->insns, use->count, (uint32_t)cycles, use->time};
		const struct columns_value value = columns_value_of(c, &last, time);
		if ((value.less | value.extra | value.step) != 0 || values) {
			columns_values(c, n, &value);
			values = true;
		}
		time = use->time;
		more += value.less;
	}
	if (n == begin)
		return 0;
	const struct record_use *use = &uses[i - 1];
	const struct known *known = &all[use->key];
	c->before = i > 1 ? uses[i - 2].time : c->last.time;
	c->last = (struct columns_last){
	    known->index, known->base, known->insns, use->count, use->count * use->cycles, use->time};
	c->count = n;
	w->next += n - begin;
	w->traces += n - begin + more;
	return i;
}

/* Any other, record by record. */
static int write_run(
    struct records_writer *w, const struct records_many *many, struct record_use use, struct record_place *at)
{
	struct columns *c = &w->columns;
	const struct known *known = &w->known[use.key];
	int error = RECORDS_OK;
	while (use.count > 0 && error == RECORDS_OK) {
		uint32_t done = 1;
		if (known->block != w->block || c->count == RECORDS_BLOCK_MAX || at->ctrl != w->ctrl) {
			error = write_first(w, &many->keys[use.key], &use, at);
		} else if (!known->merges || (done = writer_merge_record(w, known->index, &use)) == 0) {
			const uint64_t time = use.time - (uint64_t)(use.count - 1) * use.cycles;
			append_record(w, known->index, 1, use.cycles, time);
			done = 1;
		}
		use.count -= done;
	}
	return error;
}

int records_write_many(
    struct records_writer *w, const struct records_many *many, const struct record_place *place, size_t *taken)
{
	struct record_place at = *place;
	size_t i = 0;
	int error = w->error;
	if (error == RECORDS_OK && !writer_know(w, many->key_count, place->context))
		error = writer_settle(w, RECORDS_ENOMEM);
	while (i < many->count && error == RECORDS_OK) {
		if (place->ctrl == w->ctrl)
			i += append_runs(w, many->uses + i, many->count - i);
		if (i == many->count)
			break;
		error = write_run(w, many, many->uses[i], &at);
		i += error == RECORDS_OK;
	}
	if (taken != NULL)
		*taken = i;
	return error;
}
