/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/table.h"

const char *table_strerror(int error)
{
	switch (error) {
	case TABLE_OK:
		return "no error";
	case TABLE_ESIZE:
		return "the memory for the trace table is too small";
	default:
		return "unknown error";
	}
}

static void clear_heads(struct table *table)
{
	size_t heads = (size_t)1 << (32 - table->shift);
	for (size_t i = 0; i < heads; i++)
		table->heads[i] = &table->none;
}

int table_init_heads(struct table *table, void *memory, size_t size, uint32_t threshold, unsigned bits)
{
	*table = (struct table){.threshold = threshold};
	table->none.next = &table->none;
	table->none.key = TABLE_PARTIAL;

	/* An entry is at least as aligned as a pointer to one. */
	size_t skip = (size_t)(-(uintptr_t)memory) % _Alignof(struct table_entry);
	if (size < skip)
		return TABLE_ESIZE;
	size -= skip;
	size_t heads_size = sizeof(struct table_entry *) << bits;
	if (bits == 0 || bits > 15 || size < heads_size + 2 * sizeof(struct table_entry))
		return TABLE_ESIZE;
	table->shift = 32 - bits;
	table->heads = (struct table_entry **)(void *)((uint8_t *)memory + skip);
	table->entries = (struct table_entry *)(void *)((uint8_t *)memory + skip + heads_size);
	size_t capacity = (size - heads_size) / sizeof(struct table_entry);
	table->capacity = capacity > INT32_MAX ? INT32_MAX : (uint32_t)capacity;
	clear_heads(table);
	return (int)table->capacity;
}

int table_init(struct table *table, void *memory, size_t size, uint32_t threshold)
{
	/* As many heads as a power of two can be without exceeding the entries: chains stay about one long. */
	size_t skip = (size_t)(-(uintptr_t)memory) % _Alignof(struct table_entry);
	unsigned bits = 0;
	for (unsigned more = 1; more < 16 && size >= skip; more++) {
		size_t heads = (size_t)1 << more;
		if (heads * (sizeof(struct table_entry *) + sizeof(struct table_entry)) > size - skip)
			break;
		bits = more;
	}
	return table_init_heads(table, memory, size, threshold, bits);
}

/* Adds to the count; true if that makes the trace hot. */
static bool add_count(const struct table *table, struct table_entry *entry, uint32_t repeat)
{
	uint32_t sum = entry->count + repeat;
	if (sum >= repeat) {
		entry->count = sum;
		return false;
	}
	if ((entry->flags & TABLE_ARMED) == 0) {
		entry->count = UINT32_MAX;
		return false;
	}
	/* Threshold reached: from here on the count itself. */
	entry->flags = (uint8_t)((entry->flags & ~TABLE_ARMED) | TABLE_HOT);
	entry->count = sum > UINT32_MAX - table->threshold ? UINT32_MAX : sum + table->threshold;
	return true;
}

static void add_cycles(struct table_entry *entry, uint32_t cycles)
{
	uint32_t sum = entry->cycles + cycles;
	if (sum < cycles) {
		if (entry->cycles_high == UINT8_MAX)
			sum = UINT32_MAX;
		else
			entry->cycles_high++;
	}
	entry->cycles = sum;
}

int table_add(struct table *table, uint32_t start, uint32_t hist, unsigned reason, uint32_t repeat, uint32_t cycles,
    uint32_t insns)
{
	int events = 0;
	uint32_t key = start | (reason >= 4 ? TABLE_PARTIAL : 0);
	struct table_entry **link = &table->heads[table_head(table, start, hist)];
	struct table_entry *entry = *link;
	uint32_t length = 0;

	for (; entry->hist != 0 && (entry->hist != hist || entry->key != key); length++) {
		link = &entry->next;
		entry = *link;
	}
	if (entry->hist == 0) {
		bool long_chain = table->longest_chain != 0 && length >= table->longest_chain;
		if (table->used == table->capacity || long_chain) {
			table->dropped += repeat;
			table->found = NULL;
			return TABLE_DROPPED;
		}
		entry = &table->entries[table->used++];
		*entry = (struct table_entry){.hist = hist, .key = key, .next = &table->none};
		entry->insns = insns > UINT16_MAX ? UINT16_MAX : (uint16_t)insns;
		entry->flags = (uint8_t)(reason & TABLE_REASON);
		entry->count = TABLE_COUNT_FROM;
		if (table->threshold != 0) {
			entry->flags |= TABLE_ARMED;
			entry->count -= table->threshold;
		}
		*link = entry;
		events = TABLE_NEW;
	}
	table->found = entry;
	if (add_count(table, entry, repeat)) {
		table->hot++;
		events |= TABLE_BECAME_HOT;
	}
	add_cycles(entry, cycles);
	return events;
}

/* Puts one chain in order. */
static unsigned tidy_chain(
    struct table *table, struct table_entry **head, uint32_t frequency, struct table_phase *phases, unsigned room)
{
	struct table_entry *hot = &table->none, *cold = &table->none, **cold_end = &cold;
	unsigned changes = 0;
	for (struct table_entry *entry = *head, *next; entry->hist != 0; entry = next) {
		uint32_t count = table_entry_count(table, entry);
		next = entry->next;
		if (count < frequency) {
			*cold_end = entry;
			cold_end = &entry->next;
			continue;
		}
		struct table_entry **link = &hot;
		while ((*link)->hist != 0 && table_entry_count(table, *link) >= count)
			link = &(*link)->next;
		const struct table_entry *behind = *link;
		if (behind->hist != 0 && table_entry_count(table, behind) <= count / TABLE_MAGNITUDE) {
			if (changes < room)
				phases[changes] = (struct table_phase){.rose = entry,
				    .sank = *link,
				    .rose_count = count,
				    .sank_count = table_entry_count(table, behind)};
			changes++;
		}
		entry->next = *link;
		*link = entry;
	}
	*cold_end = &table->none;
	struct table_entry **end = &hot;
	while ((*end)->hist != 0)
		end = &(*end)->next;
	*end = cold;
	*head = hot;
	return changes;
}

unsigned table_tidy(
    struct table *table, uint32_t heads, unsigned depth, uint32_t frequency, struct table_phase *phases, unsigned room)
{
	uint32_t mask = ((uint32_t)1 << (32 - table->shift)) - 1;
	unsigned changes = 0;
	for (uint32_t i = 0; i < heads && i <= mask; i++) {
		struct table_entry **head = &table->heads[table->tidied++ & mask];
		const struct table_entry *entry = *head;
		unsigned length = 0;
		for (; entry->hist != 0 && length <= depth; entry = entry->next)
			length++;
		if (length <= depth)
			continue;
		unsigned left = changes < room ? room - changes : 0;
		changes += tidy_chain(table, head, frequency, left == 0 ? NULL : phases + changes, left);
	}
	return changes;
}

void table_get(const struct table *table, uint32_t index, struct record *record)
{
	const struct table_entry *entry = &table->entries[index];
	record->start = entry->key & ~TABLE_PARTIAL;
	record->hist = entry->hist;
	record->reason = entry->flags & TABLE_REASON;
	record->count = record->timed = table_entry_count(table, entry);
	record->cycles = (uint64_t)entry->cycles_high << 32 | entry->cycles;
	record->insns = entry->insns;
}

uint64_t table_total(const struct table *table)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < table->used; i++)
		total += table_entry_count(table, &table->entries[i]);
	return total;
}

static bool before(const struct table_entry *a, const struct table_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->hist < b->hist;
}

void table_sort(struct table *table)
{
	/* Shell's sort with Ciura's steps: no memory, no recursion, and close to its best for some thousand entries. */
	static const uint16_t steps[] = {1577, 701, 301, 132, 57, 23, 10, 4, 1};
	for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
		uint32_t step = steps[s];
		for (uint32_t i = step; i < table->used; i++) {
			struct table_entry moved = table->entries[i];
			uint32_t to = i;
			for (; to >= step && before(&moved, &table->entries[to - step]); to -= step)
				table->entries[to] = table->entries[to - step];
			table->entries[to] = moved;
		}
	}
	/* The chains again, in the new order. */
	clear_heads(table);
	for (uint32_t i = table->used; i-- > 0;) {
		struct table_entry *entry = &table->entries[i];
		struct table_entry **head = &table->heads[table_head(table, entry->key & ~TABLE_PARTIAL, entry->hist)];
		entry->next = *head;
		*head = entry;
	}
}
