/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Minimum conflicts: no search tree, so that it goes to boards where a tree does not. */
#include <string.h>
#include "queens.h"

/* How many queens stand on each line. The invariant: the counts are those of the queens placed. */
struct lines {
	uint8_t column[QUEENS_MAX_REPAIR];
	uint8_t rising[2 * QUEENS_MAX_REPAIR];  /* row + column */
	uint8_t falling[2 * QUEENS_MAX_REPAIR]; /* row - column + n */
};

static void put(struct lines *lines, unsigned n, unsigned row, unsigned column)
{
	lines->column[column]++;
	lines->rising[row + column]++;
	lines->falling[row + n - column]++;
}

static void take(struct lines *lines, unsigned n, unsigned row, unsigned column)
{
	lines->column[column]--;
	lines->rising[row + column]--;
	lines->falling[row + n - column]--;
}

static unsigned conflicts(const struct lines *lines, unsigned n, unsigned row, unsigned column)
{
	return (unsigned)lines->column[column] + lines->rising[row + column] + lines->falling[row + n - column];
}

/* The column of this row with the fewest conflicts, at random among equals. */
static unsigned best_column(const struct lines *lines, unsigned n, unsigned row, struct app_random *random)
{
	unsigned best = 0, fewest = ~0u, equals = 0;
	for (unsigned column = 0; column < n; column++) {
		unsigned count = conflicts(lines, n, row, column);
		if (count < fewest) {
			fewest = count;
			best = column;
			equals = 1;
		} else if (count == fewest && app_random_below(random, ++equals) == 0) {
			best = column;
		}
	}
	return best;
}

/* Rows whose queen is attacked, their own queen counting once on each of its three lines. */
static unsigned attacked_rows(const struct lines *lines, unsigned n, const uint8_t *board, uint8_t *rows)
{
	unsigned count = 0;
	for (unsigned row = 0; row < n; row++)
		if (conflicts(lines, n, row, board[row]) > 3)
			rows[count++] = (uint8_t)row;
	return count;
}

uint32_t queens_repair(uint8_t *board, unsigned n, struct app_random *random)
{
	struct lines lines;
	uint8_t rows[QUEENS_MAX_REPAIR];
	uint32_t moves = 0;
	memset(&lines, 0, sizeof lines);
	for (unsigned row = 0; row < n; row++) {
		unsigned column = app_random_below(random, n);
		board[row] = (uint8_t)column;
		put(&lines, n, row, column);
		moves++;
	}
	for (uint32_t limit = 40 * n; limit > 0; limit--) {
		unsigned attacked = attacked_rows(&lines, n, board, rows);
		if (attacked == 0)
			return moves;
		unsigned row = rows[app_random_below(random, attacked)];
		take(&lines, n, row, board[row]);
		board[row] = (uint8_t)best_column(&lines, n, row, random);
		put(&lines, n, row, board[row]);
		moves++;
	}
	return 0;
}
