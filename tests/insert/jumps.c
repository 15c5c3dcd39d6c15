/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Indirect jumps of every shape that a compiler makes, as functions that tests/insert/random.c calls: a switch beside a
 * tail call through a pointer, two switches with the same targets, a switch into the cold part, computed gotos with and
 * without a frame. */
#include <stdint.h>

typedef intptr_t function(intptr_t, intptr_t);
int32_t random_fuel;
uint32_t random_data[64];

static __attribute__((noinline)) intptr_t add(intptr_t a, intptr_t b)
{
	return a + b;
}
static __attribute__((noinline)) intptr_t mix(intptr_t a, intptr_t b)
{
	random_data[(unsigned)b % 64]++;
	return (intptr_t)(int32_t)((uint32_t)a * 33u ^ (uint32_t)b);
}
static __attribute__((noinline, cold)) intptr_t seldom(intptr_t a)
{
	random_data[7] += (uint32_t)a;
	return a ^ 5;
}
static function *volatile pointers[2] = {add, mix};

static intptr_t tail_or_table(intptr_t a, intptr_t b)
{
	intptr_t s = b;
	for (int i = 0; i < (a & 7); i++)
		s = mix(s, i);
	switch (a & 7) {
	case 0:
		s += add(3, s);
		break;
	case 1:
		s = mix(s, 3) * 3;
		break;
	case 2:
		s ^= mix(99, s);
		break;
	case 3:
		s = add(s + 1, 9) - 7;
		break;
	case 4:
		s = mix(s * 5, 1);
		break;
	case 5:
		s = add(1, s) + mix(2, s);
		break;
	default:
		s = 77 + mix(2, s);
	}
	if ((s & 1) != 0)
		return pointers[s & 1](s, b);
	return pointers[(s >> 1) & 1](s, a) + 1;
}

static intptr_t two_tables(intptr_t a, intptr_t b)
{
	intptr_t s = 0;
	for (unsigned i = 0; i < 9; i++) {
		switch ((a + (intptr_t)i) & 7) {
		case 0:
			s += mix(b, 1);
			break;
		case 1:
			goto shared;
		case 2:
			s ^= mix(b, 2);
			break;
		case 3:
			s -= add(s, 3);
			break;
		case 5:
			goto other;
		case 6:
			s += mix(s, 4);
			break;
		default:
			s++;
		}
		switch ((s ^ (intptr_t)i) & 7) {
		case 0:
		shared:
			s += mix(s, 5);
			break;
		case 2:
		other:
			s = add(s, mix(b, 6));
			break;
		case 3:
			s ^= mix(s, 7);
			break;
		case 4:
			if (__builtin_expect(s == 1234567, 0))
				s = seldom(s);
			break;
		case 5:
			s = seldom(s);
			break;
		case 6:
			s = mix(s, 8);
			break;
		default:
			s += 3;
		}
	}
	return s;
}

static intptr_t with_frame(intptr_t a, intptr_t b)
{
	static void *const labels[] = {&&more, &&less, &&call, &&end};
	unsigned fuel = 40;
	intptr_t s = a;
next:
	if (fuel-- == 0)
		return s;
	goto *labels[s & 3];
more:
	s += b | 1;
	goto next;
less:
	s -= 3;
	goto next;
call:
	s = mix(s, b) + 1;
	goto next;
end:
	s ^= s << 3 & 0xFFFF;
	s++;
	goto next;
}

static intptr_t frameless(intptr_t a, intptr_t b)
{
	static void *const labels[] = {&&more, &&less, &&turn, &&end};
	unsigned fuel = 60;
	goto *labels[a & 3];
more:
	a += b | 1;
	if (fuel-- == 0)
		return a;
	goto *labels[a & 3];
less:
	a -= 3;
	if (fuel-- == 0)
		return a;
	goto *labels[a >> 1 & 3];
turn:
	a ^= b + 1;
	if (fuel-- == 0)
		return a;
	goto *labels[a >> 2 & 3];
end:
	return a;
}

function *const random_table[] = {tail_or_table, two_tables, with_frame, frameless, tail_or_table, two_tables};
const uint32_t random_count = sizeof random_table / sizeof *random_table;
