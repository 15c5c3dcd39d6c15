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

static int compare_unit_places(const void *a, const void *b)
{
	const struct unit_place *x = a, *y = b;
	return order_then(
	    ORDER_UP(x->first, y->first), order_then(ORDER_UP(x->second, y->second), ORDER_UP(x->count, y->count)));
}

static struct unit_place place_of_unit(const struct gather *gather, size_t number)
{
	const struct unit *unit = &gather->units[number];
	return (struct unit_place){unit->node, unit->block->start, unit->count, (uint32_t)number};
}

static struct unit_place place_of_part(const struct gather *gather, size_t number)
{
	const struct unit_part *part = &gather->parts[number];
	return (struct unit_place){part->block->start, (uintptr_t)part->block, part->count, (uint32_t)number};
}

/*
 *   places   [ in order            | new ones ]        the new ones are sorted aside; from behind, the greater of both
 *                                                      goes to the end
 */
static bool keep_order(const struct gather *gather, struct unit_order *order, size_t count,
    struct unit_place (*place)(const struct gather *gather, size_t number))
{
	size_t old = order->count, fresh = count - old, end = count;
	if (fresh == 0)
		return true;
	struct unit_place *sorted = malloc(fresh * sizeof *sorted);
	if (sorted == NULL || !array_room(&order->places, count, &order->room)) {
		free(sorted);
		return false;
	}
	for (size_t i = 0; i < fresh; i++)
		sorted[i] = place(gather, old + i);
	qsort(sorted, fresh, sizeof *sorted, compare_unit_places);
	order->count = count;
	while (fresh > 0) {
		bool mine = old > 0 && compare_unit_places(&order->places[old - 1], &sorted[fresh - 1]) > 0;
		order->places[--end] = mine ? order->places[--old] : sorted[--fresh];
	}
	free(sorted);
	return true;
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

static bool is_in_span(const struct span *span, const struct walk_block *block)
{
	return span->units > 0 && block->start <= span->top;
}

static void widen_span(struct span *span, const struct walk_block *block)
{
	span->units++;
	span->top = block->last > span->top ? block->last : span->top;
}

/* Sorts a span, and adds up what has the same address; returns where what follows goes. */
static size_t end_cell_span(const struct span *span, struct gather_cell *cells, size_t used)
{
	size_t done = span->from;
	if (span->units < 2)
		return used;
	qsort(cells + span->from, used - span->from, sizeof *cells, compare_cells);
	for (size_t i = span->from; i < used; i++) {
		if (done > span->from && cells[done - 1].pc == cells[i].pc) {
			cells[done - 1].count += cells[i].count;
			cells[done - 1].cycles += cells[i].cycles;
		} else
			cells[done++] = cells[i];
	}
	return done;
}

static size_t end_code_span(const struct span *span, struct gather_code *code, size_t used)
{
	size_t done = span->from;
	qsort(code + span->from, used - span->from, sizeof *code, compare_gathered_code);
	for (size_t i = span->from; i < used; i++) {
		if (done > span->from && code[done - 1].pc == code[i].pc) {
			code[done - 1].count += code[i].count;
			code[done - 1].cycles += code[i].cycles;
			code[done - 1].taken += code[i].taken;
			code[done - 1].not_taken += code[i].not_taken;
		} else
			code[done++] = code[i];
	}
	return done;
}

/* Adds a unit to its part: cycles to its code, the rest is added up first. */
static void add_unit_code(
    const struct gather *gather, const struct unit *unit, struct unit_part *part, struct gather_code *code)
{
	part->visits += unit->visits;
	part->taken += unit->taken;
	part->not_taken += unit->not_taken;
	for (uint32_t k = 0; gather->cycles > 0 && k < unit->count; k++)
		code[part->at + k].cycles += unit->cycles[k] * gather->result.scale;
}

static void add_part_code(const struct unit_part *part, uint64_t scale, struct gather_code *code)
{
	for (uint32_t k = 0; k < part->count; k++)
		code[k].count = part->visits * scale;
	if (part->count == part->block->count) {
		code[part->count - 1].taken = part->taken * scale;
		code[part->count - 1].not_taken = part->not_taken * scale;
	}
}

/* Units lie in memory as they came, and are visited by context: they are asked for so many before their turn. */
#define UNITS_AHEAD 16

static void fetch_unit(const struct gather *gather, size_t i)
{
	const struct unit_place *places = gather->units_order.places;
	if (i + UNITS_AHEAD < gather->unit_count)
		__builtin_prefetch(&gather->units[places[i + UNITS_AHEAD].number]);
	if (i + UNITS_AHEAD / 2 < gather->unit_count)
		__builtin_prefetch(gather->units[places[i + UNITS_AHEAD / 2].number].cycles);
}

/* Sums cannot overflow: the sum over all of them did not. */
static void expand_units(struct gather *gather)
{
	struct gather_result *result = &gather->result;
	for (size_t i = 0; i < gather->unit_count; i++) {
		fetch_unit(gather, i);
		const struct unit *unit = &gather->units[gather->units_order.places[i].number];
		result->pieces[i] = (struct gather_piece){.pc = unit->block->start,
		    .starts = unit->block->starts,
		    .node = unit->node,
		    .count = unit->count,
		    .visits = unit->visits * result->scale,
		    .cycles = gather->cycles == 0 ? NULL : unit->cycles};
		add_unit_code(gather, unit, &gather->parts[unit->part], result->code);
	}
	result->piece_count = gather->unit_count;
}

static size_t expand_pieces(const struct gather *gather, struct gather_cell *cells)
{
	const uint64_t scale = gather->result.scale;
	struct span span = {0};
	size_t used = 0;
	for (size_t i = 0; i < gather->result.piece_count; i++) {
		const struct gather_piece *piece = &gather->result.pieces[i];
		const struct unit *unit = &gather->units[gather->units_order.places[i].number];
		uint64_t starts = piece->starts;
		if ((i > 0 && piece[-1].node != piece->node) || !is_in_span(&span, unit->block)) {
			used = end_cell_span(&span, cells, used);
			span = (struct span){.from = used};
		}
		widen_span(&span, unit->block);
		for (uint32_t k = 0; k < piece->count; k++, starts &= starts - 1) {
			uint64_t pc = piece->pc + 2 * (uint32_t)__builtin_ctzll(starts);
			uint64_t cycles = piece->cycles == NULL ? 0 : piece->cycles[k] * scale;
			cells[used++] = (struct gather_cell){pc, piece->node, piece->visits, cycles};
		}
	}
	return end_cell_span(&span, cells, used);
}

struct gather_sum *gather_own_sums(const struct gather_result *result)
{
	struct gather_sum *own = calloc(result->node_count + 1, sizeof *own);
	for (size_t i = 0; own != NULL && i < result->piece_count; i++) {
		const struct gather_piece *piece = &result->pieces[i];
		uint64_t cycles = 0;
		for (uint32_t k = 0; piece->cycles != NULL && k < piece->count; k++)
			cycles += piece->cycles[k];
		own[piece->node].count += piece->visits * piece->count;
		own[piece->node].cycles += cycles * result->scale;
	}
	return own;
}

/* Where the code of each part is, with its addresses; sums of nothing. */
static void lay_parts(const struct gather *gather, struct gather_code *code)
{
	size_t used = 0;
	for (size_t i = 0; i < gather->part_count; i++) {
		struct unit_part *part = &gather->parts[gather->parts_order.places[i].number];
		uint64_t starts = part->block->starts;
		part->at = used;
		part->visits = part->taken = part->not_taken = 0;
		for (uint32_t k = 0; k < part->count; k++, starts &= starts - 1)
			code[used++] =
			    (struct gather_code){.pc = part->block->start + 2 * (uint32_t)__builtin_ctzll(starts)};
	}
}

/* The same instruction in several parts is one. */
static size_t join_parts(const struct gather *gather, struct gather_code *code)
{
	struct span span = {0};
	size_t used = 0;
	for (size_t i = 0; i < gather->part_count; i++) {
		const struct unit_part *part = &gather->parts[gather->parts_order.places[i].number];
		if (!is_in_span(&span, part->block)) {
			used = end_code_span(&span, code, used);
			span = (struct span){.from = used};
		}
		widen_span(&span, part->block);
		add_part_code(part, gather->result.scale, code + part->at);
		memmove(code + used, code + part->at, part->count * sizeof *code);
		used += part->count;
	}
	return end_code_span(&span, code, used);
}

static int finish_units(struct gather *gather)
{
	struct gather_result *result = &gather->result;
	size_t cells = 1, code = 1;
	for (size_t i = 0; i < gather->unit_count; i++)
		cells += gather->units[i].count;
	for (size_t i = 0; i < gather->part_count; i++)
		code += gather->parts[i].count;
	if (!array_room(&result->code, code, &gather->code_room) ||
	    !array_room(&result->pieces, gather->unit_count + 1, &gather->piece_room) ||
	    !keep_order(gather, &gather->units_order, gather->unit_count, place_of_unit) ||
	    !keep_order(gather, &gather->parts_order, gather->part_count, place_of_part))
		return GATHER_ENOMEM;
	lay_parts(gather, result->code);
	expand_units(gather);
	result->code_count = join_parts(gather, result->code);
	if (gather->no_cells)
		return GATHER_OK;

	if (!array_room(&result->cells, cells, &gather->cell_room))
		return GATHER_ENOMEM;
	result->cell_count = expand_pieces(gather, result->cells);
	return GATHER_OK;
}

void gather_without_cells(struct gather *gather)
{
	gather->no_cells = true;
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

/* Cells and code stay: the next result takes their memory. */
static void forget_result(struct gather *gather)
{
	struct gather_result *result = &gather->result;
	free(gather->nodes);
	free(result->calls);
	gather->nodes = NULL;
	result->nodes = NULL;
	result->calls = NULL;
	result->node_count = result->cell_count = result->piece_count = result->code_count = result->call_count = 0;
}

void gather_result_free(struct gather *gather)
{
	forget_result(gather);
	free(gather->result.cells);
	free(gather->result.pieces);
	free(gather->result.code);
	free(gather->units_order.places);
	free(gather->parts_order.places);
}

int gather_finish(struct gather *gather, uint64_t scale, const struct gather_result **out)
{
	struct gather_result *result = &gather->result;
	*out = NULL;
	forget_result(gather);
	result->scale = scale;
	int error = gather_settle(gather);
	gather->replay.wanted = true;
	if (error != GATHER_OK)
		return error;
	/* every sum is below one of these two */
	if (__builtin_mul_overflow(gather->count, scale, &result->count) ||
	    __builtin_mul_overflow(gather->cycles, scale, &result->cycles))
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
