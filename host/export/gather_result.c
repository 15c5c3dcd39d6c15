/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/gather_private.h"

#include <stdlib.h>
#include <string.h>

static int compare_cells(const void *a, const void *b)
{
	const struct gather_cell *x = a, *y = b;
	if (x->node != y->node)
		return x->node > y->node ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static int compare_code(const void *a, const void *b)
{
	const struct gather_code *x = a, *y = b;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static int compare_calls(const void *a, const void *b)
{
	const struct gather_call *x = a, *y = b;
	if (x->site != y->site)
		return x->site > y->site ? 1 : -1;
	return (x->target > y->target) - (x->target < y->target);
}

/* Sums cannot overflow: the sum over all of them did not. */
static void expand_units(struct gather *gather, struct gather_cell *cells, struct gather_code *code)
{
	size_t used = 0;
	for (size_t i = 0; i < gather->unit_count; i++) {
		const struct unit *unit = &gather->units[i];
		uint64_t starts = unit->block->starts, scale = gather->result.scale;
		for (uint32_t k = 0; k < unit->count; k++, starts &= starts - 1) {
			uint64_t pc = unit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
			uint64_t count = unit->visits * scale, cycles = unit->cycles[k] * scale;
			bool end = k + 1 == unit->block->count;
			cells[used] = (struct gather_cell){pc, unit->node, count, cycles};
			code[used++] = (struct gather_code){
			    pc, count, cycles, end ? unit->taken * scale : 0, end ? unit->not_taken * scale : 0};
		}
	}
}

static size_t merge_cells(struct gather_cell *cells, size_t count)
{
	size_t done = 0;
	qsort(cells, count, sizeof *cells, compare_cells);
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
	qsort(code, count, sizeof *code, compare_code);
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
	size_t room = 0;
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
	for (size_t i = 0; i < gather->unit_count; i++)
		room += gather->units[i].count;
	result->cells = calloc(room + 1, sizeof *result->cells);
	result->code = calloc(room + 1, sizeof *result->code);
	if (result->cells == NULL || result->code == NULL)
		return GATHER_ENOMEM;
	expand_units(gather, result->cells, result->code);
	result->cell_count = merge_cells(result->cells, room);
	result->code_count = merge_code(result->code, room);
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
	return bsearch(&key, result->code, result->code_count, sizeof *result->code, compare_code);
}
