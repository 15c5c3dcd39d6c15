/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/weights.h"
#include "host/base/order.h"

#include <stdlib.h>

struct function {
	uint64_t id;
	uint32_t number, edges, edge_count;
};
struct weights {
	struct function *functions; /* by id, number */
	size_t count;
	uint64_t *edges, total;
	bool compressed;
};

static int by_id(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	return order_then(ORDER_UP(x->id, y->id), ORDER_UP(x->number, y->number));
}

static const struct weights_insn *insn_weight_at(const struct weights_insn *insns, size_t count, uint64_t pc)
{
	static const struct weights_insn none;
	size_t low;
	ORDER_FIRST(low, 0, count, insns[low].pc < pc);
	return low < count && insns[low].pc == pc ? &insns[low] : &none;
}

/* Edges of the blocks with code; then of the tables' vertices, by what goes in and how often targets ran. */
static bool weigh_edges(
    const struct map *m, const struct map_function *f, const struct weights_insn *insns, size_t count, uint64_t *edges)
{
	uint64_t all = 0;
	for (int tables = 0; tables < 2; tables++) {
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct map_block *block = &m->blocks[b];
			const struct weights_insn *last = insn_weight_at(insns, count, block->last);
			uint64_t into = 0;
			if (((block->flags & MAP_TABLE) != 0) != (tables == 1))
				continue;
			for (uint32_t e = f->edges; tables == 1 && e < f->edges + f->edge_count; e++)
				into += f->blocks + m->edges[e].to == b && m->edges[e].to != GRAPH_NONE
					    ? edges[e - f->edges]
					    : 0;
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				uint64_t *weight = &edges[e - f->edges];
				unsigned kind = m->edges[e].kind;
				if (tables == 1) {
					uint64_t ran =
					    insn_weight_at(insns, count, m->blocks[f->blocks + m->edges[e].to].first)
						->count;
					*weight = ran < into ? ran : into;
				} else if (block->edge_count == 1)
					*weight = last->count;
				else if (kind == GRAPH_TAKEN || kind == GRAPH_TAIL_TAKEN)
					*weight = last->taken;
				else
					*weight = last->count - last->taken;
				all += *weight;
			}
		}
	}
	return all > 0;
}

int weights_open(struct weights **out, const struct map *m, const struct weights_insn *insns, size_t count)
{
	struct weights *w = calloc(1, sizeof *w);
	*out = w;
	if (w == NULL)
		return MAP_ENOMEM;
	w->functions = malloc((m->function_count + 1) * sizeof *w->functions);
	w->edges = calloc(m->edge_count + 1, sizeof *w->edges);
	if (w->functions == NULL || w->edges == NULL) {
		weights_close(w);
		*out = NULL;
		return MAP_ENOMEM;
	}
	for (size_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		const struct map_object *o = &m->objects[f->object];
		if (f->address == 0 || !weigh_edges(m, f, insns, count, w->edges + f->edges))
			continue;
		w->functions[w->count++] =
		    (struct function){o->id, (uint32_t)i - o->functions, f->edges, f->edge_count};
	}
	for (size_t e = 0; e < m->edge_count; e++)
		w->total += w->edges[e];
	for (size_t i = 0; i < count; i++)
		w->compressed = w->compressed || (insns[i].count > 0 && insns[i].pc % 4 != 0);
	qsort(w->functions, w->count, sizeof *w->functions, by_id);
	return MAP_OK;
}

void weights_close(struct weights *w)
{
	if (w == NULL)
		return;
	free(w->functions);
	free(w->edges);
	free(w);
}

bool weights_compressed(const struct weights *w)
{
	return w->compressed;
}

uint64_t weights_total(const struct weights *w)
{
	return w->total;
}

const uint64_t *weights_of(const struct weights *w, uint64_t id, uint32_t function, uint32_t edges)
{
	const struct function key = {.id = id, .number = function};
	const struct function *found =
	    w == NULL ? NULL : bsearch(&key, w->functions, w->count, sizeof *w->functions, by_id);
	return found == NULL || found->edge_count != edges ? NULL : w->edges + found->edges;
}
