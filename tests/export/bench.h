/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_EXPORT_BENCH_H
#define RIVULET_TESTS_EXPORT_BENCH_H
/* A program that ran, its records through a profile or a file, and what is gathered of them: for tests of exports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/export/export.h"
#include "host/export/gather_feed.h"
#include "host/export/spots.h"
#include "tests/export/oracle.h"
#include "tests/suite.h"

/* A program with what was gathered of it. */
struct bench {
	struct image *image;
	struct oracle *oracle;
	struct profile profile;
	struct gather *gather;
	const struct gather_result *result;
	struct spots spots;
	struct export_input input;
	bool untimed; /* the record file has no cycles */
};

static inline void bench_open(struct bench *b, const char *program, const char *ctrl)
{
	char detail[512];
	memset(b, 0, sizeof *b);
	ck_assert_msg(image_open(&b->image, program, detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_int_eq(image_debug(b->image, detail, sizeof detail), IMAGE_OK);
	b->oracle = oracle_run(program, ctrl);
	ck_assert_int_eq(profile_init(&b->profile), PROFILE_OK);
	b->profile.has_header = true;
	b->profile.header.hist = b->oracle->hist;
	b->profile.header.ctrl = b->oracle->ctrl;
	b->profile.header.period = 1;
	for (size_t i = 0; i < b->oracle->record_count; i++) {
		ck_assert_int_eq(profile_add(&b->profile, &b->oracle->records[i]), PROFILE_OK);
	}
}

static inline void bench_finish(struct bench *b, uint64_t scale)
{
	ck_assert_int_eq(gather_finish(b->gather, scale, &b->result), GATHER_OK);
	ck_assert_int_eq(spots_make(&b->spots, b->image, b->result), SPOTS_OK);
	b->input = (struct export_input){.image = b->image,
	    .result = b->result,
	    .spots = &b->spots,
	    .program = "a program",
	    .name = "bench",
	    .timed = true};
}

static inline void gather_from_profile(struct bench *b, uint64_t scale)
{
	struct walk_config config;
	gather_profile_config(&b->profile, &config);
	ck_assert_int_eq(gather_open(&b->gather, b->image, &config), GATHER_OK);
	ck_assert_int_eq(gather_profile(b->gather, &b->profile), GATHER_OK);
	bench_finish(b, scale);
}

struct bytes {
	uint8_t *all;
	size_t size, room;
};

static inline int collect(void *context, const void *bytes, size_t size)
{
	struct bytes *to = context;
	if (to->size + size > to->room) {
		to->room = 2 * (to->size + size);
		to->all = realloc(to->all, to->room);
		ck_assert_ptr_nonnull(to->all);
	}
	memcpy(to->all + to->size, bytes, size);
	to->size += size;
	return 0;
}

/* A record file, but for the records from `from` to `to`. */
static inline struct records *write_bench_records(struct bench *b, size_t from, size_t to, struct bytes *bytes)
{
	struct records_header header = {
	    .xlen = 32, .hist = b->oracle->hist, .insn_bits = 16, .cycle_bits = 16, .repeat_bits = 8, .name = "bench"};
	struct records_writer *writer;
	const struct records_end end = {0};
	struct records *records;
	char detail[512];
	header.ctrl = b->oracle->ctrl;
	if (b->untimed)
		header.cycle_bits = 0;
	ck_assert_int_eq(records_writer_open(&writer, &header, 0, collect, bytes), RECORDS_OK);
	for (size_t i = 0; i < b->oracle->record_count; i++) {
		struct record r = b->oracle->records[i];
		const struct record_place place = {.time = i, .ctrl = b->oracle->ctrl};
		r.cycles = b->untimed ? 0 : r.cycles;
		if (i == from && from < to)
			ck_assert_int_eq(records_writer_skip(writer, to - from), RECORDS_OK);
		if (i < from || i >= to)
			ck_assert_int_eq(records_write(writer, &r, &place), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(writer, &end), RECORDS_OK);
	records_writer_close(writer);
	ck_assert_msg(
	    records_open_memory(&records, bytes->all, bytes->size, detail, sizeof detail) == RECORDS_OK, "%s", detail);
	return records;
}

static inline void gather_from_records(struct bench *b, size_t from, size_t to)
{
	struct bytes bytes = {0};
	struct records *records = write_bench_records(b, from, to, &bytes);
	struct walk_config config;
	gather_records_config(records_header(records), &config);
	ck_assert_int_eq(gather_open(&b->gather, b->image, &config), GATHER_OK);
	ck_assert_int_eq(gather_records(b->gather, records, NULL, NULL), GATHER_OK);
	records_close(records);
	free(bytes.all);
	bench_finish(b, 1);
}

static inline void bench_ungather(struct bench *b)
{
	spots_free(&b->spots);
	gather_close(b->gather);
	b->gather = NULL;
}

static inline void bench_close(struct bench *b)
{
	bench_ungather(b);
	profile_fini(&b->profile);
	oracle_free(b->oracle);
	image_close(b->image);
}
#endif
