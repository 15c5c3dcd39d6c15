/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Compression and decompression of text, logs, tables and noise; damaged code is refused without an overrun. */
#include "app.h"

#include <string.h>

#include "lz.h"

#define SIZE_MAX_IN 12288
#define GUARD 0xA5
#define FIRST_WORDS 100 /* bytes that a short text costs before anything repeats */

struct plan {
	uint32_t seed;
	size_t size;
	unsigned rounds;  /* over the kinds of data */
	unsigned damages; /* damaged copies of each code */
};
static const struct plan train = {3, 260, 1, 1};
static const struct plan ref = {1977, 12000, 3, 4};

static uint8_t plain[SIZE_MAX_IN], code[LZ_BOUND(SIZE_MAX_IN)], back[SIZE_MAX_IN + 8];

struct filler {
	uint8_t *at, *end;
	struct app_random *random;
};

static void put(struct filler *f, char c)
{
	if (f->at < f->end)
		*f->at++ = (uint8_t)c;
}
static void put_text(struct filler *f, const char *text)
{
	while (*text)
		put(f, *text++);
}
static void put_number(struct filler *f, unsigned value, unsigned digits)
{
	char text[10];
	for (unsigned i = digits; i-- > 0; value /= 10)
		text[i] = (char)('0' + value % 10);
	for (unsigned i = 0; i < digits; i++)
		put(f, text[i]);
}

static void fill_prose(struct filler *f)
{
	static const char *const words[] = {"the", "river", "runs", "over", "stones", "and", "under", "a", "bridge",
	    "where", "water", "falls", "slowly", "morning", "light", "of", "in", "banks", "willow", "current", "with",
	    "ferry", "miller", "turns", "wheel", "again"};
	while (f->at < f->end) {
		unsigned length = 4 + app_random_below(f->random, 9);
		for (unsigned i = 0; i < length; i++) {
			/* the product of two numbers prefers the first words, as language does */
			unsigned pick = app_random_below(f->random, 26) * app_random_below(f->random, 26) / 26;
			put_text(f, words[pick]);
			put_text(f, i + 1 < length ? " " : ".\n");
		}
	}
}

static void fill_log(struct filler *f)
{
	static const char *const levels[] = {"INFO", "INFO", "INFO", "WARN", "DEBUG"};
	static const char *const events[] = {"pump started", "valve 3 opened", "pressure within limits",
	    "retrying connection to gauge", "checkpoint written"};
	unsigned seconds = app_random_below(f->random, 86400);
	while (f->at < f->end) {
		seconds += app_random_below(f->random, 7);
		put_text(f, "2031-05-17T");
		put_number(f, seconds / 3600 % 24, 2);
		put(f, ':');
		put_number(f, seconds / 60 % 60, 2);
		put(f, ':');
		put_number(f, seconds % 60, 2);
		put(f, ' ');
		put_text(f, levels[app_random_below(f->random, 5)]);
		put_text(f, " station.");
		put_number(f, app_random_below(f->random, 12), 2);
		put_text(f, ": ");
		put_text(f, events[app_random_below(f->random, 5)]);
		put(f, '\n');
	}
}

/* Records of sixteen bytes in which few fields change. */
static void fill_table(struct filler *f)
{
	uint8_t record[16] = {0x52, 0x49, 0x56, 0, 1, 0, 0, 0};
	for (uint32_t i = 0; f->at < f->end; i++) {
		record[5] = (uint8_t)i;
		record[6] = (uint8_t)(i >> 8);
		record[8] = (uint8_t)(record[8] + app_random_below(f->random, 3));
		record[12] = (uint8_t)app_random_below(f->random, 16);
		for (unsigned j = 0; j < sizeof record; j++)
			put(f, (char)record[j]);
	}
}

static void fill_noise(struct filler *f)
{
	while (f->at < f->end)
		put(f, (char)app_random(f->random));
}

static void fill_run(struct filler *f)
{
	while (f->at < f->end) {
		char c = (char)app_random(f->random);
		for (unsigned n = 1 + app_random_below(f->random, 700); n--;)
			put(f, c);
	}
}

static const struct kind {
	const char *name;
	void (*fill)(struct filler *);
	unsigned percent; /* the code is at most this much of the data */
} kinds[] = {{"prose", fill_prose, 60}, {"log", fill_log, 45}, {"table", fill_table, 70}, {"noise", fill_noise, 114},
    {"runs", fill_run, 10}};

static int check_back(const char *what, size_t length, size_t size)
{
	memset(back, GUARD, sizeof back);
	long got = lz_decompress(code, length, back, size);
	return app_check(what, (uint32_t)got, (uint32_t)size) + app_check(what, memcmp(plain, back, size) != 0, 0);
}

/* Damaged code gives an error or other data, but nothing behind the room that it was given. */
static int check_damaged(const struct plan *plan, struct app_random *random, size_t length, size_t size)
{
	unsigned overruns = 0;
	for (unsigned i = 0; i < plan->damages; i++) {
		size_t at = app_random_below(random, (uint32_t)length);
		uint8_t old = code[at];
		code[at] ^= (uint8_t)(1 + app_random_below(random, 255));
		memset(back, GUARD, sizeof back);
		lz_decompress(code, length - app_random_below(random, 3), back, size);
		for (size_t j = size; j < sizeof back; j++)
			overruns += back[j] != GUARD;
		code[at] = old;
	}
	return app_check("bytes written behind the end", overruns, 0);
}

static int check_kind(const struct plan *plan, const struct kind *kind, struct app_random *random)
{
	size_t size = plan->size / 2 + app_random_below(random, (uint32_t)(plan->size / 2 + 1));
	struct filler filler = {plain, plain + size, random};
	kind->fill(&filler);
	size_t length = lz_compress(plain, size, code, sizeof code);
	int failed = app_check(kind->name, length > 0 && length <= size * kind->percent / 100 + FIRST_WORDS, true);
	failed += check_back(kind->name, length, size);
	failed += app_check("room one byte short", (uint32_t)lz_decompress(code, length, back, size - 1), (uint32_t)-1);
	failed += app_check("code one byte short", (uint32_t)lz_compress(plain, size, code, length - 1), 0);
	lz_compress(plain, size, code, sizeof code);
	return failed + check_damaged(plan, random, length, size);
}

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? &train : &ref;
	struct app_random random;
	int failed = 0;
	app_random_init(&random, plan->seed);
	for (unsigned round = 0; round < plan->rounds; round++)
		for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
			failed += check_kind(plan, &kinds[i], &random);
	return failed;
}
