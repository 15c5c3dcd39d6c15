/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The firmware's trace table against a list searched from end to end, and the profile frames made from it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "common/frame.h"
#include "common/run_config.h"
#include "sw/trace/adapt.h"
#include "sw/trace/profile.h"
#include "sw/trace/table.h"
#include "tests/suite.h"

#define GUARD 0xA5
#define MEMORY 65536

/* ---- the reference ---- */
struct line {
	uint32_t start, hist, insns;
	bool partial, hot;
	uint8_t reason;
	uint64_t count, cycles;
};
struct list {
	struct line *lines;
	uint32_t used, capacity, threshold, hot;
	uint64_t dropped;
};

#define CYCLES_MAX (((uint64_t)1 << TABLE_CYCLES_BITS) - 1)

static int list_add(
    struct list *list, uint32_t start, uint32_t hist, unsigned reason, uint32_t repeat, uint32_t cycles, uint32_t insns)
{
	bool partial = reason >= 4;
	int events = 0;
	uint32_t i = 0;
	while (i < list->used &&
	       !(list->lines[i].start == start && list->lines[i].hist == hist && list->lines[i].partial == partial))
		i++;
	struct line *line = &list->lines[i];
	if (i == list->used) {
		if (list->used == list->capacity) {
			list->dropped += repeat;
			return TABLE_DROPPED;
		}
		list->used++;
		*line = (struct line){
		    .start = start, .hist = hist, .insns = insns, .partial = partial, .reason = (uint8_t)reason};
		events |= TABLE_NEW;
	}
	line->count = line->count + repeat > UINT32_MAX ? UINT32_MAX : line->count + repeat;
	line->cycles = line->cycles + cycles > CYCLES_MAX ? CYCLES_MAX : line->cycles + cycles;
	if (list->threshold != 0 && !line->hot && line->count >= list->threshold) {
		line->hot = true;
		list->hot++;
		events |= TABLE_BECAME_HOT;
	}
	return events;
}

static uint32_t seed;
static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	uint32_t p = x->start | x->partial, q = y->start | y->partial;
	if (p != q)
		return p < q ? -1 : 1;
	return x->hist < y->hist ? -1 : x->hist > y->hist;
}

static void compare(struct table *table, struct list *list)
{
	uint64_t total = 0;
	ck_assert_uint_eq(table->used, list->used);
	ck_assert_uint_eq(table->dropped, list->dropped);
	ck_assert_uint_eq(table->hot, list->hot);
	table_sort(table);
	qsort(list->lines, list->used, sizeof *list->lines, compare_lines);
	for (uint32_t i = 0; i < list->used; i++) {
		const struct line *line = &list->lines[i];
		struct record count;
		table_get(table, i, &count);
		ck_assert_uint_eq(count.start, line->start);
		ck_assert_uint_eq(count.hist, line->hist);
		ck_assert_uint_eq(count.reason, line->reason);
		ck_assert_uint_eq(count.count, line->count);
		ck_assert_uint_eq(count.cycles, line->cycles);
		ck_assert_uint_eq(count.insns, line->insns);
		ck_assert(table_hot(table, i) == line->hot);
		total += line->count;
	}
	ck_assert_uint_eq(table_total(table), total);
}

/* Random traces from a pool, most of them from its front, into a table of size bytes inside a guarded memory; sorted
 * halfway. */
static void run(uint32_t with_seed, size_t size, uint32_t pool, uint32_t threshold, uint32_t rounds, bool large)
{
	static uint8_t memory[MEMORY + 64];
	struct table table;
	seed = with_seed;
	size_t skip = 16 + rnd() % 16;
	memset(memory, GUARD, sizeof memory);
	int capacity = table_init(&table, memory + skip, size, threshold);
	ck_assert_int_gt(capacity, 1);
	ck_assert_uint_le((size_t)capacity * sizeof(struct table_entry), size);
	struct list list = {.capacity = (uint32_t)capacity, .threshold = threshold};
	list.lines = calloc((size_t)capacity + 1, sizeof *list.lines);
	ck_assert_ptr_nonnull(list.lines);

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t pick = rnd() % pool;
		if (rnd() % 4 != 0)
			pick %= 8;
		/* Neighbouring starts, few histories to a start: keys that differ in one part only. */
		uint32_t start = 0x80000000u + (pick / 3) * 2;
		uint32_t hist = pick % 3 == 2 ? 0x80000000u | pick : pick % 3 + 1;
		unsigned reason = rnd() % 16 == 0 ? 4 + rnd() % 4 : rnd() % 4;
		uint32_t repeat = large ? rnd() : rnd() % 3 == 0 ? 1 + rnd() % 255 : 1;
		uint32_t cycles = large ? rnd() : rnd() % 65536;
		if (repeat == 0)
			repeat = 1;
		uint32_t insns = rnd() % 65536;
		ck_assert_int_eq(table_add(&table, start, hist, reason, repeat, cycles, insns),
		    list_add(&list, start, hist, reason, repeat, cycles, insns));
		if (i == rounds / 2)
			table_sort(&table);
	}
	compare(&table, &list);
	for (size_t i = 0; i < skip; i++)
		ck_assert_uint_eq(memory[i], GUARD);
	for (size_t i = skip + size; i < sizeof memory; i++)
		ck_assert_uint_eq(memory[i], GUARD);
	free(list.lines);
}

START_TEST(random_keys)
{
	for (uint32_t s = 1; s <= 20; s++)
		run(s * 2654435761u, 16384, 200, s % 2 == 0 ? 0 : s * 5, 20000, false);
}
END_TEST

START_TEST(full_table)
{
	for (uint32_t s = 1; s <= 20; s++)
		run(s * 40503u, 200 + s * 50, 500, 64, 10000, false);
}
END_TEST

START_TEST(near_wrap)
{
	for (uint32_t s = 1; s <= 20; s++)
		run(s * 69069u, 8192, 40, s % 3 == 0 ? 0 : s % 3 == 1 ? 0xF0000000u : 3, 60000, true);
}
END_TEST

/* Each counter at the step before and after its limit. */
START_TEST(limits)
{
	static _Alignas(16) uint8_t memory[4096];
	struct table table;
	struct record count;
	ck_assert_int_gt(table_init(&table, memory, sizeof memory, 0), 0);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 1, 1, UINT32_MAX - 1, 0, 1), TABLE_NEW);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 1, 1, 1, 0, 1), 0);
	table_get(&table, 0, &count);
	ck_assert_uint_eq(count.count, UINT32_MAX);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 1, 1, 1, 0, 1), 0);
	table_get(&table, 0, &count);
	ck_assert_uint_eq(count.count, UINT32_MAX);
	for (unsigned i = 0; i < 300; i++)
		table_add(&table, 0x80000000u, 2, 1, 1, UINT32_MAX, 1);
	table_get(&table, 1, &count);
	ck_assert_uint_eq(count.count, 300);
	ck_assert_uint_eq(count.cycles, CYCLES_MAX);

	/* Reached in one step, from zero; reached exactly; not before; told once. */
	ck_assert_int_gt(table_init(&table, memory, sizeof memory, 10), 0);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 1, 1, 10, 0, 1), TABLE_NEW | TABLE_BECAME_HOT);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 3, 1, 255, 0, 1), TABLE_NEW | TABLE_BECAME_HOT);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 2, 1, 9, 0, 1), TABLE_NEW);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 2, 1, 1, 0, 1), TABLE_BECAME_HOT);
	ck_assert_int_eq(table_add(&table, 0x80000000u, 2, 1, 1, 0, 1), 0);
	ck_assert_uint_eq(table.hot, 3);
	table_get(&table, 2, &count);
	ck_assert_uint_eq(count.count, 11);
}
END_TEST

START_TEST(too_small)
{
	static _Alignas(16) uint8_t memory[256];
	struct table table;
	for (size_t size = 0; size <= sizeof memory; size++) {
		int capacity = table_init(&table, memory, size, 0);
		if (size < 2 * (sizeof(struct table_entry) + sizeof(struct table_entry *)))
			ck_assert_int_eq(capacity, TABLE_ESIZE);
		else
			ck_assert_int_ge(capacity, 2);
	}
	ck_assert_int_eq(table_init(&table, memory + 1, 3, 0), TABLE_ESIZE);
	ck_assert_str_ne(table_strerror(TABLE_ESIZE), table_strerror(TABLE_OK));
}
END_TEST

/* ---- bounded sorting ---- */
static uint32_t count_at(const struct table *table, uint32_t head, unsigned place)
{
	const struct table_entry *e = table->heads[head];
	while (place-- > 0)
		e = e->next;
	return e->hist == 0 ? 0 : table_entry_count(table, e);
}

/* The example of BHS: of nine frequencies only those over the threshold change places. One chain: the histories are
 * chosen so that they meet at one head. */
START_TEST(tidy_example)
{
	static const uint32_t counts[] = {1000, 1010, 90, 2, 84, 99, 32, 67, 52};
	static _Alignas(16) uint8_t memory[8192];
	for (uint32_t threshold = 0; threshold <= 500; threshold += 500) {
		struct table table;
		struct table_phase phases[4];
		ck_assert_int_gt(table_init_heads(&table, memory, sizeof memory, threshold, 1), 0);
		uint32_t hist = 1, head = table_head(&table, 0x80000000u, 1);
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++, hist++) {
			while (table_head(&table, 0x80000000u, hist) != head)
				hist++;
			table_add(&table, 0x80000000u, hist, 1, counts[i], 0, 1);
		}
		uint64_t total = table_total(&table);
		/* Not deep enough; nothing over the threshold. */
		ck_assert_uint_eq(table_tidy(&table, 2, 9, 100, phases, 4), 0);
		ck_assert_uint_eq(count_at(&table, head, 0), 1000);
		ck_assert_uint_eq(table_tidy(&table, 2, 8, 2000, phases, 4), 0);
		ck_assert_uint_eq(count_at(&table, head, 0), 1000);
		ck_assert_uint_eq(table_tidy(&table, 2, 8, 100, phases, 4), 0);
		ck_assert_uint_eq(count_at(&table, head, 0), 1010);
		ck_assert_uint_eq(count_at(&table, head, 1), 1000);
		for (unsigned i = 2; i < sizeof counts / sizeof *counts; i++)
			ck_assert_uint_eq(count_at(&table, head, i), counts[i]);
		ck_assert_uint_eq(table_total(&table), total);
		ck_assert_uint_eq(table.used, sizeof counts / sizeof *counts);
	}
}
END_TEST

/* An entry that passes one of a tenth of its counts, and one of a little more than that. */
START_TEST(tidy_phase)
{
	static _Alignas(16) uint8_t memory[4096];
	for (uint32_t before = 99; before <= 102; before++) {
		struct table table;
		struct table_phase phase = {0};
		ck_assert_int_gt(table_init_heads(&table, memory, sizeof memory, 0, 1), 0);
		uint32_t first = 1, second = 2, head = table_head(&table, 0x80000000u, first);
		while (table_head(&table, 0x80000000u, second) != head)
			second++;
		table_add(&table, 0x80000000u, first, 1, before, 0, 1);
		table_add(&table, 0x80000000u, second, 1, 1009, 0, 1);
		unsigned expected = before <= 1009 / TABLE_MAGNITUDE;
		ck_assert_uint_eq(table_tidy(&table, 2, 1, 64, &phase, 1), expected);
		ck_assert_uint_eq(count_at(&table, head, 0), 1009);
		ck_assert_uint_eq(count_at(&table, head, 1), before);
		if (expected != 0) {
			ck_assert_uint_eq(phase.rose->hist, second);
			ck_assert_uint_eq(phase.sank->hist, first);
			ck_assert_uint_eq(phase.rose_count, 1009);
			ck_assert_uint_eq(phase.sank_count, before);
		}
		/* Told once. */
		ck_assert_uint_eq(table_tidy(&table, 2, 1, 64, NULL, 0), 0);
	}
}
END_TEST

/* Put in order all the time, a table counts as one that never is; its chains are in order behind it. */
START_TEST(tidy_random)
{
	static _Alignas(16) uint8_t memory[2][16384];
	for (uint32_t s = 1; s <= 8; s++) {
		struct table tables[2];
		seed = s * 2654435761u;
		for (int i = 0; i < 2; i++)
			ck_assert_int_gt(
			    table_init_heads(&tables[i], memory[i], sizeof *memory, s % 2 == 0 ? 50 : 0, 3), 0);
		for (unsigned n = 0; n < 20000; n++) {
			uint32_t pick = rnd() % (rnd() % 300 + 1), repeat = 1 + rnd() % 3;
			for (int i = 0; i < 2; i++)
				table_add(&tables[i], 0x80000000u + pick / 4 * 2, pick % 4 + 1, 1, repeat, 7, 3);
			if (n % 100 == 0)
				table_tidy(&tables[1], 3, 2, 40, NULL, 0);
		}
		table_tidy(&tables[1], 8, 2, 40, NULL, 0);
		for (uint32_t h = 0; h < 8; h++) {
			bool cold = false;
			uint32_t last = UINT32_MAX;
			unsigned length = 0;
			for (const struct table_entry *e = tables[1].heads[h]; e->hist != 0; e = e->next, length++) {
				uint32_t count = table_entry_count(&tables[1], e);
				cold |= count < 40;
				ck_assert(cold ? count < 40 : count <= last);
				last = count;
			}
			ck_assert_uint_gt(length, 2);
		}
		for (int i = 0; i < 2; i++)
			table_sort(&tables[i]);
		ck_assert_uint_eq(tables[0].used, tables[1].used);
		for (uint32_t i = 0; i < tables[0].used; i++) {
			struct record a, b;
			table_get(&tables[0], i, &a);
			table_get(&tables[1], i, &b);
			ck_assert(a.start == b.start && a.hist == b.hist && a.count == b.count && a.cycles == b.cycles);
		}
	}
}
END_TEST

/* ---- the rate that adapts ---- */
static const struct adapt_config adapt_config = {
    .levels = 4, .lowest = 10, .step_bits = 8, .window = 1000000, .share = 10000};

/* Up when a trace is seen twice within a window, down a window after the last time; others in between do not matter. */
START_TEST(adapt_rates)
{
	struct adapt adapt;
	int a = 0, b = 0;
	uint32_t now = UINT32_MAX - 1500000; /* the clock passes its end */
	adapt_init(&adapt, &adapt_config, now);
	ck_assert_uint_eq(adapt.level, 4);
	ck_assert(!adapt_ticks(&adapt));
	ck_assert(!adapt_step(&adapt, &a, now));
	ck_assert(!adapt_step(&adapt, &b, now += 1000));
	ck_assert(!adapt_step(&adapt, &a, now += 1000000)); /* too late by 1000 */
	ck_assert(!adapt_ticks(&adapt));
	ck_assert(adapt_step(&adapt, &a, now += 1000000));
	ck_assert_uint_eq(adapt.level, 0);
	ck_assert(adapt_ticks(&adapt));
	for (int i = 0; i < 10; i++) {
		ck_assert(!adapt_step(&adapt, &a, now += 900000));
		ck_assert(!adapt_tick(&adapt, now += 100000));
		ck_assert_uint_eq(adapt.level, 0);
	}
	ck_assert(adapt_tick(&adapt, now += 900001));
	ck_assert_uint_eq(adapt.level, 4);
	ck_assert(!adapt_ticks(&adapt));
	ck_assert_uint_eq(adapt.raised, 1);
	ck_assert_uint_eq(adapt.lowered, 1);
	ck_assert_uint_eq(adapt.limited, 0);
}
END_TEST

/* More traces than are remembered, one after the other: none is active. */
START_TEST(adapt_many)
{
	struct adapt adapt;
	char traces[ADAPT_SEEN + 1];
	adapt_init(&adapt, &adapt_config, 0);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert(!adapt_step(&adapt, &traces[i % sizeof traces], i));
	ck_assert_uint_eq(adapt.level, 4);
}
END_TEST

/* Whatever the batches take: never more than the share of the time and of one window, and one batch. */
START_TEST(adapt_bound)
{
	for (uint32_t share = 100; share <= 1000000; share *= 10) {
		struct adapt adapt;
		struct adapt_config config = adapt_config;
		int a = 0;
		config.share = share;
		uint32_t from = 0xF0000000u, now = from, tick = 0;
		uint64_t taken = 0, largest = 0, passed = 0;
		bool waits = false;
		seed = share;
		adapt_init(&adapt, &config, now);
		adapt_step(&adapt, &a, now);
		adapt_step(&adapt, &a, now + 1);
		for (unsigned i = 0; i < 200000; i++) {
			uint32_t wait = waits ? tick - now : 1 + rnd() % (64u << adapt.level);
			now += wait;
			passed += wait;
			if (waits) {
				uint32_t more = adapt_wait(&adapt, now);
				waits = more != 0;
				tick = now + more;
				continue;
			}
			uint32_t batch = 100 + rnd() % 1000;
			adapt.bucket -= (int32_t)batch;
			taken += batch;
			now += batch;
			passed += batch;
			largest = batch > largest ? batch : largest;
			ck_assert_uint_le(taken, (passed + config.window) * share / 1000000 + largest + 2);
			if (adapt.bucket < 0) {
				uint32_t more = adapt_empty(&adapt, now);
				waits = more != 0;
				tick = now + more;
			}
			adapt_step(&adapt, &a, now);
			ck_assert_uint_le(adapt.level, config.lowest);
		}
		if (share <= 10000)
			ck_assert_uint_gt(adapt.limited, 0);
	}
}
END_TEST

/* ---- profile frames ---- */
struct bytes {
	uint8_t at[200000];
	size_t size;
};

static void collect(void *context, const void *bytes, size_t size)
{
	struct bytes *all = context;
	ck_assert_uint_le(all->size + size, sizeof all->at);
	memcpy(all->at + all->size, bytes, size);
	all->size += size;
}

static uint64_t leb(const uint8_t *content, size_t end, size_t *at)
{
	uint64_t value;
	ck_assert_int_eq(frame_get_leb(content, end, at, &value), 0);
	return value;
}

START_TEST(profile_frames)
{
	static uint8_t memory[MEMORY];
	static struct bytes all;
	struct table table;
	ck_assert_int_gt(table_init(&table, memory, sizeof memory, 0), 0);
	seed = 12345;
	for (unsigned i = 0; i < 1000; i++) {
		/* Also starts far from the base, below it, and the largest numbers in every place. */
		uint32_t start = (i % 7 == 0 ? rnd() : 0x80000000u + rnd() % 4096) & ~1u;
		table_add(&table, start, rnd() | 1, 1 + rnd() % 7, i % 5 == 0 ? UINT32_MAX : 1,
		    i % 3 == 0 ? UINT32_MAX : 7, i % 2 == 0 ? UINT16_MAX : 3);
	}
	table_sort(&table);
	for (int extras = 0; extras <= 1; extras++) {
		const struct profile_info info = {.xlen = 32,
		    .hist = 32,
		    .ctrl = 0xF0121,
		    .way = RUN_WATERMARK,
		    .period = 512,
		    .dither = 255,
		    .build = 0x89ABCDEFu,
		    .name = "name",
		    .extras = extras != 0,
		    .lost = 5,
		    .cycles = 1ull << 40,
		    .instructions = 77,
		    .handler_cycles = 0,
		    .interrupts = 9};
		all.size = 0;
		profile_send(&info, &table, collect, &all);

		uint8_t sequence = 0, last = 0;
		uint32_t entries = 0;
		uint64_t sum = 0;
		size_t from = 0;
		while (from < all.size) {
			ck_assert_uint_eq(all.at[from], 0);
			size_t to = from + 1;
			while (to < all.size && all.at[to] != 0)
				to++;
			ck_assert_uint_lt(to, all.size);
			uint8_t content[FRAME_CONTENT_MAX];
			int size = frame_decode(all.at + from + 1, to - from - 1, content);
			ck_assert_int_gt(size, 2);
			from = to + 1;
			ck_assert_uint_eq(content[1], sequence++);
			size_t end = (size_t)size, at = 2;
			last = content[0];
			if (last == FRAME_HEADER) {
				ck_assert_uint_eq(leb(content, end, &at), 1);
				ck_assert_uint_eq(leb(content, end, &at), 0);
				ck_assert_uint_eq(leb(content, end, &at), 32);
				ck_assert_uint_eq(leb(content, end, &at), 32);
				ck_assert_uint_eq(leb(content, end, &at), 0xF0121);
				ck_assert_uint_eq(leb(content, end, &at), 3);
				ck_assert_uint_eq(leb(content, end, &at), 512);
				ck_assert_uint_eq(leb(content, end, &at), 255);
				ck_assert_mem_eq(content + at, "\xEF\xCD\xAB\x89\x04name", 9);
				ck_assert_uint_eq(at + 9, end);
			} else if (last == FRAME_ENTRIES) {
				int64_t before = 0x80000000;
				while (at < end) {
					struct record count;
					table_get(&table, entries++, &count);
					uint8_t flags = content[at++];
					ck_assert_uint_eq(flags, count.reason | (unsigned)(extras << 3));
					before += frame_unzigzag(leb(content, end, &at)) * 2;
					ck_assert_uint_eq((uint64_t)before, count.start);
					ck_assert_uint_eq(leb(content, end, &at), count.hist);
					ck_assert_uint_eq(leb(content, end, &at), count.count);
					if (extras != 0) {
						ck_assert_uint_eq(leb(content, end, &at), count.cycles);
						ck_assert_uint_eq(leb(content, end, &at), count.insns);
					}
					sum += count.count;
				}
			} else {
				ck_assert_uint_eq(last, FRAME_END);
				ck_assert_uint_eq(leb(content, end, &at), entries);
				ck_assert_uint_eq(leb(content, end, &at), sum);
				ck_assert_uint_eq(leb(content, end, &at), 0);
				ck_assert_uint_eq(leb(content, end, &at), 5);
				ck_assert_uint_eq(leb(content, end, &at), 1ull << 40);
				ck_assert_uint_eq(leb(content, end, &at), 77);
				ck_assert_uint_eq(leb(content, end, &at), 0);
				ck_assert_uint_eq(leb(content, end, &at), 9);
				ck_assert_uint_eq(at, end);
			}
		}
		ck_assert_uint_eq(last, FRAME_END);
		ck_assert_uint_eq(entries, table.used);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table");
	TCase *tests = tcase_create("table");
	tcase_add_test(tests, random_keys);
	tcase_add_test(tests, full_table);
	tcase_add_test(tests, near_wrap);
	tcase_add_test(tests, limits);
	tcase_add_test(tests, too_small);
	tcase_add_test(tests, tidy_example);
	tcase_add_test(tests, tidy_phase);
	tcase_add_test(tests, tidy_random);
	tcase_add_test(tests, adapt_rates);
	tcase_add_test(tests, adapt_many);
	tcase_add_test(tests, adapt_bound);
	tcase_add_test(tests, profile_frames);
	suite_add_tcase(suite, tests);
	return suite_finish(suite);
}
