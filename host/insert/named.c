/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/named.h"
#include "host/base/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

struct reader {
	struct named *n;
	const struct map *map;
	const struct cfg *cfg;
	const char *path;
	char *detail;
	size_t size;
	bool *inside; /* by block of the program */
	bool *in;     /* by block of the object's function */
};

static bool in_part(const struct regions_named *part, const struct cfg *cfg, uint32_t block)
{
	return block != CFG_NONE && cfg->blocks[block].function == part->function;
}

/* Which blocks of the function with code are in the part, then which tables. */
static uint32_t mark_named_blocks(struct reader *r, const struct map_function *f, const struct regions_named *part)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < f->block_count; b++) {
		uint64_t first = r->map->blocks[f->blocks + b].first;
		uint32_t block = first == 0 ? CFG_NONE : cfg_block_at(r->cfg, first);
		r->in[b] = in_part(part, r->cfg, block) && (part->count == 0 || r->inside[block]);
		count += r->in[b];
	}
	for (uint32_t t = 0; t < f->block_count && count > 0; t++) {
		bool any = false, all = true;
		if (r->map->blocks[f->blocks + t].first != 0)
			continue;
		for (uint32_t b = 0; b < f->block_count; b++) {
			const struct map_block *from = &r->map->blocks[f->blocks + b];
			for (uint32_t e = from->edges; e < from->edges + from->edge_count; e++) {
				if (r->map->edges[e].to != t || from->first == 0)
					continue;
				any = true;
				all = all && r->in[b];
			}
		}
		r->in[t] = any && all;
		count += r->in[t];
	}
	return count;
}

/* A part for a function of an object, if it has blocks of the region. */
static int add_named_part(struct reader *r, uint32_t function, const struct regions_named *part)
{
	const struct map_function *f = &r->map->functions[function];
	const struct map_object *object = &r->map->objects[f->object];
	struct named *n = r->n;
	uint32_t count = mark_named_blocks(r, f, part);
	struct named_part own = {.id = object->id, .function = function - object->functions, .name = part->name};
	if (count == 0)
		return NAMED_OK;
	/* a whole function is called so where its entry is, not in pieces that lie elsewhere */
	if (part->count == 0 && !in_part(part, r->cfg, cfg_block_at(r->cfg, f->address)))
		return NAMED_OK;
	if (!array_room(&n->parts, n->count + 1, &n->room))
		return NAMED_ENOMEM;
	if (part->count != 0 && count < f->block_count) {
		own.vertices = malloc(count * sizeof *own.vertices);
		if (own.vertices == NULL)
			return NAMED_ENOMEM;
		for (uint32_t b = 0; b < f->block_count; b++) {
			if (r->in[b])
				own.vertices[own.count++] = b;
		}
	}
	n->parts[n->count++] = own;
	return NAMED_OK;
}

/* All functions of objects that have blocks of one part. */
static int add_parts(struct reader *r, const struct regions_named *part)
{
	const struct cfg_function *own = &r->cfg->functions[part->function];
	int error = NAMED_OK;
	for (uint32_t i = 0; i < part->count; i++)
		r->inside[own->blocks + part->vertices[i]] = true;
	for (uint32_t i = 0; i < r->map->function_count && error == NAMED_OK; i++) {
		if (r->map->functions[i].address != 0)
			error = add_named_part(r, i, part);
	}
	for (uint32_t i = 0; i < part->count; i++)
		r->inside[own->blocks + part->vertices[i]] = false;
	return error;
}

static int named_by_place(const void *a, const void *b)
{
	const struct named_part *x = a, *y = b;
	return order_then(
	    ORDER_UP(x->id, y->id), order_then(ORDER_UP(x->function, y->function), ORDER_UP(x->name, y->name)));
}

static int named_by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

static const struct named_part *first_part(const struct named *n, uint64_t id, uint32_t function)
{
	size_t low;
	ORDER_FIRST(
	    low, 0, n->count, n->parts[low].id < id || (n->parts[low].id == id && n->parts[low].function < function));
	return n->parts + low;
}

/* A name must be somewhere in the objects. */
static int check_names(const struct reader *r)
{
	for (size_t i = 0; i < r->n->names->count; i++) {
		bool found = false;
		for (size_t k = 0; k < r->n->count && !found; k++)
			found = r->n->parts[k].name == i;
		if (found)
			continue;
		snprintf(r->detail, r->size,
		    "%s:%u: no block of the objects that were edited by --map begins in `%s' (blocks of objects do not "
		    "end at calls)",
		    r->path, r->n->names->names[i].line, r->n->names->names[i].name);
		return NAMED_EFILE;
	}
	return NAMED_OK;
}

/* Blocks of objects may be larger than those of the program: regions must be nested or disjoint there too. */
static int check_named_function(const struct reader *r, uint32_t function)
{
	const struct map_function *f = &r->map->functions[function];
	const struct map_object *object = &r->map->objects[f->object];
	struct numbering_graph graph = {.count = f->block_count};
	uint32_t *none = calloc(f->block_count + 1u, sizeof *none);
	struct regions regions = {0};
	graph.first = graph.to = none;
	int error = none == NULL ? REGIONS_ENOMEM : regions_open(&regions, &graph, 0);
	if (error == REGIONS_OK)
		error = named_choose(r->n, object->id, function - object->functions, &regions);
	regions_free(&regions);
	free(none);
	if (error == REGIONS_OK || error == REGIONS_ENOMEM)
		return error == REGIONS_OK ? NAMED_OK : NAMED_ENOMEM;
	snprintf(r->detail, r->size, "%s: the regions of %s, in the blocks that its object has: %s", r->path, f->name,
	    regions_strerror(error));
	return NAMED_EFILE;
}

int named_open(struct named *n, const struct named_program *program, const struct regions_names *names,
    const char *path, char *detail, size_t size)
{
	const struct map *map = program->map;
	const struct cfg *cfg = program->cfg;
	struct reader r = {.n = n, .map = map, .cfg = cfg, .path = path, .detail = detail, .size = size};
	uint32_t most = 0;
	*n = (struct named){.names = names};
	for (size_t i = 0; i < map->function_count; i++)
		most = map->functions[i].block_count > most ? map->functions[i].block_count : most;
	r.inside = calloc(cfg->counts.blocks + 1u, sizeof *r.inside);
	r.in = calloc(most + 1u, sizeof *r.in);
	n->ids = malloc((map->object_count + 1) * sizeof *n->ids);
	snprintf(detail, size, "%s: out of memory", path);
	int error = r.inside == NULL || r.in == NULL || n->ids == NULL ? NAMED_ENOMEM : NAMED_OK;
	for (size_t i = 0; i < map->object_count && error == NAMED_OK; i++)
		n->ids[n->id_count++] = map->objects[i].id;
	for (size_t i = 0; i < names->part_count && error == NAMED_OK; i++)
		error = add_parts(&r, &names->parts[i]);
	if (error == NAMED_OK) {
		qsort(n->ids, n->id_count, sizeof *n->ids, named_by_number);
		if (n->count > 0)
			qsort(n->parts, n->count, sizeof *n->parts, named_by_place);
		error = check_names(&r);
	}
	for (uint32_t i = 0; i < map->function_count && error == NAMED_OK; i++) {
		if (map->functions[i].address != 0)
			error = check_named_function(&r, i);
	}
	free(r.inside);
	free(r.in);
	return error;
}

void named_close(struct named *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->parts[i].vertices);
	free(n->parts);
	free(n->ids);
	*n = (struct named){0};
}

bool named_knows(const struct named *n, uint64_t id)
{
	return n->id_count > 0 && bsearch(&id, n->ids, n->id_count, sizeof *n->ids, named_by_number) != NULL;
}

int named_choose(const struct named *n, uint64_t id, uint32_t function, struct regions *regions)
{
	int error = REGIONS_OK;
	uint32_t found;
	if (n == NULL || n->count == 0)
		return REGIONS_OK;
	for (const struct named_part *p = first_part(n, id, function);
	     p < n->parts + n->count && p->id == id && p->function == function && error == REGIONS_OK; p++) {
		if (p->count == 0)
			regions->all[0].tag = p->name;
		else
			error = regions_add(regions,
			    &(struct regions_new){p->vertices, p->count, REGIONS_NAMED, REGIONS_NONE, p->name}, &found);
	}
	return error;
}
