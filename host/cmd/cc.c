/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * rivulet cc: runs a compiler driver as given, but what it links is edited.
 *
 *   rivulet cc --paths -- gcc ... ──► gcc ... -B DIR ──► DIR/ld ──► rivulet cc --as-linker ──► ld, edited words,
 *   runtime
 *
 * The driver finds DIR/ld, a script in the cache, instead of its linker, and all the rest is its own work. What was
 * given travels in the environment (RIVULET_CC), one word a line.
 */
#include <argp.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cc/cache.h"
#include "host/cc/runtime.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/cmd/insert_gdb.h"
#include "host/cmd/parse_options.h"
#include "host/insert/budget.h"
#include "host/insert/reserved.h"

COMMAND(165, cc, "compile and link with counters: a compiler driver, run as given");

enum {
	KEY_PATHS = 256,
	KEY_EDGES,
	KEY_BLOCKS,
	KEY_REGIONS,
	KEY_CYCLES,
	KEY_TRACE,
	KEY_MAP,
	KEY_LIMIT,
	KEY_INSERT,
	KEY_RUNTIME,
	KEY_EXCLUDE,
	KEY_HASH,
	KEY_RESERVE,
	KEY_BUDGET,
	KEY_SWITCH
};

#define OPTIONS_OF struct cc_arguments
static const struct option_row options[] = {
    {"paths", KEY_PATHS, NULL, "Count the acyclic paths of each function (default)", OPTION_OWN, OPTION_NAMED(option)},
    {"edges", KEY_EDGES, NULL, "Count edges, those from which all others follow", OPTION_OWN, OPTION_NAMED(option)},
    {"blocks", KEY_BLOCKS, NULL, "Count the executions of each basic block", OPTION_OWN, OPTION_NAMED(option)},
    {"regions", KEY_REGIONS, "WHAT",
	"Count the paths of nested regions: loops (default), hammocks, all, or those that a file names "
	"(docs/regions.md)",
	OPTION_OWN, OPTION_NAMED(option), .flags = OPTION_ARG_OPTIONAL},
    {"cycles", KEY_CYCLES, NULL, "Add up the cycles that each call takes in the unedited program (docs/cycles.md)",
	OPTION_OWN, OPTION_NAMED(option)},
    {"trace", KEY_TRACE, NULL, "Write down each basic block that is executed, in order (rivulet phases)", OPTION_OWN,
	OPTION_NAMED(option)},
    {"map", KEY_MAP, NULL, "Put nothing into the code: the unedited twin of the program alone", OPTION_OWN,
	OPTION_ALSO(map), OPTION_NAMED(option)},
    {"no-twin", 0, NULL, "Do not link PROGRAM.twin, the unedited twin that the other commands read",
	OPTION_FLAG(no_twin)},
    {"contexts", 0, "N", "With --cycles: room for N contexts of calls (default 1024, on Linux 65536)",
	OPTION_NUMBER(contexts, 16, 1u << 24, "a number from 16 to 2^24")},
    {"hash", KEY_HASH, NULL,
	"Paths of functions with too many for an array are counted in a hash table (default for programs of Linux, "
	"unless --limit, --budget, --metric or --per-thread is given)",
	OPTION_OWN, OPTION_NAMED(option)},
    {"limit", KEY_LIMIT, "N", "At most N paths for a function; longer ones are cut in parts", OPTION_OWN,
	OPTION_NAMED(option)},
    {"budget", KEY_BUDGET, "BYTES",
	"With --paths, --regions: the program's counters take at most so much memory (16k); paths are cut so that they "
	"do "
	"(default: bare metal 16384, unless --limit or --hash is given; Linux none)",
	OPTION_OWN, OPTION_ALSO(budget_given)},
    {"switch", KEY_SWITCH, NULL,
	"Two versions of each function, one that counts: counting is switched off and on while the program runs, by "
	"RIVULET_SWITCH, a call or a debugger (docs/insert.md)",
	OPTION_OWN, OPTION_NAMED(option)},
    {"clock", 0, "CSR",
	"Bare metal: what the runtime reads where the program begins and ends, mcycle, cycle, time or none (default: "
	"mcycle if the code of the link stays in machine mode, else none)",
	OPTION_WORD_OF(clock, "mcycle, cycle, time or none", CC_MCYCLE, CC_CYCLE, CC_TIME, CC_NO_CLOCK)},
    {"reserve", KEY_RESERVE, "REG[,REG]",
	"Keep nothing in these registers, s5 or x21. Those that an object or archive of the link uses without saving "
	"them (global register variables, -ffixed-s5) are found",
	OPTION_OWN, OPTION_NAMED(option)},
    {"insert", KEY_INSERT, "OPTION", "Another option of `rivulet insert'; may be given more than once", OPTION_OWN},
    {"exclude", KEY_EXCLUDE, "PATTERN",
	"Objects and archives of this name stay as they are, besides crt*.o: start-up code, trap vectors; * and ? as "
	"in a "
	"shell",
	OPTION_OWN},
    {"runtime", KEY_RUNTIME, "NAME", "How the profile leaves, see below (default: linux, or else hook)", OPTION_OWN},
    {"cache", 0, "DIRECTORY",
	"Where edited files are kept (default: RIVULET_CACHE, or rivulet in the user's cache directory)",
	OPTION_TEXT(cache)},
    {"gdb", 0, "FILE", "Write commands for gdb, which dump the counters of a program that writes no profile",
	OPTION_TEXT(gdb)},
    {"verbose", 'v', NULL, "Say what is edited, and what was in the cache", OPTION_FLAG(verbose)},
    {"as-linker", 0, "NAME", NULL, OPTION_TEXT(as_linker), .flags = OPTION_HIDDEN},
    {0},
};

/* To `rivulet insert' as it was given. */
static void pass_option(struct cc_arguments *a, const char *value, const struct argp_state *state)
{
	char text[4096];
	if ((size_t)snprintf(text, sizeof text, value == NULL ? "--%s%s" : "--%s=%s", a->option,
		value == NULL ? "" : value) >= sizeof text)
		argp_error(state, "--%s: its value is too long", a->option);
	cc_push(&a->insert, text);
}

static error_t parse_cc_option(int key, char *value, struct argp_state *state)
{
	struct cc_arguments *a = state->input;
	uint64_t number;
	switch (key) {
	case KEY_PATHS:
	case KEY_EDGES:
	case KEY_BLOCKS:
	case KEY_REGIONS:
	case KEY_CYCLES:
	case KEY_TRACE:
	case KEY_MAP:
	case KEY_HASH:
	case KEY_SWITCH:
		pass_option(a, value, state);
		return 0;
	case KEY_LIMIT:
		if (!parse_number(value, 1u << 24, &number) || number == 0)
			argp_error(state, "--limit %s: a number from 1 to 2^24 is expected", value);
		pass_option(a, value, state);
		return 0;
	case KEY_BUDGET:
		if (!budget_parse(value, &a->budget))
			argp_error(
			    state, "--budget %s: a number of bytes is expected, such as 16384 or 16k, or none", value);
		return 0;
	case KEY_RESERVE:
		if (reserved_parse(value) == 0)
			argp_error(state,
			    "--reserve %s: registers are expected, such as s5,s6, x21 or t6; not zero, ra or sp",
			    value);
		pass_option(a, value, state);
		return 0;
	case KEY_INSERT:
		cc_push(&a->insert, value);
		a->map |= strcmp(value, "--map") == 0;
		return 0;
	case KEY_EXCLUDE:
		cc_push(&a->exclude, value);
		return 0;
	case KEY_RUNTIME:
		if (runtime_find(value) == NULL)
			argp_error(state, "--runtime %s: not a runtime; `rivulet help cc' lists them", value);
		a->runtime = value;
		return 0;
	case ARGP_KEY_ARG:
		return ARGP_ERR_UNKNOWN; /* all from here on is the driver's */
	case ARGP_KEY_ARGS:
		for (int i = state->next; i < state->argc; i++)
			cc_push(&a->driver, state->argv[i]);
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (a->driver.count == 0 && a->as_linker == NULL)
			argp_error(
			    state, "a compiler driver is expected: rivulet cc --paths -- riscv64-linux-gnu-gcc ...");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool runtime_row(size_t i, const char **name, const char **line)
{
	*name = runtimes[i].name;
	*line = runtimes[i].text;
	return *name != NULL;
}

static char *cc_help_filter(int key, const char *text, void *input)
{
	(void)input;
	return help_with_table(key, text, "Runtimes", runtime_row);
}

/* ---------------------------------------------------------------- the driver's side */

/* Whether the driver is going to link. */
static bool driver_links(const struct cc_words *driver)
{
	static const char *const others[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-###", "--version",
	    "-dumpmachine", "-dumpversion", "-dumpfullversion", "-dumpspecs", "--help", "--target-help"};
	bool any = false;
	for (size_t i = 1; i < driver->count; i++) {
		const char *word = driver->items[i];
		for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
			if (strcmp(word, others[k]) == 0)
				return false;
		}
		if (cc_begins(word, "-print-") || cc_begins(word, "--print-"))
			return false;
		any |= word[0] != '-';
	}
	return any;
}

/* The directory with the linker's stand-ins, by all names that drivers look for. */
static bool make_stand_ins(const struct cache *cache, char directory[CACHE_PATH])
{
	static const char script[] = "#!/bin/sh\nexec \"$" SELF "\" cc --as-linker=\"${0##*/}\" -- \"$@\"\n";
	static const char *const names[] = {"ld", "ld.bfd", "ld.lld", "ld.gold", "riscv64-unknown-elf-ld",
	    "riscv32-unknown-elf-ld", "riscv64-linux-gnu-ld", "riscv32-linux-gnu-ld"};
	snprintf(directory, CACHE_PATH, "%s/bin", cache->directory);
	if (mkdir(directory, 0777) != 0 && errno != EEXIST)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[CACHE_PATH + 64], have[sizeof script + 8] = "";
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		FILE *file = fopen(path, "r");
		size_t got = file == NULL ? 0 : fread(have, 1, sizeof have - 1, file);
		if (file != NULL)
			fclose(file);
		bool same = got == sizeof script - 1 && memcmp(have, script, got) == 0 && access(path, X_OK) == 0;
		if (!same && !cache_write_script(path, script))
			return false;
	}
	return true;
}

static int run_driver(struct cc_arguments *a)
{
	struct cache cache;
	char detail[CACHE_PATH + 256], directory[CACHE_PATH], option[CACHE_PATH + 8];
	const char *slash = strrchr(a->driver.items[0], '/'), *name = slash != NULL ? slash + 1 : a->driver.items[0];
	size_t length = strlen(name);
	if (strcmp(name, "ld") == 0 || cc_begins(name, "ld.") ||
	    (length > 3 && strcmp(name + length - 3, "-ld") == 0)) {
		complain("%s is a linker: give the compiler driver that runs it, such as riscv64-linux-gnu-gcc", name);
		return STATUS_FAILED;
	}
	if (driver_links(&a->driver)) {
		if (!cache_open(&cache, a->cache, detail, sizeof detail)) {
			complain("%s", detail);
			return STATUS_FAILED;
		}
		if (!make_stand_ins(&cache, directory)) {
			complain("%s: cannot be written: %s", directory, strerror(errno));
			return STATUS_FAILED;
		}
		if (!cc_set_state(a, &cache)) {
			complain("the command line cannot be passed on: it has a line end in it, or is too long");
			return STATUS_FAILED;
		}
		snprintf(option, sizeof option, "-B%s/", directory);
		cc_push(&a->driver, option);
	}
	execvp(a->driver.items[0], a->driver.items);
	complain("%s: cannot be run: %s", a->driver.items[0], strerror(errno));
	return STATUS_FAILED;
}

int cmd_cc(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse_cc_option, "[--] COMPILER ARGUMENTS...",
	    "Runs a compiler driver as given, and puts counters into every object and archive that it links, the C "
	    "library too, together with a runtime that writes the profile. For make and CMake: "
	    "CC=\"rivulet cc --paths -- riscv64-linux-gnu-gcc\".\v"
	    "Inputs are left as they are; edited files are kept in a cache by their content, so that the next link is "
	    "fast. Manual: docs/insert.md",
	    NULL, cc_help_filter, NULL};
	struct cc_arguments arguments = {0};
	parse_options(&argp, options, argc, argv, ARGP_IN_ORDER, &arguments);
	if (arguments.gdb != NULL && write_gdb_commands(arguments.gdb) != STATUS_OK)
		return STATUS_FAILED;
	return arguments.as_linker == NULL ? run_driver(&arguments) : cc_run_linker(&arguments);
}
