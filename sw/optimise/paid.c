/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/optimise/paid.h"

/* The hottest whole records since the last look, at most PAID_RECORDS; their indexes. */
static unsigned hottest(const struct counts *counts, const struct table *table, uint32_t index[PAID_RECORDS])
{
	unsigned count = 0;
	for (uint32_t i = 0; i < table->used; i++) {
		uint32_t since = counts_since(counts, table, i);
		if (since < 2 || table->entries[i].key & TABLE_PARTIAL)
			continue;
		unsigned at = count < PAID_RECORDS ? count++ : PAID_RECORDS;
		for (; at > 0 && counts_since(counts, table, index[at - 1]) < since; at--)
			if (at < PAID_RECORDS)
				index[at] = index[at - 1];
		if (at < PAID_RECORDS)
			index[at] = i;
	}
	return count;
}

static uint64_t cycles_of(const struct record *record, uint32_t count)
{
	return record->cycles / (record->count == 0 ? 1 : record->count) * count;
}

void paid_before(struct paid *paid, struct optimise *optimise, const struct counts *counts, const struct table *table,
    uint32_t ctrl, unsigned bits)
{
	uint32_t index[PAID_RECORDS];
	if (paid->model != 0) /* one build's records are enough */
		return;
	unsigned records = hottest(counts, table, index);
	for (unsigned i = 0; i < records; i++) {
		struct record record;
		table_get(table, index[i], &record);
		if (optimise_translate(optimise, &record, ctrl, bits, NULL, NULL) != 0)
			continue;
		uint32_t count = counts_since(counts, table, index[i]);
		paid->measured += cycles_of(&record, count);
		paid->model += (uint64_t)optimise->walked * count;
	}
}

/* The trace that a record begins in, or at the patch of. */
static const struct optimise_trace *trace_of(const struct optimise *optimise, uint32_t start)
{
	uint32_t offset = start - optimise->config.cache;
	if (offset >= optimise->cache_used)
		return optimise_trace_at(optimise, start);
	for (uint32_t i = 0; i < optimise->trace_count; i++)
		if (offset - 2u * optimise->traces[i].at < 2u * optimise->traces[i].size)
			return &optimise->traces[i];
	return NULL;
}

static unsigned suspect(struct paid *paid, uint32_t pc)
{
	for (unsigned i = 0; i < paid->suspect_count; i++)
		if (paid->suspects[i].pc == pc) {
			paid->suspects[i] = paid->suspects[--paid->suspect_count];
			if (paid->loser_count == PAID_TRACES) /* the next build would make it again */
				return 0;
			paid->losers[paid->loser_count++] = pc;
			return 1;
		}
	if (paid->suspect_count < PAID_TRACES) {
		paid->suspects[paid->suspect_count].pc = pc;
		paid->suspects[paid->suspect_count++].seen = true;
	}
	return 0;
}

unsigned paid_look(struct paid *paid, struct optimise *optimise, const struct counts *counts, const struct table *table,
    uint32_t ctrl, unsigned bits)
{
	struct {
		uint32_t pc, visits;
		uint64_t measured, model;
	} traces[PAID_RECORDS];
	uint32_t index[PAID_RECORDS];
	unsigned records = hottest(counts, table, index), count = 0, losers = 0;
	if (paid->model == 0)
		return 0;
	for (unsigned i = 0; i < records; i++) {
		struct record record;
		table_get(table, index[i], &record);
		const struct optimise_trace *trace = trace_of(optimise, (uint32_t)record.start);
		if (trace == NULL || optimise_translate(optimise, &record, ctrl, bits, NULL, NULL) <= 0)
			continue;
		unsigned at = 0;
		while (at < count && traces[at].pc != trace->pc)
			at++;
		if (at == count) {
			traces[count].pc = trace->pc;
			traces[count].visits = 0;
			traces[count].measured = traces[count].model = 0;
			count++;
		}
		uint32_t visits = counts_since(counts, table, index[i]);
		traces[at].visits += visits;
		traces[at].measured += cycles_of(&record, visits);
		traces[at].model += (uint64_t)optimise->walked * visits;
	}
	for (unsigned i = 0; i < paid->suspect_count; i++)
		paid->suspects[i].seen = false;
	for (unsigned i = 0; i < count; i++) {
		if (traces[i].visits < PAID_VISITS)
			continue;
		/* measured > model * scale * (1 + 1 / PAID_MARGIN) */
		if (traces[i].measured * PAID_MARGIN * paid->model >
		    traces[i].model * paid->measured * (PAID_MARGIN + 1))
			losers += suspect(paid, traces[i].pc);
	}
	/* suspects are those of two looks in a row */
	for (unsigned i = paid->suspect_count; i-- > 0;)
		if (!paid->suspects[i].seen)
			paid->suspects[i] = paid->suspects[--paid->suspect_count];
	return losers;
}
