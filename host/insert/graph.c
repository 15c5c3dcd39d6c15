/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/graph_labels.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/decoded.h"
#include "host/graph/sets.h"
#include "host/insert/reserved.h"
#include "isa/isa.h"

/* ---------------------------------------------------------------- growing arrays */
int graph_grow(void **items, size_t *size, size_t count, size_t item)
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
void graph_insn(const struct graph *g, const struct edit_atom *atom, struct isa_insn *insn)
{
	uint64_t word = atom->word;
	if (atom->kind == EDIT_PAIR) { /* as JALR by the register that the AUIPC makes */
		unsigned link = atom->link, through = atom->word >> 7 & 31;
		word = 0x67u | link << 7 | through << 15;
	}
	decode_again(word, g->set, insn);
}

/* ---------------------------------------------------------------- blocks and edges */
int graph_add_block(struct graph *g, uint32_t section, uint32_t first)
{
	if (GRAPH_GROW(g->blocks, g->block_size, g->block_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	g->blocks[g->block_count++] = (struct graph_block){.section = section, .first = first, .last = first};
	return OBJECT_OK;
}

int graph_add_edge(struct graph *g, uint32_t to, unsigned kind)
{
	struct graph_block *block = &g->blocks[g->block_count - 1];
	(void)block;
	if (GRAPH_GROW(g->edges, g->edge_size, g->edge_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	g->edges[g->edge_count++] = (struct graph_edge){.to = to, .kind = (uint8_t)kind};
	return OBJECT_OK;
}

/* An instruction that nothing follows. */
static bool stops_flow(const struct isa_insn *insn, const struct edit_atom *atom)
{
	return insn->op == ISA_ILLEGAL || atom->kind == EDIT_DATA || (insn->op == ISA_EBREAK && insn->length == 2);
}

static int blocks_of_part(struct graph_maker *m, struct graph_function *f, size_t e)
{
	struct graph *g = m->g;
	const struct graph_entry *entry = &m->entries[e];
	const struct edit_section *s = &g->edit->sections[entry->section];
	size_t at = graph_atom_index(s, entry->offset);
	while (at < s->count && m->entry_of[entry->section][at] == e + 1 && s->atoms[at].kind != EDIT_END) {
		/* padding belongs to what falls into it, unless somebody comes to its beginning */
		if (s->atoms[at].kind == EDIT_DATA ||
		    (s->atoms[at].kind == EDIT_PAD && (m->leader[entry->section][at] & (uint8_t)~MARK_LEADER) == 0)) {
			at++;
			continue;
		}
		if (graph_add_block(g, entry->section, (uint32_t)at) != OBJECT_OK)
			return OBJECT_ENOMEM;
		struct graph_block *block = &g->blocks[g->block_count - 1];
		unsigned flags = m->leader[entry->section][at];
		block->root = (flags & (MARK_ROOT | MARK_CALLED)) != 0 || ((flags & MARK_ENTRY) != 0 && !entry->cold);
		block->pad = (flags & MARK_PAD) != 0;
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
			if ((m->leader[entry->section][at] & (uint8_t)~MARK_CALLED) != 0 && at != first)
				break;
			if ((m->leader[entry->section][at] & MARK_CALLED) != 0)
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

static int direct_edges(struct graph_maker *m, struct graph_function *f, uint32_t b, size_t e)
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
		if (last->flow == EDIT_CALL && next < s->count && (m->leader[block->section][next] & MARK_PAD) != 0 &&
		    graph_never_returns(object_symbol_name(g->edit->object, last->symbol)))
			return graph_add_edge(g, GRAPH_NONE, GRAPH_NO_RETURN);
		uint32_t own = next < s->count ? g->block_of[block->section][next] : 0;
		bool inside =
		    own != 0 && m->entry_of[block->section][next] != 0 &&
		    sets_of(m->part_of, m->entry_of[block->section][next] - 1) == sets_of(m->part_of, (uint32_t)e);
		if (inside && (m->leader[block->section][next] & MARK_ENTRY) == 0)
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
static int make_function(struct graph_maker *m, size_t head)
{
	struct graph *g = m->g;
	if (GRAPH_GROW(g->functions, g->function_size, g->function_count) != OBJECT_OK)
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
	struct graph_maker m = {.g = g};
	int error = g == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	*out = NULL;
	if (error != OBJECT_OK)
		return error;
	g->edit = edit;
	g->reserved = reserved;
	g->missing = (edit->object->flags & EF_RISCV_RVE) != 0 ? UINT32_C(0xFFFF0000) : 0;
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
		error = graph_find_entries(&m);
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++)
		m.leader[m.entries[i].section][graph_atom_index(
		    &edit->sections[m.entries[i].section], m.entries[i].offset)] |= MARK_LEADER | MARK_ENTRY;
	if (error == OBJECT_OK)
		error = graph_find_nameless(&m);
	m.part_of = malloc((m.entry_count + 1) * sizeof *m.part_of);
	if (m.part_of == NULL)
		error = OBJECT_ENOMEM;
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++)
		m.part_of[i] = (uint32_t)i;
	if (error == OBJECT_OK) {
		/* entries first: what names them names no label */
		for (size_t i = 0; i < m.entry_count; i++)
			m.leader[m.entries[i].section][graph_atom_index(&edit->sections[m.entries[i].section],
			    m.entries[i].offset)] |= MARK_LEADER | MARK_ENTRY | (m.entries[i].cold ? MARK_COLD : 0);
		error = graph_find_takens(&m);
	}
	if (error == OBJECT_OK) {
		graph_find_leaders(&m);
		graph_join_cold(&m);
	}
	for (size_t i = 0; error == OBJECT_OK && i < m.entry_count; i++) {
		if (sets_of(m.part_of, (uint32_t)i) == i)
			error = make_function(&m, i);
	}
	for (size_t i = 0; error == OBJECT_OK && i < g->function_count; i++)
		error = graph_find_computed(g, &g->functions[i]);
	for (size_t i = 0; error == OBJECT_OK && i < g->function_count; i++)
		error = graph_find_depths(g, &g->functions[i]);
	if (error == OBJECT_OK) {
		count_ways_in(g);
		for (size_t i = 0; i < g->function_count; i++) {
			graph_find_row(g, &g->functions[i]);
			if (g->functions[i].fixed)
				graph_fix_lengths(g, &g->functions[i]);
		}
		error = reserved_find(g) ? OBJECT_OK : OBJECT_ENOMEM;
	}
	if (error == OBJECT_OK) {
		for (size_t i = 0; i < g->function_count; i++)
			g->functions[i].kept |= g->reserved | g->missing;
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
