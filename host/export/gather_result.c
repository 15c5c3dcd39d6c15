/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/gather_private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

static int compare_cells(const void *a, const void *b)
{
	const struct gather_cell *x = a, *y = b;
	return order_then(ORDER_UP(x->node, y->node), ORDER_UP(x->pc, y->pc));
}

static int compare_gathered_code(const void *a, const void *b)
{
	const struct gather_code *x = a, *y = b;
	return ORDER_UP(x->pc, y->pc);
}

static int compare_calls(const void *a, const void *b)
{
	const struct gather_call *x = a, *y = b;
	return order_then(ORDER_UP(x->site, y->site), ORDER_UP(x->target, y->target));
}

static int compare_unit_nodes(const void *a, const void *b)
{
	const struct unit *x = *(const struct unit *const *)a, *y = *(const struct unit *const *)b;
	return order_then(ORDER_UP(x->node, y->node), ORDER_UP(x->block->start, y->block->start));
}

static int compare_unit_blocks(const void *a, const void *b)
{
	const struct unit *x = *(const struct unit *const *)a, *y = *(const struct unit *const *)b;
	if (x->block != y->block && x->block->start != y->block->start)
		return x->block->start > y->block->start ? 1 : -1;
	return order_then(ORDER_UP(x->block, y->block), ORDER_UP(x->count, y->count));
}

/*
 * Units in order give instructions in order, but where blocks overlap: a jump into the middle of one.
 *
 *   units   [100 102 104] [102 104 106]        [110 112]
 *           └──── a span: sorted as a whole ──┘ └─ the next: one unit, as it stands
 */
struct span {
	size_t from, units; /* from: its first instruction */
	uint64_t top;       /* address of its last one */
};

/* The unit belongs to the span. False: it begins behind it, and has begun the next one. */
static bool widen_span(struct span *span, const struct unit *unit, bool apart, size_t used)
{
	const struct walk_block *block = unit->block;
	bool inside = !apart && span->units > 0 && block->start <= span->top;
	if (!inside)
		*span = (struct span){.from = used};
	span->units++;
	span->top = block->last > span->top ? block->last : span->top;
	return inside;
}

static void sort_span(
    const struct span *span, void *all, size_t size, size_t used, int (*compare)(const void *, const void *))
{
	if (span->units > 1)
		qsort((char *)all + span->from * size, used - span->from, size, compare);
}

/* Sums cannot overflow: the sum over all of them did not. */
static size_t expand_cells(const struct gather *gather, const struct unit **order, struct gather_cell *cells)
{
	const uint64_t scale = gather->result.scale;
	struct span span = {0};
	size_t used = 0;
	qsort(order, gather->unit_count, sizeof *order, compare_unit_nodes);
	for (size_t i = 0; i < gather->unit_count; i++) {
		const struct unit *unit = order[i];
		uint64_t starts = unit->block->starts;
		struct span before = span;
		if (!widen_span(&span, unit, i > 0 && order[i - 1]->node != unit->node, used))
			sort_span(&before, cells, sizeof *cells, used, compare_cells);
		for (uint32_t k = 0; k < unit->count; k++, starts &= starts - 1) {
			uint64_t pc = unit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
			cells[used++] =
			    (struct gather_cell){pc, unit->node, unit->visits * scale, unit->cycles[k] * scale};
		}
	}
	sort_span(&span, cells, sizeof *cells, used, compare_cells);
	return used;
}

/* The same block in several contexts is one. */
static size_t expand_code(const struct gather *gather, const struct unit **order, struct gather_code *code)
{
	const uint64_t scale = gather->result.scale;
	struct span span = {0};
	size_t used = 0, own = 0; /* own: the first instruction of the present block */
	qsort(order, gather->unit_count, sizeof *order, compare_unit_blocks);
	for (size_t i = 0; i < gather->unit_count; i++) {
		const struct unit *unit = order[i];
		bool again = i > 0 && order[i - 1]->block == unit->block && order[i - 1]->count == unit->count;
		uint64_t starts = unit->block->starts;
		struct span before = span;
		if (!again && !widen_span(&span, unit, false, used))
			sort_span(&before, code, sizeof *code, used, compare_gathered_code);
		own = again ? own : used;
		used = own + unit->count;
		for (uint32_t k = 0; k < unit->count; k++, starts &= starts - 1) {
			struct gather_code *one = &code[own + k];
			bool end = k + 1 == unit->block->count;
			one->pc = unit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
			one->count += unit->visits * scale;
			one->cycles += unit->cycles[k] * scale;
			one->taken += end ? unit->taken * scale : 0;
			one->not_taken += end ? unit->not_taken * scale : 0;
		}
	}
	sort_span(&span, code, sizeof *code, used, compare_gathered_code);
	return used;
}

static size_t merge_cells(struct gather_cell *cells, size_t count)
{
	size_t done = 0;
	for (size_t i = 0; i < count; i++) {
		if (done > 0 && compare_cells(&cells[done - 1], &cells[i]) == 0) {
			cells[done - 1].count += cells[i].count;
			cells[done - 1].cycles += cells[i].cycles;
		} else
			cells[done++] = cells[i];
	}
	return done;
}

static size_t merge_code(struct gather_code *code, size_t count)
{
	size_t done = 0;
	for (size_t i = 0; i < count; i++) {
		if (done > 0 && code[done - 1].pc == code[i].pc) {
			code[done - 1].count += code[i].count;
			code[done - 1].cycles += code[i].cycles;
			code[done - 1].taken += code[i].taken;
			code[done - 1].not_taken += code[i].not_taken;
		} else
			code[done++] = code[i];
	}
	return done;
}

static int finish_units(struct gather *gather)
{
	struct gather_result *result = &gather->result;
	size_t room = 0;
	const struct unit **order = malloc((gather->unit_count + 1) * sizeof *order);
	for (size_t i = 0; i < gather->unit_count; i++)
		room += gather->units[i].count;
	result->cells = malloc((room + 1) * sizeof *result->cells);
	result->code = calloc(room + 1, sizeof *result->code);
	if (result->cells == NULL || result->code == NULL || order == NULL) {
		free(order);
		return GATHER_ENOMEM;
	}
	for (size_t i = 0; i < gather->unit_count; i++)
		order[i] = &gather->units[i];

	result->cell_count = merge_cells(result->cells, expand_cells(gather, order, result->cells));
	result->code_count = merge_code(result->code, expand_code(gather, order, result->code));
	free(order);
	return GATHER_OK;
}

static int finish_calls(struct gather *gather)
{
	struct gather_result *result = &gather->result;
	result->calls = calloc(gather->call_count + 1, sizeof *result->calls);
	if (result->calls == NULL)
		return GATHER_ENOMEM;
	for (size_t i = 0; i < gather->call_count; i++) {
		struct gather_call call = gather->calls[i];
		call.count *= result->scale;
		result->calls[result->call_count++] = call;
	}
	qsort(result->calls, result->call_count, sizeof *result->calls, compare_calls);
	return GATHER_OK;
}

static int finish_nodes(struct gather *gather)
{
	struct gather_result *result = &gather->result;
	const struct stack_node *nodes = stack_nodes(gather->stack, &result->node_count);
	gather->nodes = malloc(result->node_count * sizeof *nodes);
	if (gather->nodes == NULL)
		return GATHER_ENOMEM;
	memcpy(gather->nodes, nodes, result->node_count * sizeof *nodes);
	for (size_t i = 0; i < result->node_count; i++)
		gather->nodes[i].entered *= result->scale;
	result->nodes = gather->nodes;
	result->stack = *stack_counts(gather->stack);
	return GATHER_OK;
}

void gather_forget_result(struct gather *gather)
{
	struct gather_result *result = &gather->result;
	free(gather->nodes);
	free(result->cells);
	free(result->code);
	free(result->calls);
	gather->nodes = NULL;
	result->nodes = NULL;
	result->cells = NULL;
	result->code = NULL;
	result->calls = NULL;
	result->node_count = result->cell_count = result->code_count = result->call_count = 0;
}

int gather_finish(struct gather *gather, uint64_t scale, const struct gather_result **out)
{
	struct gather_result *result = &gather->result;
	*out = NULL;
	gather_forget_result(gather);
	result->scale = scale;
	int error = gather_settle(gather);
	if (error != GATHER_OK)
		return error;
	/* every sum is below one of these two */
	if (__builtin_mul_overflow(result->count, scale, &result->count) ||
	    __builtin_mul_overflow(result->cycles, scale, &result->cycles))
		return GATHER_EOVERFLOW;
	error = finish_units(gather);
	if (error == GATHER_OK)
		error = finish_calls(gather);
	if (error == GATHER_OK)
		error = finish_nodes(gather);
	if (error == GATHER_OK)
		*out = result;
	return error;
}

const struct gather_code *gather_at(const struct gather_result *result, uint64_t pc)
{
	const struct gather_code key = {.pc = pc};
	return bsearch(&key, result->code, result->code_count, sizeof *result->code, compare_gathered_code);
}
