/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTS_H
#define RIVULET_COUNTS_H
/* What a trace table has counted since it was last looked at, and how it comes to name the program's addresses only. */
#include "sw/optimise/optimise.h"
#include "sw/trace/table.h"

/* seen[i] is the part of entry i's count that has been looked at; i < count <= room. Of later entries: 0. */
struct counts {
	uint32_t *seen, room, count;
};

/* room words at memory: the table's capacity. */
void counts_init(struct counts *counts, void *memory, uint32_t room);
static inline uint32_t counts_since(const struct counts *counts, const struct table *table, uint32_t index)
{
	uint32_t count = table_entry_count(table, &table->entries[index]);
	return count - (index < counts->count ? counts->seen[index] : 0);
}
/* All has been looked at. */
void counts_remember(struct counts *counts, const struct table *table);
/* What has been counted since then by way of a patch, or in the cache, is counted as the program's own traces
 * (optimise_translate()), which have been looked at. Entries may be left with a count of 0. What does not fit the traces
 * is added to table->dropped. Call it before patches or cache change. looks: other counts
 * of the same table, or NULL: of these nothing that was translated is new. Returns how many traces were translated. */
uint32_t counts_translate(struct counts *counts, struct optimise *optimise, struct table *table, uint32_t ctrl,
    unsigned bits, struct counts *looks);

/* Traces that were counted in the cache, to be translated later: that takes some thousand cycles each, and the program
 * waits. It can be done as long as no trace of the optimiser goes: later ones change nothing but that there are more
 * patches. */
struct counts_late {
	struct record record;
	uint32_t patches; /* how many there were */
	uint32_t index;   /* of its entry */
	bool left;        /* it began in the program: it is still counted there, and goes only if it comes by a patch */
};
struct counts_log {
	struct counts_late *items;
	uint32_t room, count;
};
/* Takes what was counted in the cache since `counts` out of the table, as far as there is room; looks as above. */
void counts_put_off(struct counts_log *log, struct counts *counts, const struct optimise *optimise, struct table *table,
    struct counts *looks);
/* Translates what was put off, and empties the log. */
void counts_translate_late(struct counts_log *log, struct counts *counts, struct optimise *optimise,
    struct table *table, uint32_t ctrl, unsigned bits, struct counts *looks);
#endif
