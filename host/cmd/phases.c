/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases: the whole run, in order: its phases, its repeated paths, any window of it. */
#include "host/cmd/not_traced.h"
#include "host/cmd/phases.h"
#include "host/cmd/table_options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/output.h"
#include "host/cmd/profiled.h"
#include "host/cmd/stream.h"
#include "host/cmd/twin.h"
#include "host/records/records.h"

COMMAND(125, phases, "the whole run in order: phases, repeated paths, any window of it");

enum {
	KEY_EXPAND = 256,
	KEY_FROM,
	KEY_TO,
	KEY_AT,
	KEY_DETECTOR,
	KEY_INTERVALS,
	KEY_SVG,
	KEY_SIMPOINT,
	KEY_LOG,
	KEY_DIFF,
	KEY_HEAT,
	KEY_CORE,
	KEY_PLUGIN,
	KEY_FORCE,
	KEY_WIDE,
	KEY_CHANGES,
	KEY_LEVELS,
	KEY_STRATUM,
	KEY_PERIOD,
	KEY_CLOCK,
	KEY_DEPTH,
	KEY_FREQUENCY,
	KEY_BY,
	KEY_ORDER,
	KEY_BUCKETS,
	KEY_LEVEL
};

struct window {
	enum phases_key key, to_key;
	uint64_t from, to;
};

struct arguments {
	const char *program, *input, *output, *plugin, *svg, *simpoint, *log, *diff, *core;
	enum phases_heat heat;
	struct layers_config layers;
	struct window window;
	uint64_t top, intervals, at, level;
	enum phases_key at_key;
	int detector; /* enum detector; DETECTORS: agreement of all; -1: no */
	enum table_format format;
	bool force, wide, expand, instructions, has_at, changes;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the phases file (docs/phases-format.md), which is read like the records", 0},
    {"top", 'n', "N", 0, "Show the N hottest paths of each phase (default 3; 0: all)", 0},
    {"intervals", KEY_INTERVALS, "N", 0, "Cut the run into N intervals (default: 500, or 8000 where phases are short)",
	0},
    {"heat", KEY_HEAT, "WHAT", 0,
	"What makes a path hot: instructions (default), cycles, branches, loads, stores, calls, muldiv or float", 0},
    {"core", KEY_CORE, "NAME|FILE", 0, "The core whose cycles --heat cycles takes (default rivulet; docs/cycles.md)",
	0},
    {"diff", KEY_DIFF, "A,B", 0, "Functions of phase A beside those of phase B", 0},
    {"detector", KEY_DETECTOR, "NAME", 0,
	"Changes as branches, working-set, subroutine, blocks or table sees them; all: how far they agree", 0},
    {"expand", KEY_EXPAND, "WHAT", OPTION_ARG_OPTIONAL,
	"The exact sequence: blocks (default: address, instructions) or pcs", 0},
    {"from", KEY_FROM, "[KEY:]N", 0,
	"Begin to expand here. KEY: instruction (default), block, path, repeated, stratum, cycle", 0},
    {"to", KEY_TO, "[KEY:]N", 0, "End before this one, by the same key", 0},
    {"at", KEY_AT, "[KEY:]N", 0, "What ran at this place", 0},
    {"svg", KEY_SVG, "FILE", 0, "Draw the run over time: phases, hot paths, changes; the wheel zooms", 0},
    {"simpoint", KEY_SIMPOINT, "PREFIX", 0,
	"Write PREFIX.bb, .simpoints, .weights, .labels for SimPoint's users, .markers (docs/phases.md)", 0},
    {"log", KEY_LOG, "FILE", 0, "Write the summary into a log file too, whatever else is shown", 0},
    {"plugin", KEY_PLUGIN, "FILE[,OPTIONS]", 0,
	"Run an analysis of your own at blocks, paths and strata (host/phases/plugin.h)", 0},
    {"changes", KEY_CHANGES, NULL, 0, "Tell each phase change that the table notices, while the run is read", 0},
    {"wide", KEY_WIDE, NULL, 0, "Lines of any length, not 100 columns", 0},
    {"force", KEY_FORCE, NULL, 0, "Accept records of another build", 0},
    {0, 0, NULL, 0, "How layers are found, and how the table of paths is sorted:", 1},
    {"levels", KEY_LEVELS, "N", 0, "Paths, strata and N - 2 stratum layers (default 3, 2 to 8)", 1},
    {"stratum-length", KEY_STRATUM, "N", 0, "At most N repeated paths in a stratum (0: any number)", 1},
    {"sort-period", KEY_PERIOD, "N", 0, "Sort each N instructions, cycles or accesses (default 100000; 0: never)", 1},
    {"sort-clock", KEY_CLOCK, "WHAT", 0, "instructions (default), cycles or accesses", 1},
    {"sort-depth", KEY_DEPTH, "N", 0, "Sort buckets of more than N entries (default 1)", 1},
    {"sort-frequency", KEY_FREQUENCY, "N", 0, "Sort what has N accesses in a period or more (default 16)", 1},
    {"sort-by", KEY_BY, "WHAT", 0, "The accesses of an entry (default), or of a bucket", 1},
    {"sort-order", KEY_ORDER, "WHAT", 0, "descending (default) or ascending", 1},
    {"sort-buckets", KEY_BUCKETS, "N", 0, "2^N buckets, always; else they grow from 2^4", 1},
    {"level", KEY_LEVEL, "N", 0, "Of zstd, 1 to 19 (default 15; 12 where paths are short)", 1},
    {0},
};

/* "[KEY:]N" */
static bool parse_place(const char *text, enum phases_key *key, uint64_t *number)
{
	const char *colon = strchr(text, ':');
	*key = PHASES_INSTRUCTION;
	if (colon != NULL) {
		unsigned k = 0;
		while (k < PHASES_KEYS && (strlen(phases_key_name(k)) != (size_t)(colon - text) ||
					      strncmp(phases_key_name(k), text, (size_t)(colon - text)) != 0))
			k++;
		if (k == PHASES_KEYS)
			return false;
		*key = (enum phases_key)k;
		text = colon + 1;
	}
	return parse_number(text, UINT64_MAX, number);
}

static int phases_word_of(const char *value, const char *const *words, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(value, words[i]) == 0)
			return i;
	return -1;
}

static uint64_t phases_number_of(
    struct argp_state *state, const char *name, const char *value, uint64_t min, uint64_t max)
{
	uint64_t number;
	if (!parse_number(value, max, &number) || number < min)
		argp_error(
		    state, "--%s %s: a number from %" PRIu64 " to %" PRIu64 " is expected", name, value, min, max);
	return number;
}

static error_t parse_phases_table(int key, char *value, struct argp_state *state)
{
	static const char *const clocks[] = {"accesses", "instructions", "cycles"};
	static const char *const by[] = {"entry", "bucket"};
	static const char *const orders[] = {"descending", "ascending"};
	struct arguments *a = state->input;
	struct sorted_config *table = &a->layers.table;
	int word;
	switch (key) {
	case KEY_LEVELS:
		a->layers.levels = (unsigned)phases_number_of(state, "levels", value, 2, LAYERS_LEVELS_MAX);
		return 0;
	case KEY_STRATUM:
		a->layers.length_max[1] =
		    (uint32_t)phases_number_of(state, "stratum-length", value, 0, LAYERS_LENGTH_MAX);
		return 0;
	case KEY_PERIOD:
		table->period = phases_number_of(state, "sort-period", value, 0, UINT64_MAX);
		return 0;
	case KEY_CLOCK:
		if ((word = phases_word_of(value, clocks, 3)) < 0)
			argp_error(state, "--sort-clock %s: instructions, cycles or accesses is expected", value);
		table->clock = (enum sorted_clock)word;
		return 0;
	case KEY_DEPTH:
		table->depth = (uint32_t)phases_number_of(state, "sort-depth", value, 0, UINT32_MAX);
		return 0;
	case KEY_FREQUENCY:
		table->frequency = phases_number_of(state, "sort-frequency", value, 0, UINT64_MAX);
		return 0;
	case KEY_BY:
		if ((word = phases_word_of(value, by, 2)) < 0)
			argp_error(state, "--sort-by %s: entry or bucket is expected", value);
		table->threshold = (enum sorted_threshold)word;
		return 0;
	case KEY_ORDER:
		if ((word = phases_word_of(value, orders, 2)) < 0)
			argp_error(state, "--sort-order %s: descending or ascending is expected", value);
		table->order = (enum sorted_order)word;
		return 0;
	case KEY_BUCKETS:
		table->bits = (unsigned)phases_number_of(state, "sort-buckets", value, 1, 28);
		table->grow = false;
		return 0;
	case KEY_LEVEL:
		a->level = phases_number_of(state, "level", value, 1, 19);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool same_name(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static error_t parse_phases_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->format;
		return 0;
	case 'o':
		a->output = value;
		return 0;
	case 'n':
		a->top = phases_number_of(state, "top", value, 0, UINT32_MAX);
		return 0;
	case KEY_INTERVALS:
		a->intervals = phases_number_of(state, "intervals", value, 10, 10000);
		return 0;
	case KEY_DIFF:
		a->diff = value;
		return 0;
	case KEY_DETECTOR:
		for (a->detector = 0; a->detector < DETECTORS; a->detector++)
			if (strcmp(value, detector_name((unsigned)a->detector)) == 0)
				return 0;
		if (strcmp(value, "all") != 0)
			argp_error(state,
			    "--detector %s: branches, working-set, subroutine, blocks, table or all is expected",
			    value);
		return 0;
	case KEY_EXPAND:
		a->expand = true;
		a->instructions = value != NULL && strcmp(value, "pcs") == 0;
		if (value != NULL && !a->instructions && strcmp(value, "blocks") != 0)
			argp_error(state, "--expand=%s: blocks or pcs is expected", value);
		return 0;
	case KEY_FROM:
		if (!parse_place(value, &a->window.key, &a->window.from))
			argp_error(state, "--from %s: a number, or KEY:NUMBER, is expected", value);
		return 0;
	case KEY_TO:
		if (!parse_place(value, &a->window.to_key, &a->window.to))
			argp_error(state, "--to %s: a number, or KEY:NUMBER, is expected", value);
		return 0;
	case KEY_AT:
		a->has_at = true;
		if (!parse_place(value, &a->at_key, &a->at))
			argp_error(state, "--at %s: a number, or KEY:NUMBER, is expected", value);
		return 0;
	case KEY_SVG:
		a->svg = value;
		return 0;
	case KEY_SIMPOINT:
		a->simpoint = value;
		return 0;
	case KEY_LOG:
		a->log = value;
		return 0;
	case KEY_HEAT: {
		const int word = phases_word_of(value, phases_heat_names, HEATS);
		if (word < 0)
			argp_error(state,
			    "--heat %s: instructions, cycles, branches, loads, stores, calls, muldiv or float is "
			    "expected",
			    value);
		a->heat = (enum phases_heat)word;
		return 0;
	}
	case KEY_CORE:
		a->core = value;
		return 0;
	case KEY_PLUGIN:
		a->plugin = value;
		return 0;
	case KEY_CHANGES:
		a->changes = true;
		return 0;
	case KEY_WIDE:
		a->wide = true;
		return 0;
	case KEY_FORCE:
		a->force = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->program == NULL)
			a->program = value;
		else if (a->input == NULL)
			a->input = value;
		else
			argp_error(state, "a program and one input are expected, `%s' is too many", value);
		return 0;
	case ARGP_KEY_END:
		if (a->input == NULL)
			argp_error(
			    state, "a program (ELF) and an input (record file, phases file, or run) are expected");
		if (a->window.from != 0 && a->window.to != UINT64_MAX && a->window.to_key != a->window.key)
			argp_error(state, "--to counts %ss: --from counts %ss", phases_key_name(a->window.to_key),
			    phases_key_name(a->window.key));
		if (a->window.to < a->window.from)
			argp_error(state, "--to lies before --from");
		if (a->window.from == 0 && a->window.to != UINT64_MAX)
			a->window.key = a->window.to_key;
		if (same_name(a->svg, a->log) || same_name(a->svg, a->output) || same_name(a->log, a->output))
			argp_error(state, "--output, --svg and --log are files of their own");
		return 0;
	default:
		return parse_phases_table(key, value, state);
	}
}

/* Writes a file as a whole or not at all; never over an input. fill: returns enum STATUS_. */
static int write_whole(
    const struct arguments *a, const char *path, int (*fill)(const void *what, FILE *out), const void *what)
{
	const char *const inputs[] = {a->program, a->input, a->plugin};
	struct output *output;
	char detail[1024];
	if (output_open(&output, path, OUTPUT_REPLACE, &(struct output_inputs){inputs, sizeof inputs / sizeof *inputs},
		detail, sizeof detail) != OUTPUT_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (fill(what, output_file(output)) != STATUS_OK) {
		output_abandon(output);
		return STATUS_FAILED;
	}
	if (output_commit(output, detail, sizeof detail) != OUTPUT_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int fill_file(const void *what, FILE *out)
{
	const struct phases_bytes *bytes = what;
	fwrite(bytes->bytes, 1, bytes->used, out); /* output_commit() tells whether it was taken */
	return STATUS_OK;
}

static int fill_log(const void *what, FILE *out)
{
	phases_print(what, out);
	return STATUS_OK;
}

static int fill_svg(const void *what, FILE *out)
{
	return phases_print_svg(what, out);
}

/* Opens the phases file that is the input, or that the input becomes. */
static int open_phases_file(const struct arguments *a, struct phases_view *v, struct phases_bytes *out)
{
	const struct phases_making how = {
	    .layers = &a->layers, .level = a->level, .force = a->force, .changes = a->changes};
	char detail[512];
	uint8_t start[8];
	uint32_t build;
	int status = STATUS_OK;
	FILE *file = is_stream(a->input) ? NULL : fopen(a->input, "rb");
	const bool is_file = file != NULL && phases_is(start, fread(start, 1, sizeof start, file));
	if (file != NULL)
		fclose(file);
	if (!is_file && !is_stream(a->input)) {
		complain("%s: %s", a->input,
		    file == NULL ? strerror(errno)
				 : "neither a record file nor a phases file: make one with run --records");
		return STATUS_FAILED;
	}
	if (!is_file && (status = phases_make_file(&how, v, out)) == STATUS_FAILED)
		return status;
	int error = is_file ? phases_open(&v->file, a->input, detail, sizeof detail)
			    : phases_open_memory(&v->file, out->bytes, out->used, detail, sizeof detail);
	if (error != PHASES_OK) {
		complain("%s: %s", a->input, detail);
		return STATUS_FAILED;
	}
	if (is_file)
		phases_remainder(v);
	if (is_file && image_build(v->image, &build, NULL, 0) == IMAGE_OK && phases_header(v->file)->code_crc != 0 &&
	    phases_header(v->file)->code_crc != build) {
		complain("%s: is of another build than %s%s", a->input, a->program,
		    a->force ? "; used because of --force" : "; give the program that ran, or --force");
		if (!a->force)
			return STATUS_FAILED;
		status = STATUS_NO;
	}
	struct phases_damage damage;
	phases_damage(v->file, &damage);
	if (damage.chunks > 0 || damage.bytes > 0) {
		complain("%s: damaged: %s chunks with %s instructions are lost, %s bytes are no part of it", a->input,
		    with_commas(damage.chunks), with_commas(damage.instructions), with_commas(damage.bytes));
		status = STATUS_NO;
	}
	if (damage.no_end) {
		complain("%s: has no end: it is cut off, or whoever wrote it was stopped", a->input);
		status = STATUS_NO;
	}
	if (a->output != NULL && is_file) {
		complain("%s: is a phases file already; --output takes records", a->input);
		return STATUS_FAILED;
	}
	if (a->output != NULL && write_whole(a, a->output, fill_file, out) != STATUS_OK)
		return STATUS_FAILED;
	return status;
}

/* ---------------------------------------------------------------- forms */

static int phase_of(const struct phases_view *v, const char *text, size_t length)
{
	for (uint32_t p = 0; p < v->segments.phases; p++)
		if (strlen(phases_letter(p)) == length && strncmp(phases_letter(p), text, length) == 0)
			return (int)p;
	return -1;
}

static int show_diff(const struct arguments *a, const struct phases_view *v)
{
	const char *comma = strchr(a->diff, ',');
	const int one = comma == NULL ? -1 : phase_of(v, a->diff, (size_t)(comma - a->diff));
	const int two = comma == NULL ? -1 : phase_of(v, comma + 1, strlen(comma + 1));
	if (one < 0 || two < 0) {
		complain("--diff %s: two phases are expected, as A,B; this run has %" PRIu32 " (A to %s)", a->diff,
		    v->segments.phases, v->segments.phases > 0 ? phases_letter(v->segments.phases - 1) : "none");
		return STATUS_FAILED;
	}
	phases_print_diff(v, (uint32_t)one, (uint32_t)two, stdout);
	return STATUS_OK;
}

static int show_phases(const struct arguments *a, struct phases_view *v)
{
	if (a->expand)
		return phases_expand(v, a->window.key, a->window.from, a->window.to, a->instructions, stdout);
	if (a->has_at)
		return phases_print_place(v, a->at_key, a->at, stdout);
	if (a->plugin != NULL)
		return phases_run_plugin(v, a->plugin);
	const bool coarse = a->detector >= 0 || a->simpoint != NULL;
	int status = phases_analyse(v, coarse && a->intervals == 0 ? PHASES_COARSE : (uint32_t)a->intervals);
	if (status == STATUS_OK && a->svg != NULL)
		status = write_whole(a, a->svg, fill_svg, v);
	if (status == STATUS_OK && a->simpoint != NULL)
		status = phases_simpoint(v, a->simpoint);
	if (status == STATUS_OK && a->log != NULL)
		status = write_whole(a, a->log, fill_log, v);
	if (status != STATUS_OK)
		return status;
	if (a->diff != NULL)
		return show_diff(a, v);
	if (a->detector == DETECTORS)
		phases_print_agreement(v, stdout);
	else if (a->detector >= 0)
		phases_print_detector(v, (enum detector)a->detector, stdout);
	else if (a->format == TABLE_JSON)
		phases_print_json(v, stdout);
	else if (table_alone(a->format)) {
		complain_not_traced(v->input, &v->remainder);
		phases_put_phases(v, a->format, stdout, NULL);
	} else
		phases_print(v, stdout);
	return STATUS_OK;
}

int cmd_phases(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {options, parse_phases_option, "PROGRAM.elf INPUT",
	    "The whole run in order: its phases and their hot paths, any window of it, what ran when.\v"
	    "INPUT is a record file (rivulet run --records), a phases file (--output), the\n"
	    "events of a program with `rivulet insert --trace' (PROGRAM, or its twin), or\n"
	    "run[:NAME=VALUE,...]: the program on the golden model, with these words of its run configuration.\n"
	    "Exit status: 0; 1 if something of the run is missing or damaged; 2 if it cannot be shown.\n"
	    "Manual: docs/phases.md",
	    children, NULL, NULL};
	struct arguments a = {.top = 3, .detector = -1, .window = {.to = UINT64_MAX}};
	struct phases_view view = {0};
	struct core core;
	struct phases_bytes out = {0};
	char detail[1024];
	layers_config_default(&a.layers);
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	view.program = a.program;
	view.input = a.input;
	view.top = a.top;
	view.wide = a.wide;
	view.heat_by = a.heat;
	view.core = &core;
	int status = STATUS_FAILED;
	if (core_open(&core, a.core != NULL ? a.core : core_names[0], detail, sizeof detail) != CORE_OK)
		complain("%s", detail);
	else if (image_open(&view.image, a.program, detail, sizeof detail) != IMAGE_OK)
		complain("%s", detail);
	else {
		prefer_twin(&view.image, a.input);
		status = open_phases_file(&a, &view, &out);
	}
	if (status != STATUS_FAILED) {
		image_debug(view.image, detail, sizeof detail); /* without it there are no lines */
		phases_total(view.file, &view.total);
		view.bytes = out.used > 0 ? out.used : phases_size(view.file);
		const int shown = show_phases(&a, &view);
		status = shown > status ? shown : status;
		status = end_output(status);
	}
	phases_view_free(&view);
	image_close(view.image);
	free(out.bytes);
	return status;
}
