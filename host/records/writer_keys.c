/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The keys of a block and where each is. Where many are new, the time goes by waiting for the memory in which they are
 * looked for: so those of the next records of a chain are looked up together.
 *
 *   uses of the chain   4 9 7 4 8 ...        a stretch that surely goes into this block
 *                         │ │   │            known already: 4
 *                     hash, hash, hash       first all slots of the table are sent for,
 *                     slot, slot, slot       then the keys that they name,
 *                      key, key, key         then all are compared; who is not there is put to the list
 */
#include "host/records/writer_private.h"

static uint32_t hash_record_key(const struct record *key, uint32_t context)
{
	return hash_of_two(key->start ^ (uint64_t)context << 40 ^ (uint64_t)key->reason << 33,
	    key->hist + ((uint64_t)key->insns << 32));
}

struct key_wanted {
	const struct listed_key *listed;
	const struct record *key;
	uint32_t context;
};

static bool same_merge_key(const void *context, uint32_t index)
{
	const struct key_wanted *wanted = context;
	const struct listed_key *a = &wanted->listed[index];
	const struct record *b = wanted->key;
	return a->start == b->start && a->hist == b->hist && a->insns == b->insns && a->reason == b->reason &&
	       a->context == wanted->context;
}

/* Index of the key; HASH_NONE: it is not there, and there is no room for it. */
static inline uint32_t find_or_list(struct records_writer *w, const struct record *key, uint32_t context, uint32_t hash)
{
	struct columns *c = &w->columns;
	const struct key_wanted wanted = {c->listed, key, context};
	const uint32_t index = hash_find(&w->table, hash, same_merge_key, &wanted);
	if (index != HASH_NONE)
		return index;
	if (c->key_count == RECORDS_BLOCK_MAX || !hash_add(&w->table, hash, c->key_count))
		return HASH_NONE;
	const uint64_t times = c->multiplied && key->count != 0 ? key->count : 1;
	c->listed[c->key_count] = (struct listed_key){.start = key->start,
	    .hist = key->hist,
	    .insns = key->insns,
	    .base = (uint32_t)(times == 1 ? key->cycles : key->cycles / times),
	    .context = context,
	    .reason = key->reason};
	return c->key_count++;
}

uint32_t writer_find_key(struct records_writer *w, const struct record *key, uint32_t context)
{
	const uint32_t hash = hash_record_key(key, context);
	w->timed |= key->cycles != 0;
	const uint32_t index = find_or_list(w, key, context, hash);
	if (index != HASH_NONE || w->columns.key_count < RECORDS_BLOCK_MAX)
		return index;
	if (writer_settle(w, writer_renew_keys(w)) != RECORDS_OK)
		return HASH_NONE;
	return find_or_list(w, key, context, hash);
}

void writer_know_key(struct records_writer *w, uint16_t use, const struct record *key, uint32_t index)
{
	struct known *known = &w->known[use];
	const bool merges = writer_merges(w, key->reason);
	known->list = w->list;
	known->base = w->columns.listed[index].base;
	known->insns = key->insns;
	known->cycles = known->own = (uint32_t)key->cycles;
	known->index = (uint16_t)index;
	known->more = merges ? (uint16_t)(w->repeat_most - 1) : 0;
	known->most = 0;
	known->merges = merges;
	w->uneven |= known->cycles != known->base || known->cycles > w->even_most;
}

enum { LEARN_KEYS = 128, LEARN_USES = 4096 };

/* Keys that are looked up together. */
struct learning {
	uint32_t hash[LEARN_KEYS], at[LEARN_KEYS]; /* at: as in the table */
	uint16_t use[LEARN_KEYS];
	size_t count;
};

/* Those that are not known, from the first on that is not; none behind one that records_write() would refuse. */
static void choose_keys(
    struct records_writer *w, const struct record_chain *chain, const uint16_t *uses, size_t most, struct learning *l)
{
	const uint32_t list = w->list, context = w->known_context;
	const size_t mask = w->table.size - 1;
	for (size_t i = 0; i < most && l->count < LEARN_KEYS; i++) {
		const uint16_t use = uses[i];
		if (w->known[use].list == list)
			continue;
		const struct record *key = &chain->keys[use];
		if (!record_valid(key) || key->count != 1 || key->cycles > UINT32_MAX)
			break;
		const uint32_t hash = hash_record_key(key, context);
		__builtin_prefetch(&w->table.slots[hash & mask]);
		l->hash[l->count] = hash;
		l->use[l->count++] = use;
	}
}

/* The place of each in the list, as far as the table says; its memory is sent for. */
static void place_keys(const struct records_writer *w, struct learning *l)
{
	const struct hash *table = &w->table;
	for (size_t i = 0; i < l->count; i++) {
		size_t slot = l->hash[i] & (table->size - 1);
		while (table->slots[slot].at != 0 && table->slots[slot].hash != l->hash[i])
			slot = (slot + 1) & (table->size - 1);
		l->at[i] = table->slots[slot].at;
		if (l->at[i] != 0)
			__builtin_prefetch(&w->columns.listed[l->at[i] - 1]);
	}
}

bool writer_learn_keys(struct records_writer *w, const struct record_chain *chain, size_t from, size_t end)
{
	struct learning l;
	const struct columns *c = &w->columns;
	size_t most = end - from;
	most = most < RECORDS_BLOCK_MAX - c->count ? most : RECORDS_BLOCK_MAX - c->count;
	most = most < LEARN_USES ? most : LEARN_USES;
	l.count = 0;
	choose_keys(w, chain, chain->uses + from, most, &l);
	place_keys(w, &l);
	for (size_t i = 0; i < l.count; i++) {
		const struct record *key = &chain->keys[l.use[i]];
		const struct key_wanted wanted = {c->listed, key, w->known_context};
		uint32_t index = l.at[i] - 1;
		if (l.at[i] == 0 || !same_merge_key(&wanted, index))
			index = find_or_list(w, key, w->known_context, l.hash[i]);
		if (index == HASH_NONE)
			break; /* records_write() says why */
		w->timed |= key->cycles != 0;
		writer_know_key(w, l.use[i], key, index);
		if (l.use[i] < chain->once && l.use[i] >= w->once_known)
			w->once_known = (size_t)l.use[i] + 1;
	}
	return most > 0 && w->known[chain->uses[from]].list == w->list;
}
