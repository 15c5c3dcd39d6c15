/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet calls: functions and callers of a program that counted its own cycles (rivulet insert --cycles). */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/json.h"
#include "host/base/demangle.h"
#include "host/cmd/calls_chains.h"
#include "host/cmd/cmd.h"
#include "host/cmd/contexts_result.h"
#include "host/cmd/twin.h"
#include "host/cmd/load_records.h"
#include "host/cmd/profiled.h"
#include "host/export/export.h"

COMMAND(165, calls, "cycles by function and caller, counted by inserted code");

enum { KEY_BY = 256, KEY_JSON, KEY_DEPTH, KEY_EXPORT, KEY_CORE };
enum by { BY_FUNCTION, BY_CALL, BY_CHAIN };

struct arguments {
	const char *original, *edited, *file;
	enum by by;
	uint64_t top, depth;
	bool json, records; /* records: the second operand is a record file */
	const char *core;
	const struct export_format *format; /* --export */
	const char *output;
	struct contexts contexts;
	struct insert_original twins[2];
	char twin[4096]; /* the original beside the edited program */
};

static const struct argp_option options[] = {
    {"by", KEY_BY, "WHAT", 0, "function (default), call or chain", 0},
    {"top", 'n', "N", 0, "Show the N with the most cycles (default 20; 0: all)", 0},
    {"depth", KEY_DEPTH, "N", 0, "For chains: at most N calls (default 4)", 0},
    {"core", KEY_CORE, "CORE", 0, "Of records: rules of the core that ran (default rivulet)", 0},
    {"export", KEY_EXPORT, "FORMAT", 0,
	"Write callgrind, pprof, speedscope, folded, flamegraph or flamehtml to -o FILE", 0},
    {"output", 'o', "FILE", 0, "Where --export writes", 0},
    {"json", KEY_JSON, NULL, 0, "JSON (docs/cycles.md) instead of a table", 0},
    {0},
};

/* Formats of functions and calls; the others say what each instruction did. */
static bool by_function(const char *name)
{
	static const char *const names[] = {"callgrind", "pprof", "speedscope", "folded", "flamegraph", "flamehtml"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_BY:
		if (strcmp(value, "function") != 0 && strcmp(value, "call") != 0 && strcmp(value, "chain") != 0)
			argp_error(state, "--by %s: function, call or chain is expected", value);
		a->by = strcmp(value, "function") == 0 ? BY_FUNCTION : strcmp(value, "call") == 0 ? BY_CALL : BY_CHAIN;
		return 0;
	case 'n':
		if (!parse_number(value, UINT32_MAX, &a->top))
			argp_error(state, "--top %s: a number of rows is expected", value);
		return 0;
	case KEY_DEPTH:
		if (!parse_number(value, 1000, &a->depth) || a->depth == 0)
			argp_error(state, "--depth %s: a number from 1 to 1000 is expected", value);
		return 0;
	case KEY_CORE:
		a->core = value;
		return 0;
	case KEY_EXPORT:
		a->format = by_function(value) ? export_find(value) : NULL;
		if (a->format == NULL)
			argp_error(state,
			    "--export %s: callgrind, pprof, speedscope, folded, flamegraph or flamehtml is expected",
			    value);
		return 0;
	case 'o':
		a->output = value;
		return 0;
	case KEY_JSON:
		a->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->original == NULL)
			a->original = value;
		else if (a->edited == NULL)
			a->edited = value;
		else if (a->file == NULL)
			a->file = value;
		else
			argp_error(state,
			    "the original, the edited program and a profile are expected, `%s' is too many", value);
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

static const struct map_function *function_of(const struct arguments *a, uint32_t function)
{
	return &a->twins[0].map->functions[function];
}

/* "main+0x20", "start" where no symbol is nearer. */
static void put_site(const struct arguments *a, const struct context_edge *e, char *text, size_t size)
{
	if (e->caller == CONTEXTS_NONE) {
		snprintf(text, size, "(code without counters)");
		return;
	}
	const struct map_function *f = function_of(a, e->caller);
	if (e->site == 0) { /* of a class: all of the function */
		snprintf(text, size, "%s", f->name);
		return;
	}
	snprintf(text, size, "%s+0x%" PRIx64, f->name, e->site - f->address);
}

/* ---------------------------------------------------------------- JSON */
static void put_numbers(
    struct json *j, uint64_t calls, uint64_t self, uint64_t inclusive, uint64_t least, uint64_t most)
{
	json_number(j, "calls", calls);
	json_number(j, "self", self);
	json_number(j, "inclusive", inclusive);
	json_number(j, "least_self", calls > 0 ? least : 0);
	json_number(j, "most_self", most);
	json_object_end(j);
}

static int print_chains(const struct arguments *a, struct json *json);

static int print_json(const struct arguments *a)
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
	json_bool(&j, "stopped", c->stopped);
	json_number(&j, "unwound", c->unwound);
	json_number(&j, "torn", c->torn);
	json_number(&j, "skipped", c->skipped);
	json_number(&j, "damaged", c->damaged);
	json_number(&j, "gone", c->gone);
	json_number(&j, "threads", c->threads);
	json_number(&j, "stacks", c->stacks);
	json_array(&j, "functions");
	for (size_t i = 0; i < c->function_count; i++) {
		const struct context_function *f = &c->functions[i];
		json_line(&j, NULL);
		json_text(&j, "function", f->name);
		json_hex(&j, "address", f->address, 8);
		put_numbers(&j, f->calls, f->self, f->inclusive, f->least, f->most);
	}
	json_array_end(&j);
	json_array(&j, "edges");
	for (size_t i = 0; i < c->edge_count; i++) {
		const struct context_edge *e = &c->edges[i];
		json_line(&j, NULL);
		if (e->site == 0)
			json_null(&j, "site");
		else
			json_hex(&j, "site", e->site, 8);
		json_text(&j, "caller", e->caller == CONTEXTS_NONE ? NULL : function_of(a, e->caller)->name);
		json_text(&j, "callee", function_of(a, e->callee)->name);
		json_hex(&j, "target", e->target, 8);
		json_bool(&j, "tail_call", e->tail);
		put_numbers(&j, e->calls, e->self, e->inclusive, e->least, e->most);
	}
	json_array_end(&j);
	json_array(&j, "chains");
	for (size_t i = 1; i < c->count; i++) {
		const struct context *x = &c->all[i];
		json_line(&j, NULL);
		json_number(&j, "context", i);
		if (x->parent == CONTEXTS_NOBODY)
			json_null(&j, "parent");
		else
			json_number(&j, "parent", x->parent);
		json_text(&j, "function", function_of(a, x->function)->name);
		if (x->site == 0)
			json_null(&j, "site");
		else
			json_hex(&j, "site", x->site, 8);
		put_numbers(&j, x->calls, x->self, x->inclusive, x->least, x->most);
	}
	json_array_end(&j);
	int status = a->by == BY_CHAIN ? print_chains(a, &j) : STATUS_OK;
	return json_close(&j) ? status : STATUS_FAILED;
}

/* ---------------------------------------------------------------- tables */
static void print_row(const struct arguments *a, size_t rank, uint64_t calls, uint64_t self, uint64_t inclusive,
    uint64_t least, uint64_t most, const char *text)
{
	calls_row(a->contexts.self, rank, calls, self, inclusive, least, most, text);
}

static int most_self(const void *a, const void *b)
{
	const struct context_function *x = a, *y = b;
	return x->self != y->self ? (x->self < y->self ? 1 : -1)
				  : (x->address > y->address) - (x->address < y->address);
}

static int most_inclusive(const void *a, const void *b)
{
	const struct context_edge *x = a, *y = b;
	return x->inclusive != y->inclusive ? (x->inclusive < y->inclusive ? 1 : -1)
					    : (x->site > y->site) - (x->site < y->site);
}

static const char *chain_name(const void *context, uint32_t function)
{
	return function_of(context, function)->name;
}

static int print_chains(const struct arguments *a, struct json *json)
{
	const struct contexts *c = &a->contexts;
	struct chain_context *all = calloc(c->count + 1, sizeof *all);
	if (all == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 1; i < c->count; i++) {
		const struct context *x = &c->all[i];
		all[i] =
		    (struct chain_context){x->parent, x->function, x->calls, x->self, x->inclusive, x->least, x->most};
	}
	const struct chain_view view = {all, chain_name, a, a->depth, a->top, c->self};
	int status = chains_print(&view, c->count, json);
	free(all);
	return status;
}

static int print_table(const struct arguments *a)
{
	struct contexts *c = (struct contexts *)(uintptr_t)&a->contexts;
	printf("%s, %s cycles in functions with counters, %s contexts\n", a->original, with_commas(c->self),
	    with_commas(c->count - 1));
	if (c->input > 0)
		printf("%s cycles of waiting for input are not charged\n", with_commas(c->input));
	if (c->unwound > 0)
		printf("%s calls were left by longjmp or the like: they have the cycles up to their last call\n",
		    with_commas(c->unwound));
	printf("\n");
	printf("   #    self   incl.    calls     self    incl.    least     most  %s\n",
	    a->by == BY_FUNCTION ? "function"
	    : a->by == BY_CALL   ? "call site -> callee"
				 : "chain");
	if (a->by == BY_CHAIN)
		return print_chains(a, NULL);
	if (a->by == BY_FUNCTION) {
		qsort(c->functions, c->function_count, sizeof *c->functions, most_self);
		for (size_t i = 0; i < c->function_count && i < a->top; i++) {
			const struct context_function *f = &c->functions[i];
			print_row(a, i + 1, f->calls, f->self, f->inclusive, f->least, f->most, demangle(f->name));
		}
		return STATUS_OK;
	}
	qsort(c->edges, c->edge_count, sizeof *c->edges, most_inclusive);
	for (size_t i = 0; i < c->edge_count && i < a->top; i++) {
		const struct context_edge *e = &c->edges[i];
		char site[300], text[700];
		put_site(a, e, site, sizeof site);
		snprintf(text, sizeof text, "%s -> %s%s", site, demangle(function_of(a, e->callee)->name),
		    e->tail ? " (tail call)" : "");
		print_row(a, i + 1, e->calls, e->self, e->inclusive, e->least, e->most, text);
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
	    .timed = true};
	if (output != NULL) {
		int error = a->format->write(&input, output_file(output));
		if (error != EXPORT_OK)
			complain("%s: %s", a->output, export_strerror(error));
		status = finish_output(output, error == EXPORT_OK ? STATUS_OK : STATUS_FAILED);
	}
	contexts_result_free(&made);
	return status;
}

int cmd_calls(int argc, char **argv)
{
	static const struct argp argp = {options, parse,
	    "PROGRAM.elf PROFILE\nORIGINAL.elf EDITED.elf PROFILE\nPROGRAM.elf RECORDS",
	    "Shows what a program counted that was linked by `rivulet cc --cycles', or from objects with `rivulet "
	    "insert "
	    "--cycles': calls, own and "
	    "inclusive cycles of each function, call site and call chain, as the original program takes them.\v"
	    "ORIGINAL.elf is the program that --original named (default: PROGRAM.elf.twin, which rivulet cc links). "
	    "least, most: own cycles of one call. With RECORDS, "
	    "all of a run in order, the chains of a program without counters (--by chain).\n"
	    "Manual: docs/cycles.md",
	    NULL, NULL, NULL};
	struct arguments a = {.top = 20, .depth = 4};
	struct loaded loaded = {0};
	char detail[1024];
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	a.top = a.top == 0 ? UINT64_MAX : a.top;
	if (a.records)
		return calls_of_records(a.original, a.edited, a.core, a.depth, a.top, a.json);
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
			int gaps = contexts_tell_gaps(&a.contexts, a.file), printed = a.format != NULL
											  ? write_export(&a)
										      : a.json ? print_json(&a)
											       : print_table(&a);
			status = printed == STATUS_FAILED ? printed : gaps > status ? gaps : status;
			status = end_output(status);
		}
	}
	contexts_free(&a.contexts);
	free_profile(&loaded);
	insert_original_close(&a.twins[0]);
	insert_original_close(&a.twins[1]);
	return status;
}
