/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* HPP: its figures, and how regions are found and refused. */
#include "tests/regions_drawn.h"
#include "tests/suite.h"

/* ---- FIG. 1: what BL's method profiles, and what hierarchical paths are */

START_TEST(figure_1)
{
	struct drawn d;
	struct numbering n;
	draw(&d, "A:BF B:CD C:E D:E E:BF F:GH G:I H:I I:.");
	/* FIG. 1B: 6 paths from A to I, 2 from A to E, 2 from B to E, 4 from B to I; AR2 is none of them */
	ck_assert_int_eq(numbering_make(&n, &d.graph, 0), NUMBERING_OK);
	ck_assert_uint_eq(n.paths, 6 + 2 + 2 + 4);
	numbering_free(&n);
	ck_assert_int_eq(name_region(&d, "BCDE", 1), REGIONS_OK);
	ck_assert_int_eq(name_region(&d, "FGHI", 2), REGIONS_OK);
	finish(&d);
	check_paths(&d, 2, (const char *const[]){"FGI", "FHI"}, 2);
	check_paths(&d, 1, (const char *const[]){"BCE", "BDE"}, 2);
	check_paths(&d, REGIONS_NONE, (const char *const[]){"AR1R2", "AR2"}, 2);
	erase(&d);
}
END_TEST

/* ---- FIG. 2 to 6: the region-based embodiment */

static void draw_figure_2(struct drawn *d)
{
	draw(d, "A:C B:*E C:DE D:HF E:F F:GC G:. H:.");
	ck_assert_int_eq(name_region(d, "CDEF", 1), REGIONS_OK);
	finish(d);
}

START_TEST(figure_2) /* entries and exits, prologs and epilogs */
{
	struct drawn d;
	uint32_t nodes[8];
	draw_figure_2(&d);
	uint32_t inner = tagged(&d, 1);
	const struct region *own = &d.r.all[inner];
	for (uint32_t n = 0; n < own->node_count; n++) {
		char name = node_name(&d, inner, n)[0];
		ck_assert_int_eq(d.r.entry[own->nodes + n], name == 'C' || name == 'E');
		ck_assert_int_eq(d.r.exit[own->nodes + n], name == 'D' || name == 'F');
	}
	ck_assert_str_eq(node_name(&d, inner, own->Er), "C");
	ck_assert_uint_eq(regions_prologs(&d.r, inner, nodes, 8), 2);
	ck_assert_str_eq(spelled(&d, 0, nodes, 2), "AB");
	ck_assert_uint_eq(regions_epilogs(&d.r, inner, nodes, 8), 2);
	ck_assert_str_eq(spelled(&d, 0, nodes, 2), "GH");
	erase(&d);
}
END_TEST

START_TEST(figure_3) /* CFG(R2): R1 is node C; B -> C, C -> H and C -> G are added, each once */
{
	static const struct expected_value values[] = {{9, "Re", "A", 0}, {9, "Re", "B", 2}, {9, "A", "R1", 0},
	    {9, "B", "R1", 0}, {9, "R1", "H", 0}, {9, "R1", "G", 1}, {9, "G", "Rx", 0}, {9, "H", "Rx", 0},
	    {9, "Re", "G", ABSENT}};
	struct drawn d;
	draw_figure_2(&d);
	check_values(&d, &d.v, values, sizeof values / sizeof values[0]);
	/* sums 0 to 3 */
	check_paths(&d, 9, (const char *const[]){"AR1H", "AR1G", "BR1H", "BR1G"}, 4);
	erase(&d);
}
END_TEST

START_TEST(figure_4) /* CFG(R1): F -> C is removed, F is an exit and C an entry already */
{
	static const struct expected_value values[] = {{1, "Re", "C", 0}, {1, "Re", "E", 3}, {1, "C", "D", 0},
	    {1, "C", "E", 2}, {1, "D", "Rx", 0}, {1, "D", "F", 1}, {1, "E", "F", 0}, {1, "F", "Rx", 0},
	    {1, "F", "C", ABSENT}};
	struct drawn d;
	draw_figure_2(&d);
	check_values(&d, &d.v, values, sizeof values / sizeof values[0]);
	check_paths(&d, 1, (const char *const[]){"CD", "CDF", "CEF", "EF"}, 4);
	erase(&d);
}
END_TEST

START_TEST(figure_5) /* the code, edge by edge; R9 is the outermost region, R2 of the figure */
{
	static const struct {
		const char *edge, *code;
	} codes[] = {{"@A", "sum = 0"}, {"@B", "sum = 2"}, {"AC", "push(sum); sum = 0"}, {"BE", "push(sum); sum = 3"},
	    {"CD", ""}, {"CE", "sum += 2"}, {"DF", "sum += 1"}, {"EF", ""}, {"FC", "cnt_R1[sum]++; sum = 0"},
	    {"DH", "cnt_R1[sum]++; sum = pop()"}, {"FG", "cnt_R1[sum]++; sum = pop(); sum += 1"},
	    {"G.", "cnt_R9[sum]++"}, {"H.", "cnt_R9[sum]++"}};
	struct drawn d;
	draw_figure_2(&d);
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		ck_assert_str_eq(code_at(&d, &d.v, false, codes[i].edge[0], codes[i].edge[1]), codes[i].code);
	erase(&d);
}
END_TEST

START_TEST(figure_6) /* an array for each region; the same sums in both */
{
	struct drawn d;
	draw_figure_2(&d);
	ck_assert_uint_eq(d.v.paths[tagged(&d, 1)], 4);
	ck_assert_uint_eq(d.v.paths[0], 4);
	ck_assert_uint_eq(d.v.base[0], 0);
	ck_assert_uint_eq(d.v.base[tagged(&d, 1)], 4);
	ck_assert_uint_eq(d.v.counters, 8);
	erase(&d);
}
END_TEST

/* ---- FIG. 7 to 10: the global-based embodiment */

static void draw_figure_7(struct drawn *d, bool keep, unsigned representative)
{
	draw(d, "A:B B:C C:DE D:HF E:F F:G G:HB H:I I:.");
	ck_assert_int_eq(name_region(d, "BCDEFG", 2), REGIONS_OK);
	ck_assert_int_eq(name_region(d, "CDEF", 1), REGIONS_OK);
	finish(d);
	const struct regions_global_options options = {.keep = keep, .representative = (uint8_t)representative};
	ck_assert_int_eq(regions_global_make(&d->g, &d->r, &options), REGIONS_OK);
}

START_TEST(figure_7) /* the hierarchical paths, and D, an exit of two regions at once */
{
	struct drawn d;
	draw_figure_7(&d, true, REGIONS_FIRST);
	check_paths(&d, 1, (const char *const[]){"CD", "CDF", "CEF"}, 3);
	check_paths(&d, 2, (const char *const[]){"BR1", "BR1G"}, 2);
	check_paths(&d, 9, (const char *const[]){"AR2HI"}, 1);
	erase(&d);
}
END_TEST

static uint64_t plain_value(const struct drawn *d, char from, char to)
{
	for (uint32_t e = d->g.first[from - 'A']; e < d->g.first[from - 'A' + 1]; e++) {
		if (d->g.to[e] == (to == '.' ? EXIT : (uint32_t)(to - 'A')))
			return d->g.numbering.value[e];
	}
	return ABSENT;
}

START_TEST(figure_8) /* the augmented graph, its values before and after they are assigned anew, and the sums */
{
	/* A -> C, D -> G and the ways to EXIT are added; G -> B is removed. The figure's node I is EXIT here. */
	static const struct {
		const char *edge;
		uint64_t value;
	} plain[] = {{"AC", 0}, {"AB", 10}, {"BC", 0}, {"CD", 0}, {"CE", 7}, {"D.", 0}, {"DH", 1}, {"DG", 2}, {"DF", 4},
	    {"EF", 0}, {"FG", 0}, {"F.", 2}, {"GH", 0}, {"G.", 1}, {"GB", ABSENT}};
	static const struct expected_value values[] = {{9, "A", "R2", 10}, {9, "R2", "H", 1}, {2, "Re", "B", 10},
	    {2, "B", "R1", 0}, {2, "R1", "G", 2}, {2, "R1", "Rx", 0}, {2, "G", "Rx", 1}, {1, "Re", "C", 0},
	    {1, "C", "D", 0}, {1, "C", "E", 7}, {1, "D", "F", 4}, {1, "E", "F", 0}, {1, "D", "Rx", 0},
	    {1, "F", "Rx", 2}};
	/* FIG. 8B, path sums 880; they are also the arrays of FIG. 10: 20 counters, 6 of them used */
	static const struct {
		const char *region, *path;
		uint64_t sum;
	} sums[] = {{"R1", "CD", 0}, {"R1", "CDF", 6}, {"R1", "CEF", 9}, {"R2", "BR1", 10}, {"R2", "BR1G", 13},
	    {"R9", "AR2HI", 11}};
	struct drawn d;
	uint32_t region, nodes[16], length, used = 0;
	draw_figure_7(&d, true, REGIONS_FIRST);
	ck_assert_uint_eq(regions_global_Er(&d.g, tagged(&d, 1)), 'C' - 'A');
	ck_assert_uint_eq(regions_global_Xr(&d.g, tagged(&d, 1)), 'D' - 'A');
	ck_assert_uint_eq(regions_global_Er(&d.g, tagged(&d, 2)), 'B' - 'A');
	ck_assert_uint_eq(regions_global_Xr(&d.g, tagged(&d, 2)), 'D' - 'A');
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		ck_assert_msg(plain_value(&d, plain[i].edge[0], plain[i].edge[1]) == plain[i].value, "%s is %lld",
		    plain[i].edge, (long long)plain_value(&d, plain[i].edge[0], plain[i].edge[1]));
	check_values(&d, &d.g.values, values, sizeof values / sizeof values[0]);
	ck_assert_uint_eq(d.g.values.counters, 20);
	for (uint64_t sum = 0; sum < 20; sum++) {
		if (regions_global_path(&d.g, sum, &region, nodes, 16, &length) != REGIONS_OK)
			continue;
		bool found = false;
		used++;
		for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
			naming = &d;
			if (sums[i].sum != sum)
				continue;
			found = true;
			ck_assert_str_eq(region_name(region), sums[i].region);
			ck_assert_str_eq(spelled(&d, region, nodes, length), sums[i].path);
		}
		ck_assert_msg(found, "sum %d is a path", (int)sum);
	}
	ck_assert_uint_eq(used, 6);
	ck_assert_uint_eq(d.g.hierarchical, 6);
	erase(&d);
}
END_TEST

START_TEST(figure_9) /* the code, and the run ABCEFGHI step by step */
{
	static const struct {
		const char *edge, *code;
	} codes[] = {{"@A", "sum = 0"}, {"AB", "sum += 10; push(sum); sum = 10"}, {"BC", "push(sum); sum = 0"},
	    {"CE", "sum += 7"}, {"EF", ""}, {"CD", ""}, {"DF", "sum += 4"},
	    {"FG", "cnt[sum + 2]++; sum = pop(); sum += 2"}, {"GB", "cnt[sum + 1]++; sum = 10"},
	    {"GH", "cnt[sum + 1]++; sum = pop(); sum += 1"},
	    {"DH", "cnt[sum]++; sum = pop(); cnt[sum]++; sum = pop(); sum += 1"}, {"HI", ""}, {"I.", "cnt[sum]++"}};
	/* sum behind each edge, and what is counted on it; then the depth of the stack */
	static const struct {
		const char *edge;
		int sum, counted, depth;
	} run[] = {{"@A", 0, -1, 0}, {"AB", 10, -1, 1}, {"BC", 0, -1, 2}, {"CE", 7, -1, 2}, {"EF", 7, -1, 2},
	    {"FG", 12, 9, 1}, {"GH", 11, 13, 0}, {"HI", 11, -1, 0}, {"I.", 11, 11, 0}};
	struct drawn d;
	uint64_t stack[8], sum = 0;
	int depth = 0;
	draw_figure_7(&d, true, REGIONS_FIRST);
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		ck_assert_str_eq(code_at(&d, &d.g.values, true, codes[i].edge[0], codes[i].edge[1]), codes[i].code);
	for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
		struct regions_step steps[REGIONS_STEPS_MAX];
		struct regions_code code[REGIONS_CODES_MAX];
		uint32_t e = run[i].edge[0] == '@' ? 0 : d.first[run[i].edge[0] - 'A'], count;
		int counted = -1;
		while (run[i].edge[0] != '@' &&
		       d.to[e] != (run[i].edge[1] == '.' ? EXIT : (uint32_t)(run[i].edge[1] - 'A')))
			e++;
		count =
		    run[i].edge[0] == '@' ? regions_enter_steps(&d.r, 0, steps) : regions_edge_steps(&d.r, e, steps);
		count = regions_codes(&d.r, &d.g.values, steps, count, code);
		for (uint32_t k = 0; k < count; k++) {
			if (code[k].op == REGIONS_ADD)
				sum += code[k].value;
			else if (code[k].op == REGIONS_SET)
				sum = code[k].value;
			else if (code[k].op == REGIONS_PUSH)
				stack[depth++] = sum;
			else if (code[k].op == REGIONS_POP)
				sum = stack[--depth];
			else
				counted = (int)(sum + code[k].value);
		}
		ck_assert_int_eq((int)sum, run[i].sum);
		ck_assert_int_eq(counted, run[i].counted);
		ck_assert_int_eq(depth, run[i].depth);
	}
	erase(&d);
}
END_TEST

START_TEST(figure_10) /* the array made smaller: edges from and to vertices that represent nothing are left out */
{
	struct drawn d;
	draw_figure_7(&d, false, REGIONS_FIRST);
	ck_assert_uint_eq(d.g.values.counters, 10);
	erase(&d);
	/* by another exit of R1 and R2: the array is as small as there are paths */
	draw_figure_7(&d, false, REGIONS_FEWEST_PATHS);
	ck_assert_uint_le(d.g.values.counters, 10);
	erase(&d);
}
END_TEST

/* One array of a graph of which `inside` is a region: its counters. */
static uint64_t size_of(
    const char *graph, const char *inside, const struct regions_global_options *options, uint32_t *added)
{
	struct drawn d;
	draw(&d, graph);
	ck_assert_int_eq(name_region(&d, inside, 1), REGIONS_OK);
	finish(&d);
	ck_assert_int_eq(regions_global_make(&d.g, &d.r, options), REGIONS_OK);
	uint64_t counters = d.g.values.counters;
	*added = d.g.added;
	erase(&d);
	return counters;
}

/* "A heuristic for selecting representative paths": each reaches what it is for. "Removing the edges from prolog nodes
 * to non-representative entry nodes", and "sum values belonging to the same region are clustered together": which
 * costs. */
START_TEST(heuristics)
{
	static const struct {
		const char *graph, *inside;
		uint64_t counters[REGIONS_REPRESENTATIVES], kept[REGIONS_REPRESENTATIVES],
		    clustered[REGIONS_REPRESENTATIVES];
		uint32_t added[REGIONS_REPRESENTATIVES]; /* edges */
	} of[] = {
	    {"A:BC B:DE C:DF D:EG E:FH F:GH G:I H:I I:.", "BCDEF", {13, 17, 13}, {35, 32, 35}, {20, 26, 20}, {5, 4, 5}},
	    {"A:CE B:F C:DE D:BE E:BG F:H G:H H:.", "BCDE", {15, 15, 13}, {23, 23, 29}, {26, 26, 17}, {4, 4, 4}}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		for (unsigned way = 0; way < REGIONS_REPRESENTATIVES; way++) {
			struct regions_global_options options = {.representative = (uint8_t)way};
			uint32_t added;
			ck_assert_uint_eq(size_of(of[i].graph, of[i].inside, &options, &added), of[i].counters[way]);
			ck_assert_uint_eq(added, of[i].added[way]);
			options.keep = true;
			ck_assert_uint_eq(size_of(of[i].graph, of[i].inside, &options, &added), of[i].kept[way]);
			options = (struct regions_global_options){.representative = (uint8_t)way, .cluster = true};
			ck_assert_uint_eq(size_of(of[i].graph, of[i].inside, &options, &added), of[i].clustered[way]);
		}
		ck_assert_uint_le(of[i].added[REGIONS_FEWEST_EDGES], of[i].added[REGIONS_FIRST]);
		ck_assert_uint_le(of[i].counters[REGIONS_FEWEST_PATHS], of[i].counters[REGIONS_FIRST]);
	}
}
END_TEST

/* ---- what the document's rule of 4a would confuse: the function may end in the region, or both regions share
 * borders */

START_TEST(shared_borders)
{
	struct drawn d;
	const struct regions_global_options options = {.keep = true};
	uint32_t region, nodes[16], length, used = 0;
	draw(&d, "A:BD B:CB C:B. D:.");
	ck_assert_int_eq(name_region(&d, "BC", 1), REGIONS_OK);
	ck_assert_int_eq(name_region(&d, "B", 2), REGIONS_OK);
	finish(&d);
	ck_assert_int_eq(regions_global_make(&d.g, &d.r, &options), REGIONS_OK);
	for (uint64_t sum = 0; sum < d.g.values.counters; sum++)
		used += regions_global_path(&d.g, sum, &region, nodes, 16, &length) == REGIONS_OK;
	ck_assert_uint_eq(used, d.g.hierarchical);
	erase(&d);
}
END_TEST

/* ---- regions: found, and refused */

static void check_found(const char *text, unsigned what, const char *expected)
{
	struct drawn d;
	char out[256] = "";
	uint32_t left = 0;
	draw(&d, text);
	ck_assert_int_eq(regions_find(&d.r, what, &left), REGIONS_OK);
	finish(&d);
	for (uint32_t i = 1; i < d.r.count; i++) {
		const struct region *own = &d.r.all[i];
		sprintf(out + strlen(out), "%s%u:%c:", i > 1 ? " " : "", own->depth,
		    own->kind == REGIONS_LOOP          ? 'L'
		    : own->kind == REGIONS_IRREDUCIBLE ? 'I'
						       : 'H');
		sprintf(out + strlen(out), "%c=", 'A' + (char)own->head);
		for (uint32_t v = 0; v < d.graph.count; v++) {
			if (regions_within(&d.r, d.r.of[v], i))
				sprintf(out + strlen(out), "%c", 'A' + (char)v);
		}
	}
	ck_assert_str_eq(out, expected);
	erase(&d);
}

START_TEST(finds)
{
	unsigned loops = REGIONS_FIND_LOOPS, hammocks = REGIONS_FIND_HAMMOCKS;
	/* a nest of two, and a loop of one vertex behind it */
	check_found("A:B B:C C:CDB D:BE E:EF F:.", loops, "1:L:B=BCD 2:L:C=C 1:L:E=E");
	/* two loops with one head are one */
	check_found("A:B B:CD C:B D:BE E:.", loops, "1:L:B=BCD");
	/* entered at B and at C */
	check_found("A:BC B:C C:BD D:.", loops, "1:I:B=BC");
	/* a reducible loop inside an irreducible one */
	check_found("A:BD B:C C:CD D:BE E:.", loops, "1:I:B=BCD 2:L:C=C");
	/* if-then-else, with an if-then in it; `a && b` is one hammock */
	check_found("A:BC B:DE C:F D:E E:F F:.", hammocks, "1:H:A=ABCDE 2:H:B=BD");
	check_found("A:BD B:CD C:D D:.", hammocks, "1:H:A=ABC");
	/* a way out of it by a return; a second entry: none */
	check_found("A:BC B:D. C:D D:.", hammocks, "");
	check_found("A:BC B:D C:*D D:.", hammocks, "");
	/* a loop is a hammock of the same vertices; the if in it is one of its own */
	check_found("A:B B:CF C:DE D:E E:B F:.", loops | hammocks, "1:L:B=BCDE 2:H:C=CD");
}
END_TEST

START_TEST(refused)
{
	struct drawn d;
	uint32_t found, outside[] = {1, 99};
	draw(&d, "A:B B:C C:D D:E E:.");
	ck_assert_int_eq(name_region(&d, "BCD", 1), REGIONS_OK);
	ck_assert_int_eq(name_region(&d, "CD", 2), REGIONS_OK);
	ck_assert_int_eq(name_region(&d, "DE", 3), REGIONS_EOVERLAP);
	ck_assert_int_eq(name_region(&d, "CD", 4), REGIONS_ESAME);
	ck_assert_int_eq(name_region(&d, "ABCDE", 4), REGIONS_ESAME);
	ck_assert_int_eq(name_region(&d, "", 5), REGIONS_EEMPTY);
	ck_assert_int_eq(regions_add(&d.r, &(struct regions_new){outside, 2, REGIONS_NAMED, REGIONS_NONE, 6}, &found),
	    REGIONS_EEMPTY);
	/* around others, later than they */
	ck_assert_int_eq(name_region(&d, "BCDE", 7), REGIONS_OK);
	ck_assert_int_eq(regions_close(&d.r), REGIONS_OK);
	ck_assert_uint_eq(d.r.all[tagged(&d, 7)].depth, 1);
	ck_assert_uint_eq(d.r.all[tagged(&d, 1)].depth, 2);
	ck_assert_uint_eq(d.r.all[tagged(&d, 2)].depth, 3);
	erase(&d);
	/* deeper than the deepest: the chain A, AB, ABC, ... from the outside in */
	static uint32_t first[202], to[201], set[201];
	struct numbering_graph graph = {.count = 200, .first = first, .to = to};
	for (uint32_t i = 0; i < 200; i++) {
		first[i + 1] = i + 1;
		to[i] = i == 199 ? EXIT : i + 1;
		set[i] = i;
	}
	struct regions r;
	int error = REGIONS_OK;
	ck_assert_int_eq(regions_open(&r, &graph, 0), REGIONS_OK);
	for (uint32_t i = 199; i > 0 && error == REGIONS_OK; i--)
		error = regions_add(&r, &(struct regions_new){set, i, REGIONS_NAMED, REGIONS_NONE, i}, &found);
	ck_assert_int_eq(error, REGIONS_EDEPTH);
	ck_assert_int_eq(regions_close(&r), REGIONS_OK);
	regions_free(&r);
	graph.entry = 200;
	ck_assert_int_eq(regions_open(&r, &graph, 0), REGIONS_EGRAPH);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("regions");
	TCase *figures = tcase_create("figures"), *finding = tcase_create("finding");
	tcase_add_test(figures, figure_1);
	tcase_add_test(figures, figure_2);
	tcase_add_test(figures, figure_3);
	tcase_add_test(figures, figure_4);
	tcase_add_test(figures, figure_5);
	tcase_add_test(figures, figure_6);
	tcase_add_test(figures, figure_7);
	tcase_add_test(figures, figure_8);
	tcase_add_test(figures, figure_9);
	tcase_add_test(figures, figure_10);
	tcase_add_test(figures, heuristics);
	tcase_add_test(figures, shared_borders);
	suite_add_tcase(suite, figures);
	tcase_add_test(finding, finds);
	tcase_add_test(finding, refused);
	suite_add_tcase(suite, finding);
	return suite_finish(suite);
}
