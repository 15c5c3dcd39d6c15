/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The nested regions of a run, as the page takes them. */
#include "host/cmd/view_regions.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/cmd/cmd.h"

#define PATHS_EACH 8 /* of a region, the hottest */

static bool function_ran(const struct regions_source *s, uint32_t function)
{
	size_t end;
	return regions_profile_regions(s->profile, function) != NULL &&
	       (regions_entries(s, function, 0, &end) < end || regions_spent(s, function, 0, true) > 0);
}

struct rank {
	const struct regions_entry *entry;
	uint64_t spent;
};

static int hotter_region(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	return order_then(ORDER_DOWN(x->spent, y->spent), ORDER_UP(x->entry, y->entry));
}

/* `base`: number of the function's outermost region in the page. */
static bool add_region_path(struct view_regions *v, const struct rank *rank, uint32_t base)
{
	const struct regions_source *s = &v->source;
	const struct regions_entry *e = rank->entry;
	const struct regions *r = regions_profile_regions(s->profile, e->function);
	const struct region *own = &r->all[e->region];
	uint32_t *nodes = malloc((own->node_count + 1u) * sizeof *nodes);
	int32_t *steps = calloc(own->node_count + 1u, sizeof *steps);
	uint32_t length =
	    nodes == NULL || steps == NULL ? 0 : regions_profile_nodes(s->profile, e, nodes, own->node_count);
	for (uint32_t i = 0; i < length; i++) {
		const struct regions_node n = r->nodes[own->nodes + nodes[i]];
		steps[i] = n.region != REGIONS_NONE
			       ? -1 - (int32_t)(base + n.region)
			       : (int32_t)(s->source.cfg->functions[e->function].blocks + n.vertex);
	}
	free(nodes);
	if (length == 0) {
		free(steps);
		return false;
	}
	v->paths[v->path_count++] = (struct view_region_path){
	    .region = base + e->region, .count = e->count, .cost = rank->spent, .steps = steps, .length = length};
	return true;
}

static bool add_region_paths(struct view_regions *v, uint32_t function, uint32_t region, uint32_t base)
{
	size_t end, first = regions_entries(&v->source, function, region, &end), count = 0;
	struct rank *rank = calloc(end - first + 1, sizeof *rank);
	bool ok = rank != NULL;
	for (size_t i = first; ok && i < end; i++)
		if (v->source.entries[i].number != NUMBERING_NONE)
			rank[count++] =
			    (struct rank){&v->source.entries[i], regions_path_spent(&v->source, &v->source.entries[i])};
	if (count > 1)
		qsort(rank, count, sizeof *rank, hotter_region);
	for (size_t i = 0; ok && i < count && i < PATHS_EACH; i++)
		ok = add_region_path(v, &rank[i], base);
	free(rank);
	return ok;
}

static bool add_region_function(struct view_regions *v, uint32_t function)
{
	const struct regions_source *s = &v->source;
	const struct regions *r = regions_profile_regions(s->profile, function);
	const struct cfg *cfg = s->source.cfg;
	const uint32_t base = (uint32_t)v->region_count;
	bool ok = true;
	for (uint32_t k = 0; ok && k < r->count; k++) {
		const struct regions_traffic *t = regions_profile_traffic(s->profile, function, k);
		struct view_region *region = &v->regions[v->region_count++];
		*region = (struct view_region){.entry = cfg->functions[function].start,
		    .parent = r->all[k].parent == REGIONS_NONE ? UINT32_MAX : base + r->all[k].parent,
		    .head = cfg->functions[function].blocks + r->all[k].head,
		    .entered = t->entered,
		    .turns = t->turns,
		    .cost = regions_spent(s, function, k, true)};
		regions_label(s, function, k, region->name);
		ok = add_region_paths(v, function, k, base);
	}
	return ok;
}

static bool room_for_regions(struct view_regions *v)
{
	size_t regions = 0;
	for (uint32_t f = 0; f < v->source.source.cfg->counts.functions; f++)
		if (function_ran(&v->source, f))
			regions += regions_profile_regions(v->source.profile, f)->count;
	v->regions = calloc(regions + 1, sizeof *v->regions);
	v->paths = calloc(PATHS_EACH * regions + 1, sizeof *v->paths);
	return v->regions != NULL && v->paths != NULL;
}

bool view_regions_make(struct view_regions *v, const char *file, const struct source_options *options)
{
	*v = (struct view_regions){.source = {.what = "loops"}};
	bool ok = regions_source_open(&v->source, file, options) != STATUS_FAILED && room_for_regions(v);
	for (uint32_t f = 0; ok && f < v->source.source.cfg->counts.functions; f++)
		ok = !function_ran(&v->source, f) || add_region_function(v, f);
	return ok;
}

void view_regions_free(struct view_regions *v)
{
	for (size_t i = 0; i < v->path_count; i++)
		free(v->paths[i].steps);
	free(v->regions);
	free(v->paths);
	regions_source_close(&v->source);
	*v = (struct view_regions){0};
}
