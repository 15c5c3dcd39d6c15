/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Runs the code that tests/optimise/generate.c has put into random_code, again and again, and prints what all its
 * registers and its memory are in the end. */
#include "sw/hal/hal.h"
#include "sw/run/app.h"

#define ROUNDS 6

uint32_t random_state[32];
uint32_t random_memory[512];
void random_run(void);

int app_main(int input)
{
	uint32_t hash = APP_HASH_START;
	struct app_random random;
	app_random_init(&random, 12345u + (uint32_t)input);
	for (int i = 0; i < 512; i++)
		random_memory[i] = app_random(&random);
	for (int i = 0; i < 32; i++)
		random_state[i] = app_random(&random) >> (app_random(&random) & 31);
	for (int n = 0; n < ROUNDS; n++) {
		random_run();
		for (int i = 0; i < 32; i++)
			hash = app_hash(hash, random_state[i]);
	}
	for (int i = 0; i < 512; i++)
		hash = app_hash(hash, random_memory[i]);
	hal_print("state ");
	hal_print_hex(hash);
	hal_print("\n");
	return 0;
}
