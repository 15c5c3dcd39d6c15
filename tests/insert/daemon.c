/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A process that ends within daemon(), and what goes on: two ends of one run. */
#define _DEFAULT_SOURCE
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) static void step(int n)
{
	sum += n;
}

int main(void)
{
	for (int i = 0; i < 5; i++)
		step(i);
	if (daemon(1, 1) != 0)
		return 1;
	for (int i = 0; i < 7; i++)
		step(i);
	return 0;
}
