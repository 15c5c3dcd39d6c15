/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "fft.h"
#include "sine.h"

int32_t sine_table[SINE_QUARTER + 1];

/* Taylor series of sin(pi/2 x), x from 0 to 1 in Q30. The first term left out is 6e-10 at x = 1, about one unit of
 * Q31. */
static int32_t quarter_sine(int64_t x)
{
	static const int32_t coefficient[] = {61, -3864, 172272, -5026993, 85568911, -693598668, 1686629713};
	int64_t square = (x * x) >> 30;
	int64_t sum = 0;
	for (size_t i = 0; i < sizeof coefficient / sizeof coefficient[0]; i++)
		sum = ((sum * square) >> 30) + coefficient[i];
	int64_t sine = (sum * x) >> 29;
	return (int32_t)(sine > INT32_MAX ? INT32_MAX : sine);
}

void sine_init(void)
{
	for (int i = 0; i <= SINE_QUARTER; i++)
		sine_table[i] = quarter_sine(i * ((1 << 30) / SINE_QUARTER));
}

int32_t sine_step(uint32_t step)
{
	uint32_t i = step % SINE_QUARTER;
	switch (step / SINE_QUARTER % 4) {
	case 0:
		return sine_table[i];
	case 1:
		return sine_table[SINE_QUARTER - i];
	case 2:
		return -sine_table[i];
	default:
		return -sine_table[SINE_QUARTER - i];
	}
}

int32_t sine_q15(uint32_t turn)
{
	uint32_t angle = turn & 0x3FFFFFFFu;
	if (turn & 0x40000000u)
		angle = 0x40000000u - angle;
	uint32_t i = angle >> 22;
	int32_t sine = sine_table[i];
	if (i < SINE_QUARTER) {
		int32_t slope = (sine_table[i + 1] - sine) >> 8, fraction = (int32_t)((angle >> 7) & 0x7FFF);
		sine += (slope * fraction) >> 7;
	}
	sine >>= 16;
	return turn & 0x80000000u ? -sine : sine;
}
