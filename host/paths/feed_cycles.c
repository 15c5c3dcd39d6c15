/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The cycles of a record, instruction by instruction: what the rules of the core say of each, from what the core had in
 * hand behind the record before. The sum is the record's own.
 */
#include "host/paths/feed_cycles.h"

#include "host/base/array.h"
#include "host/cycles/trace.h"

void paths_feed_cycles(struct paths_feed *feed, const struct core *core)
{
	feed->costs = (struct trace_costs){.image = feed->image, .core = core};
	feed->core_state = CORE_START;
	feed->core_known = false;
	feed->shares = (struct paths_shares){.of = 1};
}

int feed_cycles_keep(void *context, const struct walk_visit *visit)
{
	struct paths_feed *feed = context;
	if (!array_room(&feed->visits, feed->visit_count + 1, &feed->visit_room))
		return 1;
	feed->visits[feed->visit_count++] = *visit;
	feed->visit_insns += visit->count;
	return 0;
}

/* Room for the parts of the trace at hand. */
static bool make_cycle_room(struct paths_feed *feed)
{
	return array_room(&feed->parts, feed->visit_insns + 1, &feed->part_room) &&
	       array_room(&feed->spent, feed->visit_insns + 1, &feed->spent_room);
}

int feed_cycles_begin(struct paths_feed *feed, const struct record *record)
{
	struct paths_shares *shares = &feed->shares;
	struct trace_bounds bounds;
	*shares = (struct paths_shares){.of = record->count, .cycles = record->cycles, .even = true};
	if (feed->next != PATHS_FOLLOWS)
		feed->core_known = false;
	if (!feed->core_known)
		feed->core_state = CORE_START;
	if (record->count <= 1 || record->timed != record->count)
		return PATHS_OK;
	/* all repetitions are the same trace, but the core may have something else in hand before the first ones */
	feed->visit_count = feed->visit_insns = 0;
	if (walk_record(feed->walk, record, feed_cycles_keep, feed, NULL) != WALK_OK)
		return PATHS_OK;
	if (!make_cycle_room(feed))
		return PATHS_ENOMEM;
	struct core_state state = feed->core_state;
	bool known = feed->core_known;
	uint64_t least = 0, room = 0;
	for (uint64_t i = 0, n; i < record->count; i += n) {
		unsigned before = core_state_number(&state);
		if (!trace_costs_parts(&feed->costs, &state, known,
			&(struct trace_visits){feed->visits, feed->visit_count}, feed->parts, &bounds))
			return PATHS_ENOMEM;
		n = known && core_state_number(&state) == before ? record->count - i : 1;
		least += n * bounds.least;
		room += n * bounds.room;
		known = true;
	}
	shares->even = record->cycles < least || (room == 0 && record->cycles > least);
	shares->rest = record->cycles - least;
	shares->room = room;
	return PATHS_OK;
}

/* The cycles of the next repetition. */
static uint64_t next_share(struct paths_feed *feed, const struct trace_bounds *bounds)
{
	struct paths_shares *s = &feed->shares;
	unsigned __int128 upto;
	uint64_t mine;
	s->passed += s->even ? 1 : bounds->room;
	if (s->even)
		upto = (unsigned __int128)s->cycles * s->passed / s->of;
	else
		upto = s->room == 0 ? 0 : (unsigned __int128)s->rest * s->passed / s->room;
	mine = (uint64_t)upto - s->given;
	s->given = (uint64_t)upto;
	return mine + (s->even ? 0 : bounds->least);
}

int feed_cycles_visit(struct paths_feed *feed, const struct record *record, int walked)
{
	bool timed = record->cycles > 0 && record->timed == record->count;
	bool part = walked == WALK_OK || walked == WALK_UNKNOWN_END || walked == WALK_ETARGET;
	struct trace_bounds bounds = {0};
	const uint64_t *spent = NULL;
	uint64_t cycles = 0;
	if (!make_cycle_room(feed) ||
	    (feed->visit_insns > 0 &&
		!trace_costs_parts(&feed->costs, &feed->core_state, feed->core_known,
		    &(struct trace_visits){feed->visits, feed->visit_count}, feed->parts, &bounds)))
		return PATHS_ENOMEM;
	if (timed) {
		uint64_t all = cycles = next_share(feed, &bounds);
		if (!part)
			cycles = 0;
		else if (walked != WALK_OK) { /* cut short: cycles by instructions, if known */
			size_t insns = record->insns > feed->visit_insns ? record->insns : feed->visit_insns;
			cycles = record->insns == 0 || insns == 0
				     ? 0
				     : (uint64_t)((unsigned __int128)all * feed->visit_insns / insns);
		}
		feed->lost_cycles += (all - cycles) * feed->times;
		feed->timed += feed->times;
	}
	if (cycles > 0 && feed->visit_insns > 0) {
		feed->shared_cycles +=
		    feed->times * split_cycles(feed->parts, sizeof *feed->parts, feed->visit_insns, 1, cycles);
		for (size_t i = 0; i < feed->visit_insns; i++)
			feed->spent[i] = feed->parts[i].cycles;
		spent = feed->spent;
	}
	feed->core_known = walked == WALK_OK;
	for (size_t i = 0; i < feed->visit_count; i++) {
		int error = paths_visit_spent(feed->paths, &feed->visits[i], spent);
		if (error != PATHS_OK)
			return error;
		feed->insns += feed->visits[i].count * feed->times;
		if (spent != NULL)
			spent += feed->visits[i].count;
	}
	return PATHS_OK;
}
