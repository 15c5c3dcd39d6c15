/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/paths/feed.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/paths/feed_cycles.h"

#define INSN_BITS_USUAL 16

void paths_feed_open(struct paths_feed *feed, struct paths *paths, const struct image *image)
{
	*feed = (struct paths_feed){.paths = paths, .image = image, .next = PATHS_UNRELATED};
}

void paths_feed_close(struct paths_feed *feed)
{
	walk_close(feed->walk);
	paths_cache_close(feed->cache);
	trace_costs_free(&feed->costs);
	free(feed->visits);
	free(feed->parts);
	free(feed->spent);
	feed->walk = NULL;
	feed->visits = NULL;
	feed->parts = NULL;
	feed->spent = NULL;
	feed->cache = NULL;
}

static int prepare_paths_feed(struct paths_feed *feed, const struct walk_config *config)
{
	if (feed->walk != NULL && walk_same(feed->walk, config))
		return PATHS_OK;
	walk_close(feed->walk);
	trace_costs_free(&feed->costs);
	feed->walk = NULL;
	return walk_open(&feed->walk, feed->image, config) == WALK_OK ? PATHS_OK : PATHS_ENOMEM;
}

static int visit_paths(void *context, const struct walk_visit *v)
{
	struct paths_feed *feed = context;
	feed->error = paths_visit(feed->paths, v);
	feed->insns += v->count * feed->times;
	return feed->error;
}

/* 1: it cannot be walked to its end, *why says why. */
static int walk_one(struct paths_feed *feed, const struct record *record, uint64_t times, int *why)
{
	uint64_t at;
	bool costs = feed->costs.core != NULL;
	feed->times = times;
	feed->visit_count = feed->visit_insns = 0;
	int error = walk_record(feed->walk, record, costs ? feed_cycles_keep : visit_paths, feed, &at);
	*why = error;
	if (error == WALK_ENOMEM || error == WALK_ESTOPPED ||
	    (costs && feed_cycles_visit(feed, record, error) != PATHS_OK))
		return PATHS_ENOMEM;
	feed->unknown += error == WALK_UNKNOWN_END ? times : 0;
	if (error < 0) {
		if (feed->failed == 0) {
			feed->at = at;
			feed->walk_error = error;
		}
		feed->failed += times;
		feed->failed_insns += record->insns * times;
	}
	return error < 0 ? 1 : PATHS_OK;
}

int paths_feed_times(struct paths_feed *feed, const struct record *r, const struct walk_config *config, uint64_t times)
{
	int why, error = prepare_paths_feed(feed, config);
	feed->records += times;
	if (error == PATHS_OK && feed->costs.core != NULL)
		error = feed_cycles_begin(feed, r);
	for (uint64_t i = 0; i < r->count && error == PATHS_OK; i++) {
		error = paths_begin(feed->paths, feed->next, times);
		if (error != PATHS_OK)
			return error;
		feed->traces += times;
		error = walk_one(feed, r, times, &why);
		if (error == 1) {
			/* a jump to an unknown target (NO_INDIRECT): something was left out; else nothing is sure */
			feed->next = why == WALK_ETARGET ? PATHS_RESUMES : PATHS_UNRELATED;
			error = PATHS_OK;
			if (why == WALK_EENDLESS) { /* nor will it end the next time */
				uint64_t rest = (r->count - 1 - i) * times;
				feed->traces += rest;
				feed->failed += rest;
				feed->failed_insns += r->insns * rest;
				break;
			}
		} else if (record_reason_behind(r->reason) == RECORD_HANDLER)
			feed->next = (config->ctrl & RV_CTRL_HANDLERS_MASK) != 0 ? PATHS_INTERRUPTS : PATHS_RESUMES;
		else
			feed->next =
			    record_reason_behind(r->reason) == RECORD_ELSEWHERE ? PATHS_RESUMES : PATHS_FOLLOWS;
	}
	return error;
}

int paths_feed_record(
    struct paths_feed *feed, const struct record *r, const struct walk_config *config, uint64_t missing)
{
	feed->missing += missing;
	if (missing > 0)
		feed->next = PATHS_UNRELATED;
	return paths_feed_times(feed, r, config, 1);
}

int paths_feed_profile(struct paths_feed *feed, const struct profile *profile)
{
	const struct walk_config config = {.hist = (unsigned)profile->header.hist,
	    .ctrl = (uint32_t)profile->header.ctrl,
	    .insn_bits = INSN_BITS_USUAL};
	const struct record **entries;
	if (profile_sort(profile, PROFILE_BY_START, &entries) != PROFILE_OK)
		return PATHS_ENOMEM;
	feed->costs.core = NULL; /* what was before an entry is not known */
	int why, error = prepare_paths_feed(feed, &config);
	for (size_t i = 0; i < profile->used && error == PATHS_OK; i++) {
		const struct record *e = entries[i];
		if (e->count == 0)
			continue;
		feed->records++;
		feed->traces += e->count;
		error = paths_begin(feed->paths, PATHS_UNRELATED, e->count);
		if (error == PATHS_OK)
			error = walk_one(feed, e, e->count, &why);
		if (error >= 0)
			error = paths_record_end(feed->paths);
	}
	free(entries);
	return error;
}
