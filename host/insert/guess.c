/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/guess.h"

#include <stdlib.h>
#include "host/graph/dominators.h"
#include "isa/isa.h"

#define CALL 1048576.0 /* what one call of the function weighs */
#define MOST 1e15
#define ROUNDS 64 /* of loops: 0.88^64 is left of a loop's turns */
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
	if (back[0] != back[1])
		weigh_evidence(&p, back[0] ? 1 : -1, 0.88);
	else
		weigh_evidence(&p, -one_of(inner[0], inner[1]), 0.80);
	weigh_evidence(&p, opcode_evidence(&insn), 0.84);
	weigh_evidence(&p, -one_of(trait[0][0], trait[1][0]), 0.78);
	weigh_evidence(&p, -one_of(trait[0][1], trait[1][1]), 0.55);
	weigh_evidence(&p, one_of(trait[0][2], trait[1][2]), 0.62);
	weigh_evidence(&p, one_of(trait[0][3], trait[1][3]), 0.75);
	weigh_evidence(&p, -one_of(returns[0], returns[1]), 0.72);
	if (!back[0])
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
		into[0] = 1;
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
