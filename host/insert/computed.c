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
 * far as loads: a sum with a part that was computed says that the functions of its labels must stay as they are.
 */
#include <elf.h>
#include <stdlib.h>
#include "host/insert/graph_private.h"
#include "isa/isa.h"

struct computed_address {
	bool sum, index;    /* it is a sum; a part of it is neither loaded nor an address */
	bool label;         /* a part of it is the address of code */
	const char *reason; /* to be given to the functions of its labels; NULL: they are only looked for */
};

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
	if (f != NULL && f->odd == NULL)
		f->odd = address->reason;
}

/* Whether an instruction has a relocation of an address; notes the code that it names. */
static bool names_address(
    struct graph *g, const struct edit_section *s, const struct edit_atom *atom, struct computed_address *address)
{
	bool names = atom->address;
	uint32_t section;
	const struct edit_atom *to = atom->address ? edit_atom_at(s, atom->target) : NULL;
	if (to != NULL && to->offset == atom->target)
		note_code_label(g, (uint32_t)(s - g->edit->sections), (size_t)(to - s->atoms), address);
	for (uint32_t i = 0; i < atom->relocs; i++) {
		const struct object_reloc *r = &g->edit->object->sections[s->number].relocs[atom->reloc + i];
		size_t place;
		if (r->type == R_RISCV_RELAX)
			continue;
		names = true;
		if (!graph_is_branch_reloc(r->type) && graph_place_of(g, r->symbol, r->addend, &section, &place))
			note_code_label(g, section, place, address);
	}
	return names;
}

/* What takes the place of a register that an instruction writes, as parts of the address. */
static uint32_t parts_of_result(const struct isa_insn *insn, bool named, struct computed_address *address)
{
	const uint32_t rs1 = 1u << insn->rs1 & ~1u, rs2 = 1u << insn->rs2 & ~1u;
	switch (insn->op) {
	case ISA_ADD:
	case ISA_SUB:
	case ISA_ADD_UW:
		address->sum = address->sum || (rs1 != 0 && rs2 != 0);
		return rs1 | rs2;
	case ISA_SH1ADD:
	case ISA_SH2ADD:
	case ISA_SH3ADD:
	case ISA_SH1ADD_UW:
	case ISA_SH2ADD_UW:
	case ISA_SH3ADD_UW:
		address->sum = address->index = true;
		return rs2;
	case ISA_ADDI:
		address->index = address->index || (!named && (insn->imm != 0 || rs1 == 0));
		address->sum = address->sum || (!named && insn->imm != 0 && rs1 != 0);
		return rs1;
	default:
		if ((insn->class_bits & ISA_LOAD) != 0)
			return named ? rs1 : 0; /* of the table of addresses (GOT) */
		address->index = address->index || !named;
		return 0;
	}
}

/* The registers that are parts of an address before the atoms [first, end), if `parts` are behind them. */
static uint32_t parts_before(
    struct graph *g, const struct graph_block *block, uint32_t end, uint32_t parts, struct computed_address *address)
{
	const struct edit_section *s = &g->edit->sections[block->section];
	for (uint32_t at = end; at-- > block->first && parts != 0;) {
		const struct edit_atom *atom = &s->atoms[at];
		struct isa_insn insn;
		struct isa_registers regs;
		if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
			continue;
		if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL) {
			address->index = address->index || (parts & (GRAPH_CALLER_SAVED | 2u)) != 0;
			parts &= ~(GRAPH_CALLER_SAVED | 2u);
			continue;
		}
		graph_insn(g, atom, &insn);
		isa_registers(&insn, &regs);
		if ((regs.x_written & parts) == 0)
			continue;
		parts &= ~regs.x_written;
		parts |= parts_of_result(&insn, names_address(g, s, atom, address), address);
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
	if (insn.imm != 0 && !names_address(g, s, &s->atoms[atom], address))
		address->sum = address->index = true;
	const uint32_t first = parts_before(g, jump, atom, 1u << insn.rs1 & ~1u, address);
	if (first == 0)
		return OBJECT_OK;
	uint32_t *before = calloc(f->block_count + 1u, sizeof *before);
	uint32_t *behind = calloc(f->block_count + 1u, sizeof *behind);
	const bool room = before != NULL && behind != NULL;
	if (room) {
		before[block - f->blocks] = first;
		address->index = address->index || jump->root;
	}
	/* Blocks stand in the order of their code: from the last one on, what is behind a block is mostly known. */
	for (bool more = room; more;) {
		more = false;
		for (uint32_t b = f->block_count; b-- > 0;) {
			const struct graph_block *at = &g->blocks[f->blocks + b];
			const uint32_t was = before[b], known = behind[b];
			for (uint32_t e = at->edges; e < at->edges + at->edge_count; e++) {
				if (g->edges[e].to != GRAPH_NONE)
					behind[b] |= before[g->edges[e].to - f->blocks];
			}
			if (behind[b] == known)
				continue;
			before[b] |= at->section == GRAPH_NONE ? behind[b]
							       : parts_before(g, at, at->last + 1, behind[b], address);
			address->index = address->index || (at->root && before[b] != 0);
			more = more || before[b] != was;
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
			if (error == OBJECT_OK && address.sum && address.index && address.label) {
				address.reason = reason;
				error = follow_address(g, f, b, at, &address);
			}
			if (error != OBJECT_OK)
				return error;
		}
	}
	return OBJECT_OK;
}
