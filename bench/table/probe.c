/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Probes of the trace table on record streams of real programs: the firmware's own table (sw/trace/table.c) with its
 * chains left as they grow and put in order every so many samples, and open addressing.
 * Usage: table-probe HEADS ENTRIES SLOTS EVERY NAME FILE.rvr [NAME FILE.rvr...]; a line each:
 *   name samples paths unsorted sorted first-unsorted first-sorted deepest phases open first-open deepest-open dropped
 * dropped-open Probes are the mean of a sample; first: share of the samples found at the first probe, in per cent.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "host/records/records.h"
#include "sw/trace/table.h"

#define DEPTH 1u /* as the firmware has it: sw/trace/trace.h */
#define FREQUENCY 64u
#define PARTS 16u

struct tally {
	uint64_t probes, first, deepest;
};

static void tally_add(struct tally *tally, uint64_t probes)
{
	tally->probes += probes;
	tally->first += probes == 1;
	if (probes > tally->deepest)
		tally->deepest = probes;
}

/* Probes that a look for the trace takes now. */
static uint64_t probes_of(const struct table *table, uint32_t start, uint32_t hist, uint32_t key)
{
	uint64_t probes = 1;
	const struct table_entry *e = table->heads[table_head(table, start, hist)];
	for (; e->hist != 0 && (e->hist != hist || e->key != key); e = e->next)
		probes++;
	return probes;
}

/* Open addressing: linear probing with the same hash, a slot of 20 bytes on the target. */
struct slot {
	uint32_t hist, key;
};
struct open {
	struct slot *slots;
	uint32_t mask, used;
	unsigned shift;
	uint64_t dropped;
};

static uint64_t open_add(struct open *open, uint32_t start, uint32_t hist, uint32_t key)
{
	uint32_t at = (((start << 15) + hist) * TABLE_HASH) >> open->shift;
	uint64_t probes = 1;
	for (; open->slots[at].hist != 0; at = (at + 1) & open->mask, probes++)
		if (open->slots[at].hist == hist && open->slots[at].key == key)
			return probes;
	/* An eighth stays free: else a look for what is not there has no end in sight. */
	if (open->used >= open->mask - open->mask / 8) {
		open->dropped++;
		return probes;
	}
	open->slots[at] = (struct slot){hist, key};
	open->used++;
	return probes;
}

static unsigned log2_of(uint32_t n)
{
	unsigned bits = 0;
	while ((uint32_t)2 << bits <= n)
		bits++;
	return bits;
}

struct sizes {
	uint32_t heads, entries, slots, every;
};

static int measure(const struct sizes *sizes, const char *name, const char *path)
{
	char detail[512] = "";
	struct records *records;
	struct record record;
	struct record_place place;
	size_t size = sizes->heads * sizeof(void *) + sizes->entries * sizeof(struct table_entry);
	struct table grown, sorted;
	void *memory[2] = {calloc(1, size), calloc(1, size)};
	struct open open = {.slots = calloc(sizes->slots, sizeof(struct slot)),
	    .mask = sizes->slots - 1,
	    .shift = 32 - log2_of(sizes->slots)};
	struct tally unsorted = {0}, ordered = {0}, probed = {0};
	uint64_t samples = 0, phases = 0;
	if (memory[0] == NULL || memory[1] == NULL || open.slots == NULL ||
	    table_init_heads(&grown, memory[0], size, 0, log2_of(sizes->heads)) < 0 ||
	    table_init_heads(&sorted, memory[1], size, 0, log2_of(sizes->heads)) < 0) {
		fprintf(stderr, "table-probe: out of memory\n");
		return 1;
	}
	if (records_open(&records, path, detail, sizeof detail) != RECORDS_OK) {
		fprintf(stderr, "table-probe: %s\n", detail);
		return 1;
	}
	while (records_next(records, &record, &place) == 1) {
		uint32_t start = (uint32_t)record.start, hist = (uint32_t)record.hist;
		uint32_t key = start | (record_partial(&record) ? TABLE_PARTIAL : 0);
		for (uint64_t i = 0; i < record.count; i++) {
			tally_add(&unsorted, probes_of(&grown, start, hist, key));
			table_add(&grown, start, hist, record.reason, 1, 0, 0);
			tally_add(&ordered, probes_of(&sorted, start, hist, key));
			table_add(&sorted, start, hist, record.reason, 1, 0, 0);
			tally_add(&probed, open_add(&open, start, hist, key));
			if (++samples % (sizes->every / PARTS) == 0)
				phases +=
				    table_tidy(&sorted, (sizes->heads + PARTS - 1) / PARTS, DEPTH, FREQUENCY, NULL, 0);
		}
	}
	records_close(records);
	double n = (double)samples;
	printf("%s %" PRIu64 " %" PRIu32 " %.4f %.4f %.2f %.2f %" PRIu64 " %" PRIu64 " %.4f %.2f %" PRIu64 " %" PRIu64
	       " %" PRIu64 "\n",
	    name, samples, grown.used, (double)unsorted.probes / n, (double)ordered.probes / n,
	    100 * (double)unsorted.first / n, 100 * (double)ordered.first / n, unsorted.deepest, phases,
	    (double)probed.probes / n, 100 * (double)probed.first / n, probed.deepest, grown.dropped, open.dropped);
	free(memory[0]);
	free(memory[1]);
	free(open.slots);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 7 || argc % 2 == 0) {
		fprintf(stderr, "usage: table-probe HEADS ENTRIES SLOTS EVERY NAME FILE.rvr...\n");
		return 2;
	}
	const struct sizes sizes = {.heads = (uint32_t)strtoul(argv[1], NULL, 0),
	    .entries = (uint32_t)strtoul(argv[2], NULL, 0),
	    .slots = (uint32_t)strtoul(argv[3], NULL, 0),
	    .every = (uint32_t)strtoul(argv[4], NULL, 0)};
	for (int i = 5; i + 1 < argc; i += 2)
		if (measure(&sizes, argv[i], argv[i + 1]) != 0)
			return 1;
	return 0;
}
