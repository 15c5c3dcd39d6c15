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
	const uint32_t list = w->list, n = c->count;
	const size_t room = RECORDS_BLOCK_MAX - n, wanted = end - p->i, most = wanted < room ? wanted : room;
	uint64_t time = p->at.time;
	uint32_t extra = 0;
	size_t i = 0;
	for (; i < most && all[uses[i]].list == list; i++) {
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
	uint32_t index;           /* of its key; UINT32_MAX: the first is no more of the last */
	uint32_t multiplied;      /* all bits: base is of one time */
	bool even;                /* all records: put_run() */
	uint64_t cycles_most;
	uint32_t less_ored, extra_ored;
};

/* One more record, without a branch: whether it begins a run can hardly be guessed. even: its cycles are those of its
 * key as often as it repeats, and there is always room for them. */
static inline __attribute__((always_inline)) void put_run(
    struct chain_run *run, const struct known *known, const bool even)
{
	const bool fits = even || (uint64_t)run->cycles + known->cycles <= run->cycles_most;
	const bool same = (known->index == run->index) & (run->less < known->more) & fits;
	run->index = known->index;
	run->less = (run->less + 1) & (0 - (uint32_t)same);
	run->n += !same;
	run->key[run->n] = known->index;
	run->repeated[run->n] = (uint16_t)run->less;
	run->less_ored |= run->less;
	if (even)
		return;
	run->cycles = (run->cycles & (0 - (uint32_t)same)) + known->cycles;
	const uint32_t extra = columns_fold(run->cycles, known->base * ((run->less & run->multiplied) + 1));
	run->extra[run->n] = extra;
	run->extra_ored |= extra;
}

/* Puts records from p->i up to `end`, as many as the block has the keys of and room for. */
static inline __attribute__((always_inline)) void put_some(
    struct records_writer *w, struct chain_place *p, struct chain_run *to, size_t end, const bool even)
{
	enum { SOON = 16 }; /* what is known of these comes from memory meanwhile */
	const struct known *const all = w->known;
	const uint16_t *const uses = p->chain->uses;
	const uint32_t list = w->list;
	struct chain_run run = *to;
	uint64_t time = p->at.time;
	size_t i = p->i;
	const size_t last = p->chain->count - 1;
	while (i < end && run.n + 1 < RECORDS_BLOCK_MAX) {
		const struct known *known = &all[uses[i]];
		__builtin_prefetch(&all[uses[i + SOON < last ? i + SOON : last]]);
		if (known->list != list)
			break;
		if (i % CHAIN_SAME == 0 && end - i >= CHAIN_SAME && all_same(uses + i, uses[i]) &&
		    known->index == run.index && run.less + CHAIN_SAME <= known->more &&
		    (even || run.cycles + (uint64_t)CHAIN_SAME * known->cycles <= w->cycles_most)) {
			run.less += CHAIN_SAME - 1;
			run.cycles += (CHAIN_SAME - 1) * known->cycles;
			time += (uint64_t)(CHAIN_SAME - 1) * known->cycles;
			i += CHAIN_SAME - 1;
		}
		put_run(&run, known, even);
		time += known->cycles;
		i++;
	}
	if (even && i > p->i)
		run.cycles = all[uses[i - 1]].cycles * (run.less + 1);
	*to = run;
	p->at.time = time;
	p->i = i;
}

static void put_plainly(struct records_writer *w, struct chain_place *p, struct chain_run *run, size_t end)
{
	if (run->even)
		put_some(w, p, run, end, true);
	else
		put_some(w, p, run, end, false);
}

/* Loops repeat themselves: what stands here comes again `size` records later, `count` records in all. */
struct chain_period {
	size_t size, count;
};
enum { PERIOD_LEAST = 64, WINDOW_MOST = CYCLE_MOST };

static inline uint64_t four_uses(const uint16_t *uses)
{
	uint64_t word;
	memcpy(&word, uses, sizeof word);
	return word;
}

/* How many records at `uses` are as those `size` later, which end before `end`. */
static size_t same_again(const uint16_t *uses, size_t size, const uint16_t *end)
{
	size_t same = 0;
	const size_t most = (size_t)(end - uses) - size;
	while (most - same >= 4 && four_uses(uses + same) == four_uses(uses + same + size))
		same += 4;
	while (same < most && uses[same] == uses[same + size])
		same++;
	return same;
}

/* The first period within a window that is worth it; its size is 0: there is none. */
static struct chain_period find_period(const uint16_t *uses, const uint16_t *end, size_t window)
{
	if ((size_t)(end - uses) < 2 * PERIOD_LEAST)
		return (struct chain_period){0};
	const size_t most = (size_t)(end - uses) - 4, last = window < most ? window : most;
	const uint64_t first = four_uses(uses);
	for (size_t size = 1; size <= last; size++) {
		if (four_uses(uses + size) != first)
			continue;
		const size_t count = same_again(uses, size, end);
		if (count >= size + PERIOD_LEAST)
			return (struct chain_period){size, count};
	}
	return (struct chain_period){0};
}

/*
 * Puts a period record by record, from the first run on that begins there because its key is another, and then its
 * columns as often as it comes again whole. False: none of it could be copied.
 *
 *   uses      A A B C A A B C A A B C A A B C A
 *                 └─ one ──┘└──── copied ────┘
 */
static bool put_period(
    struct records_writer *w, struct chain_place *p, struct chain_run *run, struct chain_period period)
{
	const uint16_t *const uses = p->chain->uses;
	const struct known *const all = w->known;
	size_t begin = p->i + 1;
	const size_t same_to = p->i + period.size + period.count; /* it agrees with itself up to there */
	while (begin <= p->i + period.size && all[uses[begin]].index == all[uses[begin - 1]].index)
		begin++;
	if (begin > p->i + period.size) { /* all of one key: there is no such run */
		put_plainly(w, p, run, same_to);
		return false;
	}
	put_plainly(w, p, run, begin);
	const uint32_t first = run->n + 1;
	const uint64_t time = p->at.time;
	if (p->i == begin)
		put_plainly(w, p, run, begin + period.size);
	if (p->i != begin + period.size || same_to < p->i)
		return false;
	const size_t size = run->n + 1 - first, whole = (same_to - p->i) / period.size;
	const size_t room = (RECORDS_BLOCK_MAX - 1 - run->n) / size, times = whole < room ? whole : room;
	for (size_t done = size, more; (more = size + times * size - done) != 0; done += more) {
		more = more < done ? more : done;
		memcpy(run->key + first + done, run->key + first, more * sizeof *run->key);
		memcpy(run->repeated + first + done, run->repeated + first, more * sizeof *run->repeated);
		memcpy(run->extra + first + done, run->extra + first, more * sizeof *run->extra);
	}
	run->n += (uint32_t)(times * size);
	p->at.time += times * (p->at.time - time);
	p->i += times * period.size;
	return times > 0;
}

/* The same as put_each(), but equal records in a row become one. The first is no more of the last. */
static void put_runs(struct records_writer *w, struct chain_place *p, size_t end)
{
	struct columns *c = &w->columns;
	const uint16_t *const uses = p->chain->uses;
	const uint32_t begin = c->count;
	const size_t from = p->i;
	struct chain_run run = {.key = c->key,
	    .repeated = c->less,
	    .extra = c->extra,
	    .n = begin - 1,
	    .index = UINT32_MAX,
	    .multiplied = c->multiplied ? UINT32_MAX : 0,
	    .even = c->multiplied && !w->uneven,
	    .cycles_most = w->cycles_most};
	while (p->i < end && run.n + 1 < RECORDS_BLOCK_MAX) {
		const size_t at = p->i, plain = w->unsearched;
		put_plainly(w, p, &run, end - at > plain ? at + plain : end);
		w->unsearched -= p->i - at;
		if (w->unsearched > 0 || p->i == end)
			break;
		if (writer_cycle_fits(w, uses + p->i, end - p->i, w->chained + p->i))
			break;
		const struct chain_period period = find_period(uses + p->i, uses + end, w->window);
		if (period.size != 0 && writer_cycle_learn(w, uses + p->i, period.size, w->chained + p->i))
			break;
		if (period.size != 0 && put_period(w, p, &run, period))
			continue;
		w->unsearched = period.size != 0 ? period.size : 2 * w->window;
		if (period.size == 0 && end - p->i > w->window)
			w->window = w->window < WINDOW_MOST ? 2 * w->window : WINDOW_MOST;
	}
	if (p->i == from)
		return;
	const uint32_t count = run.n + 1 - begin;
	if (run.even && c->ored[1] != 0)
		memset(c->extra + begin, 0, count * sizeof *c->extra);
	writer_leave_stretch(c, begin, count, run.less_ored, run.extra_ored);
	leave_last(c, &w->known[uses[p->i - 1]], run.n, run.less + 1, run.cycles, p->at.time);
	w->traces += p->i - from;
	w->next += count;
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

/* Whether records can go into the block without a look at each: not where time lies between it and them. */
static bool may_stretch(const struct records_writer *w, const struct chain_place *p)
{
	const struct columns *c = &w->columns;
	return c->count > 0 && !c->clocked && p->at.ctrl == w->ctrl && p->at.time == c->last.time;
}

/* Puts records up to `end` that are close to each other; stops where one is new, or the block is full. */
static void put_stretch(struct records_writer *w, struct chain_place *p, size_t end)
{
	struct columns *c = &w->columns;
	if (p->i == end || w->known[p->chain->uses[p->i]].list != w->list)
		return;
	while (w->merging && p->i < end && c->count < RECORDS_BLOCK_MAX) {
		const struct known *known = &w->known[p->chain->uses[p->i]];
		if (known->list != w->list || known->index != c->last.key || !known->merges)
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
	const size_t cycled = writer_cycle_follow(w, p->chain->uses + p->i, end - p->i, w->chained + p->i, &p->at.time);
	p->i += cycled;
	if (cycled == 0 && w->merging)
		put_runs(w, p, end);
	else if (cycled == 0)
		put_each(w, p, end);
}

/* Puts the record at p->i, whatever it is. */
static int put_any(struct records_writer *w, struct chain_place *p, uint64_t *refused)
{
	const struct record_chain *chain = p->chain;
	const uint16_t use = chain->uses[p->i];
	const struct record_odd *odd = &chain->odd[p->odd];
	struct record record = chain->keys[use];
	if (p->odd < chain->odd_count && odd->at == p->i) {
		record.cycles = odd->cycles;
		p->at.time = odd->time;
		p->odd++;
	} else {
		p->at.time += record.cycles;
	}
	p->i++;
	const int error = records_write(w, &record, &p->at);
	if (error == RECORDS_EVALUE) {
		++*refused;
		return records_writer_skip(w, 1);
	}
	if (error == RECORDS_OK && w->known[use].list != w->list && use >= chain->once)
		writer_know_key(w, use, &chain->keys[use], w->columns.last.key);
	return error;
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
		const size_t end = p.odd < chain->odd_count ? chain->odd[p.odd].at : chain->count;
		if (may_stretch(w, &p)) {
			put_stretch(w, &p, end);
			if (writer_learn_keys(w, chain, p.i, end))
				continue;
		}
		if (p.i < chain->count)
			error = put_any(w, &p, refused);
	}
	for (size_t i = 0; i < w->once_known; i++)
		w->known[i].list = 0;
	w->once_known = 0;
	w->chained += chain->count;
	return error;
}
