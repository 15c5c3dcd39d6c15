/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>
#include "text.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Somewhat in the order of how often they occur. */
static const char *const words[] = {"the", "of", "and", "a", "to", "in", "is", "water", "it", "was", "for", "on",
    "river", "with", "as", "at", "by", "from", "stream", "which", "where", "runs", "this", "not", "but", "stone",
    "valley", "over", "under", "bridge", "between", "mountain", "spring", "quiet", "small", "winter", "through",
    "meadow", "current", "reeds", "every", "summer", "village", "fisherman", "path", "branch", "source", "falls",
    "nobody", "yesterday", "knows", "exactly", "quarry", "juniper", "zigzag", "oxbow"};

/* Where to write, and how much room there is. What does not fit is left out. */
struct sink {
	uint8_t *to, *end;
};

static void put(struct sink *sink, int c)
{
	if (sink->to < sink->end)
		*sink->to++ = (uint8_t)c;
}

static void put_number(struct sink *sink, uint32_t v, int fraction_digits)
{
	char digits[12];
	int n = 0;
	while (v != 0 || n <= fraction_digits) {
		if (n == fraction_digits && n > 0)
			digits[n] = '.';
		digits[n + (n >= fraction_digits && fraction_digits > 0)] = (char)('0' + v % 10);
		v /= 10;
		n++;
	}
	n += fraction_digits > 0;
	while (n > 0)
		put(sink, digits[--n]);
}

/* One sentence, in lines of about 70 characters. */
static void put_sentence(struct sink *sink, unsigned *column, struct app_random *random)
{
	unsigned length = 4 + app_random_below(random, 12);
	for (unsigned i = 0; i < length; i++) {
		/* The product of two falls off from the front of the list. */
		uint32_t rank = app_random_below(random, 1 + app_random_below(random, COUNT(words)));
		const char *word = words[rank];
		int first = i == 0 ? *word - 'a' + 'A' : *word;
		put(sink, first);
		for (const char *p = word + 1; *p != '\0'; p++)
			put(sink, *p);
		*column += (unsigned)strlen(word) + 1;
		if (i + 1 == length)
			put(sink, '.');
		else if (app_random_below(random, 9) == 0)
			put(sink, ',');
		if (*column > 70) {
			put(sink, '\n');
			*column = 0;
		} else {
			put(sink, ' ');
		}
	}
}

static void put_table_line(struct sink *sink, uint32_t *time, uint32_t *level, struct app_random *random)
{
	*time += app_random_below(random, 8) == 0 ? 11 : 10;
	*level += app_random_below(random, 21) - 10;
	put_number(sink, *time, 3);
	put(sink, ';');
	put_number(sink, *level % 100000, 2);
	put(sink, ';');
	put_number(sink, app_random_below(random, 4) * 250, 0);
	put(sink, app_random_below(random, 30) == 0 ? '!' : ';');
	put(sink, '\n');
}

static uint8_t small_difference(struct app_random *random)
{
	int32_t sum = -30;
	for (int i = 0; i < 4; i++)
		sum += (int32_t)app_random_below(random, 16);
	return (uint8_t)sum;
}

/* The run of ones at the end of a random word; the symbols do not lie in the order of their frequency. */
static uint8_t geometric(struct app_random *random)
{
	uint32_t bits = app_random(random);
	unsigned run = 0;
	for (; bits & 1; bits >>= 1)
		run++;
	return (uint8_t)(17 * run + 5);
}

void text_make(uint8_t *text, size_t n, enum text_kind kind, struct app_random *random)
{
	struct sink sink = {text, text + n};
	unsigned column = 0;
	uint32_t time = app_random_below(random, 1000000), level = 50000;
	while (sink.to < sink.end) {
		switch (kind) {
		case TEXT_PROSE:
			put_sentence(&sink, &column, random);
			break;
		case TEXT_TABLE:
			put_table_line(&sink, &time, &level, random);
			break;
		case TEXT_SAMPLES:
			put(&sink, small_difference(random));
			break;
		case TEXT_GEOMETRIC:
			put(&sink, geometric(random));
			break;
		case TEXT_NOISE:
			put(&sink, (int)(app_random(random) >> 24));
			break;
		case TEXT_CONSTANT:
			put(&sink, 'r');
			break;
		}
	}
}
