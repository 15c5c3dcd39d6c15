/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * How many branches of an encoder's bytes are decoded a second, on one core.
 *
 *   decode_bench RUNS NAME PROGRAM.elf SETTING BYTES INSTRUCTIONS    a row; INSTRUCTIONS: as many must come out
 *
 * The decoder alone gives its runs to nobody; the import makes records of them, and gives these to nobody.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "host/import/import.h"

#define RUNS_MAX 101
#define SECONDS_MIN 0.2 /* a measurement repeats the bytes until it has taken so long */

enum stage { DECODED, IMPORTED, STAGES };

struct decoding {
	const char *name;
	struct image *image;
	uint8_t *bytes;
	size_t size;
	enum import_form form;
	struct ntrace_options ntrace;
	struct etrace_options etrace;
	struct standard_code *code;
	uint64_t insns, branches, jumps; /* of a pass; branches: conditional ones */
	uint64_t records;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "decode_bench: %s: %s\n", what, why);
	exit(1);
}

static double cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int count_run(void *context, uint64_t pc, uint32_t count)
{
	struct decoding *d = context;
	const struct standard_block *block = standard_code_block(d->code, pc);
	d->insns += count;
	if (count >= block->count) {
		d->branches += block->class == STANDARD_BRANCH;
		d->jumps += block->class > STANDARD_BRANCH;
	}
	return 0;
}

static int ignore_event(void *context, enum standard_event event, uint64_t pc)
{
	(void)context;
	(void)event;
	(void)pc;
	return 0;
}

static void tell_damage(void *context, uint64_t offset, const char *text)
{
	(void)context;
	(void)offset;
	fail("damaged", text);
}

static void decode_once(struct decoding *d)
{
	struct standard_decoder *decoder = d->form == IMPORT_NTRACE
					       ? ntrace_open(d->image, &d->ntrace, ignore_event, tell_damage, d)
					       : etrace_open(d->image, &d->etrace, ignore_event, tell_damage, d);
	if (decoder == NULL)
		fail(d->name, "out of memory");
	standard_take_runs(decoder, count_run);
	d->insns = d->branches = d->jumps = 0;
	if (standard_feed(decoder, d->bytes, d->size) != 0 || standard_finish(decoder) != 0)
		fail(d->name, "the decoder stopped");
	standard_close(decoder);
}

static int count_record(void *context, const struct record *record, uint64_t time)
{
	struct decoding *d = context;
	(void)time;
	d->records += record->count;
	return 0;
}

static void import_once(struct decoding *d)
{
	struct import *import;
	const struct import_config config = {.form = d->form,
	    .hist = 64,
	    .modes = 0xB,
	    .ntrace = &d->ntrace,
	    .etrace = &d->etrace,
	    .sink = count_record,
	    .context = d};
	if (import_open(&import, d->image, &config) != IMPORT_OK)
		fail(d->name, "out of memory");
	d->records = 0;
	if (import_feed(import, d->bytes, d->size) != IMPORT_OK || import_finish(import) != IMPORT_OK)
		fail(d->name, "the import stopped");
	if (import_counts(import)->instructions != d->insns)
		fail(d->name, "the import has other instructions than the decoder");
	import_close(import);
}

/* Passes a second. */
static double measure(struct decoding *d, enum stage stage)
{
	double begun = cpu_seconds(), spent;
	unsigned passes = 0;
	do {
		if (stage == DECODED)
			decode_once(d);
		else
			import_once(d);
		passes++;
		spent = cpu_seconds() - begun;
	} while (spent < SECONDS_MIN);
	return passes / spent;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static double median_of(struct decoding *d, enum stage stage, int runs)
{
	double rates[RUNS_MAX];
	for (int i = 0; i < runs; i++)
		rates[i] = measure(d, stage);
	qsort(rates, (size_t)runs, sizeof *rates, by_value);
	return rates[runs / 2];
}

static void choose_setting(struct decoding *d, const char *setting)
{
	d->form = strncmp(setting, "etrace", 6) == 0 ? IMPORT_ETRACE : IMPORT_NTRACE;
	d->etrace = (struct etrace_options){.layout = etrace_defaults(0)};
	d->ntrace.history = strncmp(setting, "htm", 3) == 0;
	if (strstr(setting, "returns") == NULL)
		return;
	d->ntrace.implicit_return = 32;
	d->etrace.implicit_return = d->etrace.predictor = d->etrace.cache = true;
	d->etrace.layout.stack = 3;
	d->etrace.layout.predictor = d->etrace.layout.cache = 7;
}

static void read_bytes(struct decoding *d, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		fail(path, "cannot be read");
	d->size = (size_t)ftell(file);
	d->bytes = malloc(d->size + 1);
	rewind(file);
	if (d->bytes == NULL || fread(d->bytes, 1, d->size, file) != d->size)
		fail(path, "cannot be read");
	fclose(file);
}

int main(int argc, char **argv)
{
	struct decoding d = {0};
	struct rusage usage;
	char detail[1024];
	const int runs = argc == 7 ? atoi(argv[1]) : 0;
	if (runs < 1 || runs > RUNS_MAX)
		fail("usage", "RUNS NAME PROGRAM.elf SETTING BYTES INSTRUCTIONS");
	d.name = argv[2];
	if (image_open(&d.image, argv[3], detail, sizeof detail) != IMAGE_OK)
		fail(argv[3], detail);
	d.code = standard_code_open(d.image);
	if (d.code == NULL)
		fail(d.name, "out of memory");
	choose_setting(&d, argv[4]);
	read_bytes(&d, argv[5]);
	decode_once(&d);
	if (d.insns != strtoull(argv[6], NULL, 10))
		fail(d.name, "not all instructions came out");
	const double decoded = median_of(&d, DECODED, runs), imported = median_of(&d, IMPORTED, runs);
	const double all = (double)(d.branches + d.jumps) / 1e6;
	getrusage(RUSAGE_SELF, &usage);
	printf("| %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", d.name, argv[4],
	    (double)d.insns / 1e6, (double)d.branches / 1e6, (double)d.jumps / 1e6, all * decoded,
	    (double)d.insns / 1e6 * decoded, all * imported, (double)d.insns / 1e6 * imported,
	    (double)usage.ru_maxrss / 1024 - (double)d.size / 1048576);
	standard_code_close(d.code);
	image_close(d.image);
	free(d.bytes);
	return 0;
}
