/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Structures of several words, sorted by several members: readings of a logger, by channel, then value, then time. */
#include <stdlib.h>
#include <string.h>
#include "sorts.h"

#define CHANNELS 12

struct reading {
	uint32_t time; /* 0 to n - 1, no two alike */
	int32_t value;
	uint8_t channel;
	char unit[7];
	uint32_t seal; /* over all the others */
};

static const char units[CHANNELS][7] = {"V", "A", "W", "Pa", "kPa", "degC", "%RH", "m/s", "rpm", "Nm", "lx", "ppm"};

static int by_channel_value_time(const void *left, const void *right)
{
	const struct reading *a = left, *b = right;
	if (a->channel != b->channel)
		return a->channel < b->channel ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1; /* largest first */
	return a->time < b->time ? -1 : a->time > b->time;
}

static int by_time(const void *left, const void *right)
{
	const struct reading *a = left, *b = right;
	return a->time < b->time ? -1 : a->time > b->time;
}

/* The order as one number, for the check: larger for what comes later. */
static uint64_t rank(const struct reading *r)
{
	return (uint64_t)r->channel << 56 | (uint64_t)(uint32_t)(100000 - r->value) << 24 | r->time;
}

static uint32_t seal(const struct reading *r)
{
	uint32_t hash = app_hash(app_hash(APP_HASH_START, r->time), (uint32_t)r->value);
	for (const char *unit = r->unit; *unit != '\0'; unit++)
		hash = app_hash(hash, (uint32_t)*unit);
	return app_hash(hash, r->channel);
}

static void make_readings(struct reading *v, size_t n, const uint32_t *keys)
{
	for (uint32_t i = 0; i < n; i++) {
		v[i].time = i;
		v[i].channel = (uint8_t)(keys[i] / 16 % CHANNELS);
		v[i].value = (int32_t)(keys[i] >> 8) - 20000;
		memcpy(v[i].unit, units[v[i].channel], sizeof v[i].unit);
		v[i].seal = seal(&v[i]);
	}
}

int sort_records(size_t n, enum spread spread, struct app_random *random)
{
	struct reading *v = malloc(n * sizeof *v);
	uint32_t *keys = malloc(n * sizeof *keys);
	int failed = 0;
	if (v == NULL || keys == NULL) {
		failed = app_check("memory for readings", 0, (uint32_t)n);
		goto out;
	}
	spread_keys(keys, n, spread, random);
	make_readings(v, n, keys);

	qsort(v, n, sizeof *v, by_channel_value_time);
	uint32_t disordered = 0, broken = 0;
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			disordered += rank(&v[i - 1]) >= rank(&v[i]);
		broken += v[i].seal != seal(&v[i]);
	}
	failed += app_check("readings out of order", disordered, 0);
	failed += app_check("readings broken", broken, 0);

	/* Back in the order of time every reading is at its own index, with the value it was made with. */
	qsort(v, n, sizeof *v, by_time);
	uint32_t misplaced = 0;
	for (uint32_t i = 0; i < n; i++)
		misplaced += v[i].time != i || v[i].value != (int32_t)(keys[i] >> 8) - 20000;
	failed += app_check("readings misplaced", misplaced, 0);
out:
	free(keys);
	free(v);
	return failed;
}
