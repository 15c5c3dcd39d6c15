/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Records become columns of a block: each by its key, and more of the last one as its repetitions. */
#include "host/records/writer_private.h"

#include <string.h>
#include "host/base/array.h"

void records_writer_merge(struct records_writer *w)
{
	w->merging = w->header.repeat_bits != 0;
	w->repeat_most = (1u << w->header.repeat_bits) - 1;
	w->cycles_most = w->header.cycle_bits != 0 ? (UINT64_C(1) << w->header.cycle_bits) - 1 : UINT32_MAX;
	w->even_most = w->repeat_most == 0 ? 0 : w->cycles_most / w->repeat_most;
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
	last->time = use->time - (uint64_t)(use->count - some) * use->own;
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
	const struct listed_key *key = &c->listed[index];
	c->last = (struct columns_last){index, key->base, key->insns, count, (uint32_t)cycles, time};
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
	const uint32_t index = writer_find_key(w, record, place->context);
	if (index == HASH_NONE)
		return writer_settle(w, RECORDS_ENOMEM); /* unless it is another error */
	const struct record_use use = {.cycles = (uint32_t)record->cycles, .time = place->time, .count = 1};
	if (record->count == 1 && writer_merges(w, record->reason) && writer_merge_record(w, index, &use) == 1)
		return RECORDS_OK;
	append_record(w, index, (uint32_t)record->count, record->cycles, place->time);
	return RECORDS_OK;
}

void records_writer_forget(struct records_writer *w)
{
	w->known_count = 0;
	w->cycle.size = 0;
}

bool writer_know(struct records_writer *w, size_t count, uint32_t context)
{
	if (!array_room(&w->known, count, &w->known_room))
		return false;
	if (w->known_context != context)
		records_writer_forget(w);
	if (w->known_count < count)
		memset(&w->known[w->known_count], 0, (count - w->known_count) * sizeof *w->known);
	w->known_count = count;
	w->known_context = context;
	return true;
}

/* What one time of a key takes. */
static uint32_t own_time(const struct records_writer *w, const struct record *key)
{
	return (uint32_t)key->cycles + (w->columns.clocked ? key->insns : 0);
}

/* How many of a key in a row fit in one record. */
static uint16_t most_in_one(const struct records_writer *w, const struct record *key)
{
	const uint64_t most = writer_merges(w, key->reason) ? w->repeat_most : 1;
	if (key->cycles == 0 || most * key->cycles <= w->cycles_most)
		return (uint16_t)most;
	return (uint16_t)(key->cycles > w->cycles_most ? 1 : w->cycles_most / key->cycles);
}

/* A record of a key that may be new to the block. */
static int write_first(struct records_writer *w, const struct record *key, uint32_t index, struct record_place *at)
{
	const struct columns *c = &w->columns;
	at->time += own_time(w, key);
	const int error = records_write(w, key, at);
	if (error == RECORDS_OK)
		w->known[index] = (struct known){.list = w->list,
		    .base = c->last.base,
		    .insns = key->insns,
		    .cycles = (uint32_t)key->cycles,
		    .own = own_time(w, key),
		    .index = (uint16_t)c->last.key,
		    .most = most_in_one(w, key),
		    .merges = writer_merges(w, key->reason)};
	return error;
}

void writer_leave_stretch(struct columns *c, uint32_t begin, uint32_t count, uint32_t less_ored, uint32_t extra_ored)
{
	if (c->ored[0] == 0 && less_ored != 0)
		memset(c->less, 0, begin * sizeof *c->less);
	if (c->ored[1] == 0 && extra_ored != 0)
		memset(c->extra, 0, begin * sizeof *c->extra);
	c->ored[0] |= less_ored;
	c->ored[1] |= extra_ored;
	if (c->ored[2] != 0)
		memset(c->step + begin, 0, count * sizeof *c->step);
}

/* The columns of a stretch of runs, from the block's end on, and what it adds up to. */
struct stretch {
	uint16_t *keys, *less;
	uint32_t *extra;
	uint32_t less_ored, extra_ored;
	uint64_t time, traces;
};

/* Runs from the first on that are no more of the record before them, and fit in one of their own, as most are: how
 * many. timed: some have cycles; else that column is zeros, which nobody writes. */
static inline __attribute__((always_inline)) uint32_t fill_stretch(
    const struct records_writer *w, const struct record_run *runs, size_t most, struct stretch *s, const bool timed)
{
	const struct known *const all = w->known;
	const struct columns *const c = &w->columns;
	const uint32_t list = w->list;
	uint16_t *const keys = s->keys, *const less = s->less;
	uint32_t *const extra = s->extra;
	uint32_t index = w->columns.last.key, less_ored = 0, extra_ored = 0, i = 0;
	uint64_t now = s->time, traces = 0;
	for (; i < most; i++) {
		const struct record_run run = runs[i];
		const struct known *known = &all[run.key];
		if ((known->list != list) | (run.count > known->most) | (known->merges & (index == known->index)))
			break; /* one branch, which hardly ever changes its mind */
		index = known->index;
		keys[i] = (uint16_t)index;
		less[i] = (uint16_t)(run.count - 1);
		less_ored |= less[i];
		if (timed) {
			extra[i] = columns_fold(run.count * known->cycles, columns_usual(c, known->base, run.count));
			extra_ored |= extra[i];
		}
		now += (uint64_t)run.count * known->own;
		traces += run.count;
	}
	s->less_ored = less_ored;
	s->extra_ored = extra_ored;
	s->time = now;
	s->traces = traces;
	return i;
}

/* Such a stretch goes into the block. The last record is put where it belongs first, and so is each of these. The last
 * of them is put again when it ends. */
static size_t append_runs(struct records_writer *w, const struct record_run *runs, size_t count, uint64_t *time)
{
	struct columns *c = &w->columns;
	const uint32_t begin = c->count, room = RECORDS_BLOCK_MAX - begin;
	const size_t most = count < room ? count : room;
	if (begin == 0 || *time != c->last.time)
		return 0;
	columns_close(c, begin - 1, &c->last, c->before);
	struct stretch s = {.keys = c->key + begin, .less = c->less + begin, .extra = c->extra + begin, .time = *time};
	const bool timed = w->timed || c->ored[1] != 0;
	const uint32_t i = timed ? fill_stretch(w, runs, most, &s, true) : fill_stretch(w, runs, most, &s, false);
	if (i == 0)
		return 0;
	writer_leave_stretch(c, begin, i, s.less_ored, s.extra_ored);
	const struct record_run *run = &runs[i - 1];
	const struct known *known = &w->known[run->key];
	c->before = s.time - (uint64_t)run->count * known->own;
	c->last = (struct columns_last){
	    known->index, known->base, known->insns, run->count, run->count * known->cycles, s.time};
	c->count = begin + i;
	w->next += i;
	w->traces += s.traces;
	*time = s.time;
	return i;
}

/* Any other, record by record. */
static int write_run(
    struct records_writer *w, const struct records_many *many, const struct record_run *run, struct record_place *at)
{
	const struct columns *c = &w->columns;
	const struct record *key = &many->keys[run->key];
	const struct known *known = &w->known[run->key];
	uint32_t left = run->count;
	int error = RECORDS_OK;
	while (left > 0 && error == RECORDS_OK) {
		struct record_use use = {.cycles = known->cycles, .own = known->own, .count = left};
		use.time = at->time + (uint64_t)left * use.own;
		uint32_t done = 1;
		if (known->list != w->list || c->count == RECORDS_BLOCK_MAX || at->ctrl != w->ctrl) {
			error = write_first(w, key, run->key, at);
		} else if (known->merges && c->last.time == at->time &&
			   (done = writer_merge_record(w, known->index, &use)) != 0) {
			at->time = c->last.time;
		} else {
			done = 1;
			at->time += use.own;
			append_record(w, known->index, 1, use.cycles, at->time);
		}
		left -= done;
	}
	return error;
}

int records_write_many(
    struct records_writer *w, const struct records_many *many, struct record_place *place, size_t *taken)
{
	size_t i = 0;
	int error = w->error;
	if (error == RECORDS_OK && !writer_know(w, many->key_count, place->context))
		error = writer_settle(w, RECORDS_ENOMEM);
	while (i < many->count && error == RECORDS_OK) {
		if (place->ctrl == w->ctrl)
			i += append_runs(w, many->runs + i, many->count - i, &place->time);
		if (i == many->count)
			break;
		error = write_run(w, many, &many->runs[i], place);
		i += error == RECORDS_OK;
	}
	if (taken != NULL)
		*taken = i;
	return error;
}
