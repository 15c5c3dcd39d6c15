/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_PROFILE_BENCH_H
#define RIVULET_TESTS_PROFILE_BENCH_H
/* Profiles in memory, for the check_profile suites: made, written, read back, compared. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "host/profile/split.h"
#include "host/profile/stream.h"

/* A growing byte buffer to write profiles to. */
struct bytes {
	uint8_t *data;
	size_t size;
};

static inline int put(void *context, const void *data, size_t size)
{
	struct bytes *b = context;
	b->data = realloc(b->data, b->size + size);
	ck_assert_ptr_nonnull(b->data);
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

static inline void put_text(struct bytes *b, const char *text)
{
	put(b, text, strlen(text));
}

static inline int refuse(void *context, const void *data, size_t size)
{
	(void)context;
	(void)data;
	(void)size;
	return 1;
}

static inline void add(
    struct profile *p, uint64_t start, uint64_t hist, unsigned reason, uint64_t count, uint64_t cycles, uint32_t insns)
{
	struct record entry = {.start = start,
	    .hist = hist,
	    .reason = (uint8_t)reason,
	    .count = count,
	    .timed = count,
	    .cycles = cycles,
	    .insns = insns};
	ck_assert_int_eq(profile_add(p, &entry), PROFILE_OK);
}

static inline void make(struct profile *p, unsigned entries)
{
	ck_assert_int_eq(profile_init(p), PROFILE_OK);
	p->has_header = true;
	p->header = (struct profile_header){.source = PROFILE_FIRMWARE,
	    .xlen = 32,
	    .hist = 32,
	    .ctrl = 0x000F0021,
	    .way = RUN_WATERMARK,
	    .period = 512,
	    .dither = 255,
	    .build = 0xDEADBEEF,
	    .name = "sample"};
	for (unsigned i = 0; i < entries; i++)
		add(p, 0x80000000u + 12 * i, 0x80000000u | (i * 2654435761u), 1 + i % 7, 1 + i * 1000, 12345 * i,
		    10 + i);
	p->has_end = true;
	p->end = (struct profile_end){.ending = PROFILE_END_INTERRUPTED,
	    .dropped = 3,
	    .lost = 4,
	    .cycles = 1000000007,
	    .instructions = 700000001,
	    .handler_cycles = 99,
	    .interrupts = 17};
}

/* Text in front, between the frames' end and the file's end: like a UART capture. */
static inline struct bytes capture(const struct profile *p)
{
	struct bytes b = {0};
	put_text(&b, "sample: train input\ncheck passed \xC3\xA4\n");
	ck_assert_int_eq(profile_write(p, put, &b), PROFILE_OK);
	put_text(&b, "\nbye\n");
	return b;
}

static inline void collect(void *context, const uint8_t *data, size_t size)
{
	put(context, data, size);
}

static inline struct profile_reader *read_bytes(
    struct profile *p, const void *data, size_t size, size_t step, struct bytes *text)
{
	struct profile_reader *reader = malloc(sizeof *reader);
	ck_assert_ptr_nonnull(reader);
	ck_assert_int_eq(profile_init(p), PROFILE_OK);
	profile_reader_init(reader, p);
	if (text != NULL) {
		reader->text = collect;
		reader->context = text;
	}
	for (size_t at = 0; at < size; at += step)
		ck_assert_int_eq(
		    profile_feed(reader, (const uint8_t *)data + at, size - at < step ? size - at : step), PROFILE_OK);
	ck_assert_int_eq(profile_finish(reader), PROFILE_OK);
	return reader;
}

static inline bool has_damage(const struct profile_reader *reader, enum damage_kind kind)
{
	for (uint64_t i = 0; i < reader->damage_count && i < DAMAGE_MAX; i++) {
		if (reader->damage[i].kind == kind)
			return true;
	}
	return false;
}
/* Where the frames lie in a capture: offset of the leading zero and of the byte behind the closing one. */
static inline size_t frames_of(const struct bytes *b, size_t from[], size_t to[], size_t max)
{
	size_t count = 0, at = 0;
	while (at < b->size && count < max) {
		while (at < b->size && b->data[at] != 0)
			at++;
		if (at == b->size)
			break;
		from[count] = at++;
		while (b->data[at] != 0)
			at++;
		to[count++] = ++at;
	}
	return count;
}

#define FRAMES_MAX 64

static inline void done(struct profile_reader *reader, struct profile *q)
{
	free(reader);
	profile_fini(q);
}

#endif
