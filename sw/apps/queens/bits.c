/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "queens.h"

/* The masks hold the columns of this row that are attacked straight down, and along the diagonals from the left and the
 * right. */
static uint32_t place(uint32_t board, uint32_t down, uint32_t from_left, uint32_t from_right)
{
	if (down == board)
		return 1;
	uint32_t count = 0;
	uint32_t open = board & ~(down | from_left | from_right);
	while (open != 0) {
		uint32_t queen = open & -open;
		open ^= queen;
		count += place(board, down | queen, (from_left | queen) << 1, (from_right | queen) >> 1);
	}
	return count;
}

uint32_t queens_count_bits(unsigned n)
{
	return place((1u << n) - 1, 0, 0, 0);
}
