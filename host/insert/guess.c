/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/guess.h"

#include <stdlib.h>
#include "host/graph/dominators.h"
#include "host/graph/loops.h"
#include "isa/isa.h"

#define CALL 1048576.0 /* what one call of the function weighs */
#define MOST 1e15
#define ROUNDS 64 /* of loops: 0.9375^64 is left of a loop's turns */
#define LOOP_BRANCH 0.88
#define LOOP_EXIT 0.80
#define STEPS_MAX 10000000u /* loops times blocks of a function that is looked at so closely */
#define TURNS 16            /* of a loop, at least */
#define NONE UINT32_MAX

struct traits { /* of a block */
	bool calls, stores, returns, head;
	uint32_t used; /* integer registers that it reads before it writes them */
};

struct guess {
	const struct graph *g;
	const struct graph_function *f;
	const struct insert_numbered *n;
	struct traits *traits;
	uint32_t *behind;    /* by block: immediate postdominator */
	double *odds, *runs; /* by edge; by block */
	double *again;       /* by loop: how likely a turn is followed by another one */
};

static void look_at_traits(const struct guess *s, uint32_t b)
{
	const struct graph_block *block = &s->g->blocks[s->f->blocks + b];
	struct traits *t = &s->traits[b];
	uint32_t written = 0;
	for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++) {
		const struct edit_atom *atom = &s->g->edit->sections[block->section].atoms[at];
		struct isa_insn insn;
		struct isa_registers r;
		if (atom->kind == EDIT_PAD || atom->kind == EDIT_DATA)
			continue;
		graph_insn(s->g, atom, &insn);
		isa_registers(&insn, &r);
		t->used |= r.x_read & ~written;
		written |= r.x_written;
		t->calls = t->calls || atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL;
		t->stores = t->stores || (insn.class_bits & ISA_STORE) != 0;
	}
	for (uint32_t e = s->n->first[b]; e < s->n->first[b + 1]; e++) {
		unsigned kind = s->g->edges[s->f->edge_first + e].kind;
		t->returns = t->returns || kind == GRAPH_RETURN || kind == GRAPH_TAIL;
		if (s->n->numbering.kind[e] == NUMBERING_BACK || s->n->numbering.kind[e] == NUMBERING_SELF)
			s->traits[s->n->to[e]].head = true;
	}
}

/* ---------------------------------------------------------------- branches */
static uint32_t edge_target(const struct guess *s, uint32_t e)
{
	return s->n->to[e] == NUMBERING_EXIT ? s->f->block_count : s->n->to[e];
}

/* The evidence that it is taken: which way it speaks, and how often that is right. */
static void weigh_evidence(double *taken, int way, double right)
{
	double q = way > 0 ? right : 1 - right;
	if (way != 0)
		*taken = *taken * q / (*taken * q + (1 - *taken) * (1 - q));
}

static int opcode_evidence(const struct isa_insn *insn)
{
	bool zero1 = insn->rs1 == 0, zero2 = insn->rs2 == 0;
	switch (insn->op) {
	case ISA_BEQ:
		return -1;
	case ISA_BNE:
		return 1;
	case ISA_BLT: /* bltz; bgtz */
		if (zero2)
			return -1;
		return zero1 ? 1 : 0;
	case ISA_BGE: /* bgez; blez */
		if (zero2)
			return 1;
		return zero1 ? -1 : 0;
	default:
		return 0;
	}
}

/* A trait of one of the two, and not of both. */
static int one_of(bool taken, bool other)
{
	if (taken == other)
		return 0;
	return taken ? 1 : -1;
}

static double branch_odds(const struct guess *s, uint32_t b, uint32_t taken, uint32_t other)
{
	const struct graph_block *block = &s->g->blocks[s->f->blocks + b];
	uint32_t to[2] = {edge_target(s, taken), edge_target(s, other)}, exit = s->f->block_count;
	const uint8_t *kind = s->n->numbering.kind;
	struct isa_insn insn;
	double p = 0.5;
	bool back[2], trait[2][4] = {{false}}, inner[2];
	graph_insn(s->g, &s->g->edit->sections[block->section].atoms[block->last], &insn);
	uint32_t compared = (1u << insn.rs1 | 1u << insn.rs2) & ~1u;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t e = i == 0 ? taken : other;
		back[i] = kind[e] == NUMBERING_BACK || kind[e] == NUMBERING_SELF;
		inner[i] = to[i] == exit || s->n->depth[to[i]] < s->n->depth[b];
		/* a successor that every way comes to is the immediate postdominator */
		if (to[i] == exit || to[i] == b || s->behind[b] == to[i])
			continue;
		trait[i][0] = s->traits[to[i]].calls;
		trait[i][1] = s->traits[to[i]].stores;
		trait[i][2] = (s->traits[to[i]].used & compared) != 0;
		trait[i][3] = s->traits[to[i]].head && !back[i];
	}
	bool returns[2] = {to[0] == exit || s->traits[to[0]].returns, to[1] == exit || s->traits[to[1]].returns};

	/* what a loop's branch compares says nothing more: BL93 keeps the two kinds of branches apart */
	int leaves = one_of(inner[0], inner[1]);
	if (back[0] != back[1])
		return back[0] ? LOOP_BRANCH : 1 - LOOP_BRANCH;
	if (leaves != 0)
		return leaves > 0 ? 1 - LOOP_EXIT : LOOP_EXIT;

	weigh_evidence(&p, opcode_evidence(&insn), insn.op == ISA_BEQ || insn.op == ISA_BNE ? 0.60 : 0.84);
	weigh_evidence(&p, -one_of(trait[0][0], trait[1][0]), 0.78);
	weigh_evidence(&p, -one_of(trait[0][1], trait[1][1]), 0.55);
	weigh_evidence(&p, one_of(trait[0][2], trait[1][2]), 0.62);
	weigh_evidence(&p, one_of(trait[0][3], trait[1][3]), 0.75);
	weigh_evidence(&p, -one_of(returns[0], returns[1]), 0.72);
	weigh_evidence(&p, -1, 0.60);
	return p;
}

static void find_odds(struct guess *s)
{
	for (uint32_t b = 0; b < s->f->block_count; b++) {
		uint32_t first = s->n->first[b], count = s->n->first[b + 1] - first, taken = NONE;
		for (uint32_t e = first; e < first + count; e++) {
			unsigned kind = s->g->edges[s->f->edge_first + e].kind;
			if (kind == GRAPH_TAKEN || kind == GRAPH_TAIL_TAKEN)
				taken = e;
			s->odds[e] = 1.0 / count;
		}
		if (count != 2 || taken == NONE || s->n->to[first] == s->n->to[first + 1])
			continue;
		uint32_t other = taken == first ? first + 1 : first;
		s->odds[taken] = branch_odds(s, b, taken, other);
		s->odds[other] = 1 - s->odds[taken];
	}
}

/* ---------------------------------------------------------------- turns of loops */
/* How often each block of a loop runs for each time that its head does. */
static void flow_through_turn(const struct guess *s, const struct graph_loops *loops, uint32_t loop, double *flow)
{
	const struct numbering *n = &s->n->numbering;
	for (uint32_t b = 0; b < s->f->block_count; b++)
		flow[b] = 0;
	flow[loops->loops[loop].head] = 1;
	for (uint32_t i = n->ordered; i-- > 0;) {
		uint32_t b = n->order[i];
		if (flow[b] == 0 || !graph_loop_holds(loops, loop, b))
			continue;
		uint32_t own = loops->loop[b];
		if (own != loop && loops->loops[own].head == b)
			flow[b] /= 1 - s->again[own];
		for (uint32_t e = s->n->first[b]; e < s->n->first[b + 1]; e++) {
			uint32_t to = s->n->to[e];
			if (n->kind[e] == NUMBERING_PLAIN && to != NUMBERING_EXIT && graph_loop_holds(loops, loop, to))
				flow[to] += flow[b] * s->odds[e];
		}
	}
}

static bool leaves_loop(const struct guess *s, const struct graph_loops *loops, uint32_t loop, uint32_t e)
{
	return s->n->to[e] == NUMBERING_EXIT || !graph_loop_holds(loops, loop, s->n->to[e]);
}

/* Each way out of a block becomes less likely by this factor. */
static void temper_block(struct guess *s, const struct graph_loops *loops, uint32_t loop, uint32_t b, double factor)
{
	double out = 0;
	for (uint32_t e = s->n->first[b]; e < s->n->first[b + 1]; e++)
		out += leaves_loop(s, loops, loop, e) ? s->odds[e] : 0;
	if (out <= 0 || out >= 1)
		return;
	for (uint32_t e = s->n->first[b]; e < s->n->first[b + 1]; e++)
		s->odds[e] *= leaves_loop(s, loops, loop, e) ? factor : (1 - out * factor) / (1 - out);
}

/* How likely a turn is to be the last one. */
static double loop_leaving(const struct guess *s, const struct graph_loops *loops, uint32_t loop, double *flow)
{
	double out = 0;
	flow_through_turn(s, loops, loop, flow);
	for (uint32_t b = 0; b < s->f->block_count; b++) {
		for (uint32_t e = s->n->first[b]; flow[b] > 0 && e < s->n->first[b + 1]; e++)
			out += graph_loop_holds(loops, loop, b) && leaves_loop(s, loops, loop, e) ? flow[b] * s->odds[e]
												  : 0;
	}
	return out;
}

/*
 * Every branch out of a loop is guessed by itself. A loop with many of them would hardly turn then: an interpreter's
 * loop, in which each of 20 opcodes may find an error, would be left in the second turn. So ways out are made less
 * likely, the inner loops' first, until a loop turns TURNS times.
 *
 *	odds of a turn to be the last one:   0.2 + 0.8 (0.2 + 0.8 (0.2 + ...)) = 0.89     three ways out as guessed
 *	                                     1 / TURNS                                    all by the same factor less
 */
static void temper_loops(struct guess *s, const struct graph_loops *loops, double *flow)
{
	const double most = 1.0 / TURNS;
	for (uint32_t i = loops->count; i-- > 0;) {
		double out = loop_leaving(s, loops, i, flow);
		/* behind a way out that is less likely, more come to the next one */
		for (unsigned round = 0; round < 4 && out > most * 1.01; round++) {
			for (uint32_t b = 0; b < s->f->block_count; b++) {
				if (graph_loop_holds(loops, i, b))
					temper_block(s, loops, i, b, most / out);
			}
			out = loop_leaving(s, loops, i, flow);
		}
		s->again[i] = out < 0.001 ? 0.999 : 1 - out;
		s->again[i] = s->again[i] < 0 ? 0 : s->again[i];
	}
}

static int temper_exits(struct guess *s, double *flow)
{
	const struct graph_shape shape = {
	    .count = s->f->block_count, .entry = 0, .first = s->n->first, .to = s->n->to, .root = s->n->root};
	struct graph_search search = {0};
	struct graph_loops loops = {0};
	bool made = graph_search_make(&search, &shape) && graph_loops_make(&loops, &search);
	s->again = made ? calloc(loops.count + 1u, sizeof *s->again) : NULL;
	made = s->again != NULL;
	if (made && (uint64_t)loops.count * s->f->block_count < STEPS_MAX)
		temper_loops(s, &loops, flow);
	graph_loops_free(&loops);
	graph_search_free(&search);
	free(s->again);
	return made ? OBJECT_OK : OBJECT_ENOMEM;
}

/* ---------------------------------------------------------------- how often */
static void flow_counts(struct guess *s, double *into)
{
	const struct numbering *n = &s->n->numbering;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (uint32_t b = 0; b < s->f->block_count; b++) {
			s->runs[b] = into[b];
			if (b == 0)
				into[b] = 1;
			else if (s->n->root[b])
				into[b] = 0.001;
			else
				into[b] = 0;
		}
		/* along plain edges at once, along back edges for the next round */
		for (uint32_t i = n->ordered; i-- > 0;) {
			uint32_t b = n->order[i];
			double own = 0;
			for (uint32_t e = s->n->first[b]; e < s->n->first[b + 1]; e++)
				own += s->n->to[e] == b ? s->odds[e] : 0;
			if (s->runs[b] < MOST && own < 0.99)
				s->runs[b] /= 1 - own;
			for (uint32_t e = s->n->first[b]; e < s->n->first[b + 1]; e++) {
				uint32_t to = s->n->to[e];
				double more = s->runs[b] * s->odds[e];
				if (to == NUMBERING_EXIT || to == b)
					continue;
				if (n->kind[e] != NUMBERING_PLAIN)
					into[to] += more;
				else
					s->runs[to] += more;
			}
		}
	}
}

int insert_guess(
    const struct graph *g, const struct graph_function *f, const struct insert_numbered *n, uint64_t *weights)
{
	struct guess s = {.g = g,
	    .f = f,
	    .n = n,
	    .traits = calloc(f->block_count + 1u, sizeof *s.traits),
	    .behind = malloc((f->block_count + 1u) * sizeof *s.behind),
	    .odds = calloc(f->edge_count + 1u, sizeof *s.odds),
	    .runs = calloc(f->block_count + 1u, sizeof *s.runs)};
	double *into = calloc(f->block_count + 1u, sizeof *into);
	const struct graph_shape shape = {
	    .count = f->block_count, .entry = 0, .first = n->first, .to = n->to, .root = n->root};
	bool room = s.traits != NULL && s.behind != NULL && s.odds != NULL && s.runs != NULL && into != NULL;
	int error = room && graph_postdominators(&shape, s.behind) ? OBJECT_OK : OBJECT_ENOMEM;
	if (error == OBJECT_OK) {
		for (uint32_t b = 0; b < f->block_count; b++)
			look_at_traits(&s, b);
		find_odds(&s);
		error = temper_exits(&s, into);
	}
	if (error == OBJECT_OK) {
		for (uint32_t b = 0; b < f->block_count; b++)
			into[b] = b == 0 ? 1 : 0;
		flow_counts(&s, into);
		for (uint32_t b = 0; b < f->block_count; b++) {
			for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
				double runs = s.runs[b] * s.odds[e];
				weights[e] = (uint64_t)((runs < MOST / CALL ? runs : MOST / CALL) * CALL);
			}
		}
	}
	free(s.traits);
	free(s.behind);
	free(s.odds);
	free(s.runs);
	free(into);
	return error;
}
