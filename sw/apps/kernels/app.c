/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "kernels.h"

struct plan {
	unsigned rounds;
	struct shape shape;
	uint16_t message, items, words;
	uint8_t width, height;
};

static const struct plan train[] = {{1, {20, 16, 20}, 3500, 450, 350, 24, 16}};
static const struct plan ref[] = {
    {4, {40, 40, 40}, 8000, 2000, 600, 64, 40},
    {5, {64, 8, 50}, 900, 700, 1000, 23, 96},
    {12, {9, 100, 11}, 4000, 150, 90, 16, 16},
};

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? train : ref;
	const struct plan *end = input == APP_TRAIN ? train + 1 : ref + sizeof ref / sizeof ref[0];
	struct app_random random;
	int failed = 0;
	app_random_init(&random, input == APP_TRAIN ? 3 : 1975);
	crc_init();
	for (; plan < end; plan++) {
		for (unsigned round = 0; round < plan->rounds; round++) {
			failed += check_matrix(&plan->shape, &random);
			failed += check_crc(plan->message, &random);
			failed += check_list(plan->items, &random);
			failed += check_scanner(plan->words, &random);
			failed += check_convolution(plan->width, plan->height, &random);
		}
	}
	return failed;
}
