/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where indirect jumps of a function go: through a table of labels, or out of it.
 *
 * A jump whose table is found (by the relocation of the address that it loads from) goes there. Any other one is a
 * computed goto, if the stack pointer is not that of the entry, or if the address may come from a table of labels of the
 * function, on any way to the jump; else it is a tail call through a pointer.
 */
#include "host/base/array.h"
#include "host/insert/graph_private.h"

#include <elf.h>
#include <stdlib.h>

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
	unsigned steps = 0;
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
		if ((insn.class_bits & ISA_LOAD) != 0)
			*more = insn.imm;
		wanted = (wanted & ~regs.x_written) | regs.x_read;
		if (atom->flow != EDIT_NEXT && atom->flow != EDIT_BRANCH)
			return false;
	}
	return false;
}

static const uint32_t *lonely_blocks(const struct graph *g, const struct graph_function *f)
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

/* Whether a block ends with an indirect jump that is no return. */
static bool through_table(const struct graph *g, const struct graph_block *block)
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

struct way_through {
	bool found; /* an address that it is computed from */
	uint32_t section;
	uint64_t offset;
};

static bool labels_at(const struct graph *g, uint32_t section, uint64_t offset)
{
	for (size_t i = 0; i < g->taken_count; i++) {
		const struct object_section *from = &g->edit->object->sections[g->takens[i].from];
		if (g->takens[i].from == section && from->relocs[g->takens[i].reloc].offset == offset)
			return true;
	}
	return false;
}

/* Whether labels lie at that address: a table begins there. */
static bool find_table(const struct graph *g, const uint32_t *lonely, uint32_t block, struct way_through *way)
{
	*way = (struct way_through){0};
	int64_t more = 0;
	way->found = table_of(g, lonely, block, &way->section, &way->offset, &more);
	if (way->found && labels_at(g, way->section, way->offset + (uint64_t)more)) {
		way->offset += (uint64_t)more;
		return true;
	}
	return way->found && labels_at(g, way->section, way->offset);
}

/* ---------------------------------------------------------------- tail calls and computed gotos */
/* The stack pointer at the last atom of each block, counted from the entry. */
#define STACK_UNKNOWN INT64_MAX
struct stacks {
	int64_t *before; /* of the block, by block of the function */
	bool *known;
};

/* Through a block: the stack pointer behind it; in *jump: before its last atom. */
static int64_t through_block(const struct graph *g, const struct graph_block *block, int64_t sp, int64_t *jump)
{
	const struct edit_section *s = &g->edit->sections[block->section];
	for (uint32_t at = block->first; at <= block->last; at++) {
		struct isa_insn insn;
		struct isa_registers regs;
		*jump = sp;
		if (s->atoms[at].kind == EDIT_PAD)
			continue;
		graph_insn(g, &s->atoms[at], &insn);
		isa_registers(&insn, &regs);
		bool millicode = (insn.class_bits & ISA_CALL) != 0 && insn.rd == 5;
		if ((regs.x_written & 1u << 2) == 0 && !millicode)
			continue;
		bool moves = insn.op == ISA_ADDI && insn.rd == 2 && insn.rs1 == 2;
		sp = moves && sp != STACK_UNKNOWN ? sp + insn.imm : STACK_UNKNOWN;
	}
	return sp;
}

static bool reach(struct stacks *stacks, uint32_t to, int64_t sp)
{
	int64_t want = !stacks->known[to] || stacks->before[to] == sp ? sp : STACK_UNKNOWN;
	if (stacks->known[to] && stacks->before[to] == want)
		return false;
	stacks->known[to] = true;
	stacks->before[to] = want;
	return true;
}

/* Block of the function that a taken label is, counted from its first; GRAPH_NONE. */
static uint32_t taken_block(const struct graph *g, const struct graph_function *f, uint32_t count, size_t i)
{
	uint32_t own = g->block_of[g->takens[i].section][g->takens[i].block];
	return own > f->blocks && own <= f->blocks + count ? own - 1 - f->blocks : GRAPH_NONE;
}

static int find_stacks(const struct graph *g, const struct graph_function *f, uint32_t count, const uint32_t *lonely,
    struct stacks *stacks)
{
	struct way_through way;
	stacks->before = calloc(count + 1u, sizeof *stacks->before);
	stacks->known = calloc(count + 1u, 1);
	if (stacks->before == NULL || stacks->known == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t b = 0; b < count; b++)
		stacks->known[b] = g->blocks[f->blocks + b].root;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = 0; b < count; b++) {
			const struct graph_block *block = &g->blocks[f->blocks + b];
			int64_t jump, sp;
			if (!stacks->known[b])
				continue;
			sp = through_block(g, block, stacks->before[b], &jump);
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				if (g->edges[e].to != GRAPH_NONE)
					more |= reach(stacks, g->edges[e].to - f->blocks, sp);
			}
			bool table = through_table(g, block) && find_table(g, lonely, f->blocks + b, &way);
			for (size_t i = 0; i < g->taken_count && table; i++) {
				uint32_t to = taken_block(g, f, count, i);
				if (to != GRAPH_NONE)
					more |= reach(stacks, to, sp);
			}
		}
	}
	return OBJECT_OK;
}

/* Where the labels end that lie one behind the other from an offset on. */
static uint64_t table_end(const struct graph *g, uint32_t section, uint64_t offset)
{
	const struct object_section *s = &g->edit->object->sections[section];
	uint64_t end = offset;
	for (size_t k = 0; k < s->reloc_count; k++) {
		const struct object_reloc *r = &s->relocs[k];
		uint32_t code;
		size_t atom;
		if (r->offset == end && !graph_is_branch_reloc(r->type) &&
		    graph_place_of(g, r->symbol, r->addend, &code, &atom))
			end += r->type == R_RISCV_64 ? 8 : 4;
	}
	return end;
}

bool graph_in_way(const struct graph *g, const struct graph_way *way, const struct graph_table *taken)
{
	uint64_t place = g->edit->object->sections[taken->from].relocs[taken->reloc].offset;
	return way->all || (taken->from == way->section && place >= way->offset && place < way->end);
}

/* The tables that jumps of the function are found to go through, from g->ways[first] on; a table ends where another
 * begins. */
static int find_ways(struct graph *g, const struct graph_function *f, uint32_t count, const uint32_t *lonely)
{
	size_t first = g->way_count;
	for (uint32_t b = f->blocks; b < f->blocks + count; b++) {
		struct way_through way;
		size_t t = first;
		if (!through_table(g, &g->blocks[b]) || !find_table(g, lonely, b, &way))
			continue;
		while (t < g->way_count && (g->ways[t].section != way.section || g->ways[t].offset != way.offset))
			t++;
		if (t < g->way_count)
			continue;
		if (!array_room(&g->ways, g->way_count + 1, &g->way_size))
			return OBJECT_ENOMEM;
		g->ways[g->way_count++] = (struct graph_way){.block = GRAPH_NONE,
		    .section = way.section,
		    .offset = way.offset,
		    .end = table_end(g, way.section, way.offset)};
	}
	for (size_t t = first; t < g->way_count; t++) {
		for (size_t k = first; k < g->way_count; k++) {
			if (g->ways[k].section == g->ways[t].section && g->ways[k].offset > g->ways[t].offset &&
			    g->ways[k].offset < g->ways[t].end)
				g->ways[t].end = g->ways[k].offset;
		}
	}
	return OBJECT_OK;
}

/* What an address may be made of, on any way to a jump. */
struct origin {
	int64_t more[8]; /* what loads add; the first is 0 */
	unsigned count;
	bool table;
};

/* Whether an instruction makes the address of a table with labels. */
static bool makes_table(
    const struct graph *g, const struct edit_section *s, const struct edit_atom *atom, const struct origin *origin)
{
	const struct object *o = g->edit->object;
	for (uint32_t i = 0; i < atom->relocs; i++) {
		const struct object_reloc *r = &o->sections[s->number].relocs[atom->reloc + i];
		if (r->type != R_RISCV_HI20 && r->type != R_RISCV_PCREL_HI20 && r->type != R_RISCV_LO12_I &&
		    r->type != R_RISCV_GOT_HI20)
			continue;
		const struct object_symbol *symbol = &o->symbols[r->symbol];
		for (unsigned k = 0; k < origin->count; k++) {
			if (labels_at(g, symbol->section, symbol->value + (uint64_t)(r->addend + origin->more[k])))
				return true;
		}
	}
	return false;
}

static void loaded(struct origin *origin, int64_t more)
{
	for (unsigned k = 0; k < origin->count; k++) {
		if (origin->more[k] == more)
			return;
	}
	if (origin->count < sizeof origin->more / sizeof *origin->more)
		origin->more[origin->count++] = more;
}

/* The registers that `wanted` behind a block is made of, before it. */
static uint32_t backwards(
    const struct graph *g, const struct graph_block *block, uint32_t wanted, struct origin *origin)
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
		if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL)
			wanted &= ~(GRAPH_CALLER_SAVED | 2u);
		if ((regs.x_written & wanted) == 0)
			continue;
		if ((insn.class_bits & ISA_LOAD) != 0)
			loaded(origin, insn.imm);
		origin->table = origin->table || makes_table(g, s, atom, origin);
		wanted = (wanted & ~regs.x_written) | (regs.x_read & ~1u);
	}
	return wanted;
}

/* Whether the address that a jump goes to may come from such a table, on any way to it. */
static int from_table(
    const struct graph *g, const struct graph_function *f, uint32_t count, uint32_t jump, struct origin *origin)
{
	const struct graph_block *last = &g->blocks[jump];
	uint32_t *before = calloc(count + 1u, sizeof *before), *behind = calloc(count + 1u, sizeof *behind);
	struct isa_insn insn;
	int error = before == NULL || behind == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	graph_insn(g, &g->edit->sections[last->section].atoms[last->last], &insn);
	for (bool more = error == OBJECT_OK; more;) {
		uint32_t labels = 0;
		more = false;
		behind[jump - f->blocks] |= 1u << insn.rs1;
		for (uint32_t b = 0; b < count; b++) {
			uint32_t was = before[b];
			before[b] |= backwards(g, &g->blocks[f->blocks + b], behind[b], origin);
			more = more || before[b] != was;
			labels |= before[b];
		}
		/* what is wanted before a block is so behind those that lead to it; labels: behind every indirect jump */
		for (uint32_t b = 0; b < count; b++) {
			const struct graph_block *block = &g->blocks[f->blocks + b];
			uint32_t was = behind[b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				if (g->edges[e].to != GRAPH_NONE)
					behind[b] |= before[g->edges[e].to - f->blocks];
			}
			if (through_table(g, block))
				behind[b] |= labels;
			more = more || behind[b] != was;
		}
	}
	free(before);
	free(behind);
	return error;
}

/* Of an indirect jump whose table is not found: 1, it goes to labels of the function; 0, out of it; else an error. */
static int to_labels(
    const struct graph *g, const struct graph_function *f, uint32_t count, const struct stacks *stacks, uint32_t block)
{
	int64_t jump = STACK_UNKNOWN;
	struct origin origin = {.count = 1};
	if (stacks->known[block - f->blocks])
		through_block(g, &g->blocks[block], stacks->before[block - f->blocks], &jump);
	if (jump != STACK_UNKNOWN && jump != 0)
		return 1;
	int error = from_table(g, f, count, block, &origin);
	for (bool again = true; error == OBJECT_OK && again && !origin.table;) { /* with what loads add known */
		unsigned known = origin.count;
		error = from_table(g, f, count, block, &origin);
		again = origin.count != known;
	}
	return error != OBJECT_OK ? error : origin.table;
}

int graph_find_ways(struct graph *g, struct graph_function *f)
{
	uint32_t count = f->block_count;
	size_t first = g->way_count;
	struct stacks stacks = {0};
	struct way_through way;
	bool any = false, together = false;
	int error = OBJECT_OK;
	/* labels of this function that something names */
	for (size_t i = 0; i < g->taken_count && !any; i++)
		any = taken_block(g, f, count, i) != GRAPH_NONE;
	const uint32_t *lonely = any ? lonely_blocks(g, f) : NULL;
	if (any && lonely == NULL)
		error = OBJECT_ENOMEM;
	if (any && error == OBJECT_OK)
		error = find_ways(g, f, count, lonely);
	if (any && error == OBJECT_OK)
		error = find_stacks(g, f, count, lonely, &stacks);
	bool *labels = calloc(count + 1u, 1); /* by block: its jump goes to labels */
	if (labels == NULL)
		error = OBJECT_ENOMEM;
	for (uint32_t b = 0; b < count && error == OBJECT_OK; b++) {
		if (!through_table(g, &g->blocks[f->blocks + b]))
			continue;
		g->edges[g->blocks[f->blocks + b].edges].kind = GRAPH_TAIL;
		if (!any)
			continue;
		labels[b] = find_table(g, lonely, f->blocks + b, &way);
		/* one that goes to any label may go through any table: then all go through one vertex */
		int other = labels[b] ? 0 : to_labels(g, f, count, &stacks, f->blocks + b);
		error = other < 0 ? other : error;
		labels[b] = labels[b] || other > 0;
		together = together || other > 0;
	}
	if (together && error == OBJECT_OK) {
		g->way_count = first;
		if (!array_room(&g->ways, g->way_count + 1, &g->way_size))
			error = OBJECT_ENOMEM;
		else
			g->ways[g->way_count++] = (struct graph_way){.block = GRAPH_NONE, .all = true};
	}
	for (uint32_t b = 0; b < count && error == OBJECT_OK; b++) {
		size_t t = first;
		if (!labels[b])
			continue;
		find_table(g, lonely, f->blocks + b, &way);
		while (!together && (g->ways[t].section != way.section || g->ways[t].offset != way.offset))
			t++;
		if (g->ways[t].block == GRAPH_NONE) {
			g->ways[t].block = (uint32_t)g->block_count;
			error = graph_add_block(g, GRAPH_NONE, 0);
			f->block_count++;
		}
		g->edges[g->blocks[f->blocks + b].edges] =
		    (struct graph_edge){.to = g->ways[t].block, .kind = GRAPH_INTO};
	}
	for (size_t t = first; t < g->way_count && error == OBJECT_OK; t++) {
		uint32_t at = g->ways[t].block;
		if (at == GRAPH_NONE)
			continue;
		g->blocks[at].edges = (uint32_t)g->edge_count;
		for (size_t i = 0; i < g->taken_count && error == OBJECT_OK; i++) {
			uint32_t own = taken_block(g, f, count, i);
			bool twice = own == GRAPH_NONE || !graph_in_way(g, &g->ways[t], &g->takens[i]);
			for (uint32_t e = g->blocks[at].edges; e < g->edge_count && !twice; e++)
				twice = g->edges[e].to == f->blocks + own;
			if (!twice)
				error = graph_add_edge(g, f->blocks + own, GRAPH_TABLE);
		}
		g->blocks[at].edge_count = (uint32_t)g->edge_count - g->blocks[at].edges;
	}
	free((void *)(uintptr_t)lonely);
	free(stacks.before);
	free(stacks.known);
	free(labels);
	return error;
}
