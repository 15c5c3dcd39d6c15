/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/sequence.h"

#include <stdlib.h>
#include <string.h>
#include "host/insert/commit_places.h"
#include "isa/isa.h"

#define CONSTRAINED_MOST 16 /* instructions of a loop that is sure to end */

enum {
	HELD_IN = 1,
	HELD_OUT = 2,
	AHEAD = 4
}; /* reservation at the block's start, end; an SC comes, and no LR before */

struct sequence {
	uint8_t *flags; /* by block, from the function's first */
};

enum step { STEP_NONE, STEP_LR, STEP_SC, STEP_CALL };

static enum step step_of(const struct inserter *in, const struct edit_atom *atom)
{
	struct isa_insn insn;
	if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL)
		return STEP_CALL;
	if (atom->kind != EDIT_INSN || atom->flow != EDIT_NEXT)
		return STEP_NONE;
	graph_insn(in->g, atom, &insn);
	if (insn.op == ISA_LR_W || insn.op == ISA_LR_D)
		return STEP_LR;
	return insn.op == ISA_SC_W || insn.op == ISA_SC_D ? STEP_SC : STEP_NONE;
}

/* A reservation behind atoms of a block, if there is one before. */
static bool held_behind(const struct inserter *in, const struct graph_block *block, uint32_t end, bool held)
{
	for (uint32_t at = block->first; block->section != GRAPH_NONE && at < end; at++) {
		const enum step step = step_of(in, &commit_section(in, block)->atoms[at]);
		if (step != STEP_NONE)
			held = step == STEP_LR;
	}
	return held;
}

/* Whether the next that is met from an atom on is an SC; `behind` the block, if nothing is. */
static bool ahead_from(const struct inserter *in, const struct graph_block *block, uint32_t first, bool behind)
{
	for (uint32_t at = first; block->section != GRAPH_NONE && at <= block->last; at++) {
		const enum step step = step_of(in, &commit_section(in, block)->atoms[at]);
		if (step != STEP_NONE)
			return step == STEP_SC;
	}
	return behind;
}

static bool ahead_behind(const struct sequence *s, const struct inserter *in, const struct graph_block *block)
{
	bool ahead = false;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		const uint32_t to = in->g->edges[e].to;
		ahead = ahead || (to != GRAPH_NONE && (s->flags[to - in->f->blocks] & AHEAD) != 0);
	}
	return ahead;
}

/* One more turn over all blocks; whether anything was new. */
static bool spread(struct sequence *s, const struct inserter *in)
{
	const struct graph_function *f = in->f;
	bool changed = false;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		uint8_t *flags = &s->flags[b - f->blocks], now = *flags;
		if (held_behind(in, block, block->last + 1, (now & HELD_IN) != 0))
			now |= HELD_OUT;
		if (ahead_from(in, block, block->first, ahead_behind(s, in, block)))
			now |= AHEAD;
		changed = changed || now != *flags;
		*flags = now;
		for (uint32_t e = block->edges; (now & HELD_OUT) != 0 && e < block->edges + block->edge_count; e++) {
			const uint32_t to = in->g->edges[e].to;
			if (to == GRAPH_NONE || (s->flags[to - f->blocks] & HELD_IN) != 0)
				continue;
			s->flags[to - f->blocks] |= HELD_IN;
			changed = true;
		}
	}
	return changed;
}

int sequence_open(struct sequence **out, const struct inserter *in)
{
	const struct graph_function *f = in->f;
	bool any = false;
	*out = NULL;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && !any; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		any = held_behind(in, block, block->last + 1, false);
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last && !any; at++)
			any = step_of(in, &commit_section(in, block)->atoms[at]) == STEP_LR;
	}
	if (!any)
		return OBJECT_OK;
	struct sequence *s = calloc(1, sizeof *s);
	if (s != NULL)
		s->flags = calloc(f->block_count, sizeof *s->flags);
	if (s == NULL || s->flags == NULL) {
		sequence_close(s);
		return OBJECT_ENOMEM;
	}
	while (spread(s, in))
		;
	*out = s;
	return OBJECT_OK;
}

void sequence_close(struct sequence *s)
{
	if (s != NULL)
		free(s->flags);
	free(s);
}

bool sequence_has_edge(const struct sequence *s, const struct inserter *in, uint32_t block, uint32_t edge)
{
	const uint32_t to = in->g->edges[edge].to;
	return s != NULL && to != GRAPH_NONE && (s->flags[block - in->f->blocks] & HELD_OUT) != 0 &&
	       (s->flags[to - in->f->blocks] & AHEAD) != 0;
}

/* Whether a block's start lies there. */
static bool has_start(const struct sequence *s, const struct inserter *in, uint32_t block)
{
	const uint8_t flags = s->flags[block - in->f->blocks];
	return (flags & HELD_IN) != 0 && (flags & AHEAD) != 0;
}

static bool is_in_memory(const struct inserter *in, uint8_t variable)
{
	return variable < in->variable_count && in->variables[variable].kind == INSERTER_SLOT;
}

bool sequence_allows(const struct inserter *in, const struct request *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct inserter_code *c = &r->codes[i];
		switch (c->op) {
		case INSERTER_MOVE:
		case INSERTER_ADD_FROM:
		case INSERTER_SUB_FROM:
		case INSERTER_TAKE_FROM:
			if (is_in_memory(in, c->from))
				return false;
			break;
		case INSERTER_SET_COUNTER:
		case INSERTER_ADD_COUNTERS:
		case INSERTER_SET:
		case INSERTER_ADD:
		case INSERTER_SHIFT:
			break;
		default:
			return false;
		}
		if (is_in_memory(in, c->var))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- behind the SC */

/* Codes before those that are there. */
static int request_put_first(struct request *r, const struct request *first)
{
	struct inserter_code *all = malloc((first->count + r->count + 1) * sizeof *all);
	if (all == NULL)
		return OBJECT_ENOMEM;
	memcpy(all, first->codes, first->count * sizeof *all);
	if (r->count > 0)
		memcpy(all + first->count, r->codes, r->count * sizeof *all);
	free(r->codes);
	r->codes = all;
	r->count += first->count;
	return OBJECT_OK;
}

/* Whether code does the same some instructions later: it reads nothing of the program, and no time. */
static bool may_wait(const struct request *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct inserter_code *c = &r->codes[i];
		switch (c->op) {
		case INSERTER_COUNT:
		case INSERTER_COUNT_BY:
		case INSERTER_SET_COUNTER:
		case INSERTER_ADD_COUNTERS:
		case INSERTER_COUNT_AT:
		case INSERTER_COUNT_AT_BY:
		case INSERTER_SET:
		case INSERTER_SET_SYMBOL:
		case INSERTER_ADD:
			continue;
		case INSERTER_HOOK:
		case INSERTER_BUCKET:
			break;
		default:
			return false;
		}
		for (size_t k = 0; k < c->argument_count; k++) {
			if (c->arguments[k].kind == INSERTER_VARIABLE && c->arguments[k].value >= INSERTER_X(0))
				return false;
		}
	}
	return true;
}

/* Whether who enters a block passes it whole: then code of its start may stand behind it. */
static bool is_passed_whole(const struct inserter *in, const struct graph_block *block)
{
	if (block->section == GRAPH_NONE || block->edge_count == 0)
		return false;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (in->g->edges[e].kind == GRAPH_NO_RETURN)
			return false;
	}
	for (uint32_t at = block->first; at <= block->last; at++) {
		const enum step step = step_of(in, &commit_section(in, block)->atoms[at]);
		if (step == STEP_CALL || step == STEP_LR)
			return false;
	}
	return true;
}

/* The same of code of an edge to it: nobody else enters it. */
static bool is_passed_alone(const struct inserter *in, const struct graph_block *block)
{
	return block->ways == 1 && !block->root && is_passed_whole(in, block);
}

static int put_behind(struct inserter *in, struct request *r, const struct graph_block *block)
{
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		int error = request_put_first(&in->edges[e - in->f->edge_first], r);
		if (error != OBJECT_OK)
			return error;
	}
	r->count = 0;
	return OBJECT_OK;
}

/*
 *      lr.d  a4, (a6)
 *      bne   a4, a5, out
 *      ...              ◄── code of the edge that falls, and of the block's start
 *      sc.d  a3, a2, (a6)
 *      bnez  a3, again  ◄── goes to the edges that leave the block: each passage takes one of them
 */
int sequence_move_behind(const struct sequence *s, struct inserter *in)
{
	const struct graph_function *f = in->f;
	bool moved = s != NULL;
	for (uint32_t b = f->blocks; moved && b < f->blocks + f->block_count; b++) {
		struct request *r = &in->starts[b - f->blocks];
		const struct graph_block *block = &in->g->blocks[b];
		if (r->count == 0 || !has_start(s, in, b) || sequence_allows(in, r) || !may_wait(r) ||
		    !is_passed_whole(in, block))
			continue;
		int error = put_behind(in, r, block);
		if (error != OBJECT_OK)
			return error;
	}
	while (moved) { /* down, block by block, to the SC: each edge is left once */
		moved = false;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct graph_block *block = &in->g->blocks[b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				struct request *r = &in->edges[e - f->edge_first];
				if (r->count == 0 || !sequence_has_edge(s, in, b, e) || sequence_allows(in, r) ||
				    !may_wait(r) || !is_passed_alone(in, &in->g->blocks[in->g->edges[e].to]))
					continue;
				int error = put_behind(in, r, &in->g->blocks[in->g->edges[e].to]);
				if (error != OBJECT_OK)
					return error;
				moved = true;
			}
		}
	}
	return OBJECT_OK;
}

/* ---------------------------------------------------------------- what cannot be put */

static bool fits_immediate(int64_t value)
{
	return value >= -2048 && value <= 2047;
}

/* Instructions of code that touches registers alone, at most. */
static unsigned words_of(const struct inserter *in, const struct request *r)
{
	unsigned words = 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct inserter_code *c = &r->codes[i];
		switch (c->op) {
		case INSERTER_SET:
			words += fits_immediate(c->value) ? 1 : 2;
			break;
		case INSERTER_SET_COUNTER:
			words += 2;
			break;
		case INSERTER_ADD:
			words += fits_immediate(c->value) ? 1 : 3;
			break;
		case INSERTER_ADD_COUNTERS:
			words += fits_immediate(c->value * (int64_t)in->width) ? 1 : 3;
			break;
		default:
			words++;
		}
	}
	return words;
}

/* Whether the loop from one block to another, which lie one after the other, is sure to end now, and would not be. */
static bool grows_too_long(const struct inserter *in, const struct graph_block *head, const struct graph_block *tail)
{
	const struct graph_function *f = in->f;
	const struct edit_atom *atoms = commit_section(in, head)->atoms;
	unsigned words = 0, added = 0;
	bool begins = false;
	for (uint32_t at = head->first; at <= tail->last && words <= CONSTRAINED_MOST; at++) {
		words += atoms[at].kind == EDIT_PAIR ? 2 : atoms[at].kind == EDIT_INSN;
		begins = begins || step_of(in, &atoms[at]) == STEP_LR;
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		if (block->section != head->section || block->first < head->first || block->last > tail->last)
			continue;
		added += words_of(in, &in->starts[b - f->blocks]);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct graph_edge *edge = &in->g->edges[e];
			const struct request *r = &in->edges[e - f->edge_first];
			if (edge->to == GRAPH_NONE || !sequence_allows(in, r))
				continue;
			const struct graph_block *to = &in->g->blocks[edge->to];
			if (to->section == head->section && to->first >= head->first && to->last <= tail->last)
				added += words_of(in, r);
		}
	}
	return begins && words <= CONSTRAINED_MOST && words + added > CONSTRAINED_MOST;
}

/* Whether a loop that a block's edges close, with its SC, has no room for what is put into it. */
static bool closes_too_long(const struct inserter *in, const struct graph_block *block)
{
	bool ends = false;
	for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++)
		ends = ends || step_of(in, &commit_section(in, block)->atoms[at]) == STEP_SC;
	for (uint32_t e = block->edges; ends && e < block->edges + block->edge_count; e++) {
		const uint32_t to = in->g->edges[e].to;
		if (to == GRAPH_NONE)
			continue;
		const struct graph_block *head = &in->g->blocks[to];
		if (head->section == block->section && head->first <= block->first && grows_too_long(in, head, block))
			return true;
	}
	return false;
}

const char *sequence_refuses(const struct sequence *s, const struct inserter *in)
{
	static const char store[] = "a store would come between LR and SC";
	const struct graph_function *f = in->f;
	for (uint32_t b = f->blocks; s != NULL && b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		const struct request *start = &in->starts[b - f->blocks];
		if (has_start(s, in, b) && start->count > 0 && !sequence_allows(in, start))
			return store;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct request *r = &in->edges[e - f->edge_first];
			if (r->count > 0 && sequence_has_edge(s, in, b, e) && !sequence_allows(in, r))
				return store;
		}
		if (closes_too_long(in, block))
			return "the loop of LR and SC would have more than 16 instructions";
	}
	for (size_t i = 0; s != NULL && i < in->instant_count; i++) {
		const struct request_at *at = &in->instants[i];
		const struct graph_block *block = &in->g->blocks[at->block];
		const uint8_t flags = s->flags[at->block - f->blocks];
		const uint32_t next = at->atom + (at->after ? 1 : 0);
		if (held_behind(in, block, next, (flags & HELD_IN) != 0) &&
		    ahead_from(in, block, next, ahead_behind(s, in, block)) && !sequence_allows(in, &at->request))
			return store;
	}
	return NULL;
}
