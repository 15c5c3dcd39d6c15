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
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/cc/cache.h"
#include "host/cc/runtime.h"
#include "host/cmd/cc.h"
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
	KEY_CACHE,
	KEY_RUNTIME,
	KEY_EXCLUDE,
	KEY_LINKER,
	KEY_GDB,
	KEY_HASH,
	KEY_NO_TWIN,
	KEY_CONTEXTS,
	KEY_RESERVE,
	KEY_CLOCK,
	KEY_BUDGET,
	KEY_SWITCH
};

static const struct argp_option options[] = {
    {"paths", KEY_PATHS, NULL, 0, "Count the acyclic paths of each function (default)", 0},
    {"edges", KEY_EDGES, NULL, 0, "Count edges, those from which all others follow", 0},
    {"blocks", KEY_BLOCKS, NULL, 0, "Count the executions of each basic block", 0},
    {"regions", KEY_REGIONS, "WHAT", OPTION_ARG_OPTIONAL,
	"Count the paths of nested regions: loops (default), hammocks, all, or those that a file names "
	"(docs/regions.md)",
	0},
    {"cycles", KEY_CYCLES, NULL, 0, "Add up the cycles that each call takes in the unedited program (docs/cycles.md)",
	0},
    {"trace", KEY_TRACE, NULL, 0, "Write down each basic block that is executed, in order (rivulet phases)", 0},
    {"map", KEY_MAP, NULL, 0, "Put nothing into the code: the unedited twin of the program alone", 0},
    {"no-twin", KEY_NO_TWIN, NULL, 0, "Do not link PROGRAM.twin, the unedited twin that the other commands read", 0},
    {"contexts", KEY_CONTEXTS, "N", 0, "With --cycles: room for N contexts of calls (default 1024, on Linux 65536)", 0},
    {"hash", KEY_HASH, NULL, 0,
	"Paths of functions with too many for an array are counted in a hash table (default for programs of Linux, "
	"unless --limit, --budget, --metric or --per-thread is given)",
	0},
    {"limit", KEY_LIMIT, "N", 0, "At most N paths for a function; longer ones are cut in parts", 0},
    {"budget", KEY_BUDGET, "BYTES", 0,
	"With --paths, --regions: the program's counters take at most so much memory (16k); paths are cut so that they "
	"do "
	"(default: bare metal 16384, unless --limit or --hash is given; Linux none)",
	0},
    {"switch", KEY_SWITCH, NULL, 0,
	"Two versions of each function, one that counts: counting is switched off and on while the program runs, by "
	"RIVULET_SWITCH, a call or a debugger (docs/insert.md)",
	0},
    {"clock", KEY_CLOCK, "CSR", 0,
	"Bare metal: what the runtime reads where the program begins and ends, mcycle, cycle, time or none (default: "
	"mcycle if the code of the link stays in machine mode, else none)",
	0},
    {"reserve", KEY_RESERVE, "REG[,REG]", 0,
	"Keep nothing in these registers, s5 or x21. Those that an object or archive of the link uses without saving "
	"them (global register variables, -ffixed-s5) are found",
	0},
    {"insert", KEY_INSERT, "OPTION", 0, "Another option of `rivulet insert'; may be given more than once", 0},
    {"exclude", KEY_EXCLUDE, "PATTERN", 0,
	"Objects and archives of this name stay as they are, besides crt*.o: start-up code, trap vectors; * and ? as "
	"in a "
	"shell",
	0},
    {"runtime", KEY_RUNTIME, "NAME", 0, "How the profile leaves, see below (default: linux, or else hook)", 0},
    {"cache", KEY_CACHE, "DIRECTORY", 0,
	"Where edited files are kept (default: RIVULET_CACHE, or rivulet in the user's cache directory)", 0},
    {"gdb", KEY_GDB, "FILE", 0, "Write commands for gdb, which dump the counters of a program that writes no profile",
	0},
    {"verbose", 'v', NULL, 0, "Say what is edited, and what was in the cache", 0},
    {"as-linker", KEY_LINKER, "NAME", OPTION_HIDDEN, NULL, 0},
    {0},
};

static bool push_cc_word(struct cc_words *words, const char *text)
{
	if (!array_room(&words->items, words->count + 2, &words->room))
		return false;
	words->items[words->count] = strdup(text);
	words->items[words->count + 1] = NULL;
	return words->items[words->count++] != NULL;
}

void cc_push(struct cc_words *words, const char *text)
{
	if (!push_cc_word(words, text)) {
		complain("out of memory");
		exit(STATUS_FAILED);
	}
}

void cc_drop(struct cc_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct cc_words){0};
}

static int clock_of(const char *name)
{
	static const struct {
		const char *name;
		int csr;
	} clocks[] = {{"mcycle", CC_MCYCLE}, {"cycle", CC_CYCLE}, {"time", CC_TIME}, {"none", CC_NO_CLOCK}};
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		if (strcmp(name, clocks[i].name) == 0)
			return clocks[i].csr;
	}
	return 0;
}

static error_t parse_cc_option(int key, char *value, struct argp_state *state)
{
	struct cc_arguments *a = state->input;
	char text[4096];
	uint64_t number;
	switch (key) {
	case KEY_PATHS:
		cc_push(&a->insert, "--paths");
		return 0;
	case KEY_EDGES:
		cc_push(&a->insert, "--edges");
		return 0;
	case KEY_BLOCKS:
		cc_push(&a->insert, "--blocks");
		return 0;
	case KEY_REGIONS:
		if (value == NULL) {
			cc_push(&a->insert, "--regions");
			return 0;
		}
		if ((size_t)snprintf(text, sizeof text, "--regions=%s", value) >= sizeof text)
			argp_error(state, "--regions: the file's name is too long");
		cc_push(&a->insert, text);
		return 0;
	case KEY_CYCLES:
		cc_push(&a->insert, "--cycles");
		return 0;
	case KEY_TRACE:
		cc_push(&a->insert, "--trace");
		return 0;
	case KEY_MAP:
		cc_push(&a->insert, "--map");
		a->map = true;
		return 0;
	case KEY_LIMIT:
		if (!parse_number(value, 1u << 24, &number) || number == 0)
			argp_error(state, "--limit %s: a number from 1 to 2^24 is expected", value);
		snprintf(text, sizeof text, "--limit=%s", value);
		cc_push(&a->insert, text);
		return 0;
	case KEY_BUDGET:
		if (!budget_parse(value, &a->budget))
			argp_error(
			    state, "--budget %s: a number of bytes is expected, such as 16384 or 16k, or none", value);
		a->budget_given = true;
		return 0;
	case KEY_CLOCK:
		if ((a->clock = clock_of(value)) == 0)
			argp_error(state, "--clock %s: mcycle, cycle, time or none is expected", value);
		return 0;
	case KEY_RESERVE:
		if (reserved_parse(value) == 0)
			argp_error(state,
			    "--reserve %s: registers are expected, such as s5,s6, x21 or t6; not zero, ra or sp",
			    value);
		if ((size_t)snprintf(text, sizeof text, "--reserve=%s", value) >= sizeof text)
			argp_error(state, "--reserve: too long");
		cc_push(&a->insert, text);
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
	case KEY_HASH:
		cc_push(&a->insert, "--hash");
		return 0;
	case KEY_SWITCH:
		cc_push(&a->insert, "--switch");
		return 0;
	case KEY_CONTEXTS:
		if (!parse_number(value, 1u << 24, &a->contexts) || a->contexts < 16)
			argp_error(state, "--contexts %s: a number from 16 to 2^24 is expected", value);
		return 0;
	case KEY_NO_TWIN:
		a->no_twin = true;
		return 0;
	case KEY_GDB:
		a->gdb = value;
		return 0;
	case KEY_CACHE:
		a->cache = value;
		return 0;
	case KEY_LINKER:
		a->as_linker = value;
		return 0;
	case 'v':
		a->verbose = true;
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
const char *cc_own_path(void)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0 ? path : "rivulet";
}

bool cc_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

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

bool cc_write_script(const char *path, const char *text)
{
	char part[CACHE_PATH + 32];
	snprintf(part, sizeof part, "%s.%ld.making", path, (long)getpid());
	FILE *file = fopen(part, "w");
	bool good = file != NULL && fputs(text, file) >= 0;
	if (file != NULL && fclose(file) != 0)
		good = false;
	good = good && chmod(part, 0755) == 0 && rename(part, path) == 0;
	if (!good)
		unlink(part);
	return good;
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
		if (!same && !cc_write_script(path, script))
			return false;
	}
	return true;
}

static bool add_settings_line(char **text, size_t *length, char kind, const char *value)
{
	size_t more = strlen(value) + 2;
	char *grown = strchr(value, '\n') == NULL ? realloc(*text, *length + more + 1) : NULL;
	if (grown == NULL)
		return false;
	*text = grown;
	snprintf(grown + *length, more + 1, "%c%s\n", kind, value);
	*length += more;
	return true;
}

static bool set_state(const struct cc_arguments *a, const struct cache *cache)
{
	char *text = NULL, number[24];
	size_t length = 0;
	bool good = add_settings_line(&text, &length, 'C', cache->directory);
	if (a->runtime != NULL)
		good = good && add_settings_line(&text, &length, 'R', a->runtime);
	if (a->verbose)
		good = good && add_settings_line(&text, &length, 'V', "");
	if (a->map)
		good = good && add_settings_line(&text, &length, 'M', "");
	if (a->no_twin)
		good = good && add_settings_line(&text, &length, 'T', "");
	snprintf(number, sizeof number, "%" PRIu64, a->budget);
	if (a->budget_given)
		good = good && add_settings_line(&text, &length, 'B', number);
	snprintf(number, sizeof number, "%d", a->clock);
	good = good && add_settings_line(&text, &length, 'K', number);
	snprintf(number, sizeof number, "%" PRIu64, a->contexts);
	good = good && add_settings_line(&text, &length, 'N', number);
	for (size_t i = 0; i < a->insert.count; i++)
		good = good && add_settings_line(&text, &length, 'I', a->insert.items[i]);
	for (size_t i = 0; i < a->exclude.count; i++)
		good = good && add_settings_line(&text, &length, 'X', a->exclude.items[i]);
	for (size_t i = 0; i < a->driver.count; i++)
		good = good && add_settings_line(&text, &length, 'D', a->driver.items[i]);
	good = good && setenv(STATE, text, 1) == 0 && setenv(SELF, cc_own_path(), 1) == 0;
	free(text);
	return good;
}

/* On the linker's side. */
bool cc_get_state(struct cc_arguments *a)
{
	const char *text = getenv(STATE);
	char line[PATH_MAX + 8];
	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, "\n");
		if (length == 0 || length >= sizeof line)
			return false;
		memcpy(line, text, length);
		line[length] = '\0';
		text += length + (text[length] == '\n');
		switch (line[0]) {
		case 'C':
			a->cache = strdup(line + 1);
			break;
		case 'R':
			a->runtime = strdup(line + 1);
			break;
		case 'V':
			a->verbose = true;
			break;
		case 'M':
			a->map = true;
			break;
		case 'B':
			a->budget_given = true;
			a->budget = strtoull(line + 1, NULL, 10);
			break;
		case 'K':
			a->clock = atoi(line + 1);
			break;
		case 'N':
			a->contexts = strtoull(line + 1, NULL, 10);
			break;
		case 'T':
			a->no_twin = true;
			break;
		case 'I':
			cc_push(&a->insert, line + 1);
			break;
		case 'X':
			cc_push(&a->exclude, line + 1);
			break;
		case 'D':
			cc_push(&a->driver, line + 1);
			break;
		default:
			return false;
		}
	}
	return a->driver.count > 0 && a->cache != NULL;
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
		if (!set_state(a, &cache)) {
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
	static const struct argp argp = {options, parse_cc_option, "[--] COMPILER ARGUMENTS...",
	    "Runs a compiler driver as given, and puts counters into every object and archive that it links, the C "
	    "library too, together with a runtime that writes the profile. For make and CMake: "
	    "CC=\"rivulet cc --paths -- riscv64-linux-gnu-gcc\".\v"
	    "Inputs are left as they are; edited files are kept in a cache by their content, so that the next link is "
	    "fast. Manual: docs/insert.md",
	    NULL, cc_help_filter, NULL};
	struct cc_arguments arguments = {0};
	parse_options(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	if (arguments.gdb != NULL && write_gdb_commands(arguments.gdb) != STATUS_OK)
		return STATUS_FAILED;
	return arguments.as_linker == NULL ? run_driver(&arguments) : cc_run_linker(&arguments);
}
