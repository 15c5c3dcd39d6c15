/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The library's number formatting and scanning, with software floating point below it: libraries without source
 * here. */
#include "roundtrip.h"

struct plan {
	unsigned integers, floats, decimals, lines;
};

static const struct plan train[] = {{34, 20, 22, 12}};
static const struct plan ref[] = {{600, 60, 150, 700}, {150, 550, 200, 120}, {200, 120, 1000, 60}};

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? train : ref;
	const struct plan *end = input == APP_TRAIN ? train + 1 : ref + sizeof ref / sizeof ref[0];
	struct app_random random;
	app_random_init(&random, input == APP_TRAIN ? 754 : 1985);
	int failed = check_known();
	for (; plan < end; plan++) {
		failed += check_integers(plan->integers, &random);
		failed += check_shortest_enough(plan->floats, &random);
		failed += check_decimals(plan->decimals, &random);
		failed += check_log(plan->lines, &random);
	}
	return failed;
}
