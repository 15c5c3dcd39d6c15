/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/records: files that are cut, changed, put together wrongly, of other versions, or no record files. */
#include "tests/records_bench.h"
#include "tests/suite.h"

/* ---------------------------------------------------------------- damage */

START_TEST(each_byte_cut)
{
	struct bytes b;
	make(&b, 150, 10, _i == 1, "cut");
	uint64_t most = 0;
	for (size_t size = 0; size < b.size; size++) {
		struct found found = read_all(b.at, size);
		if (found.opened) {
			ck_assert_msg(found.damage > 0, "cut to %zu bytes", size);
			ck_assert_msg(
			    found.records >= most, "cut to %zu bytes: %zu records", size, (size_t)found.records);
			most = found.records;
		} else
			ck_assert_uint_eq(most, 0);
	}
	ck_assert_uint_ge(most, _i == 1 ? 150 : 140);
	free(b.at);
}
END_TEST

START_TEST(each_byte_flipped)
{
	struct bytes b;
	make(&b, 150, 10, true, "flip");
	for (size_t i = 0; i < b.size; i++) {
		for (unsigned bit = 0; bit < 8; bit += _i == 0 ? 1 : 7) {
			b.at[i] ^= (uint8_t)(1u << bit);
			struct found found = read_all(b.at, b.size);
			ck_assert_msg(found.opened, "byte %zu", i);
			ck_assert_msg(found.damage > 0, "byte %zu bit %u is not noticed", i, bit);
			ck_assert_msg(found.records >= 140, "byte %zu: %zu records", i, (size_t)found.records);
			b.at[i] ^= (uint8_t)(1u << bit);
		}
	}
	free(b.at);
}
END_TEST

/* Bytes left out or put in anywhere: at most the block that they are in is lost. */
START_TEST(each_byte_left_out)
{
	struct bytes b;
	make(&b, 100, 10, true, "out");
	uint8_t *changed = malloc(b.size + 100);
	for (size_t i = 0; i < b.size; i++) {
		memcpy(changed, b.at, i);
		memcpy(changed + i, b.at + i + 1, b.size - i - 1);
		struct found found = read_all(changed, b.size - 1);
		ck_assert_msg(found.opened && found.damage > 0 && found.records >= 90, "left out byte %zu", i);
		size_t more = 1 + i % 99;
		memset(changed + i, 0x8B, more);
		memcpy(changed + i + more, b.at + i, b.size - i);
		found = read_all(changed, b.size + more);
		ck_assert_msg(
		    found.opened && found.damage > 0 && found.records >= 90, "put in %zu bytes at %zu", more, i);
	}
	free(changed);
	free(b.at);
}
END_TEST

/* Where the blocks begin; returns how many heads there are. */
static size_t heads(const struct bytes *b, size_t *offsets, size_t max)
{
	size_t count = 0;
	struct head head;
	for (size_t at = 0; at + HEAD_SIZE <= b->size && head_get(&head, b->at + at) && count < max;) {
		offsets[count++] = at;
		at += HEAD_SIZE + head.stored;
	}
	return count;
}

static void expect_damage(const struct bytes *b, enum records_damage_kind kind, uint64_t records, uint64_t missing)
{
	struct records *r;
	size_t kept;
	uint64_t count;
	bool there = false;
	ck_assert_int_eq(records_open_memory(&r, b->at, b->size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(records_check(r, NULL, NULL), 0);
	const struct records_damage *damage = records_damage(r, &kept, &count);
	for (size_t i = 0; i < kept; i++) {
		char text[256];
		there |= damage[i].kind == kind;
		ck_assert_int_gt(records_damage_describe(&damage[i], text, sizeof text), 10);
	}
	ck_assert(there);
	records_close(r);
	struct found found = read_all(b->at, b->size);
	ck_assert_uint_eq(found.records, records);
	ck_assert_uint_eq(found.missing, missing);
}

START_TEST(reordered)
{
	struct bytes b;
	size_t at[20], count;
	make(&b, 100, 10, true, "order");
	count = heads(&b, at, 20);
	ck_assert_uint_eq(count, 12); /* header, 10 blocks, end */
	/* every block moved behind every later one */
	for (size_t i = 1; i < 10; i++) {
		for (size_t j = i + 1; j < 11; j++) {
			struct bytes c = {0};
			keep(&c, b.at, at[i]);
			keep(&c, b.at + at[i + 1], at[j + 1] - at[i + 1]);
			keep(&c, b.at + at[i], at[i + 1] - at[i]);
			keep(&c, b.at + at[j + 1], b.size - at[j + 1]);
			expect_damage(&c, RECORDS_ORDER, 100, 0);
			free(c.at);
		}
	}
	free(b.at);
}
END_TEST

START_TEST(missing_and_repeated)
{
	struct bytes b;
	size_t at[20];
	make(&b, 100, 10, true, "missing");
	ck_assert_uint_eq(heads(&b, at, 20), 12);
	for (size_t i = 1; i < 11; i++) {
		struct bytes c = {0};
		keep(&c, b.at, at[i]);
		keep(&c, b.at + at[i + 1], b.size - at[i + 1]);
		expect_damage(&c, RECORDS_MISSING, 90, 10);
		c.size = 0;
		keep(&c, b.at, at[i + 1]);
		keep(&c, b.at + at[i], b.size - at[i]);
		expect_damage(&c, RECORDS_REPEATED, 100, 0);
		free(c.at);
	}
	free(b.at);
}
END_TEST

/* Version 1 is read for ever; version 2 has where code was loaded; a later one is refused as such. */
START_TEST(versions)
{
	static const char first[] = "rivulet records\nversion=1\nxlen=32\nhist=32\ninsn_bits=16\ncycle_bits=16\n"
				    "repeat_bits=8\nctrl=0x1\nsource=model\ncode=0x1\nbuild=0x2\nname=a\nnews=x\n";
	static const char later[] = "rivulet records\nversion=6\nxlen=32\nhist=32\n";
	char text[HEADER_TEXT_MAX];
	struct records_header old, again;
	ck_assert_int_eq(header_get(&old, first, sizeof first - 1), RECORDS_OK);
	ck_assert_uint_eq(old.xlen, 32);
	ck_assert_uint_eq(old.build, 2);
	ck_assert_str_eq(old.name, "a");
	ck_assert_uint_eq(old.base, 0);
	ck_assert_uint_eq(old.object_count, 0);
	size_t length = header_put(&old, text);
	text[length] = '\0';
	ck_assert_ptr_nonnull(strstr(text, "\nversion=1\n"));

	old.xlen = 64;
	old.base = UINT64_C(0x7FFFF7DD0000);
	old.object_count = 2;
	old.objects[1].base = UINT64_C(0xFFFFFFFF80000000);
	strcpy(old.objects[0].path, "/lib/libc.so.6");
	strcpy(old.objects[1].path, "/lib/with space.so");
	length = header_put(&old, text);
	text[length] = '\0';
	ck_assert_ptr_nonnull(strstr(text, "\nversion=2\n"));
	ck_assert_int_eq(header_get(&again, text, length), RECORDS_OK);
	ck_assert_uint_eq(again.xlen, 64);
	ck_assert_uint_eq(again.base, old.base);
	ck_assert_uint_eq(again.object_count, 2);
	ck_assert_uint_eq(again.objects[1].base, old.objects[1].base);
	ck_assert_str_eq(again.objects[0].path, "/lib/libc.so.6");
	ck_assert_str_eq(again.objects[1].path, "/lib/with space.so");

	static const char *const lowest[] = {
	    "\nversion=2\n", "\nversion=3\n", "\nversion=4\n", "\nversion=4\n", "\nversion=5\n"};
	for (unsigned i = 0; i < 8; i++) {
		old.clocked = i % 2 != 0;
		old.carried = i / 2 % 2 != 0;
		old.multiplied = i / 4 != 0;
		length = header_put(&old, text);
		text[length] = '\0';
		ck_assert_ptr_nonnull(strstr(text, lowest[i < 4 ? i : 4]));
		ck_assert_int_eq(header_get(&again, text, length), RECORDS_OK);
		ck_assert(again.clocked == old.clocked && again.carried == old.carried);
		ck_assert(again.multiplied == old.multiplied);
	}
	ck_assert_int_eq(header_get(&old, later, sizeof later - 1), RECORDS_EVERSION);
}
END_TEST

START_TEST(foreign)
{
	struct bytes a, b;
	size_t at[20], bt[20];
	make(&a, 100, 10, true, "first");
	make(&b, 100, 10, true, "second");
	heads(&a, at, 20);
	heads(&b, bt, 20);
	struct bytes c = {0};
	keep(&c, a.at, at[5]);
	keep(&c, b.at + bt[5], bt[6] - bt[5]);
	keep(&c, a.at + at[6], a.size - at[6]);
	expect_damage(&c, RECORDS_FOREIGN, 90, 10);
	c.size = 0;
	keep(&c, a.at, a.size);
	keep(&c, b.at, b.size);
	expect_damage(&c, RECORDS_FOREIGN, 100, 0);
	free(a.at);
	free(b.at);
	free(c.at);
}
END_TEST

/* Each byte of the content of a block changed with a right checksum: the block is refused, or its records are records
 * (no crash, nothing out of range). */
START_TEST(each_byte_forged)
{
	struct bytes b;
	size_t at[20];
	make(&b, 100, 100, true, "forged");
	ck_assert_uint_eq(heads(&b, at, 20), 3);
	struct head head;
	ck_assert(head_get(&head, b.at + at[1]));
	struct records *r;
	const uint8_t *payload;
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(source_payload(r, &head, at[1], &payload), RECORDS_OK);
	struct bytes plain = {0};
	keep(&plain, payload, head.plain);
	records_close(r);
	unsigned refused = 0;
	for (size_t i = 0; i < plain.size; i++) {
		static const uint8_t values[] = {0x00, 0x01, 0x02, 0x04, 0x08, 0x7F, 0x80, 0xFF};
		for (size_t v = 0; v < sizeof values; v++) {
			uint8_t old = plain.at[i], bytes[HEAD_SIZE];
			plain.at[i] = values[v];
			struct head forged = head;
			forged.coding = CODING_PLAIN;
			forged.stored = forged.plain;
			forged.crc = base_crc32(0, plain.at, plain.size);
			head_put(&forged, bytes);
			struct bytes c = {0};
			keep(&c, b.at, at[1]);
			keep(&c, bytes, sizeof bytes);
			keep(&c, plain.at, plain.size);
			plain.at[i] = old;
			struct item item;
			unsigned records = 0;
			int got;
			ck_assert_int_eq(records_open_memory(&r, c.at, c.size, NULL, 0), RECORDS_OK);
			while ((got = records_next(r, &item.record, &item.place)) == 1) {
				if (item.record.hist == 0 || item.record.count == 0 ||
				    item.record.reason >= TRACE_REASONS)
					ck_abort_msg("no record of a trace unit");
				records++;
			}
			ck_assert_int_eq(got, 0);
			ck_assert(records == 0 || records == 100);
			refused += records == 0;
			records_close(r);
			free(c.at);
		}
	}
	ck_assert_uint_gt(refused, 20);
	free(plain.at);
	free(b.at);
}
END_TEST

START_TEST(skipped)
{
	struct bytes b = {0};
	struct records_writer *w;
	struct records *r;
	struct item item;
	ck_assert_int_eq(records_writer_open(&w, &header, 0, keep, &b), RECORDS_OK);
	item = made_up(0);
	ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	ck_assert_int_eq(records_writer_skip(w, 5), RECORDS_OK);
	item = made_up(6);
	ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
	ck_assert_uint_eq(item.place.number, 6);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_uint_eq(records_missing(r), 5);
	size_t kept;
	uint64_t count;
	const struct records_damage *damage = records_damage(r, &kept, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(damage[0].kind, RECORDS_SKIPPED);
	ck_assert_uint_eq(damage[0].count, 5);
	ck_assert_uint_eq(damage[0].record, 6);
	records_close(r);
	free(b.at);
}
END_TEST

/* What comes through a pipe is put into a file first; standard input too. */
START_TEST(through_a_pipe)
{
	struct bytes b;
	struct records *r;
	struct item item;
	char path[64], detail[256] = "";
	make(&b, 300, 100, true, "piped");
	for (int standard = 0; standard < 2; standard++) {
		int ends[2], before = dup(STDIN_FILENO);
		uint64_t count = 0;
		ck_assert(before >= 0 && pipe(ends) == 0);
		ck_assert_uint_lt(b.size, 65536); /* a pipe takes it */
		ck_assert_int_eq(write(ends[1], b.at, b.size), (ssize_t)b.size);
		close(ends[1]);
		if (standard)
			ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
		snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
		ck_assert_msg(
		    records_open(&r, standard ? "-" : path, detail, sizeof detail) == RECORDS_OK, "%s", detail);
		while (records_next(r, &item.record, &item.place) == 1) {
			struct item want = made_up(count++);
			want.place.ctrl = (RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK);
			check_item(&item, &want);
		}
		ck_assert_uint_eq(count, 300);
		records_close(r);
		dup2(before, STDIN_FILENO);
		close(before);
		close(ends[0]);
	}
	free(b.at);
}
END_TEST

/* A directory can be opened, but not read. */
START_TEST(directory)
{
	struct records *r;
	char detail[256] = "";
	ck_assert_int_eq(records_open(&r, "/", detail, sizeof detail), RECORDS_EOPEN);
	ck_assert_ptr_null(r);
	ck_assert_str_ne(detail, "");
}
END_TEST

START_TEST(not_records)
{
	struct records *r;
	char detail[256];
	ck_assert_int_eq(records_open_memory(&r, "", 0, detail, sizeof detail), RECORDS_EFORMAT);
	ck_assert_int_eq(records_open_memory(&r, records_sync, 8, detail, sizeof detail), RECORDS_EFORMAT);
	ck_assert_int_eq(records_open(&r, "/does/not/exist", detail, sizeof detail), RECORDS_EOPEN);
	ck_assert_ptr_nonnull(strstr(detail, "cannot be read"));
	ck_assert_ptr_null(r);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"format", skipped, 0},
	    {"format", through_a_pipe, 0},
	    {"format", directory, 0},
	    {"format", not_records, 0},
	    {"damage", each_byte_cut, 2},
	    {"damage", each_byte_flipped, 0},
	    {"damage", each_byte_left_out, 0},
	    {"damage", reordered, 0},
	    {"damage", missing_and_repeated, 0},
	    {"damage", versions, 0},
	    {"damage", foreign, 0},
	    {"damage", each_byte_forged, 0},
	};
	return SUITE_RUN("records damage", cases, NULL, NULL);
}
