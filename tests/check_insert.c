/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Placement of path counters: EPP's example as text, and random graphs walked with and without it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/insert/place.h"
#include "tests/suite.h"

struct made {
	struct numbering numbering;
	struct chords chords;
	struct placement placement;
};

static void make(struct made *m, const struct numbering_graph *graph, const uint64_t *weights)
{
	ck_assert_int_eq(numbering_make(&m->numbering, graph, 0), NUMBERING_OK);
	ck_assert_int_eq(chords_make(&m->chords, &m->numbering, weights), NUMBERING_OK);
	ck_assert_int_eq(place_make(&m->placement, &m->numbering, &m->chords, false), NUMBERING_OK);
}

static void make_by(struct made *m, const struct numbering_graph *graph, const struct chords_weights *weights)
{
	ck_assert_int_eq(numbering_make(&m->numbering, graph, 0), NUMBERING_OK);
	ck_assert_int_eq(chords_make_by(&m->chords, &m->numbering, weights), NUMBERING_OK);
	ck_assert_int_eq(place_make(&m->placement, &m->numbering, &m->chords, false), NUMBERING_OK);
}

static void unmake(struct made *m)
{
	place_free(&m->placement);
	chords_free(&m->chords);
	numbering_free(&m->numbering);
}

/*
 * EPP's example: A to F.
 *
 *        A            paths by number, with edges in this order:
 *       / \             0 ACDF   1 ACDEF   2 ABCDF   3 ABCDEF   4 ABDF   5 ABDEF
 *      B   |
 *     / \  |
 *    |   \ |
 *    |    C
 *     \  /
 *      D
 *     / \
 *    E   |
 *     \  |
 *       F
 */
enum { A, B, C, D, E, F };
static const uint32_t first[] = {0, 2, 4, 5, 7, 8, 9};
static const uint32_t to[] = {C, B, C, D, D, F, E, F, NUMBERING_EXIT};
static const char *const names[] = {"A->C", "A->B", "B->C", "B->D", "C->D", "D->F", "D->E", "E->F", "F->EXIT"};

static void example(const uint64_t *weights, const char *expected)
{
	const struct numbering_graph graph = {.count = 6, .entry = A, .first = first, .to = to};
	struct made m;
	char text[1024] = "", code[64];
	make(&m, &graph, weights);
	ck_assert_uint_eq(m.numbering.paths, 6);
	place_format(&m.placement.enter[A], code, sizeof code);
	snprintf(text, sizeof text, "ENTRY: %s\n", code);
	for (unsigned e = 0; e < 9; e++) {
		place_format(&m.placement.edge[e], code, sizeof code);
		size_t length = strlen(text);
		if (strcmp(code, "-") != 0)
			snprintf(text + length, sizeof text - length, "%s: %s\n", names[e], code);
	}
	ck_assert_str_eq(text, expected);
	unmake(&m);
}

START_TEST(values_of_the_example)
{
	const struct numbering_graph graph = {.count = 6, .entry = A, .first = first, .to = to};
	static const uint64_t values[] = {0, 2, 0, 2, 0, 0, 1, 0, 0}, counts[] = {6, 4, 2, 2, 1, 1};
	struct made m;
	make(&m, &graph, NULL);
	for (unsigned e = 0; e < 9; e++)
		ck_assert_uint_eq(m.numbering.value[e], values[e]);
	for (unsigned v = 0; v < 6; v++)
		ck_assert_uint_eq(m.numbering.count[v], counts[v]);
	unmake(&m);
}
END_TEST

/*
 * A loop with a branch in it. The code on the way back D -> A stands at D -> EXIT and ENTRY -> A.
 *
 *   E
 *   │          weights: A->C, C->D, D->A 90, the others 10. With 225 for the dummy edges of D->A they are in the
 *   A ◄──┐     tree, and there is an addition on each turn; with none the loop is in the tree, but for the seldom way.
 *  / \   │
 * B   C  │
 *  \ /   │
 *   D ───┘
 *   │
 */
START_TEST(code_that_stands_anyway)
{
	static const uint32_t starts[] = {0, 1, 3, 4, 5, 7}, ends[] = {1, 2, 3, 4, 4, 1, NUMBERING_EXIT};
	static const uint64_t weights[] = {10, 10, 90, 10, 90, 90, 10}, with[] = {10, 225, 0, 0, 225}, zero[5] = {0};
	static const char *const edges[] = {"E->A", "A->B", "A->C", "B->D", "C->D", "D->A", "D->EXIT"},
				 *const expected[] = {"B->D: r += 5\n"
						      "C->D: r += 7\n"
						      "D->EXIT: count[r - 1]++\n"
						      "D->A: count[r]++; r = 0\n",
				     "B->D: r -= 2\n"
				     "D->EXIT: count[r]++\n"
				     "D->A: count[r + 1]++; r = 6\n"};
	const struct numbering_graph graph = {.count = 5, .entry = 0, .first = starts, .to = ends};
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t *dummies = i == 0 ? with : zero;
		struct made m;
		char text[512] = "", code[64];
		make_by(&m, &graph, &(struct chords_weights){weights, dummies, dummies});
		for (unsigned e = 0; e < 7; e++) {
			place_format(&m.placement.edge[e], code, sizeof code);
			if (strcmp(code, "-") != 0)
				snprintf(text + strlen(text), sizeof text - strlen(text), "%s: %s\n", edges[e], code);
		}
		place_format(&m.placement.leave[4], code, sizeof code);
		snprintf(text + strlen(text), sizeof text - strlen(text), "D->A: %s", code);
		place_format(&m.placement.enter[1], code, sizeof code);
		snprintf(text + strlen(text), sizeof text - strlen(text), "; %s\n", code);
		ck_assert_str_eq(text, expected[i]);
		unmake(&m);
	}
}
END_TEST

/* ---------------------------------------------------------------- random graphs */
static uint32_t state;
static uint32_t random_below(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (uint32_t)((uint64_t)state * below >> 32);
}

struct machine { /* what inserted code does */
	int64_t r;
	bool set;
	uint64_t *counts, size;
	bool bad;
};

static void run(struct machine *m, const struct place_code *code)
{
	if (code->step == PLACE_SET) {
		m->r = code->value;
		m->set = true;
	} else if (code->step == PLACE_ADD)
		m->r += code->value;
	if (code->count == PLACE_NO_COUNT)
		return;
	int64_t index = code->value + (code->count == PLACE_COUNT_AT ? m->r : 0);
	m->bad = m->bad || (code->count == PLACE_COUNT_AT && !m->set) || index < 0 || (uint64_t)index >= m->size;
	if (!m->bad)
		m->counts[index]++;
}

START_TEST(random_graphs)
{
	state = (uint32_t)_i * 2654435761u + 1;
	uint32_t count = 1 + random_below(14), edges = 0;
	uint32_t *from = calloc(count + 1, sizeof *from), *goes = calloc(4 * (size_t)count + 1, sizeof *goes);
	uint64_t *weights = calloc(4 * (size_t)count + 1, sizeof *weights);
	bool *root = calloc(count + 1, sizeof *root);
	for (uint32_t v = 0; v < count; v++) {
		from[v] = edges;
		uint32_t ways = 1 + random_below(3);
		for (uint32_t k = 0; k < ways; k++) {
			/* forward as a rule, so that there is a way out */
			uint32_t target = random_below(4) == 0 ? random_below(count) : v + 1 + random_below(3);
			goes[edges] = target >= count ? NUMBERING_EXIT : target;
			weights[edges++] = random_below(100);
		}
		root[v] = v == 0 || random_below(10) == 0;
	}
	from[count] = edges;
	const struct numbering_graph graph = {.count = count, .entry = 0, .first = from, .to = goes, .root = root};
	struct made m;
	if (_i % 4 == 3) {
		uint64_t *dummies = calloc(2 * (size_t)count + 1, sizeof *dummies);
		for (uint32_t i = 0; i < 2 * count; i++)
			dummies[i] = random_below(3) * random_below(100);
		make_by(&m, &graph, &(struct chords_weights){weights, dummies, dummies + count});
		free(dummies);
	} else
		make(&m, &graph, _i % 2 == 0 ? weights : NULL);
	const struct numbering *n = &m.numbering;
	struct machine machine = {.counts = calloc(n->paths + 1, sizeof(uint64_t)), .size = n->paths};
	uint64_t *expected = calloc(n->paths + 1, sizeof *expected);
	for (unsigned walk = 0; walk < 300; walk++) {
		uint32_t v = random_below(count);
		while (!root[v])
			v = random_below(count);
		uint64_t sum = n->enter[v];
		machine.set = false; /* whatever r held before */
		machine.r = 1000000;
		run(&machine, &m.placement.enter[v]);
		for (unsigned steps = 0; steps < 200; steps++) {
			/* after a while the last edge, which leads on */
			uint32_t e = from[v] + random_below(from[v + 1] - from[v]);
			if (n->kind[e] == NUMBERING_SELF)
				continue;
			if (n->kind[e] == NUMBERING_PLAIN) {
				sum += n->value[e];
				run(&machine, &m.placement.edge[e]);
			} else {
				expected[sum + n->leave[v]]++;
				run(&machine, &m.placement.leave[v]);
				run(&machine, &m.placement.enter[goes[e]]);
				sum = n->enter[goes[e]];
			}
			if (goes[e] == NUMBERING_EXIT) {
				expected[sum]++;
				break;
			}
			v = goes[e];
		}
		/* a path that was left unfinished is counted by neither, unless its count came early */
		if (goes[0] == 0)
			break;
	}
	ck_assert(!machine.bad);
	/* counting moves backwards: unfinished paths may be in already; every finished one is */
	for (uint64_t i = 0; i < n->paths; i++)
		ck_assert_uint_ge(machine.counts[i], expected[i]);
	unmake(&m);
	free(machine.counts);
	free(expected);
	free(from);
	free(goes);
	free(weights);
	free(root);
}
END_TEST

START_TEST(placements_of_the_example)
{
	/* all edges alike */
	example(NULL, "ENTRY: r = 4\n"
		      "B->C: r += 2\n"
		      "C->D: r -= 4\n"
		      "D->F: count[r]++\n"
		      "E->F: count[r + 1]++\n");
	/* ABCDEF is hot: its edges are in the tree */
	static const uint64_t hot[] = {1, 9, 9, 1, 9, 1, 9, 9, 10};
	example(hot, "ENTRY: -\n"
		     "A->C: r = -2\n"
		     "B->C: r = 0\n"
		     "B->D: r = 2\n"
		     "D->F: count[r + 2]++\n"
		     "E->F: count[r + 3]++\n");
	/* ACDF is hot */
	static const uint64_t other[] = {9, 1, 1, 1, 9, 9, 1, 1, 10};
	example(other, "ENTRY: -\n"
		       "A->C: r = 0\n"
		       "B->C: r = 2\n"
		       "B->D: r = 4\n"
		       "D->F: count[r]++\n"
		       "E->F: count[r + 1]++\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("insert");
	TCase *place = tcase_create("place");
	tcase_add_test(place, values_of_the_example);
	tcase_add_test(place, placements_of_the_example);
	tcase_add_test(place, code_that_stands_anyway);
	tcase_add_loop_test(place, random_graphs, 0, 500);
	suite_add_tcase(suite, place);
	return suite_finish(suite);
}
