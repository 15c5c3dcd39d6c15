/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* N queens by three methods, against the known numbers of solutions. */
#include "queens.h"

/* OEIS A000170 and A002562, from n = 0. */
static const uint32_t solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
static const uint32_t fundamental[] = {1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787};

/* Boards up to this size for each method; sizes and number of the boards to repair. */
struct plan {
	unsigned bits, array, fundamental;
	unsigned repair_from, repair_to, repair_step;
};

static const struct plan train = {9, 7, 7, 8, 40, 16};
static const struct plan ref = {11, 10, 9, 13, 93, 2};

struct sum {
	uint32_t boards, unsolved;
};

static void check_board(void *context, const uint8_t *board, unsigned n)
{
	struct sum *sum = context;
	sum->boards++;
	sum->unsolved += !queens_solved(board, n);
}

/* Large boards may need more than one start. */
static int repair_boards(const struct plan *plan, struct app_random *random)
{
	int failed = 0;
	for (unsigned n = plan->repair_from; n <= plan->repair_to; n += plan->repair_step) {
		uint8_t board[QUEENS_MAX_REPAIR];
		uint32_t moves = 0;
		for (int start = 0; start < 20 && moves == 0; start++)
			moves = queens_repair(board, n, random);
		failed += app_check("board not solved", !queens_solved(board, n), 0);
	}
	return failed;
}

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? &train : &ref;
	struct app_random random;
	int failed = 0;
	app_random_init(&random, input == APP_TRAIN ? 8 : 92);
	for (unsigned n = 1; n <= plan->bits; n++)
		failed += app_check("solutions by bits", queens_count_bits(n), solutions[n]);
	for (unsigned n = 1; n <= plan->array; n++) {
		struct sum sum = {0, 0};
		failed += app_check("solutions by array", queens_count_array(n, check_board, &sum), solutions[n]);
		failed += app_check("boards seen", sum.boards, solutions[n]);
		failed += app_check("boards with attacks", sum.unsolved, 0);
	}
	for (unsigned n = 1; n <= plan->fundamental; n++)
		failed += app_check("fundamental solutions", queens_count_fundamental(n), fundamental[n]);
	return failed + repair_boards(plan, &random);
}
