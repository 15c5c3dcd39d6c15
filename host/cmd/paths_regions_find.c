/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Hierarchical path profiles: what a region and a path of one are called and took. */
#include <stdlib.h>
#include "host/base/order.h"
#include "host/cmd/paths_regions.h"

bool regions_shown(const struct regions_source *s, const struct regions_view *view, uint32_t function)
{
	const struct regions_function *f = &s->functions[function];
	return f->regions != NULL &&
	       (view->function == CFG_NONE || s->cfg->functions[view->function].start == f->start);
}

uint64_t regions_spent(const struct regions_source *s, uint32_t function, uint32_t region, bool nest)
{
	const struct regions_function *f = &s->functions[function];
	return nest ? f->nest[region] : f->self[region];
}

uint64_t regions_path_spent(const struct regions_source *s, const struct regions_entry *e)
{
	const struct regions_function *f = &s->functions[e->function];
	const struct regions *r = f->regions;
	const struct region *own = &r->all[e->region];
	if (s->timed || s->counted != NULL)
		return e->spent;
	uint32_t *nodes = malloc((own->node_count + 1u) * sizeof *nodes);
	uint32_t length = nodes == NULL ? 0 : regions_entry_nodes(r, e, nodes, own->node_count);
	double sum = 0;
	for (uint32_t i = 0; i < length; i++) {
		uint32_t vertex = r->nodes[own->nodes + nodes[i]].vertex;
		if (vertex != REGIONS_NONE && f->runs[vertex] > 0)
			sum += (double)f->spent[vertex] / (double)f->runs[vertex];
	}
	free(nodes);
	return (uint64_t)(sum * (double)e->count + 0.5);
}

uint32_t regions_block(const struct regions_source *s, uint32_t function, uint32_t vertex)
{
	uint64_t address = s->functions[function].address[vertex];
	uint32_t block = address == 0 ? CFG_NONE : cfg_block_at(s->cfg, address);
	return block == CFG_NONE || s->cfg->blocks[block].start != address
		   ? vertex
		   : block - s->cfg->functions[s->cfg->blocks[block].function].blocks;
}

const char *regions_label(const struct regions_source *s, uint32_t function, uint32_t region, char text[96])
{
	const struct cfg *cfg = s->cfg;
	const struct regions_function *f = &s->functions[function];
	const struct region *own = &f->regions->all[region];
	uint32_t head = cfg_block_at(cfg, f->address[own->head]);
	uint32_t loop =
	    head == CFG_NONE || cfg->blocks[head].start != f->address[own->head] ? CFG_NONE : cfg->blocks[head].loop;
	if (f->names != NULL && f->names[region] != NULL)
		snprintf(text, 96, "%.80s", f->names[region]);
	else if (own->tag < s->names.count)
		snprintf(text, 96, "%.80s", s->names.names[own->tag].name);
	else if (region == 0)
		snprintf(text, 96, "%.80s", f->name);
	else if (own->kind != REGIONS_HAMMOCK && loop != CFG_NONE && cfg->loops[loop].head == head)
		snprintf(text, 96, "L%u", (unsigned)(loop - cfg->functions[cfg->loops[loop].function].loops));
	else
		snprintf(text, 96, "%s%u", own->kind == REGIONS_HAMMOCK ? "H" : "loop at B",
		    (unsigned)regions_block(s, function, own->head));
	return text;
}

size_t regions_entries(const struct regions_source *s, uint32_t function, uint32_t region, size_t *end)
{
	size_t low;
	ORDER_FIRST(low, 0, s->count,
	    s->entries[low].function < function ||
		(s->entries[low].function == function && s->entries[low].region < region));
	for (*end = low; *end < s->count && s->entries[*end].function == function && s->entries[*end].region == region;)
		++*end;
	return low;
}
