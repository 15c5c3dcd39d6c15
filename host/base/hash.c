/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include "common/sizes.h"

#define FIRST_SIZE SIZED(256, 8) /* slots, a power of two */

uint32_t hash_of_bytes(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t x = size;
	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;
		memcpy(&word, at, sizeof word);
		x = (x ^ word) * UINT64_C(0x9E3779B97F4A7C15);
		x ^= x >> 29;
	}
	for (; size > 0; size--, at++)
		x = (x ^ *at) * UINT64_C(0x100000001B3);
	return hash_of(x);
}

uint32_t hash_of_text(const char *text)
{
	return text == NULL ? 0 : hash_of_bytes(text, strlen(text));
}

static void put_hash_item(struct hash_slot *slots, size_t size, struct hash_slot item)
{
	size_t slot = item.hash & (size - 1);
	while (slots[slot].at != 0)
		slot = (slot + 1) & (size - 1);
	slots[slot] = item;
}

bool hash_reserve(struct hash *table, size_t used)
{
	size_t size = table->size == 0 ? FIRST_SIZE : table->size;
	if (used >= HASH_NONE)
		return false;
	while (2 * used > size)
		size *= 2;
	if (size == table->size)
		return true;
	struct hash_slot *slots = calloc(size, sizeof *slots);
	if (slots == NULL)
		return false;
	for (size_t i = 0; i < table->size; i++) {
		if (table->slots[i].at != 0)
			put_hash_item(slots, size, table->slots[i]);
	}
	free(table->slots);
	table->slots = slots;
	table->size = size;
	return true;
}

bool hash_add(struct hash *table, uint32_t hash, uint32_t index)
{
	if (2 * (table->used + 1) > table->size && !hash_reserve(table, table->used + 1))
		return false;
	put_hash_item(table->slots, table->size, (struct hash_slot){.hash = hash, .at = index + 1});
	table->used++;
	return true;
}

void hash_clear(struct hash *table)
{
	if (table->used > 0)
		memset(table->slots, 0, table->size * sizeof *table->slots);
	table->used = 0;
}

void hash_free(struct hash *table)
{
	free(table->slots);
	*table = (struct hash){0};
}
