/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/shelf.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

void shelf_init(struct shelf *shelf, size_t size, shelf_hash *hash, shelf_same *same)
{
	*shelf = (struct shelf){.size = size, .hash = hash, .same = same};
}

void shelf_free(struct shelf *shelf)
{
	free(shelf->frames);
	free(shelf->links);
	free(shelf->live);
	hash_free(&shelf->table);
	shelf_init(shelf, shelf->size, shelf->hash, shelf->same);
}

void shelf_clear(struct shelf *shelf)
{
	hash_clear(&shelf->table);
	shelf->count = shelf->known = 0;
}

struct wanted {
	const struct shelf *shelf;
	const void *frame;
	uint32_t below;
};

static const void *frame_of(const struct shelf *shelf, uint32_t number)
{
	return shelf->frames + (number - 1) * shelf->size;
}

static bool same_shelf_item(const void *context, uint32_t index)
{
	const struct wanted *wanted = context;
	return wanted->shelf->links[index].below == wanted->below &&
	       wanted->shelf->same(frame_of(wanted->shelf, index + 1), wanted->frame);
}

static bool find_shelf_item(struct shelf *shelf, uint32_t below, const void *frame, uint32_t *number)
{
	const struct wanted wanted = {shelf, frame, below};
	uint32_t hash = hash_of_two(below, shelf->hash(frame)),
		 index = hash_find(&shelf->table, hash, same_shelf_item, &wanted);
	if (index == HASH_NONE) {
		index = (uint32_t)shelf->count;
		if (!array_room(&shelf->links, shelf->count + 1, &shelf->link_room) ||
		    !array_room(&shelf->frames, (shelf->count + 1) * shelf->size, &shelf->frame_room) ||
		    !hash_add(&shelf->table, hash, index))
			return false;
		uint32_t depth = below == 0 ? 1 : shelf->links[below - 1].depth + 1;
		shelf->links[index] = (struct shelf_link){below, depth};
		memcpy(shelf->frames + index * shelf->size, frame, shelf->size);
		shelf->count++;
	}
	*number = index + 1;
	return true;
}

bool shelf_save(struct shelf *shelf, const void *frames, size_t depth, size_t low, uint32_t *number)
{
	size_t from = low < shelf->known ? low : shelf->known;
	if (from > depth)
		from = depth;
	if (!array_room(&shelf->live, depth + 1, &shelf->live_room))
		return false;
	*number = from == 0 ? 0 : shelf->live[from - 1];
	for (size_t i = from; i < depth; i++) {
		if (!find_shelf_item(shelf, *number, (const unsigned char *)frames + i * shelf->size, number)) {
			shelf->known = i;
			return false;
		}
		shelf->live[i] = *number;
	}
	shelf->known = depth;
	return true;
}

size_t shelf_depth(const struct shelf *shelf, uint32_t number)
{
	return number == 0 ? 0 : shelf->links[number - 1].depth;
}

bool shelf_load(struct shelf *shelf, uint32_t number, void *frames, size_t low)
{
	size_t depth = shelf_depth(shelf, number), known = low < shelf->known ? low : shelf->known;
	if (!array_room(&shelf->live, depth + 1, &shelf->live_room))
		return false;
	for (size_t i = depth; i > 0 && !(i <= known && shelf->live[i - 1] == number); i--) {
		memcpy((unsigned char *)frames + (i - 1) * shelf->size, frame_of(shelf, number), shelf->size);
		shelf->live[i - 1] = number;
		number = shelf->links[number - 1].below;
	}
	shelf->known = depth;
	return true;
}
