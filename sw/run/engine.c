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
#define ASKS 16u           /* times that a division is looked at */
#define ASK_RARE 4u   /* way table: divisions that are met so many times more rarely than a place are asked too, ... */
#define ASK_LEAST 64u /* ... if they were met so often */
#define HOT_MORE 5u   /* builds after which ever more places are tried */
#define RARE_MORE 2u  /* ... and after which rarer traces are looked at, by 1 << RARER */
#define RARER 2u
#define SAMPLED_MORE 2u /* the same by samples */

struct run_engine run_engine;

void run_engine_take_counts(void)
{
	trace_interrupt();
	if (run_engine.exact)
		trace_drain_table();
}

static bool in_cache(uint32_t pc)
{
	return pc - run_engine.config.cache < run_engine.config.cache_size;
}

/* How often an entry of the table was counted since the last look that remembered. */
static inline uint32_t since(const struct table *table, uint32_t index)
{
	return counts_since(&run_engine.counts, table, index);
}

static uint32_t all_since(const struct table *table)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < table->used; i++)
		total += since(table, i);
	return total;
}

void run_engine_to_program(void)
{
	counts_translate_late(&run_engine.log, &run_engine.untranslated, &run_engine.optimise, trace_table(),
	    rivulet_config.ctrl, trace_found()->hist, &run_engine.counts);
	counts_translate(&run_engine.untranslated, &run_engine.optimise, trace_table(), rivulet_config.ctrl,
	    trace_found()->hist, &run_engine.counts);
}

/* Has the log room for what was counted with these patches? */
static bool log_has_room(void)
{
	uint32_t room = run_engine.log.room - run_engine.log.count;
	return !patches_there() || room >= trace_table()->used ||
	       room >= counts_late_items(&run_engine.untranslated, trace_table());
}

/* Before patches change: what was counted with these is translated later, when the program has ended. The unit is off,
 * its counts are in the table, and the log has room. */
static void put_off(void)
{
	if (patches_there())
		counts_put_off(
		    &run_engine.log, &run_engine.untranslated, &run_engine.optimise, trace_table(), &run_engine.counts);
	else
		counts_remember(&run_engine.untranslated, trace_table());
}

void run_engine_release(struct hal_frame *frame)
{
	run_engine_take_counts();
	if (patches_there())
		run_engine_to_program();
	counts_remember(&run_engine.untranslated, trace_table());
	if (!patches_leave(&run_engine.optimise, frame))
		return;
	patches_release(&run_engine.optimise);
	run_engine.optimise.patch_count = run_engine.optimise.built_patches = 0;
	run_engine.optimise.trace_count = 0;
	run_engine.released++;
}

/* When cache, memory or log are full everything is made anew, if there is time for the translation. */
static bool may_release(void)
{
	uint64_t cost =
	    (uint64_t)TRANSLATION * (run_engine.log.count + counts_late_items(&run_engine.untranslated, trace_table()));
	return run_engine.share >= RUN_ENGINE_EAGER ||
	       run_engine.cycles + cost <= (hal_cycles() - run_engine.started) / BUDGET;
}

/* The count from which a trace of the program is looked at, since the last build (in later builds too: what many rare
 * traces say of branches does no good to the hot ones); of all traces of way table since the beginning: those that are
 * not rare. */
static uint32_t least_of(const struct table *table)
{
	if (!run_engine.exact)
		return all_since(table) / (4 * RUN_ENGINE_HOT);
	if (run_engine.share >= RUN_ENGINE_EAGER)
		return 1;
	return counts_least(hal_cycles() - run_engine.started, run_engine.builds > RARE_MORE ? RARER : 0);
}

static bool is_full(void)
{
	return run_engine.builds > 0 && (run_engine.optimise.full > 0 || !log_has_room());
}

bool run_engine_has_room(void)
{
	return !is_full() || may_release();
}

/* Room for new traces, and for what was counted with those that are there. */
static bool make_room(void)
{
	if (!run_engine_has_room())
		return false;
	if (is_full())
		run_engine_release(run_engine.frame);
	if (!patches_there()) {
		run_engine.error =
		    optimise_init(&run_engine.optimise, &run_engine.config, run_engine.memory, run_engine.size);
		run_engine.witnessed = 0;
	}
	return run_engine.error == OPTIMISE_OK;
}

/* At the first build what is hottest, with the table at the second too; later ones try more and more. */
static uint32_t hot_share_now(void)
{
	uint32_t most = run_engine.exact ? HOT_MORE : SAMPLED_MORE,
		 more = run_engine.builds < most ? run_engine.builds : most;
	if (run_engine.share >= RUN_ENGINE_EAGER)
		return run_engine.config.hot_share;
	return RUN_ENGINE_HOT << (run_engine.exact && more > 0 ? more - 1 : more);
}

/* Single traces are to be replaced: the program enters them no more. */
static void cool(void)
{
	if (optimise_cooled(&run_engine.optimise) == 0 || !log_has_room() ||
	    !patches_leave(&run_engine.optimise, run_engine.frame))
		return;
	put_off();
	optimise_cool(&run_engine.optimise);
	patches_withdraw(&run_engine.optimise);
}

bool run_engine_gather(void)
{
	const struct table *table = trace_table();
	struct optimise *o = &run_engine.optimise;
	run_engine_take_counts();
	if (!make_room())
		return false;
	uint32_t least = least_of(table);
	run_engine.optimise.config.hot_share = hot_share_now();
	if (run_engine.exact && run_engine.builds > 0)
		run_engine.optimise.config.length = RUN_ENGINE_LONG;
	if (!run_engine.exact)
		optimise_forget(&run_engine.optimise);
	if (run_engine.again)
		optimise_again(&run_engine.optimise);
	run_engine.again = false;
	paid_before(&run_engine.paid, &run_engine.optimise, &run_engine.counts, table, rivulet_config.ctrl,
	    trace_found()->hist);
	for (uint32_t i = 0; i < table->used; i++) {
		struct record record;
		uint32_t count = since(table, i);
		if (count < run_engine.config.least_flow ||
		    (count < least && !(run_engine.exact && counts_slow(&table->entries[i], count, least))))
			continue;
		if (run_engine.exact)
			counts_see(&run_engine.counts, i, count);
		table_get(table, i, &record);
		if (record_partial(&record))
			continue;
		if (in_cache((uint32_t)record.start))
			optimise_record_inside(o, (uint32_t)record.start, (uint32_t)record.hist, count);
		else
			optimise_record(o, (uint32_t)record.start, (uint32_t)record.hist, count);
	}
	cool();
	/* The program waits: only to the first branch of each trace. Hot ones the optimiser has followed. */
	for (; run_engine.witnessed < table->used; run_engine.witnessed++)
		optimise_witness(&run_engine.optimise, table->entries[run_engine.witnessed].key & ~TABLE_PARTIAL, 1);
	return true;
}

bool run_engine_ask(void)
{
	struct optimise *o = &run_engine.optimise;
	uint64_t share = o->total / o->config.hot_share;
	uint32_t least = share < UINT32_MAX ? (uint32_t)share + 1 : UINT32_MAX;
	if (run_engine.exact)
		least = least / ASK_RARE + ASK_LEAST;
	return patches_ask(run_engine.divisors, RUN_ENGINE_DIVISORS, least, ASKS) != 0;
}

uint32_t run_engine_divisors(void)
{
	uint32_t repeat = 0, value;
	for (unsigned i = 0; i < RUN_ENGINE_DIVISORS; i++)
		repeat += run_engine.divisors[i].wrong != 0 ||
			  optimise_divisor_repeats(&run_engine.optimise, run_engine.divisors[i].pc, &value);
	return repeat;
}

void run_engine_build(void)
{
	uint32_t traces = run_engine.optimise.trace_count, patches = run_engine.optimise.patch_count;
	if (run_engine.state == ENGINE_ASK) { /* the program has gone on since */
		run_engine_take_counts();
		if (!log_has_room())
			return;
	}
	put_off();
	run_engine.checked = 0;
	optimise_build(&run_engine.optimise);
	run_engine.promised = (uint32_t)run_engine.optimise.promised;
	optimise_emit(&run_engine.optimise, (uint8_t *)(uintptr_t)run_engine.config.cache);
	patches_write(&run_engine.optimise);
	run_engine.builds++;
	run_engine.traces += run_engine.optimise.trace_count - traces;
	run_engine.patches += run_engine.optimise.patch_count - patches;
	run_engine.bytes =
	    run_engine.optimise.cache_used > run_engine.bytes ? run_engine.optimise.cache_used : run_engine.bytes;
}

bool run_engine_anything_hot(void)
{
	const struct table *table = trace_table();
	for (uint32_t i = 0; i < table->used; i++)
		if (since(table, i) >= run_engine.threshold)
			return true;
	return false;
}

bool run_engine_something_new_is_hot(void)
{
	const struct table *table = trace_table();
	uint32_t total = all_since(table), new = 0, least = total / RUN_ENGINE_HOT;
	least = least < run_engine.config.least_flow ? run_engine.config.least_flow : least;
	for (uint32_t i = 0; i < table->used; i++) {
		uint32_t pc = table->entries[i].key & ~TABLE_PARTIAL, count = since(table, i);
		if (count >= least && !in_cache(pc) && !optimise_considered(&run_engine.optimise, pc))
			new += count;
	}
	return new >= total / NEW &&new >= run_engine.threshold;
}

bool run_engine_check_paid(void)
{
	run_engine_take_counts();
	if (run_engine.checked++ >= (run_engine.exact ? 1 : CHECKS))
		return false;
	unsigned losers = paid_look(&run_engine.paid, &run_engine.optimise, &run_engine.counts, trace_table(),
	    rivulet_config.ctrl, trace_found()->hist);
	run_engine.config.avoid_count = run_engine.optimise.config.avoid_count = run_engine.paid.loser_count;
	if (losers == 0 || !log_has_room() || !patches_leave(&run_engine.optimise, run_engine.frame))
		return false;
	run_engine.lost += losers;
	put_off();
	for (; losers > 0; losers--)
		if (optimise_withdraw(
			&run_engine.optimise, run_engine.paid.losers[run_engine.paid.loser_count - losers]) != 0)
			patches_withdraw(&run_engine.optimise);
	if (run_engine.exact) /* what was counted by way of them tells nothing without them */
		counts_remember(&run_engine.counts, trace_table());
	return true;
}
