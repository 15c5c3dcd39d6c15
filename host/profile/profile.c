/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include "common/sizes.h"

#define FIRST_SIZE SIZED(1024, 8)

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

int profile_init(struct profile *profile)
{
	*profile = (struct profile){.size = FIRST_SIZE};
	profile->slots = calloc(profile->size, sizeof *profile->slots);
	return profile->slots == NULL ? PROFILE_ENOMEM : PROFILE_OK;
}

void profile_fini(struct profile *profile)
{
	free(profile->slots);
	*profile = (struct profile){0};
}

static size_t hash(uint64_t start, uint64_t hist, bool partial)
{
	uint64_t x = (start | partial) * UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ x >> 29 ^ hist) * UINT64_C(0xBF58476D1CE4E5B9);
	return (size_t)(x ^ x >> 32);
}

static struct record *find_slot(struct record *slots, size_t size, uint64_t start, uint64_t hist, bool partial)
{
	size_t slot = hash(start, hist, partial) & (size - 1);
	while (slots[slot].hist != 0 &&
	       (slots[slot].start != start || slots[slot].hist != hist || record_partial(&slots[slot]) != partial))
		slot = (slot + 1) & (size - 1);
	return &slots[slot];
}

static int grow(struct profile *profile)
{
	size_t size = 2 * profile->size;
	struct record *slots = calloc(size, sizeof *slots);
	if (slots == NULL)
		return PROFILE_ENOMEM;
	for (size_t i = 0; i < profile->size; i++) {
		const struct record *entry = &profile->slots[i];
		if (entry->hist != 0)
			*find_slot(slots, size, entry->start, entry->hist, record_partial(entry)) = *entry;
	}
	free(profile->slots);
	profile->slots = slots;
	profile->size = size;
	return PROFILE_OK;
}

int profile_add(struct profile *profile, const struct record *entry)
{
	if (!record_valid(entry))
		return PROFILE_EENTRY;
	if (entry->count == 0)
		return PROFILE_OK;
	if (entry->count > UINT64_MAX - profile->total)
		return PROFILE_EOVERFLOW;
	struct record *slot =
	    find_slot(profile->slots, profile->size, entry->start, entry->hist, record_partial(entry));
	if (slot->hist == 0) {
		if (2 * (profile->used + 1) > profile->size) {
			if (grow(profile) != PROFILE_OK)
				return PROFILE_ENOMEM;
			slot =
			    find_slot(profile->slots, profile->size, entry->start, entry->hist, record_partial(entry));
		}
		profile->used++;
		*slot = *entry;
	} else {
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
	const struct record *slot = find_slot(profile->slots, profile->size, start, hist, partial);
	return slot->hist == 0 ? NULL : slot;
}

int profile_merge(struct profile *profile, const struct profile *from)
{
	const struct profile_header *a = &profile->header, *b = &from->header;
	if (profile->has_header && from->has_header &&
	    (a->build != b->build || a->hist != b->hist || a->ctrl != b->ctrl || a->xlen != b->xlen))
		return PROFILE_EBUILD;
	for (size_t i = 0; i < from->size; i++) {
		int error = from->slots[i].hist == 0 ? PROFILE_OK : profile_add(profile, &from->slots[i]);
		if (error != PROFILE_OK)
			return error;
	}
	if (!profile->has_header) {
		profile->header = from->header;
		profile->has_header = from->has_header;
	}
	if (from->has_end) {
		struct profile_end *sum = &profile->end;
		sum->dropped += from->end.dropped;
		sum->lost += from->end.lost;
		sum->cycles += from->end.cycles;
		sum->instructions += from->end.instructions;
		sum->handler_cycles += from->end.handler_cycles;
		sum->interrupts += from->end.interrupts;
		profile->has_end = true;
	}
	return PROFILE_OK;
}

double profile_overlap(const struct profile *a, const struct profile *b)
{
	double sum = 0;
	if (a->total == 0 || b->total == 0)
		return 0;
	for (size_t i = 0; i < a->size; i++) {
		const struct record *x = &a->slots[i], *y;
		if (x->hist == 0 || (y = profile_find(b, x->start, x->hist, record_partial(x))) == NULL)
			continue;
		double share_a = (double)x->count / (double)a->total, share_b = (double)y->count / (double)b->total;
		sum += share_a < share_b ? share_a : share_b;
	}
	return sum;
}

double profile_cycles(const struct record *entry)
{
	return entry->timed == 0 ? 0 : (double)entry->cycles * ((double)entry->count / (double)entry->timed);
}

static int compare_keys(const struct record *x, const struct record *y)
{
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	if (x->hist != y->hist)
		return x->hist > y->hist ? 1 : -1;
	return (int)record_partial(x) - (int)record_partial(y);
}

static int by_start(const void *a, const void *b)
{
	return compare_keys(*(const struct record *const *)a, *(const struct record *const *)b);
}

static int by_count(const void *a, const void *b)
{
	const struct record *x = *(const struct record *const *)a, *y = *(const struct record *const *)b;
	return x->count != y->count ? (x->count < y->count ? 1 : -1) : compare_keys(x, y);
}

static int by_cycles(const void *a, const void *b)
{
	const struct record *x = *(const struct record *const *)a, *y = *(const struct record *const *)b;
	double cx = profile_cycles(x), cy = profile_cycles(y);
	return cx < cy ? 1 : cx > cy ? -1 : by_count(a, b);
}

int profile_sort(const struct profile *profile, enum profile_order order, const struct record ***sorted)
{
	const struct record **list = calloc(profile->used + 1, sizeof *list);
	if (list == NULL)
		return PROFILE_ENOMEM;
	size_t count = 0;
	for (size_t i = 0; i < profile->size; i++) {
		if (profile->slots[i].hist != 0)
			list[count++] = &profile->slots[i];
	}
	qsort(list, count, sizeof *list,
	    order == PROFILE_BY_COUNT    ? by_count
	    : order == PROFILE_BY_CYCLES ? by_cycles
					 : by_start);
	*sorted = list;
	return PROFILE_OK;
}
