/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The library's qsort(), a library without source here, on elements of 3, 4 and 20 bytes with cheap and dear
 * comparisons. */
#include "sorts.h"

struct sizes {
	uint16_t integers, pixels, names, records;
};

static const struct sizes train[] = {{110, 55, 22, 36}};
static const struct sizes ref[] = {{2500, 700, 200, 300}, {500, 2000, 500, 150}, {61, 100, 17, 900}};

int app_main(int input)
{
	const struct sizes *sizes = input == APP_TRAIN ? train : ref;
	const struct sizes *end = input == APP_TRAIN ? train + 1 : ref + sizeof ref / sizeof ref[0];
	struct app_random random;
	int failed = 0;
	app_random_init(&random, input == APP_TRAIN ? 5 : 1961);
	for (; sizes < end; sizes++) {
		for (enum spread spread = RANDOM; spread < SPREADS; spread++) {
			failed += sort_integers(sizes->integers, spread, &random);
			failed += sort_pixels(sizes->pixels, spread, &random);
			failed += sort_names(sizes->names, spread, &random);
			failed += sort_records(sizes->records, spread, &random);
		}
	}
	return failed;
}
