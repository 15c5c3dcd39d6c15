/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where variables are: EPP section 5, "registers". */
#include <stdlib.h>
#include <string.h>
#include "host/insert/inserter_private.h"
#include "isa/isa.h"

static const uint8_t caller_saved[] = {15, 14, 13, 12, 11, 10, 16, 17, 31, 5, 6, 7, 28, 29,
    30}, /* last those that hooks use */
    callee_saved[] = {9, 8, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};

static uint32_t mentioned_in(const struct inserter *in, const struct graph_block *block, uint32_t first, bool *calls)
{
	uint32_t mask = 0;
	for (uint32_t at = first; block->section != GRAPH_NONE && at <= block->last; at++) {
		const struct edit_atom *atom = &in->e->sections[block->section].atoms[at];
		struct isa_insn insn;
		struct isa_registers regs;
		if (atom->kind == EDIT_PAD)
			continue;
		graph_insn(in->g, atom, &insn);
		isa_registers(&insn, &regs);
		mask |= regs.x_read | regs.x_written;
		if (atom->kind == EDIT_PAIR) /* by the register that its AUIPC makes */
			mask |= 1u << (atom->word >> 7 & 31);
		if (calls != NULL && (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL ||
					 insn.op == ISA_ECALL || insn.op == ISA_EBREAK))
			*calls = true;
	}
	return mask;
}

static int new_variable(struct inserter *in, struct variable variable)
{
	if (variable.kind != INSERTER_SLOT && variable.kind != INSERTER_LOCAL)
		in->held |= 1u << variable.reg;
	in->variables[in->variable_count] = variable;
	return (int)in->variable_count++;
}

static uint32_t new_word(struct inserter *in)
{
	in->frame = true;
	return in->frame_words++ * in->word;
}

static int new_over_all(struct inserter *in, bool slots, const char **reason)
{
	const struct graph_function *f = in->f;
	uint32_t taken = f->mentioned | f->kept | in->held, named = in->held | in->g->reserved | in->g->missing;
	*reason = NULL;
	if (in->variable_count == INSERTER_VARIABLES) {
		*reason = "it needs too many variables";
		return OBJECT_EUNSUPPORTED;
	}
	/* what millicode saves without need may be lent to a loop already: then it is a local variable's */
	for (unsigned i = 0; i < in->variable_count; i++) {
		const uint32_t local = in->variables[i].kind == INSERTER_LOCAL ? 1u << in->variables[i].reg : 0;
		taken |= local;
		named |= local;
	}
	for (unsigned i = 0; !f->calls && i < sizeof caller_saved; i++) {
		if ((taken >> caller_saved[i] & 1) == 0)
			return new_variable(in, (struct variable){.kind = INSERTER_FREE, .reg = caller_saved[i]});
	}
	int error = frame_find(in);
	if (error == OBJECT_ENOMEM)
		return error;
	/* callee-saved registers are live at exits: only those that instructions name are in use */
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
		named |= mentioned_in(in, &in->g->blocks[b], in->g->blocks[b].first, NULL);
	const struct graph_block *head = &in->g->blocks[f->blocks];
	const struct edit_atom *first = &in->e->sections[head->section].atoms[head->first];
	int n = in->behind ? values_millicode(in->g, first, "__riscv_save_") : -1;
	for (unsigned i = 0; i < sizeof callee_saved; i++) {
		unsigned reg = callee_saved[i];
		int number = reg < 10 ? (int)reg - 8 : (int)reg - 16;
		if ((named >> reg & 1) != 0)
			continue;
		if (n >= 0 && number < values_saved_by(in->g, n)) /* saved without need */
			return new_variable(in, (struct variable){.kind = INSERTER_FREE, .reg = (uint8_t)reg});
		if (error == OBJECT_OK)
			return new_variable(
			    in, (struct variable){.kind = INSERTER_SAVED, .reg = (uint8_t)reg, .at = new_word(in)});
	}
	if (!slots)
		return OBJECT_EUNSUPPORTED;
	if (error == OBJECT_OK)
		error = frame_slots(in);
	if (error == OBJECT_OK)
		return new_variable(in, (struct variable){.kind = INSERTER_SLOT, .at = new_word(in)});
	*reason = in->reason;
	return error;
}

int inserter_variable(struct inserter *in, const char **reason)
{
	return new_over_all(in, true, reason);
}

int inserter_register(struct inserter *in)
{
	const char *reason;
	return new_over_all(in, false, &reason);
}

int inserter_word(struct inserter *in)
{
	if (!in->frame || in->variable_count == INSERTER_VARIABLES || frame_slots(in) != OBJECT_OK)
		return OBJECT_EUNSUPPORTED;
	return new_variable(in, (struct variable){.kind = INSERTER_SLOT, .at = new_word(in)});
}

bool inserter_calls(const struct inserter *in, const bool *inside)
{
	bool calls = false;
	for (uint32_t b = 0; b < in->f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[in->f->blocks + b];
		if (inside[b])
			mentioned_in(in, block, block->first, &calls);
	}
	return calls;
}

/* Registers that variables hold in blocks that touch these: one's way out may be the other's way in. */
static uint32_t held_near(const struct inserter *in, const bool *inside)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	uint32_t mask = in->held;
	for (unsigned i = 0; i < in->variable_count; i++) {
		const struct variable *v = &in->variables[i];
		bool near = false;
		for (uint32_t b = 0; v->kind == INSERTER_LOCAL && b < f->block_count && !near; b++) {
			const struct graph_block *block = &g->blocks[f->blocks + b];
			near = inside[b] && v->inside[b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				uint32_t to = g->edges[e].to;
				if (to != GRAPH_NONE && ((inside[b] && v->inside[to - f->blocks]) ||
							    (v->inside[b] && inside[to - f->blocks])))
					near = true;
				/* both are entered over this edge's target */
				if (to != GRAPH_NONE && inside[to - f->blocks] && v->inside[to - f->blocks])
					near = true;
			}
		}
		if (near)
			mask |= 1u << v->reg;
	}
	return mask;
}

/* Registers that are named in a set of blocks, or by what ends a block before it: there a variable is set before it. */
static uint32_t named_in(const struct inserter *in, const bool *inside, bool *calls)
{
	uint32_t mask = 0;
	for (uint32_t b = 0; b < in->f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[in->f->blocks + b];
		if (inside[b])
			mask |= mentioned_in(in, block, block->first, calls);
		for (uint32_t e = block->edges; !inside[b] && e < block->edges + block->edge_count; e++) {
			uint32_t to = in->g->edges[e].to;
			if (to != GRAPH_NONE && inside[to - in->f->blocks])
				mask |= mentioned_in(in, block, block->last, NULL);
		}
	}
	return mask;
}

static int new_local(struct inserter *in, const bool *inside, struct variable variable)
{
	variable.kind = INSERTER_LOCAL;
	variable.inside = malloc(in->f->block_count * sizeof *variable.inside);
	if (variable.inside == NULL)
		return OBJECT_ENOMEM;
	memcpy(variable.inside, inside, in->f->block_count * sizeof *inside);
	return new_variable(in, variable);
}

/* A register that is dead over a set of blocks; 0: none. */
static uint8_t local_register(const struct inserter *in, const bool *inside)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	bool calls = false;
	uint32_t taken = f->kept | named_in(in, inside, &calls) | held_near(in, inside);
	for (uint32_t b = 0; b < f->block_count && !calls; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		taken |= inside[b] ? block->live_x : 0;
		for (uint32_t e = block->edges; inside[b] && e < block->edges + block->edge_count; e++) {
			uint32_t to = g->edges[e].to, x, fl;
			if (to != GRAPH_NONE && inside[to - f->blocks])
				continue;
			graph_live(g, f->blocks + b, block->last, &x, &fl);
			taken |= to == GRAPH_NONE ? x : g->blocks[to].live_x;
		}
	}
	for (unsigned i = 0; i < sizeof caller_saved && !calls; i++) {
		if ((taken >> caller_saved[i] & 1) == 0)
			return caller_saved[i];
	}
	return 0;
}

bool inserter_has_local(const struct inserter *in, const bool *inside)
{
	return local_register(in, inside) != 0;
}

int inserter_local(struct inserter *in, const bool *inside)
{
	uint8_t reg = in->variable_count == INSERTER_VARIABLES ? 0 : local_register(in, inside);
	return reg == 0 ? OBJECT_EUNSUPPORTED : new_local(in, inside, (struct variable){.reg = reg});
}

int inserter_borrow(struct inserter *in, const bool *inside)
{
	static const uint8_t order[] = {
	    15, 14, 13, 12, 11, 10, 9, 16, 17, 31, 5, 6, 7, 28, 29, 30, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
	uint32_t saved = GRAPH_CALLER_SAVED;
	bool calls = false;
	if (in->variable_count == INSERTER_VARIABLES || frame_slots(in) != OBJECT_OK)
		return OBJECT_EUNSUPPORTED;
	uint32_t taken = in->g->reserved | in->g->missing | named_in(in, inside, &calls) | held_near(in, inside);
	/* a callee-saved one only where the unwinder finds its old value on the stack */
	saved |= GRAPH_CALLEE_SAVED;
	for (uint32_t b = 0; b < in->f->block_count; b++)
		saved &= inside[b] ? GRAPH_CALLER_SAVED | frame_saved(in, b) : UINT32_MAX;
	for (unsigned i = 0; i < sizeof order && !calls; i++) {
		if ((taken >> order[i] & 1) == 0 && (saved >> order[i] & 1) != 0)
			return new_local(
			    in, inside, (struct variable){.reg = order[i], .lent = true, .at = new_word(in)});
	}
	return OBJECT_EUNSUPPORTED;
}

enum inserter_kind inserter_kind_of(const struct inserter *in, int variable)
{
	return in->variables[variable].kind;
}

unsigned inserter_place(const struct inserter *in, int variable, int64_t *displacement)
{
	const struct variable *v = &in->variables[variable];
	*displacement = (int64_t)v->at - in->millicode_bytes - (int64_t)frame_bytes(in);
	return v->kind == INSERTER_SLOT ? 0 : v->reg;
}

bool inserter_borrowed(const struct inserter *in, int variable)
{
	return in->variables[variable].lent;
}

/* Which of them another one may not use: at a block's places, and on its edge to another block. */
int64_t inserter_entry_bytes(const struct inserter *in)
{
	return in->behind ? in->millicode_bytes : 0;
}

uint32_t inserter_held(const struct inserter *in, uint32_t block, uint32_t to)
{
	uint32_t mask = in->held;
	for (unsigned i = 0; i < in->variable_count; i++) {
		const struct variable *v = &in->variables[i];
		if (v->kind == INSERTER_LOCAL &&
		    (v->inside[block - in->f->blocks] || (to != GRAPH_NONE && v->inside[to - in->f->blocks])))
			mask |= 1u << v->reg;
	}
	return mask;
}
