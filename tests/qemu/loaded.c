/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A library with one function, turn_NAME, which it calls TIMES times; see loader.c. */
#define JOIN(A, B) A##B
#define NAMED(A, B) JOIN(A, B)
static volatile int sum;

__attribute__((noinline)) void NAMED(turn_, NAME)(int i)
{
	sum += i;
}

void run(void)
{
	for (int i = 0; i < TIMES; i++)
		NAMED(turn_, NAME)(i);
}
