/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet compare: two profiles count by count, and their overlap. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include "host/cmd/counters.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/table_options.h"
#include "model/trace.h"

COMMAND(60, compare, "two profiles count by count, and their overlap");

struct arguments {
	const char *files[2];
	int count;
	uint64_t show;
	double require_overlap; /* < 0: not given, then all counts must be equal */
	bool partial;
	enum table_format format;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"show", 'n', "N", "Show the first N differences (default 10)",
	OPTION_NUMBER(show, 0, UINT32_MAX, "a number of differences")},
    {"require-overlap", 0, "PERCENT", "Be content with this overlap instead of equal counts",
	OPTION_PERCENT(require_overlap)},
    {"partial", 0, NULL, "Accept damaged or incomplete profiles", OPTION_FLAG(partial)},
    OPTION_CHILD(format),
    {0},
};

static error_t parse_compare_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	switch (key) {
	case ARGP_KEY_ARG:
		if (arguments->count == 2)
			argp_error(state, "two profiles are expected, `%s' is too many", value);
		arguments->files[arguments->count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (arguments->count != 2)
			argp_error(state, "two profiles are expected");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

enum { COLUMN_START, COLUMN_HISTORY, COLUMN_ENDED, COLUMN_FIRST, COLUMN_SECOND, COLUMNS };
static const struct table_column columns[COLUMNS] = {
    [COLUMN_START] =
	{.title = "start", .key = "start", .gap = "  ", .form = TABLE_ADDRESS, .width = -18, .decimals = 8},
    [COLUMN_HISTORY] = {.title = "history", .key = "history", .form = TABLE_ADDRESS, .width = -18},
    [COLUMN_ENDED] = {.title = "ended by", .key = "ended_by", .form = TABLE_WORDS, .width = -8},
    [COLUMN_FIRST] = {.title = "first", .key = "first", .form = TABLE_COUNT, .width = 15},
    [COLUMN_SECOND] = {.title = "second", .key = "second", .form = TABLE_COUNT, .width = 15},
};

/* Where differences go: as many as `show`. Text has its head before the first. */
struct teller {
	struct table table;
	uint64_t show;
	bool begun;
};

static void tell_difference(struct teller *teller, const struct record *x, uint64_t first, uint64_t second)
{
	char start[32];
	struct table_cell cells[COLUMNS] = {[COLUMN_START] = table_number(x->start),
	    [COLUMN_HISTORY] = table_number(x->hist),
	    [COLUMN_ENDED] = table_words(x->reason == 0 ? NULL : record_reason_name(x->reason)),
	    [COLUMN_FIRST] = table_number(first),
	    [COLUMN_SECOND] = table_number(second)};
	snprintf(start, sizeof start, "0x%" PRIx64, x->start);
	cells[COLUMN_START].shown = start;
	cells[COLUMN_ENDED].shown = record_reason_name(x->reason);
	if (!teller->begun)
		table_begin(&teller->table);
	teller->begun = true;
	table_row(&teller->table, cells);
}

/* Counts the differences seen from a; entries that only b has are found with swap set. */
static uint64_t count_differences(const struct profile *a, const struct profile *b, bool swap, struct teller *teller)
{
	const struct record **sorted;
	uint64_t count = 0;
	if (profile_sort(a, PROFILE_BY_START, &sorted) != PROFILE_OK) {
		complain("out of memory");
		return 1;
	}
	for (size_t i = 0; i < a->used; i++) {
		const struct record *x = sorted[i];
		const struct record *y = profile_match(b, x);
		if (y != NULL && (swap || y->count == x->count))
			continue;
		count++;
		if (teller->show == 0)
			continue;
		teller->show--;
		uint64_t other = y == NULL ? 0 : y->count;
		tell_difference(teller, x, swap ? other : x->count, swap ? x->count : other);
	}
	free(sorted);
	return count;
}

/* The table of all differences; their number. */
static uint64_t put_differences(
    const struct arguments *arguments, const struct profile *a, const struct profile *b, struct json *json)
{
	struct teller teller = {.table = {columns, COLUMNS, arguments->format, stdout, json, .name = "differences"},
	    .show = arguments->show};
	if (arguments->format != TABLE_TEXT)
		table_begin(&teller.table);
	teller.begun = arguments->format != TABLE_TEXT;
	uint64_t count = count_differences(a, b, false, &teller);
	count += count_differences(b, a, true, &teller);
	table_end(&teller.table);
	return count;
}

static bool builds_differ(const struct profile *a, const struct profile *b)
{
	return a->has_header && b->has_header && a->header.build != b->header.build;
}

static bool ways_differ(const struct profile *a, const struct profile *b)
{
	return a->has_header && b->has_header &&
	       (a->header.hist != b->header.hist || ((a->header.ctrl ^ b->header.ctrl) & 6) != 0);
}

/* Without a program a trace has the instructions that the unit counted. */
static void find_compare_remainder(struct remainder *r, const struct loaded *loaded)
{
	const struct profile *p = &loaded->profile;
	struct remainder_shown shown = {.counters = is_counters(p), .damaged = !loaded->whole, .timed = true};
	struct profile head = {.has_header = p->has_header, .has_end = p->has_end, .header = p->header, .end = p->end};
	for (size_t i = 0; i < p->used; i++) {
		const struct record *e = &p->entries[i];
		shown.insns += e->insns * e->count;
		shown.cycles += e->cycles;
		shown.timed = shown.timed && e->timed == e->count;
		if (record_partial(e) && e->count > 1 && !p->by_length) /* the length is that of the first */
			shown.cut += e->count;
		if (e->insns == 0) /* the unit was built without, or there is no time beside which a file has them */
			shown.lengthless = true;
	}
	remainder_find(r, &head, &shown);
}

/* Returns the number of differences. */
static uint64_t print_compare_text(const struct arguments *arguments, const struct loaded *both, double overlap)
{
	const struct profile *a = &both[0].profile, *b = &both[1].profile;
	struct remainder remainder;
	for (int i = 0; i < 2; i++) {
		const struct profile *p = &both[i].profile;
		printf("%-7s %s: %s, %s traces in %s paths\n", i == 0 ? "first" : "second",
		    shown_path(arguments->files[i]), p->has_header ? run_way_name(p->header.way) : "no header",
		    with_commas(p->total), with_commas(p->used));
		find_compare_remainder(&remainder, &both[i]);
		print_not_traced(&remainder, stdout);
	}
	if (builds_differ(a, b))
		printf("builds differ: %08" PRIx32 " and %08" PRIx32 "\n", a->header.build, b->header.build);
	if (ways_differ(a, b))
		printf("collected in different ways: history %" PRIu64 " and %" PRIu64 " bits, CTRL 0x%" PRIx64
		       " and 0x%" PRIx64 ": their paths do not end at the same places\n",
		    a->header.hist, b->header.hist, a->header.ctrl, b->header.ctrl);
	uint64_t count = put_differences(arguments, a, b, NULL);
	uint64_t shown = count < arguments->show ? count : arguments->show;
	if (count > shown)
		printf("  ... and %s more\n", with_commas(count - shown));
	if (count == 0)
		printf("equal: %s paths, %s traces, count by count\n", with_commas(a->used), with_commas(a->total));
	else
		printf("different: %s paths; the first has %s, the second %s\n", with_commas(count),
		    with_commas(a->used), with_commas(b->used));
	printf("overlap %.2f%%\n", overlap);
	return count;
}

static uint64_t print_compare_json(const struct arguments *arguments, const struct loaded *both, double overlap)
{
	struct json j;
	const struct profile *a = &both[0].profile, *b = &both[1].profile;
	struct remainder remainder;
	json_open(&j, stdout);
	json_text(&j, "rivulet", "compare");
	json_number(&j, "version", 1);
	for (int i = 0; i < 2; i++) {
		const struct profile *p = &both[i].profile;
		json_line(&j, i == 0 ? "first" : "second");
		json_text(&j, "file", shown_path(arguments->files[i]));
		json_text(&j, "way", p->has_header ? run_way_name(p->header.way) : NULL);
		if (p->has_header)
			json_hex(&j, "build", p->header.build, 8);
		json_number(&j, "traces", p->total);
		json_number(&j, "paths", p->used);
		find_compare_remainder(&remainder, &both[i]);
		json_not_traced(&j, &remainder);
		json_object_end(&j);
	}
	json_bool(&j, "builds_differ", builds_differ(a, b));
	json_bool(&j, "ways_differ", ways_differ(a, b));
	json_real(&j, "overlap", overlap / 100);
	uint64_t count = put_differences(arguments, a, b, &j);
	json_number(&j, "different", count);
	finish_json(&j);
	return count;
}

static uint64_t print_comparison(const struct arguments *arguments, const struct loaded *both, double overlap)
{
	struct remainder remainder;
	if (arguments->format == TABLE_JSON)
		return print_compare_json(arguments, both, overlap);
	if (!table_alone(arguments->format))
		return print_compare_text(arguments, both, overlap);
	for (int i = 0; i < 2; i++) {
		find_compare_remainder(&remainder, &both[i]);
		complain_not_traced(arguments->files[i], &remainder);
	}
	return put_differences(arguments, &both[0].profile, &both[1].profile, NULL);
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse_compare_option, "FIRST SECOND",
	    "Compares two profiles count by count and prints their overlap: the sum over paths of the smaller of the "
	    "two shares.",
	    children, NULL, NULL};
	struct arguments arguments = {.show = 10, .require_overlap = -1};
	struct loaded loaded[2] = {0};
	int status = STATUS_OK;
	parse_options(&argp, options, argc, argv, 0, &arguments);
	for (int i = 0; i < 2; i++) {
		int one = load_profile(&loaded[i], arguments.files[i]);
		if (one == STATUS_FAILED || (one == STATUS_NO && !arguments.partial && status == STATUS_OK))
			status = one;
	}
	if (status == STATUS_FAILED)
		goto out;
	const struct profile *a = &loaded[0].profile, *b = &loaded[1].profile;
	double overlap = 100 * profile_overlap(a, b);
	uint64_t count = print_comparison(&arguments, loaded, overlap);
	if (builds_differ(a, b) || ways_differ(a, b))
		status = STATUS_NO;
	if (arguments.require_overlap >= 0) {
		if (overlap < arguments.require_overlap) {
			complain("the overlap is %.2f%%, %.2f%% is required", overlap, arguments.require_overlap);
			status = STATUS_NO;
		}
	} else if (count != 0)
		status = STATUS_NO;
out:
	free_profile(&loaded[0]);
	free_profile(&loaded[1]);
	return end_output(status);
}
