/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* HPP on random graphs: every run decodes to the walked vertices, in both embodiments. */
#include "tests/regions_drawn.h"
#include "tests/suite.h"

/* ---- random graphs: every run decodes to the walked vertices, in both embodiments */

static uint64_t state;
static uint32_t draw_number(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

/* What is executed, kept as HPP defines it and not by values: for each region around the present vertex the nodes of
 * its path so far. */
struct open_path {
	uint32_t region, nodes[256], length;
};
struct walker {
	struct open_path open[REGIONS_DEPTH_MAX + 1];
	uint32_t depth;
	uint64_t sum, stack[REGIONS_DEPTH_MAX + 1];
	uint32_t pushed;
};

static bool holds(const struct regions *r, uint32_t region, uint32_t vertex)
{
	for (uint32_t q = r->of[vertex]; q != REGIONS_NONE; q = r->all[q].parent) {
		if (q == region)
			return true;
	}
	return false;
}

static void open_down_to(const struct regions *r, struct walker *w, uint32_t vertex)
{
	uint32_t chain[REGIONS_DEPTH_MAX + 1], count = 0;
	for (uint32_t q = r->of[vertex]; w->depth == 0 || q != w->open[w->depth - 1].region; q = r->all[q].parent) {
		chain[count++] = q;
		if (q == 0)
			break;
	}
	while (count-- > 0) {
		struct open_path *p = &w->open[w->depth++];
		p->region = chain[count];
		p->nodes[0] = regions_node_of(r, p->region, vertex);
		p->length = 1;
	}
}

static void check_end(const struct drawn *d, const struct open_path *p, bool global, uint32_t region, uint64_t sum)
{
	uint32_t nodes[256], length, which = region;
	ck_assert_uint_eq(p->region, region);
	if (global)
		ck_assert_int_eq(regions_global_path(&d->g, sum, &which, nodes, 256, &length), REGIONS_OK);
	else
		ck_assert_int_eq(regions_path(&d->r, region, sum, nodes, 256, &length), REGIONS_OK);
	ck_assert_uint_eq(which, region);
	ck_assert_uint_eq(length, p->length);
	ck_assert_int_eq(memcmp(nodes, p->nodes, length * sizeof *nodes), 0);
}

/* Runs the code of an edge; each path that it counts must be the one that is over. */
static void execute(
    const struct drawn *d, const struct regions_values *v, struct walker *w, uint32_t from, uint32_t edge)
{
	struct regions_step steps[REGIONS_STEPS_MAX];
	struct regions_code codes[REGIONS_CODES_MAX];
	const struct regions *r = &d->r;
	uint32_t count =
	    edge == REGIONS_NONE ? regions_enter_steps(r, from, steps) : regions_edge_steps(r, edge, steps);
	uint32_t to = edge == REGIONS_NONE ? from : d->to[edge];
	count = regions_codes(r, v, steps, count, codes);
	/* which open paths end */
	uint32_t keep = w->depth;
	while (edge != REGIONS_NONE && keep > 0 && (to == EXIT || !holds(r, w->open[keep - 1].region, to)))
		keep--;
	uint32_t ended = w->depth;
	bool back = edge != REGIONS_NONE && keep > 0 && r->local[edge] == REGIONS_NONE;
	for (uint32_t i = 0; i < count; i++) {
		switch (codes[i].op) {
		case REGIONS_ADD:
			w->sum += codes[i].value;
			break;
		case REGIONS_SET:
			w->sum = codes[i].value;
			break;
		case REGIONS_PUSH:
			ck_assert_uint_lt(w->pushed, REGIONS_DEPTH_MAX);
			w->stack[w->pushed++] = w->sum;
			break;
		case REGIONS_POP:
			ck_assert_uint_gt(w->pushed, 0);
			w->sum = w->stack[--w->pushed];
			break;
		default:
			ck_assert_uint_gt(ended, 0);
			check_end(d, &w->open[--ended], v->global, codes[i].region, w->sum + codes[i].value);
			break;
		}
	}
	ck_assert_uint_eq(ended, back ? keep - 1 : keep);
	w->depth = keep;
	if (to == EXIT)
		return;
	if (keep > 0) {
		struct open_path *p = &w->open[keep - 1];
		uint32_t node = regions_node_of(r, p->region, to);
		if (back)
			p->length = 0;
		ck_assert_uint_lt(p->length, 256);
		p->nodes[p->length++] = node;
	}
	open_down_to(r, w, to);
	ck_assert_uint_eq(w->pushed + 1, w->depth);
}

static void run(const struct drawn *d, const struct regions_values *v)
{
	for (unsigned walk = 0; walk < 6; walk++) {
		struct walker *w = calloc(1, sizeof *w);
		uint32_t at = 0;
		for (uint32_t i = 0; i < d->graph.count && walk > 3; i++)
			at = d->root[i] ? i : at;
		execute(d, v, w, at, REGIONS_NONE);
		for (unsigned step = 0; step < 120 && at != EXIT && d->first[at] < d->first[at + 1]; step++) {
			uint32_t e = d->first[at] + draw_number(d->first[at + 1] - d->first[at]);
			execute(d, v, w, at, e);
			at = d->to[e];
		}
		if (at == EXIT) {
			ck_assert_uint_eq(w->pushed, 0);
			ck_assert_uint_eq(w->depth, 0);
		}
		free(w);
	}
}

static void make_random(struct drawn *d, unsigned seed)
{
	*d = (struct drawn){0};
	state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	uint32_t count = 2 + draw_number(14), edges = 0;
	for (uint32_t v = 0; v < count; v++) {
		d->first[v] = edges;
		uint32_t ways = draw_number(8) == 0 ? 1 + draw_number(5) : 1 + draw_number(2);
		for (uint32_t i = 0; i < ways; i++)
			d->to[edges++] = draw_number(count) == 0 ? EXIT
					 : draw_number(3) > 0    ? (v + 1 + draw_number(3)) % count
								 : draw_number(count);
		d->root[v] = draw_number(12) == 0;
		if (v + 1 == count)
			d->to[edges++] = EXIT;
	}
	d->first[count] = edges;
	d->graph = (struct numbering_graph){.count = count, .first = d->first, .to = d->to, .root = d->root};
	ck_assert_int_eq(regions_open(&d->r, &d->graph, 0), REGIONS_OK);
	if (seed % 3 != 0)
		ck_assert_int_eq(regions_find(&d->r, 1 + seed % 3, NULL), REGIONS_OK);
	for (unsigned i = 0; i < 4 && seed % 3 != 1; i++) { /* any sets */
		uint32_t set[64], size = 0, found;
		for (uint32_t v = 0; v < count; v++) {
			if (draw_number(2 + i) == 0)
				set[size++] = v;
		}
		regions_add(&d->r, &(struct regions_new){set, size, REGIONS_NAMED, REGIONS_NONE, i}, &found);
	}
	finish(d);
}

/* Sums are unique and dense in each region; in the one array there are just the hierarchical paths. */
static void check_sums(const struct drawn *d, bool global)
{
	uint32_t nodes[256], length, region;
	uint64_t all = 0, used = 0;
	for (uint32_t i = 0; i < d->r.count; i++) {
		const struct region *own = &d->r.all[i];
		for (uint64_t sum = 0; sum < own->numbering.paths && sum < 2000; sum++) {
			ck_assert_int_eq(regions_path(&d->r, i, sum, nodes, 256, &length), REGIONS_OK);
			/* else nothing leads there, or it is never left: no end, no count */
			all += d->r.entry[own->nodes + nodes[0]] && d->r.exit[own->nodes + nodes[length - 1]];
		}
		if (own->numbering.paths > 2000)
			return;
	}
	if (!global || d->g.values.counters > 20000)
		return;
	for (uint64_t sum = 0; sum < d->g.values.counters; sum++)
		used += regions_global_path(&d->g, sum, &region, nodes, 256, &length) == REGIONS_OK;
	ck_assert_uint_eq(used, all);
}

START_TEST(random_graphs)
{
	for (unsigned seed = (unsigned)_i * 250; seed < (unsigned)(_i + 1) * 250; seed++) {
		static struct drawn d;
		make_random(&d, seed);
		run(&d, &d.v);
		check_sums(&d, false);
		const struct regions_global_options options = {
		    .representative = (uint8_t)(seed % REGIONS_REPRESENTATIVES),
		    .keep = seed % 2 != 0,
		    .cluster = seed % 5 == 0};
		int error = regions_global_make(&d.g, &d.r, &options);
		ck_assert_msg(error == REGIONS_OK, "seed %u: %s", seed, regions_strerror(error));
		run(&d, &d.g.values);
		check_sums(&d, true);
		/* with increments of chords in place of the values the sums are the same */
		uint64_t weights[512];
		for (uint32_t e = 0; e < 512; e++)
			weights[e] = draw_number(1000);
		ck_assert_int_eq(regions_global_weigh(&d.g, weights), REGIONS_OK);
		run(&d, &d.g.values);
		check_sums(&d, true);
		erase(&d);
	}
}
END_TEST

START_TEST(clustered) /* the sums of a region are one interval */
{
	for (unsigned seed = 0; seed < 200; seed++) {
		static struct drawn d;
		uint32_t nodes[256], length, region, last = REGIONS_NONE;
		bool *seen;
		make_random(&d, seed);
		const struct regions_global_options options = {.cluster = true};
		ck_assert_int_eq(regions_global_make(&d.g, &d.r, &options), REGIONS_OK);
		seen = calloc(d.r.count, sizeof *seen);
		for (uint64_t sum = 0; sum < d.g.values.counters && sum < 20000; sum++) {
			if (regions_global_path(&d.g, sum, &region, nodes, 256, &length) != REGIONS_OK)
				continue;
			ck_assert(region == last || !seen[region]);
			seen[region] = true;
			last = region;
		}
		free(seen);
		erase(&d);
	}
}
END_TEST

/* With a limit, paths are cut: each piece is one of the region's, and all of them together are the run. */
START_TEST(cut)
{
	static uint32_t first[64], to[128];
	struct numbering_graph graph = {.count = 41, .first = first, .to = to};
	uint32_t edges = 0;
	for (uint32_t v = 0; v < 41; v++) { /* 20 times if-then: a million paths, in a loop */
		first[v] = edges;
		to[edges++] = v == 40 ? 0 : v + 1;
		if (v % 2 == 0)
			to[edges++] = v == 40 ? EXIT : v + 2;
	}
	first[41] = edges;
	struct regions r;
	struct regions_values v;
	struct regions_global g;
	const struct regions_global_options options = {0};
	ck_assert_int_eq(regions_open(&r, &graph, 64), REGIONS_OK);
	ck_assert_int_eq(regions_find(&r, REGIONS_FIND_LOOPS, NULL), REGIONS_OK);
	ck_assert_int_eq(regions_close(&r), REGIONS_OK);
	ck_assert_int_eq(regions_values_make(&v, &r), REGIONS_OK);
	ck_assert_uint_eq(r.count, 1); /* the loop is the whole */
	ck_assert_uint_gt(r.all[0].numbering.cut, 0);
	ck_assert_int_eq(regions_global_make(&g, &r, &options), REGIONS_ESIZE);
	uint32_t at = 0, walked[512], length = 0, spelled_out[64], count;
	uint64_t sum = v.enter[r.all[0].nodes];
	for (unsigned turn = 0; turn < 4; turn++) {
		for (at = 0; at < 41;) {
			uint32_t e = first[at] + draw_number(at == 40 ? 1 : first[at + 1] - first[at]);
			struct regions_step steps[REGIONS_STEPS_MAX];
			struct regions_code codes[REGIONS_CODES_MAX];
			walked[length++] = at;
			uint32_t n = regions_edge_steps(&r, e, steps);
			n = regions_codes(&r, &v, steps, n, codes);
			for (uint32_t i = 0; i < n; i++) {
				if (codes[i].op == REGIONS_ADD)
					sum += codes[i].value;
				else if (codes[i].op == REGIONS_SET)
					sum = codes[i].value;
				else if (codes[i].op == REGIONS_COUNT) {
					ck_assert_int_eq(
					    regions_path(&r, 0, sum + codes[i].value, spelled_out, 64, &count),
					    REGIONS_OK);
					ck_assert_uint_eq(count, length);
					for (uint32_t k = 0; k < count; k++)
						ck_assert_uint_eq(
						    r.nodes[r.all[0].nodes + spelled_out[k]].vertex, walked[k]);
					length = 0;
				}
			}
			at = to[e] == 0 ? 41 : to[e];
		}
	}
	ck_assert_uint_eq(length, 0);
	regions_values_free(&v);
	regions_free(&r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("regions, random");
	TCase *random = tcase_create("random");
	tcase_set_timeout(random, 60);
	tcase_add_loop_test(random, random_graphs, 0, 8);
	tcase_add_test(random, clustered);
	tcase_add_test(random, cut);
	suite_add_tcase(suite, random);
	return suite_finish(suite);
}
