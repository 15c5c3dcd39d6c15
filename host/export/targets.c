/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/targets.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/base/array.h"

static bool is_target(const void *context, uint32_t index)
{
	const struct targets *t = context;
	return t->all[index].from == t->open.from && t->all[index].to == t->open.to;
}

static bool count_target(struct targets *t, uint64_t to)
{
	t->open.to = to;
	const uint32_t hash = hash_of_two(t->open.from, to);
	const uint32_t index = hash_find(&t->table, hash, is_target, t);
	if (index != HASH_NONE) {
		t->all[index].count++;
	} else {
		if (!array_room(&t->all, t->count + 1, &t->room) || !hash_add(&t->table, hash, (uint32_t)t->count))
			return false;
		t->open.count = 1;
		t->all[t->count++] = t->open;
	}
	t->open.from = 0;
	return true;
}

int targets_visit(void *targets, const struct gather_visit *visit)
{
	struct targets *t = targets;
	const struct walk_block *block = visit->block;
	if (t->open.from != 0 &&
	    !count_target(t, visit->apart || visit->process != t->process ? TARGET_UNKNOWN : block->start))
		return GATHER_ENOMEM;
	if (block->exit == WALK_INDIRECT && block->through == 0 && visit->count == block->count)
		t->open = (struct target_count){.from = block->last, .call = block->link != 0};
	t->process = visit->process;
	return 0;
}

static int by_jump_and_count(const void *a, const void *b)
{
	const struct target_count *x = a, *y = b;
	return order_then(
	    ORDER_UP(x->from, y->from), order_then(ORDER_DOWN(x->count, y->count), ORDER_UP(x->to, y->to)));
}

int targets_finish(struct targets *t)
{
	if (t->open.from != 0 && !count_target(t, TARGET_UNKNOWN))
		return GATHER_ENOMEM;
	if (t->count > 0)
		qsort(t->all, t->count, sizeof *t->all, by_jump_and_count);
	return GATHER_OK;
}

void targets_free(struct targets *t)
{
	free(t->all);
	hash_free(&t->table);
	*t = (struct targets){0};
}
