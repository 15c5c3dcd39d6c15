/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet merge: many profiles of a program into one. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/cmd/cmd.h"
#include "host/cmd/counters.h"
#include "host/cmd/parse_options.h"
#include "host/insert/insert.h"

COMMAND(50, merge, "many profiles of a program into one");

struct arguments {
	const char *output;
	const char **files;
	size_t count;
	bool partial, quiet;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"output", 'o', "FILE", "Where the sum is written (needed; -: standard output)", OPTION_TEXT(output)},
    {"partial", 0, NULL, "Accept damaged or incomplete profiles", OPTION_FLAG(partial)},
    {"quiet", 'q', NULL, "No summary", OPTION_FLAG(quiet)},
    {0},
};

static error_t parse_merge_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case ARGP_KEY_ARG:
		a->files[a->count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (a->count == 0)
			argp_error(state, "profiles are expected, one or more");
		if (a->output != NULL && strcmp(a->output, "-") == 0 && isatty(STDOUT_FILENO))
			argp_error(state, "-o -: a profile is not for a terminal");
		if (a->output == NULL)
			argp_error(state, "-o FILE is expected: where the sum is written");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int emit_merged(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* Why two profiles cannot be one. */
static void tell_mismatch(const char *file, const char *first, const struct profile *have, const struct profile *more)
{
	const struct profile_header *a = &have->header, *b = &more->header;
	if (a->build != b->build)
		complain("%s: is of build %08" PRIx32 ", %s is of %08" PRIx32
			 ": only profiles of one build can be added",
		    file, b->build, first, a->build);
	else if (a->source == PROFILE_COUNTERS && b->source == PROFILE_COUNTERS && a->ctrl != b->ctrl)
		complain("%s: has counters of %s, %s has counters of %s", file, insert_mode_name((unsigned)b->ctrl),
		    first, insert_mode_name((unsigned)a->ctrl));
	else if (a->program != b->program && a->program != 0 && b->program != 0)
		complain(
		    "%s: has counters of another program than %s: only profiles of one program, linked from the same "
		    "objects, can be added",
		    file, first);
	else if (a->hist == b->hist && a->ctrl == b->ctrl && a->xlen == b->xlen)
		complain(
		    "%s: its libraries are not those of %s: one was loaded elsewhere, or built anew; or their cycles "
		    "are of two kinds",
		    file, first);
	else
		complain("%s: its traces end at other places than those of %s: history %" PRIu64 " and %" PRIu64
			 " bits, CTRL 0x%" PRIx64 " and 0x%" PRIx64,
		    file, first, b->hist, a->hist, b->ctrl, a->ctrl);
}

/* The header of the sum: what all have in common. The counts of different periods stand for different numbers of
 * traces, so the sum would be wrong. */
static bool same_scale(const char *file, const char *first, const struct profile *have, const struct profile *more)
{
	if (!have->has_header || !more->has_header || have->header.period == more->header.period)
		return true;
	complain("%s: counts one trace in %" PRIu64 ", %s one in %" PRIu64
		 ": their counts cannot be added (0: not known, a timer chose)",
	    file, more->header.period, first, have->header.period);
	return false;
}

/* Adds one file to sum. *first: the first file with a header. */
static int add_profile_file(const struct arguments *a, struct profile *sum, const char *file, const char **first)
{
	struct loaded loaded = {0};
	int status = load_profile(&loaded, file);
	const struct profile *profile = &loaded.profile;
	if (status == STATUS_NO && a->partial)
		status = STATUS_OK;
	else if (status == STATUS_NO)
		complain("%s: is not whole; what there is is added (--partial accepts it)", file);
	if (status != STATUS_FAILED && *first != NULL && !same_scale(file, *first, sum, profile))
		status = STATUS_FAILED;
	if (status != STATUS_FAILED && profile->has_header && profile->header.source == PROFILE_COUNTERS &&
	    (profile->header.ctrl == INSERT_TRACE || profile->header.ctrl == INSERT_CYCLES)) {
		complain("%s: has %s, which cannot be added up", file,
		    profile->header.ctrl == INSERT_TRACE ? "a sequence of blocks" : "the contexts of calls");
		status = STATUS_FAILED;
	}
	if (status != STATUS_FAILED) {
		if (!profile->has_header)
			complain("%s: without its header it cannot be checked that it is of the same build", file);
		if (sum->used == 0) /* before anything is added */
			sum->by_length = profile->by_length;
		int error = profile_merge(sum, profile);
		if (error == PROFILE_EBUILD)
			tell_mismatch(file, *first, sum, profile);
		else if (error != PROFILE_OK)
			complain("%s: %s", file, profile_strerror(error));
		if (error != PROFILE_OK)
			status = STATUS_FAILED;
		else if (*first == NULL && profile->has_header)
			*first = file;
	}
	free_profile(&loaded);
	return status;
}

static int write_sum(const struct arguments *a, struct output *output, const struct profile *sum)
{
	errno = 0;
	int error = profile_write(sum, emit_merged, output_file(output));
	if (error != PROFILE_OK)
		complain("%s: cannot be written: %s", a->output,
		    error == PROFILE_ENOMEM ? "out of memory" : strerror(errno));
	return error == PROFILE_OK ? STATUS_OK : STATUS_FAILED;
}

int cmd_merge(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse_merge_option, "-o FILE PROFILE...",
	    "Adds profiles of the same build, collected in the same way, count by count.\v"
	    "Exit status: 0 all is well; 1 one is damaged or incomplete, what there was is added; 2 nothing is "
	    "written: "
	    "a file cannot be used, or they do not belong together.",
	    NULL, NULL, NULL};
	struct arguments a = {.files = calloc((size_t)argc + 1, sizeof *a.files)};
	struct profile sum = {0};
	const char *first = NULL;
	int status = STATUS_OK;
	if (a.files == NULL || profile_init(&sum) != PROFILE_OK) {
		complain("out of memory");
		free(a.files);
		return STATUS_FAILED;
	}
	parse_options(&argp, options, argc, argv, 0, &a);
	/* an input may be the output: it is read before it is replaced */
	struct output *output = begin_output(a.output, OUTPUT_REPLACE, NULL, 0);
	if (output == NULL)
		status = STATUS_FAILED;
	for (size_t i = 0; i < a.count && status != STATUS_FAILED; i++) {
		int one = add_profile_file(&a, &sum, a.files[i], &first);
		status = status > one ? status : one;
	}
	if (status != STATUS_FAILED) {
		int one = write_sum(&a, output, &sum);
		status = status > one ? status : one;
	}
	status = finish_output(output, status);
	if (status != STATUS_FAILED)
		complain_part(a.output, &sum);
	if (status != STATUS_FAILED && !a.quiet)
		fprintf(stderr, "%s: %s profiles, %s traces in %s paths\n", a.output, with_commas(a.count),
		    with_commas(sum.total), with_commas(sum.used));
	profile_fini(&sum);
	free(a.files);
	return status;
}
