/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_SORTED_H
#define RIVULET_PHASES_SORTED_H
/*
 * The bounded-sort hash table (BHS): counts of program regions (paths, strata, layers), found by their contents.
 *
 *   hash ──► bucket ──► entry ──► entry ──► entry      a chain; new entries go to its end
 *   hash ──► index ──► entry                           an access: no chain is walked
 *
 * Once a period the deep buckets are sorted, and in them only what is hot: in a bucket of more than `depth` entries
 * those of `frequency` accesses or more come in front, in the order of their accesses; the others stay behind them as
 * they stood. That bounds the cost of sorting. BHS sorts so that what is met often is found early; here the order is
 * what tells of phases. Only buckets in which something was hot since the last sort are looked at.
 *
 * Where a sort exchanges two entries whose accesses differ by a factor of `magnitude` or more, the program does
 * something else than before: a phase change, which a callback gets.
 *
 * A key is a sequence of 32-bit symbols. Entries are numbered 0, 1, 2, ... in the order of their first sight and are
 * never taken out. Memory: 48 bytes an entry, 16 to 32 of the index, 4 bytes a symbol, 9 bytes a bucket.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sorted_error { SORTED_OK = 0, SORTED_ENOMEM = -1, SORTED_EFULL = -2, SORTED_ECONFIG = -3 };

enum sorted_clock { SORTED_ACCESSES, SORTED_INSTRUCTIONS, SORTED_CYCLES }; /* what a period is counted in */
enum sorted_threshold {
	SORTED_BY_ENTRY, /* an entry of `frequency` accesses or more is sorted */
	SORTED_BY_BUCKET /* all entries of a bucket that together have as many */
};
enum sorted_order { SORTED_DESCENDING, SORTED_ASCENDING };
enum sorted_measure { /* which accesses count */
	SORTED_TOTAL, /* all since the beginning, as in BHS's example */
	SORTED_PERIOD /* those since the last sort: notices sooner that something has become cold */
};

struct sorted_config {
	unsigned bits; /* 2^bits buckets, 1 to 28 */
	bool grow;     /* twice as many buckets when they hold SORTED_GROW entries on average; BHS: a fixed number */
	enum sorted_clock clock;
	uint64_t period; /* of that clock; 0: never sorted */
	uint32_t depth;  /* a bucket of more entries than this is sorted */
	uint64_t frequency;
	enum sorted_threshold threshold;
	enum sorted_order order;
	enum sorted_measure measure;
	unsigned magnitude; /* 2 or more; BHS: an order of magnitude, 10 */
	size_t symbols_max; /* symbols that are kept in all; more: SORTED_EFULL */
};
#define SORTED_GROW 16u
/* 2^4 buckets that grow, sorted every 100,000 instructions: deeper than 1, 16 accesses in the period, descending. */
void sorted_config_default(struct sorted_config *config);

/* Two entries whose order a sort has exchanged. */
struct sorted_swap {
	uint32_t rose, sank; /* numbers of the entries */
	uint64_t rose_count, sank_count;
	uint64_t time; /* of the table's clock */
};

struct sorted_statistics {
	uint64_t sorts, swaps; /* times that the period was over; phase changes */
	uint32_t entries;
	size_t bytes;
};

struct sorted;
int sorted_open(struct sorted **table, const struct sorted_config *config);
void sorted_close(struct sorted *table);
/* Forgets all entries; configuration, clock and statistics stay. */
void sorted_clear(struct sorted *table);
/* swap is called for each phase change, in the course of sorted_tick() or sorted_enter(). */
void sorted_on_swap(struct sorted *table, void (*swap)(void *context, const struct sorted_swap *swap), void *context);

/* Hash of a sequence; sorted_hash_add() takes one symbol more to the hash of those before it (begin with 0). */
static inline uint64_t sorted_hash_add(uint64_t hash, uint32_t symbol)
{
	hash = (hash ^ symbol) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 29;
}
uint64_t sorted_hash(const uint32_t *symbols, uint32_t count);

/* Counts `accesses` of the entry with these symbols, making it if there is none. *number takes its number. Returns 1 if
 * it is new, 0 if not, or an error. */
int sorted_enter(
    struct sorted *table, const uint32_t *symbols, uint32_t count, uint64_t hash, uint64_t accesses, uint32_t *number);
/* The clock of the table stands at time (instructions or cycles; not called for SORTED_ACCESSES). */
void sorted_tick(struct sorted *table, uint64_t time);
/* Sorts now, whatever the period. */
void sorted_sort(struct sorted *table);

const uint32_t *sorted_symbols(const struct sorted *table, uint32_t number, uint32_t *count);
uint64_t sorted_accesses(const struct sorted *table, uint32_t number); /* since the beginning */
/* Numbers of the entries of the bucket in which the entry stands, in their order; at most max. Returns how many there
 * are. */
size_t sorted_bucket(const struct sorted *table, uint32_t number, uint32_t *numbers, size_t max);
void sorted_statistics(const struct sorted *table, struct sorted_statistics *statistics);
#endif
