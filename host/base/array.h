/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_ARRAY_H
#define RIVULET_BASE_ARRAY_H
/*
 * The growing array of the host: a pointer, how many items there are, how many there is room for. The owner keeps all
 * three in members of its own; an array of zeros is an empty one, and free() ends it.
 *
 *   if (!array_room(&list->rows, list->count + 1, &list->room))
 *           return ENOMEM;
 *   list->rows[list->count++] = row;
 */
#include <stdbool.h>
#include <stddef.h>

/* Makes room for `wanted` items in all; doubles, so that adding one by one costs the same for each. False: out of
 * memory, nothing has changed. `items` is the address of a pointer to any type. */
#define array_room(items, wanted, room) array_grow((items), sizeof **(items), (wanted), (room))
bool array_grow_more(void *items, size_t size, size_t wanted, size_t *room);
static inline bool array_grow(void *items, size_t size, size_t wanted, size_t *room)
{
	return wanted <= *room || array_grow_more(items, size, wanted, room);
}
#endif
