/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTS_H
#define RIVULET_COUNTS_H
/* What a trace table has counted since it was last read, and its translation: traces that ran in the code cache become
 * traces of the program. A look is one reading of the table. */
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
/* So many more of an entry have been looked at. */
void counts_see(struct counts *counts, uint32_t index, uint32_t count);
/* The count below which a trace is too rare to be looked at, so many cycles after the beginning; 1 << rarer times
 * less where there is time for more traces. */
uint32_t counts_least(uint64_t cycles, unsigned rarer);
/* Is a trace below that count worth a look for its cycles? */
bool counts_slow(const struct table_entry *entry, uint32_t count, uint32_t least);
/* All has been looked at. */
void counts_remember(struct counts *counts, const struct table *table);
/* Counts since the last look that came by a patch or from the cache are moved to the program's own traces
 * (optimise_translate()), and these are marked as looked at. Entries may be left with a count of 0. Counts that no
 * trace of the optimiser explains are added to table->dropped. Call it before patches or cache change. looks: another
 * reader's counts of the same table, for which nothing that was translated counts as new, or NULL. Returns how many
 * traces were translated. */
uint32_t counts_translate(struct counts *counts, struct optimise *optimise, struct table *table, uint32_t ctrl,
    unsigned bits, struct counts *looks);

/* Traces that were counted in the cache and are to be translated later, because a translation takes some thousand
 * cycles in which the program waits. It can wait as long as no trace of the optimiser is removed: traces that are added
 * only add patches. */
struct counts_late {
	uint32_t count, cycles; /* low part of the sum; of what is left the cycles are in the entry too */
	uint16_t index;         /* of its entry, which has start and history */
	uint16_t epoch;         /* struct optimise's, when it was counted */
	uint8_t cycles_high,
	    left; /* left: it began in the program: its entry still has it, and loses it only if it came
				    * by a patch */
};
struct counts_log {
	struct counts_late *items;
	uint32_t room, count;
};
/* How many items of a log what was counted since `counts` takes. */
uint32_t counts_late_items(const struct counts *counts, const struct table *table);
/* Takes what was counted in the cache since `counts` out of the table, as far as there is room; all has been looked at
 * then (counts_remember()); looks as above. */
void counts_put_off(struct counts_log *log, struct counts *counts, const struct optimise *optimise, struct table *table,
    struct counts *looks);
/* Translates what was put off, and empties the log. */
void counts_translate_late(struct counts_log *log, struct counts *counts, struct optimise *optimise,
    struct table *table, uint32_t ctrl, unsigned bits, struct counts *looks);
#endif
