/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Paths within a function: a trace is cut where a call, a return or a jump changes the function, what one activation of
 * a function ran is put together again, and equal stretches of all traces are one path.
 *
 *   trace   f f f | g g | f f | h h          (the call of g returned within the trace)
 *   paths   f f f f f      g g      h h
 */
#include "host/account/private.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const uint32_t *rows, size_t count)
{
	uint64_t x = count;
	for (size_t i = 0; i < count; i++)
		x = (x ^ rows[i]) * UINT64_C(0x9E3779B97F4A7C15) ^ x >> 29;
	return x ^ x >> 32;
}

static bool same(const struct account *a, const struct account_path *path, const uint32_t *rows, size_t count)
{
	return path->length == count && memcmp(&a->path_insns[path->at], rows, count * sizeof *rows) == 0;
}

static int grow_table(struct maker *maker)
{
	struct account *a = maker->account;
	size_t size = maker->path_slots_size == 0 ? 1024 : 2 * maker->path_slots_size;
	uint32_t *slots = calloc(size, sizeof *slots);
	if (slots == NULL)
		return ACCOUNT_ENOMEM;
	for (size_t i = 0; i < a->path_count; i++) {
		size_t slot = hash(&a->path_insns[a->paths[i].at], a->paths[i].length) & (size - 1);
		while (slots[slot] != 0)
			slot = (slot + 1) & (size - 1);
		slots[slot] = (uint32_t)i + 1;
	}
	free(maker->path_slots);
	maker->path_slots = slots;
	maker->path_slots_size = size;
	return ACCOUNT_OK;
}

/* Room for one more path of count instructions. */
static int make_room(struct maker *maker, size_t count)
{
	struct account *a = maker->account;
	if (a->path_count == maker->path_room) {
		size_t room = maker->path_room == 0 ? 256 : 2 * maker->path_room;
		struct account_path *grown = realloc(a->paths, room * sizeof *grown);
		if (grown == NULL)
			return ACCOUNT_ENOMEM;
		a->paths = grown;
		maker->path_room = room;
	}
	if (maker->path_insn_count + count > maker->path_insn_room) {
		size_t room = 2 * (maker->path_insn_count + count);
		uint32_t *grown = realloc(a->path_insns, room * sizeof *grown);
		if (grown == NULL || room >= UINT32_MAX)
			return ACCOUNT_ENOMEM;
		a->path_insns = grown;
		maker->path_insn_room = room;
	}
	return 2 * (a->path_count + 1) > maker->path_slots_size ? grow_table(maker) : ACCOUNT_OK;
}

static struct account_path *find(struct maker *maker, const uint32_t *rows, size_t count)
{
	struct account *a = maker->account;
	maker->error = make_room(maker, count);
	if (maker->error != ACCOUNT_OK)
		return NULL;
	size_t slot = hash(rows, count) & (maker->path_slots_size - 1);
	for (; maker->path_slots[slot] != 0; slot = (slot + 1) & (maker->path_slots_size - 1)) {
		struct account_path *path = &a->paths[maker->path_slots[slot] - 1];
		if (same(a, path, rows, count))
			return path;
	}
	struct account_path *path = &a->paths[a->path_count++];
	*path = (struct account_path){
	    .function = a->insns[rows[0]].function, .at = (uint32_t)maker->path_insn_count, .length = (uint32_t)count};
	memcpy(&a->path_insns[maker->path_insn_count], rows, count * sizeof *rows);
	maker->path_insn_count += count;
	maker->path_slots[slot] = (uint32_t)a->path_count;
	return path;
}

/* Room for what the trace at hand needs: twice its steps, and its activations. */
static bool prepare(struct maker *maker)
{
	size_t needed = maker->activations + 1 + 2 * maker->step_count;
	if (needed <= maker->order_room)
		return true;
	uint32_t *order = realloc(maker->order, 2 * needed * sizeof *order);
	if (order == NULL) {
		maker->error = ACCOUNT_ENOMEM;
		return false;
	}
	maker->order = order;
	maker->order_room = 2 * needed;
	return true;
}

int account_paths(struct maker *maker, uint64_t count, double y)
{
	struct account *a = maker->account;
	if (maker->error != ACCOUNT_OK || !prepare(maker))
		return maker->error;
	/* steps by activation, in order: counting sort */
	uint32_t *first = maker->order, *order = first + maker->activations + 1, *rows = order + maker->step_count;
	memset(first, 0, (maker->activations + 1) * sizeof *first);
	for (size_t i = 0; i < maker->step_count; i++)
		first[maker->steps[i].activation + 1]++;
	for (uint32_t i = 0; i < maker->activations; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < maker->step_count; i++)
		order[first[maker->steps[i].activation]++] = (uint32_t)i;
	/* first[i] is now the end of activation i */
	for (uint32_t i = 0, at = 0; i < maker->activations; at = first[i++]) {
		uint64_t cycles = 0, length = first[i] - at;
		for (uint32_t k = at; k < first[i]; k++) {
			rows[k - at] = maker->steps[order[k]].row;
			cycles += maker->steps[order[k]].cycles;
		}
		if (length == 0)
			continue;
		struct account_path *path = find(maker, rows, (size_t)length);
		if (path == NULL)
			return maker->error;
		double x = a->timed ? (double)cycles / (double)count : (double)length;
		path->sum.squares += (double)count * x * x;
		path->sum.products += (double)count * x * y;
		if (!account_add(&path->sum.count, count, 1) || !account_add(&path->sum.insns, length, count) ||
		    !account_add(&path->sum.cycles, cycles, 1))
			maker->error = ACCOUNT_EOVERFLOW;
	}
	return maker->error;
}
