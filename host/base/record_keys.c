/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/record_keys.h"

#include <stdlib.h>
#include "host/base/array.h"

struct record_wanted {
	const struct record_keys *keys;
	const struct record *record;
	uint32_t mode;
};

static bool same_record_key(const void *context, uint32_t index)
{
	const struct record_wanted *wanted = context;
	const struct record_key *key = &wanted->keys->all[index];
	const struct record *a = &key->record, *b = wanted->record;
	return a->start == b->start && a->hist == b->hist && a->insns == b->insns && a->reason == b->reason &&
	       a->count == b->count && key->mode == wanted->mode;
}

bool record_keys_number(struct record_keys *keys, const struct record *record, uint32_t mode, uint32_t *number)
{
	const struct record_wanted wanted = {keys, record, mode};
	uint32_t hash = hash_of_two(record->start ^ (uint64_t)record->reason << 56 ^ record->count << 40,
	    record->hist ^ (uint64_t)record->insns << 32 ^ mode);
	*number = hash_find(&keys->table, hash, same_record_key, &wanted);
	if (*number != HASH_NONE)
		return true;

	*number = (uint32_t)keys->count;
	if (keys->count >> (32 - RECORD_KEY_BITS) != 0 || !array_room(&keys->all, keys->count + 1, &keys->room) ||
	    !hash_add(&keys->table, hash, *number))
		return false;
	struct record_key *key = &keys->all[keys->count++];
	*key = (struct record_key){.record = *record, .mode = mode};
	key->record.cycles = key->record.timed = 0;
	return true;
}

void record_keys_free(struct record_keys *keys)
{
	free(keys->all);
	hash_free(&keys->table);
	*keys = (struct record_keys){0};
}
