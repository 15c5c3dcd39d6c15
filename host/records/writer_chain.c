/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Records of a chain become columns of a block: a key each, and little else, as long as each takes the cycles of its
 * key and begins where the one before ended. What is odd, or new to the block, goes record by record.
 */
#include "host/records/writer_private.h"

#include <string.h>

/* Where in a chain the writer is. */
struct chain_place {
	const struct record_chain *chain;
	struct record_place at; /* at.time: when the last one left */
	size_t i, odd;
};

/* The last record of the block is now the one of key `known`, so often and long, at n; those before it are put. */
static void leave_last(
    struct columns *c, const struct known *known, uint32_t n, uint32_t repeat, uint32_t cycles, uint64_t time)
{
	c->last = (struct columns_last){known->index, known->base, known->insns, repeat, cycles, time};
	c->before = time - cycles;
	c->count = n + 1;
}

/* Puts records up to `end`, each as one: those whose keys the block has, as many as it has room for. */
static void put_each(struct records_writer *w, struct chain_place *p, size_t end)
{
	struct columns *c = &w->columns;
	const struct known *const all = w->known;
	const uint16_t *const uses = p->chain->uses + p->i;
	const uint32_t block = w->block, n = c->count;
	const size_t room = RECORDS_BLOCK_MAX - n, wanted = end - p->i, most = wanted < room ? wanted : room;
	uint64_t time = p->at.time;
	uint32_t extra = 0;
	size_t i = 0;
	for (; i < most && all[uses[i]].block == block; i++) {
		const struct known *known = &all[uses[i]];
		c->key[n + i] = known->index;
		time += known->cycles;
		extra |= known->cycles ^ known->base;
	}
	if (i == 0)
		return;
	if (c->ored[0] != 0)
		memset(c->less + n, 0, i * sizeof *c->less);
	uint32_t extra_ored = 0;
	for (size_t j = 0; (extra | c->ored[1]) != 0 && j < i; j++) {
		c->extra[n + j] = columns_fold(all[uses[j]].cycles, all[uses[j]].base);
		extra_ored |= c->extra[n + j];
	}
	writer_leave_stretch(c, n, (uint32_t)i, 0, extra_ored);
	leave_last(c, &all[uses[i - 1]], n + (uint32_t)i - 1, 1, all[uses[i - 1]].cycles, time);
	p->i += i;
	p->at.time = time;
	w->next += i;
	w->traces += i;
}

/* So many uses in front are all this one: a loop. */
enum { CHAIN_SAME = 8 };
static inline bool all_same(const uint16_t *uses, uint16_t use)
{
	uint64_t words[2];
	memcpy(words, uses, sizeof words);
	const uint64_t same = use * UINT64_C(0x0001000100010001);
	return ((words[0] ^ same) | (words[1] ^ same)) == 0;
}

/* A run of records that become one. The columns stand here too, so that they are in registers. */
struct chain_run {
	uint16_t *key, *repeated;
	uint32_t *extra;
	uint32_t n, less, cycles; /* its place, its repetitions */
	uint64_t cycles_most;
	uint32_t less_ored, extra_ored;
};

/* One more record, without a branch: whether it begins a run can hardly be guessed. */
static inline void put_run(struct chain_run *run, const struct known *known, uint32_t index)
{
	const bool same = (known->index == index) & (run->less < known->more) &
			  ((uint64_t)run->cycles + known->cycles <= run->cycles_most);
	run->less = (run->less + 1) & (0 - (uint32_t)same);
	run->cycles = (run->cycles & (0 - (uint32_t)same)) + known->cycles;
	run->n += !same;
	run->key[run->n] = known->index;
	run->repeated[run->n] = (uint16_t)run->less;
	const uint32_t extra = columns_fold(run->cycles, known->base);
	run->extra[run->n] = extra;
	run->less_ored |= run->less;
	run->extra_ored |= extra;
}

/* The same, but equal records in a row become one. The first is no more of the last. */
static void put_runs(struct records_writer *w, struct chain_place *p, size_t end)
{
	struct columns *c = &w->columns;
	const struct known *const all = w->known;
	const uint16_t *const uses = p->chain->uses;
	const uint32_t block = w->block, begin = c->count;
	struct chain_run run = {
	    .key = c->key, .repeated = c->less, .extra = c->extra, .n = begin - 1, .cycles_most = w->cycles_most};
	uint64_t time = p->at.time;
	uint32_t index = UINT32_MAX; /* of the last one */
	size_t i = p->i;
	while (i < end && run.n < RECORDS_BLOCK_MAX - 1) {
		const struct known *known = &all[uses[i]];
		if (known->block != block)
			break;
		if (i % CHAIN_SAME == 0 && end - i >= CHAIN_SAME && all_same(uses + i, uses[i]) &&
		    known->index == index && run.less + CHAIN_SAME <= known->more &&
		    run.cycles + (uint64_t)CHAIN_SAME * known->cycles <= w->cycles_most) {
			run.less += CHAIN_SAME - 1;
			run.cycles += (CHAIN_SAME - 1) * known->cycles;
			time += (uint64_t)(CHAIN_SAME - 1) * known->cycles;
			i += CHAIN_SAME - 1;
		}
		put_run(&run, known, index);
		index = known->index;
		time += known->cycles;
		i++;
	}
	if (i == p->i)
		return;
	const uint32_t count = run.n + 1 - begin;
	writer_leave_stretch(c, begin, count, run.less_ored, run.extra_ored);
	leave_last(c, &all[uses[i - 1]], run.n, run.less + 1, run.cycles, time);
	w->traces += i - p->i;
	w->next += count;
	p->at.time = time;
	p->i = i;
}

/* How many records from here on, before `end`, are of the same key. */
static size_t chain_run(const uint16_t *uses, size_t i, size_t end)
{
	size_t to = i + 1;
	while (end - to >= CHAIN_SAME && all_same(uses + to, uses[i]))
		to += CHAIN_SAME;
	while (to < end && uses[to] == uses[i])
		to++;
	return to - i;
}

/* Puts records up to `end` that are close to each other; stops where one is new to the block, or the block is full. */
static void put_stretch(struct records_writer *w, struct chain_place *p, size_t end)
{
	struct columns *c = &w->columns;
	if (c->count == 0 || c->clocked || p->at.ctrl != w->ctrl || p->i == end)
		return;
	while (w->merging && p->i < end && c->count < RECORDS_BLOCK_MAX) {
		const struct known *known = &w->known[p->chain->uses[p->i]];
		if (known->block != w->block || known->index != c->last.key || !known->merges)
			break;
		const size_t run = chain_run(p->chain->uses, p->i, end);
		const struct record_use use = {.cycles = known->cycles,
		    .own = known->cycles,
		    .time = p->at.time + run * known->cycles,
		    .count = run < UINT32_MAX ? (uint32_t)run : UINT32_MAX};
		const uint32_t some = writer_merge_record(w, known->index, &use);
		p->at.time += (uint64_t)some * known->cycles;
		p->i += some;
		if (some < run)
			break;
	}
	columns_close(c, c->count - 1, &c->last, c->before);
	if (w->merging)
		put_runs(w, p, end);
	else
		put_each(w, p, end);
}

/* Puts the record at p->i, whatever it is. */
static int put_any(struct records_writer *w, struct chain_place *p, uint64_t *refused)
{
	const struct record_chain *chain = p->chain;
	const uint16_t use = chain->uses[p->i];
	const struct record_odd *odd = &chain->odd[p->odd];
	const struct columns *c = &w->columns;
	struct known *known = &w->known[use];
	struct record record = chain->keys[use];
	const uint32_t usual = (uint32_t)record.cycles;
	if (p->odd < chain->odd_count && odd->at == p->i) {
		record.cycles = odd->cycles;
		p->at.time = odd->time;
		p->odd++;
	} else {
		p->at.time += usual;
	}
	p->i++;
	const int error = records_write(w, &record, &p->at);
	if (error == RECORDS_EVALUE) {
		++*refused;
		return records_writer_skip(w, 1);
	}
	if (error != RECORDS_OK || known->block == w->block)
		return error;
	*known = (struct known){.block = w->block,
	    .base = c->last.base,
	    .insns = record.insns,
	    .cycles = usual,
	    .own = usual,
	    .index = (uint16_t)c->last.key,
	    .merges = writer_merges(w, record.reason)};
	if (known->merges)
		known->more = (uint16_t)(w->repeat_most - 1);
	return RECORDS_OK;
}

int records_write_chain(
    struct records_writer *w, const struct record_chain *chain, const struct record_place *place, uint64_t *refused)
{
	struct chain_place p = {.chain = chain, .at = *place};
	p.at.time = chain->begin;
	if (w->error == RECORDS_OK && !writer_know(w, chain->key_count, place->context))
		return writer_settle(w, RECORDS_ENOMEM);
	int error = w->error;
	while (p.i < chain->count && error == RECORDS_OK) {
		put_stretch(w, &p, p.odd < chain->odd_count ? chain->odd[p.odd].at : chain->count);
		if (p.i < chain->count)
			error = put_any(w, &p, refused);
	}
	return error;
}
