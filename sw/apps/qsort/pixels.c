/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Elements of three bytes, which no word move fits: pixels sorted by brightness, held against a histogram. */
#include <stdlib.h>
#include <string.h>
#include "sorts.h"

struct pixel {
	uint8_t red, green, blue;
};

/* 0 to 255; the weights of ITU-R BT.601 in 1/256. */
static unsigned brightness(const struct pixel *p)
{
	return (77u * p->red + 150u * p->green + 29u * p->blue) >> 8;
}

static int by_brightness(const void *left, const void *right)
{
	return (int)brightness(left) - (int)brightness(right);
}

static uint32_t fingerprint(const struct pixel *v, size_t n)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += app_hash(APP_HASH_START, (uint32_t)v[i].red << 16 | (uint32_t)v[i].green << 8 | v[i].blue);
	return sum;
}

int sort_pixels(size_t n, enum spread spread, struct app_random *random)
{
	struct pixel *v = malloc(n * sizeof *v);
	uint32_t *keys = malloc(n * sizeof *keys);
	if (v == NULL || keys == NULL) {
		free(keys);
		free(v);
		return app_check("memory for pixels", 0, (uint32_t)n);
	}
	uint16_t histogram[256];
	memset(histogram, 0, sizeof histogram);
	spread_keys(keys, n, spread, random);
	for (size_t i = 0; i < n; i++) {
		v[i].red = (uint8_t)(keys[i] >> 16);
		v[i].green = (uint8_t)(keys[i] >> 8);
		v[i].blue = (uint8_t)keys[i];
		histogram[brightness(&v[i])]++;
	}
	free(keys);

	uint32_t before = fingerprint(v, n);
	qsort(v, n, sizeof *v, by_brightness);

	/* The sorted array is the histogram, run by run. */
	uint32_t wrong = 0;
	const struct pixel *p = v;
	for (unsigned level = 0; level < 256; level++)
		for (unsigned i = 0; i < histogram[level]; i++)
			wrong += brightness(p++) != level;
	int failed = app_check("pixels out of order", wrong, 0) + app_check("pixels kept", fingerprint(v, n), before);
	free(v);
	return failed;
}
