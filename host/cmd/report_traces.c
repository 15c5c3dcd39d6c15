/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The table of hot traces. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/report.h"
#include "host/base/order.h"
#include "model/trace.h"

struct search {
	const struct report *report;
	bool found;
	uint32_t insns;
};

static int look_at_visit(void *context, const struct walk_visit *visit)
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
	return order_then(ORDER_DOWN(x->insns, y->insns),
	    order_then(ORDER_UP(x->entry->start, y->entry->start), ORDER_UP(x->entry->hist, y->entry->hist)));
}

int report_sort(const struct report *r, struct report_trace **traces, size_t *count)
{
	const struct profile *profile = &r->profiled->loaded.profile;
	const struct record **sorted = NULL;
	const bool any =
	    r->filter.function == NULL && r->filter.file == NULL && r->filter.last == 0 && !r->filter.addressed;
	bool timed = report_account(r) != NULL && report_account(r)->timed;
	enum profile_order order;
	if (r->order == ACCOUNT_BY_CYCLES || (r->order == ACCOUNT_BY_MEASURE && timed))
		order = PROFILE_BY_CYCLES;
	else if (r->order == ACCOUNT_BY_ADDRESS || r->order == ACCOUNT_BY_NAME)
		order = PROFILE_BY_START;
	else
		order = PROFILE_BY_COUNT;
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
			(void)walk_record(r->profiled->walk, entry, look_at_visit, &search, NULL);
		if (search.found)
			(*traces)[(*count)++] = (struct report_trace){entry, entry->count * search.insns};
	}
	if (r->order == ACCOUNT_BY_INSNS)
		qsort(*traces, *count, sizeof **traces, by_insns);
	free(sorted);
	return STATUS_OK;
}

/* The parts in which the reports differ. */
struct view {
	const struct report *report;
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

static double trace_share_of(const struct view *view, const struct report_trace *trace)
{
	const struct account *a = report_account(view->report);
	if (view->counters && !view->cycles)
		return a->accounted.insns > 0 ? (double)trace->insns / (double)a->accounted.insns : 0;
	return view->cycles ? cycle_share(a, trace->entry) : count_share(a, trace->entry);
}

enum {
	COLUMN_RANK,
	COLUMN_SHOWN_SHARE,
	COLUMN_ERROR,
	COLUMN_SHOWN_SUM,
	COLUMN_COUNT,
	COLUMN_CYCLES,
	COLUMN_OTHER,
	COLUMN_EACH,
	COLUMN_INSNS,
	COLUMN_ENDED,
	COLUMN_FUNCTIONS,
	COLUMN_START,
	COLUMN_HISTORY,
	COLUMN_SHARE,
	COLUMN_ERROR_KEY,
	COLUMN_SUM,
	COLUMN_PROBLEM,
	COLUMNS
};

static const struct table_column all_columns[COLUMNS] = {
    [COLUMN_RANK] = {.title = "#", .form = TABLE_PLAIN, .width = 4},
    [COLUMN_SHOWN_SHARE] = {.title = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [COLUMN_ERROR] = {.title = "+/-", .form = TABLE_REAL, .width = 5},
    [COLUMN_SHOWN_SUM] = {.title = "sum", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [COLUMN_COUNT] = {.title = "count", .key = "count", .form = TABLE_COUNT, .width = 7},
    [COLUMN_CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_ROUND, .width = 8},
    [COLUMN_OTHER] = {.title = "cycles%", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [COLUMN_EACH] = {.title = "each", .key = "cycles_each", .form = TABLE_REAL, .width = 7, .decimals = 1},
    [COLUMN_INSNS] = {.title = "insns ", .key = "instructions_each", .form = TABLE_PLAIN, .width = 6},
    [COLUMN_ENDED] = {.title = "ended by", .key = "ended_by", .form = TABLE_WORDS, .width = -8},
    [COLUMN_FUNCTIONS] =
	{.title = "functions, lines", .key = "functions", .csv_only = true, .form = TABLE_WORDS, .gap = "  "},
    [COLUMN_START] = {.key = "start", .form = TABLE_ADDRESS, .decimals = 8},
    [COLUMN_HISTORY] = {.key = "history", .form = TABLE_ADDRESS},
    [COLUMN_SHARE] = {.key = "share", .form = TABLE_SHARE},
    [COLUMN_ERROR_KEY] = {.key = "error", .form = TABLE_REAL},
    [COLUMN_SUM] = {.key = "sum", .form = TABLE_SHARE},
    [COLUMN_PROBLEM] = {.key = "problem", .form = TABLE_WORDS},
};

static void make_trace_columns(
    const struct view *view, const struct report_trace *traces, size_t shown, struct table_column *columns)
{
	const struct account *a = report_account(view->report);
	memcpy(columns, all_columns, sizeof all_columns);
	for (size_t i = 0; i < shown; i++) {
		int width = (int)strlen(with_commas(traces[i].entry->count));
		if (columns[COLUMN_COUNT].width < width)
			columns[COLUMN_COUNT].width = width;
	}
	if (a->period > 1) {
		columns[COLUMN_COUNT].title = "samples";
		columns[COLUMN_CYCLES].title = "~cycles";
	}
	if (view->cycles)
		columns[COLUMN_OTHER].title = "count%";
	if (view->counters)
		columns[COLUMN_FUNCTIONS].title = "code between calls";
}

static uint64_t hidden_trace_columns(const struct view *view)
{
	const struct account *a = report_account(view->report);
	const bool narrow = report_width(view->report) < LINE_WIDTH; /* without what the others say too */
	uint64_t hidden = 0;
	if (!a->sampled)
		hidden |= 1u << COLUMN_ERROR;
	if (narrow)
		hidden |= 1u << COLUMN_SHOWN_SUM | 1u << COLUMN_OTHER;
	if (!a->timed)
		hidden |= 1u << COLUMN_CYCLES | 1u << COLUMN_OTHER | 1u << COLUMN_EACH;
	if (view->counters)
		hidden |= 1u << COLUMN_ENDED;
	return hidden;
}

/* Below a row of text: why the trace could not be followed, and its lines. */
static void print_trace_lines(const struct report *r, const struct path *path)
{
	struct line lines = {.width = report_width(r) - 6};
	if (path->error < 0)
		printf("      does not fit the program: %s, at 0x%08" PRIx64 "\n      (start 0x%" PRIx64
		       ", history 0x%" PRIx64 ")\n",
		    walk_strerror(path->error), path->at, path->entry->start, path->entry->hist);
	report_lines(path, &lines);
	if (lines.length > 0)
		printf("      %s%s%s\n", r->style->dim, lines.text, r->style->off);
}

/* What stands in the row and is JSON's alone. */
static void put_trace_path(struct json *j, const struct path *path)
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

struct sums { /* up to a row: of the shares that people see, of those of the counts */
	double shown, counts;
};

static void put_trace_row(const struct view *view, const struct table *table, const struct report_trace *trace,
    const struct path *path, size_t rank, const struct sums *sums)
{
	const struct report *r = view->report;
	const struct account *a = report_account(r);
	const struct record *entry = path->entry;
	const double counts = count_share(a, entry), share = trace_share_of(view, trace),
		     error = account_count_error(a, entry->count);
	struct line functions = {.width = table_room(table)};
	char insns[24];
	snprintf(insns, sizeof insns, "%" PRIu32 "%s", path->insns, path->error == WALK_UNKNOWN_END ? "+" : " ");
	report_functions(path, &functions);
	/* the profile has the mean of a path's cycles only: their share is as uncertain as the count */
	struct table_cell cells[COLUMNS] = {[COLUMN_RANK] = table_styled(table_number(rank), r->style->bold),
	    [COLUMN_SHOWN_SHARE] = table_real(share),
	    [COLUMN_ERROR] = table_shown(table_unknown(), error_text(error * (counts > 0 ? share / counts : 1))),
	    [COLUMN_SHOWN_SUM] = table_real(sums->shown),
	    [COLUMN_COUNT] = table_number(entry->count),
	    [COLUMN_CYCLES] =
		table_shown(table_real(profile_cycles(entry)), with_unit(profile_cycles(entry) * a->period)),
	    [COLUMN_OTHER] = table_real(view->cycles ? counts : cycle_share(a, entry)),
	    [COLUMN_EACH] = table_real(entry->timed > 0 ? (double)entry->cycles / (double)entry->timed : NAN),
	    [COLUMN_INSNS] = table_shown(table_number(path->insns), insns),
	    [COLUMN_ENDED] = table_shown(table_words(entry->reason == 0 ? NULL : record_reason_name(entry->reason)),
		record_reason_name(entry->reason)),
	    [COLUMN_FUNCTIONS] = table_styled(table_words(functions.text), r->style->bold),
	    [COLUMN_START] = table_number(entry->start),
	    [COLUMN_HISTORY] = table_number(entry->hist),
	    [COLUMN_SHARE] = table_real(counts),
	    [COLUMN_ERROR_KEY] = table_real(error),
	    [COLUMN_SUM] = table_real(sums->counts),
	    [COLUMN_PROBLEM] = table_words(path->error == WALK_OK ? NULL : walk_strerror(path->error))};
	if (entry->timed == 0)
		cells[COLUMN_EACH].shown = "0.0";
	table_row_open(table, cells);
	if (table->format == TABLE_JSON)
		put_trace_path(table->json, path);
	else if (table->format == TABLE_TEXT)
		print_trace_lines(r, path);
	table_row_end(table);
}

/* The rows. kept: the paths of the first `keep' rows, which the caller frees. Returns 0 or WALK_ENOMEM. */
static int put_trace_rows(const struct view *view, const struct table *table, const struct report_trace *traces,
    size_t count, struct path *kept, size_t keep)
{
	const struct report *r = view->report;
	struct sums sums = {0, 0};
	int error = WALK_OK;
	for (size_t i = 0; i < count && error == WALK_OK; i++) {
		struct path path;
		error = path_make(&path, r->profiled->walk, traces[i].entry);
		if (error == WALK_OK)
			error = path_places(&path, r->profiled->image);
		sums.shown += trace_share_of(view, &traces[i]);
		sums.counts += count_share(report_account(r), traces[i].entry);
		if (error == WALK_OK)
			put_trace_row(view, table, &traces[i], &path, i + 1, &sums);
		if (i < keep)
			kept[i] = path;
		else
			path_free(&path);
	}
	return error;
}

/* Below the table of text: what of it is not shown. */
static void print_trace_rest(const struct view *view, const struct report_trace *traces, size_t count, size_t shown)
{
	const struct style *s = view->report->style;
	double share = 0;
	for (size_t i = shown; i < count; i++)
		share += trace_share_of(view, &traces[i]);
	if (shown < count)
		printf("%s     %6.2f%% in %s more%s (--top 0 shows all)%s\n", s->dim, 100 * share,
		    with_commas(count - shown), view->counters ? "" : " paths", s->off);
}

static int put_traces(
    const struct view *view, const struct table *table, const struct report_trace *traces, size_t count)
{
	const struct report *r = view->report;
	const bool text = table->format == TABLE_TEXT;
	size_t shown = count < r->top ? count : (size_t)r->top;
	size_t disassemble;
	if (!text)
		disassemble = 0;
	else if (shown < r->disassemble)
		disassemble = shown;
	else
		disassemble = (size_t)r->disassemble;
	struct path *kept = calloc(disassemble + 1, sizeof *kept);
	if (kept == NULL)
		return WALK_ENOMEM;
	if (table->json != NULL)
		json_number(table->json, "rows_passing", count);
	else if (text)
		printf("\n");
	table_begin(table);
	if (text && count == 0)
		printf("%s     nothing passes the filter%s\n", r->style->dim, r->style->off);
	int error = put_trace_rows(view, table, traces, shown, kept, disassemble);
	table_end(table);
	if (error == WALK_OK && text)
		print_trace_rest(view, traces, count, shown);
	for (size_t i = 0; i < disassemble; i++) {
		if (error == WALK_OK)
			report_disassembly(r, &kept[i], i + 1);
		path_free(&kept[i]);
	}
	free(kept);
	return error;
}

int report_traces(const struct report *r, struct json *json)
{
	const struct account *a = report_account(r);
	struct table_column columns[COLUMNS];
	struct report_trace *traces;
	size_t count;
	int status = report_sort(r, &traces, &count);
	if (status != STATUS_OK) {
		free(traces);
		return status;
	}
	const struct view view = {.report = r,
	    .cycles = a->timed && (r->order == ACCOUNT_BY_MEASURE || r->order == ACCOUNT_BY_CYCLES),
	    .counters = r->profiled->counted != NULL};
	make_trace_columns(&view, traces, count < r->top ? count : (size_t)r->top, columns);
	const struct table table = {.columns = columns,
	    .count = COLUMNS,
	    .format = r->format,
	    .out = stdout,
	    .json = json,
	    .name = "rows",
	    .style = r->style,
	    .hidden = hidden_trace_columns(&view),
	    .tall = true,
	    .width = report_width(r)};
	int error = put_traces(&view, &table, traces, count);
	free(traces);
	if (error == WALK_OK)
		return STATUS_OK;
	complain("out of memory");
	return STATUS_FAILED;
}
