/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Indirect jumps of a function, and what their addresses are made of.
 *
 * Here: what the code before a jump tells of its address. ways.c judges.
 */
#include "host/insert/graph_private.h"

#include <elf.h>
#include <stdlib.h>
#include "isa/isa.h"

/* The table that an indirect jump loads from: (section, offset) of its first entry, by the relocation of the address
 * that it is computed from; looked for backwards through the block and the blocks that alone lead to it. false: not
 * found. Several tables may have one address in common: *more is what the load adds to it. */
static bool table_of(
    const struct graph *g, const uint32_t *lonely, uint32_t block, uint32_t *section, uint64_t *offset, int64_t *more)
{
	const struct object *o = g->edit->object;
	const struct graph_block *b = &g->blocks[block];
	const struct edit_section *s = &g->edit->sections[b->section];
	struct isa_insn insn;
	struct isa_registers regs;
	uint32_t wanted = 0;
	unsigned steps = 0, loads = 0;
	graph_insn(g, &s->atoms[b->last], &insn);
	wanted = 1u << insn.rs1;
	*more = 0;
	for (uint32_t at = b->last; steps++ < 200;) {
		if (at == b->first) {
			uint32_t before = lonely[block];
			if (before == GRAPH_NONE)
				return false;
			block = before;
			b = &g->blocks[block];
			if (b->section == GRAPH_NONE)
				return false;
			s = &g->edit->sections[b->section];
			at = b->last + 1;
		}
		at--;
		const struct edit_atom *atom = &s->atoms[at];
		bool call = atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL;
		if (call && (wanted & (GRAPH_CALLER_SAVED | 2u)) != 0)
			return false; /* what a call gives back comes from anywhere */
		if (atom->kind != EDIT_INSN)
			continue;
		graph_insn(g, atom, &insn);
		isa_registers(&insn, &regs);
		if ((regs.x_written & wanted) == 0)
			continue;
		const struct object_section *code = &o->sections[s->number];
		for (uint32_t i = 0; i < atom->relocs; i++) {
			const struct object_reloc *r = &code->relocs[atom->reloc + i];
			if (r->type != R_RISCV_HI20 && r->type != R_RISCV_PCREL_HI20 && r->type != R_RISCV_LO12_I &&
			    r->type != R_RISCV_GOT_HI20)
				continue;
			const struct object_symbol *symbol = &o->symbols[r->symbol];
			if (symbol->section == 0 || symbol->section >= o->section_count)
				return false;
			*section = symbol->section;
			*offset = symbol->value + (uint64_t)r->addend;
			return true;
		}
		bool load = (insn.class_bits & ISA_LOAD) != 0;
		if (load && loads++ > 0 && atom->relocs == 0)
			return false; /* what it loads is no entry, but where one is */
		if (atom->relocs == 0 && (load || (loads > 0 && insn.op == ISA_ADDI)))
			*more += insn.imm;
		wanted = (wanted & ~regs.x_written) | regs.x_read;
		if (atom->flow != EDIT_NEXT && atom->flow != EDIT_BRANCH)
			return false;
	}
	return false;
}

uint32_t *graph_lonely_blocks(const struct graph *g, const struct graph_function *f)
{
	uint32_t *lonely = malloc((g->block_count + 1) * sizeof *lonely);
	uint32_t *count = calloc(g->block_count + 1, sizeof *count);
	if (lonely != NULL && count != NULL) {
		for (size_t i = 0; i < g->block_count; i++)
			lonely[i] = GRAPH_NONE;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct graph_block *block = &g->blocks[b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				uint32_t to = g->edges[e].to;
				if (to == GRAPH_NONE)
					continue;
				lonely[to] = count[to]++ == 0 ? b : GRAPH_NONE;
			}
		}
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			if (g->blocks[b].root)
				lonely[b] = GRAPH_NONE;
		}
	}
	free(count);
	return lonely;
}

bool graph_is_indirect(const struct graph *g, const struct graph_block *block)
{
	const struct edit_atom *last = &g->edit->sections[block->section].atoms[block->last];
	struct isa_insn insn;
	if (last->flow != EDIT_INDIRECT || last->kind != EDIT_INSN)
		return false;
	graph_insn(g, last, &insn);
	if ((insn.class_bits & ISA_RETURN) == 0 || insn.rs1 == 1)
		return (insn.class_bits & ISA_RETURN) == 0;
	/* by t0: a return of millicode, unless the block itself has made an address there */
	const struct edit_section *s = &g->edit->sections[block->section];
	for (uint32_t at = block->last; at-- > block->first;) {
		struct isa_registers regs;
		graph_insn(g, &s->atoms[at], &insn);
		isa_registers(&insn, &regs);
		if (s->atoms[at].kind == EDIT_INSN && (regs.x_written & 1u << 5) != 0)
			return (insn.class_bits & ISA_LOAD) == 0 || insn.rs1 != 2;
	}
	return false;
}

/* Whether an entry of a table lies at that address: an instruction that names a label is none. */
static bool labels_at(const struct graph *g, uint32_t section, uint64_t offset)
{
	const struct edit_section *code = edit_section(g->edit, section);
	const struct edit_atom *atom = code == NULL ? NULL : edit_atom_at(code, offset);
	for (size_t i = 0; i < g->taken_count && (atom == NULL || atom->kind == EDIT_DATA); i++) {
		const struct object_section *from = &g->edit->object->sections[g->takens[i].from];
		if (g->takens[i].from == section && section != 0 && from->relocs[g->takens[i].reloc].offset == offset)
			return true;
	}
	return false;
}

/* Whether an address is that of a label of the program, of a table's entry, or of an object that has entries. */
static bool names_labels(const struct graph *g, uint32_t section, uint64_t offset)
{
	const struct object_symbol *symbols = g->edit->object->symbols;
	if (labels_at(g, section, offset))
		return true;
	for (size_t i = 0; i < g->taken_count; i++) {
		const struct graph_table *t = &g->takens[i];
		const struct object_symbol *object = &symbols[t->object];
		if (g->edit->sections[t->section].number == section && t->offset == offset)
			return true;
		if (t->object != 0 && t->from == section && offset >= object->value &&
		    offset - object->value < object->size)
			return true;
	}
	return false;
}

bool graph_find_table(
    const struct graph *g, const uint32_t *lonely, uint32_t block, uint32_t *section, uint64_t *offset)
{
	int64_t more = 0;
	if (!table_of(g, lonely, block, section, offset, &more))
		return false;
	*offset += (uint64_t)more;
	return labels_at(g, *section, *offset);
}

uint32_t graph_taken_block(const struct graph *g, const struct graph_function *f, uint32_t count, size_t i)
{
	uint32_t own = g->block_of[g->takens[i].section][g->takens[i].block];
	return !g->takens[i].entry && own > f->blocks && own <= f->blocks + count ? own - 1 - f->blocks : GRAPH_NONE;
}

/* ---------------------------------------------------------------- what an address is made of */
/* What an address may be made of, on any way to a jump. */
struct origin {
	int64_t more[8]; /* what loads add; the first is 0 */
	unsigned count;
	bool carried;      /* asked for what the address itself is made of, not for what an index of it is */
	bool table, doubt; /* it is one of labels, whatever a load adds; or only with some of what loads add */
	bool elsewhere;    /* another address, or a value that the function did not make, is a part of it */
};

/* What it means that an instruction makes an address: one of a label, or of a table with labels. */
static void note_address(const struct graph *g, uint32_t section, uint64_t offset, struct origin *origin)
{
	unsigned named = 0;
	for (unsigned k = 0; k < origin->count; k++)
		named += names_labels(g, section, offset + (uint64_t)origin->more[k]);
	origin->table = origin->table || (named > 0 && named == origin->count);
	origin->doubt = origin->doubt || named > 0;
	origin->elsewhere = origin->elsewhere || named != origin->count;
}

static void makes_table(
    const struct graph *g, const struct edit_section *s, const struct edit_atom *atom, struct origin *origin)
{
	const struct object *o = g->edit->object;
	if (atom->address)
		note_address(g, s->number, atom->target, origin);
	for (uint32_t i = 0; i < atom->relocs; i++) {
		const struct object_reloc *r = &o->sections[s->number].relocs[atom->reloc + i];
		if (r->type != R_RISCV_HI20 && r->type != R_RISCV_PCREL_HI20 && r->type != R_RISCV_LO12_I &&
		    r->type != R_RISCV_GOT_HI20)
			continue;
		const struct object_symbol *symbol = &o->symbols[r->symbol];
		note_address(g, symbol->section, symbol->value + (uint64_t)r->addend, origin);
	}
}

static void add_loaded_origin(struct origin *origin, int64_t more)
{
	for (unsigned k = 0; k < origin->count; k++) {
		if (origin->more[k] == more)
			return;
	}
	if (origin->count < sizeof origin->more / sizeof *origin->more)
		origin->more[origin->count++] = more;
}

/* Which of the registers that an instruction reads an address can come through: an index is shifted, masked,
 * divided. */
static uint32_t carried_registers(const struct isa_insn *insn)
{
	switch (insn->op) {
	case ISA_ADD:
	case ISA_SUB:
		return 1u << insn->rs1 | 1u << insn->rs2;
	case ISA_SH1ADD:
	case ISA_SH2ADD:
	case ISA_SH3ADD:
	case ISA_ADD_UW:
	case ISA_SH1ADD_UW:
	case ISA_SH2ADD_UW:
	case ISA_SH3ADD_UW:
		return 1u << insn->rs2;
	case ISA_ADDI:
		return 1u << insn->rs1;
	default:
		return (insn->class_bits & ISA_LOAD) != 0 ? 1u << insn->rs1 : 0;
	}
}

/* Whether an instruction makes an address of parts that are followed, or of a symbol. */
static bool makes_address(
    const struct graph *g, const struct edit_section *s, const struct edit_atom *atom, const struct isa_insn *insn)
{
	if (insn->op == ISA_ADDI && insn->rs1 == 0)
		return false;
	if (atom->address || carried_registers(insn) != 0)
		return true;
	for (uint32_t i = 0; i < atom->relocs; i++) {
		const uint32_t type = g->edit->object->sections[s->number].relocs[atom->reloc + i].type;
		if (type == R_RISCV_HI20 || type == R_RISCV_PCREL_HI20 || type == R_RISCV_GOT_HI20)
			return true;
	}
	return false;
}

/* The register of which a move, with or without a constant to be added, is a copy; 0: it is none. */
static unsigned copied_register(const struct isa_insn *insn)
{
	if (insn->op == ISA_ADDI)
		return insn->rs1;
	if (insn->op == ISA_ADD && (insn->rs1 == 0 || insn->rs2 == 0))
		return insn->rs1 | insn->rs2;
	return 0;
}

/* Registers, a bit each: what an address is made of, and in the upper half those that hold it itself. */
#define ITSELF(registers) ((uint64_t)(registers) << 32)

/* The registers that `wanted` behind a block is made of, before it. */
static uint64_t origins_before_block(
    const struct graph *g, const struct graph_block *block, uint64_t wanted, struct origin *origin)
{
	const struct edit_section *s = &g->edit->sections[block->section];
	for (uint32_t at = block->last + 1; at-- > block->first && wanted != 0;) {
		const struct edit_atom *atom = &s->atoms[at];
		struct isa_insn insn;
		struct isa_registers regs;
		if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
			continue;
		graph_insn(g, atom, &insn);
		isa_registers(&insn, &regs);
		if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL) {
			const uint64_t lost = GRAPH_CALLER_SAVED | 2u;
			origin->elsewhere = origin->elsewhere || (wanted & lost) != 0;
			wanted &= ~(lost | ITSELF(lost));
		}
		if ((regs.x_written & wanted) == 0)
			continue;
		if ((insn.class_bits & ISA_LOAD) != 0)
			add_loaded_origin(origin, insn.imm);
		makes_table(g, s, atom, origin);
		const bool itself = (wanted & ITSELF(regs.x_written)) != 0;
		/* what an index is made of does not matter, but of the address itself every part must be known */
		origin->elsewhere = origin->elsewhere || (itself && !makes_address(g, s, atom, &insn));
		wanted &= ~(regs.x_written | ITSELF(regs.x_written));
		wanted |= regs.x_read & (origin->carried ? carried_registers(&insn) : UINT32_MAX) & ~1u;
		if (itself && copied_register(&insn) != 0)
			wanted |= ITSELF(1u << copied_register(&insn));
	}
	return wanted;
}

/* Whether the address that a jump goes to may come from such a table, on any way to it. */
static int from_table(
    const struct graph *g, const struct graph_function *f, uint32_t count, uint32_t jump, struct origin *origin)
{
	const struct graph_block *last = &g->blocks[jump];
	uint64_t *before = calloc(count + 1u, sizeof *before), *behind = calloc(count + 1u, sizeof *behind);
	struct isa_insn insn;
	int error = before == NULL || behind == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	graph_insn(g, &g->edit->sections[last->section].atoms[last->last], &insn);
	for (bool more = error == OBJECT_OK; more;) {
		uint64_t labels = 0;
		more = false;
		behind[jump - f->blocks] |= 1u << insn.rs1 | ITSELF(1u << insn.rs1);
		for (uint32_t b = 0; b < count; b++) {
			uint64_t was = before[b];
			before[b] |= origins_before_block(g, &g->blocks[f->blocks + b], behind[b], origin);
			more = more || before[b] != was;
			origin->elsewhere = origin->elsewhere || (g->blocks[f->blocks + b].root && before[b] != 0);
		}
		for (size_t i = 0; i < g->taken_count; i++) {
			uint32_t to = graph_taken_block(g, f, count, i);
			labels |= to == GRAPH_NONE ? 0 : before[to];
		}
		/* what is wanted before a block is so behind those that lead to it; labels: behind every indirect
		 * jump */
		for (uint32_t b = 0; b < count; b++) {
			const struct graph_block *block = &g->blocks[f->blocks + b];
			uint64_t was = behind[b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				if (g->edges[e].to != GRAPH_NONE)
					behind[b] |= before[g->edges[e].to - f->blocks];
			}
			if (graph_is_indirect(g, block))
				behind[b] |= labels;
			more = more || behind[b] != was;
		}
	}
	free(before);
	free(behind);
	return error;
}

/* carried: of the address itself; else of all that it depends on. */
static int origin_of(const struct graph *g, const struct graph_function *f, uint32_t count, uint32_t jump, bool carried,
    struct origin *origin)
{
	int error = OBJECT_OK;
	*origin = (struct origin){.count = 1, .carried = carried};
	for (unsigned known = 0; error == OBJECT_OK && known != origin->count;) { /* until what loads add is known */
		known = origin->count;
		origin->table = origin->doubt = origin->elsewhere = false;
		error = from_table(g, f, count, jump, origin);
	}
	return error;
}

int graph_from_labels(const struct graph *g, const struct graph_function *f, uint32_t count, uint32_t jump)
{
	struct origin itself, all;
	int error = origin_of(g, f, count, jump, true, &itself);
	if (error == OBJECT_OK)
		error = origin_of(g, f, count, jump, false, &all);
	if (error != OBJECT_OK)
		return error;
	if (itself.table && !itself.elsewhere && itself.count < sizeof itself.more / sizeof *itself.more)
		return GRAPH_LABELS;
	bool more = all.count == sizeof all.more / sizeof *all.more;
	return all.table || all.doubt || more ? GRAPH_PERHAPS : GRAPH_ELSEWHERE;
}
