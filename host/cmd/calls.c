/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet calls: functions and callers of a program that counted its own cycles (rivulet insert --cycles). */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/demangle.h"
#include "host/base/order.h"
#include "host/cmd/calls_chains.h"
#include "host/cmd/cmd.h"
#include "host/cmd/contexts_result.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/twin.h"
#include "host/cmd/load_records.h"
#include "host/cmd/profiled.h"
#include "host/cmd/table_options.h"
#include "host/export/export.h"

COMMAND(165, calls, "cycles by function and caller, counted by inserted code");

enum { KEY_EXPORT = 256 };
enum by { BY_FUNCTION, BY_CALL, BY_CHAIN };

struct arguments {
	const char *original, *edited, *file;
	enum by by;
	uint64_t top, depth;
	enum table_format form;
	bool records; /* records: the second operand is a record file */
	const char *core;
	const struct export_format *format; /* --export */
	const char *output;
	struct contexts contexts;
	struct remainder remainder;
	struct insert_original twins[2];
	char twin[4096]; /* the original beside the edited program */
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"by", 0, "WHAT", "function (default), call or chain", OPTION_WORD(by, "function, call or chain")},
    {"top", 'n', "N", "Show the N with the most cycles (default 20; 0: all)",
	OPTION_NUMBER(top, 0, UINT32_MAX, "a number of rows")},
    {"depth", 0, "N", "For chains: at most N calls (default 4)",
	OPTION_NUMBER(depth, 1, 1000, "a number from 1 to 1000")},
    {"core", 0, "CORE", "Of records: rules of the core that ran (default rivulet)", OPTION_TEXT(core)},
    {"export", KEY_EXPORT, "FORMAT", "Write callgrind, pprof, speedscope, folded, flamegraph or flamehtml to -o FILE",
	OPTION_OWN},
    {"output", 'o', "FILE", "Where --export writes", OPTION_TEXT(output)},
    OPTION_CHILD(form),
    OPTION_OPERAND(original, "the original, the edited program and a profile are expected", NULL),
    OPTION_OPERAND(edited, "the original, the edited program and a profile are expected", NULL),
    OPTION_OPERAND(file, "the original, the edited program and a profile are expected", NULL),
    {0},
};

/* Formats of functions and calls; the others say what each instruction did. */
static bool is_function_format(const char *name)
{
	static const char *const names[] = {"callgrind", "pprof", "speedscope", "folded", "flamegraph", "flamehtml"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static error_t parse_calls_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_EXPORT:
		a->format = is_function_format(value) ? export_find(value) : NULL;
		if (a->format == NULL)
			argp_error(state,
			    "--export %s: callgrind, pprof, speedscope, folded, flamegraph or flamehtml is expected",
			    value);
		return 0;
	case ARGP_KEY_END:
		a->records = a->edited != NULL && a->file == NULL && is_record_file(a->edited);
		if (a->records && (a->by != BY_CHAIN || a->format != NULL))
			argp_error(state,
			    "of records: --by chain; rivulet report has functions and calls, rivulet export files");
		if (!a->records && a->file == NULL && a->edited != NULL) {
			if ((size_t)snprintf(a->twin, sizeof a->twin, "%s" TWIN_SUFFIX, a->original) >= sizeof a->twin)
				argp_error(state, "the program's name is too long");
			a->file = a->edited;
			a->edited = a->original;
			a->original = a->twin;
		}
		if (!a->records && a->file == NULL)
			argp_error(state, "an edited program and its profile are expected, or a program and records");
		if ((a->format == NULL) != (a->output == NULL))
			argp_error(state, "--export FORMAT and -o FILE belong together");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct map_function *calls_function_of(const struct arguments *a, uint32_t function)
{
	return &a->twins[0].map->functions[function];
}

/* "main+0x20", "start" where no symbol is nearer. */
static void put_site(const struct arguments *a, const struct context_edge *e, char *text, size_t size)
{
	if (e->caller == CONTEXTS_NONE) {
		snprintf(text, size, CONTEXTS_UNCOUNTED);
		return;
	}
	const struct map_function *f = calls_function_of(a, e->caller);
	if (e->site == 0) { /* of a class: all of the function */
		snprintf(text, size, "%s", f->name);
		return;
	}
	snprintf(text, size, "%s+0x%" PRIx64, f->name, e->site - f->address);
}

/* ---------------------------------------------------------------- tables */
static int most_self(const void *a, const void *b)
{
	const struct context_function *x = a, *y = b;
	return order_then(ORDER_DOWN(x->self, y->self), ORDER_UP(x->address, y->address));
}

static int calls_by_inclusive(const void *a, const void *b)
{
	const struct context_edge *x = a, *y = b;
	return order_then(ORDER_DOWN(x->inclusive, y->inclusive), ORDER_UP(x->site, y->site));
}

/* Rows that are shown: all in JSON. */
static size_t shown_rows(const struct arguments *a, size_t count)
{
	return a->form != TABLE_JSON && count > a->top ? (size_t)a->top : count;
}

static void put_calls_functions(const struct arguments *a, struct json *json)
{
	enum { COLUMN_FUNCTION = CALLS_COLUMNS, COLUMN_ADDRESS, COLUMNS };
	static const struct table_column columns[COLUMNS] = {CALLS_COLUMN_LIST,
	    [COLUMN_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .gap = "  "},
	    [COLUMN_ADDRESS] = {.key = "address", .form = TABLE_ADDRESS, .decimals = 8}};
	const struct contexts *c = &a->contexts;
	const struct table table = {columns, COLUMNS, a->form, stdout, json, .name = "functions"};
	table_begin(&table);
	for (size_t i = 0; i < shown_rows(a, c->function_count); i++) {
		const struct context_function *f = &c->functions[i];
		const struct calls_sums sums = {f->calls, f->self, f->inclusive, f->least, f->most};
		struct table_cell cells[COLUMNS];
		calls_cells(cells, i + 1, c->self, &sums);
		cells[COLUMN_FUNCTION] = table_shown(table_words(f->name), demangle(f->name));
		cells[COLUMN_ADDRESS] = table_number(f->address);
		table_row(&table, cells);
	}
	table_end(&table);
}

static void put_calls_edges(const struct arguments *a, struct json *json)
{
	enum {
		COLUMN_EDGE = CALLS_COLUMNS,
		COLUMN_SITE,
		COLUMN_CALLER,
		COLUMN_CALLEE,
		COLUMN_TARGET,
		COLUMN_TAIL,
		COLUMNS
	};
	static const struct table_column columns[COLUMNS] = {
	    CALLS_COLUMN_LIST, [COLUMN_EDGE] = {.title = "call site -> callee", .form = TABLE_WORDS, .gap = "  "},
	    [COLUMN_SITE] = {.key = "site", .form = TABLE_ADDRESS, .decimals = 8},
	    [COLUMN_CALLER] = {.key = "caller", .form = TABLE_WORDS},
	    [COLUMN_CALLEE] = {.key = "callee", .form = TABLE_WORDS},
	    [COLUMN_TARGET] = {.key = "target", .form = TABLE_ADDRESS, .decimals = 8},
	    [COLUMN_TAIL] = {.key = "tail_call", .form = TABLE_TRUTH}};
	const struct contexts *c = &a->contexts;
	const struct table table = {columns, COLUMNS, a->form, stdout, json, .name = "edges"};
	table_begin(&table);
	for (size_t i = 0; i < shown_rows(a, c->edge_count); i++) {
		const struct context_edge *e = &c->edges[i];
		const char *callee = calls_function_of(a, e->callee)->name;
		const struct calls_sums sums = {e->calls, e->self, e->inclusive, e->least, e->most};
		struct table_cell cells[COLUMNS];
		char site[300], text[700];
		put_site(a, e, site, sizeof site);
		snprintf(text, sizeof text, "%s -> %s%s", site, demangle(callee), e->tail ? " (tail call)" : "");
		calls_cells(cells, i + 1, c->self, &sums);
		cells[COLUMN_EDGE] = table_words(text);
		cells[COLUMN_SITE] = e->site == 0 ? table_unknown() : table_number(e->site);
		cells[COLUMN_CALLER] =
		    table_words(e->caller == CONTEXTS_NONE ? NULL : calls_function_of(a, e->caller)->name);
		cells[COLUMN_CALLEE] = table_words(callee);
		cells[COLUMN_TARGET] = table_number(e->target);
		cells[COLUMN_TAIL] = table_number(e->tail);
		table_row(&table, cells);
	}
	table_end(&table);
}

/* The tree of contexts, which is JSON's alone. */
static void put_contexts(const struct arguments *a, struct json *json)
{
	enum { COLUMN_CONTEXT = CALLS_COLUMNS, COLUMN_PARENT, COLUMN_FUNCTION, COLUMN_SITE, COLUMNS };
	static const struct table_column columns[COLUMNS] = {
	    CALLS_COLUMN_LIST, [COLUMN_CONTEXT] = {.key = "context", .form = TABLE_PLAIN},
	    [COLUMN_PARENT] = {.key = "parent", .form = TABLE_PLAIN},
	    [COLUMN_FUNCTION] = {.key = "function", .form = TABLE_WORDS},
	    [COLUMN_SITE] = {.key = "site", .form = TABLE_ADDRESS, .decimals = 8}};
	const struct contexts *c = &a->contexts;
	const struct table table = {columns, COLUMNS, TABLE_JSON, stdout, json, .name = "chains"};
	table_begin(&table);
	for (size_t i = 1; i < c->count; i++) {
		const struct context *x = &c->all[i];
		const struct calls_sums sums = {x->calls, x->self, x->inclusive, x->least, x->most};
		struct table_cell cells[COLUMNS];
		calls_cells(cells, i, c->self, &sums);
		cells[COLUMN_CONTEXT] = table_number(i);
		cells[COLUMN_PARENT] = x->parent == CONTEXTS_NOBODY ? table_unknown() : table_number(x->parent);
		cells[COLUMN_FUNCTION] = table_words(calls_function_of(a, x->function)->name);
		cells[COLUMN_SITE] = x->site == 0 ? table_unknown() : table_number(x->site);
		table_row(&table, cells);
	}
	table_end(&table);
}

static const char *chain_name(const void *context, uint32_t function)
{
	return function == CONTEXTS_NONE ? CONTEXTS_UNCOUNTED : calls_function_of(context, function)->name;
}

/* The contexts, and callers without counters between them, which have no numbers but those of what they called.
 * Returns how many; place: room for as many numbers as there are contexts. */
static size_t chain_contexts(const struct contexts *c, uint32_t *place, struct chain_context *all)
{
	size_t count = 1;
	for (size_t i = 1; i < c->count; i++) {
		const struct context *x = &c->all[i];
		uint32_t parent = x->parent == CONTEXTS_NOBODY ? 0 : place[x->parent];
		if (contexts_between(c, x)) {
			all[count] = (struct chain_context){
			    parent, x->caller, true, {.inclusive = x->inclusive, .least = UINT64_MAX}};
			parent = (uint32_t)count++;
		}
		all[count] = (struct chain_context){
		    parent, x->function, false, {x->calls, x->self, x->inclusive, x->least, x->most}};
		place[i] = (uint32_t)count++;
	}
	return count;
}

static int put_chains(const struct arguments *a, struct json *json)
{
	const struct contexts *c = &a->contexts;
	struct chain_context *all = calloc(2 * c->count + 1, sizeof *all);
	uint32_t *place = calloc(c->count + 1, sizeof *place);
	int status = STATUS_FAILED;
	if (all == NULL || place == NULL)
		complain("out of memory");
	else {
		const size_t count = chain_contexts(c, place, all);
		const struct chain_view view = {all, chain_name, a, a->depth, a->top, c->self};
		status = chains_print(&view, count, a->form, json);
	}
	free(place);
	free(all);
	return status;
}

static int print_calls_json(const struct arguments *a)
{
	const struct contexts *c = &a->contexts;
	struct json j;
	json_open(&j, stdout);
	json_text(&j, "rivulet", "calls");
	json_text(&j, "program", a->original);
	json_text(&j, "profile", a->file);
	json_number(&j, "cycles", c->self);
	json_number(&j, "input_cycles", c->input);
	json_number(&j, "contexts", c->count - 1);
	json_not_traced(&j, &a->remainder);
	json_bool(&j, "stopped", c->stopped);
	json_number(&j, "unwound", c->unwound);
	json_number(&j, "torn", c->torn);
	json_number(&j, "skipped", c->skipped);
	json_number(&j, "damaged", c->damaged);
	json_number(&j, "gone", c->gone);
	json_number(&j, "threads", c->threads);
	json_number(&j, "stacks", c->stacks);
	put_calls_functions(a, &j);
	put_calls_edges(a, &j);
	put_contexts(a, &j);
	int status = a->by == BY_CHAIN ? put_chains(a, &j) : STATUS_OK;
	return json_close(&j) ? status : STATUS_FAILED;
}

/* For people, or as CSV: what --by says, the most cycles first. */
static int print_calls_table(const struct arguments *a)
{
	struct contexts *c = (struct contexts *)(uintptr_t)&a->contexts;
	if (a->form == TABLE_TEXT) {
		printf("%s, %s cycles in functions with counters, %s contexts\n", a->original, with_commas(c->self),
		    with_commas(c->count - 1));
		print_not_traced(&a->remainder, stdout);
		if (c->input > 0)
			printf("%s cycles of waiting for input are not charged\n", with_commas(c->input));
		if (c->unwound > 0)
			printf(
			    "%s calls were left by longjmp or the like: they have the cycles up to their last call\n",
			    with_commas(c->unwound));
		printf("\n");
	}
	if (a->form != TABLE_TEXT)
		complain_not_traced(a->file, &a->remainder);
	if (a->by == BY_CHAIN)
		return put_chains(a, NULL);
	if (a->by == BY_FUNCTION) {
		qsort(c->functions, c->function_count, sizeof *c->functions, most_self);
		put_calls_functions(a, NULL);
	} else {
		qsort(c->edges, c->edge_count, sizeof *c->edges, calls_by_inclusive);
		put_calls_edges(a, NULL);
	}
	return STATUS_OK;
}

/* ---------------------------------------------------------------- export */
static int write_export(const struct arguments *a)
{
	struct contexts_result made;
	const char *const inputs[] = {a->original, a->edited, a->file};
	int status = STATUS_FAILED;
	if (!contexts_result_make(&made, &a->contexts, &a->twins[0])) {
		complain("out of memory");
		contexts_result_free(&made);
		return STATUS_FAILED;
	}
	struct output *output = begin_output(a->output, OUTPUT_REPLACE, inputs, 3);
	const struct export_input input = {.image = a->twins[0].image,
	    .result = &made.result,
	    .spots = &made.spots,
	    .program = a->original,
	    .name = "",
	    .timed = true,
	    .remainder = &a->remainder};
	if (output != NULL) {
		int error = a->format->write(&input, output_file(output));
		if (error != EXPORT_OK)
			complain("%s: %s", a->output, export_strerror(error));
		status = finish_output(output, error == EXPORT_OK ? STATUS_OK : STATUS_FAILED);
	}
	contexts_result_free(&made);
	return status;
}

/* Counters know the functions that have them. */
static void find_calls_remainder(struct arguments *a, const struct loaded *loaded)
{
	struct remainder_shown shown = {
	    .cycles = a->contexts.self, .timed = true, .damaged = !loaded->whole, .contexts = a->contexts.stopped};
	shown_by_counters(&shown, a->twins[0].image, NULL);
	remainder_find(&a->remainder, &loaded->profile, &shown);
}

int cmd_calls(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse_calls_option,
	    "PROGRAM.elf PROFILE\nORIGINAL.elf EDITED.elf PROFILE\nPROGRAM.elf RECORDS",
	    "Shows what a program counted that was linked by `rivulet cc --cycles', or from objects with `rivulet "
	    "insert "
	    "--cycles': calls, own and "
	    "inclusive cycles of each function, call site and call chain, as the original program takes them.\v"
	    "ORIGINAL.elf is the program that --original named (default: PROGRAM.elf.twin, which rivulet cc links). "
	    "least, most: own cycles of one call. With RECORDS, "
	    "all of a run in order, the chains of a program without counters (--by chain).\n"
	    "Manual: docs/cycles.md",
	    children, NULL, NULL};
	struct arguments a = {.top = 20, .depth = 4};
	struct loaded loaded = {0};
	char detail[1024];
	parse_options(&argp, options, argc, argv, 0, &a);
	a.top = a.top == 0 ? UINT64_MAX : a.top;
	if (a.records)
		return calls_of_records(&(struct calls_request){a.original, a.edited, a.core, a.depth, a.top, a.form});
	int status = STATUS_FAILED;
	if (insert_original_open(&a.twins[0], a.original, NULL, detail, sizeof detail) != 0 ||
	    insert_original_open(&a.twins[1], a.edited, NULL, detail, sizeof detail) != 0)
		complain("%s", detail);
	else
		status = load_profile(&loaded, a.file);
	if (status != STATUS_FAILED) {
		int error = contexts_make(&a.contexts, &a.twins[0], &a.twins[1], &loaded.profile);
		if (error != CONTEXTS_OK) {
			complain("%s: %s", a.file, contexts_strerror(error));
			status = STATUS_FAILED;
		} else {
			find_calls_remainder(&a, &loaded);
			int gaps = contexts_tell_gaps(&a.contexts, a.file), printed;
			if (a.format != NULL)
				printed = write_export(&a);
			else
				printed = a.form == TABLE_JSON ? print_calls_json(&a) : print_calls_table(&a);
			if (printed == STATUS_FAILED)
				status = printed;
			else if (gaps > status)
				status = gaps;
			status = end_output(status);
		}
	}
	contexts_free(&a.contexts);
	free_profile(&loaded);
	insert_original_close(&a.twins[0]);
	insert_original_close(&a.twins[1]);
	return status;
}
