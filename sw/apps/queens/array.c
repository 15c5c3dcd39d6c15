/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>
#include "queens.h"

static inline bool attacks(unsigned row_a, unsigned column_a, unsigned row_b, unsigned column_b)
{
	return column_a == column_b || row_a + column_a == row_b + column_b || row_a + column_b == row_b + column_a;
}

static bool is_safe(const uint8_t *board, unsigned row, unsigned column)
{
	for (unsigned above = 0; above < row; above++)
		if (attacks(above, board[above], row, column))
			return false;
	return true;
}

uint32_t queens_count_array(unsigned n, queens_visit *visit, void *context)
{
	uint8_t board[QUEENS_MAX];
	uint32_t count = 0;
	unsigned row = 0;
	board[0] = 0;
	for (;;) {
		while (board[row] < n && !is_safe(board, row, board[row]))
			board[row]++;
		if (board[row] == n) {
			if (row == 0)
				return count;
			board[--row]++;
		} else if (row + 1 < n) {
			board[++row] = 0;
		} else {
			count++;
			if (visit != NULL)
				visit(context, board, n);
			board[row]++;
		}
	}
}

bool queens_solved(const uint8_t *board, unsigned n)
{
	for (unsigned row = 0; row < n; row++)
		if (board[row] >= n || !is_safe(board, row, board[row]))
			return false;
	return true;
}

/* A quarter turn: the queen of (row, column) goes to (column, n - 1 - row). */
static void turn(uint8_t *to, const uint8_t *from, unsigned n)
{
	for (unsigned row = 0; row < n; row++)
		to[from[row]] = (uint8_t)(n - 1 - row);
}

static void mirror(uint8_t *board, unsigned n)
{
	for (unsigned row = 0; row < n; row++)
		board[row] = (uint8_t)(n - 1 - board[row]);
}

/* Turning and mirroring make up to eight boards of one. The first in dictionary order stands for all. */
static void count_if_first(void *context, const uint8_t *board, unsigned n)
{
	uint32_t *count = context;
	uint8_t image[QUEENS_MAX], next[QUEENS_MAX];
	memcpy(image, board, n);
	for (int side = 0; side < 2; side++) {
		for (int quarter = 0; quarter < 4; quarter++) {
			if (memcmp(image, board, n) < 0)
				return;
			turn(next, image, n);
			memcpy(image, next, n);
		}
		mirror(image, n);
	}
	++*count;
}

uint32_t queens_count_fundamental(unsigned n)
{
	uint32_t count = 0;
	queens_count_array(n, count_if_first, &count);
	return count;
}
