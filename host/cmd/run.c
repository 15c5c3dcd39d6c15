/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet run: a program on the golden model. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common/rivulet_regs.h"
#include "host/cmd/cmd.h"
#include "host/cmd/progress.h"
#include "host/cmd/run_check.h"
#include "host/cmd/run_fast.h"
#include "host/cmd/run_machine.h"
#include "host/cmd/run_records.h"
#include "host/cmd/run_text.h"
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
	KEY_COLLECT
};

#define SETTINGS_MAX 32

struct arguments {
	const char *program, *profile, *uart, *signature, *records;
	const char *settings[SETTINGS_MAX];
	const char *collect; /* name of a way; NULL: not given */
	unsigned setting_count;
	uint64_t cycles, instructions, ram;
	const char *semihosting; /* directory */
	uint64_t port;           /* of gdb */
	bool check, quiet, fast, gdb;
	char command[4096]; /* the program's arguments, separated by blanks */
};

static const struct argp_option options[] = {
    {"set", 's', "NAME=VALUE", 0, "Change a word of the run configuration (common/run_config.h); may be repeated", 0},
    {"collect", KEY_COLLECT, "WAY", 0,
	"How the program collects: every (interrupt at each trace), timer, sample, watermark (batches of samples), "
	"adapt, full, "
	"stream (all, for --profile and --records: their default), off",
	0},
    {"profile", KEY_PROFILE, "FILE", 0, "Write the exact profile: all records of the trace unit's record port", 0},
    {"records", KEY_RECORDS, "FILE", 0, "Write all records of the record port, in order (docs/record-format.md)", 0},
    {"uart", KEY_UART, "FILE", 0,
	"Write the bytes sent over the UART; -: to standard output, as they come, in the place of their text", 0},
    {"signature", KEY_SIGNATURE, "FILE", 0, "Write what lies between begin_signature and end_signature", 0},
    {"cycles", KEY_CYCLES, "N", 0, "Stop after N cycles (also 10k, 2M, 1G)", 0},
    {"instructions", KEY_INSTRUCTIONS, "N", 0, "Stop after N instructions", 0},
    {"ram", KEY_RAM, "BYTES", 0, "Size of the memory, a multiple of 4, at most 64 MiB (also 256k, 4M)", 0},
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
	static const char *const ways[] = {"off", "every", "timer", "sample", "watermark", "stream", "full", "adapt"};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (strcmp(name, ways[i]) == 0)
			return true;
	}
	return false;
}

static void add_argument(struct arguments *a, const char *value, struct argp_state *state)
{
	size_t used = strlen(a->command);
	if (used + strlen(value) + 2 > sizeof a->command)
		argp_error(state, "the program's arguments are longer than %zu bytes", sizeof a->command - 1);
	snprintf(a->command + used, sizeof a->command - used, " %s", value);
}

static error_t parse(int key, char *value, struct argp_state *state)
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
			    "--collect %s: every, timer, sample, watermark, adapt, full, stream or off is expected",
			    value);
		a->collect = value;
		return 0;
	case KEY_PROFILE:
		a->profile = value;
		return 0;
	case KEY_RECORDS:
		a->records = value;
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
	/* traced part of the run: cycle of the first and the last retirement with tracing on */
	bool traced;
	uint64_t first_cycle, last_cycle, instructions;
	int error;         /* enum follow_error */
	int profile_error; /* enum profile_error */
	uint64_t refused;  /* traces with a start or history that no profile can hold */
	bool write_error;
	/* progress */
	bool show, shown, terminal;
	uint64_t most_cycles, most_instructions; /* where it will be stopped; 0: not known */
	struct timespec start, last;
};

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

static void clear_progress(struct run *run)
{
	if (run->shown)
		fputs("\r\033[K", stderr);
	run->shown = false;
}

static void on_console(void *context, uint8_t byte)
{
	struct run *run = context;
	clear_progress(run);
	putchar(byte);
	if (byte == '\n')
		fflush(stdout);
}

static void on_uart(void *context, uint8_t byte)
{
	struct run *run = context;
	if (run->uart != NULL && fputc(byte, run->uart) == EOF)
		run->write_error = true;
	if (!run->raw) {
		clear_progress(run);
		run_text_take(&run->text, byte);
	}
}

static void on_record(void *context, const struct record *record)
{
	struct run *run = context;
	const struct trace *trace = model_trace(run->model);
	if (run->profiling && run->profile_error == PROFILE_OK) {
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

static void on_retire(void *context, const struct model_out *out)
{
	struct run *run = context;
	const struct trace *trace = model_trace(run->model);
	if ((trace->ctrl & RV_CTRL_ENABLE_MASK) != 0) {
		if (!run->traced) {
			run->traced = true;
			run->first_cycle = out->cycle;
			run->profile.header.ctrl = trace->ctrl;
		}
		run->last_cycle = out->cycle;
		run->instructions += !out->trap;
	}
	if (run->records != NULL)
		run_records_retire(run->records, out);
	if (run->checking && run->error == FOLLOW_OK)
		run->error = follow_retire(&run->follow, trace);
}

/* A line that is written over on a terminal; elsewhere one every ten seconds. With a share if the end is known. */
static void show_progress(struct run *run, uint64_t cycles, uint64_t instructions)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_between(&run->last, &now) < (run->terminal ? 0.2 : 10))
		return;
	fputs(run->terminal ? "\r\033[K" : "rivulet: ", stderr);
	double share = 0;
	if (run->most_cycles != 0)
		share = (double)cycles / (double)run->most_cycles;
	if (run->most_instructions != 0 && (double)instructions / (double)run->most_instructions > share)
		share = (double)instructions / (double)run->most_instructions;
	if (share > 0) {
		progress_bar("run", share, run->terminal);
		fputs(", ", stderr);
	}
	fprintf(stderr, "%s cycles, %s instructions, %s cycles/s%s", with_unit((double)cycles),
	    with_unit((double)instructions), with_unit((double)cycles / seconds_between(&run->start, &now)),
	    run->terminal ? "" : "\n");
	fflush(stderr);
	run->last = now;
	run->shown = run->terminal;
}

static bool on_progress(void *context, uint64_t cycles, uint64_t instructions)
{
	struct run *run = context;
	if (stop_signal != 0)
		return false;
	if (run->error != FOLLOW_OK || run->profile_error != PROFILE_OK || run->write_error ||
	    (run->records != NULL && !run_records_good(run->records)))
		return false;
	if (run->show)
		show_progress(run, cycles, instructions);
	return true;
}

static int emit(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* The application's name: its symbol app_name (sw/run/app.h), else the file's name. */
static void find_name(const struct arguments *a, const struct image *image, char name[256])
{
	uint64_t address;
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	const char *slash = strrchr(a->program, '/');
	snprintf(name, 256, "%s", slash == NULL ? a->program : slash + 1);
	char *dot = strrchr(name, '.');
	if (dot != NULL && strcmp(dot, ".elf") == 0)
		*dot = '\0';
	if (image_symbol(image, "app_name", &address) != IMAGE_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *s = &segments[i];
		if (address < s->address || address - s->address >= s->file_size)
			continue;
		size_t room = s->file_size - (address - s->address);
		snprintf(
		    name, 256, "%.*s", room < 255 ? (int)room : 255, (const char *)s->bytes + (address - s->address));
	}
}

/* How the run ended, as record files and profiles say it (enum profile_ending). */
static unsigned run_ending(const struct run_result *result)
{
	switch (result->end) {
	case RUN_END_EXIT:
		return PROFILE_END_EXIT;
	case RUN_END_CYCLES:
	case RUN_END_INSTRUCTIONS:
		return PROFILE_END_LIMIT;
	case RUN_END_STOPPED:
		return PROFILE_END_INTERRUPTED;
	default:
		return PROFILE_END_OTHER;
	}
}

static int write_profile(const struct arguments *a, struct run *run, const struct run_result *result)
{
	char detail[1024];
	const struct trace *trace = model_trace(run->model);
	struct profile_header *header = &run->profile.header;
	header->source = PROFILE_MODEL;
	header->xlen = trace->config.xlen;
	header->hist = trace->config.hist;
	header->way = RUN_STREAM;
	header->period = 1;
	if ((header->ctrl & RV_CTRL_SAMPLE_MASK) != 0 && trace->config.with_sample) {
		header->way = RUN_SAMPLE;
		header->period = trace->period + trace->dither / 2u;
		header->dither = trace->dither;
		complain(
		    "%s: the trace unit sampled, so this profile is not exact; use --set way=5 (stream)", a->profile);
	}
	if (image_build(run->image, &header->build, detail, sizeof detail) != IMAGE_OK)
		complain("%s; the profile's build is 0", detail);
	find_name(a, run->image, header->name);
	run->profile.has_header = run->profile.has_end = true;
	if (run->traced)
		run->profile.end = (struct profile_end){
		    .cycles = run->last_cycle - run->first_cycle + 1, .instructions = run->instructions};
	run->profile.end.ending = run_ending(result);
	int error = profile_write(&run->profile, emit, output_file(run->profile_output));
	if (error != PROFILE_OK) {
		complain("%s: the profile cannot be written: %s", a->profile, strerror(errno));
		return STATUS_FAILED;
	}
	if (run->refused > 0) {
		complain("%s: %s traces have an odd start, which no program gives: they are left out", a->profile,
		    with_commas(run->refused));
		return STATUS_NO;
	}
	if (run->profile.total == 0)
		complain("%s: has no traces: %s", a->profile, run_records_none(run->model, run->traced));
	return STATUS_OK;
}

/* Why a program loops in traps: the first of them says it. */
static void tell_traps(const struct arguments *a, const struct model_config *config, const struct run_trap *trap)
{
	static const char *const causes[] = {"a jump to an address that no instruction can have",
	    "a fetch from no memory", "an illegal instruction", "EBREAK", "a misaligned load", "a load from no memory",
	    "a misaligned store", "a store to no memory", "ECALL of user mode", NULL, NULL, "ECALL"};
	const char *cause = trap->cause < sizeof causes / sizeof *causes ? causes[trap->cause] : NULL;
	complain("%s: loops in traps: %u of them, and no return. The first: %s (mcause %u) at 0x%08x, mtval 0x%08x",
	    a->program, RUN_TRAPS_MAX, cause != NULL ? cause : "unknown", trap->cause, trap->pc, trap->value);
	if (trap->pc - config->ram_base >= config->ram_size)
		complain("%s: it left its RAM, 0x%08x to 0x%08x", a->program, config->ram_base,
		    config->ram_base + config->ram_size - 1);
	else if ((trap->cause == 5 || trap->cause == 7) && trap->sp - config->ram_base > config->ram_size)
		complain("%s: its stack pointer is 0x%08x, outside its RAM, 0x%08x to 0x%08x; give more RAM (--ram)",
		    a->program, trap->sp, config->ram_base, config->ram_base + config->ram_size - 1);
	if ((trap->vector & ~3u) - config->ram_base >= config->ram_size)
		complain("%s: it has no trap handler: mtvec is 0x%08x", a->program, trap->vector);
}

/* A program for a host with HTIF writes the address of a call's block to tohost, or a character for its console, and
 * waits. There is no such host here. */
static void tell_host_call(const struct arguments *a, const struct model *model, uint32_t value)
{
	static const struct {
		uint32_t number;
		const char *name;
	} calls[] = {{56, "openat"}, {57, "close"}, {62, "lseek"}, {63, "read"}, {64, "write"}, {80, "fstat"},
	    {93, "exit"}, {169, "gettimeofday"}, {214, "brk"}, {1024, "open"}, {2011, "getmainvars"}};
	uint32_t block[4];
	const char *name = NULL;
	if ((value & 7) != 0 || model_read(model, value, block, sizeof block) != MODEL_OK) {
		complain("%s: wrote 0x%" PRIx32
			 " to tohost: a request to a host's device (HTIF), and there is none; print "
			 "over the UART, or by --semihosting",
		    a->program, value);
		return;
	}
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		name = calls[i].number == block[0] ? calls[i].name : name;
	complain("%s: asks its host by tohost (HTIF) for call %" PRIu32
		 "%s%s%s, and nobody answers; use --semihosting, the UART, "
		 "or an odd value in tohost to end",
	    a->program, block[0], name != NULL ? " (" : "", name != NULL ? name : "", name != NULL ? ")" : "");
}

/* How the run ended, as an exit status. */
static int end_status(const struct arguments *a, const struct run *run, const struct run_result *result)
{
	switch (result->end) {
	case RUN_END_EXIT:
		/* said, so that it is not taken for a status of this command */
		if (result->code != 0 && result->tohost)
			complain("%s: failed: test case %" PRIu32 " (it wrote 0x%" PRIx32 " to tohost)", a->program,
			    result->code, result->code << 1 | 1);
		else if (result->code != 0)
			complain("%s: ended with exit code %" PRIu32, a->program, result->code);
		return result->code == 0 ? 0 : (result->code & 0xFF) == 0 ? 255 : (int)(result->code & 0xFF);
	case RUN_END_CYCLES:
		complain("%s: the limit of %s cycles was reached", a->program, with_commas(a->cycles));
		return STATUS_FAILED;
	case RUN_END_INSTRUCTIONS:
		complain("%s: the limit of %s instructions was reached", a->program, with_commas(a->instructions));
		return STATUS_FAILED;
	case RUN_END_TRAPS:
		tell_traps(a, model_built(run->model), &result->trap);
		return STATUS_FAILED;
	case RUN_END_HOST_CALL:
		tell_host_call(a, run->model, result->code);
		return STATUS_FAILED;
	case RUN_END_STUCK:
		complain("%s: stuck after %s cycles: it jumps to itself or waits, and no interrupt can come",
		    a->program, with_commas(result->cycles));
		return STATUS_FAILED;
	case RUN_END_STOPPED:
		if (stop_signal != 0) {
			complain("%s: %s after %s cycles; what is written holds the run up to there", a->program,
			    stop_signal == SIGINT ? "interrupted" : "told to end", with_commas(result->cycles));
			return stop_status();
		}
		return STATUS_FAILED;
	default:
		return STATUS_FAILED;
	}
}

static void summary(const struct run *run, const struct run_result *result)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double seconds = seconds_between(&run->start, &now);
	fprintf(stderr, "%s cycles, %s instructions, %.2f cycles each; %.1f s, %s cycles/s\n",
	    with_commas(result->cycles), with_commas(result->instructions),
	    result->instructions > 0 ? (double)result->cycles / (double)result->instructions : 0, seconds,
	    with_unit((double)result->cycles / (seconds > 0 ? seconds : 1e-9)));
}

/* Prints the counts of the fast engine. */
static void take_paths(struct run *run)
{
	struct fast_traced traced;
	int error = run_fast_profile(run->fast, &run->profile, &traced);
	if (run->profile_error == PROFILE_OK)
		run->profile_error = error;
	run->traced = traced.any;
	run->first_cycle = traced.first_cycle;
	run->last_cycle = traced.last_cycle;
	run->instructions = traced.instructions;
	run->profile.header.ctrl = traced.ctrl;
}

/* The way to collect: what --collect says; without it and without --set way=, a profile or record file is of all traces. */
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
	snprintf(setting, sizeof setting, "way=%s", whole ? "stream" : a->collect);
	if (model_set(model, setting, detail, sizeof detail) == MODEL_OK)
		return STATUS_OK;
	complain("%s", detail);
	return STATUS_FAILED;
}

/* Everything that needs the files open. Returns the exit status. */
static int simulate(const struct arguments *a, struct model *model, struct run *run)
{
	struct run_result result;
	char detail[1024];
	int status = STATUS_OK;
	bool records = run->profiling || run->checking || run->records != NULL;
	const struct run_hooks hooks = {.context = run,
	    .console = on_console,
	    .uart = on_uart,
	    .record = records ? on_record : NULL,
	    .retire = records ? on_retire : NULL,
	    .progress = on_progress};
	clock_gettime(CLOCK_MONOTONIC, &run->start);
	run->last = run->start;
	catch_stop_signals();
	if (run->fast != NULL) {
		status = run_fast_go(run->fast, &hooks, a->cycles, a->instructions, &result);
		if (run->profiling)
			take_paths(run);
		if (run->records != NULL)
			run_records_traced(run->records, run_fast_traced(run->fast));
	} else {
		model_run(model, &hooks, a->cycles, a->instructions, &result);
	}
	clear_progress(run);
	run_text_close(&run->text);
	fflush(stdout);
	if (run->error != FOLLOW_OK) {
		run_check_difference(&run->follow, run->error, run->image);
		return STATUS_NO;
	}
	if (run->profile_error != PROFILE_OK) {
		complain("%s: %s", a->profile, profile_strerror(run->profile_error));
		return STATUS_FAILED;
	}
	if (status == STATUS_OK)
		status = end_status(a, run, &result);
	if (run->fast != NULL)
		run_fast_remarks(run->fast, &result);
	if (run->profiling) {
		int written = write_profile(a, run, &result);
		if (finish_output(run->profile_output, written) == STATUS_FAILED)
			written = STATUS_FAILED;
		run->profile_output = NULL;
		if (written != STATUS_OK)
			status = written;
	}
	if (run->uart != NULL) {
		if (finish_output(run->uart_output, STATUS_OK) != STATUS_OK)
			status = STATUS_FAILED;
		run->uart_output = NULL;
	}
	if (run->records != NULL) {
		int written = run_records_finish(run->records, &result, run_ending(&result));
		if (written != STATUS_OK)
			status = written;
	}
	if (a->signature != NULL) {
		bool written = model_write_signature(
				   model, output_beside(run->signature_output), detail, sizeof detail) == MODEL_OK;
		if (!written)
			complain("%s", detail);
		if (finish_output(run->signature_output, written ? STATUS_OK : STATUS_FAILED) != STATUS_OK)
			status = STATUS_FAILED;
		run->signature_output = NULL;
	}
	if (run->checking) {
		int checked = run_check_finish(&run->follow);
		if (status == STATUS_OK)
			status = checked;
	}
	if (!a->quiet)
		summary(run, &result);
	return status;
}

static struct output *open_output(const struct arguments *a, const char *path)
{
	return begin_output(path, OUTPUT_REPLACE, &a->program, 1);
}

/* Last, when everything else is known to be right. */
static int open_outputs(const struct arguments *a, const struct model *model, struct run *run)
{
	if ((a->profile != NULL && (run->profile_output = open_output(a, a->profile)) == NULL) ||
	    (a->uart != NULL && (run->uart_output = open_output(a, a->uart)) == NULL) ||
	    (a->signature != NULL && (run->signature_output = open_output(a, a->signature)) == NULL))
		return STATUS_FAILED;
	run->uart = a->uart == NULL ? NULL : output_file(run->uart_output);
	if (a->records != NULL) {
		char name[256];
		find_name(a, run->image, name);
		run->records = run_records_open(
		    a->records, run->image, model, name, a->settings, a->setting_count, run->fast != NULL);
		if (run->records == NULL)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "PROGRAM.elf [-- ARGUMENT...]",
	    "Runs a program on the golden model, cycle by cycle. What it prints, on its console or over the UART, goes "
	    "to standard output, what its start-up code says of trouble to standard error.\v"
	    "Exit status: that of the program; 1 if --check-walk finds a difference; 2 if a file cannot be used, a "
	    "limit is reached or the "
	    "program is stuck.",
	    NULL, NULL, NULL};
	struct arguments a = {0};
	struct run run = {0};
	struct model *model = NULL;
	struct model_config config;
	char detail[1024];
	int status = STATUS_FAILED;
	argp_parse(&argp, argc, argv, 0, NULL, &a);

	if (image_open(&run.image, a.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		goto out;
	}
	model_config_default(&config);
	run_machine(run.image, &config);
	if (a.ram != 0)
		config.ram_size = (uint32_t)a.ram;
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
	/* a program without our driver is traced from outside, all of it */
	if ((a.profile != NULL || a.records != NULL || a.check) && run_foreign(run.image))
		model_trace_write(model, RV_REG_CTRL, RV_CTRL_ENABLE_MASK | RV_CTRL_REPEAT_MASK | RV_CTRL_MODES_MASK);
	run.model = model;
	run.raw = a.uart != NULL && strcmp(a.uart, "-") == 0;
	run_text_open(&run.text, a.program);
	run.profiling = a.profile != NULL;
	run.checking = a.check;
	run.show = !a.quiet;
	run.terminal = isatty(STDERR_FILENO) != 0;
	run.most_cycles = a.cycles;
	run.most_instructions = a.instructions;
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
	if (set_way(&a, model, &run) != STATUS_OK || open_outputs(&a, model, &run) != STATUS_OK)
		goto out;
	status = simulate(&a, model, &run);
out:
	output_abandon(run.profile_output);
	output_abandon(run.uart_output);
	output_abandon(run.signature_output);
	run_records_close(run.records);
	follow_close(&run.follow);
	profile_fini(&run.profile);
	run_fast_close(run.fast);
	model_close(model);
	image_close(run.image);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("standard output: write error");
		status = STATUS_FAILED;
	}
	return status;
}
