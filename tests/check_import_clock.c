/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Cycles of records by times that lie between them: the picture of host/import/clock.h, and what it does not show. */
#include <check.h>
#include <inttypes.h>
#include "host/import/clock.h"
#include "host/import/import.h"
#include "tests/suite.h"

#define KEPT 64

struct kept {
	size_t count;
	struct {
		bool timed;
		uint64_t cycles, time;
	} records[KEPT];
};

static int keep_record(void *context, const struct record *record, uint64_t time)
{
	struct kept *kept = context;
	ck_assert_uint_lt(kept->count, KEPT);
	ck_assert(record_valid(record));
	kept->records[kept->count].timed = record->timed > 0;
	kept->records[kept->count].cycles = record->cycles;
	kept->records[kept->count++].time = time;
	return 0;
}

static struct import_clock *open_clock(struct kept *kept, uint64_t tick)
{
	*kept = (struct kept){0};
	struct import_clock *clock = import_clock_open(NULL, NULL, tick, 64, keep_record, kept);
	ck_assert_ptr_nonnull(clock);
	return clock;
}

/* A record of so many instructions; in all, index have retired. */
static void put_record(struct import_clock *clock, uint32_t insns, uint64_t index)
{
	const struct record record = {.start = 0x80000000, .hist = 1, .count = 1, .insns = insns};
	ck_assert_int_eq(import_clock_record(clock, &record, index), IMPORT_OK);
}

static void expect_record(const struct kept *kept, size_t i, uint64_t cycles, uint64_t time)
{
	ck_assert_uint_lt(i, kept->count);
	ck_assert_msg(kept->records[i].cycles == cycles && kept->records[i].time == time,
	    "record %zu: %" PRIu64 " cycles until %" PRIu64, i, kept->records[i].cycles, kept->records[i].time);
	ck_assert_int_eq(kept->records[i].timed, cycles != 0);
}

/* The picture: records a to d of 4 instructions, times at 0, 6, 10 and 16. */
START_TEST(picture)
{
	struct kept kept;
	struct import_clock *clock = open_clock(&kept, 1);
	ck_assert(import_clock_time(clock, 0, 1000));
	put_record(clock, 4, 4);
	ck_assert_int_eq((int)import_clock_kind(clock), IMPORT_BY_TIMES);
	ck_assert(import_clock_time(clock, 6, 1060)); /* 10 cycles an instruction */
	put_record(clock, 4, 8);
	ck_assert_uint_eq(kept.count, 1);
	expect_record(&kept, 0, 40, 40);
	ck_assert(import_clock_time(clock, 10, 1080)); /* 5 cycles */
	put_record(clock, 4, 13);                      /* leaves the unit an instruction later */
	ck_assert(import_clock_time(clock, 16, 1086)); /* 1 cycle */
	put_record(clock, 4, 16);
	ck_assert_int_eq(import_clock_finish(clock), IMPORT_OK);
	ck_assert_uint_eq(kept.count, 4);
	expect_record(&kept, 1, 20 + 10, 70);
	expect_record(&kept, 2, 10 + 2, 82);
	expect_record(&kept, 3, 4, 86);
	ck_assert_uint_eq(import_clock_counts(clock)->cycles, 86);
	ck_assert_uint_eq(import_clock_counts(clock)->untimed, 0);
	import_clock_close(clock);
}
END_TEST

/* The program is elsewhere between two instructions: that time is of no record. A tick of 4 cycles. */
START_TEST(elsewhere)
{
	struct kept kept;
	struct import_clock *clock = open_clock(&kept, 4);
	ck_assert(import_clock_time(clock, 0, 0));
	put_record(clock, 8, 8);
	for (uint64_t time = 2; time < 200000; time++)
		ck_assert(import_clock_time(clock, 8, time));
	put_record(clock, 8, 16);
	ck_assert(import_clock_time(clock, 16, 200003));
	ck_assert_int_eq(import_clock_finish(clock), IMPORT_OK);
	expect_record(&kept, 0, 8, 8);
	expect_record(&kept, 1, 16, 4 * 200003);
	ck_assert_uint_eq(import_clock_counts(clock)->times, 200000);
	ck_assert_uint_eq(import_clock_counts(clock)->cycles, 4 * 200003);
	import_clock_close(clock);
}
END_TEST

/* Before the first time, behind the last, and across a clock that was set back nothing has cycles. */
START_TEST(untimed)
{
	struct kept kept;
	struct import_clock *clock = open_clock(&kept, 1);
	ck_assert(import_clock_time(clock, 4, 500));
	put_record(clock, 4, 4);
	put_record(clock, 4, 8);
	ck_assert(import_clock_time(clock, 8, 540));
	put_record(clock, 4, 12);
	ck_assert(import_clock_time(clock, 10, 3)); /* set back */
	put_record(clock, 4, 16);
	ck_assert(import_clock_time(clock, 16, 15));
	put_record(clock, 4, 20);
	ck_assert_int_eq(import_clock_finish(clock), IMPORT_OK);
	ck_assert_uint_eq(kept.count, 5);
	expect_record(&kept, 0, 0, 0);
	expect_record(&kept, 1, 40, 40);
	expect_record(&kept, 2, 0, 40);
	expect_record(&kept, 3, 8, 52); /* 2 cycles an instruction, and those of the record before it too */
	expect_record(&kept, 4, 0, 52);
	ck_assert_uint_eq(import_clock_counts(clock)->untimed, 12);
	ck_assert_uint_eq(import_clock_counts(clock)->backwards, 1);
	ck_assert_uint_eq(import_clock_counts(clock)->cycles, 52);
	import_clock_close(clock);
}
END_TEST

/* More cycles than a record has room for, and times at the end of 64 bits. */
START_TEST(huge)
{
	struct kept kept;
	struct import_clock *clock = open_clock(&kept, 1);
	ck_assert(import_clock_time(clock, 0, 0));
	put_record(clock, 4, 4);
	put_record(clock, 4, 8);
	ck_assert(import_clock_time(clock, 8, UINT64_MAX));
	ck_assert_int_eq(import_clock_finish(clock), IMPORT_OK);
	ck_assert_uint_eq(kept.count, 2);
	expect_record(&kept, 0, UINT32_MAX, UINT64_C(1) << 63);
	expect_record(&kept, 1, UINT32_MAX, UINT64_MAX);
	ck_assert_uint_eq(import_clock_counts(clock)->clipped, UINT64_MAX - 2 * (uint64_t)UINT32_MAX);
	import_clock_close(clock);
}
END_TEST

/* Without a time before the first record there are none, and those that come later are not used. */
START_TEST(too_late)
{
	struct kept kept;
	struct import_clock *clock = open_clock(&kept, 1);
	put_record(clock, 4, 4);
	ck_assert(import_clock_time(clock, 4, 100));
	put_record(clock, 4, 8);
	ck_assert(import_clock_time(clock, 8, 200));
	ck_assert_int_eq(import_clock_finish(clock), IMPORT_OK);
	ck_assert_int_eq((int)import_clock_kind(clock), IMPORT_UNTIMED);
	expect_record(&kept, 0, 0, 4);
	expect_record(&kept, 1, 0, 8);
	ck_assert_uint_eq(import_clock_counts(clock)->times, 2);
	import_clock_close(clock);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"picture", picture, 0}, {"elsewhere", elsewhere, 0},
	    {"untimed", untimed, 0}, {"huge", huge, 0}, {"too late", too_late, 0}};
	return SUITE_RUN("import clock", cases, NULL, NULL);
}
