/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet paths: the acyclic paths that ran, function by function. */
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/paths.h"
#include "host/cmd/profiled.h"
#include "host/cmd/table_options.h"
#include "host/cmd/twin.h"

#include <argp.h>
#include <limits.h>
#include <string.h>
#include "host/cmd/cfg_print.h"
#include "host/cmd/cmd.h"
#include "host/cmd/operands.h"
#include "host/cmd/paths_regions.h"

COMMAND(120, paths, "the acyclic paths that ran, function by function, and how often");

enum { KEY_REGIONS = 256 };

enum form { BY_PATH, BY_FUNCTION, BY_EDGE, BY_BLOCK };

struct arguments {
	struct operands operands;
	const char *against, *function, *core;
	struct paths_view view;
	uint64_t limit;
	enum form form;
	const char *regions;
	enum table_format format;
	bool dot;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"top", 'n', "N", "Show the N hottest (default 20; 0: all)",
	OPTION_NUMBER(view.top, 0, UINT32_MAX, "a number of paths")},
    {"details", 'd', "K", "Show the blocks of the K hottest paths (default 1)",
	OPTION_NUMBER(view.details, 0, UINT32_MAX, "a number of paths")},
    {"by", 0, "WHAT", "path (default), function, edge or block", OPTION_WORD(form, "path, function, edge or block")},
    {"sort", 0, "ORDER", "count (default), instructions or cycles",
	OPTION_WORD(view.sort, "count, instructions or cycles")},
    {"function", 'f', "NAME", "This function only: its name, or an address in it", OPTION_TEXT(function)},
    {"pieces", 0, NULL, "Show pieces of paths too", OPTION_FLAG(view.pieces)},
    {"regions", KEY_REGIONS, "WHAT",
	"Paths of nested regions: loops (default), hammocks, all, or the regions that a file names (docs/regions.md)",
	OPTION_OWN, .flags = OPTION_ARG_OPTIONAL},
    {"dot", 0, NULL, "With --regions and --function: for Graphviz, a box around each region", OPTION_FLAG(dot)},
    {"against", 0, "INPUT", "Compare with a second input of the same program", OPTION_TEXT(against)},
    {"core", 0, "CORE",
	"Cycle rules of the core that ran: rivulet (default), rivulet-small, generic, hazard3, ibex, picorv32, or a "
	"file (docs/cycles.md); with "
	"--regions of counters: cycles by these rules, not instructions",
	OPTION_TEXT(core)},
    {"limit", 0, "N", "Number at most N paths from each block of records; longer ones are cut in parts",
	OPTION_NUMBER(limit, 1, NUMBERING_LIMIT, "a number from 1 to 2^62")},
    {"wide", 0, NULL, "Lines of any length, not 100 columns", OPTION_FLAG(view.wide)},
    OPTION_CHILD(operands),
    OPTION_CHILD(format),
    {0},
};

static error_t parse_paths_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_REGIONS:
		a->regions = value == NULL ? "loops" : value;
		return 0;
	case ARGP_KEY_END:
		if (a->regions != NULL && (a->against != NULL || a->form != BY_PATH || a->view.sort != PATHS_BY_COUNT))
			argp_error(state, "--regions does not go with --against, --by or --sort");
		if (a->against != NULL && table_alone(a->format))
			argp_error(
			    state, "--csv and --markdown have one input's table: --against is for text and --json");
		if (a->dot && a->format != TABLE_TEXT)
			argp_error(state, "--dot is a form of its own: it excludes --json, --csv and --markdown");
		if (a->dot && (a->regions == NULL || a->function == NULL))
			argp_error(state, "--dot needs --regions and --function");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void show_paths(const struct arguments *a, const struct source *source, const struct source *against)
{
	if (a->format == TABLE_JSON) {
		paths_print_json(source, against, &a->view, stdout);
		return;
	}
	if (table_alone(a->format)) {
		struct remainder remainder;
		source_remainder(source, &remainder);
		complain_not_traced(source->name, &remainder);
		if (a->form == BY_PATH)
			paths_put_paths(source, &a->view, a->format, NULL, stdout);
		else if (a->form == BY_FUNCTION)
			paths_put_functions(source, &a->view, a->format, NULL, stdout);
		else
			paths_put_flow(source, &a->view, a->form == BY_EDGE, a->format, stdout);
		return;
	}
	paths_print_summary(source, true, stdout);
	if (against != NULL)
		paths_print_common(source, against, stdout);
	if (a->form == BY_PATH)
		paths_print_paths(source, &a->view, stdout);
	else if (a->form == BY_FUNCTION) {
		printf("\n");
		paths_put_functions(source, &a->view, TABLE_TEXT, NULL, stdout);
	} else
		paths_print_flow(source, &a->view, a->form == BY_EDGE, stdout);
}

/* The command with --regions. */
static int show_regions(const struct arguments *a, const struct source_options *common)
{
	struct regions_source source = {.what = a->regions};
	const struct regions_view view = {.function = a->view.function,
	    .top = a->view.top,
	    .details = a->view.details,
	    .pieces = a->view.pieces,
	    .wide = a->view.wide};
	int status = regions_source_open(&source, a->operands.file, common);
	if (status != STATUS_FAILED) {
		if (a->format == TABLE_JSON)
			regions_print_json(&source, &view, stdout);
		else if (table_alone(a->format))
			regions_print_rows(&source, &view, a->format, stdout);
		else if (a->dot)
			regions_print_dot(&source, &view, stdout);
		else {
			if (source.counted == NULL)
				paths_print_summary(&source.source, false, stdout);
			else
				paths_print_not_traced(&source.source, stdout);
			regions_print(&source, &view, stdout);
		}
		if (source.total == 0) {
			complain("%s: has no traces", a->operands.file);
			status = STATUS_NO;
		}
		status = end_output(status);
	}
	regions_source_close(&source);
	return status;
}

/* Two that are compared stand on one graph: the map's if both are counters, else the program's. */
static int open_sources(
    struct source *source, struct source *against, const struct arguments *a, const struct source_options *common)
{
	int status = source_open(source, a->operands.file, common);
	if (status == STATUS_FAILED || a->against == NULL)
		return status;
	int second = source_open(against, a->against, common);
	if (second != STATUS_FAILED && (source->graph != NULL) != (against->graph != NULL)) {
		const bool again = source->graph != NULL;
		struct source *counters = again ? source : against;
		struct source_options own = *common;
		own.own_graph = true;
		source_close(counters);
		int one = source_open(counters, again ? a->operands.file : a->against, &own);
		status = again ? one : status;
		second = again ? second : one;
	}
	return second > status ? second : status;
}

int cmd_paths(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, parse_paths_option, "PROGRAM.elf INPUT",
	    "The acyclic paths that ran, function by function, with their exact counts if INPUT has the records in "
	    "order.\vINPUT is a record file (rivulet run --records), a profile or capture (pieces of paths only), the "
	    "path counters of an edited program (its twin stands beside it, or is PROGRAM), or "
	    "run[:NAME=VALUE,...], which runs the program on the golden model, with these words of its run "
	    "configuration.\n"
	    "Manual: docs/paths.md",
	    children, NULL, NULL};
	struct arguments a = {.operands = {.wanted = "a program (ELF) and an input (record file, profile, or run)"},
	    .view = {.function = CFG_NONE, .top = UINT64_MAX, .details = UINT_MAX}};
	struct source source = {0}, against = {0};
	struct image *image = NULL, *twin = NULL;
	struct cfg *cfg = NULL;
	struct core core;
	char detail[1024];
	int status = STATUS_FAILED;
	parse_options(&argp, options, argc, argv, 0, &a);
	if (a.view.top == UINT64_MAX) {
		if (a.format != TABLE_TEXT)
			a.view.top = 0;
		else if (a.regions != NULL)
			a.view.top = 10;
		else
			a.view.top = 20;
	}
	if (a.view.details == UINT_MAX)
		a.view.details = a.regions != NULL ? 5 : 1;

	if (core_open(&core, a.core == NULL ? core_names[0] : a.core, detail, sizeof detail) != CORE_OK) {
		complain("%s", detail);
		goto out;
	}
	if (image_open(&image, a.operands.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		goto out;
	}
	if (place_image(image, a.operands.file) != STATUS_OK)
		goto out;
	twin = open_twin(image, a.operands.file);
	if (!add_libraries(image, &a.operands, twin == NULL) ||
	    (twin != NULL && !add_libraries(twin, &a.operands, true)))
		goto out;
	struct image *shown = twin != NULL ? twin : image;
	image_debug(shown, detail, sizeof detail); /* without it there are no lines */
	if (cfg_open(&cfg, shown) != CFG_OK) {
		complain("%s: out of memory for its graphs", a.operands.program);
		goto out;
	}
	if (a.function != NULL && (a.view.function = cfg_choose(cfg, a.function)) == CFG_NONE) {
		complain("%s: there is no function `%s'; `rivulet cfg %s' lists them", a.operands.program, a.function,
		    a.operands.program);
		goto out;
	}
	const struct source_options common = {.program = a.operands.program,
	    .image = shown,
	    .ran = image,
	    .cfg = cfg,
	    .core = &core,
	    .rules = a.core,
	    .limit = a.limit,
	    .partial = a.operands.partial,
	    .force = a.operands.force};
	if (a.regions != NULL) {
		status = show_regions(&a, &common);
		goto out;
	}
	status = open_sources(&source, &against, &a, &common);
	if (status == STATUS_FAILED)
		goto out;
	if (a.view.sort == PATHS_BY_CYCLES && !paths_timed(&source)) {
		complain(
		    "%s: --sort cycles: its paths have no cycles; records in order have them (rivulet run --records)",
		    a.operands.file);
		status = STATUS_FAILED;
		goto out;
	}
	show_paths(&a, &source, a.against != NULL ? &against : NULL);
	if (source.graph != NULL && a.view.function != CFG_NONE &&
	    source.cfg->functions[a.view.function].block_count == 0) {
		complain("%s: has no counters of %s (rivulet insert --verbose says why)", a.operands.file, a.function);
		status = STATUS_NO;
	} else if (source.entries != NULL && source.count == 0) {
		complain("%s: has no traces", a.operands.file);
		status = STATUS_NO;
	}
	status = end_output(status);
out:
	source_close(&source);
	source_close(&against);
	cfg_close(cfg);
	image_close(twin);
	image_close(image);
	return status;
}
