/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/bytes.h"
#include "host/gcov/align.h"
#include "host/gcov/circulation.h"
#include "host/gcov/data.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 1024

struct written {
	uint8_t bytes[ROOM];
	size_t size;
};

static void put_word(struct written *out, uint32_t word)
{
	ck_assert(out->size + 4 <= ROOM);
	bytes_put32(out->bytes + out->size, word);
	out->size += 4;
}

static void put_text(struct written *out, const char *text)
{
	size_t size = text == NULL ? 0 : strlen(text) + 1;
	put_word(out, (uint32_t)size);
	memcpy(out->bytes + out->size, text == NULL ? "" : text, size);
	out->size += size;
}

/* Ends a record that began at `start'. */
static void end_record(struct written *out, size_t start)
{
	bytes_put32(out->bytes + start + 4, (uint32_t)(out->size - start - 8));
}

static size_t begin_record(struct written *out, uint32_t tag)
{
	put_word(out, tag);
	put_word(out, 0);
	return out->size - 8;
}

static void put_arcs(struct written *out, uint32_t from, size_t count, const uint32_t (*arcs)[2])
{
	size_t start = begin_record(out, 0x01430000);
	put_word(out, from);
	for (size_t i = 0; i < count; i++) {
		put_word(out, arcs[i][0]);
		put_word(out, arcs[i][1]);
	}
	end_record(out, start);
}

/* entry ─► 2 ─► 3 or 4 ─► 5 ─► exit; lines 10, 11, 12, 13 of f.c */
static void put_diamond(struct written *out)
{
	static const uint32_t entry[][2] = {{2, 1}}, two[][2] = {{3, 5}, {4, 0}}, side[][2] = {{5, 1}},
			      five[][2] = {{1, 0}};
	*out = (struct written){0};
	put_word(out, 0x67636E6F);
	put_word(out, 0x4232322A);
	put_word(out, 77); /* stamp */
	put_word(out, 0);
	put_text(out, "/folder");
	put_word(out, 1);
	size_t start = begin_record(out, 0x01000000);
	put_word(out, 5);
	put_word(out, 6);
	put_word(out, 7);
	put_text(out, "diamond");
	put_word(out, 0);
	put_text(out, "f.c");
	for (uint32_t i = 10; i < 14; i++)
		put_word(out, i);
	end_record(out, start);
	start = begin_record(out, 0x01410000);
	put_word(out, 6);
	end_record(out, start);
	put_arcs(out, 0, 1, entry);
	put_arcs(out, 2, 2, two);
	put_arcs(out, 3, 1, side);
	put_arcs(out, 4, 1, side);
	put_arcs(out, 5, 1, five);
	for (uint32_t block = 2; block < 6; block++) {
		start = begin_record(out, 0x01450000);
		put_word(out, block);
		put_word(out, 0);
		put_text(out, "f.c");
		put_word(out, 8 + block);
		put_word(out, 0);
		put_text(out, NULL);
		end_record(out, start);
	}
}

START_TEST(notes_of_a_diamond)
{
	struct written out;
	struct notes notes;
	put_diamond(&out);
	ck_assert_int_eq(notes_read(&notes, out.bytes, out.size), NOTES_OK);
	ck_assert_uint_eq(notes.stamp, 77);
	ck_assert_uint_eq(notes.function_count, 1);
	ck_assert_str_eq(notes.functions[0].name, "diamond");
	ck_assert_uint_eq(notes.functions[0].graph_checksum, 7);
	ck_assert_uint_eq(notes.functions[0].last_line, 12);
	ck_assert_uint_eq(notes.arc_count, 6);
	ck_assert_uint_eq(notes.arcs[2].from, 2);
	ck_assert_uint_eq(notes.arcs[2].to, 4);
	ck_assert_uint_eq(notes.place_count, 4);
	ck_assert_uint_eq(notes.places[3].block, 5);
	ck_assert_uint_eq(notes.places[3].line, 13);
	ck_assert_str_eq(notes.places[3].file, "f.c");
	notes_free(&notes);
}
END_TEST

/* Cut anywhere, but behind a whole record: refused. Any byte changed: read or refused. */
START_TEST(notes_damaged)
{
	struct written out;
	struct notes notes;
	put_diamond(&out);
	size_t cut = 0;
	for (size_t size = 0; size < out.size; size++) {
		cut += notes_read(&notes, out.bytes, size) != NOTES_OK;
		notes_free(&notes);
	}
	ck_assert_uint_ge(cut, out.size - 12 - 12 * 3); /* records, and 4 bytes that are 0 behind one */
	for (size_t at = 0; at < out.size; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			out.bytes[at] ^= (uint8_t)(1U << bit);
			int error = notes_read(&notes, out.bytes, out.size);
			ck_assert(at >= 4 || error == NOTES_EMAGIC);
			ck_assert(at < 6 || at >= 8 || error == NOTES_EVERSION);
			notes_free(&notes);
			out.bytes[at] ^= (uint8_t)(1U << bit);
		}
	}
}
END_TEST

/* Counters are those of the arcs without tree flag, in their order. */
START_TEST(counters_of_a_diamond)
{
	struct written out;
	struct blocks_function function = {.fate = BLOCKS_COUNTED};
	uint64_t arcs[] = {9, 5, 4, 5, 4, UINT64_C(0x100000009)};
	struct blocks_unit unit = {.functions = &function, .arcs = arcs};
	char *text = NULL;
	size_t size;
	put_diamond(&out);
	ck_assert_int_eq(notes_read(&unit.notes, out.bytes, out.size), NOTES_OK);
	ck_assert_uint_eq(data_largest(&unit, 1), UINT64_C(0x100000009));
	FILE *file = open_memstream(&text, &size);
	data_write(&unit, data_largest(&unit, 1), file);
	fclose(file);
	const uint8_t *bytes = (const uint8_t *)text;
	ck_assert_uint_eq(size, 16 + 16 + 20 + 8 + 2 * 8 + 4);
	ck_assert_mem_eq(bytes, "adcg*22B", 8);
	ck_assert_uint_eq(bytes_get32(bytes + 8), 77);
	ck_assert_uint_eq(bytes_get32(bytes + 28), UINT32_MAX); /* the largest */
	ck_assert_uint_eq(bytes_get32(bytes + 48), 7);
	ck_assert_uint_eq(bytes_get64(bytes + 60), 4);
	ck_assert_uint_eq(bytes_get64(bytes + 68), UINT64_C(0x100000009));
	free(text);
	function.fate = BLOCKS_NO_CODE;
	file = open_memstream(&text, &size);
	data_write(&unit, 0, file);
	fclose(file);
	ck_assert_uint_eq(size, 16 + 16 + 4);
	free(text);
	notes_free(&unit.notes);
}
END_TEST

/* A loop, entry ─► 2 ─► 3 ─► 2, 2 ─► exit: what blocks say does not fit; the least that is to be changed is changed. */
START_TEST(circulation_of_a_loop)
{
	static const struct {
		struct circulation_block two, three;
		uint64_t wanted[4];
	} cases[] = {
	    {{.likely = 110, .least = 110, .most = 110, .near = 9, .far = 9},
		{.likely = 100, .least = 100, .most = 100, .near = 9, .far = 9}, {10, 100, 100, 10}},
	    {{.most = CIRCULATION_ANY, .near = 1}, {.likely = 100, .least = 100, .most = 100, .near = 9, .far = 9},
		{0, 100, 100, 0}},
	    {{.likely = 7, .least = 7, .most = 7, .near = 9, .far = 9},
		{.likely = 100, .least = 0, .most = 100, .near = 1, .far = 9}, {0, 7, 7, 0}},
	    {{.likely = 7, .least = 7, .most = 50, .near = 1, .far = 9},
		{.likely = 100, .least = 90, .most = 100, .near = 2, .far = 20}, {0, 90, 90, 0}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct circulation_block blocks[4] = {
		    {.most = CIRCULATION_ANY}, {.most = CIRCULATION_ANY}, cases[i].two, cases[i].three};
		struct circulation_arc arcs[] = {
		    {.from = 0, .to = 2}, {.from = 2, .to = 3}, {.from = 3, .to = 2}, {.from = 2, .to = 1}};
		ck_assert_int_eq(circulation_solve(blocks, 4, arcs, 4, 0, 1), CIRCULATION_OK);
		for (size_t k = 0; k < 4; k++)
			ck_assert_msg(arcs[k].count == cases[i].wanted[k], "case %zu, arc %zu: %ju, expected %ju", i, k,
			    (uintmax_t)arcs[k].count, (uintmax_t)cases[i].wanted[k]);
	}
}
END_TEST

/* Of two ways the one that costs less on its arcs. */
START_TEST(circulation_avoids_arcs)
{
	struct circulation_block blocks[4] = {{.most = CIRCULATION_ANY}, {.most = CIRCULATION_ANY},
	    {.likely = 6, .least = 6, .most = 6, .near = 99, .far = 99}, {.most = CIRCULATION_ANY, .near = 1}};
	struct circulation_arc arcs[] = {
	    {.from = 0, .to = 2}, {.from = 2, .to = 1, .cost = 2}, {.from = 2, .to = 3}, {.from = 3, .to = 1}};
	ck_assert_int_eq(circulation_solve(blocks, 4, arcs, 4, 0, 1), CIRCULATION_OK);
	ck_assert_uint_eq(arcs[1].count, 0);
	ck_assert_uint_eq(arcs[3].count, 6);
	arcs[1].cost = 0;
	ck_assert_int_eq(circulation_solve(blocks, 4, arcs, 4, 0, 1), CIRCULATION_OK);
	ck_assert_uint_eq(arcs[1].count, 6);
}
END_TEST

static double unfit_of(const struct align_item *block, const struct align_item *part)
{
	return (block->ends && block->calls != part->calls ? 1.0 : 0) +
	       (block->open ? 0.3 : fabs(block->size - part->size));
}

/* The least of all alignments, each tried. */
static double least_sum(
    const struct align_item *blocks, size_t block_count, const struct align_item *parts, size_t part_count)
{
	if (block_count == 0)
		return 0.2 * (double)part_count;
	double least = least_sum(blocks + 1, block_count - 1, parts, part_count) + 0.8;
	for (size_t k = 0; k < part_count; k++) {
		double sum = 0.2 * (double)k + unfit_of(blocks, parts + k) +
			     least_sum(blocks + 1, block_count - 1, parts + k + 1, part_count - k - 1);
		least = sum < least ? sum : least;
	}
	return least;
}

/* Pairs in order, whose sum is the least. */
START_TEST(alignments_are_best)
{
	struct alignment a = {0};
	unsigned pairs = 0;
	srand(34);
	for (unsigned turn = 0; turn < 2000; turn++) {
		struct align_item blocks[6], parts[6];
		size_t block_count = 1 + (size_t)rand() % 6, part_count = (size_t)rand() % 7, block, part;
		for (size_t i = 0; i < 6; i++) {
			blocks[i] = (struct align_item){log(1 + rand() % 4), rand() % 2, rand() % 2, rand() % 4 == 0};
			parts[i] = (struct align_item){.size = log(1 + rand() % 4), .calls = rand() % 2};
		}
		ck_assert(align_items(&a, blocks, block_count, parts, part_count));
		double sum = 0.8 * (double)block_count + 0.2 * (double)part_count;
		for (size_t above = block_count, over = part_count; align_next(&a, &block, &part); pairs++) {
			ck_assert(block < above && part < over);
			above = block;
			over = part;
			sum += unfit_of(&blocks[block], &parts[part]) - 0.8 - 0.2;
		}
		ck_assert_double_eq_tol(sum, least_sum(blocks, block_count, parts, part_count), 1e-9);
	}
	ck_assert_uint_gt(pairs, 2000);
	align_free(&a);
}
END_TEST

/* A line of 4,000 blocks and as many parts: 122 MiB as a table of sums. */
START_TEST(alignment_of_a_long_line)
{
	enum { COUNT = 4000 };
	struct alignment a = {0};
	struct align_item *items = calloc(COUNT, sizeof *items);
	size_t block, part, pairs = 0;
	ck_assert_ptr_nonnull(items);
	for (size_t i = 0; i < COUNT; i++)
		items[i].size = (double)(i * 7919 % 13);
	ck_assert(align_items(&a, items, COUNT, items, COUNT));
	for (; align_next(&a, &block, &part); pairs++)
		ck_assert_uint_eq(block, part);
	ck_assert_uint_eq(pairs, COUNT);
	ck_assert_uint_lt(a.way_room + a.sum_room * sizeof *a.sums, 8 << 20);
	align_free(&a);
	free(items);
}
END_TEST

int main(void)
{
	static struct suite_case cases[7];
	cases[0] = (struct suite_case){"notes", notes_of_a_diamond, 0};
	cases[1] = (struct suite_case){"damage", notes_damaged, 0};
	cases[2] = (struct suite_case){"counters", counters_of_a_diamond, 0};
	cases[3] = (struct suite_case){"loop", circulation_of_a_loop, 0};
	cases[4] = (struct suite_case){"arcs", circulation_avoids_arcs, 0};
	cases[5] = (struct suite_case){"alignment", alignments_are_best, 0};
	cases[6] = (struct suite_case){"long line", alignment_of_a_long_line, 0};
	return SUITE_RUN("gcov", cases, NULL, NULL);
}
