/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * ntrace-encode PROGRAM LOG btm|htm RETURNS REPEAT SYNC >BYTES: the retirement log of another simulator, as the bytes of
 * an N-Trace encoder. RETURNS: entries of the return stack; REPEAT: 1 RepeatBranch and repeated history; SYNC: half-words
 * between full addresses, 0 none. An ECALL ends tracing, as of a unit that is enabled in user mode alone. Says on standard error: instructions, bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/import/import.h"
#include "host/ntrace/encoder.h"

struct job {
	struct standard_code *code;
	struct ntrace_encoder encoder;
	bool on;
	uint64_t instructions, bytes;
};

static void put(void *context, const uint8_t *bytes, size_t size)
{
	struct job *job = context;
	job->bytes += fwrite(bytes, 1, size, stdout);
}

static int no_record(void *context, const struct record *record, uint64_t time)
{
	(void)context, (void)record, (void)time;
	return 0;
}

static void watch(void *context, uint64_t pc, uint64_t next, uint32_t insn, bool broken)
{
	struct job *job = context;
	(void)insn;
	const struct standard_insn *there = standard_code_at(job->code, pc);
	if (!job->on && there->class != STANDARD_TRAPS)
		ntrace_start(&job->encoder, pc, 5);
	job->on = job->on || there->class != STANDARD_TRAPS;
	if (there->class == STANDARD_TRAPS) { /* a system call: it does not retire, and the kernel is not traced */
		if (job->on)
			ntrace_stop(&job->encoder, 4);
		job->on = false;
		return;
	}
	job->instructions++;
	ntrace_retire(&job->encoder, there, broken ? pc + there->length : next);
	if (broken) {
		ntrace_stop(&job->encoder, 4);
		job->on = false;
	}
}

static int encode(struct job *job, const struct image *image, FILE *log)
{
	static char buffer[65536];
	const struct import_config config = {.hist = 64, .modes = 0xB, .sink = no_record};
	struct import *import;
	size_t got;
	int error = import_open(&import, image, &config);
	if (error != IMPORT_OK)
		return error;
	import_watch(import, watch, job);
	while (error == IMPORT_OK && (got = fread(buffer, 1, sizeof buffer, log)) > 0)
		error = import_feed(import, buffer, got);
	if (error == IMPORT_OK)
		error = import_finish(import);
	import_close(import);
	if (job->on)
		ntrace_stop(&job->encoder, 4);
	return error;
}

int main(int argc, char **argv)
{
	struct job job = {0};
	struct image *image;
	char detail[1024];
	FILE *log = argc == 7 ? fopen(argv[2], "rb") : NULL;
	if (log == NULL || image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK)
		return EXIT_FAILURE;
	const struct ntrace_options options = {.layout = {0, image_xlen(image), false},
	    .history = strcmp(argv[3], "htm") == 0,
	    .implicit_return = (unsigned)atoi(argv[4]),
	    .repeat_branch = atoi(argv[5]) != 0,
	    .repeated_history = atoi(argv[5]) != 0,
	    .sync_halves = (unsigned)atoi(argv[6])};
	ntrace_encoder_init(&job.encoder, &options, put, &job);
	job.code = standard_code_open(image);
	int error = job.code == NULL ? IMPORT_ENOMEM : encode(&job, image, log);
	fprintf(stderr, "%" PRIu64 " instructions, %" PRIu64 " bytes, %.3f bits an instruction\n", job.instructions,
	    job.bytes, job.instructions == 0 ? 0 : 8.0 * (double)job.bytes / (double)job.instructions);
	standard_code_close(job.code);
	image_close(image);
	fclose(log);
	return error == IMPORT_OK && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
