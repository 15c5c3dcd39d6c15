/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Record stream files: what was written comes back, and whatever is broken is told by number and never invented. */
#include <check.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/rivulet_regs.h"
#include "common/frame.h"
#include "host/profile/profile.h"
#include "host/records/private.h"
#include "host/records/records.h"

struct bytes {
	uint8_t *at;
	size_t size, room;
};

static int keep(void *context, const void *more, size_t size)
{
	struct bytes *b = context;
	if (b->size + size > b->room) {
		b->room = 2 * (b->size + size);
		b->at = realloc(b->at, b->room);
		ck_assert_ptr_nonnull(b->at);
	}
	memcpy(b->at + b->size, more, size);
	b->size += size;
	return 0;
}

static int refuse(void *context, const void *more, size_t size)
{
	(void)more;
	(void)size;
	return (*(int *)context)-- <= 0;
}

static const struct records_header header = {.xlen = 32,
    .hist = 32,
    .insn_bits = 16,
    .cycle_bits = 16,
    .repeat_bits = 8,
    .source = RECORDS_RTL,
    .has_build = true,
    .build = 0x12345678,
    .code_crc = 0x9ABCDEF0,
    .build_id = "00112233445566778899aabbccddeeff",
    .name = "an application",
    .options = "way=5 input=ref"};
static const struct records_end end = {.cycles = 1000000,
    .instructions = 700000,
    .first_cycle = 10,
    .last_cycle = 999999,
    .traced_instructions = 690000,
    .lost = 3,
    .ending = RECORDS_END_LIMIT,
    .exit_code = 77};

struct item {
	struct record record;
	struct record_place place;
};

/* Record number n of a stream that is made up, the same each time: few keys, sometimes new ones, now and then large
 * numbers in each member. */
static struct item made_up(uint64_t n)
{
	uint64_t x = (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
	x ^= x >> 29;
	x *= UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 32;
	uint32_t kind = x % 97 == 0 ? (uint32_t)(x >> 20 & 0xFFFF) : (uint32_t)(x >> 20 & 15);
	uint64_t count = x % 401 == 0 ? 65535 : 1 + x % 3;
	return (struct item){.record = {.start = 0x80000000u + 2 * kind,
				 .hist = kind % 31 == 30 ? UINT64_C(1) << 63 | x : 2 + kind,
				 .count = count,
				 .timed = count,
				 .cycles = x % 501 == 0 ? UINT32_MAX - (uint32_t)(x >> 40) : 20 + kind % 5,
				 .insns = 5 + kind % 100,
				 .reason = (uint8_t)(kind % 8)},
	    .place = {.number = n,
		.time = 1000 + 40 * n + (n > 500 ? UINT64_C(5000000000) : 0) + x % 7,
		.context = x % 301 == 0 ? UINT32_MAX : kind & 1}};
}

static bool same_item(const struct item *a, const struct item *b)
{
	const struct record *x = &a->record, *y = &b->record;
	return x->start == y->start && x->hist == y->hist && x->count == y->count && x->timed == y->timed &&
	       x->cycles == y->cycles && x->insns == y->insns && x->reason == y->reason &&
	       a->place.number == b->place.number && a->place.time == b->place.time &&
	       a->place.context == b->place.context && a->place.ctrl == b->place.ctrl;
}

/* An assertion of Check writes to a file, so one for each record would take minutes. */
static void check_item(const struct item *item, const struct item *want)
{
	if (!same_item(item, want))
		ck_abort_msg("record %zu differs from record %zu of those that were written",
		    (size_t)item->place.number, (size_t)want->place.number);
}

/* count records in blocks of `block` (0: full blocks); name tells files apart. */
static void make(struct bytes *b, uint64_t count, uint64_t block, bool finish, const char *name)
{
	struct records_writer *w;
	struct records_header h = header;
	snprintf(h.name, sizeof h.name, "%s", name);
	*b = (struct bytes){0};
	ck_assert_int_eq(records_writer_open(&w, &h, 0, keep, b), RECORDS_OK);
	for (uint64_t n = 0; n < count; n++) {
		struct item item = made_up(n);
		item.place.ctrl = (RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK);
		if (records_write(w, &item.record, &item.place) != RECORDS_OK)
			ck_abort_msg("record %zu is not taken", (size_t)n);
		if (block != 0 && n % block == block - 1)
			ck_assert_int_eq(records_writer_flush(w), RECORDS_OK);
	}
	if (finish)
		ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	else
		ck_assert_int_eq(records_writer_flush(w), RECORDS_OK);
	records_writer_close(w);
}

struct found {
	uint64_t records, missing, damage;
	bool opened;
};

/* Reads everything: each record must be the one of its number, in order; those that are not there must be counted. */
static struct found read_all(const void *bytes, size_t size)
{
	struct records *r;
	struct item item;
	struct found found = {0};
	uint64_t next = 0;
	size_t kept;
	int got;
	if (records_open_memory(&r, bytes, size, NULL, 0) != RECORDS_OK)
		return found;
	found.opened = true;
	while ((got = records_next(r, &item.record, &item.place)) == 1) {
		struct item want = made_up(item.place.number);
		want.place.ctrl = (RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK);
		if (item.place.number < next)
			ck_abort_msg("record %zu comes after %zu", (size_t)item.place.number, (size_t)next);
		check_item(&item, &want);
		next = item.place.number + 1;
		found.records++;
	}
	ck_assert_int_eq(got, 0);
	found.missing = records_missing(r);
	if (records_end(r) != NULL)
		ck_assert_uint_eq(found.records + found.missing, records_end(r)->records);
	else
		ck_assert_uint_eq(found.records + found.missing, next);
	records_damage(r, &kept, &found.damage);
	/* checking anew says the same */
	ck_assert_int_eq(records_check(r, NULL, NULL), 0);
	uint64_t again;
	records_damage(r, &kept, &again);
	ck_assert_uint_eq(again, found.damage);
	ck_assert_uint_eq(records_missing(r), found.missing);
	records_close(r);
	return found;
}

START_TEST(round_trip)
{
	static const struct {
		uint64_t count, block;
	} cases[] = {
	    {1, 0}, {2, 1}, {1000, 0}, {1000, 7}, {RECORDS_BLOCK_MAX, 0}, {RECORDS_BLOCK_MAX + 1, 0}, {200000, 0}};
	struct bytes b;
	struct records *r;
	make(&b, cases[_i].count, cases[_i].block, true, "round");
	ck_assert(records_is(b.at, b.size));
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	const struct records_header *h = records_header(r);
	ck_assert_ptr_nonnull(h);
	ck_assert_uint_eq(h->xlen, 32);
	ck_assert_uint_eq(h->hist, 32);
	ck_assert_uint_eq(h->insn_bits, 16);
	ck_assert_uint_eq(h->cycle_bits, 16);
	ck_assert_uint_eq(h->repeat_bits, 8);
	ck_assert_uint_eq(h->ctrl, (RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK));
	ck_assert_uint_eq(h->source, RECORDS_RTL);
	ck_assert(h->has_build);
	ck_assert_uint_eq(h->build, header.build);
	ck_assert_uint_eq(h->code_crc, header.code_crc);
	ck_assert_str_eq(h->build_id, header.build_id);
	ck_assert_str_eq(h->name, "round");
	ck_assert_str_eq(h->options, header.options);
	const struct records_end *e = records_end(r);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->records, cases[_i].count);
	ck_assert_uint_eq(e->cycles, end.cycles);
	ck_assert_uint_eq(e->instructions, end.instructions);
	ck_assert_uint_eq(e->lost, 3);
	ck_assert_uint_eq(e->ending, RECORDS_END_LIMIT);
	ck_assert_uint_eq(e->exit_code, 77);
	struct records_extent extent;
	records_extent(r, &extent);
	ck_assert(extent.indexed);
	ck_assert_uint_eq(extent.records, cases[_i].count);
	ck_assert_uint_eq(extent.missing, 0);
	records_close(r);
	struct found found = read_all(b.at, b.size);
	ck_assert_uint_eq(found.records, cases[_i].count);
	ck_assert_uint_eq(found.damage, 0);
	free(b.at);
}
END_TEST

START_TEST(no_records)
{
	struct bytes b;
	struct records *r;
	struct item item;
	make(&b, 0, 0, true, "empty");
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_int_eq(records_seek(r, 5), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_uint_eq(records_end(r)->records, 0);
	records_close(r);
	free(b.at);
}
END_TEST

START_TEST(refused_values)
{
	struct bytes b = {0};
	struct records_writer *w;
	ck_assert_int_eq(records_writer_open(&w, &header, 0, keep, &b), RECORDS_OK);
	const struct item good = {
	    .record = {
		.start = 2, .hist = 1, .count = UINT16_MAX, .timed = UINT16_MAX, .cycles = UINT32_MAX, .reason = 7}};
	for (int i = 0; i < 7; i++) {
		struct item bad = good;
		if (i == 0)
			bad.record.start = 3;
		else if (i == 1)
			bad.record.hist = 0;
		else if (i == 2)
			bad.record.count = bad.record.timed = 0;
		else if (i == 3)
			bad.record.reason = TRACE_REASONS;
		else if (i == 4)
			bad.record.count = UINT16_MAX + 1;
		else if (i == 5)
			bad.record.cycles = UINT64_C(1) << 32;
		else
			bad.record.count--;
		ck_assert_int_eq(records_write(w, &bad.record, &bad.place), RECORDS_EVALUE);
	}
	ck_assert_int_eq(records_write(w, &good.record, &good.place), RECORDS_OK);
	ck_assert_uint_eq(records_written(w), 1);
	records_writer_close(w);
	free(b.at);
}
END_TEST

START_TEST(write_errors)
{
	int allowed = _i;
	struct records_writer *w;
	const struct item item = made_up(0);
	ck_assert_int_eq(records_writer_open(&w, &header, 0, refuse, &allowed), RECORDS_OK);
	ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_EWRITE);
	ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_EWRITE);
	records_writer_close(w);
}
END_TEST

/* CTRL changes from record to record; each comes back with its own. */
START_TEST(ctrl_changes)
{
	struct bytes b = {0};
	struct records_writer *w;
	struct records *r;
	struct item item;
	ck_assert_int_eq(records_writer_open(&w, &header, 0, keep, &b), RECORDS_OK);
	for (uint32_t n = 0; n < 100; n++) {
		item = made_up(n);
		item.place.ctrl = n / 7;
		ck_assert_int_eq(records_write(w, &item.record, &item.place), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(w, &end), RECORDS_OK);
	records_writer_close(w);
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	for (uint32_t n = 0; n < 100; n++) {
		struct item want = made_up(n);
		want.place.ctrl = n / 7;
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		check_item(&item, &want);
	}
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	records_close(r);
	free(b.at);
}
END_TEST

START_TEST(seek)
{
	struct bytes b;
	struct records *r;
	struct item item;
	make(&b, 3000, 100, true, "seek");
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	for (uint64_t n = 2999;; n -= 37) {
		ck_assert_int_eq(records_seek(r, n), RECORDS_OK);
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		ck_assert_uint_eq(item.place.number, n);
		ck_assert_int_eq(records_seek_cycle(r, made_up(n).place.time), RECORDS_OK);
		ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
		ck_assert_uint_eq(item.place.number, n);
		ck_assert_int_eq(records_seek_cycle(r, made_up(n).place.time + 1), RECORDS_OK);
		ck_assert_int_eq(records_next(r, &item.record, &item.place), n == 2999 ? 0 : 1);
		if (n < 37)
			break;
		ck_assert_uint_eq(records_missing(r), 0);
	}
	ck_assert_int_eq(records_seek(r, 3000), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	ck_assert_int_eq(records_seek_cycle(r, UINT64_MAX), RECORDS_OK);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 0);
	records_rewind(r);
	ck_assert_int_eq(records_next(r, &item.record, &item.place), 1);
	ck_assert_uint_eq(item.place.number, 0);
	size_t kept;
	uint64_t damage;
	records_damage(r, &kept, &damage);
	ck_assert_uint_eq(damage, 0);
	records_close(r);
	free(b.at);
}
END_TEST

/* The sums by block are the sums by record. */
START_TEST(profile_of)
{
	struct bytes b;
	struct records *r;
	struct profile profile, wanted;
	make(&b, 150000, 0, true, "profile");
	ck_assert_int_eq(records_open_memory(&r, b.at, b.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(profile_init(&profile), PROFILE_OK);
	ck_assert_int_eq(profile_init(&wanted), PROFILE_OK);
	ck_assert_int_eq(records_profile(r, &profile, NULL, NULL), RECORDS_OK);
	for (uint64_t n = 0; n < 150000; n++) {
		struct item item = made_up(n);
		if (profile_add(&wanted, &item.record) != PROFILE_OK)
			ck_abort_msg("record %zu is not counted", (size_t)n);
	}
	ck_assert_uint_eq(profile.used, wanted.used);
	ck_assert_uint_eq(profile.total, wanted.total);
	for (size_t i = 0; i < wanted.used; i++) {
		const struct record *want = &wanted.entries[i];
		const struct record *got = profile_find(&profile, want->start, want->hist, record_partial(want));
		ck_assert_ptr_nonnull(got);
		ck_assert_uint_eq(got->count, want->count);
		ck_assert_uint_eq(got->cycles, want->cycles);
		ck_assert_uint_eq(got->insns, want->insns);
	}
	ck_assert(profile.has_header && profile.has_end);
	ck_assert_uint_eq(profile.header.build, header.build);
	ck_assert_uint_eq(profile.end.cycles, 999990);
	profile_fini(&profile);
	profile_fini(&wanted);
	records_close(r);
	free(b.at);
}
END_TEST

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
	static const char later[] = "rivulet records\nversion=3\nxlen=32\nhist=32\n";
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
	/* files are opened and closed thousands of times here: their buffers stay in the process */
	mallopt(M_MMAP_THRESHOLD, 1 << 26);
	mallopt(M_TRIM_THRESHOLD, 1 << 28);
	Suite *suite = suite_create("records");
	TCase *format = tcase_create("format"), *damage = tcase_create("damage");
	tcase_set_timeout(damage, 120);
	tcase_add_loop_test(format, round_trip, 0, 7);
	tcase_add_test(format, no_records);
	tcase_add_test(format, refused_values);
	tcase_add_loop_test(format, write_errors, 0, 5);
	tcase_add_test(format, ctrl_changes);
	tcase_add_test(format, seek);
	tcase_add_test(format, profile_of);
	tcase_add_test(format, skipped);
	tcase_add_test(format, through_a_pipe);
	tcase_add_test(format, directory);
	tcase_add_test(format, not_records);
	tcase_add_loop_test(damage, each_byte_cut, 0, 2);
	tcase_add_test(damage, each_byte_flipped);
	tcase_add_test(damage, each_byte_left_out);
	tcase_add_test(damage, reordered);
	tcase_add_test(damage, missing_and_repeated);
	tcase_add_test(damage, versions);
	tcase_add_test(damage, foreign);
	tcase_add_test(damage, each_byte_forged);
	suite_add_tcase(suite, format);
	suite_add_tcase(suite, damage);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
