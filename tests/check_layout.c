/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Orders of blocks and of functions: drawn ones that are known, and all of small random graphs. */
#include "host/layout/clusters.h"
#include "host/layout/tsp.h"
#include "tests/suite.h"

#include <string.h>

#define BLOCKS_MAX 7

static uint32_t state;
static uint32_t next_random(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

static void ck_permutation(const uint32_t *order, size_t count)
{
	bool seen[64] = {false};
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_lt(order[i], count);
		ck_assert(!seen[order[i]]);
		seen[order[i]] = true;
	}
}

/* 0 goes to 2 mostly, which goes on to 3; 1 is rare. */
START_TEST(rare_block)
{
	const struct tsp_block blocks[] = {{10, 100}, {10, 1}, {10, 99}, {10, 100}};
	const struct tsp_edge edges[] = {{0, 1, 1}, {0, 2, 99}, {1, 3, 1}, {2, 3, 99}};
	const struct tsp_graph graph = {blocks, 4, edges, 4};
	const uint32_t want[] = {0, 2, 3, 1};
	uint32_t order[4];
	ck_assert_int_eq(tsp_order(&graph, order), 0);
	ck_assert_mem_eq(order, want, sizeof want);
}
END_TEST

/* A loop that is entered in the middle: the branch back comes behind its body, not a jump. */
START_TEST(turned_loop)
{
	const struct tsp_block blocks[] = {{4, 1}, {8, 100}, {8, 100}, {4, 1}};
	const struct tsp_edge edges[] = {{0, 1, 2}, {1, 2, 100}, {1, 3, 1}, {2, 1, 200}};
	const struct tsp_graph graph = {blocks, 4, edges, 4};
	uint32_t order[4];
	ck_assert_int_eq(tsp_order(&graph, order), 0);
	const uint32_t want[] = {0, 2, 1, 3};
	ck_assert_mem_eq(order, want, sizeof want);
}
END_TEST

static double best_worth(const struct tsp_graph *graph, uint32_t *order, size_t placed)
{
	double best = placed == graph->block_count ? tsp_worth(graph, order) : 0;
	for (size_t i = placed; i < graph->block_count; i++) {
		const uint32_t kept = order[placed];
		order[placed] = order[i];
		order[i] = kept;
		const double worth = best_worth(graph, order, placed + 1);
		best = worth > best ? worth : best;
		order[i] = order[placed];
		order[placed] = kept;
	}
	return best;
}

/* Never far from the best of all orders, and never an order that does not begin with the entry. */
START_TEST(random_graphs)
{
	double sum = 0, best = 0;
	state = 1;
	for (int round = 0; round < 60; round++) {
		struct tsp_block blocks[BLOCKS_MAX];
		struct tsp_edge edges[2 * BLOCKS_MAX];
		size_t count = 2 + next_random(BLOCKS_MAX - 1), used = 0;
		for (uint32_t i = 0; i < count; i++) {
			blocks[i] = (struct tsp_block){2 + 2 * next_random(30), 1};
			for (unsigned k = 0; k < 2; k++)
				edges[used++] = (struct tsp_edge){i, next_random((uint32_t)count), next_random(1000)};
			if (edges[used - 1].to == edges[used - 2].to)
				used--;
		}
		const struct tsp_graph graph = {blocks, count, edges, used};
		uint32_t order[BLOCKS_MAX], all[BLOCKS_MAX];
		ck_assert_int_eq(tsp_order(&graph, order), 0);
		ck_permutation(order, count);
		ck_assert_uint_eq(order[0], 0);
		for (uint32_t i = 0; i < count; i++)
			all[i] = i;
		const double most = best_worth(&graph, all, 1), here = tsp_worth(&graph, order);
		ck_assert_double_le(here, most + 1e-6);
		ck_assert_double_ge(here, 0.7 * most);
		sum += here;
		best += most;
	}
	ck_assert_double_ge(sum, 0.97 * best);
}
END_TEST

START_TEST(callers_first)
{
	const struct cluster_function functions[] = {{100, 0}, {100, 5000}, {100, 10}, {100, 900}, {100, 800}};
	const struct cluster_call calls[] = {{2, 1, 10}, {3, 1, 90}, {3, 4, 5}, {2, 4, 2}, {1, 1, 1000}};
	const struct cluster_graph graph = {functions, 5, calls, 5};
	const uint32_t want[] = {3, 1, 4, 2, 0};
	uint32_t order[5];
	ck_assert_int_eq(clusters_order(&graph, order), 0);
	ck_assert_mem_eq(order, want, sizeof want);
}
END_TEST

/* A profile of other numbers than a run has: no function is left out. */
START_TEST(weights_that_add_up_to_more)
{
	const uint64_t half = UINT64_C(1) << 63;
	const struct cluster_function functions[] = {{100, half}, {100, half}};
	const struct cluster_call calls[] = {{0, 1, 3}};
	const struct cluster_graph graph = {functions, 2, calls, 1};
	uint32_t order[2] = {7, 7};
	ck_assert_int_eq(clusters_order(&graph, order), 0);
	ck_permutation(order, 2);
}
END_TEST

START_TEST(random_calls)
{
	state = 7;
	for (int round = 0; round < 200; round++) {
		struct cluster_function functions[20];
		struct cluster_call calls[40];
		uint32_t order[20], count = 1 + next_random(20);
		for (uint32_t i = 0; i < count; i++)
			functions[i] =
			    (struct cluster_function){next_random(200000), next_random(4) * next_random(100)};
		for (uint32_t i = 0; i < 40; i++)
			calls[i] = (struct cluster_call){next_random(count), next_random(count), next_random(50)};
		const struct cluster_graph graph = {functions, count, calls, 40};
		ck_assert_int_eq(clusters_order(&graph, order), 0);
		ck_permutation(order, count);
	}
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"a rare block", rare_block, 0}, {"a loop", turned_loop, 0},
	    {"random graphs", random_graphs, 0}, {"callers", callers_first, 0}, {"random calls", random_calls, 0},
	    {"weights", weights_that_add_up_to_more, 0}};
	return SUITE_RUN("layout", cases, NULL, NULL);
}
