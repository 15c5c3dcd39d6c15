/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Paths, repeated paths and strata, and the bounded-sort table: the examples of BHS. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/phases/layers.h"
#include "tests/suite.h"

/* Blocks are letters of one instruction; what is over is written as text:
 * "ABC^2" a repeated path, "[ABC^2 B^1]^3" a repeated stratum. */
struct story {
	struct layers *layers;
	char text[4096];
};

static void write_path(const struct layers *layers, uint32_t path, char *to)
{
	uint32_t count;
	const uint32_t *blocks = layers_sequence(layers, 0, path, &count);
	for (uint32_t i = 0; i < count; i++)
		*to++ = (char)('A' + blocks[i]);
	*to = '\0';
}

static void tell(void *context, const struct layers_repeat *repeat)
{
	struct story *s = context;
	char path[64], *to = s->text + strlen(s->text);
	if (repeat->level == 0) {
		write_path(s->layers, repeat->sequence, path);
		sprintf(to, "%s^%u ", path, repeat->trips);
		return;
	}
	uint32_t count;
	const uint32_t *symbols = layers_sequence(s->layers, repeat->level, repeat->sequence, &count);
	to += sprintf(to, "L%u[", repeat->level);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t sequence, trips;
		layers_symbol(s->layers, repeat->level - 1, symbols[i], &sequence, &trips);
		if (repeat->level == 1)
			write_path(s->layers, sequence, path);
		else
			sprintf(path, "S%u", sequence);
		to += sprintf(to, "%s%s^%u", i > 0 ? " " : "", path, trips);
	}
	sprintf(to, "]^%u ", repeat->trips);
}

static void run(struct story *s, unsigned levels, uint32_t stratum_max, const char *letters)
{
	static const uint32_t one[26] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	struct layers_config config;
	layers_config_default(&config);
	config.levels = levels;
	config.length_max[1] = stratum_max;
	s->text[0] = '\0';
	ck_assert_int_eq(layers_open(&s->layers, &config), LAYERS_OK);
	layers_on_repeat(s->layers, tell, s);
	ck_assert_int_eq(layers_blocks(s->layers, one, 26), LAYERS_OK);
	for (; *letters != '\0'; letters++) {
		const uint32_t block = (uint32_t)(*letters - 'A');
		if (*letters != ' ')
			ck_assert_int_eq(layers_feed(s->layers, &block, 1), LAYERS_OK);
	}
}

static void end(struct story *s)
{
	ck_assert_int_eq(layers_cut(s->layers, 0), LAYERS_OK);
}

/* BHS: "a sequence of basic blocks is A B C D B ...: the first path is A B C D, the second starts with the second
 * B". */
START_TEST(path_ends_where_a_block_comes_again)
{
	struct story s;
	run(&s, 1, 0, "A B C D B");
	ck_assert_str_eq(s.text, ""); /* A B C D is the previous path, nothing has been passed on */
	end(&s);
	ck_assert_str_eq(s.text, "ABCD^1 B^1 ");
	layers_close(s.layers);
}
END_TEST

/* BHS, table 1: the first three blocks of A B C B B are path 0, the fourth is path 1. */
START_TEST(table_1)
{
	struct story s;
	run(&s, 1, 0, "A B C B B");
	end(&s);
	ck_assert_str_eq(s.text, "ABC^1 B^2 ");
	ck_assert_uint_eq(layers_sequences(s.layers, 0), 2);
	ck_assert_uint_eq(layers_trips(s.layers, 0, 1), 2);
	layers_close(s.layers);
}
END_TEST

/* BHS: A B C A B C B; at the third B the previous path is A B C with its trip count incremented, the new one is B. */
START_TEST(the_same_path_again)
{
	struct story s;
	run(&s, 1, 0, "A B C A B C B");
	ck_assert_str_eq(s.text, "");
	end(&s);
	ck_assert_str_eq(s.text, "ABC^2 B^1 ");
	layers_close(s.layers);
}
END_TEST

/* BHS: A B C A B D A; at the third A the path A B C is passed along, A B D is the previous path, A the new one. */
START_TEST(another_path)
{
	struct story s;
	run(&s, 1, 0, "A B C A B D A");
	ck_assert_str_eq(s.text, "ABC^1 ");
	end(&s);
	ck_assert_str_eq(s.text, "ABC^1 ABD^1 A^1 ");
	layers_close(s.layers);
}
END_TEST

/* The same method with repeated paths for blocks. Here P1 is AB, P2 AC, P3 AD, P4 AE: each ends where A comes again.
 * BHS: P1 P2 P3 P1 P2 P3 P2; the previous stratum P1 P2 P3 gets a trip count of 2, the new one is P2. */
START_TEST(the_same_stratum_again)
{
	struct story s;
	run(&s, 2, 0, "AB AC AD AB AC AD AC A");
	ck_assert_str_eq(s.text, "AB^1 AC^1 AD^1 AB^1 AC^1 AD^1 "); /* no stratum is passed along yet */
	end(&s);
	ck_assert_str_eq(s.text, "AB^1 AC^1 AD^1 AB^1 AC^1 AD^1 AC^1 A^1 L1[AB^1 AC^1 AD^1]^2 L1[AC^1 A^1]^1 ");
	layers_close(s.layers);
}
END_TEST

/* BHS: P1 P2 P3 P1 P2 P4 P1; P1 P2 P3 with its trip count is passed along, P1 P2 P4 is the previous stratum. */
START_TEST(another_stratum)
{
	struct story s;
	run(&s, 2, 0, "AB AC AD AB AC AE AB AF A");
	ck_assert_str_eq(s.text, "AB^1 AC^1 AD^1 AB^1 AC^1 AE^1 AB^1 L1[AB^1 AC^1 AD^1]^1 ");
	end(&s);
	layers_close(s.layers);
	/* trip counts are part of what is the same: AB^2 and AB^3 are two repeated paths */
	run(&s, 2, 0, "AB AB AC AB AB AC AB AB AB AC");
	end(&s);
	ck_assert_str_eq(s.text, "AB^2 AC^1 AB^2 AC^1 AB^3 AC^1 L1[AB^2 AC^1]^1 L1[AB^2 AC^1 AB^3]^1 L1[AC^1]^1 ");
	layers_close(s.layers);
}
END_TEST

/* A loop of two paths, 3 times the one and 2 times the other, again and again: one stratum, repeated. */
START_TEST(repeated_stratum)
{
	struct story s;
	run(&s, 3, 0, "AB AB AB AC AC AB AB AB AC AC AB AB AB AC AC AD");
	end(&s);
	ck_assert_str_eq(
	    s.text, "AB^3 AC^2 AB^3 AC^2 AB^3 AC^2 AD^1 L1[AB^3 AC^2]^2 L1[AB^3 AC^2 AD^1]^1 L2[S0^2 S1^1]^1 ");
	const struct layers_sums *sums = layers_sums(s.layers, 1, 0);
	ck_assert_uint_eq(sums->blocks, 10);
	ck_assert_uint_eq(sums->paths, 5);
	ck_assert_uint_eq(sums->instructions, 10);
	layers_close(s.layers);
}
END_TEST

/* "only fully track a stratum whose length has 4 or less repeated paths" */
START_TEST(limit_of_four)
{
	struct story s;
	run(&s, 2, 4, "A A B B C C D D E E F F");
	end(&s);
	ck_assert_str_eq(s.text, "A^1 AB^1 BC^1 CD^1 DE^1 EF^1 F^1 L1[A^1 AB^1 BC^1 CD^1]^1 L1[DE^1 EF^1 F^1]^1 ");
	layers_close(s.layers);
}
END_TEST

/* Whatever comes: what the repeated paths expand to is what was fed, and the strata to the repeated paths. */
struct expansion {
	struct layers *layers;
	uint32_t blocks[20000], count;
};

static void expand(void *context, const struct layers_repeat *repeat)
{
	struct expansion *e = context;
	uint32_t count;
	const uint32_t *blocks = layers_sequence(e->layers, 0, repeat->sequence, &count);
	if (repeat->level != 0)
		return;
	for (uint32_t t = 0; t < repeat->trips; t++)
		for (uint32_t i = 0; i < count; i++)
			e->blocks[e->count++] = blocks[i];
}

START_TEST(nothing_is_lost)
{
	static struct expansion e;
	static uint32_t fed[10000], one[64];
	struct layers_config config;
	layers_config_default(&config);
	config.levels = 5;
	for (unsigned i = 0; i < 64; i++)
		one[i] = i + 1;
	srand((unsigned)_i);
	memset(&e, 0, sizeof e);
	ck_assert_int_eq(layers_open(&e.layers, &config), LAYERS_OK);
	layers_on_repeat(e.layers, expand, &e);
	ck_assert_int_eq(layers_blocks(e.layers, one, 64), LAYERS_OK);
	uint64_t instructions = 0;
	for (unsigned i = 0; i < 10000; i++) { /* loops of random bodies and trips */
		fed[i] = i > 20 && rand() % 16 != 0 ? fed[i - 1 - (unsigned)_i % 7] : (uint32_t)(rand() % (2 + _i * 3));
		instructions += one[fed[i]];
	}
	ck_assert_int_eq(layers_feed(e.layers, fed, 10000), LAYERS_OK);
	ck_assert_int_eq(layers_cut(e.layers, 0), LAYERS_OK);
	ck_assert_uint_eq(e.count, 10000);
	ck_assert_int_eq(memcmp(e.blocks, fed, sizeof fed), 0);
	for (unsigned level = 0; level < 5; level++) { /* each level holds the whole run */
		uint64_t sum = 0;
		for (uint32_t q = 0; q < layers_sequences(e.layers, level); q++)
			sum += layers_trips(e.layers, level, q) * layers_sums(e.layers, level, q)->instructions;
		ck_assert_uint_eq(sum, instructions);
	}
	layers_close(e.layers);
}
END_TEST

/* ---------------------------------------------------------------- the bounded-sort table */

static const uint64_t frequencies[] = {100000000, 101000000, 9000, 22, 8431, 99997, 32111, 6719, 5234};
#define ENTRIES (sizeof frequencies / sizeof *frequencies)

static void bucket(const struct sorted_config *config, struct sorted **table, uint32_t order[ENTRIES])
{
	uint32_t number;
	ck_assert_int_eq(sorted_open(table, config), SORTED_OK);
	for (uint32_t i = 0; i < ENTRIES; i++) { /* equal hashes: all in one bucket */
		ck_assert_int_eq(sorted_enter(*table, &i, 1, 7, frequencies[i], &number), 1);
		ck_assert_uint_eq(number, i);
	}
	sorted_sort(*table);
	ck_assert_uint_eq(sorted_bucket(*table, 0, order, ENTRIES), ENTRIES);
}

/* BHS: frequencies 100E6, 101E6, 9 000, 22, 8 431, 99 997, 32 111, 6 719, 5 234 and a threshold of 100 000: "the
 * partial sorted result may be 101E6, 100E6"; the others are not sorted. */
START_TEST(the_document_s_bucket)
{
	struct sorted_config config;
	struct sorted *table;
	uint32_t order[ENTRIES];
	sorted_config_default(&config);
	config.period = 0;
	config.measure = SORTED_TOTAL;
	config.frequency = 100000;
	bucket(&config, &table, order);
	static const uint32_t falling[ENTRIES] = {1, 0, 2, 3, 4, 5, 6, 7, 8};
	ck_assert_int_eq(memcmp(order, falling, sizeof falling), 0);
	sorted_close(table);

	config.order = SORTED_ASCENDING; /* the second group comes first */
	bucket(&config, &table, order);
	static const uint32_t rising[ENTRIES] = {2, 3, 4, 5, 6, 7, 8, 0, 1};
	ck_assert_int_eq(memcmp(order, rising, sizeof rising), 0);
	sorted_close(table);

	config.order = SORTED_DESCENDING;
	config.threshold = SORTED_BY_BUCKET; /* the bucket as a whole has more: all of it is sorted */
	bucket(&config, &table, order);
	static const uint32_t all[ENTRIES] = {1, 0, 5, 6, 2, 4, 7, 8, 3};
	ck_assert_int_eq(memcmp(order, all, sizeof all), 0);
	sorted_close(table);

	config.depth = ENTRIES; /* not deep enough */
	bucket(&config, &table, order);
	for (uint32_t i = 0; i < ENTRIES; i++)
		ck_assert_uint_eq(order[i], i);
	sorted_close(table);
}
END_TEST

static void count_swap(void *context, const struct sorted_swap *swap)
{
	struct sorted_swap *last = context;
	*last = *swap;
}

/* Entries that change places although they differ by an order of magnitude are a phase change; similar ones are not. */
START_TEST(phase_change)
{
	struct sorted_config config;
	struct sorted_statistics statistics;
	struct sorted_swap last = {0};
	struct sorted *table;
	uint32_t number;
	sorted_config_default(&config);
	config.period = 0;
	config.depth = 1;
	config.frequency = 100;
	ck_assert_int_eq(sorted_open(&table, &config), SORTED_OK);
	sorted_on_swap(table, count_swap, &last);
	for (uint32_t i = 0; i < 3; i++)
		sorted_enter(table, &i, 1, 7, i == 0 ? 1000 : 900, &number);
	sorted_sort(table);
	sorted_enter(table, (uint32_t[]){0}, 1, 7, 900, &number);
	sorted_enter(table, (uint32_t[]){1}, 1, 7, 1000, &number); /* 1 overtakes 0, but they are similar */
	sorted_sort(table);
	sorted_statistics(table, &statistics);
	ck_assert_uint_eq(statistics.swaps, 0);
	sorted_enter(table, (uint32_t[]){2}, 1, 7, 5000, &number);
	sorted_enter(table, (uint32_t[]){1}, 1, 7, 500, &number); /* a tenth: an order of magnitude */
	sorted_sort(table);
	sorted_statistics(table, &statistics);
	ck_assert_uint_eq(statistics.swaps, 1);
	ck_assert_uint_eq(last.rose, 2);
	ck_assert_uint_eq(last.sank, 1);
	ck_assert_uint_eq(last.rose_count, 5000);
	ck_assert_uint_eq(last.sank_count, 500);
	sorted_close(table);
}
END_TEST

/* Periods: by accesses, and by a clock that the caller moves. */
START_TEST(periods)
{
	struct sorted_config config;
	struct sorted_statistics statistics;
	struct sorted *table;
	uint32_t number;
	sorted_config_default(&config);
	config.clock = SORTED_ACCESSES;
	config.period = 10;
	ck_assert_int_eq(sorted_open(&table, &config), SORTED_OK);
	for (uint32_t i = 0; i < 35; i++)
		sorted_enter(table, &i, 1, i, 1, &number);
	sorted_statistics(table, &statistics);
	ck_assert_uint_eq(statistics.sorts, 3);
	sorted_close(table);
	config.clock = SORTED_CYCLES;
	config.period = 1000;
	ck_assert_int_eq(sorted_open(&table, &config), SORTED_OK);
	for (uint64_t time = 0; time < 5500; time += 50)
		sorted_tick(table, time);
	sorted_statistics(table, &statistics);
	ck_assert_uint_eq(statistics.sorts, 5);
	sorted_close(table);
}
END_TEST

/* Many entries: found again under their numbers, whatever was sorted and however often the table grew. */
START_TEST(many_entries)
{
	struct sorted_config config;
	struct sorted *table;
	uint32_t number, key[2];
	sorted_config_default(&config);
	config.grow = _i != 0;
	config.bits = _i == 0 ? 6 : 1;
	config.clock = SORTED_ACCESSES;
	config.period = 1000;
	config.depth = 1;
	config.frequency = 2;
	ck_assert_int_eq(sorted_open(&table, &config), SORTED_OK);
	for (unsigned round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 20000; i++) {
			key[0] = i;
			key[1] = i * 7;
			ck_assert_int_eq(
			    sorted_enter(table, key, 2, sorted_hash(key, 2), 1 + i % 5, &number), round == 0);
			ck_assert_uint_eq(number, i);
		}
	for (uint32_t i = 0; i < 20000; i++)
		ck_assert_uint_eq(sorted_accesses(table, i), 3 * (1 + i % 5));
	sorted_close(table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layers");
	TCase *tc = tcase_create("all");
	tcase_add_test(tc, path_ends_where_a_block_comes_again);
	tcase_add_test(tc, table_1);
	tcase_add_test(tc, the_same_path_again);
	tcase_add_test(tc, another_path);
	tcase_add_test(tc, the_same_stratum_again);
	tcase_add_test(tc, another_stratum);
	tcase_add_test(tc, repeated_stratum);
	tcase_add_test(tc, limit_of_four);
	tcase_add_loop_test(tc, nothing_is_lost, 1, 20);
	tcase_add_test(tc, the_document_s_bucket);
	tcase_add_test(tc, phase_change);
	tcase_add_test(tc, periods);
	tcase_add_loop_test(tc, many_entries, 0, 2);
	suite_add_tcase(suite, tc);
	return suite_finish(suite);
}
