/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The firmware's trace table against a list searched from end to end, and the profile frames made from it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "common/frame.h"
#include "sw/trace/profile.h"
#include "sw/trace/table.h"

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
		struct table_count count;
		table_get(table, i, &count);
		ck_assert_uint_eq(count.start, line->start);
		ck_assert_uint_eq(count.hist, line->hist);
		ck_assert_uint_eq(count.reason, line->reason);
		ck_assert_uint_eq(count.count, line->count);
		ck_assert_uint_eq(count.cycles, line->cycles);
		ck_assert_uint_eq(count.insns, line->insns);
		ck_assert(count.hot == line->hot);
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
	struct table_count count;
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
		    .way = 3,
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
					struct table_count count;
					table_get(&table, entries++, &count);
					uint8_t flags = content[at++];
					ck_assert_uint_eq(flags, count.reason | (unsigned)(extras << 3));
					before += frame_unzigzag(leb(content, end, &at)) * 2;
					ck_assert_int_eq(before, count.start);
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
	tcase_add_test(tests, profile_frames);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
