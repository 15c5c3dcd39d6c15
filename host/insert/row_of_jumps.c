/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Functions whose code keeps its lengths, because something enters it by a number: what jumps to computed places of it
 * (computed.c), and a table of jumps that the machine enters, by the number of an interrupt:
 *
 *     csrw mtvec, vectors | 1        vectors: j  exception      4 bytes each
 *                                             j  wrong
 *     interrupt 3 comes to                    j  wrong
 *     vectors + 12               ──►          j  software       nothing in the program names this place
 *
 * Such a table has a name, and each entry is one instruction of 4 bytes that goes elsewhere. Nobody comes to the second
 * one: no compiler writes that.
 */
#include "host/insert/graph_private.h"
#include "isa/isa.h"

/* One instruction of 4 bytes, which nothing follows. */
static bool is_row_entry(const struct graph *g, const struct graph_block *block)
{
	if (block->section == GRAPH_NONE || block->first != block->last)
		return false;
	const struct edit_atom *atom = &g->edit->sections[block->section].atoms[block->first];
	struct isa_insn insn;
	graph_insn(g, atom, &insn);
	return atom->kind == EDIT_INSN && atom->length == 4 &&
	       (atom->flow == EDIT_JUMP || (insn.class_bits & ISA_RET) != 0);
}

static bool has_row(const struct graph *g, const struct graph_function *f)
{
	for (uint32_t b = f->blocks; b + 1 < f->blocks + f->block_count; b++) {
		const struct graph_block *first = &g->blocks[b], *second = &g->blocks[b + 1];
		const bool known = b == f->blocks || first->root || first->named;
		const bool unknown = second->ways == 0 && !second->root && !second->named;
		if (known && unknown && is_row_entry(g, first) && is_row_entry(g, second) &&
		    first->section == second->section && first->last + 1 == second->first)
			return true;
	}
	return false;
}

void graph_find_row(const struct graph *g, struct graph_function *f)
{
	if (!has_row(g, f))
		return;
	f->fixed = true;
	if (f->odd == NULL)
		f->odd = "something enters its row of jumps by a number";
}

void graph_fix_lengths(const struct graph *g, const struct graph_function *f)
{
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		for (uint32_t a = block->first; block->section != GRAPH_NONE && a <= block->last; a++) {
			struct edit_atom *atom = &g->edit->sections[block->section].atoms[a];
			atom->fixed = a > 0 && atom[-1].fixed != 0 && !block->root ? 2 : 1;
		}
	}
}
