/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Two of three. */
/* run: 1 1 1 */
/* run: 1 1 0 1 0 1 0 1 1 0 0 1 5 6 7 */
#include <stdio.h>
#include <stdlib.h>

static int faults;

static int note_fault(int channel)
{
	faults++;
	printf("channel %d differs\n", channel);
	return faults;
}

static int vote_of_three(int a, int b, int c)
{
	if (a == b && note_fault(0) > 0 && a != c)
		note_fault(3);
	if (b == c && a != b)
		note_fault(1);
	if ((a == c && b != a) || faults > 9)
		note_fault(2);
	if (a != b && b != c && a != c)
		puts("no vote");
	return a == b || a == c ? a : b;
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		printf("%d\n", vote_of_three(atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2])));
	return 0;
}
