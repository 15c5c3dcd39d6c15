/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_HASH_H
#define RIVULET_BASE_HASH_H
/*
 * The hash table of the host: which item of an array has this key. The items stay where their owner keeps them; the
 * table knows their indexes and the hashes of their keys, so it grows without asking for either.
 *
 *   key ──► hash ──► slots  [hash │ index + 1]  ──► items[index], compared by the owner
 *
 * Open addressing with linear probing, at most half full. The hash that a slot keeps is compared first, so an item is
 * looked at only if 32 bits agree. Items are never removed singly; hash_clear() forgets all.
 *
 * A table of zeros is an empty table. It holds at most HASH_NONE items.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT32_MAX /* no item has the key */

struct hash_slot { /* at: index + 1; 0: the slot is free */
	uint32_t hash, at;
};

/* Invariant: size is 0 or a power of two, 2 * used <= size. */
struct hash {
	struct hash_slot *slots;
	size_t size, used;
};

/* Makes a hash of two parts of a key, or of a key: the halves of one wide product, folded twice, so that every bit of
 * either has its effect on the low bits, which choose the slot. */
static inline uint32_t hash_of_two(uint64_t x, uint64_t y)
{
	unsigned __int128 product =
	    (unsigned __int128)(x ^ UINT64_C(0x9E3779B97F4A7C15)) * (y ^ UINT64_C(0xD6E8FEB86659FD93));
	uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
	return (uint32_t)(folded ^ folded >> 32);
}
static inline uint32_t hash_of(uint64_t x)
{
	return hash_of_two(x, 0);
}
uint32_t hash_of_bytes(const void *bytes, size_t size);
uint32_t hash_of_text(const char *text); /* NULL has one too */

/* Says whether the item of this index has the key that context stands for. */
typedef bool hash_same(const void *context, uint32_t index);

/* The index of the item with this hash that is the same, or HASH_NONE. Always inlined, so that the call of `same` is
 * none. */
static inline __attribute__((always_inline)) uint32_t hash_find(
    const struct hash *table, uint32_t hash, hash_same *same, const void *context)
{
	if (table->size == 0)
		return HASH_NONE;
	for (size_t slot = hash & (table->size - 1); table->slots[slot].at != 0;
	     slot = (slot + 1) & (table->size - 1)) {
		uint32_t index = table->slots[slot].at - 1;
		if (table->slots[slot].hash == hash && same(context, index))
			return index;
	}
	return HASH_NONE;
}

/* Adds an item whose key is not there yet. False: out of memory, nothing has changed. */
bool hash_add(struct hash *table, uint32_t hash, uint32_t index);
/* Makes room for `used` items in all. False: out of memory. */
bool hash_reserve(struct hash *table, size_t used);
/* Forgets all items, keeps the memory. */
void hash_clear(struct hash *table);
/* Gives the memory back; the table is empty and can be used again. */
void hash_free(struct hash *table);
#endif
