/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where `rivulet paths` takes its records from. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/base/order.h"
#include "host/cmd/counters.h"
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/paths.h"
#include "host/cmd/profiled.h"
#include "host/cmd/stream.h"
#include "host/insert/counted_graph.h"
#include "host/insert/counted_paths.h"
#include "host/insert/insert.h"

/* ---------------------------------------------------------------- profiles */

static int compare_gains(const void *a, const void *b)
{
	const struct paths_entry *x = a, *y = b;
	return order_then(ORDER_UP(x->function, y->function), ORDER_UP(x->number, y->number));
}

/* What each path gained, by its number. */
static int take_gains(struct source *s, const struct counted *counted)
{
	s->metric = counted->metric;
	s->gains = calloc(counted->path_count + 1, sizeof *s->gains);
	if (s->gains == NULL)
		return PATHS_ENOMEM;
	for (size_t i = 0; i < counted->path_count; i++) {
		const struct counted_path *p = &counted->paths[i];
		s->gains[s->gain_count++] = (struct paths_entry){
		    .function = s->graph->function_of[p->function], .number = p->number, .count = p->metric};
	}
	qsort(s->gains, s->gain_count, sizeof *s->gains, compare_gains);
	return PATHS_OK;
}

/* Counters, by the numbers of the map, on its own graph. */
static int give_counted(struct source *s, const struct source_options *o, const struct counted *counted)
{
	paths_close(s->paths);
	s->paths = NULL;
	s->graph = calloc(1, sizeof *s->graph);
	if (s->graph == NULL || counted_graph_open(s->graph, counted, o->cfg) != COUNTED_OK ||
	    paths_open_numbered(&s->paths, &s->graph->cfg, s->graph->numberings) != PATHS_OK)
		return PATHS_ENOMEM;
	s->cfg = &s->graph->cfg;
	s->feed.paths = s->paths;
	int error = counted_graph_give(s->graph, counted, s->paths);
	return error == PATHS_OK && counted->metric != 0 ? take_gains(s, counted) : error;
}

/* The same on the program's graph, to be compared with records. */
static int give_to_own_graph(
    struct source *s, const struct source_options *o, const struct counted *counted, int *status)
{
	uint64_t unknown = 0;
	int error = counted_give(counted, s->paths, &unknown);
	if (error != PATHS_OK || unknown == 0)
		return error;
	complain("%s: %s executions of paths run through code that %s has no graph of", s->name, with_commas(unknown),
	    o->program);
	*status = STATUS_NO;
	return error;
}

/* Counters of inserted code. */
static int read_counters(struct source *s, const struct source_options *o, const struct profile *profile)
{
	int status;
	if (profile->header.ctrl != INSERT_PATHS) {
		complain("%s: has counters of %s; paths are counted by rivulet insert --paths", s->name,
		    insert_mode_name((unsigned)profile->header.ctrl));
		return STATUS_FAILED;
	}
	if (o->rules != NULL) {
		complain("%s: --core is for records, and with --regions for counters of regions: these have no cycles",
		    s->name);
		return STATUS_FAILED;
	}
	if (o->limit != 0 && !o->own_graph) {
		complain("%s: --limit is for records: these paths have the numbers by which they were counted "
			 "(rivulet cc --limit)",
		    s->name);
		return STATUS_FAILED;
	}
	struct counted *counted =
	    open_counters(profile, s->name, o->ran, o->image != o->ran ? o->image : NULL, &status);
	if (counted == NULL)
		return STATUS_FAILED;
	if (counted->edited) {
		complain(
		    "%s: has the counters in its code, and its graph is another one than that of the unedited program: "
		    "give the twin (PROGRAM.twin, which rivulet cc links with it; or rivulet insert --map)",
		    o->program);
		counted_close(counted);
		return STATUS_FAILED;
	}
	s->ordered = true;
	s->counted_functions = counted->functions;
	shown_by_counters(&s->counted, counted->image, counted);
	for (size_t i = 0; i < counted->path_count; i++)
		s->feed.traces += counted->paths[i].count;
	if ((o->own_graph ? give_to_own_graph(s, o, counted, &status) : give_counted(s, o, counted)) != PATHS_OK) {
		complain("%s: out of memory", s->name);
		status = STATUS_FAILED;
	}
	counted_close(counted);
	return status;
}

uint64_t source_gain(const struct source *s, const struct paths_entry *entry)
{
	size_t low;
	ORDER_FIRST(low, 0, s->gain_count,
	    s->gains[low].function < entry->function ||
		(s->gains[low].function == entry->function && s->gains[low].number < entry->number));
	bool found = low < s->gain_count && paths_whole(entry) && s->gains[low].function == entry->function &&
		     s->gains[low].number == entry->number;
	return found ? s->gains[low].count : UINT64_MAX;
}

static int read_profile(struct source *s, const struct source_options *o)
{
	struct loaded loaded;
	uint32_t build;
	int status = load_profile(&loaded, s->name);
	s->ordered = false;
	if (status == STATUS_NO && o->partial)
		status = STATUS_OK;
	if (status != STATUS_FAILED && !loaded.profile.has_header) {
		complain("%s: has no header, so it is not known how the traces were formed", s->name);
		status = STATUS_FAILED;
	}
	s->damaged = !loaded.whole;
	s->head.has_header = loaded.profile.has_header;
	s->head.has_end = loaded.profile.has_end;
	s->head.header = loaded.profile.header;
	s->head.end = loaded.profile.end;
	if (status != STATUS_FAILED && is_counters(&loaded.profile)) {
		s->counters = true;
		int one = read_counters(s, o, &loaded.profile);
		status = one > status ? one : status;
		free_profile(&loaded);
		return status;
	}
	if (status != STATUS_FAILED && image_build(o->image, &build, NULL, 0) == IMAGE_OK &&
	    build != loaded.profile.header.build) {
		complain("%s: is of build %08" PRIx32 ", but %s is build %08" PRIx32 "%s", s->name,
		    loaded.profile.header.build, o->program, build,
		    o->force ? ": used because of --force"
			     : ": give the program that ran, or --force to use it nevertheless");
		status = o->force ? STATUS_NO : STATUS_FAILED;
	}
	if (status != STATUS_FAILED) {
		s->period = (double)loaded.profile.header.period;
		if (check_dropped(s->name, &loaded.profile, o->partial) != STATUS_OK)
			status = STATUS_NO;
		if (paths_feed_profile(&s->feed, &loaded.profile) != PATHS_OK) {
			complain("%s: out of memory", s->name);
			status = STATUS_FAILED;
		}
	}
	free_profile(&loaded);
	return status;
}

static const char *take_paths_record(void *context, const struct record *record, const struct record_place *place,
    const struct walk_config *config, uint64_t missing)
{
	struct source *s = context;
	(void)place;
	s->config = *config;
	if (s->whole != NULL && profile_add(s->whole, record) != PROFILE_OK)
		return "the records cannot be added up";
	return paths_feed_record(&s->feed, record, config, missing) == PATHS_OK ? NULL : "out of memory";
}

static const char *take_paths_block(
    void *context, const struct records_block *block, const struct walk_config *config, uint64_t *expected)
{
	struct source *s = context;
	s->config = *config;
	for (uint32_t i = 0; i < block->count && s->whole != NULL; i++) {
		struct record record = block->keys[block->key[i]];
		record.count = record.timed = block->repeat[i];
		record.cycles = block->cycles[i];
		if (profile_add(s->whole, &record) != PROFILE_OK)
			return "the records cannot be added up";
	}
	uint64_t missing = block->first - *expected;
	*expected = block->first + block->count;
	return paths_feed_block(&s->feed, block, config, missing) == PATHS_OK ? NULL : "out of memory";
}

bool paths_timed(const struct source *s)
{
	return s->ordered && s->feed.timed > 0;
}

static int open_any(struct source *s, const char *text, const struct source_options *o)
{
	if (!is_stream(text))
		return read_profile(s, o);
	struct stream stream = {.name = text,
	    .program = o->program,
	    .image = o->image,
	    .partial = o->partial,
	    .force = o->force,
	    .quiet = o->quiet,
	    .take = take_paths_record,
	    .take_block = take_paths_block,
	    .context = s,
	    .head = &s->head};
	int status = read_stream(&stream);
	s->damaged = stream.damaged;
	s->counters = is_trace(text);
	if (s->counters)
		shown_by_counters(&s->counted, o->image, NULL);
	if (paths_feed_settle(&s->feed) != PATHS_OK) {
		complain("%s: out of memory", s->name);
		return STATUS_FAILED;
	}
	return status;
}

void source_remainder(const struct source *s, struct remainder *r)
{
	static const struct paths_counts none; /* counters of regions */
	const struct paths_counts *c = s->paths == NULL ? &none : paths_counts(s->paths);
	struct remainder_shown shown = {.insns = c->insns,
	    .cycles = c->spent,
	    .timed = paths_timed(s),
	    .unfit = s->feed.failed,
	    .unfit_insns = s->feed.failed_insns,
	    .unfit_cycles = s->feed.lost_cycles,
	    .cut = s->feed.unknown,
	    .damaged = s->damaged};
	if (s->counters) {
		shown = s->counted;
		shown.insns = s->paths == NULL ? shown.insns : c->insns;
		shown.damaged = s->damaged;
	}
	remainder_find(r, &s->head, &shown);
}

int source_open(struct source *s, const char *text, const struct source_options *o)
{
	*s = (struct source){.name = text, .cfg = o->cfg, .ordered = true, .period = 1, .status = STATUS_OK};
	if (paths_open(&s->paths, o->cfg, o->limit) != PATHS_OK) {
		complain("%s: out of memory for its paths", o->program);
		return STATUS_FAILED;
	}
	paths_feed_open(&s->feed, s->paths, o->image);
	if (o->core != NULL)
		s->core = *o->core;
	else
		core_default(&s->core);
	if (!is_untimed_file(text)) /* else there are no cycles that its rules could share out */
		paths_feed_cycles(&s->feed, &s->core);
	s->whole = o->whole;
	if (o->opened != NULL && o->opened(o->context, s->paths) != STATUS_OK)
		return STATUS_FAILED;
	int status = open_any(s, text, o);
	if (status == STATUS_FAILED)
		return status;
	if (s->feed.failed > 0) {
		if (!o->quiet)
			complain("%s: %s of %s traces do not fit the program (the first at 0x%08" PRIx64 ": %s)", text,
			    with_commas(s->feed.failed), with_commas(s->feed.traces), s->feed.at,
			    walk_strerror(s->feed.walk_error));
		status = STATUS_NO;
	}
	if (paths_finish(s->paths) != PATHS_OK || paths_list(s->paths, &s->entries, &s->count) != PATHS_OK ||
	    survey_make(&s->survey, s->paths, s->entries, s->count) != PATHS_OK) {
		complain("%s: out of memory for its paths", text);
		return STATUS_FAILED;
	}
	s->status = status;
	return status;
}

void source_close(struct source *s)
{
	survey_free(&s->survey);
	free(s->gains);
	free(s->entries);
	paths_feed_close(&s->feed);
	paths_close(s->paths);
	if (s->graph != NULL)
		counted_graph_close(s->graph);
	free(s->graph);
	*s = (struct source){0};
}

uint32_t *paths_blocks(const struct source *s, const struct paths_entry *entry, size_t *length, uint32_t *exit)
{
	size_t room = (size_t)s->cfg->functions[entry->function].block_count + 1;
	uint32_t *blocks = malloc(room * sizeof *blocks);
	if (blocks == NULL || paths_edges(s->paths, entry, blocks + 1, room - 1, length, exit) != NUMBERING_OK) {
		free(blocks);
		return NULL;
	}
	blocks[0] = entry->from;
	for (size_t i = 0; i < *length; i++)
		blocks[i + 1] = s->cfg->edges[blocks[i + 1]].to;
	size_t kept = 0;
	for (size_t i = 0; i <= *length; i++) {
		if (s->graph == NULL || s->cfg->blocks[blocks[i]].insns > 0) /* a table's vertex has none */
			blocks[kept++] = blocks[i];
	}
	*length = kept;
	return blocks;
}
