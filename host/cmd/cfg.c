/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cfg: the control-flow graphs of a program. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cfg_print.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/table_options.h"

COMMAND(110, cfg, "functions, basic blocks, edges, loops and calls of a program");

struct arguments {
	struct profiled profiled;
	const char *function;
	enum table_format format;
	bool dot, calls, insns;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"function", 'f', "NAME", "This function only: its name, or an address in it", OPTION_TEXT(function)},
    {"dot", 0, NULL,
	"For Graphviz: the blocks of the function, or the call graph; with a profile: its counts, and heat",
	OPTION_FLAG(dot)},
    {"partial", 0, NULL, "Accept a damaged or incomplete profile", OPTION_FLAG(profiled.partial)},
    {"force", 0, NULL, "Accept a profile of another build", OPTION_FLAG(profiled.force)},
    {"calls", 0, NULL, "The call graph", OPTION_FLAG(calls)},
    {"instructions", 0, NULL, "Show the instructions of the blocks", OPTION_FLAG(insns)},
    OPTION_CHILD(format),
    OPTION_OPERAND(
	profiled.program, "a program, with --dot also a profile, is expected", "a program (ELF) is expected"),
    OPTION_OPERAND(profiled.file, "a program, with --dot also a profile, is expected", NULL),
    {0},
};

static error_t check_cfg_options(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	(void)value;
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (a->profiled.file != NULL && !a->dot)
		argp_error(state, "a profile is drawn with --dot; `%s' is too many without", a->profiled.file);
	if (a->dot && a->format != TABLE_TEXT)
		argp_error(state, "--dot is a form of its own: it excludes --json, --csv and --markdown");
	if (a->insns && a->format != TABLE_TEXT)
		argp_error(state, "--instructions stand between the rows of a text, or with --dot in its boxes");
	if (a->calls && a->function != NULL)
		argp_error(state, "--calls is about the whole program, --function about one function");
	if (a->insns && a->function == NULL)
		argp_error(state, "--instructions are those of one function: --function NAME");
	if (a->dot && !a->calls && a->function == NULL)
		argp_error(state, "--dot draws one function, --function NAME, or the call graph, --calls");
	return 0;
}

uint32_t cfg_choose(const struct cfg *cfg, const char *name)
{
	uint64_t address;
	uint32_t function = cfg_function_named(cfg, name);
	if (function == CFG_NONE && parse_number(name, UINT32_MAX, &address)) {
		uint32_t block = cfg_block_at(cfg, address);
		return block == CFG_NONE ? CFG_NONE : cfg->blocks[block].function;
	}
	return function;
}

static int show_cfg(const struct arguments *a, const struct cfg *cfg, uint32_t function)
{
	if (a->format == TABLE_JSON)
		return cfg_json(cfg, function, a->calls, stdout);
	if (table_alone(a->format))
		cfg_complain_doubts(cfg, a->profiled.program);
	if (a->dot && a->calls)
		return cfg_dot_calls(cfg, a->profiled.account, stdout);
	if (a->dot)
		cfg_dot_function(cfg, function, a->insns, a->profiled.account, stdout);
	else if (a->calls)
		return cfg_put_calls(cfg, a->format, stdout, NULL);
	else if (function != CFG_NONE)
		return a->format == TABLE_TEXT ? cfg_text_function(cfg, function, a->insns, stdout)
					       : cfg_put_blocks(cfg, function, a->format, stdout);
	else if (a->format == TABLE_TEXT)
		cfg_text(cfg, stdout);
	else
		cfg_put_functions(cfg, a->format, stdout);
	return CFG_OK;
}

int cmd_cfg(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, check_cfg_options, "PROGRAM.elf [PROFILE]",
	    "Functions, basic blocks, edges, loops and calls of a program, found from its instructions; without "
	    "source, "
	    "and without symbols if need be.\vEverything that could not be resolved is counted and reported. Manual: "
	    "docs/cfg.md",
	    children, NULL, NULL};
	struct arguments a = {0};
	struct cfg *cfg = NULL;
	char detail[1024];
	int status = STATUS_FAILED;
	uint32_t function = CFG_NONE;
	parse_options(&argp, options, argc, argv, 0, &a);

	int damaged = STATUS_OK;
	if (a.profiled.file != NULL) {
		damaged = open_profiled(&a.profiled);
		if (damaged == STATUS_FAILED)
			goto out;
		if (a.profiled.loaded.profile.total == 0) {
			complain("%s: has no traces", a.profiled.file);
			goto out;
		}
		int one = account_profiled(&a.profiled, ACCOUNT_BY_COST);
		if (one == STATUS_FAILED)
			goto out;
		damaged = one > damaged ? one : damaged;
	} else if (image_open(&a.profiled.image, a.profiled.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		goto out;
	}
	const struct image *image = a.profiled.image;
	if (cfg_open(&cfg, image) != CFG_OK) {
		complain("%s: out of memory for its graphs", a.profiled.program);
		goto out;
	}
	if (a.function != NULL && (function = cfg_choose(cfg, a.function)) == CFG_NONE) {
		complain(
		    "%s: there is no function `%s'; `rivulet cfg %s' lists them, an address in the code (0x...) is "
		    "allowed too",
		    a.profiled.program, a.function, a.profiled.program);
		goto out;
	}
	status = damaged;
	if (show_cfg(&a, cfg, function) != CFG_OK) {
		complain("%s: out of memory for its graphs", a.profiled.program);
		status = STATUS_FAILED;
	}
	status = end_output(status);
out:
	cfg_close(cfg);
	close_profiled(&a.profiled);
	return status;
}
