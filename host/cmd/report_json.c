/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The report as JSON; docs/rivulet.md describes every member. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "host/cmd/not_traced.h"
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
static const char *const exits[] = {[ACCOUNT_FALLS] = "falls",
    [ACCOUNT_BRANCHES] = "branch",
    [ACCOUNT_JUMPS] = "jump",
    [ACCOUNT_CALLS] = "call",
    [ACCOUNT_RETURNS] = "return",
    [ACCOUNT_GOES_INDIRECT] = "indirect"};

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
	for (size_t i = 0; i < counted->unfinished_count; i++)
		put_unfinished(j, counted, &counted->unfinished[i]);
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

static void put_path(struct json *j, const struct path *path)
{
	json_array(j, "functions");
	for (size_t i = 0; i < path->function_count; i++)
		json_text(j, NULL, path->functions[i]);
	json_array_end(j);
	json_array(j, "lines");
	for (size_t i = 0; i < path->line_count; i++) {
		json_line(j, NULL);
		json_text(j, "file", path->lines[i].file);
		json_number(j, "first", path->lines[i].first);
		json_number(j, "last", path->lines[i].last);
		json_object_end(j);
	}
	json_array_end(j);
	json_array(j, "blocks");
	for (size_t i = 0; i < path->piece_count; i++) {
		const struct path_piece *piece = &path->pieces[i];
		json_line(j, NULL);
		json_hex(j, "start", piece->start, 8);
		json_number(j, "instructions", piece->count);
		if (piece->outcome >= 0)
			json_bool(j, "taken", piece->outcome == 1);
		json_object_end(j);
	}
	json_array_end(j);
}

static int put_traces(struct json *j, const struct report *r)
{
	const struct account *a = report_account(r);
	struct report_trace *traces;
	size_t count;
	double sum = 0;
	int status = report_sort(r, &traces, &count), error = WALK_OK;
	if (status == STATUS_OK)
		json_number(j, "rows_passing", count);
	json_array(j, "rows");
	for (size_t i = 0; i < count && i < r->top && status == STATUS_OK; i++) {
		const struct record *entry = traces[i].entry;
		struct path path;
		error = path_make(&path, r->profiled->walk, entry);
		if (error == WALK_OK)
			error = path_places(&path, r->profiled->image);
		double share = (double)entry->count / (double)a->all.count;
		sum += share;
		json_object(j, NULL);
		json_hex(j, "start", entry->start, 8);
		json_hex(j, "history", entry->hist, 0);
		json_text(j, "ended_by", entry->reason == 0 ? NULL : record_reason_name(entry->reason));
		json_number(j, "count", entry->count);
		json_real(j, "share", share);
		json_real(j, "error", account_count_error(a, entry->count));
		json_real(j, "sum", sum);
		json_real(j, "cycles", profile_cycles(entry));
		json_real(j, "cycles_each", entry->timed > 0 ? (double)entry->cycles / (double)entry->timed : NAN);
		json_number(j, "instructions_each", path.insns);
		json_text(j, "problem", path.error == WALK_OK ? NULL : walk_strerror(path.error));
		put_path(j, &path);
		json_object_end(j);
		path_free(&path);
		if (error != WALK_OK) {
			complain("out of memory");
			status = STATUS_FAILED;
		}
	}
	json_array_end(j);
	free(traces);
	return status;
}

static void put_special(struct json *j, const struct report *r, const struct account_row *row)
{
	const struct account *a = report_account(r);
	if (r->by == ACCOUNT_BY_FUNCTION) {
		json_number(j, "inclusive_instructions", row->inclusive_insns);
		json_number(j, "inclusive_cycles", row->inclusive_cycles);
		json_number(j, "calls_seen", a->functions[row->row].callers);
		if (a->exact_calls) {
			json_number(j, "calls", row->calls);
			json_number(j, "recursive_calls", row->recursive);
			json_number(j, "depth", a->functions[row->row].depth);
		}
	} else if (r->by == ACCOUNT_BY_INLINED) {
		const struct account_inlined *inlined = &a->inlined[row->row];
		const struct account_function *in = &a->functions[inlined->function];
		json_text(j, "inlined_in", inlined->inlined ? function_name(in->name, in->start) : NULL);
	} else if (r->by == ACCOUNT_BY_BLOCK) {
		const struct account_block *block = &a->blocks[row->row];
		const struct account_insn *last = &a->insns[block->insn + block->insn_count - 1];
		json_text(j, "exit", exits[block->exit]);
		if (block->exit == ACCOUNT_BRANCHES) {
			json_number(j, "taken", last->taken);
			json_number(j, "not_taken", last->count - last->taken - last->unknown);
		}
	} else if (r->by == ACCOUNT_BY_PATH) {
		const struct account_path *path = &a->paths[row->row];
		json_number(j, "length", path->length);
		json_array(j, "blocks");
		for (uint32_t i = 0; i < path->length; i++) {
			const struct account_insn *insn = &a->insns[a->path_insns[path->at + i]];
			if (i == 0 || a->blocks[insn->block].start == insn->pc)
				json_hex(j, NULL, insn->pc, 8);
		}
		json_array_end(j);
	} else if (r->by == ACCOUNT_BY_CALL) {
		const struct account_call *call = &a->calls[row->row];
		json_text(j, "callee", row->callee);
		if (call->callee == ACCOUNT_NOWHERE)
			json_null(j, "callee_address");
		else
			json_hex(j, "callee_address", call->callee, 8);
		json_bool(j, "tail_call", call->kind == ACCOUNT_TAIL_CALL);
		json_bool(j, "trap", call->kind == ACCOUNT_TRAP_CALL);
		if (a->extremes) {
			json_number(j, "least_cycles", call->least);
			json_number(j, "most_cycles", call->most);
			const struct account_function *callee =
			    call->callee_row == ACCOUNT_NONE ? NULL : &a->functions[call->callee_row];
			json_number(j, "callee_self_least", callee == NULL ? 0 : callee->least);
			json_number(j, "callee_self_most", callee == NULL ? 0 : callee->most);
		}
	}
}

static int put_rows(struct json *j, const struct report *r)
{
	struct account_row *rows;
	size_t count;
	double sum = 0;
	enum account_order order = r->order >= 0              ? (enum account_order)r->order
				   : r->by == ACCOUNT_BY_CALL ? ACCOUNT_BY_COUNT
							      : ACCOUNT_BY_MEASURE;
	if (account_rows(report_account(r), r->profiled->image, (enum account_by)r->by, &r->filter, order, &rows,
		&count) != ACCOUNT_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	json_number(j, "rows_passing", count);
	json_array(j, "rows");
	for (size_t i = 0; i < count && i < r->top; i++) {
		const struct account_row *row = &rows[i];
		sum += row->share;
		json_object(j, NULL);
		json_text(j, "function", row->name);
		json_text(j, "file", row->file);
		json_number(j, "line", row->line);
		json_hex(j, "address", row->address, 8);
		json_hex(j, "last", row->last, 8);
		json_number(j, "count", row->sum.count);
		json_number(j, "instructions", row->sum.insns);
		json_number(j, "cycles", row->sum.cycles);
		json_real(j, "share", row->share);
		json_real(j, "error", row->error < 0 ? NAN : row->error);
		json_real(j, "sum", sum);
		put_special(j, r, row);
		json_object_end(j);
	}
	json_array_end(j);
	free(rows);
	return STATUS_OK;
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
	put_account(j, r);
	if (r->profiled->counted == NULL) {
		struct remainder remainder;
		remainder_profiled(&remainder, r->profiled);
		json_not_traced(j, &remainder);
	}
	json_real(j, "overlap", r->overlap);
	json_real(j, "overhead", r->overhead);
	json_text(j, "by", r->by == REPORT_TRACES ? "trace" : by_names[r->by]);
	if (r->profiled->loaded.profile.total == 0) {
		json_number(j, "rows_passing", 0);
		json_array(j, "rows");
		json_array_end(j);
	} else
		status = r->by == REPORT_TRACES ? put_traces(j, r) : put_rows(j, r);
	finish_json(j);
	return status;
}
