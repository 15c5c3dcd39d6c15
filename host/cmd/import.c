/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet import: anybody's retirement log, through the model of the trace unit, into a record file. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/import_options.h"
#include "host/cmd/import_joined.h"
#include "host/cmd/import_perf.h"
#include "host/cmd/cmd.h"
#include "host/cmd/dense_records.h"
#include "host/cmd/encoder_find.h"
#include "host/cmd/encoder_words.h"
#include "host/cmd/objects.h"
#include "host/cmd/parse_options.h"
#include "host/import/import.h"
#include "host/records/records.h"

COMMAND(65, import, "a retirement log of any simulator, into a record file");

#define HEAD_BYTES 8u /* tell what the log is */

struct job {
	struct import_arguments *a;
	struct records_writer *writer; /* NULL: there was no record yet */
	struct records_header *header;
	const struct import *import;
	FILE *file;
	int error; /* enum records_error */
	uint64_t told, now;
	uint64_t records; /* written */
	uint8_t
	    *head; /* of the log: a dense stream and perf.data are known by it, an encoder's setting is found in it */
	size_t head_size;
	struct import_perf *perf; /* NULL: another log */
};

static int emit_imported(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* At the first record, since only then is known whether the log has times. */
static int open_writer(struct job *job)
{
	const enum import_clock_kind kind = job->import == NULL ? IMPORT_UNTIMED : import_timing(job->import);
	if (job->writer != NULL)
		return RECORDS_OK;
	job->header->cycle_bits = kind == IMPORT_UNTIMED ? 0 : 32;
	job->header->shared = kind == IMPORT_BY_TIMES;
	if (kind == IMPORT_BY_RULES)
		snprintf(job->header->rules, sizeof job->header->rules, "%s", job->a->core_name);
	int error = records_writer_open(&job->writer, job->header, 0, emit_imported, job->file);
	if (error == RECORDS_OK && import_is_messages(job->a->form))
		records_writer_merge(job->writer);
	return error;
}

static int take_imported(void *context, const struct record *record, uint64_t time)
{
	struct job *job = context;
	job->error = open_writer(job);
	if (job->error != RECORDS_OK)
		return 1;
	const struct record_place place = {.time = time, .ctrl = (uint32_t)job->now};
	job->error = records_write(job->writer, record, &place);
	return job->error == RECORDS_OK ? 0 : 1;
}

static void tell_import_problem(void *context, uint64_t line, enum import_problem problem, const char *text)
{
	struct job *job = context;
	if (job->told++ < IMPORT_TOLD_MAX)
		complain(
		    "%s: %s %s: %s", job->a->log, problem == IMPORT_DAMAGED ? "byte" : "line", with_commas(line), text);
}

struct perf_reading {
	struct import *import;
	int error;
};

static int feed_perf_bytes(void *context, const uint8_t *bytes, size_t size, uint64_t at, bool joins)
{
	struct perf_reading *r = context;
	import_move(r->import, at, joins);
	r->error = import_feed(r->import, bytes, size);
	return r->error != IMPORT_OK || stop_signal != 0;
}

/* *error: enum import_error. */
static int read_perf(struct job *job, struct import *import, int *error)
{
	struct perf_reading r = {.import = import};
	const int wrong = perf_file_bytes(&job->perf->file, job->perf->cpu, feed_perf_bytes, &r);
	*error = r.error;
	if (wrong == PERF_FILE_OK || wrong == PERF_FILE_ESTOPPED)
		return STATUS_OK;
	complain("%s: %s", job->a->log, perf_file_strerror(wrong));
	return STATUS_FAILED;
}

static int read_bytes(struct job *job, struct import *import, FILE *log, int *error)
{
	static char buffer[65536];
	size_t got;
	*error = import_feed(import, job->head, job->head_size);
	while (*error == IMPORT_OK && stop_signal == 0 && (got = fread(buffer, 1, sizeof buffer, log)) > 0)
		*error = import_feed(import, buffer, got);
	if (*error != IMPORT_OK || stop_signal != 0 || ferror(log) == 0)
		return STATUS_OK;
	complain("%s: read error: %s", job->a->log, strerror(errno));
	return STATUS_FAILED;
}

static int read_log(struct job *job, struct import *import, FILE *log)
{
	int error;
	const int status = job->perf != NULL ? read_perf(job, import, &error) : read_bytes(job, import, log, &error);
	if (status != STATUS_OK)
		return status;
	if (error == IMPORT_OK)
		error = import_finish(import);
	if (error == IMPORT_OK)
		return STATUS_OK;
	if (error == IMPORT_ESTOPPED && job->error == RECORDS_EWRITE)
		complain("%s: %s: %s", job->a->output, records_strerror(job->error), strerror(errno));
	else if (error == IMPORT_ESTOPPED)
		complain("%s: %s", job->a->output, records_strerror(job->error));
	else
		complain("%s: at line %s: %s", job->a->log, with_commas(import_counts(import)->lines + 1),
		    import_strerror(error));
	return STATUS_FAILED;
}

/* A log that is not what this program retired, though no line of it says so. */
static int tell_import_doubts(const struct job *job, const struct import *import)
{
	const struct import_arguments *a = job->a;
	const struct import_counts *c = import_counts(import);
	const bool broken = import_doubtful(import, false), outside = import_doubtful(import, true);
	if (broken && import_form_of(import) == IMPORT_QEMU)
		complain("%s: breaks off %s times in %s instructions, so its lines are not single instructions, or not "
			 "of %s: log with qemu-riscv64 -singlestep -d nochain,exec (qemu 8.1 and newer: "
			 "-one-insn-per-tb instead of -singlestep)",
		    a->log, with_commas(c->breaks), with_commas(c->instructions), a->program);
	else if (broken)
		complain("%s: breaks off %s times in %s instructions: lines are missing, or it is the log of another "
			 "program than %s",
		    a->log, with_commas(c->breaks), with_commas(c->instructions), a->program);
	else if (c->gaps > 0)
		complain("%s: goes on elsewhere at %s places, and no handler came back there: lines may be missing",
		    a->log, with_commas(c->gaps));
	if (outside)
		complain("%s: %s of its %s instructions are outside of %s: give the program that ran, its libraries "
			 "(--map), or where it was loaded (--load)",
		    a->log, with_commas(c->outside), with_commas(c->instructions + c->outside), a->program);
	return broken || outside ? STATUS_NO : STATUS_OK;
}

/* What is missing of an encoder's stream, each with its number. */
static void sum_up_messages(const struct job *job, const struct standard_counts *c)
{
	const struct {
		uint64_t count;
		const char *text;
	} rows[] = {{c->overflows, "times the encoder lost messages, by its own word"},
	    {c->dropped, "instructions were walked, but no full address confirmed them: left out"},
	    {c->unconfirmed, "instructions are taken without a full address behind them (too far away)"},
	    {c->outside, "half-words of code ran outside of the program"},
	    {c->excursions, "times the program went to code that it does not have: how much ran there is not said"},
	    {c->before, "messages came where no full address was known: left out"},
	    {c->unknown, "half-words of code ran in those: which code is not known"},
	    {c->other_sources, "messages of other sources left out (--encoder source=N)"},
	    {c->skipped, "messages of a vendor or of a reserved kind passed over"}};
	printf("%s %s in %s bytes\n", with_commas(c->messages), job->a->form == IMPORT_ETRACE ? "packets" : "messages",
	    with_commas(c->bytes));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].count > 0)
			complain("%s: %s %s", job->a->log, with_commas(rows[i].count), rows[i].text);
	}
}

/* Cycles: of what, and what of the run has none. */
static void sum_up_times(const struct job *job, const struct import *import)
{
	const struct import_clock_counts *t = import_times(import);
	const enum import_clock_kind kind = import_timing(import);
	if (kind == IMPORT_BY_RULES)
		printf("%s cycles, estimated by the rules of `%s'\n", with_commas(t->cycles), job->a->core_name);
	if (kind != IMPORT_BY_TIMES && t->times > 0)
		complain("%s: %s times came behind the first record alone: they are not used", job->a->log,
		    with_commas(t->times));
	if (kind != IMPORT_BY_TIMES)
		return;
	printf("%s cycles by %s times, shared out %s between two of them", with_commas(t->cycles),
	    with_commas(t->times), job->a->core_name == NULL ? "evenly" : "by the rules of the core");
	if (t->times > 0)
		printf(" (%s instructions)", with_commas(t->instructions / t->times));
	printf("\n");
	if (t->cycles == 0)
		complain("%s: all of its times are the same, so there are no cycles", job->a->log);
	if (t->untimed > 0)
		complain(
		    "%s: %s instructions have no cycles: no time stands before or behind them, or it is too far away",
		    job->a->log, with_commas(t->untimed));
	if (t->clipped > 0)
		complain("%s: %s cycles are missing: a record has room for 4,294,967,295", job->a->log,
		    with_commas(t->clipped));
	if (t->backwards > 0)
		complain("%s: %s times are before the one before: what ran there has no cycles", job->a->log,
		    with_commas(t->backwards));
}

/* What the log was like; STATUS_NO if it contradicts itself or the program. */
static int sum_up(const struct job *job, const struct import *import)
{
	static const char *const problems[IMPORT_PROBLEMS] = {"could not be read",
	    "have another instruction than the program", "do not follow on the line before",
	    "go where their instruction cannot", "break a rule of the retire port (docs/integration.md, section 2)",
	    "are damaged"};
	const struct import_counts *c = import_counts(import);
	int status = STATUS_OK;
	for (unsigned i = 0; i < IMPORT_PROBLEMS; i++) {
		if (c->problems[i] == 0)
			continue;
		complain("%s: %s %s %s", job->a->log, with_commas(c->problems[i]),
		    i == IMPORT_DAMAGED ? "places" : "lines", problems[i]);
		status = STATUS_NO;
	}
	printf("%s instructions, %s records", with_commas(c->instructions), with_commas(records_written(job->writer)));
	if (c->breaks > 0)
		printf("; broken off and begun anew at %s places (signals, code outside of the program, missing lines)",
		    with_commas(c->breaks));
	if (c->outside > 0)
		printf("; %s instructions outside of the program", with_commas(c->outside));
	if (c->before > 0)
		printf("; %s before the first of the program", with_commas(c->before));
	if (c->other_harts > 0)
		printf("; %s of other harts or threads left out (--hart)", with_commas(c->other_harts));
	printf("\n");
	if (import_is_messages(job->a->form))
		sum_up_messages(job, &c->messages);
	sum_up_times(job, import);
	if (import_is_messages(job->a->form) && c->modes == 0 &&
	    (job->a->modes != IMPORT_ALL_MODES || job->a->has_context)) {
		complain("%s: no message says the privilege mode, so all counts as mode M%s", job->a->log,
		    job->a->has_context ? ", and --context leaves all of it out" : "");
		status = STATUS_NO;
	}
	if (c->instructions > 0 && records_written(job->writer) == 0) {
		complain("%s: none of its instructions is of a mode of --modes", job->a->log);
		status = STATUS_NO;
	}
	if (c->instructions > 0)
		return tell_import_doubts(job, import) == STATUS_OK ? status : STATUS_NO;
	complain("%s: has no instruction of %s%s", job->a->log, job->a->program,
	    c->before > 0 ? "; if it is position independent, say where it was loaded (--load, --map)" : "");
	return STATUS_NO;
}

static int finish_records(struct job *job, const struct import *import)
{
	const struct import_counts *c = import_counts(import);
	/* what was executed outside of the program is of the run, but of no record */
	uint64_t all = c->before + c->instructions + c->outside + c->unfollowed + c->messages.dropped;
	uint64_t perf = job->perf == NULL ? 0 : import_perf_lost(job->perf);
	uint64_t lost = c->messages.damaged + c->messages.overflows + perf + c->gaps;
	const bool timed = import_timing(import) != IMPORT_UNTIMED;
	const uint64_t cycles = import_times(import)->cycles;
	const struct records_end end = {.cycles = timed ? cycles : all,
	    .instructions = all,
	    .lost = import_doubtful(import, false) ? c->breaks : lost,
	    .last_cycle = timed ? cycles : c->instructions,
	    .traced_instructions = c->instructions,
	    .ending = stop_signal == 0 ? RECORDS_END_EXIT : RECORDS_END_INTERRUPTED};
	int error = records_writer_finish(job->writer, &end);
	if (error != RECORDS_OK || fflush(job->file) != 0) {
		complain("%s: %s: %s", job->a->output, records_strerror(error == RECORDS_OK ? RECORDS_EWRITE : error),
		    strerror(errno));
		return STATUS_FAILED;
	}
	error = sum_up(job, import);
	return error == STATUS_OK && perf > 0 ? STATUS_NO : error;
}

static int run_import(struct job *job, const struct image *image, struct records_header *header, FILE *log)
{
	const struct import_arguments *a = job->a;
	const struct import_config config = {.form = a->form,
	    .hist = (unsigned)a->hist,
	    .hart = (unsigned)a->hart,
	    .modes = (unsigned)a->modes,
	    .ret_match = (uint32_t)a->ret_match,
	    .ret_mask = (uint32_t)a->ret_mask,
	    .ntrace = &a->encoder.ntrace,
	    .etrace = &a->encoder.etrace,
	    .has_context = a->has_context,
	    .address_space = a->context,
	    .core = a->core_name == NULL ? NULL : &a->core,
	    .tick = a->encoder.tick,
	    .framed = a->encoder.framed,
	    .trace_id = a->encoder.trace_id,
	    .sink = take_imported,
	    .teller = tell_import_problem,
	    .context = job};
	struct import *import;
	if (import_open(&import, image, &config) != IMPORT_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	const struct trace *unit = import_trace(import);
	header->xlen = unit->config.xlen;
	header->hist = unit->config.hist;
	header->insn_bits = unit->config.insn_bits;
	header->repeat_bits = unit->config.repeat_bits;
	header->source = RECORDS_IMPORT;
	records_identify_run(header, image);
	job->now = unit->ctrl;
	job->header = header;
	job->import = import;
	int status = read_log(job, import, log);
	if (status == STATUS_OK && open_writer(job) != RECORDS_OK) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	if (status == STATUS_OK)
		status = finish_records(job, import);
	job->records = job->writer == NULL ? 0 : records_written(job->writer);
	records_writer_close(job->writer);
	import_close(import);
	return status;
}

/* The bytes of the trace unit's dense coder. */
static int import_dense(struct job *job, const struct image *image, const struct records_header *header, FILE *log)
{
	static uint8_t buffer[65536];
	const struct import_arguments *a = job->a;
	const struct dense_records_setup setup = {.program = a->program,
	    .source = a->log,
	    .output = a->output,
	    .image = image,
	    .header = header,
	    .ctrl = (uint32_t)a->ctrl,
	    .file = job->file};
	struct dense_records *records = dense_records_open(&setup);
	if (records == NULL)
		return STATUS_FAILED;
	size_t got;
	int stop = dense_records_feed(records, job->head, job->head_size), status = STATUS_FAILED;
	while (stop == 0 && stop_signal == 0 && (got = fread(buffer, 1, sizeof buffer, log)) > 0)
		stop = dense_records_feed(records, buffer, got);
	if (stop == 0 && stop_signal == 0 && ferror(log) != 0)
		complain("%s: read error: %s", a->log, strerror(errno));
	else
		status = dense_records_finish(records, stop_signal != 0, &job->records);
	dense_records_close(records);
	return status;
}

/* --chip find */
static int find_encoder(struct job *job, const struct image *image)
{
	struct import_arguments *a = job->a;
	const struct encoder_sample sample = {a->log, a->program, job->head, job->head_size};
	const int status = encoder_find_told(&a->encoder, image, &sample);
	a->form = a->encoder.form;
	return status;
}

static int sample_perf_bytes(void *context, const uint8_t *bytes, size_t size, uint64_t at, bool joins)
{
	struct job *job = context;
	const size_t room = ENCODER_FIND_BYTES - job->head_size, taken = size < room ? size : room;
	(void)at;
	if (!joins && job->head_size > 0)
		return 1;
	memcpy(job->head + job->head_size, bytes, taken);
	job->head_size += taken;
	return taken < size;
}

static int import_perf(struct job *job, struct image *image, struct records_header *header, FILE *log)
{
	struct import_perf perf;
	int status = import_perf_open(&perf, job->a, image, header, log);
	if (status != STATUS_OK)
		return status;
	job->perf = &perf;
	job->head_size = 0;
	if (job->a->find) {
		perf_file_bytes(&perf.file, perf.cpu, sample_perf_bytes, job);
		status = find_encoder(job, image);
	}
	if (status == STATUS_OK)
		status = run_import(job, image, header, log);
	import_perf_close(&perf);
	return status;
}

static int import_any(struct job *job, struct image *image, struct records_header *header, FILE *log)
{
	struct import_arguments *a = job->a;
	job->head_size = fread(job->head, 1, HEAD_BYTES, log);
	if (job->head_size == HEAD_BYTES && memcmp(job->head, PERF_FILE_MAGIC, HEAD_BYTES) == 0)
		return import_perf(job, image, header, log);
	if (a->find) {
		job->head_size += fread(job->head + HEAD_BYTES, 1, ENCODER_FIND_BYTES - HEAD_BYTES, log);
		if (find_encoder(job, image) != STATUS_OK)
			return STATUS_FAILED;
	}
	const bool found = !a->joined && a->form == IMPORT_AUTO && dense_records_begin(job->head, job->head_size);
	if (found && !a->dense && a->log_option != NULL) {
		complain("%s: is a dense stream, of which --%s says nothing", a->log, a->log_option);
		return STATUS_FAILED;
	}
	if (a->joined) {
		const struct import_joined ring = {a->log, a->output, image, header, (unsigned)a->hist,
		    (uint32_t)a->ctrl, job->head, job->head_size, log, job->file};
		return import_joined_ring(&ring, &job->records);
	}
	if (a->dense || found)
		return import_dense(job, image, header, log);
	if (a->has_context && !import_is_messages(a->form)) {
		complain("--context is for an encoder's bytes: a log has no address spaces");
		return STATUS_FAILED;
	}
	if (a->has_ctrl) {
		complain("%s: --control is for a dense stream, which this is not", a->log);
		return STATUS_FAILED;
	}
	return run_import(job, image, header, log);
}

int cmd_import(int argc, char **argv)
{
	static const struct argp argp = {NULL, import_parse_option, "PROGRAM.elf LOG",
	    "What a simulator retired, through the model of the trace unit, into a record file for every other "
	    "command."
	    "\v"
	    "LOG has an instruction on each line: pc, instruction, next pc, mode, trap, intr, hexadecimal; or a first "
	    "line with the names of the columns, RVFI's too. Or it is what qemu-riscv64 -singlestep -d nochain,exec, "
	    "qemu's plugin execlog, spike -l or --log-commits, or a writer of RVVI-TEXT "
	    "writes, or the bytes of a RISC-V N-Trace or E-Trace encoder (--form, --encoder, --chip; "
	    "docs/standards.md), plain or in perf.data, or those of the trace unit's dense coder (docs/trace-unit.md "
	    "section 15), or the ring that several harts share (section 17: --form joined, --hist). Cycles are "
	    "those of an encoder's times, or by the rules of a core (--core); else times are instructions.\n"
	    "Exit status: 0 all is well; 1 the log contradicts itself or the program, each line is named; 2 a file "
	    "cannot be used. Manual: docs/rivulet.md",
	    NULL, NULL, NULL};
	struct import_arguments a = {.hist = IMPORT_HIST, .modes = IMPORT_ALL_MODES, .ctrl = DENSE_RECORDS_CTRL};
	static uint8_t head[ENCODER_FIND_BYTES];
	struct job job = {.a = &a, .head = head};
	struct image *image = NULL;
	struct records_header header = {0};
	char detail[1024];
	int status = STATUS_FAILED;
	parse_options(&argp, import_options, argc, argv, 0, &a);
	if (a.core_name != NULL && core_open(&a.core, a.core_name, detail, sizeof detail) != CORE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (image_open(&image, a.program, detail, sizeof detail) != IMAGE_OK ||
	    (a.has_load && image_move(image, a.load, detail, sizeof detail) != IMAGE_OK)) {
		complain("%s", detail);
		image_close(image);
		return STATUS_FAILED;
	}
	if (a.map != NULL && objects_place(image, a.map, &header) != STATUS_OK) {
		image_close(image);
		return STATUS_FAILED;
	}
	header.base = image_load_address(image);
	snprintf(header.name, sizeof header.name, "%s", short_file(a.program, 64));
	bool standard = strcmp(a.log, "-") == 0;
	FILE *log = standard ? stdin : fopen(a.log, "rb");
	const char *const inputs[] = {a.program, a.log, a.map};
	struct output *output = NULL;
	catch_stop_signals();
	if (log == NULL)
		complain("%s: cannot be opened: %s", a.log, strerror(errno));
	else if ((output = begin_output(a.output, OUTPUT_REPLACE, inputs, a.map != NULL ? 3 : 2)) != NULL) {
		job.file = output_file(output);
		status = import_any(&job, image, &header, log);
		int finished = status != STATUS_FAILED && job.records == 0 ? finish_empty(output, a.output)
									   : finish_output(output, status);
		status = finished == STATUS_FAILED ? finished : status;
	}
	if (log != NULL && !standard)
		fclose(log);
	image_close(image);
	if (stop_signal != 0 && status != STATUS_FAILED) {
		complain("%s: ended early; %s holds what was read until then", a.log, a.output);
		return stop_status();
	}
	return status;
}
