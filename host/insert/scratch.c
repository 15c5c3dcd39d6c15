/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Scratch registers: those that are dead where code stands, then a spare one of the function, then live ones. */
#include "host/insert/commit_places.h"

static uint32_t argument_registers(const struct inserter_code *c)
{
	uint32_t read = 0;
	for (unsigned k = 0; c->op >= INSERTER_CALL && k < c->argument_count; k++) {
		if (c->arguments[k].kind == INSERTER_VARIABLE && c->arguments[k].value >= INSERTER_X(0))
			read |= 1u << (c->arguments[k].value - INSERTER_X(0));
	}
	return read;
}

/* Registers that codes read by their own names, and those of variables that they use. */
static void named_registers(
    const struct inserter *in, const struct inserter_code *codes, size_t count, uint32_t *read, uint32_t *held)
{
	for (size_t i = 0; i < count; i++) {
		const struct inserter_code *c = &codes[i];
		if (words_read_from(c->op) && c->from >= INSERTER_X(0))
			*read |= 1u << (c->from - INSERTER_X(0));
		if ((c->op == INSERTER_ADD_BYTES || c->op == INSERTER_ADD_BYTES_SIGNED))
			*read |= 1u << (c->from - INSERTER_X(0)) | 1u << (uint32_t)c->by;
		if (c->op < INSERTER_CALL && c->var < in->variable_count && in_register(in, c->var))
			*held |= 1u << in->variables[c->var].reg;
		if (words_read_from(c->op) && c->from < in->variable_count && in_register(in, c->from))
			*held |= 1u << in->variables[c->from].reg;
		*read |= argument_registers(c);
	}
}

void scratch_find(
    struct words *o, const struct inserter_code *codes, size_t count, uint32_t live, struct scratch_found *s)
{
	const struct inserter *in = o->in;
	static const uint8_t order[] = {15, 14, 13, 12, 11, 10, 5, 6, 7, 28, 29, 30, 31, 16, 17};
	uint32_t held = inserter_held(in, o->block, o->to);
	unsigned need = 0, found = 0, spilled = 0, wanted = 2;
	*s = (struct scratch_found){0};
	for (size_t i = 0; i < count; i++) {
		const unsigned own = words_need(in, &codes[i]), more = codes[i].op == INSERTER_BUCKET ? 1 : 0;
		need = own > need ? own : need;
		wanted = own + more > wanted ? own + more : wanted;
	}
	named_registers(in, codes, count, &s->read, &held);

	/* one more than needed, if there is one: to fill the slot behind a load */
	const uint32_t busy = live | in->f->kept | held | s->read;
	for (unsigned i = 0; i < sizeof order && found < SCRATCH_MAX && found < wanted; i++) {
		if ((busy >> order[i] & 1) == 0)
			o->scratch[found++] = order[i];
	}
	for (unsigned x = 0; x < 32 && found < need; x++) {
		if ((in->spare >> x & 1) != 0)
			o->scratch[found++] = x;
	}

	/* what is read by its own name is not spilled; what belongs to the program last: handlers may look at it */
	const uint32_t never = held | s->read | in->g->missing, avoided[] = {never | in->g->reserved, never};
	for (unsigned i = 0; i < 2 * sizeof order && found + spilled < need; i++) {
		unsigned reg = order[i % sizeof order];
		bool used = (avoided[i / sizeof order] >> reg & 1) != 0;
		for (unsigned k = 0; k < found + spilled; k++)
			used = used || o->scratch[k] == reg;
		if (!used)
			o->scratch[found + spilled++] = reg;
	}
	s->found = found;
	s->spilled = spilled;
}

/* ---------------------------------------------------------------- a spare register */
/* What saving live registers at a place costs, each time that it is executed: a store and a load for each, and the
 * stack pointer moved twice where the frame has no padding for them. */
static double spill_cycles(struct inserter *in, struct words *o, const struct request *r, uint32_t live)
{
	struct scratch_found s;
	if (r->count == 0)
		return 0;
	scratch_find(o, r->codes, r->count, live, &s);
	if (s.spilled == 0)
		return 0;
	return 2.0 * s.spilled + (frame_padding(in) >= s.spilled ? 0 : 2);
}

static double edge_spills(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph_edge *edge = &in->g->edges[e];
	uint32_t live = UINT32_MAX & ~1u, f;
	struct words o;
	words_init(&o, in, edge->to == GRAPH_NONE ? b : edge->to, GRAPH_NONE);
	o.to = edge->to == GRAPH_NONE ? GRAPH_NONE : b;
	if (edge->to != GRAPH_NONE)
		live = in->g->blocks[edge->to].live_x;
	else if (in->g->blocks[b].section != GRAPH_NONE)
		graph_live(in->g, b, in->g->blocks[b].last, &live, &f);
	return (double)commit_edge_weight(in, e) * spill_cycles(in, &o, &in->edges[e - in->f->edge_first], live);
}

/* Expected cycles of all places at which live registers are saved. */
static double all_spills(struct inserter *in)
{
	const struct graph_function *f = in->f;
	double sum = 0;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		struct words o;
		words_init(&o, in, b, GRAPH_NONE);
		sum +=
		    (double)commit_heat(in, b, true) * spill_cycles(in, &o, &in->enters[b - f->blocks], block->live_x);
		sum +=
		    (double)commit_heat(in, b, false) * spill_cycles(in, &o, &in->starts[b - f->blocks], block->live_x);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
			sum += edge_spills(in, b, e);
	}
	return sum;
}

int scratch_spare(struct inserter *in, int (*check)(struct inserter *))
{
	const double calls = (double)commit_heat(in, in->f->blocks, true);
	double cost = in->in_order || in->weights == NULL ? 0 : all_spills(in);
	for (unsigned more = 0; more < SPARES_MAX && cost > 0; more++) {
		const struct inserter before = *in;
		const int v = inserter_register(in);
		if (v < 0)
			return v == OBJECT_EUNSUPPORTED ? OBJECT_OK : v;
		in->spare |= 1u << in->variables[v].reg;
		const bool saved = in->variables[v].kind == INSERTER_SAVED;
		const double own = calls * ((saved ? 2 : 0) + (in->frame && !before.frame ? 2 : 0));
		const double now = all_spills(in);
		if (now + own < cost && check(in) == OBJECT_OK) {
			cost = now;
			continue;
		}
		in->variable_count = before.variable_count;
		in->held = before.held;
		in->spare = before.spare;
		in->frame = before.frame;
		in->frame_words = before.frame_words;
		in->slots = before.slots;
		in->behind = before.behind;
		in->millicode_bytes = before.millicode_bytes;
		in->reason = before.reason;
		break;
	}
	return OBJECT_OK;
}
