/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/regions/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the region below `above` that holds the vertex inwards. */
static uint32_t enter_steps(const struct regions *r, uint32_t vertex, uint32_t above, struct regions_step *steps)
{
	uint32_t count = 0, at = r->of[vertex], node = r->node[vertex];
	for (uint32_t q = at; q != above; q = r->all[q].parent)
		count++;
	for (uint32_t i = count; at != above; node = r->all[at].node, at = r->all[at].parent)
		steps[--i] = (struct regions_step){.move = REGIONS_ENTERS, .region = at, .node = node};
	return count;
}

uint32_t regions_enter_steps(const struct regions *r, uint32_t vertex, struct regions_step steps[REGIONS_STEPS_MAX])
{
	return enter_steps(r, vertex, REGIONS_NONE, steps);
}

uint32_t regions_edge_steps(const struct regions *r, uint32_t edge, struct regions_step steps[REGIONS_STEPS_MAX])
{
	uint32_t count = 0, common = r->common[edge], v, w = r->graph.to[edge];
	uint32_t low = 0, high = r->graph.count; /* the source: the last vertex that begins at or before the edge */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (r->graph.first[middle] <= edge)
			low = middle;
		else
			high = middle;
	}
	v = low;
	uint32_t at = r->of[v], node = r->node[v];
	for (; at != common; node = r->all[at].node, at = r->all[at].parent)
		steps[count++] = (struct regions_step){.move = REGIONS_LEAVES, .region = at, .node = node};
	if (common == REGIONS_NONE)
		return count;
	const struct region *own = &r->all[common];
	uint32_t local = r->local[edge], to = regions_node_of(r, common, w);
	bool cut = local != REGIONS_NONE && own->numbering.kind[local] != NUMBERING_PLAIN;
	steps[count++] = (struct regions_step){.move = local == REGIONS_NONE || cut ? REGIONS_TURNS : REGIONS_MOVES,
	    .region = common,
	    .node = node,
	    .to = to,
	    .edge = local};
	return count + enter_steps(r, w, common, steps + count);
}

int regions_values_open(struct regions_values *v, const struct regions *r)
{
	size_t nodes = r->node_count + 1u, regions = r->count + 1u;
	*v = (struct regions_values){.value = calloc(r->edge_count + 1u, sizeof *v->value),
	    .enter = malloc(nodes * sizeof *v->enter),
	    .leave = malloc(nodes * sizeof *v->leave),
	    .cut = malloc(nodes * sizeof *v->cut),
	    .pass = calloc(nodes, sizeof *v->pass),
	    .base = calloc(regions, sizeof *v->base),
	    .paths = calloc(regions, sizeof *v->paths)};
	if (v->value == NULL || v->enter == NULL || v->leave == NULL || v->cut == NULL || v->pass == NULL ||
	    v->base == NULL || v->paths == NULL) {
		regions_values_free(v);
		return REGIONS_ENOMEM;
	}
	for (size_t n = 0; n < nodes; n++)
		v->enter[n] = v->leave[n] = v->cut[n] = NUMBERING_NONE;
	return REGIONS_OK;
}

void regions_values_free(struct regions_values *v)
{
	free(v->value);
	free(v->enter);
	free(v->leave);
	free(v->cut);
	free(v->pass);
	free(v->base);
	free(v->paths);
	*v = (struct regions_values){0};
}

int regions_values_make(struct regions_values *v, const struct regions *r)
{
	int error = regions_values_open(v, r);
	for (uint32_t i = 0; i < r->count && error == REGIONS_OK; i++) {
		const struct region *own = &r->all[i];
		const struct numbering *n = &own->numbering;
		for (uint32_t e = 0; e < own->edge_count; e++)
			v->value[own->edges + e] = n->value[e];
		for (uint32_t node = 0; node < own->node_count; node++) {
			if (n->count[node] == 0)
				continue; /* nothing leads there */
			v->enter[own->nodes + node] = n->enter[node];
			v->cut[own->nodes + node] = n->leave[node];
			if (r->exit[own->nodes + node]) /* the same path has the same sum, whichever way it ends */
				v->cut[own->nodes + node] = v->leave[own->nodes + node] =
				    n->value[n->graph.first[node]];
		}
		v->base[i] = v->counters;
		v->paths[i] = n->paths;
		if (n->paths > NUMBERING_LIMIT - v->counters)
			error = REGIONS_ESIZE;
		v->counters += n->paths;
	}
	if (error == REGIONS_ESIZE)
		regions_values_free(v);
	return error;
}

static void put_step_code(struct regions_code *codes, uint32_t *count, unsigned op, uint32_t region, uint64_t value)
{
	if (op != REGIONS_ADD || value != 0)
		codes[(*count)++] = (struct regions_code){.op = (uint8_t)op, .region = region, .value = value};
}

uint32_t regions_codes(const struct regions *r, const struct regions_values *v, const struct regions_step *steps,
    uint32_t count, struct regions_code codes[REGIONS_CODES_MAX])
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct regions_step *s = &steps[i];
		const struct region *own = &r->all[s->region];
		uint32_t node = own->nodes + s->node, to = own->nodes + s->to;
		switch (s->move) {
		case REGIONS_LEAVES:
			put_step_code(codes, &used, REGIONS_COUNT, s->region, v->leave[node]);
			if (own->parent != REGIONS_NONE)
				put_step_code(codes, &used, REGIONS_POP, own->parent, 0);
			break;
		case REGIONS_MOVES:
			put_step_code(
			    codes, &used, REGIONS_ADD, s->region, v->value[own->edges + s->edge] + v->pass[to]);
			break;
		case REGIONS_TURNS:
			put_step_code(codes, &used, REGIONS_COUNT, s->region,
			    s->edge == REGIONS_NONE ? v->leave[node] : v->cut[node]);
			put_step_code(codes, &used, REGIONS_SET, s->region, v->enter[to] + v->pass[to]);
			break;
		default:
			if (own->parent != REGIONS_NONE)
				put_step_code(codes, &used, REGIONS_PUSH, own->parent, 0);
			put_step_code(codes, &used, REGIONS_SET, s->region, v->enter[node] + v->pass[node]);
			break;
		}
	}
	return used;
}

int regions_codes_format(
    const struct regions_code *codes, uint32_t count, const char *(*name)(uint32_t region), char *text, size_t size)
{
	size_t used = 0;
	if (size > 0)
		text[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		const struct regions_code *c = &codes[i];
		char one[96], add[32] = "";
		switch (c->op) {
		case REGIONS_ADD:
			snprintf(one, sizeof one, "sum += %" PRIu64, c->value);
			break;
		case REGIONS_SET:
			snprintf(one, sizeof one, "sum = %" PRIu64, c->value);
			break;
		case REGIONS_PUSH:
			snprintf(one, sizeof one, "push(sum)");
			break;
		case REGIONS_POP:
			snprintf(one, sizeof one, "sum = pop()");
			break;
		default:
			if (c->value != 0)
				snprintf(add, sizeof add, " + %" PRIu64, c->value);
			snprintf(one, sizeof one, "cnt%s%.32s[sum%s]++", name != NULL ? "_" : "",
			    name != NULL ? name(c->region) : "", add);
			break;
		}
		int more = snprintf(
		    used < size ? text + used : NULL, used < size ? size - used : 0, "%s%s", i > 0 ? "; " : "", one);
		used += (size_t)more;
	}
	return (int)used;
}

int regions_path(
    const struct regions *r, uint32_t region, uint64_t sum, uint32_t *nodes, uint32_t max, uint32_t *length)
{
	const struct region *own = &r->all[region];
	struct numbering_path path;
	uint32_t *edges = malloc((own->node_count + 1u) * sizeof *edges);
	*length = 0;
	if (edges == NULL)
		return REGIONS_ENOMEM;
	int error = numbering_path(&own->numbering, sum, &path, edges, own->node_count) == NUMBERING_OK ? REGIONS_OK
													: REGIONS_EPATH;
	if (error == REGIONS_OK) {
		*length = path.length + 1;
		if (max > 0)
			nodes[0] = path.first;
		for (uint32_t i = 0; i < path.length && i + 1 < max; i++)
			nodes[i + 1] = own->numbering.graph.to[edges[i]];
	}
	free(edges);
	return error;
}
