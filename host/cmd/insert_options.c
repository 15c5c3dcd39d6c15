/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Many options are of one profiler alone: which ones fit together is checked when all are known (ARGP_KEY_END). */
#include "host/cmd/insert_options.h"

#include <string.h>
#include "host/cmd/insert_gdb.h"
#include "host/cmd/insert_regions.h"
#include "host/cmd/insert_weights.h"
#include "sw/probe/cycles.h"
#include "host/insert/cost.h"
#include "host/insert/near.h"
#include "host/insert/regions_map.h"
#include "host/object/rewrite.h"
#include "host/regions/find.h"

enum { KEY_REGIONS = 256, KEY_METRIC, KEY_RESERVE, KEY_BUDGET, KEY_LEVEL, KEY_WAIT, KEY_CLASS };

#define OPTIONS_OF struct insert_arguments
const struct option_row insert_options[] = {
    {"output", 'o', "FILE", "Where the edited file goes; may be the input", OPTION_TEXT(output)},
    {"paths", 0, NULL, "Count the acyclic paths of each function (default)", OPTION_SET(options.mode, INSERT_PATHS)},
    {"edges", 0, NULL, "Count the edges of each function, those that cannot be derived from others",
	OPTION_SET(options.mode, INSERT_EDGES)},
    {"blocks", 0, NULL, "Count the executions of each basic block", OPTION_SET(options.mode, INSERT_BLOCKS)},
    {"regions", KEY_REGIONS, "WHAT",
	"Count the paths of each region: loops (default), hammocks, all of both, or the regions that a file names, "
	"with "
	"--original (docs/regions.md)",
	OPTION_OWN, .flags = OPTION_ARG_OPTIONAL},
    {"embodiment", 0, "WHICH",
	"With --regions: region (an array for each), global (one array for a function), or best (default)",
	OPTION_WORD_OF(
	    options.embodiment, "best, region or global", INSERT_BEST, INSERT_REGION_BASED, INSERT_GLOBAL_BASED)},
    {"cycles", 0, NULL, "Add up the cycles that each call takes in the unedited program, by caller (docs/cycles.md)",
	OPTION_SET(options.mode, INSERT_CYCLES)},
    {"original", 0, "PROGRAM.elf",
	"For --cycles and --regions=FILE: the unedited program, linked from the same files edited by --map",
	OPTION_TEXT(program)},
    {"core", 0, "CORE",
	"For --cycles: rules of the core, rivulet (default), rivulet-small, generic, hazard3, ibex, picorv32, or a "
	"file",
	OPTION_TEXT(core)},
    {"wait", KEY_WAIT, "NAME[=CLASS]",
	"With --cycles: NAME, a function or `ecall', takes as long as something else lets it: a timer around it, and a "
	"row "
	"of its own; CLASS: device (default), system (default of ecall), wait, or input, which is not charged. May be "
	"repeated",
	OPTION_OWN},
    {"class", KEY_CLASS, "CLASS",
	"With --cycles: what these instructions take is a row of its own, not of their functions: divide or multiply. "
	"May be repeated",
	OPTION_OWN},
    {"trace", 0, NULL, "Write down each basic block that is executed, in order (rivulet phases)",
	OPTION_SET(options.mode, INSERT_TRACE)},
    {"map", 0, NULL,
	"Put nothing into the code, only say which blocks would be counted: for the unedited twin of a program, with "
	"which its profile can be read too",
	OPTION_FLAG(map)},
    {"limit", 0, "N", "At most N paths from a block (default 4096, with --hash 2^27); longer ones are cut in parts",
	OPTION_NUMBER(options.limit, 1, 1u << 27, "a number from 1 to 2^27")},
    {"metric", KEY_METRIC, "CSR",
	"With --paths: what this counter of the core gains on each path: cycle, instret, hpmcounter3 to 31, in machine "
	"mode mcycle, minstret, mhpmcounter3 to 31, or a number",
	OPTION_OWN},
    {"hash", 0, NULL, "With --paths, --regions: paths that are too many for an array are counted in a hash table",
	OPTION_FLAG(options.hash)},
    {"array", 0, "N", "With --hash: an array for up to N paths of a function or region (default 4096)",
	OPTION_NUMBER(options.array, 1, 1u << 24, "a number from 1 to 2^24")},
    {"wide", 0, NULL, "Counters of 64 bits on RV32 too: none starts again after 2^32 counts",
	OPTION_FLAG(options.wide)},
    {"atomic", 0, NULL,
	"Count with one instruction of the A extension, so that threads and interrupt handlers lose no count",
	OPTION_FLAG(options.atomic)},
    {"per-thread", 0, NULL,
	"Each thread counts for itself (Linux, static programs): none loses a count, without the A extension",
	OPTION_FLAG(options.per_thread)},
    {"switch", 0, NULL,
	"Two versions of each function, one that counts: the runtime switches between them while the program runs",
	OPTION_FLAG(options.switched)},
    {"weights", 0, "PROFILE", "Put code where this earlier profile, sampled or whole, says that the program seldom is",
	OPTION_TEXT(weights)},
    {"weights-of", 0, "PROGRAM.elf",
	"For --weights: the program that ran, linked from the same files edited by --map or otherwise",
	OPTION_TEXT(weights_of)},
    {"gdb", 0, "FILE",
	"Write commands for gdb, which dump the counters of a program that writes no profile; needs no object",
	OPTION_TEXT(gdb)},
    {"near", 0, "BYTES",
	"Small data for the counters of an object that are counted most often: the linker makes their addresses "
	"shorter "
	"(default 512, with --weights 1536; 0: none)",
	OPTION_NUMBER(options.near, 0, 4096, "a number of bytes up to 4096"), OPTION_ALSO(near)},
    {"budget", KEY_BUDGET, "BYTES",
	"With --paths, --regions: counters of an object take at most so much (4k); paths of functions are cut so that "
	"they "
	"do, where loops are last (0 or none: no budget, the default)",
	OPTION_OWN},
    {"level", KEY_LEVEL, "N", NULL, OPTION_OWN, .flags = OPTION_HIDDEN},
    {"early", 0, NULL,
	"With --cycles, --trace, --hash: no counters in memcpy() and memmove(), which start-up code calls before "
	"variables "
	"have their values (rivulet cc finds out)",
	OPTION_FLAG(options.early)},
    {"reserve", KEY_RESERVE, "REG[,REG]",
	"Keep nothing in these registers, s5 or x21: global register variables of another object of the link. Those "
	"of this file are found; none: it is not looked for what all members of an archive must leave alone. May be "
	"repeated",
	OPTION_OWN},
    {"compiler", 0, "DRIVER", "Of a linked program: what compiles the runtime (default riscv64-linux-gnu-gcc)",
	OPTION_TEXT(compiler)},
    {"quiet", 'q', NULL, "No summary", OPTION_FLAG(quiet)},
    {"verbose", 'v', NULL, "Say which functions were left, and why", OPTION_FLAG(verbose)},
    OPTION_OPERAND(input, "one file is expected", NULL),
    {0},
};

struct word {
	const char *text;
	unsigned value;
};
static const struct word find_words[] = {{"loops", REGIONS_FIND_LOOPS}, {"hammocks", REGIONS_FIND_HAMMOCKS},
    {"all", REGIONS_FIND_LOOPS | REGIONS_FIND_HAMMOCKS}, {0}};

static bool choose_word(const char *text, const struct word *words, unsigned *value)
{
	while (words->text != NULL && strcmp(words->text, text) != 0)
		words++;
	*value = words->value;
	return words->text != NULL;
}

/* NAME[=CLASS] */
static void add_wait(struct insert_arguments *a, char *value, struct argp_state *state)
{
	static const struct word class_words[] = {{"wait", RIVULET_CYCLES_WAIT}, {"system", RIVULET_CYCLES_SYSTEM},
	    {"device", RIVULET_CYCLES_DEVICE}, {"input", RIVULET_CYCLES_INPUT}, {0}};
	char *class = strchr(value, '=');
	unsigned number = strcmp(value, "ecall") == 0 ? RIVULET_CYCLES_SYSTEM : RIVULET_CYCLES_DEVICE;
	if (class != NULL && !choose_word(class + 1, class_words, &number))
		argp_error(state, "--wait %s: wait, system, device or input is expected behind `='", value);
	if (class != NULL)
		*class = '\0';
	if (*value == '\0' || a->options.wait_count == INSERT_WAITS_MAX)
		argp_error(state, "--wait: the name of a function is expected, %d at most", INSERT_WAITS_MAX);
	a->waits[a->options.wait_count++] = (struct insert_wait){value, number};
	a->options.waits = a->waits;
}

/* Number of a counter's CSR; 0: none. */
static uint32_t metric_of(const char *text)
{
	static const struct word words[] = {
	    {"cycle", 0xC00}, {"time", 0xC01}, {"instret", 0xC02}, {"mcycle", 0xB00}, {"minstret", 0xB02}, {0}};
	bool machine = strncmp(text, "mhpmcounter", 11) == 0;
	unsigned number;
	uint64_t value;
	if (choose_word(text, words, &number))
		return number;
	if ((machine || strncmp(text, "hpmcounter", 10) == 0) && parse_number(text + (machine ? 11 : 10), 31, &value) &&
	    value >= 3)
		return (machine ? 0xB00u : 0xC00u) + (uint32_t)value;
	return parse_number(text, 0xFFF, &value) ? (uint32_t)value : 0;
}

error_t insert_parse_option(int key, char *value, struct argp_state *state)
{
	static const struct word class_words[] = {
	    {"divide", RIVULET_CYCLES_DIVIDE}, {"multiply", RIVULET_CYCLES_MULTIPLY}, {0}};
	struct insert_arguments *a = state->input;
	unsigned class;
	switch (key) {
	case KEY_REGIONS:
		a->options.mode = INSERT_REGIONS;
		a->regions = choose_word(value == NULL ? "loops" : value, find_words, &a->options.find) ? NULL : value;
		return 0;
	case KEY_WAIT:
		add_wait(a, value, state);
		return 0;
	case KEY_CLASS:
		if (!choose_word(value, class_words, &class))
			argp_error(state,
			    "--class %s: divide or multiply is expected; what waits is a row of its own (--wait)",
			    value);
		a->classes |= 1u << class;
		return 0;
	case KEY_METRIC:
		a->options.wide = true; /* sums are large */
		if ((a->options.metric = metric_of(value)) == 0)
			argp_error(state,
			    "--metric %s: cycle, instret, mcycle, minstret, hpmcounter3 to 31, mhpmcounter3 to 31, or "
			    "a CSR's number is expected",
			    value);
		return 0;
	case KEY_BUDGET:
		if (!budget_parse(value, &a->budget))
			argp_error(
			    state, "--budget %s: a number of bytes is expected, such as 16384 or 16k, or none", value);
		return 0;
	case KEY_LEVEL: {
		uint64_t level;
		if (!parse_number(value, BUDGET_LEVELS, &level))
			argp_error(state, "--level %s: it is what `rivulet cc' says", value);
		a->options.level = (unsigned)level;
		return 0;
	}
	case KEY_RESERVE: {
		uint32_t registers = reserved_parse(value);
		if (registers == 0 && strcmp(value, "none") != 0)
			argp_error(state,
			    "--reserve %s: registers are expected, such as s5,s6, x21 or t6; not zero, ra or sp",
			    value);
		a->options.reserved |= registers;
		a->told |= registers == 0;
		return 0;
	}
	case ARGP_KEY_END:
		if (a->gdb != NULL && a->input == NULL && a->output == NULL)
			return 0;
		if (a->input == NULL || a->output == NULL)
			argp_error(state, "an object, archive or program and -o FILE are expected");
		if (a->options.mode != INSERT_REGIONS)
			a->regions = NULL;
		if (a->regions != NULL && a->program == NULL)
			argp_error(state,
			    "--regions=%s: loops, hammocks or all is expected, or a file that names regions, with "
			    "--original PROGRAM.elf",
			    a->regions);
		if ((a->options.mode == INSERT_CYCLES || a->regions != NULL) != (a->program != NULL))
			argp_error(state, a->program == NULL ? "--cycles needs --original PROGRAM.elf"
							     : "--original is for --cycles and --regions=FILE");
		if (a->budget > 0 && a->options.mode != INSERT_PATHS && a->options.mode != INSERT_REGIONS)
			argp_error(
			    state, "--budget is for --paths and --regions: other counters are no more than the edges");
		if (a->options.wide && a->options.atomic)
			argp_error(
			    state, "--wide and --atomic exclude each other: no instruction adds 64 bits on RV32");
		if (a->options.per_thread && (a->options.atomic || a->options.hash))
			argp_error(state, "--per-thread excludes --atomic and --hash");
		if (a->options.per_thread && a->options.mode != INSERT_PATHS && a->options.mode != INSERT_EDGES &&
		    a->options.mode != INSERT_BLOCKS && a->options.mode != INSERT_REGIONS)
			argp_error(state, "--per-thread is for --paths, --edges, --blocks and --regions");
		if (a->options.switched &&
		    (a->options.mode == INSERT_CYCLES || a->options.mode == INSERT_TRACE || a->options.metric != 0))
			argp_error(state,
			    "--switch is for --paths, --edges, --blocks and --regions: cycles, sums and traces go on "
			    "from one call to the next");
		if (a->options.hash && a->options.mode != INSERT_PATHS && a->options.mode != INSERT_REGIONS)
			argp_error(state, "--hash is for --paths and --regions");
		if (a->options.metric != 0 && (a->options.hash || a->options.atomic || a->options.mode != INSERT_PATHS))
			argp_error(state, "--metric is for --paths, and excludes --hash and --atomic");
		if (a->options.array != 0 && !a->options.hash)
			argp_error(state, "--array is for --hash");
		if ((a->weights != NULL) != (a->weights_of != NULL))
			argp_error(state, "--weights PROFILE and --weights-of PROGRAM.elf go together");
		if (a->options.wait_count > 0 && a->options.mode != INSERT_CYCLES)
			argp_error(state, "--wait is for --cycles");
		if (a->classes != 0 && a->options.mode != INSERT_CYCLES)
			argp_error(state, "--class is for --cycles");
		if (a->core != NULL && a->options.mode != INSERT_CYCLES)
			argp_error(state, "--core is for --cycles");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
