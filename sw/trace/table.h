/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TABLE_H
#define RIVULET_TABLE_H
/*
 * The trace table (TSH FIG. 8, steps 820 to 842): counts of traces in a memory of fixed size. Freestanding C11; no
 * allocation.
 *
 * Heads, a power of two of them, point to chains of entries; entries are taken from the rest of the memory in order and
 * never given back. New ones go to the end of their chain: traces that are hot are met early, so they stay in front.
 * table_tidy() puts entries that became hot later in front of those that are no longer (bounded sorting: BHS,
 * docs/glossary.md).
 * When no entry is left a new trace is dropped and counted; traces that are in the table go on counting. Nothing is
 * ever written outside the memory given.
 *
 * sw/trace/handler.S updates entries that exist by this layout; whatever is rare (a new entry, a count at its
 * threshold, a carry) it leaves to table_add().
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"

/* The value from which counts begin: 0, but larger in tests of the maximum, so that it is reached earlier
 * (those tests have no threshold). */
#ifndef TABLE_COUNT_FROM
#define TABLE_COUNT_FROM 0u
#endif
#define TABLE_COUNT_MAX (UINT32_MAX - TABLE_COUNT_FROM)
#define TABLE_PARTIAL 1u /* bit 0 of a key: the trace was cut off (reason 4 or more); other bits: the start address */
/* Odd, near 2^32 / golden ratio: the product's top bits depend on all bits. Where there is no multiplication: three
 * shifts and additions, (1 + 2^7) (1 + 2^12) (1 + 2^17), as the handler does them. */
#if defined(__riscv) && !defined(__riscv_mul)
#define TABLE_HASH (0x81u * 0x1001u * 0x20001u)
#else
#define TABLE_HASH 0x9E3779B1u
#endif
#define TABLE_CYCLES_BITS 40 /* width of the cycle sum; it stays at its maximum */

struct table_entry {
	uint32_t hist; /* never 0 in a chain: the history's marker */
	uint32_t key;
	/* Armed: the count minus the threshold modulo 2^32, so that a carry tells that the threshold is reached, at no
	 * cost; otherwise the count itself, and a carry tells that it is at its maximum. */
	uint32_t count;
	uint32_t cycles;          /* low part of the sum */
	struct table_entry *next; /* &table->none at the end of the chain */
	uint16_t insns;           /* of the first of these traces */
	uint8_t cycles_high;
	uint8_t flags; /* reason of the first; TABLE_ARMED, TABLE_HOT */
};
#define TABLE_REASON 0x0Fu
#define TABLE_ARMED 0x10u
#define TABLE_HOT 0x20u /* has reached the threshold (step 840) */

struct table {
	struct table_entry **heads;
	unsigned shift; /* hash to head index: 32 - log2(number of heads) */
	struct table_entry *entries;
	uint32_t capacity, used;   /* 0 <= used <= capacity */
	uint32_t threshold;        /* 0: never */
	uint32_t hot;              /* entries that have reached it */
	uint64_t dropped;          /* traces that found no place */
	struct table_entry *found; /* of the last table_add(); NULL: dropped */
	uint32_t longest_chain;    /* entries that a chain may have; more are dropped; 0: any number */
	uint32_t tidied;           /* the head that table_tidy() begins with */
	/* Ends every chain. Invariant: hist is 0, which no trace has, next points to itself. */
	struct table_entry none;
};

enum table_error { TABLE_OK = 0, TABLE_ESIZE = -1 };
const char *table_strerror(int error);

/* Makes an empty table of size bytes at memory. Returns the number of entries, or TABLE_ESIZE if not even two fit. */
int table_init(struct table *table, void *memory, size_t size, uint32_t threshold);
/* The same with 2^bits heads (bits 1 to 15) instead of about as many as entries: fewer heads, longer chains. */
int table_init_heads(struct table *table, void *memory, size_t size, uint32_t threshold, unsigned bits);

/* Counts repeat (> 0) equal traces that took cycles together. start: bit 0 is 0; hist is not 0. Returns the bits of
 * enum table_event that happened. */
enum table_event { TABLE_NEW = 1, TABLE_BECAME_HOT = 2, TABLE_DROPPED = 4 };
int table_add(struct table *table, uint32_t start, uint32_t hist, unsigned reason, uint32_t repeat, uint32_t cycles,
    uint32_t insns);

/*
 * Bounded sorting: looks at the chains of the next `heads` heads. In a chain of more than `depth` entries those of
 * `frequency` counts or more are put in front, in order of their counts, falling; the others stay as they are behind
 * them. No entry moves in memory. Where an entry overtakes one of a tenth of its counts or less, which then stood
 * before it although it was met less, the program has changed what it does: a phase change. Up to room of them are
 * written to phases (may be NULL if room is 0). Returns how many there were.
 */
struct table_phase {
	struct table_entry *rose, *sank;
	uint32_t rose_count, sank_count;
};
#define TABLE_MAGNITUDE 10u
unsigned table_tidy(
    struct table *table, uint32_t heads, unsigned depth, uint32_t frequency, struct table_phase *phases, unsigned room);

/* Sum of all counts, without those that were dropped. */
uint64_t table_total(const struct table *table);

/* The count of an entry; at its maximum (TABLE_COUNT_MAX): that many or more. */
static inline uint32_t table_entry_count(const struct table *table, const struct table_entry *entry)
{
	uint32_t count = (entry->flags & TABLE_ARMED) != 0 ? entry->count + table->threshold : entry->count;
	return count - TABLE_COUNT_FROM;
}

/* What an entry says; index < table->used. Its count and cycles, at their maxima (TABLE_COUNT_MAX,
 * 2^TABLE_CYCLES_BITS - 1), are that many or more; all its traces are taken for timed. */
void table_get(const struct table *table, uint32_t index, struct record *record);
static inline bool table_hot(const struct table *table, uint32_t index)
{
	return (table->entries[index].flags & TABLE_HOT) != 0;
}

/* Orders the entries by key and history, in place; the table can be used as before. */
void table_sort(struct table *table);

static inline uint32_t table_head(const struct table *table, uint32_t start, uint32_t hist)
{
	/* Bits 1 to 16 of the start and a history of up to 16 bits do not touch; the product mixes what does. */
	return (((start << 15) + hist) * TABLE_HASH) >> table->shift;
}
#endif
