/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What interrupts: a handler with counters, which calls functions with counters, which are interrupted themselves. */
#include <stdint.h>
#include "sw/hal/hal.h"

uint32_t ticks, nested, seen;
void on_timer(void);
void rearm(uint32_t n);
uint32_t sort(uint32_t n);
uint32_t nest(uint32_t n);

/* Moments that move on by odd distances. */
__attribute__((noinline)) void rearm(uint32_t n)
{
	hal_timer_at(hal_time() + 150 + n * 37 % 53);
}

__attribute__((noinline)) uint32_t sort(uint32_t n)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < (n & 3); i++)
		sum += n >> i;
	if ((n & 8) != 0)
		sum ^= n;
	return (n & 16) != 0 ? sum + 7 : sum;
}

/* A loop in a loop: how often each is entered and turns follows from n. */
__attribute__((noinline)) uint32_t nest(uint32_t n)
{
	uint32_t sum = n;
	for (uint32_t i = 0; i < 1 + n % 2; i++) {
		for (uint32_t k = 0; k < 2; k++) {
			sum = sum << 1 ^ k;
			__asm__ volatile("" : "+r"(sum), "+r"(k));
		}
		if ((sum & 3) == 1)
			sum += i;
		__asm__ volatile("" : "+r"(sum), "+r"(i));
	}
	return sum;
}

__attribute__((interrupt)) void on_timer(void)
{
	uint32_t n = ++ticks;
	if ((n & 1) == 0)
		seen += sort(n);
	seen += nest(n);
	rearm(n);
}
