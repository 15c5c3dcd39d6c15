/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_RECORDS_BENCH_H
#define RIVULET_TESTS_RECORDS_BENCH_H
/* Record files in memory, for the check_records suites: made, written, read back, compared. */
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

static inline int keep(void *context, const void *more, size_t size)
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

static inline int refuse(void *context, const void *more, size_t size)
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
static inline struct item made_up(uint64_t n)
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

static inline bool same_item(const struct item *a, const struct item *b)
{
	const struct record *x = &a->record, *y = &b->record;
	return x->start == y->start && x->hist == y->hist && x->count == y->count && x->timed == y->timed &&
	       x->cycles == y->cycles && x->insns == y->insns && x->reason == y->reason &&
	       a->place.number == b->place.number && a->place.time == b->place.time &&
	       a->place.context == b->place.context && a->place.ctrl == b->place.ctrl;
}

/* An assertion of Check writes to a file, so one for each record would take minutes. */
static inline void check_item(const struct item *item, const struct item *want)
{
	if (!same_item(item, want))
		ck_abort_msg("record %zu differs from record %zu of those that were written",
		    (size_t)item->place.number, (size_t)want->place.number);
}

/* count records in blocks of `block` (0: full blocks); name tells files apart. */
static inline void make(struct bytes *b, uint64_t count, uint64_t block, bool finish, const char *name)
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
static inline struct found read_all(const void *bytes, size_t size)
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
#endif
