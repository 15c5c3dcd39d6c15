/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Records of several harts: from the words of a shared sink's ring, into a file, and each hart out of it again. */
#include "host/records/harts.h"
#include "host/records/joined.h"
#include "tests/records_bench.h"
#include "tests/suite.h"

static const struct joined_config narrow = {
    .sources = 2, .xlen = 32, .hist = 32, .with_cycles = true, .with_time = true};
static const struct joined_config wide = {
    .sources = 8, .xlen = 64, .hist = 64, .with_cycles = false, .with_time = false};
#define INFO(reason, repeat, insns)                                                                                    \
	((uint32_t)(reason) << RV_REC_INFO_REASON_LSB | (uint32_t)(repeat) << RV_REC_INFO_REPEAT_LSB |                 \
	    (uint32_t)(insns) << RV_REC_INFO_INSNS_LSB)
#define ORIGIN(source, missed) ((uint32_t)(missed) << 8 | (source))
/* START, HIST, INFO, CYCLES, ORIGIN, TIME */
static const uint32_t ring[][6] = {
    {0x80000000, 5, INFO(TRACE_BACKWARD, 3, 7), 40, ORIGIN(0, 0), 100},
    {0x80000100, 1, INFO(TRACE_INDIRECT, 1, 2), 9, ORIGIN(1, 0), 100},
    {0x80000102, 2, INFO(TRACE_BACKWARD, 1, 4), 11, ORIGIN(1, 6), 0xFFFFFFF0},
    {0x80000004, 9, INFO(TRACE_OFF, 1, 5), 12, ORIGIN(0, 0), 20},
};
enum { RING = sizeof ring / sizeof *ring };

static void put_ring(uint8_t *bytes)
{
	for (size_t i = 0; i < RING; i++) {
		for (size_t w = 0; w < 6; w++) {
			for (unsigned b = 0; b < 4; b++)
				bytes[24 * i + 4 * w + b] = (uint8_t)(ring[i][w] >> (8 * b));
		}
	}
}

START_TEST(words_become_records)
{
	uint8_t bytes[24 * RING];
	struct joined joined;
	put_ring(bytes);
	ck_assert_uint_eq(joined_size(&narrow), 24);
	ck_assert_int_eq(joined_read(&joined, &narrow, bytes, sizeof bytes), JOINED_OK);
	ck_assert_uint_eq(joined.count, RING);
	ck_assert_uint_eq(joined.all[0].record.start, 0x80000000);
	ck_assert_uint_eq(joined.all[0].record.hist, 5);
	ck_assert_uint_eq(joined.all[0].record.reason, TRACE_BACKWARD);
	ck_assert_uint_eq(joined.all[0].record.count, 3);
	ck_assert_uint_eq(joined.all[0].record.timed, 3);
	ck_assert_uint_eq(joined.all[0].record.insns, 7);
	ck_assert_uint_eq(joined.all[0].record.cycles, 40);
	ck_assert_uint_eq(joined.all[2].source, 1);
	ck_assert_uint_eq(joined.all[2].missed, 6);
	/* the low word of a time that does not go back */
	ck_assert_uint_eq(joined.all[2].time, 0xFFFFFFF0);
	ck_assert_uint_eq(joined.all[3].time, UINT64_C(0x100000014));
	ck_assert_uint_eq(joined.traces[0], 4);
	ck_assert_uint_eq(joined.insns[0], 3 * 7 + 5);
	ck_assert_uint_eq(joined.cycles[1], 20);
	ck_assert_uint_eq(joined.missed[1], 6);
	ck_assert(!joined.missed_more[1]);
	joined_free(&joined);
}
END_TEST

START_TEST(wide_records)
{
	static const uint32_t words[] = {
	    0x00000010, 0x12, 0x3, 0x80000000, INFO(TRACE_FULL, 1, 63), ORIGIN(7, 0xFFFFFF)};
	uint8_t bytes[sizeof words];
	struct joined joined;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
	ck_assert_uint_eq(joined_size(&wide), sizeof bytes);
	ck_assert_int_eq(joined_read(&joined, &wide, bytes, sizeof bytes), JOINED_OK);
	ck_assert_uint_eq(joined.count, 1);
	ck_assert_uint_eq(joined.all[0].record.start, UINT64_C(0x1200000010));
	ck_assert_uint_eq(joined.all[0].record.hist, UINT64_C(0x8000000000000003));
	ck_assert_uint_eq(joined.all[0].record.timed, 0);
	ck_assert_uint_eq(joined.all[0].source, 7);
	ck_assert_uint_eq(joined.all[0].missed, JOINED_MISSED_MOST);
	ck_assert(joined.missed_more[7] && !joined.missed_more[0]); /* so many or more */
	joined_free(&joined);
}
END_TEST

START_TEST(what_is_no_ring)
{
	uint8_t bytes[24 * RING];
	struct joined joined;
	put_ring(bytes);
	ck_assert_int_eq(joined_read(&joined, &narrow, bytes, sizeof bytes - 1), JOINED_ECUT);
	ck_assert_uint_eq(joined.count, RING - 1);
	joined_free(&joined);
	/* read from its second word on; a unit that there is not; a record that stands for no trace */
	ck_assert_int_eq(joined_read(&joined, &narrow, bytes + 4, sizeof bytes - 24), JOINED_EVALUE);
	joined_free(&joined);
	bytes[24 + 16] = 2;
	ck_assert_int_eq(joined_read(&joined, &narrow, bytes, sizeof bytes), JOINED_EVALUE);
	ck_assert_uint_eq(joined.count, 1);
	joined_free(&joined);
	put_ring(bytes);
	bytes[9] = 0;
	ck_assert_int_eq(joined_read(&joined, &narrow, bytes, sizeof bytes), JOINED_EVALUE);
	joined_free(&joined);
	for (int error = JOINED_ETABLE; error <= JOINED_OK; error++)
		ck_assert_str_ne(joined_strerror(error), joined_strerror(1));
}
END_TEST

/* REC_COUNT in the place of ORIGIN, the unit in that of the time: small counts look like numbers of units. */
START_TEST(the_ring_of_a_table)
{
	uint8_t bytes[24 * RING];
	struct joined joined;
	put_ring(bytes);
	for (size_t i = 0; i < RING; i++) {
		memset(bytes + 24 * i + 16, 0, 8);
		bytes[24 * i + 16] = (uint8_t)(i + 1);
		bytes[24 * i + 20] = i % 2;
	}
	const struct joined_config most = {
	    .sources = 8, .xlen = 32, .hist = 32, .with_cycles = true, .with_time = true};
	ck_assert_int_eq(joined_read(&joined, &most, bytes, sizeof bytes), JOINED_ETABLE);
	ck_assert_uint_eq(joined.count, 0);
	joined_free(&joined);
	bytes[24 * (RING - 1) + 17] = 1; /* a count of 260, in the last one: those before are no better */
	bytes[24 * (RING - 1) + 16] = 200;
	ck_assert_int_eq(joined_read(&joined, &most, bytes, sizeof bytes), JOINED_ETABLE);
	joined_free(&joined);
}
END_TEST

static void write_joined(struct bytes *file)
{
	uint8_t bytes[24 * RING];
	struct joined joined;
	struct records_header both = header;
	struct records_writer *writer;
	put_ring(bytes);
	both.harts = 2;
	ck_assert_int_eq(joined_read(&joined, &narrow, bytes, sizeof bytes), JOINED_OK);
	ck_assert_int_eq(records_writer_open(&writer, &both, 0, keep, file), RECORDS_OK);
	ck_assert_int_eq(joined_write(&joined, &narrow, writer, header.ctrl, &end), JOINED_OK);
	records_writer_close(writer);
	joined_free(&joined);
}

START_TEST(one_hart_behind_the_other)
{
	static const uint64_t starts[] = {0x80000000, 0x80000004, 0x80000100, 0x80000102};
	static const uint64_t times[] = {100, UINT64_C(0x100000014), 100, 0xFFFFFFF0};
	struct bytes file = {0};
	struct records *records;
	struct record record;
	struct record_place place;
	struct profile_hart harts[RECORDS_HARTS_MAX];
	write_joined(&file);
	ck_assert_int_eq(records_open_memory(&records, file.at, file.size, NULL, 0), RECORDS_OK);
	ck_assert_uint_eq(records_header(records)->harts, 2);
	for (size_t i = 0; i < RING; i++) {
		ck_assert_int_eq(records_next(records, &record, &place), 1);
		ck_assert_uint_eq(record.start, starts[i]);
		ck_assert_uint_eq(place.context, i / 2);
		ck_assert_uint_eq(place.time, times[i]);
	}
	ck_assert_int_eq(records_next(records, &record, &place), 0);
	ck_assert_uint_eq(records_missing(records), 6);
	ck_assert_int_eq(records_harts(records, harts), RECORDS_OK);
	ck_assert_uint_eq(harts[0].traces, 4);
	ck_assert_uint_eq(harts[0].insns, 26);
	ck_assert_uint_eq(harts[0].cycles, 52);
	ck_assert_uint_eq(harts[1].traces, 2);
	ck_assert_uint_eq(harts[2].traces, 0);
	records_close(records);
	free(file.at);
}
END_TEST

START_TEST(a_hart_that_there_is_not)
{
	const struct record record = {.start = 0x80000000, .hist = 1, .count = 3, .timed = 3, .insns = 2, .cycles = 9};
	struct bytes file = {0};
	struct records_header both = header;
	struct records_writer *writer;
	struct records *records;
	struct profile_hart harts[RECORDS_HARTS_MAX];
	both.harts = 2;
	ck_assert_int_eq(records_writer_open(&writer, &both, 0, keep, &file), RECORDS_OK);
	for (uint32_t i = 0; i < 3; i++) {
		const struct record_place place = {.time = 100, .context = i * RECORDS_HARTS_MAX, .ctrl = header.ctrl};
		ck_assert_int_eq(records_write(writer, &record, &place), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(writer, &end), RECORDS_OK);
	records_writer_close(writer);
	ck_assert_int_eq(records_open_memory(&records, file.at, file.size, NULL, 0), RECORDS_OK);
	ck_assert_int_eq(records_harts(records, harts), RECORDS_OK);
	ck_assert_uint_eq(harts[0].traces, 3); /* not the others of contexts 8 and 16 */
	ck_assert_uint_eq(harts[1].traces, 0);
	records_close(records);
	free(file.at);
}
END_TEST

START_TEST(a_file_of_each)
{
	struct bytes file = {0};
	struct records *records;
	write_joined(&file);
	ck_assert_int_eq(records_open_memory(&records, file.at, file.size, NULL, 0), RECORDS_OK);
	for (unsigned hart = 0; hart < 2; hart++) {
		struct bytes part = {0};
		struct records_writer *writer;
		struct records *own;
		struct record record;
		struct record_place place;
		uint64_t count;
		ck_assert_int_eq(records_writer_open(&writer, &header, 0, keep, &part), RECORDS_OK);
		ck_assert_int_eq(records_hart_write(records, hart, writer, &count), RECORDS_OK);
		records_writer_close(writer);
		ck_assert_uint_eq(count, 2); /* not those that were lost */
		ck_assert_int_eq(records_open_memory(&own, part.at, part.size, NULL, 0), RECORDS_OK);
		ck_assert_uint_eq(records_header(own)->harts, 0);
		for (unsigned i = 0; i < 2; i++) {
			ck_assert_int_eq(records_next(own, &record, &place), 1);
			ck_assert_uint_eq(place.context, 0);
			ck_assert_uint_eq(record.start, ring[hart == 0 ? 3 * i : 1 + i][0]);
		}
		ck_assert_int_eq(records_next(own, &record, &place), 0);
		ck_assert_uint_eq(records_missing(own), hart == 0 ? 0 : 6);
		ck_assert_uint_eq(records_end(own)->cycles, end.cycles / 2);
		records_close(own);
		free(part.at);
	}
	records_close(records);
	free(file.at);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"words", words_become_records, 0}, {"wide", wide_records, 0},
	    {"no ring", what_is_no_ring, 0}, {"table", the_ring_of_a_table, 0}, {"file", one_hart_behind_the_other, 0},
	    {"no such hart", a_hart_that_there_is_not, 0}, {"each", a_file_of_each, 0}};
	return SUITE_RUN("harts", cases, NULL, NULL);
}
