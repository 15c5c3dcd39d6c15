/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/records: how the columns of a block are coded, and keys that are looked up many at a time. */
#include "tests/records_bench.h"
#include "tests/suite.h"

/* Records that repeat have the cycles of their key as often, and no column of cycles. Those of the odd third have some
 * more. */
static struct item repeating_item(uint32_t n, bool odd)
{
	const uint32_t key = n % 3, count = 1 + n * n % 200;
	return (struct item){.record = {.start = 0x1000 + 4 * (uint64_t)key,
				 .hist = 1,
				 .count = count,
				 .timed = count,
				 .cycles = (uint64_t)count * (4 + key) + (odd && key == 2 ? n % 7 : 0),
				 .insns = 1,
				 .reason = TRACE_BACKWARD},
	    .place = {.number = n, .time = 5000 * (uint64_t)n, .ctrl = RV_CTRL_ENABLE_MASK}};
}

START_TEST(repeating)
{
	enum { REPEATING = 70000 };
	size_t sizes[2];
	for (int i = 0; i < 2; i++) {
		struct records_header coded = header;
		struct records_writer *w;
		struct bytes b = {0};
		coded.multiplied = i == 1;
		ck_assert_int_eq(records_writer_open(&w, &coded, 0, keep, &b), RECORDS_OK);
		for (uint32_t n = 0; n < REPEATING; n++) {
			const struct item item = repeating_item(n, _i == 1);
			ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
		}
		ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
		records_writer_close(w);
		struct records *r;
		struct item item;
		ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
		ck_assert(records_header(r)->multiplied == (i == 1));
		for (uint32_t n = 0; n < REPEATING; n++) {
			const struct item want = repeating_item(n, _i == 1);
			if (records_next(r, &item.record, &item.place) != 1)
				ck_abort_msg("record %u is missing", n);
			check_item(&item, &want);
		}
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
		records_close(r);
		sizes[i] = b.size;
		free(b.at);
	}
	if (_i == 0)
		ck_assert_uint_lt(sizes[1], sizes[0]);
}
END_TEST

/* A long loop has its keys one behind the other: nearly nothing is written of them. Some records of other keys lie in
 * between. */
START_TEST(steps)
{
	static const uint32_t lengths[] = {1000, 40000};
	const uint32_t circle = lengths[_i], count = 3 * RECORDS_BLOCK_MAX;
	struct bytes b = {0};
	struct records_header coded = header;
	struct records_writer *w;
	coded.carried = coded.multiplied = true;
	ck_assert_int_eq(records_writer_open(&w, &coded, 1, keep, &b), RECORDS_OK);
	for (int pass = 0; pass < 2; pass++) {
		struct records *r = NULL;
		if (pass == 1)
			ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
		for (uint32_t n = 0; n < count; n++) {
			const uint32_t key = n % 5000 == 4321 ? n / 5000 * 77 % circle : n % circle;
			const struct item want = {.record = {.start = 4 * (uint64_t)key,
						      .hist = 1,
						      .count = 1,
						      .timed = 1,
						      .cycles = 3,
						      .insns = 1,
						      .reason = TRACE_TRAP},
			    .place = {.number = n, .time = 3 * (uint64_t)n + 3, .ctrl = RV_CTRL_ENABLE_MASK}};
			struct item item;
			if (pass == 0)
				ck_assert_int_eq(records_write(w, &want.record, &want.place), RECORDS_OK);
			else if (records_next(r, &item.record, &item.place) != 1)
				ck_abort_msg("record %u is missing", n);
			else
				check_item(&item, &want);
		}
		if (pass == 0)
			ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
		records_close(r);
	}
	records_writer_close(w);
	ck_assert_uint_lt(b.size, 12000);
	free(b.at);
}
END_TEST

/* Records of a chain that are new to the block are looked up many at a time: also where its list has no room, and where
 * the block is full in the midst of them. */
static uint64_t looked_up_start(uint32_t n, uint64_t keys)
{
	return 4 * (n * UINT64_C(2654435761) % keys);
}

START_TEST(looked_up)
{
	enum { LOOKED_UP = 3 * RECORDS_BLOCK_MAX + 77, ONCE = 100, USES = 1000 };
	static struct record keys[USES];
	static uint16_t uses[USES];
	struct bytes b = {0};
	struct records_header coded = header;
	struct records_writer *w;
	uint64_t refused = 0, time = 0;
	const uint64_t different = _i < 2 ? 3000 : 1u << 30;
	coded.carried = coded.multiplied = true;
	ck_assert_int_eq(records_writer_open(&w, &coded, 1, keep, &b), RECORDS_OK);
	if (_i % 2 == 1)
		records_writer_merge(w);
	const struct record_place place = {.ctrl = RV_CTRL_ENABLE_MASK};
	for (uint32_t n = 0; n < LOOKED_UP;) {
		struct record_chain chain = {.keys = keys, .once = ONCE, .uses = uses, .begin = time};
		for (; chain.count < ONCE && n < LOOKED_UP; n++) {
			uses[chain.count] = (uint16_t)chain.count;
			keys[chain.count] = (struct record){.start = looked_up_start(n, different),
			    .hist = 1,
			    .count = 1,
			    .timed = 1,
			    .cycles = 1 + n % 3,
			    .insns = 1,
			    .reason = TRACE_TRAP};
			time += keys[chain.count++].cycles;
		}
		chain.key_count = chain.count;
		ck_assert_int_eq(records_write_chain(w, &chain, &place, &refused), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	struct records *r;
	struct item item;
	time = 0;
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	for (uint32_t n = 0; n < LOOKED_UP; n++) {
		if (records_next(r, &item.record, &item.place) != 1)
			ck_abort_msg("record %u is missing", n);
		time += 1 + n % 3;
		ck_assert_uint_eq(item.record.start, looked_up_start(n, different));
		ck_assert_uint_eq(item.record.cycles, 1 + n % 3);
		ck_assert_uint_eq(item.place.time, time);
	}
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	records_close(r);
	free(b.at);
}
END_TEST

/* Time that lies between two chains is not lost. */
START_TEST(gap_before_chain)
{
	static const uint16_t uses[5] = {0};
	const struct record key = {.start = 8, .hist = 1, .count = 1, .insns = 3, .cycles = 5, .reason = TRACE_TRAP};
	const struct record_place place = {.ctrl = RV_CTRL_ENABLE_MASK};
	struct record_chain chain = {.keys = &key, .key_count = 1, .uses = uses, .count = 5};
	struct records_writer *w;
	struct bytes b = {0};
	uint64_t refused = 0;
	ck_assert_int_eq(records_writer_open(&w, &header, 1, keep, &b), RECORDS_OK);
	ck_assert_int_eq(records_write_chain(w, &chain, &place, &refused), RECORDS_OK);
	chain.begin = 1000;
	ck_assert_int_eq(records_write_chain(w, &chain, &place, &refused), RECORDS_OK);
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	struct records *r;
	struct item one;
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	for (uint64_t n = 0; n < 10; n++) {
		ck_assert_int_eq(records_next(r, &one.record, &one.place), 1);
		ck_assert_uint_eq(one.place.time, n < 5 ? 5 * (n + 1) : 1000 + 5 * (n - 4));
	}
	records_close(r);
	free(b.at);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"coded", repeating, 2}, {"coded", steps, 2}, {"coded", looked_up, 4}, {"coded", gap_before_chain, 0}};
	return SUITE_RUN("records coded", cases, NULL, NULL);
}
