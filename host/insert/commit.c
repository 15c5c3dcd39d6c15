/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Instructions at their places. A place is on one side of a label (host/object/edit.h). Code of an edge goes
 *
 *   fall     before the label of the block that is fallen into
 *   jump     before the jump
 *   taken    behind the label of the target, if nothing else leads there; else into a stub that ends with a jump to the
 *            target, or that lies right before it and needs none
 *   table    of a switch: likewise; the table's entries then name the stub
 *   labels   a vertex that leads to all labels: behind the label of the target, since nothing that names it may change
 *
 * A block that is entered from outside (or by a label's address) and from inside has its outside code behind the label,
 * and a second label for those inside.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/insert/commit_places.h"
#include "host/insert/sequence.h"
#include "isa/isa.h"

int inserter_finish(const struct graph *g, const struct inserter_entries *entries)
{
	struct edit *e = g->edit;
	for (size_t i = 0; i < entries->count; i++) {
		const struct inserter_entry *entry = &entries->entries[i];
		struct object_reloc *r = &e->object->sections[entry->section].relocs[entry->reloc];
		uint32_t symbol, section = e->object->symbols[r->symbol].section;
		int error = object_add_symbol(e->object,
		    &(struct object_new_symbol){
			NULL, edit_piece_offset(e, entry->piece), 0, section, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		    &symbol);
		if (error != OBJECT_OK)
			return error;
		r = &e->object->sections[entry->section].relocs[entry->reloc];
		r->symbol = symbol;
		r->addend = 0;
	}
	return OBJECT_OK;
}

/* Everything that can go wrong, before anything is put. */
static int check_requests(struct inserter *in)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct request *r = &in->edges[e - f->edge_first];
			const struct graph_edge *edge = &g->edges[e];
			if (r->count == 0)
				continue;
			if (edge->to != GRAPH_NONE && edge->kind != GRAPH_INTO && edge->kind != GRAPH_FALL &&
			    block->section != GRAPH_NONE && edge->kind != GRAPH_JUMP &&
			    g->blocks[edge->to].section != block->section) {
				in->reason = "a branch into another section needs code";
				return OBJECT_EUNSUPPORTED;
			}
			if (edge->kind == GRAPH_TABLE && !graph_way_of(g, b)->all && g->blocks[edge->to].named &&
			    in->entries == NULL) {
				in->reason = "a jump table needs code";
				return OBJECT_EUNSUPPORTED;
			}
		}
		/* those inside must be able to pass by what is for those from outside */
		bool outside = in->enters[b - f->blocks].count > 0 || (in->frame && b == f->blocks);
		bool label = commit_label_edge(in, b) != GRAPH_NONE;
		if (!outside && !label)
			continue;
		if (in->behind && b == f->blocks && g->blocks[b].ways > 0) {
			in->reason = "its entry is a loop's head and saves registers";
			return OBJECT_EUNSUPPORTED;
		}
		for (uint32_t e = f->edge_first; e < f->edge_first + f->edge_count; e++) {
			if (outside && g->edges[e].to == b && g->edges[e].kind == GRAPH_TABLE) {
				in->reason = "a jump table leads to a block that is entered from outside too";
				return OBJECT_EUNSUPPORTED;
			}
		}
		for (uint32_t from = f->blocks; from < f->blocks + f->block_count; from++) {
			const struct graph_block *other = &g->blocks[from];
			for (uint32_t e = other->edges; e < other->edges + other->edge_count; e++) {
				if (g->edges[e].to != b || other->section == GRAPH_NONE)
					continue;
				const struct edit_atom *last = &in->e->sections[other->section].atoms[other->last];
				if (other->section != block->section ||
				    (g->edges[e].kind != GRAPH_FALL && last->kind != EDIT_INSN)) {
					in->reason = "an entry is jumped to from another section";
					return OBJECT_EUNSUPPORTED;
				}
			}
		}
	}
	return OBJECT_OK;
}

static bool edge_leaves(const struct inserter *in, uint32_t e)
{
	const struct graph_edge *edge = &in->g->edges[e];
	return in->frame && edge->to == GRAPH_NONE && edge->kind != GRAPH_NO_RETURN;
}

/* The code of an edge as words; live: where it stands. */
static void edge_words(struct words *o, uint32_t from, uint32_t e, uint32_t live)
{
	const struct inserter *in = o->in;
	const struct graph_edge *edge = &in->g->edges[e];
	const struct request *r = &in->edges[e - in->f->edge_first];
	o->heat = commit_edge_weight(in, e);
	o->block = from;
	o->to = edge->to;
	o->atom = in->g->blocks[from].last + (edge->kind == GRAPH_TAIL_FALL ? 1 : 0);
	if (edge->to != GRAPH_NONE) { /* before or behind a jump: the frame is the same */
		o->block = edge->to;
		o->to = from;
		o->atom = GRAPH_NONE;
	}
	words_codes(o, r->codes, r->count, live);
	if (edge_leaves(in, e))
		words_frame(o, false);
}

/* Code for those from outside, then the label for those inside, then what all execute. */
static int commit_block(struct inserter *in, uint32_t b)
{
	const struct graph_block *block = &in->g->blocks[b];
	const struct request *enter = &in->enters[b - in->f->blocks];
	bool head = b == in->f->blocks, frame = in->frame && head, behind = in->behind && head;
	int error = OBJECT_OK;
	if (block->section == GRAPH_NONE)
		return OBJECT_OK;
	if (frame) {
		struct words o;
		words_init(&o, in, b, GRAPH_NONE);
		words_frame(&o, true);
		error = commit_words(in, block->section, block->first + (behind ? 1 : 0), EDIT_LABEL, &o, NULL);
		if (error == OBJECT_OK)
			error = commit_frame(in, block, true);
	} else if (head && commit_keeps_by_millicode(in))
		error = commit_frame(in, block, false);
	if (error == OBJECT_OK && enter->count > 0) {
		struct words o;
		uint32_t at = block->first + (behind ? 1 : 0), x = block->live_x, f;
		words_init(&o, in, b, at);
		o.heat = commit_heat(in, b, true);
		if (behind)
			graph_live(in->g, b, at, &x, &f);
		else if (head)
			x &= ~graph_dead_at_entry(in->g, in->f);
		words_codes(&o, enter->codes, enter->count, x);
		error = commit_words(in, block->section, at, EDIT_LABEL, &o, NULL);
	}
	uint32_t label = commit_label_edge(in, b);
	if (error == OBJECT_OK && label != GRAPH_NONE) {
		struct words o;
		words_init(&o, in, b, GRAPH_NONE);
		edge_words(&o, b, label, block->live_x);
		error = commit_words(in, block->section, block->first, EDIT_LABEL, &o, NULL);
	}
	unsigned others = in->g->blocks[b].ways - (label != GRAPH_NONE ? 1u : 0u);
	if (error == OBJECT_OK && (frame || enter->count > 0 || label != GRAPH_NONE) && others > 0) {
		struct words o;
		uint32_t piece;
		words_init(&o, in, b, GRAPH_NONE);
		error = commit_words(in, block->section, block->first, EDIT_LABEL, &o, &piece);
		in->inside[b - in->f->blocks] = piece + 1;
	}
	return error;
}

/* What all do who execute a block, behind what they do on the way into it. */
static int commit_start(struct inserter *in, uint32_t b)
{
	const struct graph_block *block = &in->g->blocks[b];
	const struct request *start = &in->starts[b - in->f->blocks];
	bool behind = in->behind && b == in->f->blocks;
	int error = OBJECT_OK;
	if (block->section != GRAPH_NONE && start->count > 0) {
		struct words o;
		uint32_t at = block->first + (behind ? 1 : 0), x = block->live_x, f;
		words_init(&o, in, b, at);
		o.heat = commit_heat(in, b, false);
		if (behind)
			graph_live(in->g, b, at, &x, &f);
		words_codes(&o, start->codes, start->count, x);
		error = commit_words(in, block->section, at, EDIT_LABEL, &o, NULL);
	}
	return error;
}

static int commit_instants(struct inserter *in)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < in->instant_count && error == OBJECT_OK; i++) {
		const struct request_at *r = &in->instants[i];
		uint32_t at = r->atom + (r->after ? 1 : 0), x, f;
		struct words o;
		words_init(&o, in, r->block, at);
		o.heat = commit_heat(in, r->block, false);
		graph_live(in->g, r->block, at, &x, &f);
		words_codes(&o, r->request.codes, r->request.count, x);
		error =
		    commit_words(in, in->g->blocks[r->block].section, at, r->after ? EDIT_FALL : EDIT_LABEL, &o, NULL);
	}
	return error;
}

static bool needs_code(const struct inserter *in, uint32_t e)
{
	return in->edges[e - in->f->edge_first].count > 0 || edge_leaves(in, e);
}

/* Before the last instruction of the block: all who execute it take this edge. */
static int commit_before(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph_block *block = &in->g->blocks[b];
	uint32_t x, f;
	struct words o;
	words_init(&o, in, b, block->last);
	graph_live(in->g, b, block->last, &x, &f);
	edge_words(&o, b, e, x);
	return commit_words(in, block->section, block->last, EDIT_LABEL, &o, NULL);
}

/* A stub of a branch that leaves the function ends with what the branch said. */
static void put_exit(struct words *o, const struct graph_block *from)
{
	const struct inserter *in = o->in;
	const struct edit_section *s = commit_section(in, from);
	const struct edit_atom *last = &s->atoms[from->last];
	struct edit_word *w = words_open(o, ISA_JAL, 0, 0, 0);
	if (last->symbol == 0) {
		w->to = EDIT_TO_LABEL;
		w->target = last->target;
		return;
	}
	w->type = R_RISCV_JAL;
	w->symbol = last->symbol;
	for (uint32_t i = 0; i < last->relocs; i++) {
		const struct object_reloc *r = &in->e->object->sections[s->number].relocs[last->reloc + i];
		w->addend = r->symbol == last->symbol ? r->addend : w->addend;
	}
}

/* The first atom of the padding before a block, or of the block: what is put there is before both. */
static uint32_t head_atom_of(const struct inserter *in, const struct graph_block *block)
{
	return commit_before_padding(in, commit_section(in, block), block->first);
}

/* Right before the target, if nothing falls into it, or less often than this is taken. */
static bool fits_before(struct inserter *in, uint32_t e, bool *jump_over)
{
	const struct graph *g = in->g;
	uint32_t target = g->edges[e].to;
	const struct graph_block *to = &g->blocks[target];
	uint32_t fall = to->fall;
	const struct edit_section *s = &in->e->sections[to->section];
	bool falls = commit_falls_into(in, s, to->first);
	bool first_here =
	    s->atoms[head_atom_of(in, to)].pieces[EDIT_FALL] == 0 || (fall != GRAPH_NONE && needs_code(in, fall));
	*jump_over = falls;
	/* the marker of a stub that falls in: a second one jumps */
	return in->inside[target - in->f->blocks] == 0 && first_here && s->atoms[to->first].exact_symbol == 0 &&
	       (!falls || (fall != GRAPH_NONE && commit_edge_weight(in, fall) < commit_edge_weight(in, e)));
}

/* A taken branch, or a table's entry: behind the label of the target, or a stub. */
static int commit_taken(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph *g = in->g;
	const struct graph_edge *edge = &g->edges[e];
	bool table = edge->kind == GRAPH_TABLE, over;
	const struct graph_block *from = &g->blocks[b];
	uint32_t section = from->section, near = from->last, piece;
	int error = OBJECT_OK;
	struct words o;
	words_init(&o, in, b, GRAPH_NONE);
	if (edge->to == GRAPH_NONE) { /* a conditional branch out of the function: what it leaves live */
		edge_words(&o, b, e, 0xFFFFFFFEu);
		put_exit(&o, from);
	} else {
		const struct graph_block *to = &g->blocks[edge->to];
		section = to->section;
		near = to->first;
		edge_words(&o, b, e, to->live_x);
		if (to->ways == 1 && !to->root && in->inside[edge->to - in->f->blocks] == 0 &&
		    (table || !g->blocks[edge->to].named))
			return commit_words(in, section, to->first, EDIT_LABEL, &o, NULL);
		if (fits_before(in, e, &over)) {
			if (over) {
				struct words jump;
				words_init(&jump, in, edge->to, GRAPH_NONE);
				commit_jump(&jump, edge->to);
				error = commit_words(in, section, head_atom_of(in, to), EDIT_FALL, &jump, NULL);
			}
			in->e->sections[section].atoms[to->first].exact_symbol = 1;
			in->e->sections[section].atoms[head_atom_of(in, to)].exact_symbol = 1;
			if (error == OBJECT_OK)
				error = commit_words(in, section, head_atom_of(in, to), EDIT_FALL, &o, &piece);
			else
				words_free(&o);
			if (error == OBJECT_OK && table)
				return commit_entries(in, b, edge->to, piece);
			if (error == OBJECT_OK)
				edit_redirect(&commit_section(in, from)->atoms[from->last], piece);
			return error;
		}
		commit_jump(&o, edge->to);
	}
	uint32_t place;
	error = commit_stub_place(in, section, near, &place);
	if (error != OBJECT_OK) {
		words_free(&o);
		return error;
	}
	error = commit_words(in, section, place, EDIT_FALL, &o, &piece);
	if (error == OBJECT_OK && section == from->section)
		edit_like(in->e, piece, &in->e->sections[section].atoms[from->last]);
	else if (error == OBJECT_OK)
		edit_like(in->e, piece, &in->e->sections[section].atoms[g->blocks[edge->to].first]);
	if (error == OBJECT_OK && table)
		return commit_entries(in, b, edge->to, piece);
	if (error == OBJECT_OK)
		edit_redirect(&commit_section(in, from)->atoms[from->last], piece);
	return error;
}

static int commit_fall(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph *g = in->g;
	const struct graph_edge *edge = &g->edges[e];
	const struct graph_block *from = &g->blocks[b];
	struct edit_section *s = commit_section(in, from);
	bool inside = edge->to != GRAPH_NONE && in->inside[edge->to - in->f->blocks] != 0;
	uint32_t live = edge->to != GRAPH_NONE ? g->blocks[edge->to].live_x : 0xFFFFFFFEu;
	uint32_t at = from->last + 1;
	struct words o;
	words_init(&o, in, b, GRAPH_NONE);
	if (edge->to != GRAPH_NONE)
		at = head_atom_of(in, &g->blocks[edge->to]);
	else
		while (at < s->count && s->atoms[at].kind == EDIT_PAD && in->g->block_of[from->section][at] == 0)
			at++;
	if (needs_code(in, e))
		edge_words(&o, b, e, live);
	if (inside)
		commit_jump(&o, edge->to);
	/* a branch to the next instruction: both its ways are this one */
	bool both =
	    from->edge_count == 1 && s->atoms[from->last].flow == EDIT_BRANCH && edge->to != GRAPH_NONE && o.count > 0;
	uint32_t piece;
	int error = commit_words(in, from->section, at, EDIT_FALL, &o, both ? &piece : NULL);
	if (error == OBJECT_OK && both)
		edit_redirect(&s->atoms[from->last], piece);
	return error;
}

static int commit_edge(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph_edge *edge = &in->g->edges[e];
	const struct graph_block *block = &in->g->blocks[b];
	bool inside = edge->to != GRAPH_NONE && in->inside[edge->to - in->f->blocks] != 0;
	bool taken = edge->kind == GRAPH_TAKEN || edge->kind == GRAPH_TAIL_TAKEN || edge->kind == GRAPH_TABLE;
	int error = OBJECT_OK;
	if (edge->kind == GRAPH_TABLE && graph_way_of(in->g, b)->all)
		return OBJECT_OK; /* commit_block() has put it */
	if (taken && needs_code(in, e))
		return commit_taken(in, b, e);
	if (needs_code(in, e))
		error = commit_before(in, b, e);
	if (error == OBJECT_OK && inside && block->section != GRAPH_NONE)
		edit_redirect(&commit_section(in, block)->atoms[block->last], in->inside[edge->to - in->f->blocks] - 1);
	return error;
}

/* Between LR and SC nothing accesses memory. */
static int check_sequences(struct inserter *in)
{
	struct sequence *sequence;
	int error = sequence_open(&sequence, in);
	if (error == OBJECT_OK)
		error = sequence_move_behind(sequence, in);
	if (error == OBJECT_OK)
		in->reason = sequence_refuses(sequence, in);
	sequence_close(sequence);
	return error == OBJECT_OK && in->reason != NULL ? OBJECT_EUNSUPPORTED : error;
}

int inserter_commit(struct inserter *in, const char **reason)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	int error = check_sequences(in);
	if (error == OBJECT_OK)
		error = check_requests(in);
	if (error == OBJECT_OK)
		error = scratch_spare(in, check_requests);
	*reason = in->reason;
	if (error != OBJECT_OK)
		return error;
	if (in->frame)
		frame_patch(in);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == OBJECT_OK; b++)
		error = commit_block(in, b);
	/* What falls first: a stub that falls in too comes behind it. Then what stands behind the label of a target,
	 * what is for the blocks, and last
	 * what stands before a block's last instruction: of a block of one that is the same place. */
	for (int round = 0; round < 3; round++) {
		for (uint32_t b = f->blocks; round == 2 && b < f->blocks + f->block_count && error == OBJECT_OK; b++)
			error = commit_start(in, b);
		if (round == 2 && error == OBJECT_OK)
			error = commit_instants(in);
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == OBJECT_OK; b++) {
			const struct graph_block *block = &g->blocks[b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK;
			     e++) {
				uint8_t kind = g->edges[e].kind;
				bool fall = kind == GRAPH_FALL || kind == GRAPH_TAIL_FALL;
				bool taken = kind == GRAPH_TAKEN || kind == GRAPH_TAIL_TAKEN || kind == GRAPH_TABLE;
				if (fall && round == 0)
					error = commit_fall(in, b, e);
				else if (!fall && round == (taken ? 1 : 2))
					error = commit_edge(in, b, e);
			}
		}
	}
	/* a frame of f is one of f.cold too */
	const bool unwound = in->frame || commit_keeps_by_millicode(in);
	for (uint32_t b = f->blocks + 1; b < f->blocks + f->block_count && error == OBJECT_OK && unwound; b++) {
		const struct graph_block *block = &g->blocks[b];
		if (block->section == GRAPH_NONE || block->section == g->blocks[f->blocks].section)
			continue;
		uint32_t before = block->first == 0 ? 0 : g->block_of[block->section][block->first - 1];
		if (before <= f->blocks || before > f->blocks + f->block_count)
			error = commit_frame(in, block, false);
	}
	if (error == OBJECT_OK)
		error = schedule_function(in);
	if (in->entries != NULL) {
		in->entries->instructions += in->instructions;
		in->entries->spilled += in->spilled;
	}
	/* half of it is put: the object is lost */
	return error == OBJECT_EUNSUPPORTED ? OBJECT_EFORMAT : error;
}
