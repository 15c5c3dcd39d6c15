/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Sends itself SIGUSR2 within its 60th turn, behind 400 of its 1,000 steps. */
#include <signal.h>
#include <stdio.h>

int step(int n);
long turn(int steps, int at);
__attribute__((noipa)) int step(int n)
{
	return n % 3 ? n + 1 : n * 2;
}

__attribute__((noipa)) long turn(int steps, int at)
{
	long sum = 0;
	for (int i = 0; i < steps; i++) {
		if (i == at)
			raise(SIGUSR2);
		sum += step(i);
	}
	return sum;
}

int main(void)
{
	long sum = 0;
	for (int i = 0; i < 100; i++)
		sum += turn(1000, i == 59 ? 400 : -1);
	printf("%ld\n", sum);
	return 0;
}
