/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --cycles: how many cycles each call of each function takes in the unedited program, by caller (QTY section I).
 *
 * A variable r adds up the cycles of one activation, by potentials (potential.h); where each way through a function
 * takes the same there is none. A second one is its node in the tree of calling contexts (sw/probe/cycles.h).
 *
 * Behind a mixed block (cost.h) an edge costs more in way 1. The variable `way` is 0 or 1 at the entry of such blocks.
 */
#include <stdlib.h>
#include <string.h>
#include "host/insert/comes_back.h"
#include "host/base/order.h"
#include "host/insert/cycles_private.h"
#include "sw/probe/cycles.h"
#include "isa/isa.h"

#define MORE_MAX 4

/* ---------------------------------------------------------------- code */
static int put_enter(struct cycles *c)
{
	struct inserter_code codes[3] = {{.op = INSERTER_CONTEXT_ENTER,
	    .var = c->node,
	    .symbol = c->hint,
	    .value = c->leaf ? INSERTER_CONTEXT_LEAF : 0,
	    .by = inserter_entry_bytes(c->in)}};
	size_t count = 1;
	cycles_add_argument(&codes[0], INSERTER_ADDRESS, c->enter, 0);
	cycles_add_argument(
	    &codes[0], INSERTER_ADDRESS, c->job->target.counters, (int64_t)c->record * c->job->target.width);
	/* behind __riscv_save_N, which is a call for the costs, r is right; else it lags as at the start of the
	 * block */
	bool lags = inserter_entry_bytes(c->in) == 0;
	if (!c->same)
		codes[count++] = (struct inserter_code){.op = INSERTER_SET,
		    .var = sum_at(c, 0),
		    .value = (int64_t)c->cost.enter[0] - (lags ? c->potential.of[potential_in(0)] : 0)};
	if (c->cost.blocks[0].mixed && !c->same)
		codes[count++] =
		    (struct inserter_code){.op = INSERTER_SET, .var = c->way, .value = c->cost.blocks[0].enter_way};
	return inserter_enter(c->in, c->f->blocks, codes, count);
}

/* A landing pad: the unwinder gave r back as it was at the call that threw, where it was right. */
static int put_pad(struct cycles *c, uint32_t b)
{
	struct inserter_code codes[2];
	size_t count = 0;
	codes[count++] = cycles_add_code(sum_at(c, b), (int64_t)c->cost.enter[b] - c->potential.of[potential_in(b)]);
	if (c->cost.blocks[b].mixed)
		codes[count++] =
		    (struct inserter_code){.op = INSERTER_SET, .var = c->way, .value = c->cost.blocks[b].enter_way};
	return inserter_enter(c->in, c->f->blocks + b, codes, count);
}

static bool is_pad(const struct cycles *c, uint32_t b)
{
	return b > 0 && c->job->graph->blocks[c->f->blocks + b].pad;
}

static bool has_pads(const struct cycles *c)
{
	uint32_t b = 0;
	while (b < c->f->block_count && !is_pad(c, b))
		b++;
	return b < c->f->block_count;
}

static int64_t slot_of(const struct cycles *c, bool jump, uint32_t block, uint32_t number)
{
	size_t k = 0;
	while (k + 1 < c->site_count &&
	       (c->sites[k].jump != jump || c->sites[k].block != block || c->sites[k].number != number))
		k++;
	return (int64_t)(k < RIVULET_CYCLES_SLOTS ? k : RIVULET_CYCLES_SLOTS - 1);
}

/* Whether a block ends with a jump to what restores registers and returns (-msave-restore). */
static bool restores(const struct cycles *c, uint32_t block)
{
	const struct graph_block *b = &c->job->graph->blocks[c->f->blocks + block];
	const struct edit_atom *atom = &c->job->edit->sections[b->section].atoms[b->last];
	return strncmp(object_symbol_name(c->job->object, atom->symbol), "__riscv_restore_", 16) == 0;
}

/* The jump that ends a block, in the original. */
static uint64_t original_jump(const struct cycles *c, uint32_t block)
{
	const struct map *m = c->job->options->original->map;
	return m->blocks[m->functions[c->original].blocks + block].last;
}

/* What the way adds, and the way of the next block. */
static size_t put_ways(const struct cycles *c, uint8_t var, const struct cost_edge *edge, struct inserter_code *codes)
{
	size_t count = 0;
	if (c->same)
		return 0;
	for (int32_t i = 0; i < abs(edge->more); i++)
		codes[count++] = (struct inserter_code){
		    .op = edge->more > 0 ? INSERTER_ADD_FROM : INSERTER_SUB_FROM, .var = var, .from = c->way};
	if (edge->way == COST_WAY_0 || edge->way == COST_WAY_1)
		codes[count++] =
		    (struct inserter_code){.op = INSERTER_SET, .var = c->way, .value = edge->way == COST_WAY_1};
	return count;
}

/* What an edge within the function adds. */
static int64_t added_at(const struct cycles *c, uint32_t block, uint32_t e)
{
	const struct graph_edge *edge = &c->job->graph->edges[e];
	if (c->same || edge->to == GRAPH_NONE || edge->kind == GRAPH_NO_RETURN)
		return 0;
	return c->cost.edges[e - c->f->edge_first].head + c->potential.of[potential_out(&c->cost, block)] -
	       c->potential.of[potential_in(edge->to - c->f->blocks)];
}

static int put_edge(struct cycles *c, uint32_t block, uint32_t e)
{
	const struct graph_edge *edge = &c->job->graph->edges[e];
	uint32_t at = e - c->f->edge_first;
	struct inserter_code codes[2 + MORE_MAX + 1];
	size_t count = 0;
	int64_t from = c->potential.of[potential_out(&c->cost, block)];
	if (edge->kind == GRAPH_NO_RETURN)
		return OBJECT_OK;
	uint8_t sum = sum_at(c, block);
	if (edge->to != GRAPH_NONE) {
		uint8_t next = sum_at(c, edge->to - c->f->blocks);
		int64_t cycles = added_at(c, block, e);
		/* into what keeps it in a register: first; out of it: last */
		if (next != sum && next != c->r)
			codes[count++] = (struct inserter_code){.op = INSERTER_MOVE, .var = next, .from = sum};
		if (cycles != 0)
			codes[count++] = cycles_add_code(next != c->r ? next : sum, cycles);
		count += put_ways(c, next != c->r ? next : sum, &c->cost.edges[at], codes + count);
		if (next != sum && next == c->r)
			codes[count++] = (struct inserter_code){.op = INSERTER_MOVE, .var = next, .from = sum};
	} else {
		if (!cycles_is_near(from) && !c->same)
			codes[count++] = cycles_add_code(sum, from);
		bool jump = edge->kind != GRAPH_RETURN && !restores(c, block);
		enum comes_back back =
		    jump ? comes_back(c->job->options->original, original_jump(c, block)) : COMES_BACK_UNKNOWN;
		jump = jump && back != COMES_BACK_ALONE;
		codes[count] = (struct inserter_code){.op = INSERTER_CONTEXT_LEAVE,
		    .var = c->node,
		    .from = sum,
		    .by = c->same || !cycles_is_near(from) ? 0 : from,
		    .symbol = c->hint,
		    .value = (c->leaf ? INSERTER_CONTEXT_LEAF : 0) | (jump ? INSERTER_CONTEXT_JUMP : 0) |
			     (c->same ? INSERTER_CONTEXT_SAME : 0)};
		cycles_add_argument(&codes[count], INSERTER_ADDRESS, c->rare, 0);
		cycles_add_argument(&codes[count], INSERTER_CONSTANT, 0, jump ? slot_of(c, true, block, at) : 0);
		cycles_add_argument(
		    &codes[count], INSERTER_CONSTANT, 0, back == COMES_BACK ? -(int64_t)at - 1 : (int64_t)at + 1);
		count++;
	}
	return count == 0 ? OBJECT_OK : inserter_edge(c->in, e, codes, count);
}

static int put_block(struct cycles *c, uint32_t b)
{
	const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
	const struct cost_block *cost = &c->cost.blocks[b];
	const struct edit_section *s = &c->job->edit->sections[block->section];
	uint32_t calls = 0;
	int64_t now = c->same && c->potential.reached[b] > 0 ? c->potential.reached[b] : 1;
	int error = OBJECT_OK;
	for (uint32_t a = block->first; a <= block->last && error == OBJECT_OK; a++) {
		struct isa_insn insn;
		if (cycles_is_variable(c, &s->atoms[a], &insn))
			error = cycles_put_variable(c, c->f->blocks + b, a, &insn);
		if (error != OBJECT_OK || !insert_is_call(c->job, &s->atoms[a]))
			continue;
		int64_t cycles =
		    calls == 0 ? c->potential.of[potential_in(b)] : c->cost.middles[cost->middles + calls - 1];
		const struct insert_wait *wait = cycles_waits_at(c, &s->atoms[a]);
		struct inserter_code codes[4];
		size_t count = 0;
		now += calls == 0 ? 0 : cycles;
		int64_t near = cycles_is_near(cycles) ? cycles : 0;
		if (!cycles_is_near(cycles) && !c->same)
			codes[count++] = cycles_add_code(c->r, cycles);
		codes[count++] = (struct inserter_code){.op = INSERTER_CONTEXT_CALL,
		    .var = c->node,
		    .from = c->same ? INSERTER_NO_VARIABLE : c->r,
		    .by = c->same ? now : near,
		    .symbol = c->hint,
		    .value = slot_of(c, false, b, calls)};
		if (wait != NULL)
			codes[count++] = cycles_clock(c->temporary);
		/* the code of the entry stands behind __riscv_save_N */
		if (b > 0 || calls > 0 || inserter_entry_bytes(c->in) == 0)
			error = inserter_before(c->in, c->f->blocks + b, a, codes, count);
		calls++;
		count = 0;
		int waited = wait != NULL ? cycles_waited_call(c, b, calls - 1, wait, codes) : 0;
		if (waited < 0)
			error = waited;
		else
			count = (size_t)waited;
		if (insert_is_setjmp(c->job, &s->atoms[a]))
			codes[count++] =
			    (struct inserter_code){.op = INSERTER_CONTEXT_AGAIN, .var = c->r, .from = c->node};
		cycles = (int64_t)cost->tail - c->potential.of[potential_out(&c->cost, b)];
		if (calls == cost->calls && cycles != 0 && !c->same)
			codes[count++] = cycles_add_code(c->r, cycles);
		if (error == OBJECT_OK && count > 0)
			error = inserter_after(c->in, c->f->blocks + b, a, codes, count);
	}
	return error;
}

static int put_all(struct cycles *c)
{
	int error = put_enter(c);
	for (uint32_t b = 0; b < c->f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		if (is_pad(c, b))
			error = put_pad(c, b);
		if (!cycles_is_table(c, b) && error == OBJECT_OK)
			error = put_block(c, b);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK; e++)
			error = put_edge(c, b, e);
	}
	return error;
}

/* ---------------------------------------------------------------- the function */
static uint32_t original_function(const struct insert_job *job, size_t function)
{
	const struct map *m = job->options->original->map;
	const struct map_object *o = map_object(m, job->id);
	const struct graph_function *f = &job->graph->functions[function];
	/* functions without code are not in the map */
	uint32_t index = 0;
	for (size_t i = 0; i < function; i++)
		index += job->graph->functions[i].block_count > 0;
	if (o == NULL || index >= o->function_count)
		return UINT32_MAX;
	const struct map_function *mf = &m->functions[o->functions + index];
	return mf->block_count == f->block_count && mf->edge_count == f->edge_count ? o->functions + index : UINT32_MAX;
}

/* Whether the calls of the original are those of the object, block by block; and who else enters. */
static const char *unfit(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		uint32_t calls = 0;
		if (b > 0 && block->root && !block->pad)
			return "it is entered in its middle";
		for (uint32_t a = block->first; !cycles_is_table(c, b) && a <= block->last; a++)
			calls += insert_is_call(c->job, &c->job->edit->sections[block->section].atoms[a]);
		if (calls != c->cost.blocks[b].calls)
			return "its code is not that of the original";
	}
	for (uint32_t e = 0; e < c->f->edge_count; e++) {
		if (abs(c->cost.edges[e].more) > MORE_MAX)
			return "what an edge costs depends too much on the edges before it";
	}
	return NULL;
}

/* Whether it calls nobody, jumps to nobody, and leaves the return address where it was. */
static bool is_leaf(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint8_t kind = c->job->graph->edges[e].kind;
			if (c->job->graph->edges[e].to == GRAPH_NONE && kind != GRAPH_RETURN && kind != GRAPH_NO_RETURN)
				return false;
		}
		for (uint32_t a = block->first; !cycles_is_table(c, b) && a <= block->last; a++) {
			const struct edit_atom *atom = &c->job->edit->sections[block->section].atoms[a];
			struct isa_registers regs;
			struct isa_insn insn;
			if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
				continue;
			graph_insn(c->job->graph, atom, &insn);
			isa_registers(&insn, &regs);
			if (insert_is_call(c->job, atom) || (regs.x_written & 2u) != 0 ||
			    (insn.class_bits & ISA_RET) != 0 || ((insn.class_bits & ISA_RETURN) != 0 && insn.rs1 != 1))
				return false;
		}
	}
	return true;
}

static int more_first(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->block != y->block)
		return x->block > y->block ? 1 : -1;
	if (x->jump != y->jump)
		return x->jump ? 1 : -1;
	return ORDER_UP(x->number, y->number);
}

/* Whether its first call is that of what saves registers: no function with a context. */
static bool saves(const struct cycles *c, uint32_t b)
{
	const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
	const struct edit_atom *atom = &c->job->edit->sections[block->section].atoms[block->first];
	return b == 0 && strncmp(object_symbol_name(c->job->object, atom->symbol), "__riscv_save_", 13) == 0;
}

static int find_sites(struct cycles *c)
{
	size_t most = c->f->edge_count + 1u;
	for (uint32_t b = 0; b < c->f->block_count; b++)
		most += c->cost.blocks[b].calls;
	c->sites = calloc(most, sizeof *c->sites);
	if (c->sites == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		uint64_t weight = potential_weight(c->job->graph, c->f, c->numbered.weights, b);
		for (uint32_t i = 0; i < c->cost.blocks[b].calls; i++)
			c->sites[c->site_count++] = (struct site){b, i, false, saves(c, b) && i == 0 ? 0 : weight};
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct graph_edge *edge = &c->job->graph->edges[e];
			if (edge->to == GRAPH_NONE && edge->kind != GRAPH_NO_RETURN && edge->kind != GRAPH_RETURN)
				c->sites[c->site_count++] = (struct site){b, e - c->f->edge_first, true, weight};
		}
	}
	qsort(c->sites, c->site_count, sizeof *c->sites, more_first);
	return OBJECT_OK;
}

static int symbols(struct cycles *c)
{
	static const char *const names[] = {"rivulet_cycles_enter", "rivulet_cycles_rare", "rivulet_cycles_hint",
	    "rivulet_cycles_waited", "rivulet_cycles_class", "rivulet_cycles_divide", "rivulet_cycles_divide_signed",
	    "rivulet_cycles_bits", "rivulet_cycles_bit_pairs"};
	uint32_t *const where[] = {&c->enter, &c->rare, &c->hint, &c->waited, &c->class, &c->divide, &c->divide_signed,
	    &c->bits, &c->bit_pairs};
	int error = OBJECT_OK;
	for (unsigned i = 0; i < sizeof names / sizeof *names && error == OBJECT_OK; i++)
		error = inserter_symbol(c->job->object, names[i], where[i]);
	return error;
}

static bool is_again(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		for (uint32_t a = block->first; !cycles_is_table(c, b) && a <= block->last; a++) {
			const struct edit_atom *atom = &c->job->edit->sections[block->section].atoms[a];
			if (insert_is_call(c->job, atom) && insert_is_setjmp(c->job, atom))
				return true;
		}
	}
	return false;
}

static int variable(struct cycles *c, uint8_t *number, const char **reason)
{
	int v = inserter_variable(c->in, reason);
	if (v >= 0)
		*number = (uint8_t)v;
	return v < 0 ? v : OBJECT_OK;
}

static int variables(struct cycles *c, const char **reason)
{
	int error = variable(c, &c->node, reason);
	if (!c->same && error == OBJECT_OK) {
		error = variable(c, &c->r, reason);
		/* what is added up in loops has the register, if there is one alone */
		if (error == OBJECT_OK && inserter_kind_of(c->in, c->r) == INSERTER_SLOT) {
			uint8_t r = c->r;
			c->r = c->node;
			c->node = r;
		}
	}
	if (c->mixed && !c->same && error == OBJECT_OK)
		error = variable(c, &c->way, reason);
	if (cycles_has_variable(c) && error == OBJECT_OK)
		error = variable(c, &c->temporary, reason);
	if (cycles_has_wait(c) && error == OBJECT_OK)
		error = variable(c, &c->later, reason);
	return error;
}

static int keep_sum(struct cycles *c)
{
	bool *calls = calloc(c->f->block_count + 1u, sizeof *calls),
	     *used = calloc(c->f->edge_count + 1u, sizeof *used);
	int error = calls == NULL || used == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	for (uint32_t b = 0; b < c->f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		calls[b] = c->cost.blocks[b].calls > 0;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
			used[e - c->f->edge_first] = c->job->graph->edges[e].to == GRAPH_NONE || added_at(c, b, e) != 0;
	}
	if (error == OBJECT_OK && !c->same)
		error = cached_make(&c->cached,
		    &(struct cached_function){c->in, c->job->graph, c->f, calls, used, c->numbered.weights}, c->r);
	free(calls);
	free(used);
	return error;
}

static int put_function(struct cycles *c, size_t function, struct insert_result *result)
{
	int error = insert_number(c->job, c->f, INSERT_PATHS_MAX, &c->numbered);
	if (error == OBJECT_OK &&
	    weights_of(c->job->options->weights, c->job->id, (uint32_t)function, c->f->edge_count) == NULL)
		potential_guess(c->job->graph, c->f, c->numbered.weights, c->numbered.costs);
	if (error == OBJECT_OK)
		error = potential_make(
		    &c->potential, c->job->graph, c->f, &c->cost, c->numbered.weights, c->numbered.costs);
	for (uint32_t b = 0; b < c->f->block_count; b++)
		c->mixed = c->mixed || c->cost.blocks[b].mixed;
	c->leaf = is_leaf(c);
	c->same = c->potential.same && !cycles_has_variable(c) && !is_again(c) && !has_pads(c);
	if (error == OBJECT_OK)
		error = find_sites(c);
	if (error == OBJECT_OK)
		error = insert_word(result, c->same ? (uint32_t)c->potential.total : 0);
	if (error == OBJECT_OK)
		error = inserter_open(&c->in, &c->job->target, function);
	if (error == OBJECT_OK)
		error = variables(c, &result->reason);
	if (error != OBJECT_OK)
		return error;
	enum inserter_kind kind = inserter_kind_of(c->in, c->node);
	error = keep_sum(c);
	if (error != OBJECT_OK)
		return error;
	inserter_weights(c->in, c->numbered.weights);
	error = symbols(c);
	if (error == OBJECT_OK)
		error = put_all(c);
	if (error == OBJECT_OK)
		error = inserter_commit(c->in, &result->reason);
	if (error == OBJECT_OK)
		c->job->counts->registers[kind]++;
	return error;
}

static int cycles(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	struct cycles c = {.job = job, .f = &job->graph->functions[function], .record = (uint32_t)first};
	uint32_t index = original_function(job, function);
	int error = OBJECT_EUNSUPPORTED;
	c.original = index;
	if (index == UINT32_MAX)
		result->reason = "it is not in the original";
	else if (job->options->original->map->functions[index].address == 0)
		result->reason = "the original's linker left it out";
	else {
		int why = cost_make(&c.cost, job->options->original, index);
		if (why == COST_EOTHER)
			result->reason = "its code is not that of the original";
		else if (why == COST_EMIXED)
			result->reason = "a block is entered in more than two ways that matter";
		else
			result->reason = unfit(&c);
		if (why == COST_ENOMEM)
			error = OBJECT_ENOMEM;
		else if (result->reason == NULL)
			error = put_function(&c, function, result);
	}
	result->counters = 1;
	inserter_close(c.in);
	cost_free(&c.cost);
	cached_free(&c.cached);
	potential_free(&c.potential);
	insert_number_free(&c.numbered);
	free(c.sites);
	return error;
}

const struct insert_profiler insert_profile_cycles = {INSERT_CYCLES, "cycles", cycles, NULL};
