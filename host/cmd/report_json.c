/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The report as JSON; docs/rivulet.md describes every member. */
#include <inttypes.h>
#include "host/cmd/not_traced.h"
#include "host/cmd/harts.h"
#include "host/cmd/report.h"
#include "host/cmd/profiled.h"
#include "host/insert/insert.h"
#include "model/trace.h"

#define VERSION 1

static const char *const by_names[] = {[ACCOUNT_BY_FUNCTION] = "function",
    [ACCOUNT_BY_INLINED] = "inlined",
    [ACCOUNT_BY_LINE] = "line",
    [ACCOUNT_BY_BLOCK] = "block",
    [ACCOUNT_BY_PATH] = "path",
    [ACCOUNT_BY_CLASS] = "class",
    [ACCOUNT_BY_CALL] = "call"};
/* A path that did not end: where it stopped, and the blocks that it had come through. */
static void put_unfinished(struct json *j, const struct counted *c, const struct counted_unfinished *u)
{
	const struct map_function *f = &c->map->functions[u->path.function];
	uint32_t b = u->path.first;
	json_line(j, NULL);
	json_text(j, "function", f->name);
	json_hex(j, "stop", u->stop, 8);
	json_number(j, "count", u->path.count);
	json_number(j, "one_of", u->one_of);
	json_array(j, "blocks");
	for (uint32_t i = 0; i <= u->path.length; i++) {
		if (c->map->blocks[b].run_count > 0)
			json_hex(j, NULL, i == 0 && u->from != 0 ? u->from : c->map->blocks[b].first, 8);
		if (i < u->path.length)
			b = f->blocks + c->map->edges[c->path_edges[u->path.edges + i]].to;
	}
	json_array_end(j);
	json_object_end(j);
}

/* Of inserted counters: what they count, and which functions have none. */
static void put_counters(struct json *j, const struct counted *counted)
{
	if (counted == NULL)
		return;
	json_object(j, "counters");
	json_text(j, "of", insert_mode_name(counted->mode));
	json_number(j, "functions", counted->functions);
	json_number(j, "unknown_prefixes", counted->unknown_prefixes);
	json_number(j, "missing_at_most", counted->few_at_most);
	json_number(j, "too_many_at_most", counted->many_at_most);
	json_number(j, "unbounded_prefixes", counted->no_bounds);
	json_number(j, "missing_at_begin", counted->begin_at_most);
	json_number(j, "lost_calls", counted->lost_stacks);
	json_array(j, "without");
	for (size_t i = 0; i < counted->map->function_count; i++) {
		const struct map_function *f = &counted->map->functions[i];
		const char *name = image_function(counted->image, f->address, NULL);
		if (f->address != 0 && (f->flags & MAP_COUNTED) == 0)
			json_text(j, NULL, name != NULL ? name : f->name);
	}
	json_array_end(j);
	json_array(j, "unfinished");
	for (size_t i = 0; i < counted->stop_count; i++) {
		const struct counted_stop *stop = &counted->stops[i];
		if (stop->function == GRAPH_NONE || stop->back)
			continue;
		json_line(j, NULL);
		json_text(j, "function", counted->map->functions[stop->function].name);
		json_hex(j, "address", stop->address, 8);
		json_number(j, "count", stop->count);
		json_object_end(j);
	}
	json_array_end(j);
	json_array(j, "unfinished_paths");
	for (size_t i = 0; i < counted->unfinished_count; i++) {
		if (counted->unfinished[i].stop == 0) /* a child of fork() ended it */
			continue;
		put_unfinished(j, counted, &counted->unfinished[i]);
	}
	json_array_end(j);
	json_object_end(j);
}

static void put_header(struct json *j, const struct report *r)
{
	const struct profile *p = &r->profiled->loaded.profile;
	const struct profile_header *h = &p->header;
	put_counters(j, r->profiled->counted);
	if (p->has_header) {
		json_object(j, "header");
		json_text(j, "application", h->name);
		json_hex(j, "build", h->build, 8);
		json_text(j, "source", profile_source_name(h->source));
		json_text(j, "way", run_way_name(h->way));
		json_number(j, "period", h->period);
		json_number(j, "dither", h->dither);
		json_number(j, "history_bits", h->hist);
		json_hex(j, "ctrl", h->ctrl, 8);
		json_object_end(j);
	} else
		json_null(j, "header");
	if (p->has_end) {
		const struct profile_end *e = &p->end;
		json_object(j, "run");
		json_number(j, "cycles", e->cycles);
		json_number(j, "instructions", e->instructions);
		json_number(j, "handler_cycles", e->handler_cycles);
		json_number(j, "interrupts", e->interrupts);
		json_number(j, "dropped", e->dropped);
		json_number(j, "lost", e->lost);
		json_text(j, "cut_short", profile_cut_short(e->ending));
		json_object_end(j);
	} else
		json_null(j, "run");
}

static void put_sum(struct json *j, const char *name, uint64_t paths, const struct account_sum *sum)
{
	json_line(j, name);
	if (paths != UINT64_MAX)
		json_number(j, "entries", paths);
	json_number(j, "traces", sum->count);
	json_number(j, "instructions", sum->insns);
	json_number(j, "cycles", sum->cycles);
	json_object_end(j);
}

static void put_unaccounted(struct json *j, const char *name, const struct account_unaccounted *u, uint64_t cycles)
{
	json_line(j, name);
	json_number(j, "entries", u->paths);
	json_number(j, "traces", u->count);
	json_number(j, "cycles", cycles);
	json_object_end(j);
}

static void put_account(struct json *j, const struct report *r)
{
	static const struct account none = {.period = 1};
	const struct account *a = report_account(r) == NULL ? &none : report_account(r);
	json_bool(j, "sampled", a->sampled);
	json_real(j, "scale", a->period);
	json_text(j, "measure", a->timed ? "cycles" : "instructions");
	json_text(j, "cycles_by", r->weights == ACCOUNT_EQUAL ? "equal" : "cost");
	put_sum(j, "all", r->profiled->loaded.profile.used, &a->all);
	put_sum(j, "accounted", UINT64_MAX, &a->accounted);
	put_unaccounted(j, "unaccounted", &a->unaccounted, a->unaccounted.cycles - a->cut.cycles);
	put_unaccounted(j, "cut", &a->cut, a->cut.cycles);
	json_number(j, "unmeasured", a->unmeasured);
}

int report_json(const struct report *r)
{
	struct json json, *j = &json;
	int status = STATUS_OK;
	json_open(j, stdout);
	json_text(j, "rivulet", "report");
	json_number(j, "version", VERSION);
	json_text(j, "program", r->profiled->program);
	json_text(j, "profile", shown_path(r->profiled->file));
	json_bool(j, "whole", r->profiled->loaded.whole);
	put_header(j, r);
	json_harts(j, &r->profiled->loaded);
	put_account(j, r);
	struct remainder remainder;
	remainder_profiled(&remainder, r->profiled);
	json_not_traced(j, &remainder);
	if (profile_is_part(&r->profiled->loaded.profile)) {
		const struct profile *p = &r->profiled->loaded.profile;
		json_object(j, "part");
		json_number(j, "switched_off", p->end.offs);
		if (profile_on_share(p) >= 0)
			json_real(j, "on_share", profile_on_share(p));
		json_object_end(j);
	}
	json_real(j, "overlap", r->overlap);
	json_real(j, "overhead", r->overhead);
	json_text(j, "by", r->by == REPORT_TRACES ? "trace" : by_names[r->by]);
	if (r->profiled->loaded.profile.total == 0) {
		json_number(j, "rows_passing", 0);
		json_array(j, "rows");
		json_array_end(j);
	} else
		status = (r->by == REPORT_TRACES ? report_traces : report_code)(r, j);
	finish_json(j);
	return status;
}
