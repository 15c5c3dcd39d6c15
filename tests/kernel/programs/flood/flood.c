/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A process that makes the kernel work for it as long as it can: a table full of different long traces, which the
 * optimiser has to translate and the kernel to sort and send; traces that all have one hash; a text as long as its
 * memory. tests/kernel/gap measures how long the others wait.
 */
#include "sw/kernel/user/sys.h"
#include "sw/run/app.h"

#define PATHS 1500

extern uint8_t __text_start[], __text_end[], __memory_end[];
uint32_t flood_path(uint32_t outcomes);
uint32_t flood_hot(uint32_t rounds, uint32_t outcomes);

static uint32_t mixed(uint32_t i)
{
	return i * 2654435761u ^ i << 7;
}

int app_main(int input)
{
	uint32_t sum = 0;
	(void)input;
	switch (user_round) {
	case 0: /* hot, so that it is patched; then in ever other ways through the patches; then it reads its code */
	case 1: /* ... or ends its profile */
		sum = flood_hot(6000, 0x55555555);
		for (uint32_t i = 0; i < PATHS; i++)
			sum += flood_hot(1, mixed(i));
		if (user_round == 0)
			sum += *(volatile uint32_t *)(void *)(__text_start + 64);
		break;
	case 2: /* histories h and starts s with (s << 15) + h the same: one start, so h a multiple of a power of two
		   apart */
		for (uint32_t i = 0; i < PATHS; i++)
			sum += flood_path(i << 16 | 0x8000);
		break;
	default:
		sys_write(__text_start, (uint32_t)(__memory_end - __text_start));
		break;
	}
	sys_profile(0);
	return sum == 1;
}
