/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Requests for a function: what is to be put where. */
#include "host/insert/inserter.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/insert/commit_places.h"
#include "host/insert/inserter_private.h"
#include "isa/isa.h"

int inserter_open(struct inserter **out, const struct inserter_target *target, size_t function)
{
	struct inserter *in = calloc(1, sizeof *in);
	const struct graph *graph = target->graph;
	*out = NULL;
	if (in == NULL)
		return OBJECT_ENOMEM;
	in->g = graph;
	in->f = &graph->functions[function];
	in->e = graph->edit;
	in->counters = target->counters;
	in->thread = target->thread;
	in->width = target->width;
	in->entries = target->entries;
	in->atomic = target->atomic;
	in->even = target->even;
	in->in_order = target->in_order;
	in->word = graph->edit->object->xlen / 8;
	in->compressed = (graph->edit->object->flags & EF_RISCV_RVC) != 0;
	in->set = (in->word == 8 ? ISA_RV64 : 0u) | ISA_EXT_I | ISA_EXT_A | (in->compressed ? ISA_EXT_C : 0u);
	in->edges = calloc(in->f->edge_count + 1u, sizeof *in->edges);
	in->enters = calloc(in->f->block_count + 1u, sizeof *in->enters);
	in->starts = calloc(in->f->block_count + 1u, sizeof *in->starts);
	in->inside = calloc(in->f->block_count + 1u, sizeof *in->inside);
	in->into = calloc(in->f->block_count + 1u, sizeof *in->into);
	if (in->edges == NULL || in->enters == NULL || in->starts == NULL || in->inside == NULL || in->into == NULL) {
		inserter_close(in);
		return OBJECT_ENOMEM;
	}
	inserter_weights(in, NULL);
	*out = in;
	return OBJECT_OK;
}

void inserter_close(struct inserter *in)
{
	if (in == NULL)
		return;
	for (uint32_t i = 0; in->edges != NULL && i < in->f->edge_count; i++)
		free(in->edges[i].codes);
	for (uint32_t i = 0; i < in->f->block_count; i++) {
		if (in->enters != NULL)
			free(in->enters[i].codes);
		if (in->starts != NULL)
			free(in->starts[i].codes);
	}
	for (size_t i = 0; i < in->instant_count; i++)
		free(in->instants[i].request.codes);
	for (unsigned i = 0; i < in->variable_count; i++)
		free(in->variables[i].inside);
	free(in->edges);
	free(in->enters);
	free(in->starts);
	free(in->inside);
	free(in->into);
	free(in->instants);
	free(in->patches);
	free(in->states);
	free(in);
}

void inserter_weights(struct inserter *in, const uint64_t *weights)
{
	in->weights = weights;
	memset(in->into, 0, in->f->block_count * sizeof *in->into);
	for (uint32_t e = in->f->edge_first; e < in->f->edge_first + in->f->edge_count; e++) {
		const uint64_t weight = commit_edge_weight(in, e);
		const uint32_t to = in->g->edges[e].to;
		if (to < in->f->blocks || to >= in->f->blocks + in->f->block_count) /* out of the function */
			continue;
		uint64_t *into = &in->into[to - in->f->blocks];
		*into += weight < UINT64_MAX - *into ? weight : 0;
	}
}

static int add_request(struct request *r, const struct inserter_code *codes, size_t count)
{
	struct inserter_code *all = realloc(r->codes, (r->count + count + 1) * sizeof *all);
	if (all == NULL)
		return OBJECT_ENOMEM;
	memcpy(all + r->count, codes, count * sizeof *all);
	r->codes = all;
	r->count += count;
	return OBJECT_OK;
}

int inserter_edge(struct inserter *in, uint32_t edge, const struct inserter_code *codes, size_t count)
{
	return add_request(&in->edges[edge - in->f->edge_first], codes, count);
}

int inserter_enter(struct inserter *in, uint32_t block, const struct inserter_code *codes, size_t count)
{
	return add_request(&in->enters[block - in->f->blocks], codes, count);
}

int inserter_block(struct inserter *in, uint32_t block, const struct inserter_code *codes, size_t count)
{
	return add_request(&in->starts[block - in->f->blocks], codes, count);
}

/* Whether the last instruction of a block is a call with nothing behind it. */
static bool ends_by_call(const struct inserter *in, const struct graph_block *block)
{
	const struct edit_atom *last = &in->e->sections[block->section].atoms[block->last];
	return (last->flow == EDIT_CALL || last->flow == EDIT_INDIRECT_CALL) && block->edge_count == 1 &&
	       in->g->edges[block->edges].kind == GRAPH_NO_RETURN;
}

/* Whether a block has nothing to do with sp and ra, but for such a call. */
static bool leaves_alone_frame(const struct inserter *in, const struct graph_block *block)
{
	const struct edit_section *s = &in->e->sections[block->section];
	for (uint32_t at = block->first; at <= block->last; at++) {
		const uint32_t ra_and_sp = 6;
		struct isa_insn insn;
		struct isa_registers regs;
		if (at == block->last && ends_by_call(in, block))
			continue;
		graph_insn(in->g, &s->atoms[at], &insn);
		isa_registers(&insn, &regs);
		if (s->atoms[at].flow == EDIT_CALL || s->atoms[at].flow == EDIT_INDIRECT_CALL ||
		    (regs.x_written & ra_and_sp) != 0 || (regs.x_read & 4) != 0)
			return false;
	}
	return true;
}

int inserter_keep_return(struct inserter *in)
{
	static const struct inserter_code keep = {.op = INSERTER_KEEP_RETURN, .var = INSERTER_NO_VARIABLE};
	const struct graph_function *f = in->f;
	int error = OBJECT_OK;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		if (block->section != GRAPH_NONE && !leaves_alone_frame(in, block))
			return OBJECT_OK;
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		if (block->section != GRAPH_NONE && ends_by_call(in, block))
			error = inserter_edge(in, block->edges, &keep, 1);
	}
	return error;
}

static int request_at_atom(
    struct inserter *in, uint32_t block, uint32_t atom, bool after, const struct inserter_code *codes, size_t count)
{
	struct request_at *r = NULL;
	for (size_t i = 0; i < in->instant_count && r == NULL; i++) {
		if (in->instants[i].block == block && in->instants[i].atom == atom && in->instants[i].after == after)
			r = &in->instants[i];
	}
	if (r == NULL) {
		struct request_at *more = realloc(in->instants, (in->instant_count + 1) * sizeof *more);
		if (more == NULL)
			return OBJECT_ENOMEM;
		in->instants = more;
		r = &more[in->instant_count++];
		*r = (struct request_at){.block = block, .atom = atom, .after = after};
	}
	return add_request(&r->request, codes, count);
}

int inserter_before(struct inserter *in, uint32_t block, uint32_t atom, const struct inserter_code *codes, size_t count)
{
	return request_at_atom(in, block, atom, false, codes, count);
}

int inserter_after(struct inserter *in, uint32_t block, uint32_t atom, const struct inserter_code *codes, size_t count)
{
	const struct graph_block *b = &in->g->blocks[block];
	int error = OBJECT_OK;
	if (atom != b->last)
		return request_at_atom(in, block, atom, true, codes, count);
	for (uint32_t e = b->edges; e < b->edges + b->edge_count && error == OBJECT_OK; e++) {
		if (in->g->edges[e].kind == GRAPH_FALL || in->g->edges[e].kind == GRAPH_TAIL_FALL)
			error = inserter_edge(in, e, codes, count);
	}
	return error;
}

int inserter_symbol(struct object *o, const char *name, uint32_t *symbol)
{
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		if (strcmp(object_symbol_name(o, i), name) == 0 && object_symbol_bind(&o->symbols[i]) != STB_LOCAL) {
			*symbol = i;
			return OBJECT_OK;
		}
	}
	return object_add_symbol(
	    o, &(struct object_new_symbol){name, 0, 0, SHN_UNDEF, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)}, symbol);
}
