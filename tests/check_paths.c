/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/paths/chords.h"
#include "host/paths/feed.h"
#include "host/paths/numbering.h"
#include "host/paths/survey.h"
#include "tests/suite.h"

#define EXIT NUMBERING_EXIT

/* A graph written as a text: "A:CB B:CD C:D D:FE E:F F:." is vertex A with edges to C and B, in this order, ...; `.` is
 * EXIT. The first vertex is the entry. */
struct drawn {
	uint32_t first[27], to[64];
	struct numbering_graph graph;
};

static void draw(struct drawn *d, const char *text)
{
	uint32_t count = 0, edges = 0;
	for (const char *c = text; *c != '\0'; c++) {
		if (c[1] == ':') {
			ck_assert_int_eq(*c, 'A' + (int)count); /* in alphabetical order */
			d->first[count++] = edges;
			c++;
		} else if (*c != ' ')
			d->to[edges++] = *c == '.' ? EXIT : (uint32_t)(*c - 'A');
	}
	d->first[count] = edges;
	d->graph = (struct numbering_graph){.count = count, .first = d->first, .to = d->to};
}

/* The path with this number, as letters: "ACDF", "..BCE" if it begins behind a back edge, "ABCE.." if it ends at
 * one. */
static const char *spelled(const struct numbering *n, uint64_t number)
{
	static char text[128];
	uint32_t edges[64];
	struct numbering_path path;
	char *out = text;
	ck_assert_int_eq(numbering_path(n, number, &path, edges, 64), NUMBERING_OK);
	if (!path.from_entry)
		out += sprintf(out, "..");
	out += sprintf(out, "%c", 'A' + (int)path.first);
	for (uint32_t i = 0; i < path.length; i++)
		out += sprintf(out, "%c", 'A' + (int)n->graph.to[edges[i]]);
	if (!path.to_exit)
		sprintf(out, "..");
	return text;
}

/* EPP figure 1. */
static const char figure1[] = "A:CB B:CD C:D D:FE E:F F:.";
static const char *const figure1_paths[] = {"ACDF", "ACDEF", "ABCDF", "ABCDEF", "ABDF", "ABDEF"};
static const uint64_t profiles[2][6] = {{90, 60, 0, 100, 20, 0}, {110, 40, 0, 100, 0, 20}};
static const struct {
	char from, to;
	uint64_t count;
} figure1_edges[] = {{'A', 'B', 120}, {'A', 'C', 150}, {'B', 'C', 100}, {'B', 'D', 20}, {'C', 'D', 250},
    {'D', 'E', 160}, {'D', 'F', 110}, {'E', 'F', 160}};

static uint32_t edge_of(const struct drawn *d, char from, char to)
{
	for (uint32_t e = d->first[from - 'A']; e < d->first[from - 'A' + 1]; e++) {
		if (d->to[e] == (uint32_t)(to - 'A'))
			return e;
	}
	ck_abort_msg("no edge %c%c", from, to);
	return 0;
}

START_TEST(figure_1)
{
	struct drawn d;
	struct numbering n;
	draw(&d, figure1);
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.paths, 6);
	for (uint64_t i = 0; i < 6; i++)
		ck_assert_str_eq(spelled(&n, i), figure1_paths[i]);
	struct numbering_path path;
	ck_assert_int_eq(numbering_path(&n, 6, &path, NULL, 0), NUMBERING_EPATH);
	/* values: the first edge of a vertex 0, the next the paths of the first */
	ck_assert_uint_eq(n.value[edge_of(&d, 'A', 'B')], 2);
	ck_assert_uint_eq(n.value[edge_of(&d, 'B', 'D')], 2);
	ck_assert_uint_eq(n.value[edge_of(&d, 'D', 'E')], 1);
	ck_assert_uint_eq(n.value[edge_of(&d, 'A', 'C')] + n.value[edge_of(&d, 'B', 'C')] +
			      n.value[edge_of(&d, 'C', 'D')] + n.value[edge_of(&d, 'D', 'F')] +
			      n.value[edge_of(&d, 'E', 'F')],
	    0);
	/* each vertex's paths to EXIT */
	const uint64_t counts[] = {6, 4, 2, 2, 1, 1};
	for (int v = 0; v < 6; v++)
		ck_assert_uint_eq(n.count[v], counts[v]);
	numbering_free(&n);
}
END_TEST

/* Both path profiles induce the same edge profile, which names a path that is hottest in neither. */
START_TEST(figure_1_profiles)
{
	struct drawn d;
	struct numbering n;
	draw(&d, figure1);
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	for (int p = 0; p < 2; p++) {
		uint64_t counts[64] = {0}, hottest = 0;
		for (uint64_t i = 0; i < 6; i++) {
			uint32_t edges[64];
			struct numbering_path path;
			ck_assert_int_eq(numbering_path(&n, i, &path, edges, 64), NUMBERING_OK);
			for (uint32_t k = 0; k < path.length; k++)
				counts[edges[k]] += profiles[p][i];
			counts[path.exit] += profiles[p][i];
			hottest = profiles[p][i] > profiles[p][hottest] ? i : hottest;
		}
		for (size_t i = 0; i < sizeof figure1_edges / sizeof figure1_edges[0]; i++)
			ck_assert_uint_eq(
			    counts[edge_of(&d, figure1_edges[i].from, figure1_edges[i].to)], figure1_edges[i].count);
		char greedy[16] = "A";
		size_t length = 1;
		for (uint32_t v = 0, e; (e = survey_predict(&n, counts, v)) != UINT32_MAX && d.to[e] != EXIT;
		     v = d.to[e])
			greedy[length++] = (char)('A' + d.to[e]);
		greedy[length] = '\0';
		ck_assert_str_eq(greedy, "ACDEF");
		ck_assert_str_eq(figure1_paths[hottest], p == 0 ? "ABCDEF" : "ACDF");
	}
	numbering_free(&n);
}
END_TEST

/* EPP section 4: a loop of B C D E. The four kinds of paths all have different numbers. */
START_TEST(loop)
{
	struct drawn d;
	struct numbering n;
	static const char *const expected[] = {
	    "ABCE..", "ABCEF", "ABDE..", "ABDEF", "..BCE..", "..BCEF", "..BDE..", "..BDEF"};
	char seen[8] = {0};
	draw(&d, "A:B B:CD C:E D:E E:BF F:.");
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.back, 1);
	ck_assert_uint_eq(n.paths, 8);
	for (uint64_t i = 0; i < n.paths; i++) {
		const char *text = spelled(&n, i);
		for (int k = 0; k < 8; k++)
			seen[k] = (char)(seen[k] + (strcmp(text, expected[k]) == 0));
	}
	for (int k = 0; k < 8; k++)
		ck_assert_int_eq(seen[k], 1);
	/* without the dummy edges BCE.. would have the sum of ABCE.. */
	ck_assert_uint_eq(n.enter[0], 0);
	ck_assert_uint_eq(n.enter[1], 4);
	numbering_free(&n);
}
END_TEST

START_TEST(self_loop)
{
	struct drawn d;
	struct numbering n;
	draw(&d, "A:B B:BC C:.");
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.paths, 1);
	ck_assert_uint_eq(n.self, 1);
	ck_assert_uint_eq(n.back, 0);
	ck_assert_str_eq(spelled(&n, 0), "ABC");
	numbering_free(&n);
	/* nothing but itself: the path ends there all the same */
	draw(&d, "A:BC B:B C:.");
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.paths, 2);
	ck_assert_str_eq(spelled(&n, 0), "AB..");
	ck_assert_str_eq(spelled(&n, 1), "AC");
	numbering_free(&n);
}
END_TEST

/* Two of three starts have the first numbers; each path has one. */
START_TEST(small_first)
{
	struct drawn d;
	struct numbering n;
	char all[256] = "";
	draw(&d, "A:BC B:D C:D D:EF E:D F:G G:F.");
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.enter[0], 0);
	ck_assert_int_eq(numbering_small_first(&n), NUMBERING_OK);
	for (uint64_t i = 0; i < n.paths; i++) {
		strcat(all, spelled(&n, i));
		strcat(all, " ");
	}
	ck_assert_str_eq(all, "..FG ..FG.. ..DE.. ..DFG ..DFG.. ABDE.. ABDFG ABDFG.. ACDE.. ACDFG ACDFG.. ");
	ck_assert_uint_eq(numbering_first_starts(&n, 1), 0);
	ck_assert_uint_eq(numbering_first_starts(&n, 4), 2);
	ck_assert_uint_eq(numbering_first_starts(&n, 5), 5);
	ck_assert_uint_eq(numbering_first_starts(&n, 99), n.paths);
	numbering_as_made(&n);
	ck_assert_str_eq(spelled(&n, 0), "ABDE..");
	numbering_free(&n);
}
END_TEST

START_TEST(entry_in_a_loop)
{
	struct drawn d;
	struct numbering n;
	draw(&d, "A:BC B:A C:.");
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	/* A is entered in two ways, but what follows is the same: one number each */
	ck_assert_uint_eq(n.paths, 2);
	ck_assert_str_eq(spelled(&n, 0), "AB..");
	ck_assert_str_eq(spelled(&n, 1), "AC");
	numbering_free(&n);
}
END_TEST

/* B and C are a loop with two ways in. */
START_TEST(irreducible)
{
	struct drawn d;
	struct numbering n;
	draw(&d, "A:BC B:CD C:B D:.");
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.back, 1);
	char all[256] = "";
	for (uint64_t i = 0; i < n.paths; i++) {
		strcat(all, spelled(&n, i));
		strcat(all, " ");
	}
	ck_assert_str_eq(all, "ABC.. ABD AC.. ..BC.. ..BD ");
	numbering_free(&n);
}
END_TEST

START_TEST(other_roots)
{
	struct drawn d;
	struct numbering n;
	const bool root[] = {true, false, true, false};
	draw(&d, "A:B B:. C:BD D:.");
	d.graph.root = root;
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.paths, 3);
	ck_assert_str_eq(spelled(&n, 0), "AB");
	ck_assert_str_eq(spelled(&n, 1), "..CB");
	ck_assert_str_eq(spelled(&n, 2), "..CD");
	numbering_free(&n);
}
END_TEST

START_TEST(wrong_graphs)
{
	struct drawn d;
	struct numbering n;
	draw(&d, "A:B B:.");
	d.graph.entry = 2;
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_EGRAPH);
	d.graph.entry = 0;
	d.to[0] = 7;
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_EGRAPH);
	d.graph.count = 0;
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_EGRAPH);
	ck_assert_str_ne(numbering_strerror(NUMBERING_EGRAPH), numbering_strerror(NUMBERING_EPATH));
}
END_TEST

/* ---------------------------------------------------------------- random graphs */

static uint32_t state;
static uint32_t next_random(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

struct random_graph {
	uint32_t first[65], to[65 * 4];
	bool root[64];
	struct numbering_graph graph;
};

static void make_random(struct random_graph *r, uint32_t seed)
{
	state = seed;
	uint32_t count = 1 + next_random(14), edges = 0;
	for (uint32_t v = 0; v < count; v++) {
		r->first[v] = edges;
		r->root[v] = next_random(12) == 0;
		for (uint32_t k = next_random(4); k > 0; k--) {
			/* mostly forward, and some of everything */
			uint32_t to = next_random(3) == 0 ? next_random(count) : v + 1 + next_random(3);
			r->to[edges++] = to >= count ? EXIT : to;
		}
	}
	r->first[count] = edges;
	r->graph = (struct numbering_graph){.count = count,
	    .entry = next_random(4) == 0 ? next_random(count) : 0,
	    .first = r->first,
	    .to = r->to,
	    .root = r->root};
}

/* Goes all ways from v and marks the sums at their ends. */
static void enumerate(const struct numbering *n, const struct chords *c, uint32_t v, uint64_t sum, uint64_t increments,
    unsigned char *seen, uint64_t *found)
{
	const struct numbering_graph *g = &n->graph;
	for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
		if (n->kind[e] != NUMBERING_PLAIN)
			continue;
		uint64_t s = sum + n->value[e], i = increments + c->increment[e];
		if (g->to[e] != EXIT) {
			enumerate(n, c, g->to[e], s, i, seen, found);
			continue;
		}
		ck_assert_uint_lt(s, n->paths);
		ck_assert_uint_eq(s, i);
		seen[s]++;
		++*found;
	}
	if (n->leave[v] != NUMBERING_NONE) {
		uint64_t s = sum + n->leave[v];
		ck_assert_uint_lt(s, n->paths);
		ck_assert_uint_eq(s, increments + c->leave[v]);
		seen[s]++;
		++*found;
	}
}

/* All sums are different and fill 0 to paths - 1; each number gives back a path with that sum; the chords' increments
 * add up to the same. */
static void check_random(uint32_t seed, uint64_t limit)
{
	struct random_graph r;
	struct numbering n;
	struct chords c;
	uint64_t weights[65 * 4], found = 0;
	make_random(&r, seed);
	ck_assert_int_eq(numbering_make(&n, &r.graph, limit), NUMBERING_OK);
	for (size_t e = 0; e < sizeof weights / sizeof weights[0]; e++)
		weights[e] = next_random(1000);
	ck_assert_int_eq(chords_make(&c, &n, weights), NUMBERING_OK);
	unsigned char *seen = calloc(n.paths, 1);
	for (uint32_t i = 0; i < n.enter_count; i++)
		enumerate(&n, &c, n.enters[i], n.enter[n.enters[i]], c.enter[n.enters[i]], seen, &found);
	ck_assert_uint_eq(found, n.paths);
	for (uint64_t i = 0; i < n.paths; i++) {
		uint32_t edges[64];
		struct numbering_path path, piece;
		ck_assert_uint_eq(seen[i], 1);
		ck_assert_int_eq(numbering_path(&n, i, &path, edges, 64), NUMBERING_OK);
		uint64_t sum = n.enter[path.first], part = 0;
		uint32_t v = path.first, other[64];
		ck_assert_uint_eq(path.from_entry, v == r.graph.entry);
		for (uint32_t k = 0; k < path.length; k++) {
			/* each piece from the path's first vertex is found again by its sum */
			ck_assert_int_eq(
			    numbering_piece(&n, &(struct numbering_span){path.first, v, part}, &piece, other, 64),
			    NUMBERING_OK);
			ck_assert_uint_eq(piece.length, k);
			ck_assert_int_eq(memcmp(other, edges, k * sizeof *edges), 0);
			ck_assert(edges[k] >= r.first[v] && edges[k] < r.first[v + 1]);
			part += n.value[edges[k]];
			v = r.to[edges[k]];
		}
		sum += part + (path.to_exit ? n.value[path.exit] : n.leave[v]);
		ck_assert_uint_eq(sum, i);
		ck_assert_uint_eq(path.last, v);
	}
	/* limits are kept wherever there is a choice, and nothing is cut without need */
	for (uint32_t v = 0; v < r.graph.count && limit > 8; v++)
		ck_assert_uint_le(n.count[v], limit);
	if (limit == 0)
		ck_assert_uint_eq(n.cut, 0);
	free(seen);
	chords_free(&c);
	numbering_free(&n);
}

START_TEST(random_graphs)
{
	check_random((uint32_t)_i * 7919 + 1, 0);
	check_random((uint32_t)_i * 7919 + 1, 1 + (uint32_t)_i % 20);
}
END_TEST

/* No spanning tree leaves less weight to the chords. */
START_TEST(chords_minimal)
{
	struct drawn d;
	struct numbering n;
	struct chords c;
	uint64_t weights[64] = {0};
	draw(&d, figure1);
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	for (size_t i = 0; i < sizeof figure1_edges / sizeof figure1_edges[0]; i++)
		weights[edge_of(&d, figure1_edges[i].from, figure1_edges[i].to)] = figure1_edges[i].count;
	weights[d.first[5]] = 270;
	ck_assert_int_eq(chords_make(&c, &n, weights), NUMBERING_OK);
	/* 8 vertices with ENTRY and EXIT: 7 tree edges; 11 edges with ENTRY -> A and EXIT -> ENTRY: 4 chords */
	ck_assert_uint_eq(c.chords, 4);
	/* against all ways to choose four edges so that the rest is a tree */
	const struct {
		uint32_t from, to;
		uint64_t weight;
	} all[] = {{6, 0, 270}, {0, 1, 120}, {0, 2, 150}, {1, 2, 100}, {1, 3, 20}, {2, 3, 250}, {3, 4, 160},
	    {3, 5, 110}, {4, 5, 160}, {5, 7, 270}};
	uint64_t best = UINT64_MAX;
	for (unsigned set = 0; set < 1u << 10; set++) { /* chords; EXIT -> ENTRY is in the tree */
		uint32_t group[8];
		uint64_t weight = 0;
		unsigned trees = 1;
		for (uint32_t v = 0; v < 8; v++)
			group[v] = v == 7 ? 6 : v;
		for (unsigned i = 0; i < 10; i++) {
			if ((set >> i & 1) != 0) {
				weight += all[i].weight;
				continue;
			}
			uint32_t a = group[all[i].from], b = group[all[i].to];
			trees += a != b;
			for (uint32_t v = 0; v < 8; v++)
				group[v] = group[v] == b ? a : group[v];
		}
		if (trees == 7 && __builtin_popcount(set) == 4 && weight < best)
			best = weight;
	}
	ck_assert_uint_eq(c.weight, best);
	chords_free(&c);
	numbering_free(&n);
}
END_TEST

/* ---------------------------------------------------------------- many paths */

/* A chain of diamonds: 2^length paths. */
static void diamonds(uint32_t length, uint32_t **first, uint32_t **to, struct numbering_graph *graph)
{
	uint32_t count = 3 * length + 1, edges = 0;
	*first = malloc((count + 1) * sizeof **first);
	*to = malloc((4 * (size_t)length + 1) * sizeof **to);
	for (uint32_t v = 0; v < count; v++) {
		(*first)[v] = edges;
		if (v == count - 1)
			(*to)[edges++] = EXIT;
		else if (v % 3 == 0) {
			(*to)[edges++] = v + 1;
			(*to)[edges++] = v + 2;
		} else
			(*to)[edges++] = v % 3 == 1 ? v + 2 : v + 1;
	}
	(*first)[count] = edges;
	*graph = (struct numbering_graph){.count = count, .first = *first, .to = *to};
}

START_TEST(sixty_two_diamonds)
{
	uint32_t *first, *to;
	struct numbering_graph graph;
	struct numbering n;
	diamonds(62, &first, &to, &graph);
	ck_assert_int_eq(numbering_make(&n, &graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.paths, UINT64_C(1) << 62); /* the last number of diamonds without truncation */
	ck_assert_uint_eq(n.cut, 0);
	/* the outcomes are the bits of the number */
	uint32_t edges[256];
	struct numbering_path path;
	uint64_t number = UINT64_C(0x123456789ABCDEF);
	ck_assert_int_eq(numbering_path(&n, number, &path, edges, 256), NUMBERING_OK);
	ck_assert_uint_eq(path.length, 124);
	for (uint32_t i = 0; i < 62; i++)
		ck_assert_uint_eq(edges[2 * i] - first[3 * i], number >> (61 - i) & 1);
	numbering_free(&n);
	free(first);
	free(to);
}
END_TEST

START_TEST(truncation)
{
	uint32_t *first, *to;
	struct numbering_graph graph;
	struct numbering n;
	diamonds(1000, &first, &to, &graph);
	ck_assert_int_eq(numbering_make(&n, &graph, 0), NUMBERING_OK);
	/* cut in as few places as it takes, and every path from a cut to the next is there */
	ck_assert_uint_gt(n.cut, 0);
	ck_assert_uint_eq(n.cut % 2, 0);
	ck_assert_uint_le(n.cut / 2, 1000 / 53);
	uint32_t edges[4096];
	for (uint64_t k = 0; k < 1000; k++) {
		struct numbering_path path;
		uint64_t number = n.paths / 1000 * k + k;
		ck_assert_int_eq(numbering_path(&n, number, &path, edges, 4096), NUMBERING_OK);
		uint64_t sum = n.enter[path.first];
		for (uint32_t i = 0; i < path.length; i++)
			sum += n.value[edges[i]];
		ck_assert_uint_eq(sum + (path.to_exit ? n.value[path.exit] : n.leave[path.last]), number);
	}
	numbering_free(&n);
	free(first);
	free(to);
}
END_TEST

/* A million blocks, also as one deep chain: nothing recurses. Its time is bench/paths.md's. */
START_TEST(a_million_blocks)
{
	uint32_t *first, *to;
	struct numbering_graph graph;
	struct numbering n;
	diamonds(333333, &first, &to, &graph);
	ck_assert_int_eq(numbering_make(&n, &graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.ordered, 1000000);
	numbering_free(&n);
	free(first);
	free(to);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("paths");
	TCase *numbers = tcase_create("numbering");
	tcase_add_test(numbers, figure_1);
	tcase_add_test(numbers, figure_1_profiles);
	tcase_add_test(numbers, loop);
	tcase_add_test(numbers, self_loop);
	tcase_add_test(numbers, small_first);
	tcase_add_test(numbers, entry_in_a_loop);
	tcase_add_test(numbers, irreducible);
	tcase_add_test(numbers, other_roots);
	tcase_add_test(numbers, wrong_graphs);
	tcase_add_loop_test(numbers, random_graphs, 0, 300);
	tcase_add_test(numbers, chords_minimal);
	tcase_add_test(numbers, sixty_two_diamonds);
	tcase_add_test(numbers, truncation);
	tcase_add_test(numbers, a_million_blocks);
	suite_add_tcase(suite, numbers);
	return suite_finish(suite);
}
