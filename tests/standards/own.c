/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A position-independent program without a library: sorts, counts, calls, and ends with the sum. */
#define COUNT 300u

static unsigned numbers[COUNT];

static unsigned draw(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

__attribute__((noinline)) static unsigned ones(unsigned value)
{
	unsigned count = 0;
	for (; value != 0; value &= value - 1)
		count++;
	return count;
}

__attribute__((noinline)) static unsigned depth(unsigned value)
{
	return value < 2 ? 1 : depth(value / 2) + depth(value / 3);
}

static void sort_numbers(void)
{
	for (unsigned i = 1; i < COUNT; i++)
		for (unsigned k = i; k > 0 && numbers[k - 1] > numbers[k]; k--) {
			const unsigned kept = numbers[k];
			numbers[k] = numbers[k - 1];
			numbers[k - 1] = kept;
		}
}

#define CASE(n)                                                                                                        \
	case n:                                                                                                        \
		sum = sum * (2 * n + 3) + depth(n + 9 + (sum & 7));                                                    \
		if (sum & (1u << n))                                                                                   \
			sum ^= ones(sum + n);                                                                          \
		break;

__attribute__((used)) static unsigned run(void)
{
	unsigned seed = 7, sum = 0;
	for (unsigned i = 0; i < COUNT; i++)
		numbers[i] = draw(&seed);
	sort_numbers();
	for (unsigned i = 0; i < COUNT; i++) {
		switch (numbers[i] % 12) {
			CASE(0)
			CASE(1)
			CASE(2)
			CASE(3)
			CASE(4)
			CASE(5)
			CASE(6)
			CASE(7)
			CASE(8)
			CASE(9)
			CASE(10)
			CASE(11)
		}
	}
	return sum;
}

__asm__(".globl _start\n"
	"_start:\n"
	"	call run\n"
	"	andi a0, a0, 63\n"
	"	li a7, 93\n"
	"	ecall\n");
