/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cfg: the control-flow graphs of a program. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cfg_print.h"
#include "host/cmd/cmd.h"

COMMAND(110, cfg, "functions, basic blocks, edges, loops and calls of a program");

enum { KEY_DOT = 256, KEY_JSON, KEY_CALLS, KEY_INSNS };

struct arguments {
	const char *program, *function;
	bool dot, json, calls, insns;
};

static const struct argp_option options[] = {
    {"function", 'f', "NAME", 0, "This function only: its name, or an address in it", 0},
    {"dot", KEY_DOT, NULL, 0, "For Graphviz: the blocks of the function, or the call graph", 0},
    {"json", KEY_JSON, NULL, 0, "As JSON (docs/cfg.md)", 0},
    {"calls", KEY_CALLS, NULL, 0, "The call graph", 0},
    {"instructions", KEY_INSNS, NULL, 0, "Show the instructions of the blocks", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'f':
		a->function = value;
		return 0;
	case KEY_DOT:
		a->dot = true;
		return 0;
	case KEY_JSON:
		a->json = true;
		return 0;
	case KEY_CALLS:
		a->calls = true;
		return 0;
	case KEY_INSNS:
		a->insns = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->program != NULL)
			argp_error(state, "one program is expected, `%s' is too many", value);
		a->program = value;
		return 0;
	case ARGP_KEY_END:
		if (a->program == NULL)
			argp_error(state, "a program (ELF) is expected");
		if (a->dot && a->json)
			argp_error(state, "--dot and --json exclude each other");
		if (a->calls && a->function != NULL)
			argp_error(state, "--calls is about the whole program, --function about one function");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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

int cmd_cfg(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "PROGRAM.elf",
	    "Functions, basic blocks, edges, loops and calls of a program, found from its instructions; without "
	    "source, "
	    "and without symbols if need be.\vEverything that could not be resolved is counted and reported. Manual: "
	    "docs/cfg.md",
	    NULL, NULL, NULL};
	struct arguments a = {0};
	struct image *image = NULL;
	struct cfg *cfg = NULL;
	char detail[1024];
	int status = STATUS_FAILED;
	uint32_t function = CFG_NONE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);

	if (image_open(&image, a.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		goto out;
	}
	if (cfg_open(&cfg, image) != CFG_OK) {
		complain("%s: out of memory for its graphs", a.program);
		goto out;
	}
	if (a.function != NULL && (function = cfg_choose(cfg, a.function)) == CFG_NONE) {
		complain(
		    "%s: there is no function `%s'; `rivulet cfg %s' lists them, an address in the code (0x...) is "
		    "allowed too",
		    a.program, a.function, a.program);
		goto out;
	}
	status = STATUS_OK;
	int error = CFG_OK;
	if (a.json)
		error = cfg_json(cfg, function, a.calls, stdout);
	else if (a.dot && function != CFG_NONE)
		cfg_dot_function(cfg, function, a.insns, stdout);
	else if (a.dot)
		error = cfg_dot_calls(cfg, stdout);
	else if (function != CFG_NONE)
		cfg_text_function(cfg, function, a.insns, stdout);
	else if (a.calls)
		error = cfg_text_calls(cfg, stdout);
	else
		cfg_text(cfg, stdout);
	if (error != CFG_OK) {
		complain("%s: out of memory for its call graph", a.program);
		status = STATUS_FAILED;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("standard output: write error");
		status = STATUS_FAILED;
	}
out:
	cfg_close(cfg);
	image_close(image);
	return status;
}
