/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Which registers are live, and which a function mentions. */
#include <stdlib.h>
#include "host/graph/live.h"
#include "host/insert/graph_private.h"
#include "isa/isa.h"

#define ALL_X 0xFFFFFFFEu
#define STACK_POINTER ((graph_registers)1 << 2) /* live everywhere */
#define EXIT_F 0x0FFC0F00u                      /* fs0-fs11, fa0, fa1 and their like */

/* Temporaries in which a function may be given values by callers that know it: t2 to t6, ft0 to ft11. */
#define GIVEN_X 0xF0000080u
#define GIVEN_F 0xF00000FFu

/* The function that a call or a jump goes to, if it is one of the object; NULL. */
static const struct graph_function *callee_of(const struct graph *g, const struct edit_atom *atom)
{
	uint32_t section;
	size_t to;
	if ((atom->flow != EDIT_CALL && atom->flow != EDIT_JUMP) || !graph_target_of(g, atom, &section, &to) ||
	    g->block_of[section][to] == 0)
		return NULL;
	return graph_function_of(g, g->block_of[section][to] - 1);
}

static void insn_registers(
    const struct graph *g, const struct edit_atom *atom, const struct isa_insn *insn, struct isa_registers *r)
{
	isa_registers(insn, r);
	if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL) {
		bool usual = insn->rd == 1;
		r->x_read |= usual ? GRAPH_ARGUMENTS | 1u << 2 | 1u << 3 | 1u << 4 : ALL_X;
		r->f_read |= usual ? 0x0003FC00u : UINT32_MAX;
		if (usual) {
			const struct graph_function *callee = callee_of(g, atom);
			r->x_read |= callee != NULL ? callee->takes_x : 0;
			r->f_read |= callee != NULL ? callee->takes_f : 0;
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
}

static uint32_t exit_live(const struct graph *g, const struct graph_function *f, const struct graph_block *b,
    unsigned kind, const struct isa_insn *last, uint32_t *fl)
{
	const struct graph_function *callee =
	    b->section == GRAPH_NONE ? NULL : callee_of(g, &g->edit->sections[b->section].atoms[b->last]);
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
		*fl |= callee != NULL ? callee->takes_f : 0;
		return GRAPH_CALLEE_SAVED | 0x1E | GRAPH_ARGUMENTS | f->kept | (callee != NULL ? callee->takes_x : 0);
	}
}

/* Goes backwards over the atoms of a block down to `down_to`: what they read and write as one, reads first. */
static void block_registers(const struct graph *g, const struct graph_block *b, uint32_t down_to,
    graph_registers *reads, graph_registers *writes)
{
	const struct edit_section *s = &g->edit->sections[b->section];
	*writes = 0;
	*reads = STACK_POINTER;
	for (uint32_t at = b->last + 1; at-- > down_to;) {
		const struct edit_atom *atom = &s->atoms[at];
		struct isa_insn insn;
		struct isa_registers r;
		if (atom->kind == EDIT_PAD)
			continue;
		graph_insn(g, atom, &insn);
		insn_registers(g, atom, &insn, &r);
		graph_registers written = r.x_written | (graph_registers)r.f_written << 32;
		*writes |= written;
		*reads = (*reads & ~written) | r.x_read | (graph_registers)r.f_read << 32;
	}
	*reads |= STACK_POINTER;
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
		*x |= exit_live(g, f, b, g->edges[e].kind, &insn, &more);
		*fl |= more;
	}
}

const struct graph_function *graph_function_of(const struct graph *g, uint32_t block)
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
	live_out(g, graph_function_of(g, block), block, x, f);
	if (g->blocks[block].section != GRAPH_NONE) {
		graph_registers reads, writes;
		block_registers(g, &g->blocks[block], atom, &reads, &writes);
		*x = (*x & (uint32_t)~writes) | (uint32_t)reads;
		*f = (*f & (uint32_t)(~writes >> 32)) | (uint32_t)(reads >> 32);
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
				if (atom->flow == EDIT_CALL && kept != 0 && graph_target_of(g, atom, &section, &to) &&
				    g->block_of[section][to] != 0) {
					struct graph_function *callee =
					    (struct graph_function *)(uintptr_t)graph_function_of(
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

/* ---------------------------------------------------------------- live before each block */
struct live_room { /* by block of the graph */
	graph_registers *reads, *writes, *leaves, *before;
};

static bool make_live_room(struct live_room *room, const struct graph *g)
{
	graph_registers **arrays[] = {&room->reads, &room->writes, &room->leaves, &room->before};
	bool made = true;
	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = calloc(g->block_count + 1, sizeof **arrays[i]);
		made = made && *arrays[i] != NULL;
	}
	return made;
}

static void find_registers(const struct live_room *room, const struct graph *g)
{
	for (uint32_t b = 0; b < g->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		if (block->section != GRAPH_NONE)
			block_registers(g, block, block->first, &room->reads[b], &room->writes[b]);
	}
}

/* What instructions of a function read that are no calls. */
static graph_registers read_by(const struct graph *g, const struct graph_function *f)
{
	graph_registers all = 0;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++) {
			const struct edit_atom *atom = &g->edit->sections[block->section].atoms[at];
			const struct graph_function *callee = callee_of(g, atom);
			struct isa_insn insn;
			struct isa_registers r;
			all |= callee == NULL || callee == f ? 0
							     : callee->takes_x | (graph_registers)callee->takes_f << 32;
			if (atom->kind == EDIT_PAD || atom->kind == EDIT_DATA)
				continue;
			graph_insn(g, atom, &insn);
			isa_registers(&insn, &r);
			all |= r.x_read | (graph_registers)r.f_read << 32;
		}
	}
	return all;
}

/* What functions are given in temporaries: live at the entry, and read. False: nothing is new. */
static bool find_taken(struct graph *g)
{
	bool more = false;
	for (size_t i = 0; i < g->function_count; i++) {
		struct graph_function *f = &g->functions[i];
		const struct graph_block *entry = &g->blocks[f->blocks];
		uint32_t x = entry->live_x & GIVEN_X, fl = entry->live_f & GIVEN_F;
		if (f->block_count == 0 || (x | fl) == 0)
			continue;
		const graph_registers read = read_by(g, f);
		x &= (uint32_t)read;
		fl &= (uint32_t)(read >> 32);
		more = more || (x & ~f->takes_x) != 0 || (fl & ~f->takes_f) != 0;
		f->takes_x |= x;
		f->takes_f |= fl;
	}
	return more;
}

static void free_live_room(struct live_room *room)
{
	free(room->reads);
	free(room->writes);
	free(room->leaves);
	free(room->before);
}

/* What is live where the edges of a block leave the function: it depends on what the function's callers keep. */
static graph_registers live_leaving(const struct graph *g, const struct graph_function *f, uint32_t block)
{
	const struct graph_block *b = &g->blocks[block];
	graph_registers leaving = 0;
	struct isa_insn insn = {0};
	if (b->section != GRAPH_NONE)
		graph_insn(g, &g->edit->sections[b->section].atoms[b->last], &insn);
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		uint32_t floats;
		if (g->edges[e].to != GRAPH_NONE)
			continue;
		leaving |= exit_live(g, f, b, g->edges[e].kind, &insn, &floats);
		leaving |= (graph_registers)floats << 32;
	}
	return leaving;
}

static bool live_of_function(struct graph *g, const struct graph_function *f, const struct live_room *room)
{
	struct graph_shape shape;
	struct graph_live live = {.reads = room->reads + f->blocks,
	    .writes = room->writes + f->blocks,
	    .leaves = room->leaves + f->blocks,
	    .before = room->before + f->blocks};
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
		room->leaves[b] = live_leaving(g, f, b);
	bool made = graph_shape_of(g, f, &shape) && graph_live_find(&live, &shape);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && made; b++) {
		g->blocks[b].live_x = (uint32_t)room->before[b];
		g->blocks[b].live_f = (uint32_t)(room->before[b] >> 32);
	}
	graph_shape_free(&shape);
	return made;
}

int graph_find_live(struct graph *g)
{
	struct live_room room;
	bool made = make_live_room(&room, g), more = made;
	while (made && more) { /* each round but the last adds a register that some callers keep, or give a value in */
		find_registers(&room, g);
		for (size_t i = 0; i < g->function_count && made; i++)
			made = live_of_function(g, &g->functions[i], &room);
		more = made && find_kept(g);
		more = (made && find_taken(g)) || more;
	}
	free_live_room(&room);
	return made ? OBJECT_OK : OBJECT_ENOMEM;
}

/* ---------------------------------------------------------------- mentioned */
void graph_find_mentioned(struct graph *g, struct graph_function *f)
{
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		if (block->section == GRAPH_NONE) {
			f->mentioned |= block->live_x;
			continue;
		}
		const struct edit_section *s = &g->edit->sections[block->section];
		struct isa_insn head;
		graph_insn(g, &s->atoms[block->first], &head);
		if (head.op == ISA_ILLEGAL) /* zeros behind a function, up to what is aligned */
			continue;
		f->mentioned |= block->live_x;
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
				f->calls = f->calls_system = true;
		}
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			if (g->edges[e].to == GRAPH_NONE) {
				struct isa_insn insn;
				uint32_t fl;
				graph_insn(g, &s->atoms[block->last], &insn);
				f->mentioned |=
				    exit_live(g, f, block, g->edges[e].kind, &insn, &fl) & ~GRAPH_CALLEE_SAVED;
			}
		}
	}
	g->writes_gp = g->writes_gp || f->writes_gp;
}

uint32_t graph_dead_at_entry(const struct graph *g, const struct graph_function *f)
{
	const struct graph_block *head = &g->blocks[f->blocks];
	const struct edit_atom *first = &g->edit->sections[head->section].atoms[head->first];
	struct isa_insn insn;
	graph_insn(g, first, &insn);
	if (first->flow != EDIT_CALL || insn.rd != 5)
		return 0;
	return 1u << 5 | (first->kind == EDIT_PAIR ? 1u << (first->word >> 7 & 31) : 0);
}

int graph_keep_alike(struct graph *g, const uint32_t *all)
{
	int error = OBJECT_OK;
	for (bool more = true; more && error == OBJECT_OK;) {
		more = false;
		for (uint32_t i = 0; i < g->function_count; i++) {
			if (all[i] == GRAPH_NONE || all[i] == i)
				continue;
			struct graph_function *a = &g->functions[i], *b = &g->functions[all[i]];
			more = more || a->kept != b->kept || a->takes_x != b->takes_x || a->takes_f != b->takes_f;
			a->kept = b->kept = a->kept | b->kept;
			a->takes_x = b->takes_x = a->takes_x | b->takes_x;
			a->takes_f = b->takes_f = a->takes_f | b->takes_f;
		}
		if (more)
			error = graph_find_live(g);
	}
	for (size_t i = 0; i < g->function_count && error == OBJECT_OK; i++)
		graph_find_mentioned(g, &g->functions[i]);
	return error;
}
