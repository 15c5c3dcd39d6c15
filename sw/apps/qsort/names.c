/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* File names, sorted through pointers: by code, without regard to case, and with numbers by value. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "sorts.h"

#define NAME_MAX_LENGTH 20

static const char *const stems[] = {
    "log", "Frame", "image", "motor-run", "LOG", "calib", "Motor", "boot", "image-raw", "a"};
static const char *const endings[] = {".txt", ".bin", ".TXT", "", ".cfg"};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "image9" before "image10". Leading zeros do not count, unless nothing else differs. */
static int compare_natural(const char *a, const char *b)
{
	const char *start_a = a, *start_b = b;
	for (;;) {
		if (is_digit(*a) && is_digit(*b)) {
			while (*a == '0' && is_digit(a[1]))
				a++;
			while (*b == '0' && is_digit(b[1]))
				b++;
			size_t digits_a = 1, digits_b = 1;
			while (is_digit(a[digits_a]))
				digits_a++;
			while (is_digit(b[digits_b]))
				digits_b++;
			if (digits_a != digits_b)
				return digits_a < digits_b ? -1 : 1;
			int difference = memcmp(a, b, digits_a);
			if (difference != 0)
				return difference;
			a += digits_a;
			b += digits_b;
		} else if (*a != *b) {
			return (unsigned char)*a - (unsigned char)*b;
		} else if (*a == '\0') {
			return strcmp(start_a, start_b);
		} else {
			a++;
			b++;
		}
	}
}

static int by_code(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int by_letters(const void *left, const void *right)
{
	return strcasecmp(*(const char *const *)left, *(const char *const *)right);
}

static int by_number(const void *left, const void *right)
{
	return compare_natural(*(const char *const *)left, *(const char *const *)right);
}

/* Appends the decimal digits of v, at least width of them. */
static char *append_number(char *to, uint32_t v, int width)
{
	char digits[10];
	int n = 0;
	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v != 0 || n < width);
	while (n > 0)
		*to++ = digits[--n];
	return to;
}

/* The stem comes from the high bits of the key, so that the spread of the keys is about that of the names. */
static char *make_name(char *to, uint32_t key, struct app_random *random)
{
	const char *stem = stems[(key >> 12) * COUNT(stems) >> 12];
	const char *ending = endings[key % COUNT(endings)];
	to = stpcpy(to, stem);
	to = append_number(to, (key & 0xFFF) * (key & 0xFFF) >> 12, app_random_below(random, 4) == 0 ? 4 : 1);
	return stpcpy(to, ending) + 1;
}

/* Names that begin alike, up to a number: the numbers must rise. Counts where they fall. */
static uint32_t falling_numbers(char **names, size_t n)
{
	uint32_t falls = 0, previous = 0;
	size_t stem = 0;
	for (size_t i = 0; i < n; i++) {
		size_t length = strcspn(names[i], "0123456789");
		uint32_t number = (uint32_t)strtoul(names[i] + length, NULL, 10);
		if (i > 0 && length == stem && memcmp(names[i - 1], names[i], length) == 0)
			falls += number < previous;
		stem = length;
		previous = number;
	}
	return falls;
}

/* Every pointer is there once: they all go into the pool, whose names lie one behind the other. */
static int check_pointers(char **names, size_t n, const char *pool, const char *pool_end)
{
	uint32_t length = 0, hash = 0, expected = 0;
	for (size_t i = 0; i < n; i++) {
		length += (uint32_t)strlen(names[i]) + 1;
		hash += app_hash(APP_HASH_START, (uint32_t)(names[i] - pool));
	}
	for (const char *p = pool; p < pool_end; p += strlen(p) + 1)
		expected += app_hash(APP_HASH_START, (uint32_t)(p - pool));
	return app_check("names kept", hash, expected) +
	       app_check("length of names", length, (uint32_t)(pool_end - pool));
}

static int sort_and_check(char **names, size_t n, int (*compare)(const void *, const void *), const char *what)
{
	uint32_t wrong = 0;
	qsort(names, n, sizeof names[0], compare);
	for (size_t i = 1; i < n; i++)
		wrong += compare(&names[i - 1], &names[i]) > 0;
	return app_check(what, wrong, 0);
}

int sort_names(size_t n, enum spread spread, struct app_random *random)
{
	char **names = malloc(n * sizeof *names);
	uint32_t *keys = malloc(n * sizeof *keys);
	char *pool = malloc(n * NAME_MAX_LENGTH);
	int failed = 0;
	if (names == NULL || keys == NULL || pool == NULL) {
		failed = app_check("memory for names", 0, (uint32_t)n);
		goto out;
	}
	spread_keys(keys, n, spread, random);
	char *end = pool;
	for (size_t i = 0; i < n; i++) {
		names[i] = end;
		end = make_name(end, keys[i], random);
	}
	failed += sort_and_check(names, n, by_code, "names out of order by code");
	failed += sort_and_check(names, n, by_letters, "names out of order by letters");
	failed += sort_and_check(names, n, by_number, "names out of order by number");
	failed += app_check("numbers of names fall", falling_numbers(names, n), 0);
	failed += check_pointers(names, n, pool, end);
out:
	free(pool);
	free(keys);
	free(names);
	return failed;
}
