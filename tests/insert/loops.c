/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loops that count their turns themselves (host/insert/turns.h), as functions that tests/insert/random.c calls: left
 * before and behind the step, with steps of 1, 2, 4 and -1, of 32 bits in 64, within each other, around a switch; and
 * some that look so, but step twice, in a branch, or in an inner loop. */
#include <stdint.h>

typedef intptr_t function(intptr_t, intptr_t);
int32_t random_fuel;
uint32_t random_data[64];
#define KEEP(x) __asm__ volatile("" : "+r"(x)) /* no compiler changes the loop */

static intptr_t find(intptr_t a, intptr_t b)
{
	uintptr_t i = (uintptr_t)a & 15, sum = 0;
	for (; i != 60; i++) {
		uint32_t at = random_data[i];
		KEEP(at);
		if ((at & 63) == (uint32_t)b)
			return (intptr_t)i; /* before the step */
		if ((at & 1) != 0)
			sum += at;
		else
			random_data[i] += 3;
	}
	return (intptr_t)sum;
}

static intptr_t two_sides(intptr_t a, intptr_t b)
{
	uintptr_t i = (uintptr_t)a & 7;
	uint32_t sum = 0;
	for (;;) {
		if ((random_data[i] & 31) == 9)
			return (intptr_t)sum - 1; /* before the step */
		if (sum & 4)
			sum += 7;
		i++;
		KEEP(i);
		sum += (uint32_t)(i * 3);
		if ((sum & 127) == ((uint32_t)b & 127))
			return (intptr_t)sum; /* behind it */
		if (i == 50)
			break;
	}
	random_data[1] = sum;
	return (intptr_t)(i + sum);
}

/* One way out, a step of 2 and 4 bytes, down, each around a loop inside. */
static intptr_t nested(intptr_t a, intptr_t b)
{
	uint16_t halves[40];
	uint32_t sum = (uint32_t)b;
	for (unsigned i = 0; i < 40; i++)
		halves[i] = (uint16_t)(i * 77 + (uint32_t)a);
	for (intptr_t outer = 12; outer != 0; outer--) {
		KEEP(outer);
		for (uint16_t *h = halves, *end = halves + 10 + (a & 15); h != end; h++) {
			KEEP(h);
			if ((*h & 3) == 0)
				sum += *h;
			else if ((*h & 4) != 0)
				*h ^= (uint16_t)sum;
		}
		for (uintptr_t i = 0; i != (sum & 7); i++) {
			KEEP(i);
			if ((random_data[i] & 1) == 0)
				random_data[i]++;
			sum ^= 64;
		}
	}
	return (intptr_t)sum;
}

/* The inner loop is left at three places and its turns add up over the outer one; both are left by a return. */
static intptr_t searched(intptr_t a, intptr_t b)
{
	uint32_t sum = (uint32_t)a | 1;
	for (uintptr_t round = 0; round < 30; round++) {
		uintptr_t i = sum & 3;
		KEEP(i);
		while (i != 40) {
			uint32_t at = random_data[i];
			if ((at & 15) == (sum & 15))
				break;
			i++;
			KEEP(i);
			if (((at ^ sum) & 1023) == ((uint32_t)b & 1023))
				return (intptr_t)at;
			if (at & 32)
				sum += 5;
		}
		sum = sum * 9 + (uint32_t)i;
		if ((sum & 255) == 3)
			return (intptr_t)round;
	}
	return (intptr_t)sum;
}

/* The same without a return: left on both sides of the step, upwards, downwards and by 8. */
#define SUMMED(name, first, step, last)                                                                                \
	static intptr_t name(intptr_t a, intptr_t b)                                                                   \
	{                                                                                                              \
		uint32_t sum = (uint32_t)a | 1;                                                                        \
		for (uintptr_t round = 20 + ((uintptr_t)b & 1); round != 0; round--) {                                 \
			uintptr_t i = (first) + (sum & 3);                                                             \
			KEEP(round);                                                                                   \
			for (;;) {                                                                                     \
				KEEP(i);                                                                               \
				if ((random_data[i] & 7) == (sum & 7))                                                 \
					break;                                                                         \
				if ((sum & 8) != 0)                                                                    \
					sum += random_data[i] | 1;                                                     \
				i += (step);                                                                           \
				if (i == (last))                                                                       \
					break;                                                                         \
			}                                                                                              \
			sum = sum * 5 + (uint32_t)i;                                                                   \
		}                                                                                                      \
		return (intptr_t)(int32_t)sum;                                                                         \
	}
SUMMED(summed, 0, 1u, 50)
SUMMED(summed_down, 40, (uintptr_t)-1, 0)
static intptr_t summed_by_eight(intptr_t a, intptr_t b)
{
	uint32_t sum = (uint32_t)(a ^ b) | 1;
	for (uintptr_t round = 20 + ((uintptr_t)a & 3); round != 0; round--) {
		uintptr_t i = 8 * (sum & 3);
		KEEP(round);
		while (i != 8 * 60) {
			if ((random_data[i / 8] & 7) == (sum & 7))
				break;
			if ((sum & 8) != 0)
				sum += random_data[i / 8] | 1;
			i += 8;
			KEEP(i);
			if ((sum & 31) == 6)
				break;
		}
		sum = sum * 5 + (uint32_t)i;
	}
	return (intptr_t)(int32_t)sum;
}

static intptr_t narrow(intptr_t a, intptr_t b)
{
	uint32_t sum = (uint32_t)b;
	for (int32_t i = (int32_t)a & 31; i < 63; i++) {
		if ((sum & 8) != 0)
			sum ^= random_data[i];
		else
			sum += 3;
	}
	for (int32_t i = 60; i > (int32_t)(a & 7); i -= 2) {
		if ((sum & 2) == 0)
			sum += random_data[i];
		sum = sum << 1 | sum >> 31;
	}
	return (intptr_t)(int32_t)sum;
}

static intptr_t within_switch(intptr_t a, intptr_t b)
{
	uint32_t sum = (uint32_t)a;
	for (uintptr_t i = 0; i != 45; i++) {
		KEEP(i);
		switch (random_data[i] & 7) {
		case 0:
			sum += 2;
			break;
		case 1:
			sum *= 3;
			break;
		case 2:
			sum ^= 0x55;
			break;
		case 3:
			sum -= (uint32_t)b;
			break;
		case 4:
			sum = ~sum;
			break;
		default:
			random_data[i] += sum;
		}
	}
	return (intptr_t)(int32_t)sum;
}

/* Not what they look like. */
static intptr_t twice(intptr_t a, intptr_t b)
{
	uintptr_t i = (uintptr_t)b & 1;
	uint32_t sum = 0;
	while (i < 100) {
		if ((random_data[i & 63] & 1) != 0) {
			i++;
			KEEP(i);
		}
		i++;
		KEEP(i);
		sum += (uint32_t)a;
	}
	return (intptr_t)(sum + i);
}
static intptr_t in_a_branch(intptr_t a, intptr_t b)
{
	uintptr_t i = 0;
	uint32_t sum = (uint32_t)a;
	while (i != 30) {
		sum = sum * 1664525u + 1013904223u;
		if ((sum >> 28) > ((uint32_t)b & 3)) {
			i++;
			KEEP(i);
		}
	}
	return (intptr_t)(int32_t)sum;
}
static intptr_t in_an_inner_loop(intptr_t a, intptr_t b)
{
	uintptr_t i = 0;
	uint32_t sum = (uint32_t)b;
	while (i < 80) {
		do {
			i++;
			KEEP(i);
			sum = sum * 5 + (uint32_t)i;
		} while ((sum & 48) != 0);
		if ((sum & 1) != 0)
			sum += (uint32_t)a;
	}
	return (intptr_t)(int32_t)sum;
}

function *const random_table[] = {find, two_sides, nested, searched, summed, summed_down, summed_by_eight, narrow,
    within_switch, twice, in_a_branch, in_an_inner_loop};
const uint32_t random_count = sizeof random_table / sizeof *random_table;
