/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/calls.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/export/edges.h"
#include "host/export/extremes.h"
#include "isa/isa.h"

struct sum {
	uint64_t insns, cycles;
};

struct taker {
	struct account *account;
	const struct image *image;
	const struct gather_result *result;
	uint32_t *entry;   /* function that each context was entered by, ACCOUNT_NONE: not known */
	uint32_t *row;     /* function in which its call stands */
	struct sum *below; /* of each context and those above it */
	struct sum *whole; /* of each function */
	uint32_t *mark;    /* of each function: the context whose chain it was last found on */
};

static uint32_t function_row(const struct taker *t, uint64_t address)
{
	uint64_t start = address;
	if (address == 0)
		return ACCOUNT_NONE;
	if (image_whole_function(t->image, address, &start) == NULL) {
		const struct account_insn *insn = account_find(t->account, address);
		return insn == NULL ? ACCOUNT_NONE : insn->function;
	}
	for (size_t low = 0, high = t->account->function_count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (t->account->functions[middle].start == start)
			return (uint32_t)middle;
		if (t->account->functions[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return ACCOUNT_NONE;
}

/* Contexts, from the outermost: how often each function was called, and how deep in itself. */
static void take_nodes(struct taker *t)
{
	struct account *a = t->account;
	const struct stack_node *nodes = t->result->nodes;
	for (size_t i = 1; i < t->result->node_count; i++) {
		uint32_t row = t->entry[i] = function_row(t, nodes[i].entry), again = 0;
		t->row[i] = nodes[i].kind == STACK_ROOT ? ACCOUNT_NONE : function_row(t, nodes[i].site);
		if (row == ACCOUNT_NONE)
			continue;
		for (uint32_t k = nodes[i].parent; k != STACK_NOBODY; k = nodes[k].parent)
			again += t->entry[k] == row;
		struct account_function *function = &a->functions[row];
		if (again + 1 > function->depth)
			function->depth = again + 1;
		if (nodes[i].kind == STACK_ROOT)
			continue;
		function->calls += nodes[i].entered;
		function->recursive += again > 0 ? nodes[i].entered : 0;
	}
}

static bool inside_same(const struct taker *t, size_t index)
{
	for (uint32_t k = t->result->nodes[index].parent; k != STACK_NOBODY; k = t->result->nodes[k].parent) {
		if (t->row[k] == t->row[index])
			return true;
	}
	return false;
}

/* Sums of each context, and what each function has by the instructions in it. */
static void take_cells(struct taker *t)
{
	const struct gather_result *result = t->result;
	uint32_t marked = STACK_NOBODY;
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct gather_cell *cell = &result->cells[i];
		const struct account_insn *insn = account_find(t->account, cell->pc);
		t->below[cell->node].insns += cell->count;
		t->below[cell->node].cycles += cell->cycles;
		if (cell->node != marked) {
			for (uint32_t k = marked = cell->node; k != STACK_NOBODY; k = result->nodes[k].parent) {
				if (t->row[k] != ACCOUNT_NONE)
					t->mark[t->row[k]] = marked;
			}
		}
		if (insn == NULL || t->mark[insn->function] == marked)
			continue;
		t->whole[insn->function].insns += cell->count;
		t->whole[insn->function].cycles += cell->cycles;
	}
}

static void take_functions(struct taker *t)
{
	for (size_t i = t->result->node_count; i-- > 1;) { /* children have larger indices */
		uint32_t parent = t->result->nodes[i].parent;
		if (t->row[i] != ACCOUNT_NONE && !inside_same(t, i)) {
			t->whole[t->row[i]].insns += t->below[i].insns;
			t->whole[t->row[i]].cycles += t->below[i].cycles;
		}
		t->below[parent].insns += t->below[i].insns;
		t->below[parent].cycles += t->below[i].cycles;
	}
	for (size_t i = 0; i < t->account->function_count; i++) {
		t->account->functions[i].inclusive_insns = t->whole[i].insns;
		t->account->functions[i].inclusive_cycles = t->whole[i].cycles;
	}
}

static int take_calls(struct taker *t)
{
	struct account *a = t->account;
	struct edges edges;
	const struct export_input input = {.image = t->image, .result = t->result};
	if (edges_make(&edges, &input) != EXPORT_OK)
		return ACCOUNT_ENOMEM;
	struct account_call *calls = calloc(edges.count + 1, sizeof *calls);
	if (calls == NULL) {
		edges_free(&edges);
		return ACCOUNT_ENOMEM;
	}
	size_t count = 0;
	for (size_t i = 0; i < edges.count; i++) {
		const struct edge *edge = &edges.all[i];
		const struct account_insn *site = account_find(a, edge->site);
		uint32_t callee = function_row(t, edge->target), caller = function_row(t, edge->site);
		if (caller == ACCOUNT_NONE) /* an interrupt came before an instruction that never ran */
			caller = site != NULL ? site->function : callee;
		if (caller == ACCOUNT_NONE)
			continue;
		bool call = site != NULL && (site->class_bits & ISA_CALL) != 0;
		bool jump = site != NULL && (site->class_bits & (ISA_JUMP | ISA_BRANCH | ISA_INDIRECT)) != 0;
		uint8_t kind = jump ? ACCOUNT_TAIL_CALL : ACCOUNT_TRAP_CALL;
		if (call)
			kind = ACCOUNT_CALL;
		calls[count++] = (struct account_call){.pc = edge->site,
		    .function = caller,
		    .callee = edge->target,
		    .callee_row = callee,
		    .kind = kind,
		    .count = edge->calls,
		    .insns = edge->count,
		    .cycles = edge->cycles};
	}
	edges_free(&edges);
	free(a->calls);
	a->calls = calls;
	a->call_count = count;
	return ACCOUNT_OK;
}

/* The account has its cycles path by path, the result record by record: a path's records can differ in what the core
 * had in hand, and in who waited. */
static void take_cycles(struct account *a, const struct gather_result *result)
{
	for (size_t i = 0; i < a->function_count; i++)
		a->functions[i].self.cycles = 0;
	for (size_t i = 0; i < a->block_count; i++)
		a->blocks[i].sum.cycles = 0;
	for (size_t i = 0; i < a->line_count; i++)
		a->lines[i].sum.cycles = 0;
	for (size_t i = 0; i < a->inlined_count; i++)
		a->inlined[i].sum.cycles = 0;
	a->lineless.cycles = 0;
	uint64_t before = a->accounted.cycles;
	a->accounted.cycles = 0;
	for (size_t i = 0; i < a->insn_count; i++) {
		struct account_insn *insn = &a->insns[i];
		const struct gather_code *code = gather_at(result, insn->pc);
		insn->cycles = code == NULL ? 0 : code->cycles;
		a->functions[insn->function].self.cycles += insn->cycles;
		a->blocks[insn->block].sum.cycles += insn->cycles;
		a->inlined[insn->inlined].sum.cycles += insn->cycles;
		(insn->line == ACCOUNT_NONE ? &a->lineless : &a->lines[insn->line].sum)->cycles += insn->cycles;
		a->accounted.cycles += insn->cycles;
	}
	/* of a path that is known in part, a record's part and that of all of them are rounded differently */
	a->cut.cycles += before - a->accounted.cycles; /* or less: both are modulo 2^64, the sum is not */
	a->unaccounted.cycles = a->all.cycles - a->accounted.cycles;
	a->shared_cycles = result->shared;
}

int calls_take(struct account *account, const struct image *image, const struct gather_result *result)
{
	struct taker t = {.account = account, .image = image, .result = result};
	t.row = malloc((result->node_count + 1) * sizeof *t.row);
	t.entry = malloc((result->node_count + 1) * sizeof *t.entry);
	t.below = calloc(result->node_count + 1, sizeof *t.below);
	t.whole = calloc(account->function_count + 1, sizeof *t.whole);
	t.mark = calloc(account->function_count + 1, sizeof *t.mark);
	int error = t.row == NULL || t.entry == NULL || t.below == NULL || t.whole == NULL || t.mark == NULL
			? ACCOUNT_ENOMEM
			: ACCOUNT_OK;
	if (error == ACCOUNT_OK)
		error = take_calls(&t);
	if (error == ACCOUNT_OK) {
		t.row[STACK_NOBODY] = t.entry[STACK_NOBODY] = ACCOUNT_NONE;
		take_nodes(&t);
		take_cells(&t);
		take_functions(&t);
		for (size_t i = 0; i < account->function_count; i++)
			account->functions[i].callers = account->functions[i].calls;
		take_cycles(account, result);
		account->exact_calls = true;
	}
	free(t.row);
	free(t.entry);
	free(t.below);
	free(t.whole);
	free(t.mark);
	return error;
}

static int by_site(const void *a, const void *b)
{
	const struct account_call *x = a, *y = b;
	return order_then(ORDER_UP(x->pc, y->pc), ORDER_UP(x->callee, y->callee));
}

static void widen_call_span(uint64_t *least, uint64_t *most, uint64_t low, uint64_t high)
{
	*least = low < *least ? low : *least;
	*most = high > *most ? high : *most;
}

void calls_extremes(struct account *account, const struct image *image, const struct gather_result *result,
    const struct extremes_call *extremes, size_t count)
{
	const struct taker t = {.account = account, .image = image, .result = result};
	for (size_t i = 0; i < account->call_count; i++)
		account->calls[i].least = UINT64_MAX;
	for (size_t i = 0; i < account->function_count; i++)
		account->functions[i].least = UINT64_MAX;
	for (size_t i = 1; i < count; i++) {
		const struct stack_node *node = &result->nodes[i];
		const struct extremes_call *e = &extremes[i];
		if (!e->any || node->kind == STACK_ROOT)
			continue;
		const struct account_call key = {.pc = node->site, .callee = node->entry};
		struct account_call *call =
		    bsearch(&key, account->calls, account->call_count, sizeof key, by_site); /* as edges are sorted */
		if (call != NULL)
			widen_call_span(&call->least, &call->most, e->least, e->most);
		uint32_t row = function_row(&t, node->entry);
		if (row != ACCOUNT_NONE)
			widen_call_span(
			    &account->functions[row].least, &account->functions[row].most, e->self_least, e->self_most);
	}
	for (size_t i = 0; i < account->call_count; i++)
		account->calls[i].least = account->calls[i].most == 0 ? 0 : account->calls[i].least;
	for (size_t i = 0; i < account->function_count; i++)
		account->functions[i].least = account->functions[i].most == 0 ? 0 : account->functions[i].least;
	account->extremes = true;
}
