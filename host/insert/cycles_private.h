/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_CYCLES_PRIVATE_H
#define RIVULET_INSERT_CYCLES_PRIVATE_H
/* Shared by profile_cycles.c, which adds up the costs of blocks and edges, and cycles_variable.c: instructions whose
 * cycles are known only when they are executed (QTY's variably determinate and indeterminate ones), and rows of
 * classes. */
#include "host/insert/cached.h"
#include "host/insert/cost.h"
#include "host/insert/insert.h"
#include "host/insert/potential.h"

struct site {                   /* a call, or a jump to another function */
	uint32_t block, number; /* of the call in its block; or the edge, counted from the function's first */
	bool jump;
	uint64_t weight;
};

struct cycles {
	struct insert_job *job;
	const struct graph_function *f;
	struct inserter *in;
	struct cost cost;
	struct insert_numbered numbered; /* for its weights */
	struct potential potential;
	struct site *sites; /* the one worth most first: its place is its slot */
	size_t site_count;
	struct cached cached; /* by block: r, or the register that it is kept in */
	uint8_t r, node, temporary, later, way;
	bool mixed;        /* there is a mixed block: way is a variable */
	bool leaf;         /* it calls nobody, and ra is as it was at the entry */
	bool same;         /* all calls of it take the same: there is no r */
	uint32_t original; /* the function, in the original's map */
	uint32_t record;   /* counter: the function's record for the runtime */
	uint32_t enter, rare, hint, waited, class, divide, divide_signed, bits, bit_pairs; /* symbols of the runtime */
};

static inline struct inserter_code cycles_add_code(uint8_t var, int64_t cycles)
{
	return (struct inserter_code){.op = INSERTER_ADD, .var = var, .value = cycles};
}

static inline uint8_t sum_at(const struct cycles *c, uint32_t block)
{
	return c->same ? INSERTER_NO_VARIABLE : c->cached.var[block];
}

static inline bool cycles_is_near(int64_t cycles)
{
	return cycles >= -2048 && cycles < 2048;
}

static inline struct inserter_code cycles_hook_code(uint32_t symbol)
{
	return (struct inserter_code){.op = INSERTER_HOOK, .var = INSERTER_NO_VARIABLE, .symbol = symbol};
}

static inline bool cycles_is_table(const struct cycles *c, uint32_t block)
{
	return c->job->graph->blocks[c->f->blocks + block].section == GRAPH_NONE;
}

static inline void cycles_add_argument(struct inserter_code *code, uint8_t kind, uint32_t symbol, int64_t value)
{
	code->arguments[code->argument_count++] = (struct inserter_argument){kind, symbol, value};
}

/* cycles_variable.c */
/* A reading of the clock into a variable. */
struct inserter_code cycles_clock(uint8_t var);
/* The codes behind a call that waits; the call is number `number` of its block. Negative: an error. */
int cycles_waited_call(const struct cycles *c, uint32_t block, uint32_t number, const struct insert_wait *wait,
    struct inserter_code *codes);
/* The class of a call, or of an instruction that waits; NULL: none. */
const struct insert_wait *cycles_waits_at(const struct cycles *c, const struct edit_atom *atom);
/* What an instruction takes beyond the least, by its operands; or a timer around it; or all of it for its class. */
int cycles_put_variable(struct cycles *c, uint32_t block, uint32_t atom, const struct isa_insn *insn);
bool cycles_is_variable(const struct cycles *c, const struct edit_atom *atom, struct isa_insn *insn);
/* Whether the function has one; one that waits. */
bool cycles_has_variable(const struct cycles *c);
bool cycles_has_wait(const struct cycles *c);
#endif
