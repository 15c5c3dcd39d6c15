/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A position-independent program with a library of its own: calls go to it and back from it, deep ones too. */
#include <stdio.h>

int library_climb(int n, int (*step)(int));

static int step(int n)
{
	return n % 3 == 0 ? 2 : 1;
}

int main(void)
{
	int sum = 0;
	char line[512];
	for (int i = 0; i < 40; i++)
		sum += library_climb(20 * i, step);
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		fputs(line, stdout);
	return sum == 0;
}
