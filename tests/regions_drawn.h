/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_REGIONS_DRAWN_H
#define RIVULET_TESTS_REGIONS_DRAWN_H
/* Graphs of letters with regions, for check_regions.c and check_regions_random.c. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/regions/find.h"
#include "host/regions/global.h"

#define EXIT NUMBERING_EXIT

/* A graph written as a text: "A:CB B:CD* C:." is vertex A with edges to C and B, in this order; B with an edge to
 * itself would be "B:B"; `.` leads out; a vertex with `*` is entered from outside, as the first one always is. */
struct drawn {
	uint32_t first[65], to[512];
	bool root[64];
	struct numbering_graph graph;
	struct regions r;
	struct regions_values v;
	struct regions_global g;
};

static inline void draw(struct drawn *d, const char *text)
{
	uint32_t count = 0, edges = 0;
	*d = (struct drawn){0};
	for (const char *c = text; *c != '\0'; c++) {
		if (c[1] == ':') {
			ck_assert_int_eq(*c, 'A' + (int)count);
			d->first[count++] = edges;
			c++;
		} else if (*c == '*')
			d->root[count - 1] = true;
		else if (*c != ' ')
			d->to[edges++] = *c == '.' ? EXIT : (uint32_t)(*c - 'A');
	}
	d->first[count] = edges;
	d->graph = (struct numbering_graph){.count = count, .first = d->first, .to = d->to, .root = d->root};
	ck_assert_int_eq(regions_open(&d->r, &d->graph, 0), REGIONS_OK);
}

static inline int name_region(struct drawn *d, const char *letters, uint32_t tag)
{
	uint32_t set[64], count = 0, found;
	for (; *letters != '\0'; letters++)
		set[count++] = (uint32_t)(*letters - 'A');
	return regions_add(&d->r, &(struct regions_new){set, count, REGIONS_NAMED, REGIONS_NONE, tag}, &found);
}

static inline void finish(struct drawn *d)
{
	ck_assert_int_eq(regions_close(&d->r), REGIONS_OK);
	ck_assert_int_eq(regions_values_make(&d->v, &d->r), REGIONS_OK);
}

static inline void erase(struct drawn *d)
{
	regions_values_free(&d->v);
	if (d->g.regions != NULL)
		regions_global_free(&d->g);
	regions_free(&d->r);
}

static inline uint32_t tagged(const struct drawn *d, uint32_t tag)
{
	for (uint32_t i = 0; i < d->r.count; i++) {
		if (d->r.all[i].tag == tag)
			return i;
	}
	return 0; /* the outermost one has no tag */
}

/* "A", or "R1". */
static inline const char *node_name(const struct drawn *d, uint32_t region, uint32_t node)
{
	static char text[8][16];
	static unsigned at;
	char *out = text[at++ % 8];
	struct regions_node n = d->r.nodes[d->r.all[region].nodes + node];
	if (n.region == REGIONS_NONE)
		snprintf(out, 16, "%c", 'A' + (char)n.vertex);
	else
		snprintf(out, 16, "R%u", (unsigned)d->r.all[n.region].tag);
	return out;
}

static inline uint32_t node_named(const struct drawn *d, uint32_t region, const char *name)
{
	for (uint32_t n = 0; n < d->r.all[region].node_count; n++) {
		if (strcmp(node_name(d, region, n), name) == 0)
			return n;
	}
	ck_abort_msg("region %u has no node %s", region, name);
	return 0;
}

static inline const char *spelled(const struct drawn *d, uint32_t region, const uint32_t *nodes, uint32_t length)
{
	static char text[256];
	text[0] = '\0';
	for (uint32_t i = 0; i < length; i++)
		strcat(text, node_name(d, region, nodes[i]));
	return text;
}

/* Value of an edge of CFG(R), or of Re -> to, from -> Rx ("Re", "Rx"). */
static inline uint64_t value(
    const struct drawn *d, const struct regions_values *v, uint32_t tag, const char *from, const char *to)
{
	uint32_t region = tagged(d, tag);
	const struct region *own = &d->r.all[region];
	if (strcmp(from, "Re") == 0)
		return v->enter[own->nodes + node_named(d, region, to)];
	uint32_t a = node_named(d, region, from);
	if (strcmp(to, "Rx") == 0)
		return v->leave[own->nodes + a];
	uint32_t b = node_named(d, region, to), found = 0;
	uint64_t result = NUMBERING_NONE;
	for (uint32_t e = own->numbering.graph.first[a]; e < own->numbering.graph.first[a + 1]; e++) {
		if (own->numbering.graph.to[e] == b) {
			result = v->value[own->edges + e];
			found++;
		}
	}
	ck_assert_msg(found <= 1, "%s -> %s is there %u times", from, to, found);
	return result;
}

struct expected_value {
	uint32_t tag;
	const char *from, *to;
	uint64_t value;
};
#define ABSENT NUMBERING_NONE

static inline void check_values(
    const struct drawn *d, const struct regions_values *v, const struct expected_value *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(value(d, v, e[i].tag, e[i].from, e[i].to) == e[i].value,
		    "R%u: %s -> %s is %lld, not %lld", e[i].tag, e[i].from, e[i].to,
		    (long long)value(d, v, e[i].tag, e[i].from, e[i].to), (long long)e[i].value);
}

static inline void check_paths(const struct drawn *d, uint32_t tag, const char *const *paths, uint32_t count)
{
	uint32_t nodes[64], length, region = tagged(d, tag);
	ck_assert_uint_eq(d->r.all[region].numbering.paths, count);
	for (uint32_t sum = 0; sum < count; sum++) {
		ck_assert_int_eq(regions_path(&d->r, region, sum, nodes, 64, &length), REGIONS_OK);
		ck_assert_str_eq(spelled(d, region, nodes, length), paths[sum]);
	}
	ck_assert_int_eq(regions_path(&d->r, region, count, nodes, 64, &length), REGIONS_EPATH);
}

static const struct drawn *naming;
static inline const char *region_name(uint32_t region)
{
	static char text[4][16];
	static unsigned at;
	char *out = text[at++ % 4];
	uint32_t tag = naming->r.all[region].tag;
	snprintf(out, 16, "R%u", tag == REGIONS_NONE ? 9u : tag);
	return out;
}

/* The code on an edge, as FIG. 5 and 9 write it; from '@': of entering at `to` from outside. */
static inline const char *code_at(const struct drawn *d, const struct regions_values *v, bool one, char from, char to)
{
	static char text[512];
	struct regions_step steps[REGIONS_STEPS_MAX];
	struct regions_code codes[REGIONS_CODES_MAX];
	uint32_t count = 0;
	if (from == '@')
		count = regions_enter_steps(&d->r, (uint32_t)(to - 'A'), steps);
	else {
		uint32_t e = d->first[from - 'A'], end = d->first[from - 'A' + 1];
		while (e < end && d->to[e] != (to == '.' ? EXIT : (uint32_t)(to - 'A')))
			e++;
		ck_assert_msg(e < end, "no edge %c%c", from, to);
		count = regions_edge_steps(&d->r, e, steps);
	}
	naming = d;
	count = regions_codes(&d->r, v, steps, count, codes);
	regions_codes_format(codes, count, one ? NULL : region_name, text, sizeof text);
	return text;
}
#endif
