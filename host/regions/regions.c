/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/regions/regions.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

const char *regions_strerror(int error)
{
	switch (error) {
	case REGIONS_OK:
		return "no error";
	case REGIONS_ENOMEM:
		return "out of memory";
	case REGIONS_EGRAPH:
		return "an edge leads to no vertex";
	case REGIONS_EEMPTY:
		return "the region has no code";
	case REGIONS_EOVERLAP:
		return "the regions overlap: regions are nested or disjoint";
	case REGIONS_ESAME:
		return "there is a region of the same code";
	case REGIONS_EDEPTH:
		return "the regions are nested too deeply";
	case REGIONS_ESIZE:
		return "there are too many paths";
	case REGIONS_EPATH:
		return "no path has this sum";
	default:
		return "unknown error";
	}
}

const char *regions_kind_name(unsigned kind)
{
	static const char *const names[] = {"function", "loop", "irreducible loop", "hammock", "named"};
	return kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

int regions_open(struct regions *r, const struct numbering_graph *graph, uint64_t limit)
{
	*r = (struct regions){.graph = *graph, .limit = limit};
	if (graph->count == 0 || graph->entry >= graph->count)
		return REGIONS_EGRAPH;
	for (uint32_t e = graph->first[0]; e < graph->first[graph->count]; e++) {
		if (graph->to[e] >= graph->count && graph->to[e] != NUMBERING_EXIT)
			return REGIONS_EGRAPH;
	}
	r->of = calloc(graph->count, sizeof *r->of);
	if (r->of == NULL || !array_room(&r->all, 1, &r->room)) {
		regions_free(r);
		return REGIONS_ENOMEM;
	}
	r->all[r->count++] = (struct region){.kind = REGIONS_WHOLE,
	    .parent = REGIONS_NONE,
	    .head = graph->entry,
	    .size = graph->count,
	    .tag = REGIONS_NONE};
	return REGIONS_OK;
}

void regions_free(struct regions *r)
{
	for (uint32_t i = 0; i < r->count && r->nodes != NULL; i++)
		numbering_free(&r->all[i].numbering);
	free(r->all);
	free(r->of);
	free(r->inside);
	free(r->touched);
	free(r->node);
	free(r->reached);
	free(r->common);
	free(r->local);
	free(r->nodes);
	free(r->entry);
	free(r->exit);
	free(r->outside);
	free(r->leaves);
	free(r->first);
	free(r->to);
	*r = (struct regions){0};
}

/* Which regions hold some of the vertices, and how many of them each; *touched: the number of those regions. */
static int touch_regions(
    struct regions *r, const uint32_t *vertices, uint32_t count, uint32_t *touched, uint32_t *lowest)
{
	*touched = 0;
	*lowest = REGIONS_NONE;
	for (uint32_t i = 0; i < count; i++) {
		if (vertices[i] >= r->graph.count)
			return REGIONS_EEMPTY;
		*lowest = vertices[i] < *lowest ? vertices[i] : *lowest;
		for (uint32_t q = r->of[vertices[i]]; q != REGIONS_NONE; q = r->all[q].parent) {
			if (r->inside[q]++ == 0)
				r->touched[(*touched)++] = q;
		}
	}
	return REGIONS_OK;
}

/* The smallest region that holds all the vertices. */
static int place_region(const struct regions *r, uint32_t touched, uint32_t count, uint32_t *around, uint32_t *found)
{
	uint32_t deepest = 0;
	for (uint32_t i = 0; i < touched; i++) {
		uint32_t q = r->touched[i], inside = r->inside[q];
		const struct region *region = &r->all[q];
		if (inside != count && inside != region->size) {
			*found = q;
			return REGIONS_EOVERLAP;
		}
		if (inside == count && region->depth >= r->all[*around].depth)
			*around = q;
		if (inside == region->size && region->depth > deepest)
			deepest = region->depth;
	}
	if (r->all[*around].size == count) {
		*found = *around;
		return REGIONS_ESAME;
	}
	return deepest >= REGIONS_DEPTH_MAX || r->all[*around].depth >= REGIONS_DEPTH_MAX ? REGIONS_EDEPTH : REGIONS_OK;
}

int regions_add(struct regions *r, const struct regions_new *region, uint32_t *found)
{
	uint32_t around = 0, lowest, touched, own = r->count;
	size_t room = r->room;
	*found = REGIONS_NONE;
	if (region->count == 0)
		return REGIONS_EEMPTY;
	if (!array_room(&r->all, own + 1u, &r->room))
		return REGIONS_ENOMEM;
	if (room != r->room || r->inside == NULL) {
		uint32_t *inside = calloc(r->room, sizeof *inside), *list = calloc(r->room, sizeof *list);
		free(r->inside);
		free(r->touched);
		r->inside = inside;
		r->touched = list;
		if (inside == NULL || list == NULL)
			return REGIONS_ENOMEM;
	}
	int error = touch_regions(r, region->vertices, region->count, &touched, &lowest);
	if (error == REGIONS_OK)
		error = place_region(r, touched, region->count, &around, found);
	if (error == REGIONS_OK) {
		r->count++;
		r->all[own] = (struct region){.kind = (uint8_t)region->kind,
		    .parent = around,
		    .depth = r->all[around].depth + 1,
		    .head = region->head == REGIONS_NONE ? lowest : region->head,
		    .size = region->count,
		    .tag = region->tag};
		*found = own;
	}
	for (uint32_t i = 0; i < touched; i++) {
		uint32_t q = r->touched[i];
		if (error == REGIONS_OK && q != around && r->inside[q] == r->all[q].size) {
			r->all[q].depth++; /* it lies in the new one */
			if (r->all[q].parent == around)
				r->all[q].parent = own;
		}
		r->inside[q] = 0;
	}
	for (uint32_t i = 0; i < region->count && error == REGIONS_OK; i++) {
		if (r->of[region->vertices[i]] == around)
			r->of[region->vertices[i]] = own;
	}
	return error;
}

uint32_t regions_node_of(const struct regions *r, uint32_t region, uint32_t vertex)
{
	uint32_t at = r->of[vertex], node = r->node[vertex];
	while (at != region) {
		node = r->all[at].node;
		at = r->all[at].parent;
	}
	return node;
}
