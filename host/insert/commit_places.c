/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A stub stands where nothing falls into it: behind a jump or a return, as near as can be to what jumps there. */
#include <stdlib.h>
#include <string.h>
#include "host/insert/commit_places.h"
#include "isa/isa.h"

struct edit_section *commit_section(const struct inserter *in, const struct graph_block *block)
{
	return &in->e->sections[block->section];
}

int commit_words(
    struct inserter *in, uint32_t section, uint32_t atom, enum edit_place place, struct words *o, uint32_t *piece)
{
	struct edit_section *s = &in->e->sections[section];
	schedule_words(o);
	if (in->even)
		words_even(o);
	int error = o->full ? OBJECT_EUNSUPPORTED : OBJECT_OK;
	in->instructions += o->count;
	if (error == OBJECT_OK && (o->count > 0 || piece != NULL))
		error = edit_put(in->e, &(struct edit_spot){s, &s->atoms[atom], place}, o->w, o->count, piece);
	words_free(o);
	return error;
}

/* Whether __riscv_save_N has put a variable's register on the stack, of which the compiler need not have known. */
static bool kept_by_millicode(const struct inserter *in, const struct variable *v)
{
	const struct graph_block *head = &in->g->blocks[in->f->blocks];
	const struct edit_atom *first = &in->e->sections[head->section].atoms[head->first];
	const int number = v->reg < 10 ? v->reg - 8 : v->reg - 16;
	if (!in->behind || (v->kind != INSERTER_FREE && v->kind != INSERTER_LOCAL) ||
	    (GRAPH_CALLEE_SAVED >> v->reg & 1) == 0)
		return false;
	return number < values_saved_by(in->g, values_millicode(in->g, first, "__riscv_save_"));
}

bool commit_keeps_by_millicode(const struct inserter *in)
{
	bool any = false;
	for (unsigned i = 0; i < in->variable_count; i++)
		any = any || kept_by_millicode(in, &in->variables[i]);
	return any;
}

int commit_frame(struct inserter *in, const struct graph_block *block, bool begins)
{
	const struct edit_section *s = commit_section(in, block);
	struct edit_saved saved[INSERTER_VARIABLES];
	unsigned count = 0;
	for (unsigned i = 0; i < in->variable_count; i++) {
		const struct variable *v = &in->variables[i];
		if (v->kind == INSERTER_SAVED)
			saved[count++] =
			    (struct edit_saved){v->reg, frame_bytes(in) - v->at + (uint32_t)in->millicode_bytes, false};
		else if (kept_by_millicode(in, v)) /* behind ra: s0, s1, ... */
			saved[count++] =
			    (struct edit_saved){v->reg, in->word * (2u + v->reg - (v->reg < 10 ? 8u : 16u)), true};
	}
	const struct edit_grown grown = {s->number, s->atoms[block->first].offset, frame_bytes(in), begins};
	return edit_frame(in->e, &grown, saved, count);
}

void commit_jump(struct words *o, uint32_t block)
{
	const struct inserter *in = o->in;
	const struct graph_block *to = &in->g->blocks[block];
	uint32_t piece = in->inside[block - in->f->blocks];
	struct edit_word *w = words_put(o, ISA_JAL, 0, 0, 0, 0);
	w->to = piece != 0 ? EDIT_TO_PIECE : EDIT_TO_LABEL;
	w->target = piece != 0 ? piece - 1 : in->e->sections[to->section].atoms[to->first].offset;
}

uint32_t commit_before_padding(const struct inserter *in, const struct edit_section *s, uint32_t at)
{
	const uint32_t *block_of = in->g->block_of[s - in->e->sections];
	while (at > 0 && s->atoms[at - 1].kind == EDIT_PAD) {
		uint32_t own = block_of[at - 1];
		if (own != 0 && s->atoms[in->g->blocks[own - 1].first].kind == EDIT_PAD)
			break;
		at--;
	}
	return at;
}

bool commit_falls_into(const struct inserter *in, const struct edit_section *s, uint32_t atom)
{
	uint32_t at = commit_before_padding(in, s, atom);
	if (at == 0)
		return false;
	const struct edit_atom *before = &s->atoms[at - 1];
	struct isa_insn insn;
	if (before->kind == EDIT_DATA)
		return false;
	graph_insn(in->g, before, &insn);
	uint32_t own = in->g->block_of[s - in->e->sections][at - 1];
	const struct graph_block *block = own == 0 ? NULL : &in->g->blocks[own - 1];
	if (block != NULL && block->last == at - 1 && block->edge_count == 1 &&
	    in->g->edges[block->edges].kind == GRAPH_NO_RETURN)
		return false;
	return !(before->flow == EDIT_JUMP || before->flow == EDIT_INDIRECT || (insn.class_bits & ISA_RET) != 0);
}

/* Whether a stub can stand before an atom: not before a block whose stub falls into it, nor between it and its
 * padding. */
static bool quiet_before(const struct inserter *in, const struct edit_section *s, uint32_t atom)
{
	return s->atoms[atom].kind != EDIT_DATA && s->atoms[atom].offset % 2 == 0 &&
	       (atom == 0 || s->atoms[atom - 1].kind != EDIT_PAD) && !commit_falls_into(in, s, atom);
}

void commit_forget_places(struct inserter_entries *all)
{
	for (size_t i = 0; i < all->quiet_sections; i++)
		free(all->quiet[i].atoms);
	free(all->quiet);
	all->quiet = NULL;
	all->quiet_sections = 0;
}

/* The places of a section, looked for once: code without an end, as thousands of loops one behind the other, has few,
 * and each stub would pass all of it. NULL: out of memory. */
static const struct inserter_quiet *quiet_places(const struct inserter *in, uint32_t section)
{
	const struct edit_section *s = &in->e->sections[section];
	struct inserter_entries *all = in->entries;
	if (all->quiet_of != in->g || all->quiet_sections <= section) {
		commit_forget_places(all);
		all->quiet = calloc(in->e->section_count, sizeof *all->quiet);
		if (all->quiet == NULL)
			return NULL;
		all->quiet_of = in->g;
		all->quiet_sections = in->e->section_count;
	}
	struct inserter_quiet *own = &all->quiet[section];
	if (own->atoms != NULL)
		return own;
	own->atoms = malloc((s->count + 1u) * sizeof *own->atoms);
	for (uint32_t atom = 0; own->atoms != NULL && atom < s->count; atom++) {
		if (quiet_before(in, s, atom))
			own->atoms[own->count++] = atom;
	}
	return own->atoms == NULL ? NULL : own;
}

#define STUB_FAR 20001u /* atoms: no function reaches further */

static bool behind_own(const struct inserter *in, uint32_t section, uint32_t atom)
{
	const struct edit_section *s = &in->e->sections[section];
	atom = commit_before_padding(in, s, atom);
	uint32_t own = atom == 0 ? 0 : in->g->block_of[section][atom - 1];
	return own > in->f->blocks && own <= in->f->blocks + in->f->block_count;
}

/* Of the places the nearest that is free, of two as near the one behind; own: behind code of the function. */
static uint32_t nearest_place(
    const struct inserter *in, const struct inserter_quiet *places, uint32_t section, uint32_t near, bool own)
{
	const struct edit_section *s = &in->e->sections[section];
	size_t low = 0, high = places->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (places->atoms[middle] <= near)
			low = middle + 1;
		else
			high = middle;
	}
	size_t up = low, down = low; /* the next ones to look at: up, down - 1 */
	if (down > 0 && places->atoms[down - 1] == near)
		down--;
	for (;;) {
		const uint32_t above = up < places->count ? places->atoms[up] - near : UINT32_MAX,
			       below = down > 0 && places->atoms[down - 1] > 0 ? near - places->atoms[down - 1]
									       : UINT32_MAX,
			       distance = above <= below ? above : below;
		if (distance == UINT32_MAX || (own && distance > STUB_FAR))
			return GRAPH_NONE;
		const uint32_t atom = above <= below ? places->atoms[up++] : places->atoms[--down];
		if (s->atoms[atom].exact_symbol == 0 && (!own || behind_own(in, section, atom)))
			return atom;
	}
}

int commit_stub_place(const struct inserter *in, uint32_t section, uint32_t near, uint32_t *place)
{
	const struct inserter_quiet *places = quiet_places(in, section);
	if (places == NULL)
		return OBJECT_ENOMEM;
	/* behind code of the function, so that it is unwound as that; else anywhere */
	*place = nearest_place(in, places, section, near, true);
	if (*place == GRAPH_NONE)
		*place = nearest_place(in, places, section, near, false);
	return *place == GRAPH_NONE ? OBJECT_EUNSUPPORTED : OBJECT_OK;
}

uint64_t commit_edge_weight(const struct inserter *in, uint32_t edge)
{
	return in->weights == NULL ? 1 : in->weights[edge - in->f->edge_first];
}

uint64_t commit_heat(const struct inserter *in, uint32_t block, bool outside)
{
	const struct graph_block *b = &in->g->blocks[block];
	const uint64_t into = outside ? in->into[block - in->f->blocks] : 0;
	uint64_t out = 0;
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++)
		out += commit_edge_weight(in, e) < UINT64_MAX - out ? commit_edge_weight(in, e) : 0;
	return out > into ? out - into : 0;
}

uint32_t commit_label_edge(const struct inserter *in, uint32_t block)
{
	const struct graph_function *f = in->f;
	const struct graph_block *from = NULL;
	for (size_t i = 0; i < in->g->way_count; i++) {
		uint32_t vertex = in->g->ways[i].block;
		if (in->g->ways[i].all && vertex >= f->blocks && vertex < f->blocks + f->block_count)
			from = &in->g->blocks[vertex];
	}
	for (uint32_t e = from == NULL ? 0 : from->edges; from != NULL && e < from->edges + from->edge_count; e++) {
		if (in->g->edges[e].to == block && in->edges[e - f->edge_first].count > 0)
			return e;
	}
	return GRAPH_NONE;
}

int commit_entries(struct inserter *in, uint32_t vertex, uint32_t block, uint32_t piece)
{
	const struct graph_block *b = &in->g->blocks[block];
	const struct graph_way *way = graph_way_of(in->g, vertex);
	for (size_t i = 0; i < in->g->taken_count; i++) {
		const struct graph_table *t = &in->g->takens[i];
		if (t->section != b->section || t->block != b->first || !graph_in_way(in->g, way, t))
			continue;
		struct inserter_entries *all = in->entries;
		if (all->count == all->size) {
			size_t larger = 2 * all->size + 32;
			struct inserter_entry *entries = realloc(all->entries, larger * sizeof *entries);
			if (entries == NULL)
				return OBJECT_ENOMEM;
			all->entries = entries;
			all->size = larger;
		}
		all->entries[all->count++] = (struct inserter_entry){t->from, t->reloc, piece};
	}
	return OBJECT_OK;
}
