/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where indirect jumps of a function go: through the table of a switch, to labels of the function, or out of it. This
 * is the only place that decides it.
 *
 * A jump whose table is found (by the relocation of the address that it loads from) goes there, and the table serves
 * nobody else if it is a compiler's own: no object of the program. Where anything else names a label of the function (a
 * table of the program, an instruction, either half of a distance), any indirect jump that stays in the function may go
 * to any of its labels: one vertex leads to all of them, and what names them is never changed, since it may be
 * compared, subtracted or copied.
 *
 * A jump stays in the function if the stack pointer is not that of the entry, or if its address comes from a label or a
 * table of labels, and from nothing else, on every way to the jump. It leaves (a tail call through a pointer) if the
 * stack pointer is that of the entry, and labels are only reached with another one, or all of them belong to tables of
 * switches. At any doubt the function is odd: nothing is put into it.
 *
 * Labels may be entered by others too: by a nested function's goto, or by __builtin_longjmp(), which bring the stack
 * pointer back from memory. A function that stores its stack pointer, and whose code takes a label's address, is odd.
 */
#include "host/base/array.h"
#include "host/insert/graph_private.h"
#include "host/insert/values.h"
#include "isa/isa.h"

#include <elf.h>
#include <stdlib.h>

enum jump {
	JUMP_NONE,
	JUMP_TABLE,  /* of a switch */
	JUMP_LABELS, /* to any label of the function */
	JUMP_OUT,
	JUMP_DOUBT /* not decided (yet) */
};

struct finder {
	struct graph *g;
	struct graph_function *f;
	uint32_t count;        /* blocks with code */
	size_t first;          /* of the function's ways */
	uint32_t *lonely;      /* as graph_lonely_blocks() has it */
	uint8_t *jumps;        /* by block: enum jump */
	struct values *states; /* by block: before its first atom */
	bool named, open;      /* a label is named; by something else than the table of a switch */
	bool keeps_sp;         /* the stack pointer is stored */
};

static const struct graph_block *block_at(const struct finder *s, uint32_t b)
{
	return &s->g->blocks[s->f->blocks + b];
}

/* ---------------------------------------------------------------- tables of switches */
/* Where the labels end that lie one behind the other from an offset on. */
static uint64_t labels_end(const struct graph *g, uint32_t section, uint64_t offset)
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
	if (way->all)
		return true;
	if (taken->from == 0 || taken->from != way->section || taken->object != 0 || taken->distance)
		return false;
	uint64_t place = g->edit->object->sections[taken->from].relocs[taken->reloc].offset;
	return place >= way->offset && place < way->end;
}

const struct graph_way *graph_way_of(const struct graph *g, uint32_t vertex)
{
	for (size_t i = 0; i < g->way_count; i++) {
		if (g->ways[i].block == vertex)
			return &g->ways[i];
	}
	return NULL;
}

/* Whether an entry at a place is one of an object of the program, or half of a distance between labels. */
static bool of_program(const struct graph *g, uint32_t section, uint64_t offset)
{
	for (size_t i = 0; i < g->taken_count; i++) {
		const struct graph_table *t = &g->takens[i];
		if (t->from == section && (t->object != 0 || t->distance) &&
		    g->edit->object->sections[section].relocs[t->reloc].offset == offset)
			return true;
	}
	return false;
}

static struct graph_way *way_at(struct finder *s, uint32_t section, uint64_t offset)
{
	for (size_t t = s->first; t < s->g->way_count; t++) {
		if (s->g->ways[t].section == section && s->g->ways[t].offset == offset)
			return &s->g->ways[t];
	}
	return NULL;
}

/* The tables that jumps are found to go through, from g->ways[first] on; a table ends where another begins. */
static int find_tables(struct finder *s)
{
	struct graph *g = s->g;
	for (uint32_t b = 0; b < s->count; b++) {
		uint32_t section;
		uint64_t offset;
		if (!graph_is_indirect(g, block_at(s, b)))
			continue;
		s->jumps[b] = JUMP_DOUBT;
		if (!graph_find_table(g, s->lonely, s->f->blocks + b, &section, &offset))
			continue;
		s->jumps[b] = of_program(g, section, offset) ? JUMP_LABELS : JUMP_TABLE;
		if (s->jumps[b] == JUMP_LABELS || way_at(s, section, offset) != NULL)
			continue;
		if (!array_room(&g->ways, g->way_count + 1, &g->way_size))
			return OBJECT_ENOMEM;
		g->ways[g->way_count++] = (struct graph_way){
		    .block = GRAPH_NONE, .section = section, .offset = offset, .end = labels_end(g, section, offset)};
	}
	for (size_t t = s->first; t < g->way_count; t++) {
		for (size_t k = s->first; k < g->way_count; k++) {
			if (g->ways[k].section == g->ways[t].section && g->ways[k].offset > g->ways[t].offset &&
			    g->ways[k].offset < g->ways[t].end)
				g->ways[t].end = g->ways[k].offset;
		}
	}
	return OBJECT_OK;
}

/* ---------------------------------------------------------------- who names labels */
static bool in_tables(const struct finder *s, const struct graph_table *taken)
{
	for (size_t t = s->first; t < s->g->way_count; t++) {
		if (graph_in_way(s->g, &s->g->ways[t], taken))
			return true;
	}
	return false;
}

/* Something names the first instruction as a label: a jump there is not the same as a call. */
static bool names_entry(const struct finder *s)
{
	for (size_t i = 0; i < s->g->taken_count; i++) {
		const struct graph_table *t = &s->g->takens[i];
		if (t->entry && s->g->block_of[t->section][t->block] == s->f->blocks + 1)
			return true;
	}
	return false;
}

static void find_named(struct finder *s)
{
	for (size_t i = 0; i < s->g->taken_count; i++) {
		const struct graph_table *t = &s->g->takens[i];
		if (graph_taken_block(s->g, s->f, s->count, i) == GRAPH_NONE)
			continue;
		s->named = true;
		s->open = s->open || !in_tables(s, t);
		if (t->narrow)
			s->f->odd = "distances of its labels are kept in 8 or 16 bits";
	}
}

/* Whether an instruction of the function, no table, names one of its labels. */
static bool named_by_code(const struct finder *s)
{
	for (size_t i = 0; i < s->g->taken_count; i++) {
		const struct graph_table *t = &s->g->takens[i];
		if (graph_taken_block(s->g, s->f, s->count, i) != GRAPH_NONE &&
		    (t->from == 0 || edit_section(s->g->edit, t->from) != NULL))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- out of it, or to its labels */
/* What a block leaves; *jump: what is so before its last instruction. */
static void ways_through_block(struct finder *s, uint32_t b, struct values *v, struct values *jump)
{
	const struct graph_block *block = block_at(s, b);
	const struct edit_section *section = &s->g->edit->sections[block->section];
	*v = s->states[b];
	for (uint32_t at = block->first; at <= block->last; at++) {
		struct isa_insn insn;
		*jump = *v;
		if (section->atoms[at].kind == EDIT_PAD)
			continue;
		graph_insn(s->g, &section->atoms[at], &insn);
		const struct value *stored = &v->r[insn.rs2];
		s->keeps_sp = s->keeps_sp || ((insn.class_bits & ISA_STORE) != 0 && stored->kind == VALUE_STACK &&
						 v->r[2].kind == VALUE_STACK && stored->c == v->r[2].c);
		s->keeps_sp = s->keeps_sp || ((insn.class_bits & ISA_STORE) != 0 && insn.rs2 == 2);
		values_step(s->g, &section->atoms[at], v);
	}
}

/* To where a block leads that ends with an indirect jump to labels. */
static bool spread_jump(struct finder *s, uint32_t b, const struct values *v)
{
	bool more = false;
	uint32_t section;
	uint64_t offset;
	const struct graph_way *way = NULL;
	if (s->jumps[b] != JUMP_TABLE && s->jumps[b] != JUMP_LABELS)
		return false;
	if (s->jumps[b] == JUMP_TABLE && graph_find_table(s->g, s->lonely, s->f->blocks + b, &section, &offset))
		way = way_at(s, section, offset);
	for (size_t i = 0; i < s->g->taken_count; i++) {
		uint32_t to = graph_taken_block(s->g, s->f, s->count, i);
		if (to != GRAPH_NONE && (way == NULL || graph_in_way(s->g, way, &s->g->takens[i])))
			more |= values_meet(&s->states[to], v);
	}
	return more;
}

static void spread_values(struct finder *s)
{
	struct values v, jump;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = 0; b < s->count; b++) {
			const struct graph_block *block = block_at(s, b);
			if (s->states[b].r[2].kind == VALUE_NOT_YET)
				continue;
			ways_through_block(s, b, &v, &jump);
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				if (s->g->edges[e].to != GRAPH_NONE)
					more |= values_meet(&s->states[s->g->edges[e].to - s->f->blocks], &v);
			}
			more |= spread_jump(s, b, &v);
		}
	}
}

/* The stack pointer where labels are jumped to: 0: as at the entry, on some jump; else it is another one on all of
 * them. */
static bool labels_lie_deeper(struct finder *s)
{
	struct values v, jump;
	bool any = false;
	for (uint32_t b = 0; b < s->count; b++) {
		if (s->jumps[b] != JUMP_TABLE && s->jumps[b] != JUMP_LABELS)
			continue;
		ways_through_block(s, b, &v, &jump);
		if (jump.r[2].kind != VALUE_STACK || jump.r[2].c == 0)
			return false;
		any = true;
	}
	return any;
}

/* One jump: an error, or whether it was decided. */
static int judge_jump(struct finder *s, uint32_t b, bool deeper)
{
	struct values v, jump;
	int labels = 0;
	if (s->states[b].r[2].kind == VALUE_NOT_YET)
		return 0;
	ways_through_block(s, b, &v, &jump);
	bool known = jump.r[2].kind == VALUE_STACK, entry = known && jump.r[2].c == 0;
	if (known && !entry)
		s->jumps[b] = JUMP_LABELS;
	else if (entry && deeper)
		s->jumps[b] = JUMP_OUT;
	else if ((labels = graph_from_labels(s->g, s->f, s->count, s->f->blocks + b)) == GRAPH_LABELS)
		s->jumps[b] = JUMP_LABELS;
	else if (entry && !s->open && labels == GRAPH_ELSEWHERE)
		s->jumps[b] = JUMP_OUT;
	return labels < 0 ? labels : s->jumps[b] != JUMP_DOUBT;
}

/* Each decision may make blocks known that only labels lead to. What is certain by the stack pointer comes first. */
static int settle_jumps(struct finder *s)
{
	for (unsigned i = 0; i < 32; i++) {
		for (uint32_t b = 0; b < s->count; b++) {
			if (block_at(s, b)->root)
				s->states[b].r[i].kind = VALUE_UNKNOWN;
		}
	}
	for (uint32_t b = 0; b < s->count; b++) {
		if (!block_at(s, b)->root)
			continue;
		s->states[b].r[0] = (struct value){VALUE_CONSTANT, 0};
		if (!block_at(s, b)->pad)
			s->states[b].r[2] = (struct value){VALUE_STACK, 0};
	}
	for (bool more = true; more;) {
		more = false;
		spread_values(s);
		bool deeper = labels_lie_deeper(s);
		for (uint32_t b = 0; b < s->count && !more; b++) {
			int error = s->jumps[b] == JUMP_DOUBT ? judge_jump(s, b, deeper) : 0;
			if (error < 0)
				return error;
			more = error > 0;
		}
	}
	return OBJECT_OK;
}

/* Why nothing can be put into the function. */
static const char *doubt_of_function(const struct finder *s)
{
	bool inside = false, undecided = false;
	for (uint32_t b = 0; b < s->count; b++) {
		inside = inside || s->jumps[b] == JUMP_LABELS || s->jumps[b] == JUMP_TABLE;
		undecided = undecided || s->jumps[b] == JUMP_DOUBT;
	}
	if (undecided && s->named)
		return "it has labels, and a jump that may go to them or out of it";
	if (inside && names_entry(s))
		return "its first instruction is a label that jumps go to";
	if (s->open && !inside)
		return "others may jump to its labels";
	if (s->open && s->keeps_sp && named_by_code(s))
		return "others may jump to its labels with its stack pointer";
	return NULL;
}

/* ---------------------------------------------------------------- vertices */
static int make_vertex(struct finder *s, struct graph_way *way)
{
	if (way->block != GRAPH_NONE)
		return OBJECT_OK;
	way->block = (uint32_t)s->g->block_count;
	s->f->block_count++;
	return graph_add_block(s->g, GRAPH_NONE, 0);
}

/* Each jump goes to its table's vertex, or all of them to the one of all labels. */
static int lead_jumps(struct finder *s, bool together)
{
	struct graph *g = s->g;
	int error = OBJECT_OK;
	for (uint32_t b = 0; b < s->count && error == OBJECT_OK; b++) {
		struct graph_edge *edge = &g->edges[block_at(s, b)->edges];
		uint32_t section;
		uint64_t offset;
		if (s->jumps[b] == JUMP_NONE)
			continue;
		edge->kind = GRAPH_TAIL;
		if (s->jumps[b] == JUMP_OUT || (s->jumps[b] == JUMP_DOUBT && !s->named))
			continue;
		struct graph_way *way = &g->ways[s->first];
		if (!together && graph_find_table(g, s->lonely, s->f->blocks + b, &section, &offset))
			way = way_at(s, section, offset);
		error = make_vertex(s, way);
		*edge = (struct graph_edge){.to = way->block, .kind = GRAPH_INTO};
	}
	return error;
}

static int lead_vertices(struct finder *s)
{
	struct graph *g = s->g;
	int error = OBJECT_OK;
	for (size_t t = s->first; t < g->way_count && error == OBJECT_OK; t++) {
		uint32_t at = g->ways[t].block;
		if (at == GRAPH_NONE)
			continue;
		g->blocks[at].edges = (uint32_t)g->edge_count;
		for (size_t i = 0; i < g->taken_count && error == OBJECT_OK; i++) {
			uint32_t own = graph_taken_block(g, s->f, s->count, i);
			bool twice = own == GRAPH_NONE || !graph_in_way(g, &g->ways[t], &g->takens[i]);
			for (uint32_t e = g->blocks[at].edges; e < g->edge_count && !twice; e++)
				twice = g->edges[e].to == s->f->blocks + own;
			if (!twice)
				error = graph_add_edge(g, s->f->blocks + own, GRAPH_TABLE);
		}
		g->blocks[at].edge_count = (uint32_t)g->edge_count - g->blocks[at].edges;
		/* as a goto out of a nested function: nobody knows what is live there, and no way would be counted */
		if (g->blocks[at].edge_count == 0 && s->f->odd == NULL)
			s->f->odd = "a jump goes to labels of other functions alone";
	}
	return error;
}

static int find_all(struct finder *s)
{
	bool together = false;
	int error = find_tables(s);
	if (error == OBJECT_OK) {
		find_named(s);
		error = settle_jumps(s);
	}
	if (error == OBJECT_OK && s->f->odd == NULL)
		s->f->odd = doubt_of_function(s);
	for (uint32_t b = 0; b < s->count; b++)
		together = together || s->jumps[b] == JUMP_LABELS || (s->jumps[b] == JUMP_DOUBT && s->named);
	together = together || s->open;
	if (error == OBJECT_OK && together) {
		s->g->way_count = s->first;
		if (!array_room(&s->g->ways, s->g->way_count + 1, &s->g->way_size))
			return OBJECT_ENOMEM;
		s->g->ways[s->g->way_count++] = (struct graph_way){.block = GRAPH_NONE, .all = true};
	}
	if (error == OBJECT_OK)
		error = lead_jumps(s, together);
	return error == OBJECT_OK ? lead_vertices(s) : error;
}

int graph_find_ways(struct graph *g, struct graph_function *f)
{
	struct finder s = {.g = g, .f = f, .count = f->block_count, .first = g->way_count};
	bool any = false;
	for (uint32_t b = 0; b < s.count && !any; b++)
		any = graph_is_indirect(g, block_at(&s, b));
	for (size_t i = 0; i < g->taken_count && !any; i++)
		any = graph_taken_block(g, f, s.count, i) != GRAPH_NONE;
	if (!any)
		return OBJECT_OK;
	s.lonely = graph_lonely_blocks(g, f);
	s.jumps = calloc(s.count + 1u, 1);
	s.states = calloc(s.count + 1u, sizeof *s.states);
	int error = s.lonely == NULL || s.jumps == NULL || s.states == NULL ? OBJECT_ENOMEM : find_all(&s);
	free(s.lonely);
	free(s.jumps);
	free(s.states);
	return error;
}
