/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/profile.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/profile/place.h"

const char *profile_strerror(int error)
{
	switch (error) {
	case PROFILE_OK:
		return "no error";
	case PROFILE_ENOMEM:
		return "out of memory";
	case PROFILE_EENTRY:
		return "an entry that no trace unit makes";
	case PROFILE_EWRITE:
		return "cannot write";
	case PROFILE_EBUILD:
		return "the profiles are of different builds or were collected in different ways";
	case PROFILE_EOVERFLOW:
		return "a count is larger than 64 bits";
	default:
		return "unknown error";
	}
}

const char *profile_source_name(uint64_t source)
{
	static const char *const names[] = {"firmware", "golden model", "inserted code", "emulator (qemu)", "debugger"};
	return source < PROFILE_SOURCES ? names[source] : "an unknown source";
}

const char *profile_cut_short(uint64_t ending)
{
	static const char *const why[PROFILE_ENDINGS] = {
	    NULL, "a limit of cycles or instructions was reached", "it was interrupted", "it did not go on"};
	return ending < PROFILE_ENDINGS ? why[ending] : "of an unknown reason";
}

void profile_program(uint64_t *program, uint64_t id)
{
	id ^= id << 13;
	id ^= id >> 7;
	id ^= id << 17;
	*program += id;
}

int profile_init(struct profile *profile)
{
	*profile = (struct profile){0};
	return PROFILE_OK;
}

void profile_fini(struct profile *profile)
{
	free(profile->entries);
	free(profile->changes);
	for (size_t i = 0; i < profile->stack_count; i++)
		profile_stack_fini(&profile->stacks[i]);
	free(profile->stacks);
	free(profile->places);
	hash_free(&profile->table);
	*profile = (struct profile){0};
}

struct entry_key {
	const struct profile *profile;
	uint64_t start, hist;
	bool partial;
	bool any_length;
	uint32_t insns;
};

static bool same_entry(const void *context, uint32_t index)
{
	const struct entry_key *key = context;
	const struct record *entry = &key->profile->entries[index];
	return entry->start == key->start && entry->hist == key->hist && record_partial(entry) == key->partial &&
	       (key->any_length || entry->insns == key->insns);
}

static uint32_t hash_path_key(uint64_t start, uint64_t hist, bool partial)
{
	return hash_of_two(start | partial, hist); /* a start is even */
}

int profile_add(struct profile *profile, const struct record *entry)
{
	if (!record_valid(entry))
		return PROFILE_EENTRY;
	if (entry->count == 0)
		return PROFILE_OK;
	if (entry->count > UINT64_MAX - profile->total)
		return PROFILE_EOVERFLOW;
	bool partial = record_partial(entry);
	const struct entry_key key = {
	    profile, entry->start, entry->hist, partial, !profile->by_length || !partial, entry->insns};
	uint32_t hash = hash_path_key(entry->start, entry->hist, partial);
	uint32_t index = hash_find(&profile->table, hash, same_entry, &key);
	if (index == HASH_NONE) {
		if (!array_room(&profile->entries, profile->used + 1, &profile->room) ||
		    !hash_add(&profile->table, hash, (uint32_t)profile->used))
			return PROFILE_ENOMEM;
		profile->entries[profile->used++] = *entry;
	} else {
		struct record *slot = &profile->entries[index];
		if (entry->cycles > UINT64_MAX - slot->cycles)
			return PROFILE_EOVERFLOW;
		slot->count += entry->count;
		slot->timed += entry->timed;
		slot->cycles += entry->cycles;
		if (slot->insns == 0)
			slot->insns = entry->insns;
		if (slot->reason == 0)
			slot->reason = entry->reason;
	}
	profile->total += entry->count;
	return PROFILE_OK;
}

const struct record *profile_find(const struct profile *profile, uint64_t start, uint64_t hist, bool partial)
{
	const struct entry_key key = {profile, start, hist, partial, true, 0};
	uint32_t index = hash_find(&profile->table, hash_path_key(start, hist, partial), same_entry, &key);
	return index == HASH_NONE ? NULL : &profile->entries[index];
}

const struct record *profile_match(const struct profile *profile, const struct record *entry)
{
	const bool partial = record_partial(entry);
	const struct entry_key key = {
	    profile, entry->start, entry->hist, partial, !profile->by_length || !partial, entry->insns};
	uint32_t index =
	    hash_find(&profile->table, hash_path_key(entry->start, entry->hist, partial), same_entry, &key);
	return index == HASH_NONE ? NULL : &profile->entries[index];
}

void profile_add_end(struct profile_end *sum, const struct profile_end *end)
{
	sum->entries += end->entries;
	sum->counts += end->counts;
	sum->dropped += end->dropped;
	sum->lost += end->lost;
	sum->cycles += end->cycles;
	sum->instructions += end->instructions;
	sum->run_cycles += end->run_cycles;
	sum->run_instructions += end->run_instructions;
	sum->handler_cycles += end->handler_cycles;
	sum->interrupts += end->interrupts;
	sum->offs += end->offs;
	/* A time that one of them does not know is known of neither. */
	const bool timed = sum->all_time > 0 && end->all_time > 0;
	sum->on_time = timed ? sum->on_time + end->on_time : 0;
	sum->all_time = timed ? sum->all_time + end->all_time : 0;
	sum->ending = end->ending > sum->ending ? end->ending : sum->ending;
}

int profile_merge(struct profile *profile, const struct profile *from)
{
	const struct profile_header *a = &profile->header, *b = &from->header;
	if (profile->has_header && from->has_header &&
	    (a->build != b->build || a->hist != b->hist || a->ctrl != b->ctrl || a->xlen != b->xlen ||
		(a->program != b->program && a->program != 0 && b->program != 0)))
		return PROFILE_EBUILD;
	int placed = profile_merge_places(profile, from);
	if (placed != PROFILE_OK)
		return placed;
	for (size_t i = 0; i < from->used; i++) {
		int error = profile_add(profile, &from->entries[i]);
		if (error != PROFILE_OK)
			return error;
	}
	for (size_t i = 0; i < from->stack_count; i++) {
		int error = profile_stack_add(profile, &from->stacks[i]);
		if (error != PROFILE_OK)
			return error;
	}
	if (profile->header.program == 0)
		profile->header.program = from->header.program;
	if (!profile->has_header) {
		profile->header = from->header;
		profile->has_header = from->has_header;
	}
	if (profile->header.harts != from->header.harts)
		profile->header.harts = 0; /* the parts of one of them are not known */
	for (unsigned h = 0; h < profile->header.harts; h++) {
		profile->hart[h].traces += from->hart[h].traces;
		profile->hart[h].insns += from->hart[h].insns;
		profile->hart[h].cycles += from->hart[h].cycles;
	}
	if (from->has_end && profile->has_end)
		profile_add_end(&profile->end, &from->end);
	else if (from->has_end)
		profile->end = from->end;
	profile->has_end |= from->has_end;
	return PROFILE_OK;
}

double profile_overlap(const struct profile *a, const struct profile *b)
{
	/* in units of 1 / (total of a * total of b), so that equal profiles overlap by 1 and not by a little less */
	unsigned __int128 sum = 0, all = (unsigned __int128)a->total * b->total;
	if (all == 0)
		return 0;
	for (size_t i = 0; i < a->used; i++) {
		const struct record *x = &a->entries[i], *y;
		if ((y = profile_match(b, x)) == NULL)
			continue;
		unsigned __int128 share_a = (unsigned __int128)x->count * b->total;
		unsigned __int128 share_b = (unsigned __int128)y->count * a->total;
		sum += share_a < share_b ? share_a : share_b;
	}
	return (double)sum / (double)all;
}

double profile_cycles(const struct record *entry)
{
	return entry->timed == 0 ? 0 : (double)entry->cycles * ((double)entry->count / (double)entry->timed);
}

static int compare_path_keys(const struct record *x, const struct record *y)
{
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	if (x->hist != y->hist)
		return x->hist > y->hist ? 1 : -1;
	if (record_partial(x) != record_partial(y))
		return record_partial(x) ? 1 : -1;
	return ORDER_UP(x->insns, y->insns);
}

static int profile_by_start(const void *a, const void *b)
{
	return compare_path_keys(*(const struct record *const *)a, *(const struct record *const *)b);
}

static int by_count(const void *a, const void *b)
{
	const struct record *x = *(const struct record *const *)a, *y = *(const struct record *const *)b;
	return order_then(ORDER_DOWN(x->count, y->count), compare_path_keys(x, y));
}

static int profile_by_cycles(const void *a, const void *b)
{
	const struct record *x = *(const struct record *const *)a, *y = *(const struct record *const *)b;
	double cx = profile_cycles(x), cy = profile_cycles(y);
	if (cx < cy)
		return 1;
	return cx > cy ? -1 : by_count(a, b);
}

int profile_sort(const struct profile *profile, enum profile_order order, const struct record ***sorted)
{
	const struct record **list = calloc(profile->used + 1, sizeof *list);
	if (list == NULL)
		return PROFILE_ENOMEM;
	for (size_t i = 0; i < profile->used; i++)
		list[i] = &profile->entries[i];
	static int (*const orders[])(const void *, const void *) = {[PROFILE_BY_COUNT] = by_count,
	    [PROFILE_BY_CYCLES] = profile_by_cycles,
	    [PROFILE_BY_START] = profile_by_start};
	qsort(list, profile->used, sizeof *list, orders[order]);
	*sorted = list;
	return PROFILE_OK;
}
