/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The unit has a table if it is asked for by --table, or if the program is to collect with one: then it has the size
 * that --help names. */
#include "host/cmd/run_options.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/cmd/run_check.h"
#include "host/cmd/run_end.h"
#include "host/cmd/run_fast.h"
#include "host/cmd/run_machine.h"
#include "host/cmd/run_profile.h"
#include "host/cmd/run_records.h"
#include "host/cmd/run_ring.h"
#include "host/cmd/run_show.h"
#include "host/cmd/run_text.h"
#include "host/cmd/run_written.h"
#include "host/walk/follow.h"
#include "model/run.h"

enum { KEY_RAM = 256, KEY_GDB, KEY_COLLECT, KEY_TABLE, KEY_CSR_BASE, KEY_SINK };

#define TABLE_ENTRIES 1024u /* as --help says */
#define TABLE_WAYS 4u

#define OPTIONS_OF struct run_arguments
const struct option_row run_options[] = {
    {"set", 's', "NAME=VALUE", "Change a word of the run configuration (common/run_config.h); may be repeated",
	OPTION_OWN},
    {"collect", KEY_COLLECT, "WAY",
	"How the program collects: every (interrupt at each trace), timer, sample, watermark (batches of samples), "
	"adapt, fill, full, table (the unit counts), stream (all, for --profile and --records: their default), off",
	OPTION_OWN},
    {"table", KEY_TABLE, "ENTRIES[xWAYS]",
	"The hot-trace table of the trace unit: 0 (none) or 64 to 4096 entries in sets of 1, 2 or 4; 1024x4 with "
	"--collect table",
	OPTION_OWN, OPTION_ALSO(table_given)},
    {"profile", 0, "FILE", "Write the exact profile: all records of the trace unit's record port",
	OPTION_TEXT(profile)},
    {"records", 0, "FILE", "Write all records of the record port, in order (docs/record-format.md)",
	OPTION_TEXT(records)},
    {"ring", 0, "FILE",
	"Keep the last records in a flight recorder of 1 KiB, and write its dump, for `rivulet postmortem'",
	OPTION_TEXT(ring)},
    {"sink", KEY_SINK, "BYTES",
	"The trace unit counts in its table, and writes what that throws out to a ring of BYTES (a power of two) in "
	"memory: the program is never interrupted. For --profile. program: it has a driver of its own",
	OPTION_OWN},
    {"freeze", 0, "WHEN",
	"With --ring: trap (a fault; the default), trap:MASK, reached:ADDRESS, left:FIRST:BEHIND, late:FROM:TO:CYCLES, "
	"end, program",
	OPTION_TEXT(freeze)},
    {"divisors", 0, "FILE",
	"Write the divisors of divisions that nearly always have the same one, for `rivulet optimise --divisors'",
	OPTION_TEXT(divisors)},
    {"interrupts", 0, "FILE",
	"Write how long interrupts waited, from the cause to the handler's first instruction (docs/timing.md)",
	OPTION_TEXT(interrupts)},
    {"uart", 0, "FILE",
	"Write the bytes sent over the UART; -: to standard output, as they come, in the place of their text",
	OPTION_TEXT(uart)},
    {"signature", 0, "FILE", "Write what lies between begin_signature and end_signature", OPTION_TEXT(signature)},
    {"cycles", 0, "N", "Stop after N cycles (also 10k, 2M, 1G)",
	OPTION_AMOUNT(cycles, 1000, 1, UINT64_MAX, "a number from 1 on")},
    {"instructions", 0, "N", "Stop after N instructions",
	OPTION_AMOUNT(instructions, 1000, 1, UINT64_MAX, "a number from 1 on")},
    {"ram", KEY_RAM, "BYTES", "Size of the memory, a multiple of 4, at most 64 MiB (also 256k, 4M)", OPTION_OWN},
    {"map", 0, "MAP",
	"Memory of a chip (fe310, gd32vf103, ch32v, esp32-c3), or BASE+SIZE,BASE+SIZE: RAM first. Without it: by the "
	"addresses that the program is linked for",
	OPTION_TEXT(map)},
    {"csr-base", KEY_CSR_BASE, "NUMBER",
	"First of the trace unit's CSRs: 0x7C0 or 0xBC0, the core's TRACE_CSR_BASE (those that the program uses)",
	OPTION_OWN},
    {"check-walk", 0, NULL, "Follow every record through the program and compare with what was executed",
	OPTION_FLAG(check)},
    {"fast", 0, NULL,
	"Many times faster, with the same result, cycles and exact profile; traces only with --profile or --records",
	OPTION_FLAG(fast)},
    {"semihosting", 0, "DIR", "RISC-V semihosting calls, files below DIR only; implies --fast",
	OPTION_TEXT(semihosting), OPTION_ALSO(fast)},
    {"gdb", KEY_GDB, "PORT", "Wait for gdb on this port of localhost (0: any); implies --fast", OPTION_OWN},
    {"quiet", 'q', NULL, "No progress and no summary", OPTION_FLAG(quiet)},
    {0},
};

static bool is_way(const char *name)
{
	static const char *const ways[] = {
#define RUN_WAY(name, word, header, text) word,
	    RUN_WAY_LIST(RUN_WAY)
#undef RUN_WAY
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (strcmp(name, ways[i]) == 0)
			return true;
	}
	return false;
}

static bool power_of_two(uint64_t value, uint64_t least, uint64_t most)
{
	return value >= least && value <= most && (value & (value - 1)) == 0;
}

/* "256x2", "1024", "0" */
static bool parse_table_size(struct run_arguments *a, const char *value)
{
	char entries[16];
	const char *ways = strchr(value, 'x');
	size_t length = ways != NULL ? (size_t)(ways - value) : strlen(value);
	a->table_ways = TABLE_WAYS;
	if (length >= sizeof entries || (ways != NULL && !parse_number(ways + 1, 4, &a->table_ways)))
		return false;
	memcpy(entries, value, length);
	entries[length] = '\0';
	return parse_number(entries, 4096, &a->table) && power_of_two(a->table_ways, 1, 4) &&
	       (a->table == 0 || power_of_two(a->table, 64, 4096));
}

static bool collects_table(const struct run_arguments *a)
{
	bool collects = a->sink != 0 || a->sink_program || (a->collect != NULL && strcmp(a->collect, "table") == 0);
	for (unsigned i = 0; i < a->setting_count; i++)
		collects = collects || strcmp(a->settings[i], "way=table") == 0;
	return collects;
}

/* The unit gets a table if it is asked for, or if the program is to collect with one. */
void run_set_table(const struct run_arguments *a, struct trace_config *unit)
{
	if (a->table_given)
		trace_config_table(unit, (unsigned)a->table, (unsigned)a->table_ways);
	else if (collects_table(a))
		trace_config_table(unit, TABLE_ENTRIES, TABLE_WAYS);
}

static void add_argument(struct run_arguments *a, const char *value, struct argp_state *state)
{
	size_t used = strlen(a->command);
	if (used + strlen(value) + 2 > sizeof a->command)
		argp_error(state, "the program's arguments are longer than %zu bytes", sizeof a->command - 1);
	snprintf(a->command + used, sizeof a->command - used, " %s", value);
}

error_t run_parse_option(int key, char *value, struct argp_state *state)
{
	struct run_arguments *a = state->input;
	switch (key) {
	case 's':
		if (strchr(value, '=') == NULL)
			argp_error(state, "--set %s: name=value is expected", value);
		if (a->setting_count == RUN_SETTINGS_MAX)
			argp_error(state, "--set is given more than %d times", RUN_SETTINGS_MAX);
		a->settings[a->setting_count++] = value;
		return 0;
	case KEY_COLLECT:
		if (!is_way(value))
			argp_error(state,
			    "--collect %s: every, timer, sample, watermark, adapt, fill, full, table, stream or off is "
			    "expected",
			    value);
		a->collect = value;
		return 0;
	case KEY_TABLE:
		if (!parse_table_size(a, value))
			argp_error(state,
			    "--table %s: 0, or a power of two from 64 to 4096, and x1, x2 or x4 behind it, is expected",
			    value);
		return 0;
	case KEY_SINK:
		a->sink_program = strcmp(value, "program") == 0;
		if (a->sink_program)
			return 0;
		if (!parse_amount(value, 1024, 64u << 20, &a->sink) || !power_of_two(a->sink, 64, 64u << 20))
			argp_error(state, "--sink %s: a power of two from 64 to 64M, or `program' is expected", value);
		return 0;
	case KEY_CSR_BASE:
		if (!parse_number(value, UINT16_MAX, &a->csr_base) ||
		    (a->csr_base != MODEL_CSR_BASE && a->csr_base != MODEL_CSR_BASE_OTHER))
			argp_error(state, "--csr-base %s: 0x7C0 or 0xBC0 is expected", value);
		return 0;
	case KEY_RAM:
		if (!parse_amount(value, 1024, 64u << 20, &a->ram) || a->ram == 0 || a->ram % 4 != 0)
			argp_error(state, "--ram %s: a multiple of 4 up to 67108864 is expected", value);
		return 0;
	case KEY_GDB:
		if (!parse_number(value, 65535, &a->port))
			argp_error(state, "--gdb %s: a port from 0 to 65535 is expected", value);
		a->gdb = a->fast = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->program == NULL)
			a->program = value;
		else if (state->quoted != 0)
			add_argument(a, value, state);
		else
			argp_error(
			    state, "one program is expected, `%s' is too many; its arguments come behind --", value);
		return 0;
	case ARGP_KEY_END:
		if (a->program == NULL)
			argp_error(state, "a program (ELF) is expected");
		if (a->command[0] != '\0' && a->semihosting == NULL)
			argp_error(state, "a program gets its arguments by semihosting: --semihosting DIR is expected");
		if (a->fast && a->check)
			argp_error(state,
			    "--check-walk compares with every instruction: leave --fast, --semihosting and --gdb out");
		if (a->fast && (a->divisors != NULL || a->interrupts != NULL))
			argp_error(state, "--%s looks at every instruction: leave --fast, --semihosting and --gdb out",
			    a->divisors != NULL ? "divisors" : "interrupts");
		if (a->fast && a->collect != NULL && strcmp(a->collect, "off") != 0 && a->profile == NULL &&
		    a->records == NULL)
			argp_error(state,
			    "--collect %s: --fast, --semihosting and --gdb trace for --profile FILE and --records FILE "
			    "alone: give one of these, or leave --fast, --semihosting and --gdb out",
			    a->collect);
		if (collects_table(a) && (a->records != NULL || a->check))
			argp_error(state,
			    "--%s: what leaves the hot-trace table is not in the order of the run: without way table "
			    "all records are",
			    a->check ? "check-walk" : "records");
		if (a->ring != NULL && (a->fast || a->profile != NULL || a->records != NULL || a->check))
			argp_error(state,
			    "--ring: the flight recorder has the trace unit for itself, cycle by cycle: leave "
			    "--fast, --semihosting, --gdb, --profile, --records and --check-walk out");
		if (a->sink != 0 &&
		    (a->profile == NULL || a->ring != NULL || a->collect != NULL || (a->table_given && a->table == 0)))
			argp_error(state, "--sink: is for --profile FILE, with a table, and has the trace unit for "
					  "itself: leave --ring and "
					  "--collect out");
		if (a->freeze != NULL && a->ring == NULL)
			argp_error(state, "--freeze %s: is for --ring FILE", a->freeze);
		if (a->gdb && (a->cycles != 0 || a->instructions != 0))
			argp_error(state, "--gdb: --cycles and --instructions are not for a run that is debugged");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
