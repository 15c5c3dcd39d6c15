/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Signed words, up and down, with bsearch() on the result. */
#include <stdlib.h>
#include "sorts.h"

static int ascending(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
	return (a > b) - (a < b);
}

static int descending(const void *left, const void *right)
{
	return ascending(right, left);
}

/* The same for every order of the elements, and most unlikely to be the same for other elements. */
static uint32_t fingerprint(const int32_t *v, size_t n)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += app_hash(APP_HASH_START, (uint32_t)v[i]) ^ ((uint32_t)v[i] >> 11);
	return sum;
}

static uint32_t disorder(const int32_t *v, size_t n, bool rising)
{
	uint32_t steps = 0;
	for (size_t i = 1; i < n; i++)
		steps += rising ? v[i - 1] > v[i] : v[i - 1] < v[i];
	return steps;
}

/* Every element is found where its value stands; values between two elements are not found. */
static uint32_t search(const int32_t *v, size_t n)
{
	uint32_t wrong = 0;
	for (size_t i = 0; i < n; i += 5) {
		const int32_t *found = bsearch(&v[i], v, n, sizeof v[0], ascending);
		wrong += found == NULL || *found != v[i];
		int32_t between = v[i] + 1;
		if (i + 1 < n && v[i + 1] > between)
			wrong += bsearch(&between, v, n, sizeof v[0], ascending) != NULL;
	}
	return wrong;
}

int sort_integers(size_t n, enum spread spread, struct app_random *random)
{
	int32_t *v = malloc(n * sizeof *v);
	if (v == NULL)
		return app_check("memory for integers", 0, (uint32_t)n);
	spread_keys((uint32_t *)v, n, spread, random);
	for (size_t i = 0; i < n; i++)
		v[i] -= 1 << 23;

	int failed = 0;
	uint32_t before = fingerprint(v, n);
	qsort(v, n, sizeof *v, ascending);
	failed += app_check("integers out of order", disorder(v, n, true), 0);
	failed += app_check("integers kept", fingerprint(v, n), before);
	failed += app_check("integers not found", search(v, n), 0);

	/* From one order straight into the other. */
	qsort(v, n, sizeof *v, descending);
	failed += app_check("integers out of descending order", disorder(v, n, false), 0);
	failed += app_check("integers kept descending", fingerprint(v, n), before);
	free(v);
	return failed;
}
