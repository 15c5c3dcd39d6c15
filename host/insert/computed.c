/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Jumps and calls to computed places of the code: into a row of instructions whose lengths the program knows, as
 * memset() has it for what is left at the end:
 *
 *     slli  a3, a3, 2            an index, not loaded from a table
 *     auipc t0, table            a label
 *     add   a3, a3, t0           their sum
 *     jr    a3               ──► table: sb, sb, sb ...   nothing may be put in between
 *
 * Where a table has distances between labels, what is added was loaded. So the address of a jump is followed back as
 * far as loads: a sum with a part that was computed says that the functions of its labels must stay as they are. What
 * is a part of no sum says nothing: a jump that goes to a label on one way and to p + 8 on another has no such row.
 */
#include <elf.h>
#include <stdlib.h>
#include "host/insert/graph_private.h"
#include "isa/isa.h"

struct computed_address {
	bool index;         /* a part of a sum is neither loaded nor an address */
	bool label;         /* a part of a sum is the address of code */
	const char *reason; /* to be given to the functions of its labels; NULL: they are only looked for */
};

/* Registers that are the address, and those that are parts of a sum in it. */
struct address_parts {
	uint32_t whole, summed;
};

static bool parts_equal(struct address_parts a, struct address_parts b)
{
	return a.whole == b.whole && a.summed == b.summed;
}

static struct address_parts parts_joined(struct address_parts a, struct address_parts b)
{
	return (struct address_parts){a.whole | b.whole, a.summed | b.summed};
}

/* The function that has an atom. */
static struct graph_function *function_with(struct graph *g, uint32_t section, size_t atom)
{
	for (size_t i = 0; i < g->function_count; i++) {
		struct graph_function *f = &g->functions[i];
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct graph_block *block = &g->blocks[b];
			if (block->section == section && block->first <= atom && atom <= block->last)
				return f;
		}
	}
	return NULL;
}

static void note_code_label(struct graph *g, uint32_t section, size_t atom, struct computed_address *address)
{
	const uint8_t kind = g->edit->sections[section].atoms[atom].kind;
	if (kind == EDIT_DATA || kind == EDIT_END)
		return;
	address->label = true;
	if (address->reason == NULL)
		return;
	struct graph_function *f = function_with(g, section, atom);
	if (f == NULL)
		return;
	f->fixed = true;
	if (f->odd == NULL)
		f->odd = address->reason;
}

/* Whether an instruction has a relocation of an address; in a sum, notes the code that it names. */
static bool names_address(struct graph *g, const struct edit_section *s, const struct edit_atom *atom, bool in_sum,
    struct computed_address *address)
{
	bool names = atom->address;
	uint32_t section;
	const struct edit_atom *to = atom->address ? edit_atom_at(s, atom->target) : NULL;
	if (in_sum && to != NULL && to->offset == atom->target)
		note_code_label(g, (uint32_t)(s - g->edit->sections), (size_t)(to - s->atoms), address);
	for (uint32_t i = 0; i < atom->relocs; i++) {
		const struct object_reloc *r = &g->edit->object->sections[s->number].relocs[atom->reloc + i];
		size_t place;
		if (r->type == R_RISCV_RELAX)
			continue;
		names = true;
		if (in_sum && !graph_is_branch_reloc(r->type) &&
		    graph_place_of(g, r->symbol, r->addend, &section, &place))
			note_code_label(g, section, place, address);
	}
	return names;
}

/* What takes the place of a register that an instruction writes: registers, and whether their sum does. */
struct written_parts {
	uint32_t registers;
	bool sum, index; /* it is a sum; it, or a part of it, is computed and no address */
};

static struct written_parts parts_of_result(const struct isa_insn *insn, bool named)
{
	const uint32_t rs1 = 1u << insn->rs1 & ~1u, rs2 = 1u << insn->rs2 & ~1u;
	switch (insn->op) {
	case ISA_ADD:
	case ISA_SUB:
	case ISA_ADD_UW:
		return (struct written_parts){rs1 | rs2, rs1 != 0 && rs2 != 0, false};
	case ISA_SH1ADD:
	case ISA_SH2ADD:
	case ISA_SH3ADD:
	case ISA_SH1ADD_UW:
	case ISA_SH2ADD_UW:
	case ISA_SH3ADD_UW:
		return (struct written_parts){rs2, true, true};
	case ISA_ADDI:
		return (struct written_parts){
		    rs1, !named && insn->imm != 0 && rs1 != 0, !named && (insn->imm != 0 || rs1 == 0)};
	default:
		if ((insn->class_bits & ISA_LOAD) != 0)
			return (struct written_parts){
			    named ? rs1 : 0, false, false}; /* of the table of addresses (GOT) */
		return (struct written_parts){0, false, !named};
	}
}

/* The parts before an instruction, which may write some of those behind it. */
static struct address_parts parts_before_result(struct graph *g, const struct edit_section *s,
    const struct edit_atom *atom, struct address_parts parts, struct computed_address *address)
{
	struct isa_insn insn;
	struct isa_registers regs;
	graph_insn(g, atom, &insn);
	isa_registers(&insn, &regs);
	const uint32_t written = regs.x_written;
	const bool whole = (parts.whole & written) != 0, summed = (parts.summed & written) != 0;
	if (!whole && !summed)
		return parts;
	const bool named = names_address(g, s, atom, summed, address);
	const struct written_parts from = parts_of_result(&insn, named);
	parts.whole &= ~written;
	parts.summed &= ~written;
	address->index = address->index || (from.index && (summed || from.sum));
	if (whole && !from.sum)
		parts.whole |= from.registers;
	if (summed || (whole && from.sum))
		parts.summed |= from.registers;
	return parts;
}

/* The parts of an address before the atoms [first, end), if `parts` are behind them. */
static struct address_parts parts_before(struct graph *g, const struct graph_block *block, uint32_t end,
    struct address_parts parts, struct computed_address *address)
{
	const struct edit_section *s = &g->edit->sections[block->section];
	for (uint32_t at = end; at-- > block->first && (parts.whole | parts.summed) != 0;) {
		const struct edit_atom *atom = &s->atoms[at];
		if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
			continue;
		if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL) {
			const uint32_t lost = GRAPH_CALLER_SAVED | 2u;
			address->index = address->index || (parts.summed & lost) != 0;
			parts = (struct address_parts){parts.whole & ~lost, parts.summed & ~lost};
			continue;
		}
		parts = parts_before_result(g, s, atom, parts, address);
	}
	return parts;
}

/* Follows back what a jump or call by a register goes to. OBJECT_OK or OBJECT_ENOMEM. */
static int follow_address(
    struct graph *g, const struct graph_function *f, uint32_t block, uint32_t atom, struct computed_address *address)
{
	const struct graph_block *jump = &g->blocks[block];
	const struct edit_section *s = &g->edit->sections[jump->section];
	struct isa_insn insn;
	graph_insn(g, &s->atoms[atom], &insn);
	const uint32_t by = 1u << insn.rs1 & ~1u;
	const bool moved = insn.imm != 0 && !names_address(g, s, &s->atoms[atom], false, address);
	address->index = moved;
	const struct address_parts first =
	    parts_before(g, jump, atom, (struct address_parts){moved ? 0 : by, moved ? by : 0}, address);
	if ((first.whole | first.summed) == 0)
		return OBJECT_OK;
	struct address_parts *before = calloc(f->block_count + 1u, sizeof *before);
	struct address_parts *behind = calloc(f->block_count + 1u, sizeof *behind);
	const bool room = before != NULL && behind != NULL;
	if (room) {
		before[block - f->blocks] = first;
		address->index = address->index || (jump->root && first.summed != 0);
	}
	/* Blocks stand in the order of their code: from the last one on, what is behind a block is mostly known. */
	for (bool more = room; more;) {
		more = false;
		for (uint32_t b = f->block_count; b-- > 0;) {
			const struct graph_block *at = &g->blocks[f->blocks + b];
			const struct address_parts was = before[b], known = behind[b];
			for (uint32_t e = at->edges; e < at->edges + at->edge_count; e++) {
				if (g->edges[e].to != GRAPH_NONE)
					behind[b] = parts_joined(behind[b], before[g->edges[e].to - f->blocks]);
			}
			if (parts_equal(behind[b], known))
				continue;
			before[b] = parts_joined(before[b],
			    at->section == GRAPH_NONE ? behind[b]
						      : parts_before(g, at, at->last + 1, behind[b], address));
			address->index = address->index || (at->root && before[b].summed != 0);
			more = more || !parts_equal(before[b], was);
		}
	}
	free(before);
	free(behind);
	return room ? OBJECT_OK : OBJECT_ENOMEM;
}

static bool by_register(const struct edit_atom *atom)
{
	return atom->kind == EDIT_INSN && (atom->flow == EDIT_INDIRECT || atom->flow == EDIT_INDIRECT_CALL);
}

int graph_find_computed(struct graph *g, const struct graph_function *f)
{
	static const char reason[] = "jumps go to computed places of its code";
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++) {
			struct computed_address address = {.label = false};
			if (!by_register(&g->edit->sections[block->section].atoms[at]))
				continue;
			int error = follow_address(g, f, b, at, &address);
			if (error == OBJECT_OK && address.index && address.label) {
				address.reason = reason;
				error = follow_address(g, f, b, at, &address);
			}
			if (error != OBJECT_OK)
				return error;
		}
	}
	return OBJECT_OK;
}
