/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/records: blocks of many keys, which carry those of the blocks before. */
#include "tests/records_bench.h"
#include "tests/suite.h"

/* Record number n of a stream of `keys` keys: key by key, then in any order, then key by key again. */
static struct item carried_item(uint32_t n, uint32_t keys)
{
	const uint32_t key = n / 100000 % 2 == 0 ? n % keys : (uint32_t)(n * UINT64_C(2654435761) >> 7) % keys;
	return (struct item){.record = {.start = 0x1000 + 4 * (uint64_t)key,
				 .hist = 1 + key % 7,
				 .count = 1,
				 .timed = 1,
				 .cycles = 2 + key % 5 + (n % 1000 == 77),
				 .insns = 1 + key % 3,
				 .reason = TRACE_INDIRECT},
	    .place = {.number = n, .time = 10 * (uint64_t)n, .ctrl = RV_CTRL_ENABLE_MASK}};
}

static void write_carried(struct bytes *b, uint32_t count, uint32_t keys)
{
	struct records_header carried = header;
	struct records_writer *w;
	carried.carried = true;
	*b = (struct bytes){0};
	ck_assert_int_eq(records_writer_open(&w, &carried, 1, keep, b), RECORDS_OK);
	for (uint32_t i = 0; i < count; i++) {
		const struct item item = carried_item(i, keys);
		ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
}

/* Heads of the blocks of records; returns how many. */
enum { CARRIED_BLOCKS = 64 };
static size_t carried_heads(const struct bytes *b, struct head heads[CARRIED_BLOCKS], size_t at[CARRIED_BLOCKS])
{
	size_t count = 0;
	struct head head;
	for (size_t i = 0; i + HEAD_SIZE <= b->size && head_get(&head, b->at + i); i += HEAD_SIZE + head.stored) {
		if (head.type != HEAD_RECORDS)
			continue;
		ck_assert_uint_lt(count, CARRIED_BLOCKS);
		heads[count] = head;
		at[count++] = i;
	}
	return count;
}

/* Everything comes back: in order, from any record on, and by whole blocks, whose keys are those that they use. The
 * last of these has more keys than a list holds. */
START_TEST(comes_back)
{
	static const uint32_t all_keys[] = {1500, 40000, 100000};
	const uint32_t keys = all_keys[_i], count = 70000 * 6;
	struct head heads[CARRIED_BLOCKS];
	size_t at[CARRIED_BLOCKS], carrying = 0;
	struct bytes b;
	write_carried(&b, count, keys);
	const size_t blocks = carried_heads(&b, heads, at);
	for (size_t i = 0; i < blocks; i++)
		carrying += heads[i].depth > 0;
	ck_assert_uint_ge(carrying, _i == 2 ? 1 : blocks - 1);
	struct records *r;
	struct item item;
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert(records_header(r)->carried && !records_header(r)->clocked);
	for (uint32_t i = 0; i < count; i++) {
		const struct item want = carried_item(i, keys);
		if (records_next(r, &item.record, &item.place) != 1)
			ck_abort_msg("record %u is missing", i);
		check_item(&item, &want);
	}
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	for (uint32_t i = 0; i < 20; i++) {
		const uint32_t to = (uint32_t)(i * UINT64_C(2654435761) % count);
		const struct item want = carried_item(to, keys);
		ck_assert_int_eq(records_seek(r, to), RECORDS_OK);
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		check_item(&item, &want);
	}
	records_rewind(r);
	static bool used[RECORDS_BLOCK_MAX];
	struct records_block block;
	while (records_next_block(r, &block) == 1) {
		memset(used, 0, sizeof used);
		for (uint32_t i = 0; i < block.count; i++)
			used[block.key[i]] = true;
		uint32_t all = 0;
		while (all < RECORDS_BLOCK_MAX && used[all])
			all++;
		ck_assert_uint_eq(all, block.key_count);
	}
	records_close(r);
	free(b.at);
}
END_TEST

/* Blocks behind one of many keys: each second one has new keys. */
static void make_lists(struct bytes *b)
{
	struct records_header carried = header;
	struct records_writer *w;
	carried.carried = true;
	*b = (struct bytes){0};
	ck_assert_int_eq(records_writer_open(&w, &carried, 1, keep, b), RECORDS_OK);
	for (uint32_t i = 0; i < 1100 + 39 * 20; i++) {
		const bool fresh = i >= 1100 && (i - 1100) / 20 % 2 == 1;
		struct item item = carried_item(i, fresh ? 100000 : 1100);
		item.place.number = i;
		ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
		if (i >= 1099 && (i - 1099) % 20 == 0)
			ck_assert_int_eq(records_writer_flush(w), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
}

static void leave_out(struct bytes *b, size_t at, size_t size)
{
	memmove(b->at + at, b->at + at + size, b->size - at - size);
	b->size -= size;
}

/* A block that is damaged takes with it those that need its keys, up to the next that carries none, and no other. */
START_TEST(damaged_lists)
{
	struct head heads[CARRIED_BLOCKS];
	size_t at[CARRIED_BLOCKS], kept;
	struct bytes b;
	make_lists(&b);
	const size_t blocks = carried_heads(&b, heads, at);
	uint64_t all = 0, count;
	for (size_t i = 0; i < blocks; i++)
		all += heads[i].count;
	ck_assert_uint_eq(all, 1100 + 39 * 20);
	ck_assert_uint_gt(blocks, 20);
	for (size_t i = 0; i < blocks; i++) {
		struct bytes c = {0};
		keep(&c, b.at, b.size);
		if (_i == 0)
			c.at[at[i] + HEAD_SIZE + heads[i].stored / 2] ^= 0x10;
		else /* the block is not there at all */
			leave_out(&c, at[i], HEAD_SIZE + heads[i].stored);
		uint64_t lost = heads[i].count, needing = 0;
		const bool fresh = heads[i].depth == 0 || (heads[i].first - 1100) / 20 % 2 == 1;
		for (size_t k = i + 1; fresh && k < blocks && heads[k].depth > 0; k++) {
			lost += heads[k].count;
			needing++;
		}
		struct records *r;
		uint64_t told = 0;
		ck_assert_int_eq(records_open_memory(&r, c.at, c.size, NULL, 0), RECORDS_OK);
		ck_assert_int_eq(records_check(r, NULL, NULL), 0);
		const struct records_damage *damage = records_damage(r, &kept, &count);
		for (size_t k = 0; k < kept; k++)
			told += damage[k].kind == RECORDS_KEYS;
		ck_assert_uint_eq(records_missing(r), lost);
		ck_assert_uint_eq(told, needing);
		/* the same from the last record back */
		for (size_t k = blocks; k-- > 0;) {
			struct item item;
			ck_assert_int_eq(records_seek(r, heads[k].first), RECORDS_OK);
			const int got = records_next(r, &item.record, &item.place);
			const bool gone = k == i || (fresh && k > i && k <= i + needing);
			ck_assert(gone || (got == 1 && item.place.number == heads[k].first));
			ck_assert(!gone || got == 0 || item.place.number > heads[k].first);
		}
		records_close(r);
		free(c.at);
	}
	free(b.at);
}
END_TEST

/* Blocks in another order are read in that of their numbers, with the keys of those before them. */
START_TEST(moved_lists)
{
	struct head heads[CARRIED_BLOCKS];
	size_t at[CARRIED_BLOCKS];
	struct bytes b, c = {0};
	make_lists(&b);
	const size_t blocks = carried_heads(&b, heads, at);
	keep(&c, b.at, at[0]);
	for (size_t i = blocks; i-- > 0;)
		keep(&c, b.at + at[i], HEAD_SIZE + heads[i].stored);
	struct records *r;
	struct item item;
	uint64_t read = 0;
	ck_assert_int_eq(records_open_memory(&r, c.at, c.size, NULL, 0), RECORDS_OK);
	for (; records_next(r, &item.record, &item.place) == 1; read++)
		ck_assert_uint_eq(item.place.number, read);
	ck_assert_uint_eq(read, 1100 + 39 * 20);
	records_close(r);
	free(b.at);
	free(c.at);
}
END_TEST

/* Each byte of a block that carries keys changed with a right checksum, or of its depth: refused, or its records are
 * records. */
START_TEST(forged_lists)
{
	static const uint8_t values[] = {0x00, 0x01, 0x02, 0x0F, 0x10, 0x7F, 0x80, 0xFF};
	struct head heads[CARRIED_BLOCKS];
	size_t at[CARRIED_BLOCKS];
	struct bytes b;
	struct records *r;
	const uint8_t *payload;
	make_lists(&b);
	carried_heads(&b, heads, at);
	ck_assert_uint_eq(heads[2].depth, 2);
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(source_payload(r, &heads[2], at[2], &payload), RECORDS_OK);
	struct bytes plain = {0};
	keep(&plain, payload, heads[2].plain);
	records_close(r);
	unsigned refused = 0;
	for (size_t i = 0; i < (plain.size + 1) * sizeof values; i++) {
		struct bytes c = {0};
		struct head forged = heads[2];
		uint8_t bytes[HEAD_SIZE], old = 0;
		const size_t byte = i / sizeof values;
		if (byte == plain.size) {
			forged.depth = values[i % sizeof values];
		} else {
			old = plain.at[byte];
			plain.at[byte] = values[i % sizeof values];
		}
		forged.coding = CODING_PLAIN;
		forged.stored = forged.plain;
		forged.crc = base_crc32(0, plain.at, plain.size);
		head_put(&forged, bytes);
		keep(&c, b.at, at[2]);
		keep(&c, bytes, sizeof bytes);
		keep(&c, plain.at, plain.size);
		if (byte != plain.size)
			plain.at[byte] = old;
		struct item item;
		uint64_t records = 0;
		ck_assert_int_eq(records_open_memory(&r, c.at, c.size, NULL, 0), RECORDS_OK);
		while (records_next(r, &item.record, &item.place) == 1) {
			if (!record_valid(&item.record) || item.record.count == 0)
				ck_abort_msg("no record of a trace unit");
			records++;
		}
		const uint64_t before = heads[0].count + heads[1].count;
		ck_assert(records == before || records == before + heads[2].count);
		refused += records == before;
		records_close(r);
		free(c.at);
	}
	ck_assert_uint_gt(refused, 20);
	free(plain.at);
	free(b.at);
}
END_TEST

/* ---- chains of as many keys ---- */

enum { MANY_KEYS = 3000, MANY_USES = 60000, MANY_PARTS = 6, MANY_ODD = 64 };

/* In a circle, which now and then is left for a while, or one is left out of; one of them stands twice in a row, so
 * that a unit makes one of two. */
static void make_circle(uint16_t uses[MANY_USES], uint64_t *state, uint32_t size, uint32_t *place)
{
	for (uint32_t i = 0; i < MANY_USES; i++) {
		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		const uint32_t random = (uint32_t)(*state >> 33);
		const bool left = i / 20000 == 1 && i % 20000 < 3000;
		if (random % 9000 == 0)
			++*place;
		uses[i] = (uint16_t)(left ? random % MANY_KEYS : *place % size);
		++*place;
	}
}

static void write_circles(struct bytes *b, bool chained, bool merging, uint32_t size)
{
	static struct record keys[MANY_KEYS];
	static uint16_t uses[MANY_USES];
	struct records_header carried = header;
	struct records_writer *w;
	uint64_t state = size, refused = 0;
	uint32_t place_in = 0;
	carried.carried = carried.multiplied = chained;
	for (uint32_t i = 0; i < MANY_KEYS; i++)
		keys[i] = (struct record){.start = 0x1000 + 4 * (uint64_t)(i / 2),
		    .hist = 1,
		    .count = 1,
		    .timed = 1,
		    .insns = 1,
		    .cycles = 2 + i % 2,
		    .reason = size % 2 == 0 ? TRACE_BACKWARD : TRACE_TRAP};
	*b = (struct bytes){0};
	ck_assert_int_eq(records_writer_open(&w, &carried, 1, keep, b), RECORDS_OK);
	if (merging)
		records_writer_merge(w);
	struct record_place place = {.ctrl = RV_CTRL_ENABLE_MASK};
	for (uint32_t part = 0; part < MANY_PARTS; part++) {
		struct record_odd odd[MANY_ODD];
		struct record_chain chain = {.keys = keys,
		    .key_count = MANY_KEYS,
		    .uses = uses,
		    .count = MANY_USES,
		    .begin = place.time,
		    .odd = odd};
		make_circle(uses, &state, size, &place_in);
		for (uint32_t i = 0; i < MANY_USES; i++) {
			struct record record = keys[uses[i]];
			place.time += record.cycles;
			if (part > 1 && i % 9000 == 1234) {
				record.cycles += 7;
				place.time += 20;
				odd[chain.odd_count++] =
				    (struct record_odd){.time = place.time, .at = i, .cycles = (uint32_t)record.cycles};
			}
			if (!chained)
				ck_assert_int_eq(records_write(w, &record, &place), RECORDS_OK);
		}
		if (chained)
			ck_assert_int_eq(records_write_chain(w, &chain, &place, &refused), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
}

START_TEST(circles)
{
	static const uint32_t sizes[] = {3, 700, 1500, 2999, 3000};
	struct bytes b[2];
	struct records *r[2];
	struct item one[2];
	for (int i = 0; i < 2; i++) {
		write_circles(&b[i], i == 1, _i % 2 == 1, sizes[_i / 2]);
		ck_assert_int_eq(records_open_memory(&r[i], b[i].at, b[i].size, NULL, 0), RECORDS_OK);
	}
	uint64_t read = 0;
	for (; records_next(r[0], &one[0].record, &one[0].place) == 1; read++) {
		if (records_next(r[1], &one[1].record, &one[1].place) != 1)
			ck_abort_msg("record %zu is missing in the chain", (size_t)read);
		check_item(&one[1], &one[0]);
	}
	ck_assert_int_eq(records_next(r[1], &one[1].record, &one[1].place), 0);
	ck_assert_uint_gt(read, RECORDS_BLOCK_MAX);
	ck_assert_uint_eq(records_end(r[0])->traces, records_end(r[1])->traces);
	for (int i = 0; i < 2; i++) {
		records_close(r[i]);
		free(b[i].at);
	}
}
END_TEST

/* Blocks of another file may carry keys and have cycles that are multiplied: a file that is not begun yet says so then,
 * one that is begun cannot. */
START_TEST(appended)
{
	struct bytes from, to = {0};
	struct records *r;
	struct records_writer *w;
	struct item item = carried_item(0, 10);
	size_t done = 0;
	const bool begun = _i == 1;
	write_carried(&from, 70000, 1500);
	ck_assert_int_eq(records_open_memory(&r, from.at, from.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(records_writer_open(&w, &header, 1, keep, &to), RECORDS_OK);
	if (begun)
		ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	ck_assert_int_eq(records_writer_append(w, r, &done, 0), begun ? RECORDS_ECODING : RECORDS_OK);
	ck_assert_ptr_nonnull(strstr(records_strerror(RECORDS_ECODING), "carry keys"));
	if (!begun) {
		ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
		ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	}
	records_writer_close(w);
	records_close(r);
	if (!begun) {
		ck_assert_int_eq(records_open_memory(&r, to.at, to.size, NULL, 0), RECORDS_OK);
		ck_assert(records_header(r)->carried);
		for (uint32_t n = 0; n <= 70000; n++) {
			const struct item want = n < 70000 ? carried_item(n, 1500) : carried_item(0, 10);
			ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
			ck_assert_uint_eq(item.record.start, want.record.start);
			ck_assert_uint_eq(item.record.cycles, want.record.cycles);
		}
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
		records_close(r);
	}
	free(from.at);
	free(to.at);
}
END_TEST

/* Records that are missing in a file are missing where it is put behind another one, no more and no less. */
START_TEST(appended_gaps)
{
	struct bytes from = {0}, to = {0};
	struct records *r;
	struct records_writer *w;
	struct item item = carried_item(0, 10);
	size_t done = 0;
	ck_assert_int_eq(records_writer_open(&w, &header, 1, keep, &from), RECORDS_OK);
	for (uint64_t n = 0; n < 2; n++) {
		ck_assert_int_eq(records_writer_skip(w, 5 + n), RECORDS_OK);
		ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	ck_assert_int_eq(records_open_memory(&r, from.at, from.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(records_writer_open(&w, &header, 1, keep, &to), RECORDS_OK);
	ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	ck_assert_int_eq(records_writer_append(w, r, &done, 0), RECORDS_OK);
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	records_close(r);
	static const uint64_t numbers[] = {0, 6, 13};
	ck_assert_int_eq(records_open_memory(&r, to.at, to.size, NULL, 0), RECORDS_OK);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		ck_assert_uint_eq(item.place.number, numbers[i]);
	}
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_uint_eq(records_missing(r), 11);
	records_close(r);
	free(from.at);
	free(to.at);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"carried", appended, 2},
	    {"carried", appended_gaps, 0},
	    {"carried", comes_back, 3},
	    {"carried", damaged_lists, 2},
	    {"carried", moved_lists, 0},
	    {"carried", forged_lists, 0},
	    {"carried", circles, 10},
	};
	return SUITE_RUN("records carried", cases, NULL, NULL);
}
