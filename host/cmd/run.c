/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet run: a program on the golden model. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/parse_options.h"
#include "host/cmd/run_options.h"
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
#include "host/cmd/run_divisors.h"
#include "host/cmd/run_interrupts.h"
#include "host/cmd/run_sink.h"
#include "host/cmd/run_text.h"
#include "host/cmd/run_written.h"
#include "host/walk/follow.h"
#include "model/run.h"

COMMAND(10, run, "run a program on the golden model, with an exact profile");

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
	struct run_divisors *divisors;
	struct run_interrupts *interrupts;
	struct output *divisors_output;
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
	if (run->divisors != NULL)
		run_divisors_retire(run->divisors, out);
	if (run->records != NULL)
		run_records_retire(run->records, out);
	if (run->checking && run->error == FOLLOW_OK)
		run->error = follow_retire(&run->follow, trace);
}

static void run_on_cycle(void *context, const struct model_out *out)
{
	const struct run *run = context;
	run_interrupts_cycle(run->interrupts, out);
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
static int set_way(const struct run_arguments *a, struct model *model, const struct run *run)
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

static int finish_profile(const struct run_arguments *a, struct run *run, const struct run_result *result)
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
	    .dither = (1u << run->sink.rate) - 1,
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

static int finish_divisors(const struct run_arguments *a, struct run *run, const struct run_result *result)
{
	uint64_t left_out = run_divisors_left_out(run->divisors);
	if (result->end != RUN_END_EXIT)
		fprintf(output_file(run->divisors_output), "# the run did not come to its end: of its beginning\n");
	run_divisors_write(run->divisors, output_file(run->divisors_output));
	int finished = finish_output(run->divisors_output, STATUS_OK);
	run->divisors_output = NULL;
	if (left_out != 0)
		complain("%s: there are more divisions than there is room for: %s executions are left out", a->divisors,
		    with_commas(left_out));
	return finished;
}

/* Every file that was asked for. STATUS_OK only if all of them are good. */
static int finish_run_files(
    const struct run_arguments *a, struct model *model, struct run *run, const struct run_result *result)
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
	if (a->divisors != NULL)
		bad |= finish_divisors(a, run, result);
	if (run->interrupts != NULL)
		bad |= run_interrupts_finish(run->interrupts);
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
static int simulate_run(const struct run_arguments *a, struct model *model, struct run *run)
{
	struct run_result result;
	int bad = STATUS_OK;
	bool records = run->profiling || run->checking || run->records != NULL;
	const struct run_hooks hooks = {.context = run,
	    .console = run_on_console,
	    .uart = run_on_uart,
	    .record = records ? run_on_record : NULL,
	    .retire = records || a->ring != NULL || a->divisors != NULL ? run_on_retire : NULL,
	    .cycle = run->interrupts != NULL ? run_on_cycle : NULL,
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

static struct output *open_run_output(const struct run_arguments *a, const char *path)
{
	return begin_output(path, OUTPUT_REPLACE, &a->program, 1);
}

/* Last, when everything else is known to be right. */
static int open_outputs(const struct run_arguments *a, const struct model *model, struct run *run)
{
	if ((a->profile != NULL && (run->profile_output = open_run_output(a, a->profile)) == NULL) ||
	    (a->uart != NULL && (run->uart_output = open_run_output(a, a->uart)) == NULL) ||
	    (a->signature != NULL && (run->signature_output = open_run_output(a, a->signature)) == NULL) ||
	    (a->divisors != NULL && (run->divisors_output = open_run_output(a, a->divisors)) == NULL) ||
	    (a->interrupts != NULL &&
		(run->interrupts = run_interrupts_open(open_run_output(a, a->interrupts), model)) == NULL) ||
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

/* Each setting took a cycle of the unit, which is none of the program's. */
static void begin_traced(struct model *model)
{
	const uint32_t ctrl = trace_reg_read(model_trace(model), RV_REG_CTRL);
	if ((ctrl & RV_CTRL_ENABLE_MASK) == 0)
		return;
	model_trace_write(model, RV_REG_CTRL, ctrl & ~(uint32_t)RV_CTRL_ENABLE_MASK);
	model_trace_write(model, RV_REG_CTRL, ctrl);
}

int run_command(int argc, char **argv, int misused)
{
	static const struct argp argp = {NULL, run_parse_option, "PROGRAM.elf [-- ARGUMENT...]",
	    "Runs a program on the golden model, cycle by cycle. Standard output has what the program prints, on its "
	    "console or over the UART; standard error has the messages of its start-up code.\v"
	    "Exit status: that of the program (255 for one whose low 8 bits are 0, but not all); 123 a limit was "
	    "reached; 125 the command failed: a file cannot be used, --check-walk finds a difference; 126 the program "
	    "does not go on: it loops in traps, waits for ever, or asks for a host that is not there; 130, 143, 129 "
	    "ended by Ctrl-C, SIGTERM, SIGHUP. A message on standard error explains each that is not 0.",
	    NULL, NULL, NULL};
	struct run_arguments a = {0};
	struct run run = {0};
	struct model *model = NULL;
	struct model_config config;
	char detail[1024];
	int status = -RUN_STATUS_FAILED;
	argp_err_exit_status = misused;
	parse_options(&argp, run_options, argc, argv, 0, &a);

	if (image_open(&run.image, a.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		goto out;
	}
	if (run_refused(run.image, a.program))
		goto out;
	model_config_default(&config);
	if (run_machine(run.image, a.map, &config, &run.chip) != STATUS_OK)
		goto out;
	/* calls of a host: the console is served without a directory for files, where nothing has to go cycle by
	 * cycle */
	const bool asks = a.semihosting == NULL && a.interrupts == NULL && !a.check && a.ring == NULL &&
			  a.divisors == NULL && a.sink == 0 && !a.sink_program && run_foreign(run.image) &&
			  image_calls_host(run.image);
	a.fast = a.fast || asks;
	if (a.ram != 0)
		config.ram_size = (uint32_t)a.ram;
	if (a.csr_base != 0)
		config.trace_csr_base = (uint16_t)a.csr_base;
	run_set_table(&a, &config.trace);
	if (a.ring != NULL)
		run_ring_build(&config.trace);
	run.sink.size = a.sink;
	if (a.sink_program)
		run_sink_unit(&config.trace);
	if (a.sink != 0)
		run_sink_build(&run.sink, &config);
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
		    .order_only = !run.profiling,
		    .semihosting = a.semihosting,
		    .console = asks,
		    .gdb = a.gdb,
		    .port = (uint16_t)a.port,
		    .quiet = a.quiet};
		run.fast = run_fast_open(&fast_options, model);
		if (run.fast == NULL)
			goto out;
	}
	if ((a.divisors != NULL && (run.divisors = run_divisors_open()) == NULL) ||
	    profile_init(&run.profile) != PROFILE_OK || (a.check && follow_open(&run.follow, run.image) != FOLLOW_OK)) {
		complain("out of memory");
		goto out;
	}
	for (unsigned i = 0; i < a.setting_count; i++) {
		if (model_set(model, a.settings[i], detail, sizeof detail) != MODEL_OK) {
			complain("%s", detail);
			goto out;
		}
	}
	if (a.setting_count > 0)
		begin_traced(model);
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
	output_abandon(run.divisors_output);
	run_divisors_close(run.divisors);
	run_interrupts_close(run.interrupts);
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
