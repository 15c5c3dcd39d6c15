/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Which functions have a second version: those that can be copied, and whose copy has the same graph as they. */
#include "host/insert/versions.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

static bool leave_one_version(struct versions *v, const struct graph_function *f, const char *reason)
{
	if (!array_room(&v->left, v->left_count + 1, &v->left_room))
		return false;
	v->left[v->left_count++] = (struct versions_left){f->section, f->offset, reason};
	return true;
}

const char *versions_reason(const struct versions *v, const struct graph_function *f)
{
	for (size_t i = 0; i < v->left_count; i++) {
		if (v->left[i].section == f->section && v->left[i].offset == f->offset)
			return v->left[i].reason;
	}
	return NULL;
}

/* Why nothing of the object is copied: its sections are copied together, or not at all. */
static const char *refuse_object(const struct edit *e)
{
	const char *why = e->linked ? "the program is linked already" : NULL;
	for (size_t i = 0; i < e->section_count && why == NULL; i++)
		why = versions_refuse_section(&e->object->sections[e->sections[i].number]);
	return why;
}

int versions_make(struct object *o, uint32_t reserved, struct versions *v, char *detail, size_t size)
{
	struct edit *edit = NULL;
	struct graph *graph = NULL;
	struct switch_tables tables = {0};
	bool any = false, *can = NULL;
	*v = (struct versions){.sections = o->section_count};
	v->second = calloc(o->section_count + 1u, sizeof *v->second);
	v->labels = calloc(o->section_count + 1u, sizeof *v->labels);
	int error = v->second == NULL || v->labels == NULL ? OBJECT_ENOMEM : edit_open(&edit, o, detail, size);
	if (error == OBJECT_OK)
		error = graph_open(&graph, edit, reserved);
	if (error == OBJECT_OK) {
		can = calloc(graph->function_count + 1, sizeof *can);
		error = can == NULL ? OBJECT_ENOMEM : versions_find_tables(&tables, graph);
	}
	const char *all = error == OBJECT_OK ? refuse_object(edit) : NULL;
	for (size_t i = 0; error == OBJECT_OK && i < graph->function_count; i++) {
		const struct graph_function *f = &graph->functions[i];
		const char *why = all != NULL ? all : versions_refuse_function(graph, &tables, f);
		can[i] = why == NULL && f->block_count > 0;
		any = any || can[i];
		if (why != NULL && !leave_one_version(v, f, why))
			error = OBJECT_ENOMEM;
	}
	if (error == OBJECT_OK && any)
		error = versions_copy(v, graph, &tables, can);
	if (error == OBJECT_ENOMEM)
		snprintf(detail, size, "out of memory");
	else if (error == OBJECT_EUNSUPPORTED && edit != NULL)
		snprintf(detail, size, "the name of a section is too long for a second version");
	free(tables.tables);
	free(can);
	graph_close(graph);
	edit_close(edit);
	return error;
}

void versions_free(struct versions *v)
{
	for (uint32_t i = 0; v->labels != NULL && i < v->sections; i++)
		free(v->labels[i]);
	free(v->labels);
	free(v->second);
	free(v->left);
	*v = (struct versions){0};
}

/* ---------------------------------------------------------------- the copy's graph */
static bool same_block(
    const struct versions *v, const struct graph *g, const struct graph_block *a, const struct graph_block *b)
{
	if (a->edge_count != b->edge_count || a->root != b->root || a->pad != b->pad ||
	    (a->section == GRAPH_NONE) != (b->section == GRAPH_NONE))
		return false;
	if (a->section == GRAPH_NONE)
		return true;
	const struct edit_section *s = &g->edit->sections[a->section], *t = &g->edit->sections[b->section];
	return s->number < v->sections && v->second[s->number] == t->number &&
	       s->atoms[a->first].offset == t->atoms[b->first].offset &&
	       s->atoms[a->last].offset == t->atoms[b->last].offset;
}

/* Whether a copy is that of a function, block by block: the map of one then holds for both. */
static bool same_graph(
    const struct versions *v, const struct graph *g, const struct graph_function *f, const struct graph_function *copy)
{
	if (f->block_count != copy->block_count || f->edge_count != copy->edge_count || copy->odd != NULL)
		return false;
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct graph_block *a = &g->blocks[f->blocks + b], *c = &g->blocks[copy->blocks + b];
		if (!same_block(v, g, a, c))
			return false;
		for (uint32_t e = 0; e < a->edge_count; e++) {
			const struct graph_edge *x = &g->edges[a->edges + e], *y = &g->edges[c->edges + e];
			const uint32_t to = x->to == GRAPH_NONE ? x->to : x->to - f->blocks;
			if (x->kind != y->kind || to != (y->to == GRAPH_NONE ? y->to : y->to - copy->blocks))
				return false;
		}
		/* a table that is the first version's would lead back into it */
		const struct graph_way *way = a->section == GRAPH_NONE ? graph_way_of(g, copy->blocks + b) : NULL;
		const struct graph_way *own = way == NULL ? NULL : graph_way_of(g, f->blocks + b);
		if (way != NULL && (own == NULL || way->all != own->all || (!way->all && way->section < v->sections)))
			return false;
	}
	return true;
}

static uint32_t copy_of(const struct versions *v, const struct graph *g, const struct graph_function *f)
{
	const uint32_t section = f->section < v->sections ? v->second[f->section] : 0;
	for (uint32_t i = 0; section != 0 && i < g->function_count; i++) {
		if (g->functions[i].section == section && g->functions[i].offset == f->offset)
			return i;
	}
	return GRAPH_NONE;
}

/* What chooses needs a register; saving one would be dearer than a count. */
static bool has_entry_register(const struct graph *g, const struct graph_function *f)
{
	const uint32_t live = g->blocks[f->blocks].live_x & ~graph_dead_at_entry(g, f);
	const uint32_t busy = live | f->kept | g->missing | g->reserved;
	return (GRAPH_CALLER_SAVED & ~busy) != 0;
}

int versions_match(struct versions *v, struct graph *g, uint32_t **seconds)
{
	uint32_t *all = malloc((g->function_count + 1) * sizeof *all);
	int error = all == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	*seconds = all;
	for (uint32_t i = 0; i < g->function_count && error == OBJECT_OK; i++) {
		const struct graph_function *f = &g->functions[i];
		all[i] = f->section >= v->sections ? i : copy_of(v, g, f);
		if (all[i] == i || versions_reason(v, f) != NULL || f->block_count == 0)
			all[i] = all[i] == i ? i : GRAPH_NONE;
		else if (all[i] == GRAPH_NONE || !same_graph(v, g, f, &g->functions[all[i]])) {
			all[i] = GRAPH_NONE;
			error = leave_one_version(v, f, "its code and a copy of it would not be alike") ? error
													: OBJECT_ENOMEM;
		}
	}
	if (error == OBJECT_OK)
		error = graph_keep_alike(g, all);
	for (uint32_t i = 0; i < g->function_count && error == OBJECT_OK; i++) {
		const struct graph_function *f = &g->functions[i];
		if (all[i] == GRAPH_NONE || all[i] == i || has_entry_register(g, f))
			continue;
		all[i] = GRAPH_NONE;
		error = leave_one_version(v, f, "no register is free at its entry") ? OBJECT_OK : OBJECT_ENOMEM;
	}
	return error;
}
