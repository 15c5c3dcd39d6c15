/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What the optimiser on the core does in a look: from counts to patches, and back. */
#include "sw/run/engine.h"
#include "sw/trace/private.h"
#include "sw/trace/trace.h"

#define CHECKS 2u          /* after a build: whether it pays */
#define NEW 2u             /* new hot places are worth a build if they have 1/2 of the counts */
#define TRANSLATION 15000u /* cycles, of one record */
#define BUDGET 64u         /* everything is made anew if translating what there is takes 1/64 of the time so far */
#define ALL_RARE 4096u     /* traces that were met less than once in 4096 cycles are not looked at */

struct engine engine;

void engine_take_counts(void)
{
	trace_interrupt();
	if (engine.exact)
		trace_drain_table();
}

static bool in_cache(uint32_t pc)
{
	return pc - engine.config.cache < engine.config.cache_size;
}

/* How often an entry of the table was counted since the last look that remembered. */
static inline uint32_t since(const struct table *table, uint32_t index)
{
	return counts_since(&engine.counts, table, index);
}

static uint32_t all_since(const struct table *table)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < table->used; i++)
		total += since(table, i);
	return total;
}

void engine_to_program(void)
{
	counts_translate_late(&engine.log, &engine.untranslated, &engine.optimise, trace_table(), rivulet_config.ctrl,
	    trace_found()->hist, &engine.counts);
	counts_translate(&engine.untranslated, &engine.optimise, trace_table(), rivulet_config.ctrl,
	    trace_found()->hist, &engine.counts);
}

/* Has the log room for what was counted with these patches? */
static bool log_has_room(void)
{
	return !patches_there() ||
	       engine.log.room - engine.log.count >= counts_late(&engine.untranslated, trace_table());
}

/* Before patches change: what was counted with these is translated later, when the program has ended. The unit is off,
 * its counts are in the table, and the log has room. */
static void put_off(void)
{
	if (patches_there())
		counts_put_off(&engine.log, &engine.untranslated, &engine.optimise, trace_table(), &engine.counts);
	counts_remember(&engine.untranslated, trace_table());
}

void engine_release(struct hal_frame *frame)
{
	engine_take_counts();
	if (patches_there())
		engine_to_program();
	counts_remember(&engine.untranslated, trace_table());
	if (!patches_leave(&engine.optimise, frame))
		return;
	patches_release(&engine.optimise);
	engine.optimise.patch_count = engine.optimise.built_patches = 0;
	engine.optimise.trace_count = 0;
	engine.released++;
}

/* When cache, memory or log are full everything is made anew, if there is time for the translation. */
static bool may_release(void)
{
	uint64_t cost = (uint64_t)TRANSLATION * (engine.log.count + counts_late(&engine.untranslated, trace_table()));
	return engine.share >= EAGER || engine.cycles + cost <= (hal_cycles() - engine.started) / BUDGET;
}

/* The count from which a trace of the program is looked at, since the last build; of all traces of way table since the
 * beginning: those that were met once in
 * ALL_RARE cycles. */
static uint32_t least_of(const struct table *table)
{
	if (!engine.exact)
		return all_since(table) / (4 * HOT);
	return engine.share < EAGER ? (uint32_t)((hal_cycles() - engine.started) / ALL_RARE) : 1;
}

void engine_build(void)
{
	const struct table *table = trace_table();
	engine_take_counts();
	if (engine.builds > 0 && (engine.optimise.full > 0 || !log_has_room())) {
		if (!may_release())
			return;
		engine_release(engine.frame);
	} else {
		put_off();
	}
	if (!patches_there()) {
		engine.error = optimise_init(&engine.optimise, &engine.config, engine.memory, engine.size);
		engine.witnessed = 0;
	}
	if (engine.error != OPTIMISE_OK)
		return;
	uint32_t least = least_of(table);
	if (!engine.exact)
		optimise_forget(&engine.optimise);
	paid_before(&engine.paid, &engine.optimise, &engine.counts, table, rivulet_config.ctrl, trace_found()->hist);
	engine.checked = 0;
	uint32_t traces = engine.optimise.trace_count, patches = engine.optimise.patch_count;
	for (uint32_t i = 0; i < table->used; i++) {
		struct record record;
		uint32_t count = since(table, i);
		if (count < least || count < engine.config.least_flow)
			continue;
		if (engine.exact)
			counts_see(&engine.counts, i, count);
		table_get(table, i, &record);
		if (!record_partial(&record) && !in_cache((uint32_t)record.start))
			optimise_record(&engine.optimise, (uint32_t)record.start, (uint32_t)record.hist, count);
	}
	/* The program waits: only to the first branch of each trace. Hot ones the optimiser has followed. */
	for (; engine.witnessed < table->used; engine.witnessed++)
		optimise_witness(&engine.optimise, table->entries[engine.witnessed].key & ~TABLE_PARTIAL, 1);
	optimise_build(&engine.optimise);
	engine.promised = (uint32_t)engine.optimise.promised;
	optimise_emit(&engine.optimise, (uint8_t *)(uintptr_t)engine.config.cache);
	patches_write(&engine.optimise);
	engine.builds++;
	engine.traces += engine.optimise.trace_count - traces;
	engine.patches += engine.optimise.patch_count - patches;
	engine.bytes = engine.optimise.cache_used > engine.bytes ? engine.optimise.cache_used : engine.bytes;
}

bool engine_anything_hot(void)
{
	const struct table *table = trace_table();
	for (uint32_t i = 0; i < table->used; i++)
		if (since(table, i) >= engine.threshold)
			return true;
	return false;
}

bool engine_something_new_is_hot(void)
{
	const struct table *table = trace_table();
	uint32_t total = all_since(table), new = 0, least = total / HOT;
	least = least < engine.config.least_flow ? engine.config.least_flow : least;
	for (uint32_t i = 0; i < table->used; i++) {
		uint32_t pc = table->entries[i].key & ~TABLE_PARTIAL, count = since(table, i);
		if (count >= least && !in_cache(pc) && !optimise_considered(&engine.optimise, pc))
			new += count;
	}
	return new >= total / NEW &&new >= engine.threshold;
}

void engine_check_paid(void)
{
	engine_take_counts();
	if (engine.checked++ >= (engine.exact ? 1 : CHECKS))
		return;
	unsigned losers = paid_look(
	    &engine.paid, &engine.optimise, &engine.counts, trace_table(), rivulet_config.ctrl, trace_found()->hist);
	engine.config.avoid_count = engine.optimise.config.avoid_count = engine.paid.loser_count;
	if (losers == 0 || !log_has_room() || !patches_leave(&engine.optimise, engine.frame))
		return;
	engine.lost += losers;
	put_off();
	for (; losers > 0; losers--)
		if (optimise_withdraw(&engine.optimise, engine.paid.losers[engine.paid.loser_count - losers]) != 0)
			patches_withdraw(&engine.optimise);
}
