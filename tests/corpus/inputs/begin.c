/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Constructors that count before main(): some run before this object's own, which registers its counters. */
#include <stdio.h>

static volatile int early_steps, late_steps;

__attribute__((noinline)) static int add_step(int n)
{
	return n % 3 == 0 ? n + 1 : n + 2;
}

__attribute__((constructor(101))) static void run_early(void)
{
	for (int i = 0; i < 200; i++)
		early_steps = add_step(early_steps);
}

__attribute__((constructor)) static void run_late(void)
{
	for (int i = 0; i < 1000; i++)
		late_steps = add_step(late_steps);
}

int main(void)
{
	printf("right: %d %d\n", early_steps, late_steps);
	return 0;
}
