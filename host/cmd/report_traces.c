/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The table of hot traces. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/report.h"
#include "model/trace.h"

struct search {
	const struct report *report;
	bool found;
	uint32_t insns;
};

static int look(void *context, const struct walk_visit *visit)
{
	struct search *search = context;
	const struct report *r = search->report;
	uint64_t starts = visit->block->starts;
	search->insns += visit->count;
	for (uint32_t k = 0; k < visit->count && !search->found; k++, starts &= starts - 1)
		search->found = account_passes(
		    &r->filter, r->profiled->image, visit->block->start + 2 * (uint32_t)__builtin_ctzll(starts));
	return 0;
}

static int by_insns(const void *a, const void *b)
{
	const struct report_trace *x = a, *y = b;
	if (x->insns != y->insns)
		return x->insns < y->insns ? 1 : -1;
	if (x->entry->start != y->entry->start)
		return x->entry->start < y->entry->start ? -1 : 1;
	return x->entry->hist < y->entry->hist ? -1 : x->entry->hist > y->entry->hist;
}

int report_sort(const struct report *r, struct report_trace **traces, size_t *count)
{
	const struct profile *profile = &r->profiled->loaded.profile;
	const struct record **sorted = NULL;
	const bool any =
	    r->filter.function == NULL && r->filter.file == NULL && r->filter.last == 0 && !r->filter.addressed;
	bool timed = report_account(r) != NULL && report_account(r)->timed;
	enum profile_order order = r->order == ACCOUNT_BY_CYCLES || (r->order == ACCOUNT_BY_MEASURE && timed)
				       ? PROFILE_BY_CYCLES
				   : r->order == ACCOUNT_BY_ADDRESS || r->order == ACCOUNT_BY_NAME ? PROFILE_BY_START
												   : PROFILE_BY_COUNT;
	*count = 0;
	*traces = calloc(profile->used + 1, sizeof **traces);
	if (*traces == NULL || profile_sort(profile, order, &sorted) != PROFILE_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < profile->used && profile->total > 0; i++) {
		const struct record *entry = sorted[i];
		struct search search = {.report = r, .found = any};
		if ((double)entry->count < r->filter.min_share * (double)profile->total)
			continue;
		if (!any || r->order == ACCOUNT_BY_INSNS || r->profiled->counted != NULL)
			(void)walk_record(r->profiled->walk, entry, look, &search, NULL);
		if (search.found)
			(*traces)[(*count)++] = (struct report_trace){entry, entry->count * search.insns};
	}
	if (r->order == ACCOUNT_BY_INSNS)
		qsort(*traces, *count, sizeof **traces, by_insns);
	free(sorted);
	return STATUS_OK;
}

/* The parts in which the reports differ. */
struct columns {
	const struct report *report;
	int count;     /* width */
	bool error;    /* there is a column of errors */
	bool cycles;   /* sorted by them: the first share is theirs, the second that of the counts */
	bool counters; /* stretches of code between calls: what counts is their instructions, and they end at calls */
};

static double count_share(const struct account *a, const struct record *entry)
{
	return (double)entry->count / (double)a->all.count;
}

static double cycle_share(const struct account *a, const struct record *entry)
{
	return a->all.cycles > 0 ? profile_cycles(entry) / (double)a->all.cycles : 0;
}

static double share_of(const struct columns *columns, const struct report_trace *trace)
{
	const struct account *a = report_account(columns->report);
	if (columns->counters && !columns->cycles)
		return a->accounted.insns > 0 ? (double)trace->insns / (double)a->accounted.insns : 0;
	return columns->cycles ? cycle_share(a, trace->entry) : count_share(a, trace->entry);
}

/* Cycles of all executions and of each, if there are any, and why the trace ended. */
static void print_cycles(const struct columns *columns, const struct path *path, bool narrow)
{
	const struct report *r = columns->report;
	const struct account *a = report_account(r);
	const struct record *entry = path->entry;
	if (a->timed)
		printf(" %8s", with_unit(profile_cycles(entry) * a->period));
	if (a->timed && !narrow)
		printf(" %6.2f%%", 100 * (columns->cycles ? count_share(a, entry) : cycle_share(a, entry)));
	if (a->timed)
		printf(" %7.1f", entry->timed > 0 ? (double)entry->cycles / (double)entry->timed : 0);
	printf(" %5" PRIu32 "%s", path->insns, path->error == WALK_UNKNOWN_END ? "+" : " ");
	if (!columns->counters)
		printf(" %-8s", record_reason_name(entry->reason));
}

static size_t used_width(const struct columns *columns, bool narrow)
{
	const bool timed = report_account(columns->report)->timed;
	return (size_t)((narrow ? 23 : 31) + columns->count + (columns->error ? 6 : 0) + (columns->counters ? 0 : 9) +
			(timed ? narrow ? 17 : 25 : 0));
}

static void print_row(const struct columns *columns, const struct path *path, size_t rank, double share, double sum)
{
	const struct report *r = columns->report;
	const struct account *a = report_account(r);
	const struct record *entry = path->entry;
	const struct style *s = r->style;
	bool narrow = report_width(r) < LINE_WIDTH; /* on a terminal: without what the others say too */
	struct line functions = {.width = report_width(r) - used_width(columns, narrow)},
		    lines = {.width = report_width(r) - 6};
	double counts = count_share(a, entry);
	printf("%s%4zu%s %6.2f%%", s->bold, rank, s->off, 100 * share);
	if (columns
		->error) /* the profile has the mean of a path's cycles only: their share is as uncertain as the count */
		printf(" %5s", error_text(account_count_error(a, entry->count) * (counts > 0 ? share / counts : 1)));
	if (!narrow)
		printf(" %6.2f%%", 100 * sum);
	printf(" %*s", columns->count, with_commas(entry->count));
	print_cycles(columns, path, narrow);
	printf("  ");
	report_functions(path, &functions);
	printf("%s%s%s\n", s->bold, functions.text, s->off);
	if (path->error < 0)
		printf("      does not fit the program: %s, at 0x%08" PRIx64 "\n      (start 0x%" PRIx64
		       ", history 0x%" PRIx64 ")\n",
		    walk_strerror(path->error), path->at, entry->start, entry->hist);
	report_lines(path, &lines);
	if (lines.length > 0)
		printf("      %s%s%s\n", s->dim, lines.text, s->off);
}

static void print_head(const struct columns *columns)
{
	const struct report *r = columns->report;
	const struct account *a = report_account(r);
	const bool narrow = report_width(r) < LINE_WIDTH;
	printf("\n%s%4s %7s%s%s %*s", r->style->dim, "#", "share", columns->error ? "   +/-" : "",
	    narrow ? "" : "     sum", columns->count, a->period > 1 ? "samples" : "count");
	if (a->timed)
		printf(" %8s%s%s %7s", a->period > 1 ? "~cycles" : "cycles", narrow ? "" : " ",
		    narrow            ? ""
		    : columns->cycles ? " count%"
				      : "cycles%",
		    "each");
	printf(" %5s ", "insns");
	if (!columns->counters)
		printf(" %-8s", "ended by");
	printf("  %s%s\n", columns->counters ? "code between calls" : "functions, lines", r->style->off);
}

int report_traces(const struct report *r)
{
	const struct account *a = report_account(r);
	const struct style *s = r->style;
	struct report_trace *traces;
	size_t count;
	double sum = 0, all = 0;
	int status = report_sort(r, &traces, &count), error = status == STATUS_OK ? WALK_OK : WALK_ENOMEM;
	size_t shown = count < r->top ? count : (size_t)r->top;
	size_t disassemble = shown < r->disassemble ? shown : (size_t)r->disassemble;
	struct path *kept = calloc(disassemble + 1, sizeof *kept);
	struct columns columns = {.report = r,
	    .count = 7,
	    .error = a->sampled,
	    .cycles = a->timed && (r->order == ACCOUNT_BY_MEASURE || r->order == ACCOUNT_BY_CYCLES),
	    .counters = r->profiled->counted != NULL};
	if (kept == NULL)
		error = WALK_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		int width = (int)strlen(with_commas(traces[i].entry->count));
		if (i < shown && columns.count < width)
			columns.count = width;
		all += share_of(&columns, &traces[i]);
	}
	if (error == WALK_OK) {
		print_head(&columns);
		if (count == 0)
			printf("%s     nothing passes the filter%s\n", s->dim, s->off);
	}
	for (size_t i = 0; i < shown && error == WALK_OK; i++) {
		struct path path;
		error = path_make(&path, r->profiled->walk, traces[i].entry);
		if (error == WALK_OK)
			error = path_places(&path, r->profiled->image);
		double share = share_of(&columns, &traces[i]);
		sum += share;
		if (error == WALK_OK)
			print_row(&columns, &path, i + 1, share, sum);
		if (i < disassemble)
			kept[i] = path;
		else
			path_free(&path);
	}
	if (error == WALK_OK && shown < count)
		printf("%s     %6.2f%% in %s more%s (--top 0 shows all)%s\n", s->dim, 100 * (all - sum),
		    with_commas(count - shown), columns.counters ? "" : " paths", s->off);
	for (size_t i = 0; i < disassemble && kept != NULL; i++) {
		if (error == WALK_OK)
			report_disassembly(r, &kept[i], i + 1);
		path_free(&kept[i]);
	}
	free(kept);
	free(traces);
	if (error != WALK_OK && status == STATUS_OK)
		complain("out of memory");
	return error == WALK_OK ? STATUS_OK : STATUS_FAILED;
}
