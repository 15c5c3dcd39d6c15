/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/graph_private.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/graph/sets.h"
#include "host/insert/reserved.h"

/* ---------------------------------------------------------------- growing arrays */
static int grow_graph(void **items, size_t *size, size_t count, size_t item)
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
#define GROW(items, size, count) grow_graph((void **)&(items), &(size), (count), sizeof *(items))

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

static int labels_by_place(const void *a, const void *b)
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
enum { LEADER = 1, ROOT = 2, PAD = 4, TAKEN = 8, ENTRY = 16, CALLED = 32, TARGET = 64, COLD = 128 };

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
	qsort(m->entries, m->entry_count, sizeof *m->entries, labels_by_place);
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
bool graph_place_of(const struct graph *g, uint32_t symbol, int64_t addend, uint32_t *section, size_t *atom)
{
	const struct object_symbol *s = &g->edit->object->symbols[symbol];
	const struct edit_section *at = edit_section(g->edit, s->section);
	if (at == NULL)
		return false;
	*section = g->edit->section_of[s->section] - 1;
	*atom = atom_index(at, s->value + (uint64_t)addend);
	return *atom != SIZE_MAX && at->atoms[*atom].kind != EDIT_END;
}

bool graph_is_branch_reloc(uint32_t type)
{
	return type == R_RISCV_BRANCH || type == R_RISCV_JAL || type == R_RISCV_RVC_BRANCH ||
	       type == R_RISCV_RVC_JUMP || type == R_RISCV_CALL || type == R_RISCV_CALL_PLT ||
	       type == R_RISCV_PCREL_LO12_I || type == R_RISCV_PCREL_LO12_S || type == R_RISCV_RELAX ||
	       type == R_RISCV_ALIGN || type == R_RISCV_SUB32 || type == R_RISCV_SUB64 || type == R_RISCV_SUB8 ||
	       type == R_RISCV_SUB16 || type == R_RISCV_SUB6;
}

/* Whether an entry of an exception table is a landing pad: behind start and length of a call site, 4 bytes each. */
static bool is_landing_pad(const struct object_section *s, size_t k)
{
	const struct object_reloc *r = &s->relocs[k];
	bool start = false, length = false;
	for (size_t b = k; b-- > 0 && s->relocs[b].offset + 8 >= r->offset;) {
		start = start || (s->relocs[b].offset + 8 == r->offset && s->relocs[b].type == R_RISCV_ADD32);
		length = length || (s->relocs[b].offset + 4 == r->offset && s->relocs[b].type == R_RISCV_ADD32);
	}
	return start && length && r->type == R_RISCV_ADD32;
}

static bool is_distance(uint32_t type)
{
	return type == R_RISCV_SUB8 || type == R_RISCV_SUB16 || type == R_RISCV_SUB32 || type == R_RISCV_SUB64 ||
	       type == R_RISCV_SUB6;
}

static bool is_narrow(uint32_t type)
{
	return type == R_RISCV_ADD8 || type == R_RISCV_SUB8 || type == R_RISCV_SET8 || type == R_RISCV_SET6 ||
	       type == R_RISCV_SUB6 || type == R_RISCV_ADD16 || type == R_RISCV_SUB16 || type == R_RISCV_SET16;
}

/* The object of the program that an entry lies in; 0: none, so the compiler made it. The last one found is tried
 * first. */
static uint32_t object_around(const struct object *o, uint32_t section, uint64_t offset, uint32_t last)
{
	for (uint32_t i = 0; i < o->symbol_count; i++) {
		uint32_t at = i == 0 ? last : i;
		const struct object_symbol *s = &o->symbols[at];
		if (at != 0 && s->section == section && object_symbol_type(s) == STT_OBJECT && s->value <= offset &&
		    offset - s->value < s->size)
			return at;
	}
	return 0;
}

/* Takes down that something names a label. Who names a function by its own symbol means the function. */
static int add_taken(struct maker *m, uint32_t section, size_t atom, uint32_t symbol, const struct graph_table *how)
{
	struct graph *g = m->g;
	const struct object_symbol *s = &g->edit->object->symbols[symbol];
	unsigned flags = m->leader[section][atom], type = object_symbol_type(s);
	bool entry = (flags & (ENTRY | COLD)) == ENTRY;
	if (entry && (symbol == 0 || type == STT_FUNC || object_symbol_bind(s) != STB_LOCAL))
		return OBJECT_OK;
	if (!entry)
		m->leader[section][atom] |= LEADER | TAKEN;
	if (GROW(g->takens, g->taken_size, g->taken_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	struct graph_table *taken = &g->takens[g->taken_count++];
	*taken = *how;
	taken->section = section;
	taken->block = (uint32_t)atom;
	taken->offset = g->edit->sections[section].atoms[atom].offset;
	taken->entry = entry;
	return OBJECT_OK;
}

/* Labels that the relocations of a section name, other than those of branches: jump tables, stored addresses,
 * distances, landing pads. */
static int takens_of_section(struct maker *m, uint32_t number)
{
	struct graph *g = m->g;
	struct object *o = g->edit->object;
	const struct object_section *s = &o->sections[number];
	bool exceptions = strncmp(s->name, ".gcc_except_table", 17) == 0;
	int error = object_sort_relocs(o, number); /* tables are read in their order */
	uint32_t around = 0;
	for (size_t k = 0; k < s->reloc_count && error == OBJECT_OK; k++) {
		const struct object_reloc *r = &s->relocs[k];
		uint32_t section;
		size_t atom;
		bool distance = is_distance(r->type);
		if ((graph_is_branch_reloc(r->type) && !distance) ||
		    !graph_place_of(g, r->symbol, r->addend, &section, &atom))
			continue;
		if (exceptions) {
			if (is_landing_pad(s, k))
				m->leader[section][atom] |= LEADER | ROOT | PAD;
			continue;
		}
		around = object_around(o, number, r->offset, around);
		error = add_taken(m, section, atom, r->symbol,
		    &(struct graph_table){.from = number,
			.reloc = k,
			.object = around,
			.distance = distance,
			.narrow = is_narrow(r->type)});
	}
	return error;
}

/* Labels that something other than a branch names. Instructions do by relocations, or, where the linker moves nothing,
 * by an AUIPC that has none. */
static int find_takens(struct maker *m)
{
	const struct edit *e = m->g->edit;
	struct object *o = e->object;
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < o->section_count && error == OBJECT_OK; i++) {
		const struct object_section *s = &o->sections[i];
		if (s->reloc_count > 0 && (s->flags & SHF_ALLOC) != 0 && strcmp(s->name, ".eh_frame") != 0)
			error = takens_of_section(m, i);
	}
	for (uint32_t i = 0; i < e->section_count && error == OBJECT_OK; i++) {
		for (size_t k = 0; k < e->sections[i].count && error == OBJECT_OK; k++) {
			const struct edit_atom *atom = &e->sections[i].atoms[k];
			if (atom->address)
				error = add_taken(
				    m, i, atom_index(&e->sections[i], atom->target), 0, &(struct graph_table){0});
		}
	}
	return error;
}

/* Where the target of a direct transfer is; false: outside, or nothing known. */
bool graph_target_of(const struct graph *g, const struct edit_atom *atom, uint32_t *section, size_t *to)
{
	const struct edit_section *s = atom->section == 0 ? NULL : edit_section(g->edit, atom->section);
	if (s == NULL)
		return false;
	*section = g->edit->section_of[atom->section] - 1;
	*to = atom_index(s, atom->target);
	return *to != SIZE_MAX && s->atoms[*to].kind != EDIT_END;
}

/* Code before the first symbol of its section is nobody's, unless it jumps into the middle of a function, or one jumps
 * there: then it is a part of that one. An entry without a name makes it so. */
static int find_nameless(struct maker *m)
{
	const struct edit *e = m->g->edit;
	size_t *owned = malloc((e->section_count + 1) * sizeof *owned); /* by section: first atom that is somebody's */
	if (owned == NULL)
		return OBJECT_ENOMEM;
	for (size_t i = 0; i < e->section_count; i++)
		owned[i] = e->sections[i].count;
	for (size_t i = m->entry_count; i-- > 0;)
		owned[m->entries[i].section] = atom_index(&e->sections[m->entries[i].section], m->entries[i].offset);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < e->section_count; i++) {
			const struct edit_section *s = &e->sections[i];
			for (size_t k = 0; k < s->count; k++) {
				uint32_t section;
				size_t to;
				if ((s->atoms[k].flow != EDIT_JUMP && s->atoms[k].flow != EDIT_BRANCH) ||
				    !graph_target_of(m->g, &s->atoms[k], &section, &to) ||
				    (m->leader[section][to] & ENTRY) != 0 || (k >= owned[i]) == (to >= owned[section]))
					continue;
				uint32_t whose = k < owned[i] ? i : section;
				const struct edit_section *nameless = &e->sections[whose];
				size_t first = 0;
				while (nameless->atoms[first].kind == EDIT_DATA)
					first++;
				struct entry *larger = realloc(m->entries, (m->entry_count + 1) * sizeof *m->entries);
				if (larger == NULL) {
					free(owned);
					return OBJECT_ENOMEM;
				}
				m->entries = larger;
				m->entries[m->entry_count++] = (struct entry){
				    .section = whose, .offset = nameless->atoms[first].offset, .cold = true};
				owned[whose] = 0;
				more = true;
			}
		}
	}
	free(owned);
	qsort(m->entries, m->entry_count, sizeof *m->entries, labels_by_place);
	return OBJECT_OK;
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
			if (!graph_target_of(m->g, atom, &section, &to))
				continue;
			if (atom->flow == EDIT_CALL) {
				m->leader[section][to] |= LEADER | CALLED;
				continue;
			}
			m->leader[section][to] |= LEADER | TARGET;
			uint32_t a = m->entry_of[i][k], b = m->entry_of[section][to];
			if (a != 0 && b != 0 && a != b &&
			    ((m->leader[section][to] & ENTRY) == 0 || m->entries[b - 1].cold)) {
				a = sets_of(m->part_of, a - 1);
				b = sets_of(m->part_of, b - 1);
				m->part_of[b > a ? b : a] = b > a ? a : b;
			}
		}
	}
}

/* f.cold belongs to f, though only labels of a table may lead there. */
static void join_cold(struct maker *m)
{
	const struct object *o = m->g->edit->object;
	for (uint32_t c = 0; c < m->entry_count; c++) {
		const char *name = object_symbol_name(o, m->entries[c].symbol);
		size_t length = strlen(name);
		if (!m->entries[c].cold || length < 5 || strcmp(name + length - 5, ".cold") != 0)
			continue;
		for (uint32_t i = 0; i < m->entry_count; i++) {
			const char *whole = object_symbol_name(o, m->entries[i].symbol);
			if (strncmp(whole, name, length - 5) != 0 || whole[length - 5] != '\0')
				continue;
			uint32_t a = sets_of(m->part_of, c), b = sets_of(m->part_of, i);
			m->part_of[b > a ? b : a] = b > a ? a : b;
		}
	}
}

/* ---------------------------------------------------------------- blocks and edges */
int graph_add_block(struct graph *g, uint32_t section, uint32_t first)
{
	if (GROW(g->blocks, g->block_size, g->block_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	g->blocks[g->block_count++] = (struct graph_block){.section = section, .first = first, .last = first};
	return OBJECT_OK;
}

int graph_add_edge(struct graph *g, uint32_t to, unsigned kind)
{
	struct graph_block *block = &g->blocks[g->block_count - 1];
	(void)block;
	if (GROW(g->edges, g->edge_size, g->edge_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	g->edges[g->edge_count++] = (struct graph_edge){.to = to, .kind = (uint8_t)kind};
	return OBJECT_OK;
}

/* An instruction that nothing follows. */
static bool stops_flow(const struct isa_insn *insn, const struct edit_atom *atom)
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
		/* padding belongs to what falls into it, unless somebody comes to its beginning */
		if (s->atoms[at].kind == EDIT_DATA ||
		    (s->atoms[at].kind == EDIT_PAD && (m->leader[entry->section][at] & (uint8_t)~LEADER) == 0)) {
			at++;
			continue;
		}
		if (graph_add_block(g, entry->section, (uint32_t)at) != OBJECT_OK)
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
				(insn.class_bits & ISA_RET) != 0 || stops_flow(&insn, atom));
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

bool graph_never_returns(const char *name)
{
	static const char *const names[] = {
	    "_Unwind_Resume", "__cxa_throw", "__cxa_rethrow", "_ZSt9terminatev", "__stack_chk_fail", "__assert_fail"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
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
		return graph_add_edge(g, GRAPH_NONE, GRAPH_RETURN);
	if (last->kind != EDIT_PAD && stops_flow(&insn, last))
		return graph_add_edge(g, GRAPH_NONE, GRAPH_NO_RETURN);
	if (falls) {
		while (next < s->count && s->atoms[next].kind == EDIT_PAD &&
		       m->entry_of[block->section][next] == e + 1 && g->block_of[block->section][next] == 0)
			next++;
		/* a clean-up goes on elsewhere, and the next one lies behind it */
		if (last->flow == EDIT_CALL && next < s->count && (m->leader[block->section][next] & PAD) != 0 &&
		    graph_never_returns(object_symbol_name(g->edit->object, last->symbol)))
			return graph_add_edge(g, GRAPH_NONE, GRAPH_NO_RETURN);
		uint32_t own = next < s->count ? g->block_of[block->section][next] : 0;
		bool inside =
		    own != 0 && m->entry_of[block->section][next] != 0 &&
		    sets_of(m->part_of, m->entry_of[block->section][next] - 1) == sets_of(m->part_of, (uint32_t)e);
		if (inside && (m->leader[block->section][next] & ENTRY) == 0)
			error = graph_add_edge(g, own - 1, GRAPH_FALL);
		else if (inside && !call)
			error = graph_add_edge(g, own - 1, GRAPH_FALL);
		else if (next < s->count && s->atoms[next].kind != EDIT_END && s->atoms[next].kind != EDIT_DATA &&
			 !call)
			error = graph_add_edge(g, GRAPH_NONE, GRAPH_TAIL_FALL);
		else
			error = graph_add_edge(g, GRAPH_NONE, GRAPH_NO_RETURN);
	}
	if (error != OBJECT_OK || (last->flow != EDIT_BRANCH && last->flow != EDIT_JUMP))
		return error;
	bool known = graph_target_of(g, last, &section, &to);
	uint32_t part = known ? m->entry_of[section][to] : 0;
	bool own = part != 0 && sets_of(m->part_of, part - 1) == sets_of(m->part_of, (uint32_t)e) &&
		   g->block_of[section][to] != 0;
	if (own) {
		uint32_t target = g->block_of[section][to] - 1;
		/* a branch to the next instruction has one way to go */
		if (last->flow == EDIT_BRANCH && g->edge_count > block->edges && g->edges[block->edges].to == target)
			return OBJECT_OK;
		return graph_add_edge(g, target, last->flow == EDIT_BRANCH ? GRAPH_TAKEN : GRAPH_JUMP);
	}
	(void)f;
	return graph_add_edge(g, GRAPH_NONE, last->flow == EDIT_BRANCH ? GRAPH_TAIL_TAKEN : GRAPH_TAIL);
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
	/* the part that callers enter comes first */
	size_t entry = head;
	while (entry < m->entry_count && (m->entries[entry].cold || sets_of(m->part_of, (uint32_t)entry) != head))
		entry++;
	if (entry < m->entry_count) {
		f->symbol = m->entries[entry].symbol;
		f->section = g->edit->sections[m->entries[entry].section].number;
		f->offset = m->entries[entry].offset;
		error = blocks_of_part(m, f, entry);
	}
	for (size_t e = head; e < m->entry_count && error == OBJECT_OK; e++) {
		if (e != entry && sets_of(m->part_of, (uint32_t)e) == head)
			error = blocks_of_part(m, f, e);
	}
	f->edge_first = (uint32_t)first;
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
			error = graph_add_edge(g, GRAPH_NONE, GRAPH_RETURN);
			g->blocks[b].edge_count = 1;
		}
	}
	if (error == OBJECT_OK)
		error = graph_find_ways(g, f);
	f = &g->functions[g->function_count - 1];
	f->edge_count = (uint32_t)(g->edge_count - first);
	return error;
}

/* ---------------------------------------------------------------- all */
/* Who comes to each block. */
static void count_ways_in(struct graph *g)
{
	for (size_t b = 0; b < g->block_count; b++)
		g->blocks[b].fall = GRAPH_NONE;
	for (uint32_t e = 0; e < g->edge_count; e++) {
		if (g->edges[e].to == GRAPH_NONE)
			continue;
		struct graph_block *to = &g->blocks[g->edges[e].to];
		to->ways++;
		to->fall = g->edges[e].kind == GRAPH_FALL ? e : to->fall;
	}
	for (size_t i = 0; i < g->taken_count; i++) {
		const struct graph_table *taken = &g->takens[i];
		uint32_t own = g->block_of[taken->section][taken->block];
		if (own != 0 && g->blocks[own - 1].first == taken->block)
			g->blocks[own - 1].named = true;
	}
}

int graph_open(struct graph **out, struct edit *edit, uint32_t reserved)
{
	struct graph *g = calloc(1, sizeof *g);
	struct maker m = {.g = g};
	int error = g == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	*out = NULL;
	if (error != OBJECT_OK)
		return error;
	g->edit = edit;
	g->reserved = reserved;
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
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++)
		m.leader[m.entries[i].section]
			[atom_index(&edit->sections[m.entries[i].section], m.entries[i].offset)] |= LEADER | ENTRY;
	if (error == OBJECT_OK)
		error = find_nameless(&m);
	m.part_of = malloc((m.entry_count + 1) * sizeof *m.part_of);
	if (m.part_of == NULL)
		error = OBJECT_ENOMEM;
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++)
		m.part_of[i] = (uint32_t)i;
	if (error == OBJECT_OK) {
		/* entries first: what names them names no label */
		for (size_t i = 0; i < m.entry_count; i++)
			m.leader[m.entries[i].section][atom_index(&edit->sections[m.entries[i].section],
			    m.entries[i].offset)] |= LEADER | ENTRY | (m.entries[i].cold ? COLD : 0);
		error = find_takens(&m);
	}
	if (error == OBJECT_OK) {
		find_leaders(&m);
		join_cold(&m);
	}
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++) {
		if (sets_of(m.part_of, (uint32_t)i) == i)
			error = make_function(&m, i);
	}
	for (size_t i = 0; error == OBJECT_OK && i < g->function_count; i++)
		error = graph_find_depths(g, &g->functions[i]);
	if (error == OBJECT_OK) {
		count_ways_in(g);
		error = reserved_find(g) ? OBJECT_OK : OBJECT_ENOMEM;
	}
	if (error == OBJECT_OK) {
		for (size_t i = 0; i < g->function_count; i++)
			g->functions[i].kept |= g->reserved;
		error = graph_find_live(g);
	}
	for (size_t i = 0; error == OBJECT_OK && i < g->function_count; i++)
		graph_find_mentioned(g, &g->functions[i]);
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
	free(g->ways);
	free(g);
}
