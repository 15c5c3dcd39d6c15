/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Works for a while, then faults, each round in another way; the last round exits with 7. */
#include "sw/run/app.h"
#include "sw/kernel/user/sys.h"

static volatile uint32_t started = 1; /* initial data are there again in every round */
static volatile uint32_t zero;
static volatile uint32_t nowhere = 8;

int app_main(int input)
{
	uint32_t hash = APP_HASH_START;
	if (started++ != 1 || zero++ != 0)
		return 1;
	for (uint32_t i = 0; i < 3000 + (uint32_t)input; i++)
		hash = i & 1 ? app_hash(hash, i) : hash ^ i;
	zero = hash;
	switch (user_round % 7) {
	case 0:
		return *(volatile int *)nowhere;
	case 1:
		*(volatile int *)0x80000000 = 1;
		return 2;
	case 2:
		__asm__ volatile("unimp");
		return 3;
	case 3:
		__asm__ volatile("ebreak");
		return 4;
	case 4:
		((void (*)(void))0x40000000)();
		return 5;
	case 5:
		__asm__ volatile("lw a0, 1(%0)" : : "r"(&zero) : "a0");
		return 6;
	default:
		return 7;
	}
}
