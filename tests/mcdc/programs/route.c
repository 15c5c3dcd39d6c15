/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Ways in a small map, by recursion. */
/* run: 0 3 */
/* run: 3 0 */
/* run: 1 1 */
/* run: 0 9 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char map[6][7] = {".#....", ".#.##.", "...#..", ".#...#", ".###.#", "....#."};
static char seen[6][6];

static int is_free(int row, int column)
{
	return map[row][column] == '.';
}

static int walk_to(int row, int column, int wanted, int steps)
{
	if (row < 0 || row > 5 || column < 0 || column > 5)
		return 0;
	if (!is_free(row, column) || seen[row][column])
		return 0;
	seen[row][column] = 1;
	if (column == wanted && row == 5)
		return steps;
	int found = 0;
	if ((found = walk_to(row + 1, column, wanted, steps + 1)) != 0 ||
	    (found = walk_to(row, column + 1, wanted, steps + 1)) != 0 ||
	    (found = walk_to(row, column - 1, wanted, steps + 1)) != 0)
		return found;
	return walk_to(row - 1, column, wanted, steps + 1);
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		memset(seen, 0, sizeof seen);
		printf("%d\n", walk_to(atoi(argv[i]), 0, atoi(argv[i + 1]), 1));
	}
	return 0;
}
