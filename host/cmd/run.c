/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet run: a program on the golden model. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/cmd/cmd.h"
#include "host/cmd/run_check.h"
#include "host/cmd/run_end.h"
#include "host/cmd/run_fast.h"
#include "host/cmd/run_machine.h"
#include "host/cmd/run_profile.h"
#include "host/cmd/run_records.h"
#include "host/cmd/run_ring.h"
#include "host/cmd/run_show.h"
#include "host/cmd/run_sink.h"
#include "host/cmd/run_text.h"
#include "host/cmd/run_written.h"
#include "host/walk/follow.h"
#include "model/run.h"

COMMAND(10, run, "run a program on the golden model, with an exact profile");

enum {
	KEY_PROFILE = 256,
	KEY_UART,
	KEY_SIGNATURE,
	KEY_CYCLES,
	KEY_INSTRUCTIONS,
	KEY_CHECK,
	KEY_RAM,
	KEY_FAST,
	KEY_RECORDS,
	KEY_SEMIHOSTING,
	KEY_GDB,
	KEY_COLLECT,
	KEY_TABLE,
	KEY_CSR_BASE,
	KEY_MAP,
	KEY_RING,
	KEY_FREEZE,
	KEY_SINK
};

#define SETTINGS_MAX 32
#define TABLE_ENTRIES 1024u /* as --help says */
#define TABLE_WAYS 4u

struct arguments {
	const char *program, *profile, *uart, *signature, *records, *map, *ring, *freeze;
	const char *settings[SETTINGS_MAX];
	const char *collect; /* name of a way; NULL: not given */
	uint64_t table, table_ways;
	bool table_given, sink_program;
	unsigned setting_count;
	uint64_t cycles, instructions, ram, csr_base, sink;
	const char *semihosting; /* directory */
	uint64_t port;           /* of gdb */
	bool check, quiet, fast, gdb;
	char command[4096]; /* the program's arguments, separated by blanks */
};

static const struct argp_option options[] = {
    {"set", 's', "NAME=VALUE", 0, "Change a word of the run configuration (common/run_config.h); may be repeated", 0},
    {"collect", KEY_COLLECT, "WAY", 0,
	"How the program collects: every (interrupt at each trace), timer, sample, watermark (batches of samples), "
	"adapt, fill, full, table (the unit counts), stream (all, for --profile and --records: their default), off",
	0},
    {"table", KEY_TABLE, "ENTRIES[xWAYS]", 0,
	"The hot-trace table of the trace unit: 0 (none) or 64 to 4096 entries in sets of 1, 2 or 4; 1024x4 with "
	"--collect table",
	0},
    {"profile", KEY_PROFILE, "FILE", 0, "Write the exact profile: all records of the trace unit's record port", 0},
    {"records", KEY_RECORDS, "FILE", 0, "Write all records of the record port, in order (docs/record-format.md)", 0},
    {"ring", KEY_RING, "FILE", 0,
	"Keep the last records in a flight recorder of 1 KiB, and write its dump, for `rivulet postmortem'", 0},
    {"sink", KEY_SINK, "BYTES", 0,
	"The trace unit counts in its table, and writes what that throws out to a ring of BYTES (a power of two) in "
	"memory: the program is never interrupted. For --profile. program: it has a driver of its own",
	0},
    {"freeze", KEY_FREEZE, "WHEN", 0,
	"With --ring: trap (a fault; the default), trap:MASK, reached:ADDRESS, left:FIRST:BEHIND, late:FROM:TO:CYCLES, "
	"end, program",
	0},
    {"uart", KEY_UART, "FILE", 0,
	"Write the bytes sent over the UART; -: to standard output, as they come, in the place of their text", 0},
    {"signature", KEY_SIGNATURE, "FILE", 0, "Write what lies between begin_signature and end_signature", 0},
    {"cycles", KEY_CYCLES, "N", 0, "Stop after N cycles (also 10k, 2M, 1G)", 0},
    {"instructions", KEY_INSTRUCTIONS, "N", 0, "Stop after N instructions", 0},
    {"ram", KEY_RAM, "BYTES", 0, "Size of the memory, a multiple of 4, at most 64 MiB (also 256k, 4M)", 0},
    {"map", KEY_MAP, "MAP", 0,
	"Memory of a chip (fe310, gd32vf103, ch32v, esp32-c3), or BASE+SIZE,BASE+SIZE: RAM first. Without it: by the "
	"addresses that the program is linked for",
	0},
    {"csr-base", KEY_CSR_BASE, "NUMBER", 0,
	"First of the trace unit's CSRs: 0x7C0 or 0xBC0, the core's TRACE_CSR_BASE (those that the program uses)", 0},
    {"check-walk", KEY_CHECK, NULL, 0, "Follow every record through the program and compare with what was executed", 0},
    {"fast", KEY_FAST, NULL, 0,
	"Many times faster, with the same result, cycles and exact profile; traces only with --profile or --records",
	0},
    {"semihosting", KEY_SEMIHOSTING, "DIR", 0, "RISC-V semihosting calls, files below DIR only; implies --fast", 0},
    {"gdb", KEY_GDB, "PORT", 0, "Wait for gdb on this port of localhost (0: any); implies --fast", 0},
    {"quiet", 'q', NULL, 0, "No progress and no summary", 0},
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
static bool parse_table_size(struct arguments *a, const char *value)
{
	char entries[16];
	const char *ways = strchr(value, 'x');
	size_t length = ways != NULL ? (size_t)(ways - value) : strlen(value);
	a->table_given = true;
	a->table_ways = TABLE_WAYS;
	if (length >= sizeof entries || (ways != NULL && !parse_number(ways + 1, 4, &a->table_ways)))
		return false;
	memcpy(entries, value, length);
	entries[length] = '\0';
	return parse_number(entries, 4096, &a->table) && power_of_two(a->table_ways, 1, 4) &&
	       (a->table == 0 || power_of_two(a->table, 64, 4096));
}

static bool collects_table(const struct arguments *a)
{
	bool collects = a->sink != 0 || a->sink_program || (a->collect != NULL && strcmp(a->collect, "table") == 0);
	for (unsigned i = 0; i < a->setting_count; i++)
		collects = collects || strcmp(a->settings[i], "way=table") == 0;
	return collects;
}

/* The unit gets a table if it is asked for, or if the program is to collect with one. */
static void set_table(const struct arguments *a, struct trace_config *unit)
{
	if (a->table_given)
		trace_config_table(unit, (unsigned)a->table, (unsigned)a->table_ways);
	else if (collects_table(a))
		trace_config_table(unit, TABLE_ENTRIES, TABLE_WAYS);
}

static void add_argument(struct arguments *a, const char *value, struct argp_state *state)
{
	size_t used = strlen(a->command);
	if (used + strlen(value) + 2 > sizeof a->command)
		argp_error(state, "the program's arguments are longer than %zu bytes", sizeof a->command - 1);
	snprintf(a->command + used, sizeof a->command - used, " %s", value);
}

static error_t parse_run_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 's':
		if (strchr(value, '=') == NULL)
			argp_error(state, "--set %s: name=value is expected", value);
		if (a->setting_count == SETTINGS_MAX)
			argp_error(state, "--set is given more than %d times", SETTINGS_MAX);
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
	case KEY_PROFILE:
		a->profile = value;
		return 0;
	case KEY_RECORDS:
		a->records = value;
		return 0;
	case KEY_RING:
		a->ring = value;
		return 0;
	case KEY_FREEZE:
		a->freeze = value;
		return 0;
	case KEY_SINK:
		a->sink_program = strcmp(value, "program") == 0;
		if (a->sink_program)
			return 0;
		if (!parse_amount(value, 1024, 64u << 20, &a->sink) || !power_of_two(a->sink, 64, 64u << 20))
			argp_error(state, "--sink %s: a power of two from 64 to 64M, or `program' is expected", value);
		return 0;
	case KEY_UART:
		a->uart = value;
		return 0;
	case KEY_SIGNATURE:
		a->signature = value;
		return 0;
	case KEY_CYCLES:
		if (!parse_amount(value, 1000, UINT64_MAX, &a->cycles) || a->cycles == 0)
			argp_error(state, "--cycles %s: a number from 1 on is expected", value);
		return 0;
	case KEY_INSTRUCTIONS:
		if (!parse_amount(value, 1000, UINT64_MAX, &a->instructions) || a->instructions == 0)
			argp_error(state, "--instructions %s: a number from 1 on is expected", value);
		return 0;
	case KEY_CSR_BASE:
		if (!parse_number(value, UINT16_MAX, &a->csr_base) ||
		    (a->csr_base != MODEL_CSR_BASE && a->csr_base != MODEL_CSR_BASE_OTHER))
			argp_error(state, "--csr-base %s: 0x7C0 or 0xBC0 is expected", value);
		return 0;
	case KEY_MAP:
		a->map = value;
		return 0;
	case KEY_RAM:
		if (!parse_amount(value, 1024, 64u << 20, &a->ram) || a->ram == 0 || a->ram % 4 != 0)
			argp_error(state, "--ram %s: a multiple of 4 up to 67108864 is expected", value);
		return 0;
	case KEY_CHECK:
		a->check = true;
		return 0;
	case KEY_FAST:
		a->fast = true;
		return 0;
	case KEY_SEMIHOSTING:
		a->semihosting = value;
		a->fast = true;
		return 0;
	case KEY_GDB:
		if (!parse_number(value, 65535, &a->port))
			argp_error(state, "--gdb %s: a port from 0 to 65535 is expected", value);
		a->gdb = a->fast = true;
		return 0;
	case 'q':
		a->quiet = true;
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

struct run {
	struct run_fast *fast; /* NULL: cycle by cycle */
	const struct model *model;
	struct image *image;
	struct profile profile;
	struct run_records *records; /* NULL: none wanted */
	struct follow follow;
	bool profiling, checking;
	struct output *profile_output, *uart_output, *signature_output;
	FILE *uart;
	struct run_text text; /* of the UART, unless its bytes go to standard output */
	bool raw;
	struct run_traced traced;
	int error;         /* enum follow_error */
	int profile_error; /* enum profile_error */
	uint64_t refused;  /* traces with a start or history that no profile can hold */
	bool write_error;
	struct run_show show;
	struct run_ring ring;
	struct run_sink sink;
	const struct chip *chip; /* that the program is linked for; NULL: none that is known */
};

static void run_on_console(void *context, uint8_t byte)
{
	struct run *run = context;
	run_show_clear(&run->show);
	putchar(byte);
	if (byte == '\n')
		fflush(stdout);
}

static void run_on_uart(void *context, uint8_t byte)
{
	struct run *run = context;
	if (run->uart != NULL && fputc(byte, run->uart) == EOF)
		run->write_error = true;
	if (run->records != NULL)
		run_records_uart(run->records, byte);
	if (!run->raw) {
		run_show_clear(&run->show);
		run_text_take(&run->text, byte);
	}
}

static void run_on_record(void *context, const struct record *record)
{
	struct run *run = context;
	const struct trace *trace = model_trace(run->model);
	if (run->profiling && run->sink.size == 0 && run->profile_error == PROFILE_OK) {
		run->profile_error = profile_add(&run->profile, record);
		if (run->profile_error == PROFILE_EENTRY) { /* the program wrote such a pair itself */
			run->profile_error = PROFILE_OK;
			run->refused += record->count;
		}
	}
	if (run->records != NULL) {
		if (run->fast != NULL)
			run_records_ctrl(run->records, run_fast_ctrl(run->fast));
		run_records_take(run->records, record);
	}
	if (run->checking && run->error == FOLLOW_OK)
		run->error = follow_record(&run->follow, trace, record);
}

static void on_batch(void *context, const struct fast_batch *batch)
{
	struct run *run = context;
	if (run->records == NULL)
		return;
	run_records_ctrl(run->records, batch->ctrl);
	run_records_take_many(run->records, batch);
}

static void run_on_retire(void *context, const struct model_out *out)
{
	struct run *run = context;
	const struct trace *trace = model_trace(run->model);
	if (run->ring.path != NULL)
		run_ring_retire(&run->ring, run->model);
	if ((trace->ctrl & RV_CTRL_ENABLE_MASK) != 0) {
		if (!run->traced.any) {
			run->traced = (struct run_traced){.any = true, .first_cycle = out->cycle};
			run->profile.header.ctrl = trace->ctrl;
		}
		run->traced.last_cycle = out->cycle;
		run->traced.instructions += !out->trap;
	}
	if (run->records != NULL)
		run_records_retire(run->records, out);
	if (run->checking && run->error == FOLLOW_OK)
		run->error = follow_retire(&run->follow, trace);
}

static bool run_on_progress(void *context, uint64_t cycles, uint64_t instructions)
{
	struct run *run = context;
	if (stop_signal != 0)
		return false;
	if (run->error != FOLLOW_OK || run->profile_error != PROFILE_OK || run->write_error ||
	    (run->records != NULL && !run_records_good(run->records)))
		return false;
	run_show(&run->show, cycles, instructions);
	return true;
}

/* Prints the counts of the fast engine. */
static void take_paths(struct run *run)
{
	struct fast_traced traced;
	int error = run_fast_profile(run->fast, &run->profile, &traced);
	if (run->profile_error == PROFILE_OK)
		run->profile_error = error;
	run->traced = (struct run_traced){traced.any, traced.first_cycle, traced.last_cycle, traced.instructions};
	run->profile.header.ctrl = traced.ctrl;
}

/* The way to collect: what --collect says; without it and without --set way=, a profile or record file is of all
 * traces. */
static int set_way(const struct arguments *a, struct model *model, const struct run *run)
{
	char setting[32], detail[1024];
	uint64_t address;
	bool configured = image_symbol(run->image, "rivulet_config", &address) == IMAGE_OK, given = false;
	for (unsigned i = 0; i < a->setting_count; i++)
		given = given || strncmp(a->settings[i], "way=", 4) == 0;
	bool whole = a->collect == NULL && !given && configured && (run->profiling || a->records != NULL);
	if (a->collect == NULL && !whole)
		return STATUS_OK;
	const char *way = a->sink != 0 ? "table" : "stream";
	snprintf(setting, sizeof setting, "way=%s", whole ? way : a->collect);
	if (model_set(model, setting, detail, sizeof detail) == MODEL_OK)
		return STATUS_OK;
	complain("%s", detail);
	return STATUS_FAILED;
}

static int finish_profile(const struct arguments *a, struct run *run, const struct run_result *result)
{
	char name[256];
	run_name(a->program, run->image, name);
	const struct run_profile what = {.path = a->profile,
	    .name = name,
	    .file = output_file(run->profile_output),
	    .profile = &run->profile,
	    .traced = run->traced,
	    .refused = run->refused,
	    .lost = run->sink.lost,
	    .way = run->sink.size != 0 ? RUN_TABLE : RUN_STREAM};
	int written = run_profile_write(&what, run->model, run->image, result);
	bool nothing = written == STATUS_OK && run->profile.total == 0 && run_wants_traces(run->model);
	int finished =
	    nothing ? finish_empty(run->profile_output, a->profile) : finish_output(run->profile_output, written);
	run->profile_output = NULL;
	return finished == STATUS_FAILED ? finished : written;
}

static int finish_signature(struct run *run)
{
	char detail[1024];
	bool written =
	    model_write_signature(run->model, output_beside(run->signature_output), detail, sizeof detail) == MODEL_OK;
	if (!written)
		complain("%s", detail);
	int finished = finish_output(run->signature_output, written ? STATUS_OK : STATUS_FAILED);
	run->signature_output = NULL;
	return finished;
}

/* Every file that was asked for. STATUS_OK only if all of them are good. */
static int finish_run_files(
    const struct arguments *a, struct model *model, struct run *run, const struct run_result *result)
{
	int bad = STATUS_OK;
	if (run->profiling || run->records != NULL || run->checking)
		run_written(a->program, run->model, run->image);
	if (run->profiling)
		bad |= finish_profile(a, run, result);
	if (run->uart != NULL) {
		bad |= finish_output(run->uart_output, STATUS_OK);
		run->uart_output = NULL;
	}
	if (run->records != NULL)
		bad |= run_records_finish(run->records, result, run_ending(result));
	if (a->signature != NULL)
		bad |= finish_signature(run);
	if (a->ring != NULL)
		bad |= run_ring_finish(&run->ring, model);
	if (run->checking)
		bad |= run_check_finish(&run->follow);
	return bad;
}

/* Of a chip's devices only the UART is there. */
static void tell_devices(const char *program, const struct model *model, const struct chip *chip)
{
	uint32_t address, pc;
	const struct model_device *device = model_touched(model, &address, &pc);
	if (device != NULL)
		complain(
		    "%s: used the device %s of %s at 0x%08x (near pc 0x%08x): of devices only the UART is there, the "
		    "registers of others keep what is written to them",
		    program, device->name, chip->text, address, pc);
}

/* Everything that needs the files open. Returns the exit status. */
static int simulate_run(const struct arguments *a, struct model *model, struct run *run)
{
	struct run_result result;
	int bad = STATUS_OK;
	bool records = run->profiling || run->checking || run->records != NULL;
	const struct run_hooks hooks = {.context = run,
	    .console = run_on_console,
	    .uart = run_on_uart,
	    .record = records ? run_on_record : NULL,
	    .retire = records || a->ring != NULL ? run_on_retire : NULL,
	    .progress = run_on_progress};
	run_show_begin(&run->show, !a->quiet, a->cycles, a->instructions);
	catch_stop_signals();
	if (run->fast != NULL) {
		bad = run_fast_go(run->fast, &hooks, a->cycles, a->instructions, &result);
		if (run->profiling)
			take_paths(run);
		if (run->records != NULL)
			run_records_traced(run->records, run_fast_traced(run->fast));
	} else {
		model_run(model, &hooks, a->cycles, a->instructions, &result);
	}
	if (run->sink.size != 0)
		run->profile_error = run_sink_finish(&run->sink, model, &run->profile);
	else if (records)
		model_trace_finish(model, run_on_record, run);
	run_show_clear(&run->show);
	run_text_close(&run->text);
	fflush(stdout);
	if (run->error != FOLLOW_OK) {
		run_check_difference(&run->follow, run->error, run->image);
		return -RUN_STATUS_FAILED;
	}
	if (run->profile_error != PROFILE_OK) {
		complain("%s: %s", a->profile, profile_strerror(run->profile_error));
		return -RUN_STATUS_FAILED;
	}
	tell_devices(a->program, model, run->chip);
	int status = bad != STATUS_OK ? -RUN_STATUS_FAILED
				      : run_end_status(a->program, model, &result, a->cycles, a->instructions);
	if (run->fast != NULL)
		run_fast_remarks(run->fast, &result);
	if (finish_run_files(a, model, run, &result) != STATUS_OK)
		status = -RUN_STATUS_FAILED;
	if (!a->quiet && bad == STATUS_OK)
		run_show_summary(&run->show, &result);
	if (!a->quiet && run->sink.size != 0)
		fprintf(stderr, "sink: %s records before the end, %s out of the table behind it\n",
		    with_commas(run->sink.records), with_commas(run->sink.emptied));
	return status;
}

static struct output *open_run_output(const struct arguments *a, const char *path)
{
	return begin_output(path, OUTPUT_REPLACE, &a->program, 1);
}

/* Last, when everything else is known to be right. */
static int open_outputs(const struct arguments *a, const struct model *model, struct run *run)
{
	if ((a->profile != NULL && (run->profile_output = open_run_output(a, a->profile)) == NULL) ||
	    (a->uart != NULL && (run->uart_output = open_run_output(a, a->uart)) == NULL) ||
	    (a->signature != NULL && (run->signature_output = open_run_output(a, a->signature)) == NULL) ||
	    (a->ring != NULL && (run->ring.output = open_run_output(a, a->ring)) == NULL))
		return STATUS_FAILED;
	run->uart = a->uart == NULL ? NULL : output_file(run->uart_output);
	if (a->records != NULL) {
		char name[256];
		run_name(a->program, run->image, name);
		run->records = run_records_open(a->records, run->image, model,
		    &(struct run_records_about){name, a->settings, a->setting_count, run->fast != NULL});
		if (run->records == NULL)
			return STATUS_FAILED;
		if (run_foreign(run->image))
			run_records_merge(run->records);
	}
	return STATUS_OK;
}

int run_command(int argc, char **argv, int misused)
{
	static const struct argp argp = {options, parse_run_option, "PROGRAM.elf [-- ARGUMENT...]",
	    "Runs a program on the golden model, cycle by cycle. What it prints, on its console or over the UART, goes "
	    "to standard output, what its start-up code says of trouble to standard error.\v"
	    "Exit status: that of the program (255 for one whose low 8 bits are 0, but not all); 123 a limit was "
	    "reached; 125 the command failed: a file cannot be used, --check-walk finds a difference; 126 the program "
	    "does not go on: it loops in traps, waits for ever, or asks for a host that is not there; 130, 143, 129 "
	    "ended by Ctrl-C, SIGTERM, SIGHUP. What is not 0 is said on standard error.",
	    NULL, NULL, NULL};
	struct arguments a = {0};
	struct run run = {0};
	struct model *model = NULL;
	struct model_config config;
	char detail[1024];
	int status = -RUN_STATUS_FAILED;
	argp_err_exit_status = misused;
	argp_parse(&argp, argc, argv, 0, NULL, &a);

	if (image_open(&run.image, a.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		goto out;
	}
	if (run_refused(run.image, a.program))
		goto out;
	model_config_default(&config);
	if (run_machine(run.image, a.map, &config, &run.chip) != STATUS_OK)
		goto out;
	if (a.ram != 0)
		config.ram_size = (uint32_t)a.ram;
	if (a.csr_base != 0)
		config.trace_csr_base = (uint16_t)a.csr_base;
	set_table(&a, &config.trace);
	if (a.ring != NULL)
		run_ring_build(&config.trace);
	run.sink.size = a.sink;
	if (a.sink_program)
		run_sink_unit(&config.trace);
	if (a.sink != 0 && run_sink_build(&run.sink, a.program, &config) != STATUS_OK)
		goto out;
	int error = model_open(&model, &config);
	if (error != MODEL_OK) {
		complain("%s: the model cannot be made: %s", a.program, model_strerror(error));
		goto out;
	}
	if (model_load_elf(model, a.program, detail, sizeof detail) != MODEL_OK) {
		complain("%s", detail);
		goto out;
	}
	model_start(model);
	/* A program without our driver is traced from outside, all of it: its handlers too, which are its own. Nothing
	 * is merged in the unit: the fast engine counts equal traces itself, and the file packs them. */
	if (a.sink != 0)
		run_sink_arm(&run.sink, model, run_foreign(run.image));
	else if (!a.sink_program && (a.profile != NULL || a.records != NULL || a.check) && run_foreign(run.image))
		model_trace_write(model, RV_REG_CTRL, RV_CTRL_ENABLE_MASK | RV_CTRL_HANDLERS_MASK | RV_CTRL_MODES_MASK);
	run.model = model;
	run.raw = a.uart != NULL && strcmp(a.uart, "-") == 0;
	run_text_open(&run.text, a.program);
	run.profiling = a.profile != NULL;
	run.checking = a.check;
	char command[sizeof a.command + 256];
	snprintf(command, sizeof command, "%.255s%s", a.program, a.command);
	if (a.fast) {
		const struct run_fast_options fast_options = {.program = a.program,
		    .command = a.command[0] != '\0' ? command : NULL,
		    .paths = run.profiling || a.records != NULL,
		    .order = a.records != NULL ? on_batch : NULL,
		    .order_context = &run,
		    .semihosting = a.semihosting,
		    .gdb = a.gdb,
		    .port = (uint16_t)a.port,
		    .quiet = a.quiet};
		run.fast = run_fast_open(&fast_options, model);
		if (run.fast == NULL)
			goto out;
	}
	if (profile_init(&run.profile) != PROFILE_OK || (a.check && follow_open(&run.follow, run.image) != FOLLOW_OK)) {
		complain("out of memory");
		goto out;
	}
	for (unsigned i = 0; i < a.setting_count; i++) {
		if (model_set(model, a.settings[i], detail, sizeof detail) != MODEL_OK) {
			complain("%s", detail);
			goto out;
		}
	}
	run.ring.path = a.ring;
	run.ring.freeze = a.freeze;
	if (a.ring != NULL && run_ring_arm(&run.ring, model, run.image) != STATUS_OK)
		goto out;
	if (set_way(&a, model, &run) != STATUS_OK || open_outputs(&a, model, &run) != STATUS_OK)
		goto out;
	status = simulate_run(&a, model, &run);
out:
	output_abandon(run.profile_output);
	output_abandon(run.uart_output);
	output_abandon(run.signature_output);
	output_abandon(run.ring.output);
	run_records_close(run.records);
	follow_close(&run.follow);
	profile_fini(&run.profile);
	run_fast_close(run.fast);
	model_close(model);
	image_close(run.image);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("standard output: write error");
		status = -RUN_STATUS_FAILED;
	}
	return status;
}

int cmd_run(int argc, char **argv)
{
	int status = run_command(argc, argv, RUN_STATUS_FAILED);
	return status < 0 ? -status : status;
}
