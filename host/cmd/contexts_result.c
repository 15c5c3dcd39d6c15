/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/contexts_result.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/cmd/cmd.h"

static int context_rows_by_pc(const void *a, const void *b)
{
	const struct gather_code *x = a, *y = b;
	return ORDER_UP(x->pc, y->pc);
}

/* Where a function stands; of a class, and of code without counters, which have no place, at the end of all memory. */
static uint64_t entry_of(const struct map *m, uint32_t function)
{
	uint64_t end = m->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	if (function == CONTEXTS_NONE)
		return end;
	return m->functions[function].address != 0 ? m->functions[function].address
						   : end - (m->function_count - function);
}

static void fill_contexts(struct contexts_result *made, const struct contexts *c, const struct map *map)
{
	struct gather_result *result = &made->result;
	uint32_t *node_of = made->node_of;
	result->node_count = 1;
	for (size_t i = 1; i < c->count; i++) {
		const struct context *x = &c->all[i];
		uint64_t entry = entry_of(map, x->function);
		bool root = x->parent == CONTEXTS_NOBODY;
		uint64_t above = root ? 0 : map->functions[c->all[x->parent].function].address;
		uint32_t parent = root ? STACK_NOBODY : node_of[x->parent];
		if (contexts_between(c, x)) { /* a frame, entered an unknown number of times */
			made->nodes[result->node_count] = (struct stack_node){.parent = parent,
			    .site = above,
			    .entry = entry_of(map, x->caller),
			    .level = made->nodes[parent].level + 1,
			    .kind = STACK_CALL};
			parent = (uint32_t)result->node_count++;
			above = entry_of(map, x->caller);
		}
		uint64_t site = x->site != 0 ? x->site : above;
		uint8_t kind = x->tail ? STACK_TAIL : STACK_CALL;
		if (root) {
			site = 0;
			kind = STACK_ROOT;
		}
		node_of[i] = (uint32_t)result->node_count++;
		made->nodes[node_of[i]] = (struct stack_node){.parent = parent,
		    .site = site,
		    .entry = entry,
		    .entered = x->calls,
		    .level = root ? 0 : made->nodes[parent].level + 1,
		    .kind = kind};
		struct gather_cell *cell = &result->cells[result->cell_count++];
		*cell = (struct gather_cell){.pc = entry, .node = node_of[i], .count = x->calls, .cycles = x->self};
		result->pieces[result->piece_count++] = (struct gather_piece){.pc = entry,
		    .starts = 1,
		    .node = node_of[i],
		    .count = 1,
		    .visits = x->calls,
		    .cycles = &cell->cycles};
		result->count += x->calls;
		result->cycles += x->self;
	}
}

/* Entries of functions; call sites, and functions without counters, have a place, but no cycles of their own. */
static void fill_code(struct gather_result *result, const struct contexts *c, const struct map *map)
{
	for (size_t i = 0; i < c->function_count; i++)
		result->code[result->code_count++] = (struct gather_code){.pc = entry_of(map, c->functions[i].function),
		    .count = c->functions[i].calls,
		    .cycles = c->functions[i].self};
	for (size_t i = 0; i < c->edge_count; i++) {
		if (c->edges[i].site != 0 && (i == 0 || c->edges[i - 1].site != c->edges[i].site))
			result->code[result->code_count++] = (struct gather_code){.pc = c->edges[i].site};
	}
	for (size_t i = 1; i < c->count; i++) {
		if (contexts_between(c, &c->all[i]))
			result->code[result->code_count++] =
			    (struct gather_code){.pc = entry_of(map, c->all[i].caller)};
	}
	qsort(result->code, result->code_count, sizeof *result->code, context_rows_by_pc);
	size_t kept = 0;
	for (size_t i = 0; i < result->code_count; i++) {
		if (kept > 0 && result->code[kept - 1].pc == result->code[i].pc) {
			result->code[kept - 1].count += result->code[i].count;
			result->code[kept - 1].cycles += result->code[i].cycles;
		} else
			result->code[kept++] = result->code[i];
	}
	result->code_count = kept;
	for (size_t i = 0; i < c->edge_count; i++) {
		if (c->edges[i].site != 0)
			result->calls[result->call_count++] =
			    (struct gather_call){c->edges[i].site, c->edges[i].target, c->edges[i].calls};
	}
}

bool contexts_result_make(
    struct contexts_result *made, const struct contexts *c, const struct insert_original *original)
{
	char detail[512];
	const size_t codes = c->function_count + c->edge_count + c->count + 1;
	*made = (struct contexts_result){.nodes = calloc(2 * c->count + 1, sizeof *made->nodes),
	    .node_of = calloc(c->count + 1, sizeof *made->node_of)};
	struct gather_result *result = &made->result;
	*result = (struct gather_result){.nodes = made->nodes,
	    .cells = calloc(c->count + 1, sizeof *result->cells),
	    .pieces = calloc(c->count + 1, sizeof *result->pieces),
	    .code = calloc(codes, sizeof *result->code),
	    .calls = calloc(c->edge_count + 1, sizeof *result->calls),
	    .scale = 1,
	    .ordered = true};
	(void)image_debug(original->image, detail, sizeof detail);
	bool room = made->nodes != NULL && made->node_of != NULL && result->cells != NULL && result->pieces != NULL &&
		    result->code != NULL && result->calls != NULL;
	if (room) {
		fill_contexts(made, c, original->map);
		fill_code(result, c, original->map);
	}
	room = room && spots_make(&made->spots, original->image, result) == SPOTS_OK;
	for (size_t i = 0; i < c->function_count && room; i++) {
		if (c->functions[i].address == 0)
			room = spots_add(&made->spots, entry_of(original->map, c->functions[i].function),
				   c->functions[i].name) == SPOTS_OK;
	}
	room = room && spots_add(&made->spots, entry_of(original->map, CONTEXTS_NONE), CONTEXTS_UNCOUNTED) == SPOTS_OK;
	return room;
}

void contexts_result_free(struct contexts_result *made)
{
	spots_free(&made->spots);
	free(made->nodes);
	free(made->node_of);
	free(made->result.cells);
	free(made->result.pieces);
	free(made->result.code);
	free(made->result.calls);
	*made = (struct contexts_result){0};
}

int contexts_tell_gaps(const struct contexts *c, const char *file)
{
	if (c->stopped)
		complain("%s: the runtime had no room for more contexts, which are not counted: "
			 "rivulet cc --contexts=N makes more (or build sw/probe/cycles.c with a larger "
			 "RIVULET_CYCLES_NODES)",
		    file);
	if (c->torn > 0)
		complain("%s: %s entries found no context: the program wrote over the runtime's words", file,
		    with_commas(c->torn));
	if (c->skipped > 0)
		complain("%s: %s calls of handlers came into the runtime and are not counted", file,
		    with_commas(c->skipped));
	if (c->damaged > 0)
		complain("%s: %s contexts have numbers that cannot be, and are left out: the program wrote over the "
			 "runtime's words",
		    file, with_commas(c->damaged));
	if (c->gone > 0)
		complain("%s: %s handlers did not come back: what they interrupted has the cycles up to its last call",
		    file, with_commas(c->gone));
	if (c->threads > 0)
		complain("%s: other threads came in %s times: their calls are not counted, and calls of the main one "
			 "may be missing",
		    file, with_commas(c->threads));
	if (c->stacks > 0)
		complain(
		    "%s: %s entries on a stack that the runtime was not told of: calls there are mixed with those "
		    "of the main stack, call rivulet_cycles_switch() where stacks are switched (sw/probe/cycles.h)",
		    file, with_commas(c->stacks));
	bool gaps = c->stopped || c->torn > 0 || c->skipped > 0 || c->damaged > 0 || c->gone > 0 || c->threads > 0 ||
		    c->stacks > 0;
	return gaps ? STATUS_NO : STATUS_OK;
}
