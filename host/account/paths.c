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

struct path_key {
	const struct account *account;
	const uint32_t *rows;
	size_t count;
};

static bool same_path(const void *context, uint32_t index)
{
	const struct path_key *key = context;
	const struct account_path *path = &key->account->paths[index];
	return path->length == key->count &&
	       memcmp(&key->account->path_insns[path->at], key->rows, key->count * sizeof *key->rows) == 0;
}

static struct account_path *find_account_path(struct maker *maker, const uint32_t *rows, size_t count)
{
	struct account *a = maker->account;
	const struct path_key key = {a, rows, count};
	uint32_t hash = hash_of_bytes(rows, count * sizeof *rows);
	uint32_t index = hash_find(&maker->path_table, hash, same_path, &key);
	if (index != HASH_NONE)
		return &a->paths[index];
	if (maker->path_insn_count + count >= UINT32_MAX ||
	    !array_room(&a->paths, a->path_count + 1, &maker->path_room) ||
	    !array_room(&a->path_insns, maker->path_insn_count + count, &maker->path_insn_room) ||
	    !hash_add(&maker->path_table, hash, (uint32_t)a->path_count)) {
		maker->error = ACCOUNT_ENOMEM;
		return NULL;
	}
	struct account_path *path = &a->paths[a->path_count++];
	*path = (struct account_path){
	    .function = a->insns[rows[0]].function, .at = (uint32_t)maker->path_insn_count, .length = (uint32_t)count};
	memcpy(&a->path_insns[maker->path_insn_count], rows, count * sizeof *rows);
	maker->path_insn_count += count;
	return path;
}

/* Room for what the trace at hand needs: twice its steps, and its activations. */
static bool make_path_room(struct maker *maker)
{
	size_t needed = maker->activations + 1 + 2 * maker->step_count;
	if (!array_room(&maker->order, needed, &maker->order_room))
		maker->error = ACCOUNT_ENOMEM;
	return maker->error == ACCOUNT_OK;
}

int account_paths(struct maker *maker, uint64_t count, double y)
{
	struct account *a = maker->account;
	if (maker->error != ACCOUNT_OK || !make_path_room(maker))
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
			cycles += maker->steps[order[k]].part.cycles;
		}
		if (length == 0)
			continue;
		struct account_path *path = find_account_path(maker, rows, (size_t)length);
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
