/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_stops.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "isa/isa.h"

#define STOPS_MAX 4096 /* the runtime sends 1,024 at most */
#define INSERTED_MAX 8 /* additions to registers behind each other */

static int by_start(const void *a, const void *b)
{
	const struct counted_run *x = a, *y = b;
	return order_then(ORDER_UP(x->start, y->start), ORDER_UP(x->block, y->block));
}

int counted_places(struct counted *c)
{
	const struct map *m = c->map;
	uint64_t reach = 0;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		/* a twin has other addresses */
		bool there = f->address != 0 && m->objects[f->object].form == MAP_EDITED;
		for (uint32_t b = f->blocks; there && b < f->blocks + f->block_count; b++) {
			const struct map_block *block = &m->blocks[b];
			if (!array_room(&c->runs, c->run_count + block->run_count, &c->run_room))
				return COUNTED_ENOMEM;
			for (uint32_t r = block->runs; r < block->runs + block->run_count; r++)
				c->runs[c->run_count++] =
				    (struct counted_run){m->runs[r].start, m->runs[r].end, 0, i, b};
		}
	}
	if (c->run_count > 0)
		qsort(c->runs, c->run_count, sizeof *c->runs, by_start);
	for (size_t i = 0; i < c->run_count; i++) {
		reach = c->runs[i].end > reach ? c->runs[i].end : reach;
		c->runs[i].reach = reach;
	}
	return COUNTED_OK;
}

/* How many runs begin at an address or before it. */
static size_t runs_up_to(const struct counted *c, uint64_t address)
{
	size_t low;
	ORDER_FIRST(low, 0, c->run_count, c->runs[low].start <= address);
	return low;
}

void counted_place(const struct counted *c, uint64_t address, uint32_t *function, uint32_t *block)
{
	*function = *block = GRAPH_NONE;
	/* of functions that share code the first */
	for (size_t i = runs_up_to(c, address); i-- > 0 && c->runs[i].reach > address;) {
		if (c->runs[i].end <= address || c->runs[i].block > *block)
			continue;
		*function = c->runs[i].function;
		*block = c->runs[i].block;
	}
}

/* Whether an address is between two runs of the function that begins at `function`: of code that was put in. */
static bool is_inserted(const struct counted *c, uint64_t function, uint64_t address)
{
	const size_t next = runs_up_to(c, address);
	return next > 0 && next < c->run_count && c->runs[next - 1].function == c->runs[next].function &&
	       c->map->functions[c->runs[next].function].address == function;
}

bool counted_leave_inserted(const struct counted *c, uint64_t times, struct unwind_frame *f)
{
	const uint64_t mask = c->map->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	for (unsigned i = 0;; i++) {
		uint32_t function, block;
		struct isa_insn insn;
		counted_place(c, f->pc, &function, &block);
		if (block != GRAPH_NONE || (i == 0 && !is_inserted(c, f->address, f->pc)))
			return true;
		if (i == INSERTED_MAX || !image_insn(c->image, f->pc, 0, &insn) || insn.op != ISA_ADDI ||
		    insn.rd == 2 || insn.rd != insn.rs1)
			return false;
		const uint64_t by = (f->sums >> insn.rd & 1) != 0 ? times : 1;
		f->x[insn.rd] = (f->x[insn.rd] + (uint64_t)(int64_t)insn.imm * by) & mask;
		f->pc += insn.length;
	}
}

bool counted_goes_out(const struct counted *c, uint32_t at, uint64_t address)
{
	const struct map_block *block = &c->map->blocks[at];
	bool out = false;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
		out = out || (c->map->edges[e].kind == GRAPH_NO_RETURN && address >= block->last);
	return out;
}

uint32_t counted_index(const struct counted *c, uint32_t block, uint64_t address)
{
	const struct map_block *b = &c->map->blocks[block];
	struct isa_insn insn;
	uint32_t index = 0;
	for (uint32_t i = b->runs; i < b->runs + b->run_count; i++) {
		const struct map_run *r = &c->map->runs[i];
		for (uint64_t pc = r->start; pc < r->end && image_insn(c->image, pc, 0, &insn); pc += insn.length) {
			if (pc >= address)
				return index;
			index++;
		}
	}
	return index;
}

uint64_t counted_address(const struct counted *c, uint32_t block, uint32_t index)
{
	const struct map_block *b = &c->map->blocks[block];
	struct isa_insn insn;
	uint64_t end = b->last;
	for (uint32_t i = b->runs; i < b->runs + b->run_count; i++) {
		const struct map_run *r = &c->map->runs[i];
		for (uint64_t pc = r->start; pc < r->end && image_insn(c->image, pc, 0, &insn); pc += insn.length) {
			if (index-- == 0)
				return pc;
			end = pc + insn.length;
		}
	}
	return end;
}

static struct counted_stop *same_stop(const struct counted *c, uint64_t address, bool back)
{
	for (size_t i = 0; i < c->stop_count; i++) {
		if (c->stops[i].address == address && c->stops[i].back == back)
			return &c->stops[i];
	}
	return NULL;
}

int counted_stop(struct counted *c, uint64_t address, uint64_t count, bool back)
{
	struct counted_stop stop = {.address = address, .count = count, .back = back};
	struct counted_stop *same = same_stop(c, address, back);
	if (same == NULL && c->stop_count == STOPS_MAX) {
		c->strange += count;
		return COUNTED_OK;
	}
	counted_place(c, address, &stop.function, &stop.block);
	stop.out = stop.block != GRAPH_NONE && counted_goes_out(c, stop.block, address);
	if (same != NULL)
		same->count += count;
	else if (!array_room(&c->stops, c->stop_count + 1, &c->stop_room))
		return COUNTED_ENOMEM;
	else
		c->stops[c->stop_count++] = stop;
	if (stop.block != GRAPH_NONE && !stop.out)
		c->stopped[stop.block] += back ? -count : count;
	return COUNTED_OK;
}

void counted_no_stacks(struct counted *c, const struct profile *profile)
{
	for (size_t i = 0; i < profile->stack_count; i++) {
		c->broken_stacks += profile->stacks[i].count;
		c->broken_why = "this is the program without counters: give the one that ran";
	}
}
