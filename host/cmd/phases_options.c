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

enum { KEY_EXPAND = 256, KEY_FROM, KEY_TO, KEY_AT };

#define OPTIONS_OF struct phases_arguments
const struct option_row phases_options[] = {
    {"output", 'o', "FILE", "Write the phases file (docs/phases-format.md), which is read like the records",
	OPTION_TEXT(output)},
    {"top", 'n', "N", "Show the N hottest paths of each phase (default 3; 0: all)",
	OPTION_NUMBER(top, 0, UINT32_MAX, NULL)},
    {"intervals", 0, "N", "Cut the run into N intervals (default: 500, or 8000 where phases are short)",
	OPTION_NUMBER(intervals, 10, 10000, NULL)},
    {"heat", 0, "WHAT",
	"What makes a path hot: instructions (default), cycles, branches, loads, stores, calls, muldiv or float",
	OPTION_WORD(heat, "instructions, cycles, branches, loads, stores, calls, muldiv or float")},
    {"core", 0, "NAME|FILE", "The core whose cycles --heat cycles takes (default rivulet; docs/cycles.md)",
	OPTION_TEXT(core)},
    {"diff", 0, "A,B", "Functions of phase A beside those of phase B", OPTION_TEXT(diff)},
    {"detector", 0, "NAME",
	"Changes as branches, working-set, subroutine, blocks or table sees them; all: how far they agree",
	OPTION_WORD(detector, "branches, working-set, subroutine, blocks, table or all")},
    {"expand", KEY_EXPAND, "WHAT", "The exact sequence: blocks (default: address, instructions) or pcs", OPTION_OWN,
	.flags = OPTION_ARG_OPTIONAL},
    {"from", KEY_FROM, "[KEY:]N",
	"Begin to expand here. KEY: instruction (default), block, path, repeated, stratum, cycle", OPTION_OWN},
    {"to", KEY_TO, "[KEY:]N", "End before this one, by the same key", OPTION_OWN},
    {"at", KEY_AT, "[KEY:]N", "What ran at this place", OPTION_OWN},
    {"svg", 0, "FILE", "Draw the run over time: phases, hot paths, changes; the wheel zooms", OPTION_TEXT(svg)},
    {"simpoint", 0, "PREFIX",
	"Write PREFIX.bb, .simpoints, .weights, .labels for SimPoint's users, .markers (docs/phases.md)",
	OPTION_TEXT(simpoint)},
    {"clusters", 0, "PREFIX[,N]",
	"Phases are the clusters of SimPoint's PREFIX.labels, .simpoints, .weights; intervals those of PREFIX.bb, or "
	"all of "
	"N instructions",
	OPTION_TEXT(clusters)},
    {"log", 0, "FILE", "Write the summary into a log file too, whatever else is shown", OPTION_TEXT(log)},
    {"plugin", 0, "FILE[,OPTIONS]", "Run an analysis of your own at blocks, paths and strata (host/phases/plugin.h)",
	OPTION_TEXT(plugin)},
    {"changes", 0, NULL, "Tell each phase change that the table notices, while the run is read", OPTION_FLAG(changes)},
    {"wide", 0, NULL, "Lines of any length, not 100 columns", OPTION_FLAG(wide)},
    {"force", 0, NULL, "Accept records of another build", OPTION_FLAG(force)},
    {NULL, 0, NULL, "How layers are found, and how the table of paths is sorted:", OPTION_OWN, .group = 1},
    {"levels", 0, "N", "Find and show paths, strata and N - 2 stratum layers (default 3, 2 to 8)",
	OPTION_NUMBER(layers.levels, 2, LAYERS_LEVELS_MAX, NULL), .group = 1},
    {"stratum-length", 0, "N", "At most N repeated paths in a stratum (0: any number)",
	OPTION_NUMBER(layers.length_max[1], 0, LAYERS_LENGTH_MAX, NULL), .group = 1},
    {"sort-period", 0, "N", "Sort each N instructions, cycles or accesses (default 100000; 0: never)",
	OPTION_NUMBER(layers.table.period, 0, UINT64_MAX, NULL), .group = 1},
    {"sort-clock", 0, "WHAT", "instructions (default), cycles or accesses",
	OPTION_WORD_OF(layers.table.clock, "instructions, cycles or accesses", SORTED_INSTRUCTIONS, SORTED_CYCLES,
	    SORTED_ACCESSES),
	.group = 1},
    {"sort-depth", 0, "N", "Sort buckets of more than N entries (default 1)",
	OPTION_NUMBER(layers.table.depth, 0, UINT32_MAX, NULL), .group = 1},
    {"sort-frequency", 0, "N", "Sort what has N accesses in a period or more (default 16)",
	OPTION_NUMBER(layers.table.frequency, 0, UINT64_MAX, NULL), .group = 1},
    {"sort-by", 0, "WHAT", "The accesses of an entry (default), or of a bucket",
	OPTION_WORD(layers.table.threshold, "entry or bucket"), .group = 1},
    {"sort-order", 0, "WHAT", "descending (default) or ascending",
	OPTION_WORD(layers.table.order, "descending or ascending"), .group = 1},
    {"sort-buckets", 0, "N", "2^N buckets, always; else they grow from 2^4",
	OPTION_NUMBER(layers.table.bits, 1, 28, NULL), OPTION_ALSO(buckets_given), .group = 1},
    {"level", 0, "N", "Of zstd, for --output: 1 to 19 (default 15; 12 where paths are short)",
	OPTION_NUMBER(level, 1, 19, NULL), .group = 1},
    OPTION_CHILD(format),
    OPTION_OPERAND(program, "a program and one input are expected", NULL),
    OPTION_OPERAND(input, "a program and one input are expected",
	"a program (ELF) and an input (record file, phases file, or run) are expected"),
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

static bool same_name(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

error_t phases_parse_option(int key, char *value, struct argp_state *state)
{
	struct phases_arguments *a = state->input;
	switch (key) {
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
	case ARGP_KEY_END:
		if (a->buckets_given)
			a->layers.table.grow = false;
		if (a->window.from != 0 && a->window.to != UINT64_MAX && a->window.to_key != a->window.key)
			argp_error(state, "--to counts %ss: --from counts %ss", phases_key_name(a->window.to_key),
			    phases_key_name(a->window.key));
		if (a->window.to < a->window.from)
			argp_error(state, "--to lies before --from");
		if (a->window.from == 0 && a->window.to != UINT64_MAX)
			a->window.key = a->window.to_key;
		if (same_name(a->svg, a->log) || same_name(a->svg, a->output) || same_name(a->log, a->output))
			argp_error(state, "--output, --svg and --log are files of their own");
		if (a->format != TABLE_TEXT && (a->expand || a->has_at || a->plugin != NULL))
			argp_error(state, "--expand, --at and --plugin exclude --json, --csv and --markdown");
		if (a->diff != NULL && a->detector >= 0)
			argp_error(state, "--diff and --detector are a table each: one of them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
