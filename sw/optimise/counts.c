/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/optimise/counts.h"

#define ALL_RARE 1024u  /* traces that were met less than once in 1024 cycles are not looked at ... */
#define SLOW 16u        /* ... but those that are so many times rarer, if they took ... */
#define SLOW_CYCLES 24u /* ... as much as a trace of so many cycles that is not: they divide */

void counts_init(struct counts *counts, void *memory, uint32_t room)
{
	*counts = (struct counts){.seen = memory, .room = room};
}

void counts_remember(struct counts *counts, const struct table *table)
{
	counts->count = table->used < counts->room ? table->used : counts->room;
	for (uint32_t i = 0; i < counts->count; i++)
		counts->seen[i] = table_entry_count(table, &table->entries[i]);
}

uint32_t counts_least(uint64_t cycles, unsigned rarer)
{
	uint64_t least = cycles / ALL_RARE >> rarer;
	return least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

static uint64_t cycles_of(const struct table_entry *entry)
{
	return (uint64_t)entry->cycles_high << 32 | entry->cycles;
}

bool counts_slow(const struct table_entry *entry, uint32_t count, uint32_t least)
{
	return count >= least / SLOW && cycles_of(entry) >= (uint64_t)least * SLOW_CYCLES;
}

struct adder {
	struct counts *counts, *looks;
	struct table *table;
};

/* So many more of an entry have been looked at. */
void counts_see(struct counts *counts, uint32_t index, uint32_t count)
{
	for (; counts->count <= index && counts->count < counts->room; counts->count++)
		counts->seen[counts->count] = 0;
	if (index < counts->count)
		counts->seen[index] += count;
}

static void add(void *context, const struct record *part)
{
	const struct adder *a = context;
	uint64_t cycles = part->cycles;
	table_add(a->table, (uint32_t)part->start, (uint32_t)part->hist, part->reason, (uint32_t)part->count,
	    cycles > UINT32_MAX ? UINT32_MAX : (uint32_t)cycles, part->insns);
	if (a->table->found == NULL)
		return;
	uint32_t index = (uint32_t)(a->table->found - a->table->entries);
	counts_see(a->counts, index, (uint32_t)part->count);
	if (a->looks != NULL)
		counts_see(a->looks, index, (uint32_t)part->count);
}

/* The share of count of an entry's traces in its cycles. */
static uint64_t cycles_part(const struct table_entry *entry, uint32_t all, uint32_t count)
{
	uint64_t cycles = cycles_of(entry);
	if (count == all)
		return cycles;
	/* the core has no division of 64 bits */
	return (entry->cycles_high == 0 ? entry->cycles / all : cycles / all) * count;
}

/* Takes count of its traces from an entry. */
static uint64_t take(struct table_entry *entry, uint32_t all, uint32_t count)
{
	uint64_t part = cycles_part(entry, all, count), cycles = cycles_of(entry) - part;
	entry->cycles = (uint32_t)cycles;
	entry->cycles_high = (uint8_t)(cycles >> 32);
	entry->count -= count;
	return part;
}

/* The first trace of an entry may have come by a patch, whose jump is an instruction more; others of its start and
 * history are the program's own. */
static void own_insns(
    struct table_entry *entry, struct optimise *optimise, const struct record *record, uint32_t ctrl, unsigned bits)
{
	uint32_t own = optimise_own_insns(optimise, record, ctrl, bits);
	if (own != 0 && own <= UINT16_MAX && ((entry->key & TABLE_PARTIAL) == 0 || own < entry->insns))
		entry->insns = (uint16_t)own;
}

uint32_t counts_translate(struct counts *counts, struct optimise *optimise, struct table *table, uint32_t ctrl,
    unsigned bits, struct counts *looks)
{
	struct adder adder = {counts, looks, table};
	uint32_t translated = 0, used = table->used;
	for (uint32_t i = 0; i < used; i++) {
		uint32_t count = counts_since(counts, table, i);
		struct record record;
		if (count == 0)
			continue;
		table_get(table, i, &record);
		uint32_t all = (uint32_t)record.count;
		record.count = record.timed = count;
		record.cycles = count == all ? record.cycles : record.cycles / all * count;
		int parts = optimise_translate(optimise, &record, ctrl, bits, add, &adder);
		if (parts == 0)
			continue;
		take(&table->entries[i], all, count);
		if (parts > 0)
			own_insns(&table->entries[i], optimise, &record, ctrl, bits);
		if (looks != NULL && i < looks->count)
			looks->seen[i] = table_entry_count(table, &table->entries[i]);
		if (parts < 0)
			table->dropped += count;
		else
			translated += count;
	}
	return translated;
}

uint32_t counts_late_items(const struct counts *counts, const struct table *table)
{
	uint32_t items = 0;
	for (uint32_t i = 0; i < table->used; i++)
		items += counts_since(counts, table, i) != 0;
	return items;
}

void counts_put_off(struct counts_log *log, struct counts *counts, const struct optimise *optimise, struct table *table,
    struct counts *looks)
{
	struct counts_late *late = &log->items[log->count], *end = &log->items[log->room];
	uint32_t used = table->used < counts->room ? table->used : counts->room, i = 0;
	for (; i < used && i <= UINT16_MAX && late < end; i++) {
		struct table_entry *entry = &table->entries[i];
		uint32_t all = table_entry_count(table, entry), count = all - (i < counts->count ? counts->seen[i] : 0);
		counts->seen[i] = all;
		if (count == 0)
			continue;
		late->count = count;
		late->index = (uint16_t)i;
		late->epoch = optimise->epoch;
		late->left = (entry->key & ~TABLE_PARTIAL) - optimise->config.cache >= optimise->cache_used;
		if (!late->left) {
			uint64_t cycles = take(entry, all, count);
			late->cycles = (uint32_t)cycles;
			late->cycles_high = (uint8_t)(cycles >> 32);
			counts->seen[i] = all - count;
			if (looks != NULL && i < looks->count)
				looks->seen[i] = all - count;
		}
		late++;
	}
	counts->count = i > counts->count ? i : counts->count;
	log->count = (uint32_t)(late - log->items);
}

void counts_translate_late(struct counts_log *log, struct counts *counts, struct optimise *optimise,
    struct table *table, uint32_t ctrl, unsigned bits, struct counts *looks)
{
	struct adder adder = {counts, looks, table};
	for (uint32_t i = 0; i < log->count; i++) {
		const struct counts_late *late = &log->items[i];
		uint32_t count = late->count;
		struct record record;
		table_get(table, late->index, &record);
		record.cycles = late->left ? cycles_part(&table->entries[late->index], (uint32_t)record.count, count)
					   : (uint64_t)late->cycles_high << 32 | late->cycles;
		record.count = record.timed = count;
		optimise->then = late->epoch;
		int parts = optimise_translate(optimise, &record, ctrl, bits, add, &adder);
		if (parts < 0)
			table->dropped += count;
		if (parts != 0 && late->left) {
			struct table_entry *entry = &table->entries[late->index];
			take(entry, table_entry_count(table, entry), count);
			if (parts > 0)
				own_insns(entry, optimise, &record, ctrl, bits);
			if (late->index < counts->count)
				counts->seen[late->index] -= count;
			if (looks != NULL && late->index < looks->count && looks->seen[late->index] >= count)
				looks->seen[late->index] -= count;
		}
	}
	optimise->then = 0;
	log->count = 0;
}
