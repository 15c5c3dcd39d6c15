/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where longjmp() comes back to: no branch behind setjmp(), several ways to it, buffers of earlier turns of a loop, one
 * setjmp() behind another, a loop between setjmp() and the call that is left, a call that never returns. */
#include <setjmp.h>
#include <stdio.h>
#ifndef TURNS
#define TURNS 24 /* fewer on bare metal: what is left takes room */
#endif
static jmp_buf back, other, many[8];
static volatile int sink, left;

__attribute__((noipa)) static void go(jmp_buf to)
{
	if (left-- > 0)
		longjmp(to, 1);
	sink++;
}

/* Its path has been counted before setjmp(): no branch comes any more. */
__attribute__((noipa)) static void straight(int n)
{
	sink += n > 3 ? 2 : 1;
	if (n % 2 != 0)
		sink += 5;
	setjmp(back);
	sink += 3;
	go(back);
	sink += n;
}

/* The same, and a loop's turns until the call that is left. */
__attribute__((noipa)) static int looped(int n)
{
	volatile int i;
	sink += n > 2 ? 2 : 1;
	setjmp(back);
	for (i = 0; i < n; i++) {
		sink += i % 2 != 0 ? 1 : 2;
		if (i + 1 == n)
			go(back);
	}
	return n;
}

/* Each of three ways to setjmp(), and on from it by three. */
__attribute__((noipa)) static int ways(int n)
{
	volatile int kept = n;
	sink += n % 3 == 0 ? 1 : 2;
	if (n % 5 == 1)
		sink -= 7;
	const int from = setjmp(back);
	if (from != 0)
		sink += kept % 3 == 1 ? 4 : 5;
	if (kept % 4 != 3)
		go(back);
	else
		sink++;
	go(back);
	return kept;
}

/* Goes back to what was kept some turns ago. */
__attribute__((noipa)) static int buffers(int n)
{
	volatile int i, turns = 0;
	for (i = 0; i < 8; i++) {
		if ((i + n) % 3 == 0)
			sink++;
		if (setjmp(many[i]) != 0) {
			sink += 2;
			i += 2;
		}
		if (i % 4 == 3 && turns++ < 3)
			longjmp(many[(i + n) % 4], 1);
	}
	return turns;
}

__attribute__((noipa, noreturn)) static void leaves(jmp_buf to)
{
	sink++;
	longjmp(to, 1);
}

__attribute__((noipa)) static int two(int n)
{
	volatile int inner = 0, outer = 0;
	sink += n % 2 != 0 ? 1 : 2;
	if (setjmp(other) != 0)
		outer++;
	sink += n % 3 != 0 ? 1 : 2;
	if (setjmp(back) != 0)
		inner++;
	if (inner < n)
		go(back);
	if (outer < 2 && inner > 1)
		leaves(other);
	return inner;
}

int main(void)
{
	for (int i = 0; i < TURNS; i++) {
		left = i % 4;
		straight(i);
		left = i % 3;
		looped(i % 6);
		left = i % 5;
		ways(i);
		left = 0;
		buffers(i);
		left = i % 7;
		two(i % 5);
	}
	printf("%d\n", sink);
	return 0;
}
