/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Runs: a step in the order of time, for those who watch. They are made once, with the step, and shown each time that
 * it is taken. A call that comes again in the same context is another one; so each run knows which contexts were
 * entered before it.
 *
 *   step   main ─ entered f ─► f ──────► main ─ entered f ─► f
 *   runs   [main 3] [f 5, entered f] [main 1] [f 5, entered f]
 */
#include "host/export/gather_private.h"

/* The contexts that were entered since the last run belong to this one. */
static int add_entries(struct gather *gather, struct run *run)
{
	uint32_t nodes[STACK_ENTERED];
	size_t count = stack_entered(gather->stack, nodes);
	run->entered = (uint8_t)count;
	run->first = gather->entered_count;
	if (!array_room(&gather->entered, gather->entered_count + count, &gather->entered_room))
		return GATHER_ENOMEM;
	for (size_t i = 0; i < count; i++)
		gather->entered[gather->entered_count++] = nodes[i];
	return GATHER_OK;
}

int gather_add_run(struct gather *gather, uint32_t node, const struct split_part *parts, uint32_t count)
{
	struct run *last = gather->run_count > gather->run_start ? &gather->runs[gather->run_count - 1] : NULL;
	struct run run = {.node = node, .times = 1, .insns = count, .begins = last == NULL};
	int error = add_entries(gather, &run);
	for (uint32_t i = 0; i < count; i++)
		split_add(&run.sum, &parts[i]);
	if (last != NULL && last->node == node && run.entered == 0) {
		last->insns += count;
		last->sum.least += run.sum.least;
		last->sum.room += run.sum.room;
		last->sum.unbounded += run.sum.unbounded;
		last->sum.roomy += run.sum.roomy;
		return error;
	}
	if (error != GATHER_OK || !array_room(&gather->runs, gather->run_count + 1, &gather->run_room))
		return GATHER_ENOMEM;
	gather->runs[gather->run_count++] = run;
	return GATHER_OK;
}

int gather_repeat_runs(struct gather *gather, uint64_t times)
{
	size_t from = gather->run_start, count = gather->run_count - from;
	gather->run_start = gather->run_count;
	if (count == 1 && gather->runs[from].entered == 0) {
		struct run *run = &gather->runs[from];
		run->times = (uint32_t)times;
		run->insns *= times;
		return GATHER_OK;
	}
	for (uint64_t i = 1; i < times; i++) {
		if (!array_room(&gather->runs, gather->run_count + count, &gather->run_room))
			return GATHER_ENOMEM;
		for (size_t k = 0; k < count; k++)
			gather->runs[gather->run_count++] = gather->runs[from + k];
	}
	gather->run_start = gather->run_count;
	return GATHER_OK;
}

/* Repetitions that are one run each. Of the cycles each gets an even share of what is left when it comes: of `left`
 * repetitions the last have one more if it does not come out even. Returns what they get in all. */
static uint64_t share_among(struct run *run, uint64_t cycles, uint64_t left, uint64_t *shared)
{
	if (left == 1) {
		*shared += split_sums(&run->sum, sizeof *run, 1, cycles);
		return cycles;
	}
	const uint64_t share = cycles / left, less = left - cycles % left;
	const uint64_t small = run->times < less ? run->times : less, large = run->times - small;
	*shared += small * split_sums(&run->sum, sizeof *run, 1, share);
	if (large > 0)
		*shared += large * split_sums(&run->sum, sizeof *run, 1, share + 1);
	run->sum.cycles = small * share + large * (share + 1);
	return run->sum.cycles;
}

/* The contexts that have come since have not been entered yet. */
static bool follow_nodes(struct gather *gather)
{
	size_t count;
	const struct stack_node *nodes = stack_nodes(gather->stack, &count);
	if (gather->live_count < count && !array_room(&gather->live, count, &gather->live_room))
		return false;
	for (; gather->live_count < count; gather->live_count++) {
		gather->live[gather->live_count] = nodes[gather->live_count];
		gather->live[gather->live_count].entered = 0;
	}
	return true;
}

/* Gives each run of a step its part of the cycles. Most records come with the same cycles as the time before. */
static void split_shown(struct gather *gather, uint32_t step, const struct record_key *key, uint64_t cycles, size_t to)
{
	struct shown_step *shown = &gather->shown[step];
	uint64_t known = gather_known(&key->record, key->insns, key->whole, cycles), left = key->record.count;
	*shown = (struct shown_step){.first = shown->first, .split = true, .cycles = cycles};
	for (size_t i = shown->first, end; i < to; i = end) {
		struct run *runs = &gather->runs[i];
		for (end = i + 1; end < to && !gather->runs[end].begins;)
			end++;
		uint64_t mine = left == 1 ? known : known / left;
		if (end == i + 1)
			mine = share_among(runs, known, left, &shown->shared);
		else
			shown->shared += split_sums(&runs->sum, sizeof *runs, end - i, mine);
		known -= mine;
		left -= runs->times;
	}
}

int gather_show_pending(struct gather *gather)
{
	struct gather_visit *pending = &gather->pending;
	if (pending->insns == 0)
		return GATHER_OK;
	pending->nodes = gather->live;
	int stopped = gather->watcher(gather->watcher_context, pending);
	pending->insns = 0;
	return stopped == 0 ? GATHER_OK : GATHER_ENOMEM;
}

/*
 * Runs that follow one another in a context, which is not entered again between them, are shown as one:
 *
 *   records   [main 3] [main 4] [main 2, f 5 entered] [f 1] [main 6]
 *   shown     [main 9]          [f 6]                       [main 6]
 *
 * One whose cycles are not known is none of those whose cycles are.
 */
static inline int show_run(struct gather *gather, const struct run *run)
{
	struct gather_visit *pending = &gather->pending;
	if (pending->insns != 0 && run->entered == 0 && pending->node == run->node &&
	    pending->process == gather->process && (pending->cycles == 0) == (run->sum.cycles == 0)) {
		pending->insns += run->insns;
		pending->cycles += run->sum.cycles;
		return GATHER_OK;
	}
	uint32_t level = pending->insns == 0 ? pending->entered_level : UINT32_MAX; /* of one that is not shown */
	int error = gather_show_pending(gather);
	for (size_t i = 0; i < run->entered; i++) {
		struct stack_node *node = &gather->live[gather->entered[run->first + i]];
		node->entered++;
		level = node->level < level ? node->level : level;
	}
	*pending = (struct gather_visit){.node = run->node,
	    .entered_level = level,
	    .process = gather->process,
	    .time = gather->time,
	    .insns = run->insns,
	    .cycles = run->sum.cycles,
	    .outcome = -1};
	return error;
}

static inline int show_step(struct gather *gather, uint32_t step, const struct record_key *key, uint64_t cycles)
{
	const struct shown_step *shown = &gather->shown[step];
	size_t to = step + 1 < gather->taken.count ? shown[1].first : gather->run_count;
	int error = GATHER_OK;
	if (!shown->split || shown->cycles != cycles)
		split_shown(gather, step, key, cycles, to);
	gather->result.shared += shown->shared;
	for (size_t i = shown->first; i < to && error == GATHER_OK; i++)
		error = show_run(gather, &gather->runs[i]);
	return error;
}

int gather_show_step(struct gather *gather, uint32_t step, const struct record_key *key, uint64_t cycles)
{
	return follow_nodes(gather) ? show_step(gather, step, key, cycles) : GATHER_ENOMEM;
}

int gather_show_steps(
    struct gather *gather, const struct gather_some *some, const uint32_t *steps, uint32_t from, uint32_t to)
{
	int error = follow_nodes(gather) ? GATHER_OK : GATHER_ENOMEM;
	for (uint32_t i = from; i < to && error == GATHER_OK; i++) {
		gather->process = some->process[i];
		gather->time = some->time[i];
		error = show_step(gather, steps[i], &gather->keys.all[some->keys[i] / GATHER_WAYS], some->cycles[i]);
	}
	return error;
}
