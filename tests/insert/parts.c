/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The paths from parts()'s entry are too many for small data; those of its loop are few, and lie there apart from the
 * others. The first word says in which of the calls it ends. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sum;
static int last;
int parts(unsigned bits, unsigned turns);

__attribute__((noinline)) static void leave(int place)
{
	if (place == last)
		_exit(3);
	sum += place;
}

__attribute__((noinline)) int parts(unsigned bits, unsigned turns)
{
	int all = 0;
#define WAY(n)                                                                                                         \
	if ((bits >> n & 1) != 0)                                                                                      \
		sum += n;                                                                                              \
	else                                                                                                           \
		__asm__ volatile("");
	WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7) leave(1);
	for (unsigned i = 0; i < turns; i++) {
		if ((bits >> i % 3 & 1) != 0)
			sum ^= 5;
		else
			__asm__ volatile("");
		leave(100 + (int)i);
		if (i % 7 == 3)
			sum += 2;
		all += sum;
	}
	leave(2);
	return all;
}

int main(int argc, char **argv)
{
	for (unsigned bits = 0; bits < 50; bits++)
		sum += parts(bits * 5, bits % 9);
	last = argc > 1 ? atoi(argv[1]) : 0;
	for (unsigned bits = 0; bits < 5; bits++)
		sum += parts(0xA5 ^ bits, 60);
	printf("%d\n", sum != 0);
	return 0;
}
