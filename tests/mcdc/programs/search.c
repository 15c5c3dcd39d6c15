/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A sorted row: where is the number, and what is around it? */
/* run: 3 1 3 5 7 */
/* run: 7 1 3 5 7 9 11 */
/* run: 4 1 3 5 */
/* run: 1 1 */
#include <stdio.h>
#include <stdlib.h>

static int find_number(const int *row, int count, int wanted)
{
	int low = 0, high = count - 1;
	while (low <= high && row[low] <= wanted && row[high] >= wanted) {
		int middle = (low + high) / 2;
		if (row[middle] == wanted)
			return middle;
		if (row[middle] < wanted)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return -1;
}

int main(int argc, char **argv)
{
	int row[16], count = 0;
	for (int i = 2; i < argc && count < 16; i++)
		row[count++] = atoi(argv[i]);
	int at = argc > 1 ? find_number(row, count, atoi(argv[1])) : -1;
	if (at >= 0 && at + 1 < count && row[at + 1] > row[at] + 1)
		printf("a gap behind %d\n", row[at]);
	if (at > 0 && row[at - 1] == row[at])
		puts("twice");
	printf("%d\n", at);
	return 0;
}
