/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/graph.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- growing arrays */
static int grow(void **items, size_t *size, size_t count, size_t item)
{
	if (count < *size)
		return OBJECT_OK;
	size_t larger = *size + *size / 2 + 64;
	void *moved = realloc(*items, larger * item);
	if (moved == NULL)
		return OBJECT_ENOMEM;
	*items = moved;
	*size = larger;
	return OBJECT_OK;
}
#define GROW(items, size, count) grow((void **)&(items), &(size), (count), sizeof *(items))

void graph_insn(const struct graph *g, const struct edit_atom *atom, struct isa_insn *insn)
{
	uint64_t word = atom->word;
	if (atom->kind == EDIT_PAIR) { /* as JALR by the register that the AUIPC makes */
		unsigned link = atom->link, through = atom->word >> 7 & 31;
		word = 0x67u | link << 7 | through << 15;
	}
	isa_decode(word, g->set, insn);
}

/* ---------------------------------------------------------------- functions */
struct entry { /* a symbol at which code begins */
	uint32_t section, symbol;
	uint64_t offset, size;
	bool function, cold;
};

static int by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->section != y->section)
		return x->section > y->section ? 1 : -1;
	if (x->offset != y->offset)
		return x->offset > y->offset ? 1 : -1;
	/* the name that others see first; then sized ones */
	if (x->cold != y->cold)
		return x->cold ? 1 : -1;
	if (x->function != y->function)
		return x->function ? -1 : 1;
	return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

struct maker {
	struct graph *g;
	struct entry *entries; /* distinct places */
	size_t entry_count;
	uint32_t *part_of;   /* union-find over entries */
	uint8_t **leader;    /* by section index and atom: LEADER... */
	uint32_t **entry_of; /* by section index and atom: entry + 1 that covers it */
};
enum { LEADER = 1, ROOT = 2, PAD = 4, TAKEN = 8, ENTRY = 16, CALLED = 32 };

static uint32_t find(uint32_t *set, uint32_t v)
{
	while (set[v] != v) {
		set[v] = set[set[v]];
		v = set[v];
	}
	return v;
}

static bool is_cold(const char *name)
{
	const char *at = strstr(name, ".cold");
	return at != NULL && (at[5] == '\0' || at[5] == '.');
}

static int find_entries(struct maker *m)
{
	const struct object *o = m->g->edit->object;
	m->entries = malloc((o->symbol_count + 1u) * sizeof *m->entries);
	if (m->entries == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		const struct object_symbol *s = &o->symbols[i];
		const struct edit_section *section = edit_section(m->g->edit, s->section);
		unsigned type = object_symbol_type(s);
		const char *name = object_symbol_name(o, i);
		if (section == NULL || (type != STT_FUNC && (type != STT_NOTYPE || object_symbol_bind(s) == STB_LOCAL)))
			continue;
		struct edit_atom *atom = edit_atom_at(section, s->value);
		if (atom == NULL || atom->offset != s->value || atom->kind == EDIT_END || atom->kind == EDIT_DATA)
			continue;
		m->entries[m->entry_count++] = (struct entry){.section = m->g->edit->section_of[s->section] - 1,
		    .symbol = i,
		    .offset = s->value,
		    .size = s->size,
		    .function = type == STT_FUNC,
		    .cold = is_cold(name)};
	}
	qsort(m->entries, m->entry_count, sizeof *m->entries, by_place);
	size_t kept = 0;
	for (size_t i = 0; i < m->entry_count; i++) {
		if (kept > 0 && m->entries[kept - 1].section == m->entries[i].section &&
		    m->entries[kept - 1].offset == m->entries[i].offset)
			continue;
		m->entries[kept++] = m->entries[i];
	}
	m->entry_count = kept;
	return OBJECT_OK;
}

static size_t atom_index(const struct edit_section *section, uint64_t offset)
{
	struct edit_atom *atom = edit_atom_at(section, offset);
	return atom == NULL || atom->offset != offset ? SIZE_MAX : (size_t)(atom - section->atoms);
}

/* The section index and atom that a symbol and addend name; false: not in code, or in the middle of something. */
static bool place_of(const struct graph *g, uint32_t symbol, int64_t addend, uint32_t *section, size_t *atom)
{
	const struct object_symbol *s = &g->edit->object->symbols[symbol];
	const struct edit_section *at = edit_section(g->edit, s->section);
	if (at == NULL)
		return false;
	*section = g->edit->section_of[s->section] - 1;
	*atom = atom_index(at, s->value + (uint64_t)addend);
	return *atom != SIZE_MAX && at->atoms[*atom].kind != EDIT_END;
}

static bool is_branch_reloc(uint32_t type)
{
	return type == R_RISCV_BRANCH || type == R_RISCV_JAL || type == R_RISCV_RVC_BRANCH ||
	       type == R_RISCV_RVC_JUMP || type == R_RISCV_CALL || type == R_RISCV_CALL_PLT ||
	       type == R_RISCV_PCREL_LO12_I || type == R_RISCV_PCREL_LO12_S || type == R_RISCV_RELAX ||
	       type == R_RISCV_ALIGN || type == R_RISCV_SUB32 || type == R_RISCV_SUB64 || type == R_RISCV_SUB8 ||
	       type == R_RISCV_SUB16 || type == R_RISCV_SUB6;
}

/* Labels that something other than a branch names: jump tables, stored addresses, landing pads. */
static int find_takens(struct maker *m)
{
	struct graph *g = m->g;
	const struct object *o = g->edit->object;
	for (uint32_t i = 1; i < o->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		bool exceptions = strncmp(s->name, ".gcc_except_table", 17) == 0;
		if (s->reloc_count == 0 || (s->flags & SHF_ALLOC) == 0 || strcmp(s->name, ".eh_frame") == 0)
			continue;
		for (size_t k = 0; k < s->reloc_count; k++) {
			const struct object_reloc *r = &s->relocs[k];
			uint32_t section;
			size_t atom;
			if (is_branch_reloc(r->type) || !place_of(g, r->symbol, r->addend, &section, &atom))
				continue;
			if (exceptions) {
				/* start, length, landing pad of a call site: 4 bytes each */
				bool start = false, length = false;
				for (size_t b = k; b-- > 0 && s->relocs[b].offset + 8 >= r->offset;) {
					start = start || (s->relocs[b].offset + 8 == r->offset &&
							     s->relocs[b].type == R_RISCV_ADD32);
					length = length || (s->relocs[b].offset + 4 == r->offset &&
							       s->relocs[b].type == R_RISCV_ADD32);
				}
				if (start && length && r->type == R_RISCV_ADD32)
					m->leader[section][atom] |= LEADER | ROOT | PAD;
				continue;
			}
			if ((m->leader[section][atom] & ENTRY) != 0)
				continue;
			m->leader[section][atom] |= LEADER | TAKEN;
			if (GROW(g->takens, g->taken_size, g->taken_count) != OBJECT_OK)
				return OBJECT_ENOMEM;
			g->takens[g->taken_count++] = (struct graph_table){.section = section,
			    .block = (uint32_t)atom,
			    .offset = g->edit->sections[section].atoms[atom].offset,
			    .from = i,
			    .reloc = k};
		}
	}
	return OBJECT_OK;
}

/* Where the target of a direct transfer is; false: outside, or nothing known. */
static bool target_of(const struct graph *g, const struct edit_atom *atom, uint32_t *section, size_t *to)
{
	const struct edit_section *s = atom->section == 0 ? NULL : edit_section(g->edit, atom->section);
	if (s == NULL)
		return false;
	*section = g->edit->section_of[atom->section] - 1;
	*to = atom_index(s, atom->target);
	return *to != SIZE_MAX && s->atoms[*to].kind != EDIT_END;
}

/* Entries own what lies behind them; parts that jump into each other belong together. */
static void find_leaders(struct maker *m)
{
	struct edit *e = m->g->edit;
	for (size_t i = 0; i < m->entry_count; i++) {
		const struct entry *entry = &m->entries[i];
		const struct edit_section *s = &e->sections[entry->section];
		size_t at = atom_index(s, entry->offset);
		m->leader[entry->section][at] |= LEADER | ENTRY;
		for (; at < s->count && (i + 1 == m->entry_count || m->entries[i + 1].section != entry->section ||
					    s->atoms[at].offset < m->entries[i + 1].offset);
		     at++)
			m->entry_of[entry->section][at] = (uint32_t)i + 1;
	}
	for (uint32_t i = 0; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		for (size_t k = 0; k < s->count; k++) {
			const struct edit_atom *atom = &s->atoms[k];
			uint32_t section;
			size_t to;
			if (atom->flow == EDIT_NEXT)
				continue;
			if (atom->flow != EDIT_CALL && atom->flow != EDIT_INDIRECT_CALL)
				m->leader[i][k + 1] |= LEADER;
			if (!target_of(m->g, atom, &section, &to))
				continue;
			if (atom->flow == EDIT_CALL) {
				m->leader[section][to] |= LEADER | CALLED;
				continue;
			}
			m->leader[section][to] |= LEADER;
			uint32_t a = m->entry_of[i][k], b = m->entry_of[section][to];
			if (a != 0 && b != 0 && a != b &&
			    ((m->leader[section][to] & ENTRY) == 0 || m->entries[b - 1].cold)) {
				a = find(m->part_of, a - 1);
				b = find(m->part_of, b - 1);
				m->part_of[b > a ? b : a] = b > a ? a : b;
			}
		}
	}
}

/* ---------------------------------------------------------------- blocks and edges */
static int add_block(struct graph *g, uint32_t section, uint32_t first)
{
	if (GROW(g->blocks, g->block_size, g->block_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	g->blocks[g->block_count++] = (struct graph_block){.section = section, .first = first, .last = first};
	return OBJECT_OK;
}

static int add_edge(struct graph *g, uint32_t to, unsigned kind)
{
	struct graph_block *block = &g->blocks[g->block_count - 1];
	(void)block;
	if (GROW(g->edges, g->edge_size, g->edge_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	g->edges[g->edge_count++] = (struct graph_edge){.to = to, .kind = (uint8_t)kind};
	return OBJECT_OK;
}

/* An instruction that nothing follows. */
static bool stops(const struct isa_insn *insn, const struct edit_atom *atom)
{
	return insn->op == ISA_ILLEGAL || atom->kind == EDIT_DATA || (insn->op == ISA_EBREAK && insn->length == 2);
}

static int blocks_of_part(struct maker *m, struct graph_function *f, size_t e)
{
	struct graph *g = m->g;
	const struct entry *entry = &m->entries[e];
	const struct edit_section *s = &g->edit->sections[entry->section];
	size_t at = atom_index(s, entry->offset);
	while (at < s->count && m->entry_of[entry->section][at] == e + 1 && s->atoms[at].kind != EDIT_END) {
		if (s->atoms[at].kind == EDIT_PAD || s->atoms[at].kind == EDIT_DATA) {
			at++;
			continue;
		}
		if (add_block(g, entry->section, (uint32_t)at) != OBJECT_OK)
			return OBJECT_ENOMEM;
		struct graph_block *block = &g->blocks[g->block_count - 1];
		unsigned flags = m->leader[entry->section][at];
		block->root = (flags & (ROOT | CALLED)) != 0 || ((flags & ENTRY) != 0 && !entry->cold);
		block->pad = (flags & PAD) != 0;
		size_t first = at;
		for (;;) {
			m->g->block_of[entry->section][at] = (uint32_t)g->block_count;
			block->last = (uint32_t)at;
			const struct edit_atom *atom = &s->atoms[at];
			struct isa_insn insn;
			at++;
			graph_insn(g, atom, &insn);
			bool ends =
			    atom->kind != EDIT_PAD &&
			    ((atom->flow != EDIT_NEXT && atom->flow != EDIT_CALL && atom->flow != EDIT_INDIRECT_CALL) ||
				(insn.class_bits & ISA_RET) != 0 || stops(&insn, atom));
			if (ends || at >= s->count || m->entry_of[entry->section][at] != e + 1 ||
			    s->atoms[at].kind == EDIT_END || s->atoms[at].kind == EDIT_DATA)
				break;
			/* a label behind padding: the padding belongs to what falls into it */
			if ((m->leader[entry->section][at] & (uint8_t)~CALLED) != 0 && at != first)
				break;
			if ((m->leader[entry->section][at] & CALLED) != 0)
				break;
		}
		f->block_count++;
	}
	return OBJECT_OK;
}

/* The table that an indirect jump loads from: (section, offset) of its first entry, by the relocation of the address
 * that it is computed from; looked for backwards through the block and the blocks that alone lead to it. false: not
 * found. */
static bool table_of(const struct graph *g, const uint32_t *lonely, uint32_t block, uint32_t *section, uint64_t *offset)
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
			if (r->type != R_RISCV_HI20 && r->type != R_RISCV_PCREL_HI20 && r->type != R_RISCV_LO12_I)
				continue;
			const struct object_symbol *symbol = &o->symbols[r->symbol];
			if (symbol->section == 0 || symbol->section >= o->section_count)
				return false;
			*section = symbol->section;
			*offset = symbol->value + (uint64_t)r->addend;
			return true;
		}
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

static int direct_edges(struct maker *m, struct graph_function *f, uint32_t b, size_t e)
{
	struct graph *g = m->g;
	struct graph_block *block = &g->blocks[b];
	const struct edit_section *s = &g->edit->sections[block->section];
	const struct edit_atom *last = &s->atoms[block->last];
	uint32_t next = block->last + 1, section;
	size_t to;
	struct isa_insn insn;
	int error = OBJECT_OK;
	graph_insn(g, last, &insn);
	block->edges = (uint32_t)g->edge_count;
	bool falls = last->flow == EDIT_NEXT || last->flow == EDIT_CALL || last->flow == EDIT_INDIRECT_CALL ||
		     last->flow == EDIT_BRANCH;
	bool call = last->flow == EDIT_CALL || last->flow == EDIT_INDIRECT_CALL;
	if (last->kind != EDIT_PAD && ((insn.class_bits & ISA_RET) != 0))
		return add_edge(g, GRAPH_NONE, GRAPH_RETURN);
	if (last->kind != EDIT_PAD && stops(&insn, last))
		return add_edge(g, GRAPH_NONE, GRAPH_NO_RETURN);
	if (falls) {
		while (next < s->count && s->atoms[next].kind == EDIT_PAD &&
		       m->entry_of[block->section][next] == e + 1 && g->block_of[block->section][next] == 0)
			next++;
		uint32_t own = next < s->count ? g->block_of[block->section][next] : 0;
		bool inside = own != 0 && m->entry_of[block->section][next] != 0 &&
			      find(m->part_of, m->entry_of[block->section][next] - 1) == find(m->part_of, (uint32_t)e);
		if (inside && (m->leader[block->section][next] & ENTRY) == 0)
			error = add_edge(g, own - 1, GRAPH_FALL);
		else if (inside && !call)
			error = add_edge(g, own - 1, GRAPH_FALL);
		else if (next < s->count && s->atoms[next].kind != EDIT_END && s->atoms[next].kind != EDIT_DATA &&
			 !call)
			error = add_edge(g, GRAPH_NONE, GRAPH_TAIL_FALL);
		else
			error = add_edge(g, GRAPH_NONE, GRAPH_NO_RETURN);
	}
	if (error != OBJECT_OK || (last->flow != EDIT_BRANCH && last->flow != EDIT_JUMP))
		return error;
	bool known = target_of(g, last, &section, &to);
	uint32_t part = known ? m->entry_of[section][to] : 0;
	bool own =
	    part != 0 && find(m->part_of, part - 1) == find(m->part_of, (uint32_t)e) && g->block_of[section][to] != 0;
	if (own) {
		uint32_t target = g->block_of[section][to] - 1;
		/* a branch to the next instruction has one way to go */
		if (last->flow == EDIT_BRANCH && g->edge_count > block->edges && g->edges[block->edges].to == target)
			return OBJECT_OK;
		return add_edge(g, target, last->flow == EDIT_BRANCH ? GRAPH_TAKEN : GRAPH_JUMP);
	}
	(void)f;
	return add_edge(g, GRAPH_NONE, last->flow == EDIT_BRANCH ? GRAPH_TAIL_TAKEN : GRAPH_TAIL);
}

/* Makes the graph of the function whose first part is entry `head`. */
static int make_function(struct maker *m, size_t head)
{
	struct graph *g = m->g;
	if (GROW(g->functions, g->function_size, g->function_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	struct graph_function *f = &g->functions[g->function_count++];
	*f = (struct graph_function){.symbol = m->entries[head].symbol, .blocks = (uint32_t)g->block_count};
	f->section = g->edit->sections[m->entries[head].section].number;
	f->offset = m->entries[head].offset;
	int error = OBJECT_OK;
	size_t first = g->edge_count;
	for (size_t e = head; e < m->entry_count && error == OBJECT_OK; e++) {
		if (find(m->part_of, (uint32_t)e) == head)
			error = blocks_of_part(m, f, e);
	}
	f->edge_first = (uint32_t)first;
	size_t tables = 0;
	struct {
		uint32_t section;
		uint64_t offset;
		uint32_t block;
		bool all;
	} seen[64];
	/* direct edges first: they tell which blocks alone lead to which */
	uint32_t count = f->block_count;
	for (uint32_t b = f->blocks; b < f->blocks + count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &g->blocks[b];
		uint32_t part = m->entry_of[block->section][block->first];
		error = direct_edges(m, f, b, part - 1);
		g->blocks[b].edge_count = (uint32_t)g->edge_count - g->blocks[b].edges;
		/* an indirect jump's edge is its only one: room for it */
		const struct edit_atom *last = &g->edit->sections[g->blocks[b].section].atoms[g->blocks[b].last];
		if (error == OBJECT_OK && last->flow == EDIT_INDIRECT && last->kind == EDIT_INSN) {
			error = add_edge(g, GRAPH_NONE, GRAPH_RETURN);
			g->blocks[b].edge_count = 1;
		}
	}
	const uint32_t *lonely = NULL;
	for (uint32_t b = f->blocks; b < f->blocks + count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &g->blocks[b];
		const struct edit_atom *last = &g->edit->sections[block->section].atoms[block->last];
		struct isa_insn insn;
		if (last->flow != EDIT_INDIRECT || last->kind != EDIT_INSN)
			continue;
		graph_insn(g, last, &insn);
		if ((insn.class_bits & ISA_RETURN) != 0)
			continue;
		/* labels of this function that something names */
		bool any = false;
		for (size_t i = 0; i < g->taken_count && !any; i++) {
			uint32_t own = g->block_of[g->takens[i].section][g->takens[i].block];
			any = own > f->blocks && own <= f->blocks + count;
		}
		g->edges[block->edges].kind = GRAPH_TAIL;
		if (!any)
			continue;
		if (lonely == NULL && (lonely = lonely_blocks(g, f)) == NULL) {
			error = OBJECT_ENOMEM;
			break;
		}
		uint32_t section = 0;
		uint64_t offset = 0;
		bool found = table_of(g, lonely, b, &section, &offset);
		bool mine = false; /* the table begins there */
		for (size_t i = 0; found && i < g->taken_count && !mine; i++)
			mine = g->takens[i].from == section &&
			       g->edit->object->sections[section].relocs[g->takens[i].reloc].offset == offset;
		size_t t = 0;
		while (t < tables &&
		       !(mine ? !seen[t].all && seen[t].section == section && seen[t].offset == offset : seen[t].all))
			t++;
		if (t == tables) {
			if (tables == 64) {
				f->odd = "more than 64 jump tables";
				break;
			}
			seen[tables].section = section;
			seen[tables].offset = offset;
			seen[tables].all = !mine;
			seen[tables++].block = (uint32_t)g->block_count;
			error = add_block(g, GRAPH_NONE, 0);
			f->block_count++;
			if (found && !mine)
				f->odd = "an indirect jump whose table is not known";
		}
		block = &g->blocks[b];
		g->edges[block->edges] = (struct graph_edge){.to = seen[t].block, .kind = GRAPH_INTO};
	}
	for (size_t t = 0; t < tables && error == OBJECT_OK; t++) {
		uint32_t at = seen[t].block;
		g->blocks[at].edges = (uint32_t)g->edge_count;
		uint64_t expected = seen[t].offset;
		for (size_t i = 0; i < g->taken_count && error == OBJECT_OK; i++) {
			const struct graph_table *taken = &g->takens[i];
			const struct object_section *from = &g->edit->object->sections[taken->from];
			uint32_t own = g->block_of[taken->section][taken->block];
			uint64_t place = from->relocs[taken->reloc].offset;
			if (own <= f->blocks || own > f->blocks + count)
				continue;
			if (!seen[t].all) {
				/* one entry behind the other */
				if (taken->from != seen[t].section || place < seen[t].offset || place > expected)
					continue;
				expected = place + (from->relocs[taken->reloc].type == R_RISCV_64 ? 8 : 4);
			}
			bool twice = false;
			for (uint32_t e = g->blocks[at].edges; e < g->edge_count && !twice; e++)
				twice = g->edges[e].to == own - 1;
			if (!twice)
				error = add_edge(g, own - 1, GRAPH_TABLE);
		}
		g->blocks[at].edge_count = (uint32_t)g->edge_count - g->blocks[at].edges;
	}
	free((void *)(uintptr_t)lonely);
	f = &g->functions[g->function_count - 1];
	f->edge_count = (uint32_t)(g->edge_count - first);
	return error;
}

/* ---------------------------------------------------------------- liveness */
#define ALL_X 0xFFFFFFFEu
#define EXIT_F 0x0FFC0F00u /* fs0-fs11, fa0, fa1 and their like */

static void insn_registers(
    const struct graph *g, const struct edit_atom *atom, const struct isa_insn *insn, struct isa_registers *r)
{
	isa_registers(insn, r);
	if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL) {
		bool usual = insn->rd == 1;
		r->x_read |= usual ? GRAPH_ARGUMENTS | 1u << 2 | 1u << 3 | 1u << 4 : ALL_X;
		r->f_read |= usual ? 0x0003FC00u : UINT32_MAX;
		if (usual) {
			r->x_written |= GRAPH_CALLER_SAVED;
			r->f_written |= 0xF003FCFFu;
		}
		if (atom->kind == EDIT_PAIR)
			r->x_read &= ~(1u << (atom->word >> 7 & 31) & ~GRAPH_ARGUMENTS);
	} else if (insn->op == ISA_ECALL || insn->op == ISA_EBREAK) {
		r->x_read |= ALL_X & ~(1u << 5 | 1u << 6 | 1u << 7 | 0xF0000000u);
		r->x_written |= 1u << 10;
	} else if (atom->kind == EDIT_DATA)
		*r = (struct isa_registers){ALL_X, 0, UINT32_MAX, 0};
	(void)g;
}

static uint32_t exit_live(const struct graph_function *f, unsigned kind, const struct isa_insn *last, uint32_t *fl)
{
	*fl = EXIT_F | 0x0003FC00u;
	switch (kind) {
	case GRAPH_RETURN:
		if ((last->class_bits & ISA_RET) != 0 || last->rs1 != 1) {
			*fl = UINT32_MAX;
			return ALL_X;
		}
		return GRAPH_CALLEE_SAVED | 0x1E | 1u << 10 | 1u << 11 | f->kept;
	case GRAPH_NO_RETURN:
		return GRAPH_CALLEE_SAVED | 0x1E | GRAPH_ARGUMENTS;
	case GRAPH_TAIL_FALL:
	case GRAPH_TAIL_TAKEN:
		*fl = UINT32_MAX;
		return ALL_X; /* into something of the same hand-written code, as a rule */
	default:
		return GRAPH_CALLEE_SAVED | 0x1E | GRAPH_ARGUMENTS | f->kept;
	}
}

static void live_through(const struct graph *g, const struct graph_block *b, uint32_t down_to, uint32_t *x, uint32_t *f)
{
	const struct edit_section *s = &g->edit->sections[b->section];
	for (uint32_t at = b->last + 1; at-- > down_to;) {
		const struct edit_atom *atom = &s->atoms[at];
		struct isa_insn insn;
		struct isa_registers r;
		if (atom->kind == EDIT_PAD)
			continue;
		graph_insn(g, atom, &insn);
		insn_registers(g, atom, &insn, &r);
		*x = (*x & ~r.x_written) | r.x_read;
		*f = (*f & ~r.f_written) | r.f_read;
	}
	*x |= 1u << 2;
}

static void live_out(const struct graph *g, const struct graph_function *f, uint32_t block, uint32_t *x, uint32_t *fl)
{
	const struct graph_block *b = &g->blocks[block];
	struct isa_insn insn = {0};
	*x = *fl = 0;
	if (b->section != GRAPH_NONE)
		graph_insn(g, &g->edit->sections[b->section].atoms[b->last], &insn);
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		uint32_t more;
		if (g->edges[e].to != GRAPH_NONE) {
			*x |= g->blocks[g->edges[e].to].live_x;
			*fl |= g->blocks[g->edges[e].to].live_f;
			continue;
		}
		*x |= exit_live(f, g->edges[e].kind, &insn, &more);
		*fl |= more;
	}
}

static const struct graph_function *function_of(const struct graph *g, uint32_t block)
{
	size_t low = 0, high = g->function_count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (g->functions[middle].blocks <= block)
			low = middle;
		else
			high = middle;
	}
	return &g->functions[low];
}

void graph_live(const struct graph *g, uint32_t block, uint32_t atom, uint32_t *x, uint32_t *f)
{
	live_out(g, function_of(g, block), block, x, f);
	if (g->blocks[block].section != GRAPH_NONE)
		live_through(g, &g->blocks[block], atom, x, f);
}

static void find_live(struct graph *g, struct graph_function *f)
{
	bool more = true;
	while (more) {
		more = false;
		for (uint32_t b = f->blocks + f->block_count; b-- > f->blocks;) {
			uint32_t x, fl;
			struct graph_block *block = &g->blocks[b];
			live_out(g, f, b, &x, &fl);
			if (block->section != GRAPH_NONE)
				live_through(g, block, block->first, &x, &fl);
			if (x != block->live_x || fl != block->live_f) {
				block->live_x |= x;
				block->live_f |= fl;
				more = true;
			}
		}
	}
}

/* What callers keep over calls of their own object though the convention lets the callee change it. */
static bool find_kept(struct graph *g)
{
	bool more = false;
	for (size_t i = 0; i < g->function_count; i++) {
		const struct graph_function *f = &g->functions[i];
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct graph_block *block = &g->blocks[b];
			if (block->section == GRAPH_NONE)
				continue;
			const struct edit_section *s = &g->edit->sections[block->section];
			uint32_t x, fl;
			live_out(g, f, b, &x, &fl);
			for (uint32_t at = block->last + 1; at-- > block->first;) {
				const struct edit_atom *atom = &s->atoms[at];
				struct isa_insn insn;
				struct isa_registers r;
				if (atom->kind == EDIT_PAD)
					continue;
				graph_insn(g, atom, &insn);
				uint32_t section;
				size_t to;
				uint32_t kept = x & GRAPH_CALLER_SAVED & ~(1u << 10 | 1u << 11);
				if (atom->flow == EDIT_CALL && kept != 0 && target_of(g, atom, &section, &to) &&
				    g->block_of[section][to] != 0) {
					struct graph_function *callee = (struct graph_function *)(uintptr_t)function_of(
					    g, g->block_of[section][to] - 1);
					more = more || (callee->kept & kept) != kept;
					callee->kept |= kept;
				}
				insn_registers(g, atom, &insn, &r);
				x = (x & ~r.x_written) | r.x_read;
			}
		}
	}
	return more;
}

static void find_mentioned(struct graph *g, struct graph_function *f)
{
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		f->mentioned |= block->live_x;
		if (block->section == GRAPH_NONE)
			continue;
		const struct edit_section *s = &g->edit->sections[block->section];
		for (uint32_t at = block->first; at <= block->last; at++) {
			const struct edit_atom *atom = &s->atoms[at];
			struct isa_insn insn;
			struct isa_registers r;
			if (atom->kind == EDIT_PAD)
				continue;
			graph_insn(g, atom, &insn);
			isa_registers(&insn, &r);
			f->mentioned |= r.x_read | r.x_written;
			if (atom->kind == EDIT_PAIR)
				f->mentioned |= 1u << (atom->word >> 7 & 31);
			f->calls = f->calls || atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL;
			f->writes_gp = f->writes_gp || (r.x_written & 8) != 0;
			if (insn.op == ISA_ECALL)
				f->calls = true;
		}
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			if (g->edges[e].to == GRAPH_NONE) {
				struct isa_insn insn;
				uint32_t fl;
				graph_insn(g, &s->atoms[block->last], &insn);
				f->mentioned |= exit_live(f, g->edges[e].kind, &insn, &fl) & ~GRAPH_CALLEE_SAVED;
			}
		}
	}
	g->writes_gp = g->writes_gp || f->writes_gp;
}

/* Loops by depth-first search: a back edge's target is a head; its body is what reaches the edge without the head. */
static int find_depths(struct graph *g, struct graph_function *f)
{
	uint32_t n = f->block_count, base = f->blocks;
	uint32_t *stack = malloc((n + 1u) * sizeof *stack), *edge = calloc(n + 1u, sizeof *edge);
	uint8_t *state = calloc(n + 1u, 1), *inside = malloc(n + 1u);
	uint32_t *preds = calloc(n + 2u, sizeof *preds), *pred = malloc((f->edge_count + 1u) * sizeof *pred);
	uint32_t *back = malloc((f->edge_count + 1u) * 2 * sizeof *back), backs = 0, total = 0;
	int error = stack == NULL || edge == NULL || state == NULL || inside == NULL || preds == NULL || pred == NULL ||
			    back == NULL
			? OBJECT_ENOMEM
			: OBJECT_OK;
	for (int round = 0; round < 2 && error == OBJECT_OK; round++) {
		for (uint32_t b = 0; b < n; b++) {
			const struct graph_block *block = &g->blocks[base + b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				if (g->edges[e].to == GRAPH_NONE)
					continue;
				uint32_t to = g->edges[e].to - base;
				if (round == 0)
					preds[to + 1]++;
				else
					pred[--preds[to + 1]] = b;
			}
		}
		for (uint32_t b = 0; b < n && round == 0; b++)
			preds[b + 1] += preds[b];
		total = round == 0 ? preds[n] : total;
	}
	/* after the second round preds[b + 1] is the first of b */
	for (uint32_t root = 0; root < n && error == OBJECT_OK; root++) {
		uint32_t depth = 0;
		if (state[root] != 0 || (root != 0 && !g->blocks[base + root].root))
			continue;
		stack[depth++] = root;
		state[root] = 1;
		while (depth > 0) {
			uint32_t b = stack[depth - 1];
			const struct graph_block *block = &g->blocks[base + b];
			if (edge[b] == block->edge_count) {
				state[b] = 2;
				depth--;
				continue;
			}
			uint32_t to = g->edges[block->edges + edge[b]++].to;
			if (to == GRAPH_NONE)
				continue;
			to -= base;
			if (state[to] == 0) {
				state[to] = 1;
				stack[depth++] = to;
			} else if (state[to] == 1) {
				back[2 * backs] = b;
				back[2 * backs++ + 1] = to;
			}
		}
	}
	for (uint32_t i = 0; i < backs && error == OBJECT_OK; i++) {
		/* all back edges of one head at once */
		bool done = false;
		for (uint32_t k = 0; k < i && !done; k++)
			done = back[2 * k + 1] == back[2 * i + 1];
		if (done)
			continue;
		uint32_t depth = 0, head = back[2 * i + 1];
		memset(inside, 0, n);
		inside[head] = 1;
		for (uint32_t k = i; k < backs; k++) {
			if (back[2 * k + 1] == head && !inside[back[2 * k]]) {
				inside[back[2 * k]] = 1;
				stack[depth++] = back[2 * k];
			}
		}
		while (depth > 0) {
			uint32_t b = stack[--depth];
			uint32_t end = b + 1 < n ? preds[b + 2] : total;
			for (uint32_t p = preds[b + 1]; p < end; p++) {
				if (!inside[pred[p]]) {
					inside[pred[p]] = 1;
					stack[depth++] = pred[p];
				}
			}
		}
		for (uint32_t b = 0; b < n; b++)
			g->blocks[base + b].depth += inside[b];
	}
	free(stack);
	free(edge);
	free(state);
	free(inside);
	free(preds);
	free(pred);
	free(back);
	return error;
}

/* ---------------------------------------------------------------- all */
int graph_open(struct graph **out, struct edit *edit)
{
	struct graph *g = calloc(1, sizeof *g);
	struct maker m = {.g = g};
	int error = g == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	*out = NULL;
	if (error != OBJECT_OK)
		return error;
	g->edit = edit;
	g->set = edit->object->xlen == 64 ? ISA_ANY64 : ISA_ANY32;
	size_t n = edit->section_count + 1;
	g->block_of = calloc(n, sizeof *g->block_of);
	m.leader = calloc(n, sizeof *m.leader);
	m.entry_of = calloc(n, sizeof *m.entry_of);
	if (g->block_of == NULL || m.leader == NULL || m.entry_of == NULL)
		error = OBJECT_ENOMEM;
	for (size_t i = 0; i < edit->section_count && error == OBJECT_OK; i++) {
		size_t atoms = edit->sections[i].count + 2;
		g->block_of[i] = calloc(atoms, sizeof **g->block_of);
		m.leader[i] = calloc(atoms, 1);
		m.entry_of[i] = calloc(atoms, sizeof **m.entry_of);
		if (g->block_of[i] == NULL || m.leader[i] == NULL || m.entry_of[i] == NULL)
			error = OBJECT_ENOMEM;
	}
	if (error == OBJECT_OK)
		error = find_entries(&m);
	m.part_of = malloc((m.entry_count + 1) * sizeof *m.part_of);
	if (m.part_of == NULL)
		error = OBJECT_ENOMEM;
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++)
		m.part_of[i] = (uint32_t)i;
	if (error == OBJECT_OK) {
		/* entries first: what names them names no label */
		for (size_t i = 0; i < m.entry_count; i++)
			m.leader[m.entries[i].section][atom_index(
			    &edit->sections[m.entries[i].section], m.entries[i].offset)] |= LEADER | ENTRY;
		error = find_takens(&m);
	}
	if (error == OBJECT_OK)
		find_leaders(&m);
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++) {
		if (find(m.part_of, (uint32_t)i) == i)
			error = make_function(&m, i);
	}
	for (size_t i = 0; error == OBJECT_OK && i < g->function_count; i++)
		error = find_depths(g, &g->functions[i]);
	for (int round = 0; error == OBJECT_OK && round < 8; round++) {
		for (size_t i = 0; i < g->function_count; i++)
			find_live(g, &g->functions[i]);
		if (!find_kept(g))
			break;
	}
	for (size_t i = 0; error == OBJECT_OK && i < g->function_count; i++)
		find_mentioned(g, &g->functions[i]);
	for (size_t i = 0; i < edit->section_count; i++) {
		if (m.leader != NULL)
			free(m.leader[i]);
		if (m.entry_of != NULL)
			free(m.entry_of[i]);
	}
	free(m.leader);
	free(m.entry_of);
	free(m.entries);
	free(m.part_of);
	if (error != OBJECT_OK) {
		graph_close(g);
		return error;
	}
	*out = g;
	return OBJECT_OK;
}

void graph_close(struct graph *g)
{
	if (g == NULL)
		return;
	for (size_t i = 0; g->block_of != NULL && i < g->edit->section_count; i++)
		free(g->block_of[i]);
	free(g->block_of);
	free(g->functions);
	free(g->blocks);
	free(g->edges);
	free(g->takens);
	free(g);
}
