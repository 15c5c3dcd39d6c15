/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_tails.h"
#include "host/base/order.h"

#include "host/base/array.h"
#include "host/insert/counted_stops.h"
#include "isa/isa.h"

static int add_tail(struct counted_tails *t, uint32_t index, uint64_t more)
{
	size_t at = 0;
	while (at < t->count && t->items[at].index < index)
		at++;
	if (at < t->count && t->items[at].index == index) {
		t->items[at].more += more;
		return COUNTED_OK;
	}
	if (!array_room(&t->items, t->count + 1, &t->room))
		return COUNTED_ENOMEM;
	for (size_t i = t->count++; i > at; i--)
		t->items[i] = t->items[i - 1];
	t->items[at] = (struct counted_tail){index, more};
	return COUNTED_OK;
}

/* Calls of a block, and what leaves the program; *behind: the index behind the last of them. */
static uint32_t count_calls(const struct counted *c, uint32_t block, uint32_t *behind)
{
	const struct map_block *b = &c->map->blocks[block];
	struct isa_insn insn;
	uint32_t index = 0, calls = 0;
	*behind = 0;
	for (uint32_t i = b->runs; i < b->runs + b->run_count; i++) {
		const struct map_run *r = &c->map->runs[i];
		for (uint64_t pc = r->start; pc < r->end && image_insn(c->image, pc, 0, &insn); pc += insn.length) {
			index++;
			if ((insn.class_bits & (ISA_CALL | ISA_TRAPS)) == 0)
				continue;
			calls++;
			*behind = index;
		}
	}
	return calls;
}

uint64_t counted_surplus(const struct counted *c, uint32_t block)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < c->stop_count; i++) {
		const struct counted_stop *s = &c->stops[i];
		if (s->block == block && !s->out)
			sum += s->back ? s->count : -s->count;
	}
	return sum;
}

int counted_tails(
    const struct counted *c, uint32_t block, uint64_t begun, uint64_t left, struct counted_tails *t, uint64_t *unsure)
{
	uint32_t behind, calls;
	int error = COUNTED_OK;
	t->count = 0;
	for (size_t i = 0; i < c->stop_count && error == COUNTED_OK; i++) {
		const struct counted_stop *s = &c->stops[i];
		if (s->block == block && !s->out)
			error = add_tail(t, counted_index(c, block, s->address), s->back ? s->count : -s->count);
	}
	const uint64_t missing = left == COUNTED_UNKNOWN ? 0 : left - begun - counted_surplus(c, block);
	if (missing == 0 || error != COUNTED_OK || (calls = count_calls(c, block, &behind)) == 0)
		return error;
	if (calls > 1)
		*unsure += (int64_t)missing < 0 ? -missing : missing;
	return add_tail(t, behind, missing);
}

/* The first of a block's parts, or where it would be. */
static size_t first_part(const struct counted *c, uint32_t block)
{
	size_t low;
	ORDER_FIRST(low, 0, c->part_count, c->parts[low].block < block);
	return low;
}

int counted_tails_parts(const struct counted *c, uint32_t block, struct counted_tails *t)
{
	int error = COUNTED_OK;
	t->count = 0;
	for (size_t i = first_part(c, block); i < c->part_count && c->parts[i].block == block && error == COUNTED_OK;
	     i++)
		error = add_tail(t, c->parts[i].index, c->parts[i].more);
	return error;
}

uint64_t counted_parts_sum(const struct counted *c, uint32_t block)
{
	uint64_t sum = 0;
	for (size_t i = first_part(c, block); i < c->part_count && c->parts[i].block == block; i++)
		sum += c->parts[i].more;
	return sum;
}
