/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* An option that run or report has is handed on as it is, so that it means the same here. */
#include "host/cmd/profile_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/cmd/profile_hosted.h"
#include "host/cmd/report.h"
#include "host/cmd/run_end.h"
#include "host/cmd/run_machine.h"
#include "host/cycles/core.h"

enum { KEY_CSV = 256, KEY_MARKDOWN, KEY_HOW, KEY_SYSTEM };
#define OPTIONS_OF struct profile_arguments
const struct option_row profile_options[] = {
    {"output", 'o', "FILE",
	"Write the run to FILE: a record file; with --collect the bytes that the program sent over the UART; for a "
	"program of Linux a profile",
	OPTION_TEXT(output)},
    {"records", 'r', "FILE",
	"Keep every trace in order, compressed: for timing, phases, view, dump, and for exact calls in `rivulet "
	"report'",
	OPTION_TEXT(records)},
    {"core", 'k', "CORE",
	"Of a program of Linux: estimate its cycles by the rules of this core: " CORE_NAMES
	", or a file of rules (docs/cycles.md)",
	OPTION_TEXT(core)},
    {"set", 's', "NAME=VALUE", "Change a word of the run configuration (common/run_config.h); may be repeated",
	OPTION_OWN},
    {"collect", 'c', "WAY",
	"As of run: stream, which is exact (default), or every, timer, sample, watermark ...: what the program's own "
	"driver collects and sends over the UART, run cycle by cycle. Of a program of Linux: edges, in less memory: "
	"exact counts of every instruction and branch, but no paths",
	OPTION_OWN},
    {"how", KEY_HOW, "WAY",
	"What runs the program: model (the golden model: bare metal, RV32), qemu (programs of Linux), or insert "
	"(counters in "
	"the program itself: says how to put them there). Default: what the program is for",
	OPTION_OWN},
    {"system", KEY_SYSTEM, "MACHINE",
	"A whole system: the words behind -- are a command line of qemu-system-riscv32 or -riscv64. With a MACHINE: "
	"run "
	"PROGRAM on that machine of qemu, bare metal; words behind -- are further ones for qemu",
	OPTION_OWN, .flags = OPTION_ARG_OPTIONAL},
    {"semihosting", 'S', "DIR", "Files that the program may use by semihosting (default: none; the console always)",
	OPTION_OWN},
    {"cycles", 'C', "N", "Stop after N cycles (also 10k, 2M, 1G)", OPTION_OWN},
    {"ram", 'R', "BYTES", "Size of the memory (also 256k, 4M)", OPTION_OWN},
    {"by", 'b', "WHAT", "As of report", OPTION_OWN},
    {"top", 'n', "N", "Show the N hottest (default 10; 0: all)", OPTION_OWN},
    {"json", 'j', NULL, "JSON instead of tables", OPTION_OWN},
    {"csv", KEY_CSV, NULL, "The table alone, as comma-separated values", OPTION_OWN},
    {"markdown", KEY_MARKDOWN, NULL, "The table alone, in Markdown: for a pull request", OPTION_OWN},
    {"quiet", 'q', NULL, "Do not show the program's output", OPTION_FLAG(quiet)},
    {0},
};

void profile_add_word(struct profile_words *words, const char *word)
{
	if (!array_room(&words->all, (size_t)words->count + 2, &words->room)) {
		words->failed = true;
		return;
	}
	words->all[words->count++] = (char *)(uintptr_t)word;
	words->all[words->count] = NULL;
}

void profile_free_words(struct profile_arguments *a)
{
	struct profile_words *const lists[] = {&a->run, &a->report, &a->rest, &a->programs, &a->emulator};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		free(lists[i]->all);
}

void profile_add_option(struct profile_words *words, const char *option, const char *value)
{
	profile_add_word(words, option);
	if (value != NULL)
		profile_add_word(words, value);
}

error_t profile_parse_option(int key, char *value, struct argp_state *state)
{
	struct profile_arguments *a = state->input;
	switch (key) {
	case 's':
		a->way = strncmp(value, "way=", 4) == 0 ? value + 4 : a->way;
		profile_add_option(&a->run, "--set", value);
		a->machine = true;
		return 0;
	case 'c':
		a->edges = strcmp(value, "edges") == 0;
		if (a->edges)
			return 0;
		a->way = value;
		profile_add_option(&a->run, "--collect", value);
		a->machine = true;
		return 0;
	case KEY_HOW:
		if (strcmp(value, "model") != 0 && strcmp(value, "qemu") != 0 && strcmp(value, "insert") != 0)
			argp_error(state, "--how: model, qemu or insert is expected, not `%s'", value);
		a->how = value;
		return 0;
	case 'S':
		a->guest = true;
		profile_add_option(&a->run, "--semihosting", value);
		a->machine = true;
		return 0;
	case 'C':
		profile_add_option(&a->run, "--cycles", value);
		a->machine = true;
		return 0;
	case 'R':
		profile_add_option(&a->run, "--ram", value);
		a->machine = true;
		return 0;
	case 'b':
		profile_add_option(&a->report, "--by", value);
		return 0;
	case 'n':
		profile_add_option(&a->report, "--top", value);
		return 0;
	case 'j':
		profile_add_option(&a->report, "--json", NULL);
		return 0;
	case KEY_CSV:
		profile_add_option(&a->report, "--csv", NULL);
		return 0;
	case KEY_MARKDOWN:
		profile_add_option(&a->report, "--markdown", NULL);
		return 0;
	case KEY_SYSTEM:
		a->system = true;
		a->board = value != NULL ? value : "";
		return 0;
	case ARGP_KEY_ARG:
		if (a->system)
			profile_add_word(&a->programs, value);
		else if (a->program == NULL)
			a->program = value;
		else if (state->quoted != 0)
			profile_add_word(&a->rest, value);
		else
			argp_error(
			    state, "one program is expected, `%s' is too many; its arguments come behind --", value);
		return 0;
	case ARGP_KEY_END:
		if (a->system && *a->board == '\0' && a->rest.count == 0)
			argp_error(
			    state, "--system: a command line of qemu is expected behind --, or --system=MACHINE");
		if (a->system ? *a->board != '\0' && a->programs.count == 0 : a->program == NULL)
			argp_error(state, "a program (ELF) is expected");
		if (a->run.failed || a->report.failed || a->rest.failed || a->programs.failed)
			argp_error(state, "out of memory");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
