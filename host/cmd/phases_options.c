/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The options of the table of repeated paths and of its sorting are a group of their own: who gives them knows BHS. */
#include "host/cmd/phases_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/not_traced.h"
#include "host/base/output.h"
#include "host/cmd/profiled.h"
#include "host/cmd/stream.h"
#include "host/cmd/twin.h"
#include "host/records/records.h"

enum {
	KEY_EXPAND = 256,
	KEY_FROM,
	KEY_TO,
	KEY_AT,
	KEY_DETECTOR,
	KEY_INTERVALS,
	KEY_SVG,
	KEY_SIMPOINT,
	KEY_CLUSTERS,
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

const struct argp_option phases_options[] = {
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
    {"clusters", KEY_CLUSTERS, "PREFIX[,N]", 0,
	"Phases are the clusters of SimPoint's PREFIX.labels, .simpoints, .weights; intervals those of PREFIX.bb, or "
	"all of "
	"N instructions",
	0},
    {"log", KEY_LOG, "FILE", 0, "Write the summary into a log file too, whatever else is shown", 0},
    {"plugin", KEY_PLUGIN, "FILE[,OPTIONS]", 0,
	"Run an analysis of your own at blocks, paths and strata (host/phases/plugin.h)", 0},
    {"changes", KEY_CHANGES, NULL, 0, "Tell each phase change that the table notices, while the run is read", 0},
    {"wide", KEY_WIDE, NULL, 0, "Lines of any length, not 100 columns", 0},
    {"force", KEY_FORCE, NULL, 0, "Accept records of another build", 0},
    {0, 0, NULL, 0, "How layers are found, and how the table of paths is sorted:", 1},
    {"levels", KEY_LEVELS, "N", 0, "Find and show paths, strata and N - 2 stratum layers (default 3, 2 to 8)", 1},
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
	struct phases_arguments *a = state->input;
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

error_t phases_parse_option(int key, char *value, struct argp_state *state)
{
	struct phases_arguments *a = state->input;
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
	case KEY_CLUSTERS:
		a->clusters = value;
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
