/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sorts.h"

#define KEY_LIMIT (1u << 24)

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;
	*a = *b;
	*b = t;
}

void spread_keys(uint32_t *keys, size_t n, enum spread spread, struct app_random *random)
{
	uint32_t step = KEY_LIMIT / (uint32_t)n;
	uint32_t tooth = 5 + app_random_below(random, 40);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t value = 0;
		switch (spread) {
		case RANDOM:
			value = app_random_below(random, KEY_LIMIT);
			break;
		case SORTED:
		case NEARLY_SORTED:
			value = i * step;
			break;
		case REVERSED:
			value = ((uint32_t)n - 1 - i) * step;
			break;
		case ORGAN_PIPE:
			value = (i < n / 2 ? i : (uint32_t)n - 1 - i) * step;
			break;
		case SAWTOOTH:
			value = i % tooth * (KEY_LIMIT / tooth);
			break;
		case FEW_VALUES:
			value = app_random_below(random, 7) * (KEY_LIMIT / 7);
			break;
		case SKEWED: /* small values most often */
			value = app_random_below(
			    random, 1 + app_random_below(random, 1 + app_random_below(random, KEY_LIMIT - 1)));
			break;
		case SPREADS:
			break;
		}
		keys[i] = value;
	}
	if (spread == NEARLY_SORTED) {
		for (size_t i = 0; i < n / 32; i++)
			swap(
			    &keys[app_random_below(random, (uint32_t)n)], &keys[app_random_below(random, (uint32_t)n)]);
	}
}
