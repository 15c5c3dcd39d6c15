/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet export: a profile as a file that another tool opens. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/account/account.h"
#include "host/cmd/cmd.h"
#include "host/export/export.h"

enum { KEY_PARTIAL = 256, KEY_FORCE };

struct arguments {
	const char *program, *profile, *output;
	const struct export_format *format;
	bool partial, force;
};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "What to write, see below", 0},
    {"output", 'o', "FILE", 0, "Where to (default: standard output)", 0},
    {"partial", KEY_PARTIAL, NULL, 0, "Accept a damaged or incomplete profile", 0},
    {"force", KEY_FORCE, NULL, 0, "Accept a profile of another build", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'f':
		a->format = export_find(value);
		if (a->format == NULL)
			argp_error(state, "--format %s: not a format; `rivulet help export' lists them", value);
		return 0;
	case 'o':
		a->output = value;
		return 0;
	case KEY_PARTIAL:
		a->partial = true;
		return 0;
	case KEY_FORCE:
		a->force = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->program == NULL)
			a->program = value;
		else if (a->profile == NULL)
			a->profile = value;
		else
			argp_error(state, "a program and a profile are expected, `%s' is too many", value);
		return 0;
	case ARGP_KEY_END:
		if (a->profile == NULL)
			argp_error(state, "a program (ELF) and a profile are expected");
		if (a->format == NULL)
			argp_error(state, "--format FORMAT is expected; `rivulet help export' lists them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The list of formats, behind the options. */
static char *help(int key, const char *text, void *input)
{
	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	char *list = NULL;
	size_t size;
	FILE *out = open_memstream(&list, &size);
	if (out == NULL)
		return (char *)(uintptr_t)text;
	fprintf(out, "Formats:\n");
	for (const struct export_format *format = export_formats; format->name != NULL; format++)
		fprintf(out, "  %-11s %s\n", format->name, format->text);
	fprintf(out, "\n%s", text == NULL ? "" : text);
	return fclose(out) == 0 ? list : (char *)(uintptr_t)text;
}

/* Whether the profile was made from this image. */
static bool check_build(const struct arguments *a, const struct image *image, const struct profile *profile)
{
	char detail[1024];
	uint32_t build = 0;
	if (!profile->has_header) {
		complain("%s: without its header it cannot be checked that it is of %s", a->profile, a->program);
		return true;
	}
	if (image_build(image, &build, detail, sizeof detail) != IMAGE_OK) {
		if (!image_has_build(image, profile->header.build))
			complain("%s; it is not checked that the profile is of this build", detail);
		return true;
	}
	if (build == profile->header.build)
		return true;
	complain("%s: is of build %08" PRIx32 " (application %s), but %s is build %08" PRIx32 ": %s", a->profile,
	    profile->header.build, profile->header.name, a->program, build,
	    a->force ? "used because of --force" : "give the program that ran, or --force to use it nevertheless");
	return a->force;
}

static int gather_profile(struct gather *gather, const struct profile *profile)
{
	const struct profile_entry **sorted;
	if (profile_sort(profile, PROFILE_BY_START, &sorted) != PROFILE_OK)
		return GATHER_ENOMEM;
	int error = GATHER_OK;
	for (size_t i = 0; i < profile->used && error == GATHER_OK; i++)
		error = gather_entry(gather, sorted[i]);
	free(sorted);
	return error;
}

static int write_output(const struct arguments *a, const struct export_input *input)
{
	FILE *out = stdout;
	if (a->output == NULL && a->format->binary && isatty(STDOUT_FILENO)) {
		complain("the format %s is not text: give -o FILE, or a pipe", a->format->name);
		return STATUS_FAILED;
	}
	if (a->output != NULL && (out = fopen(a->output, "wb")) == NULL) {
		complain("%s: cannot be written: %s", a->output, strerror(errno));
		return STATUS_FAILED;
	}
	int error = a->format->write(input, out);
	bool written = fflush(out) == 0;
	if (a->output != NULL && fclose(out) != 0)
		written = false;
	if (error == EXPORT_OK && !written)
		error = EXPORT_EWRITE;
	if (error == EXPORT_EWRITE)
		complain(
		    "%s: cannot be written: %s", a->output != NULL ? a->output : "standard output", strerror(errno));
	else if (error != EXPORT_OK)
		complain("%s, %s: %s", a->program, a->profile, export_strerror(error));
	return error == EXPORT_OK ? STATUS_OK : STATUS_FAILED;
}

/* Gathers, finds places, writes. Returns STATUS_NO if records do not fit the program. */
static int export(const struct arguments *a, struct image *image, const struct profile *profile)
{
	struct gather *gather;
	const struct gather_result *result = NULL;
	struct spots spots = {0};
	struct walk_config config;
	uint64_t scale = profile->has_header && profile->header.period > 1 ? profile->header.period : 1;
	account_walk_config(profile, &config);
	int error = gather_open(&gather, image, &config);
	if (error == GATHER_OK)
		error = gather_profile(gather, profile);
	if (error == GATHER_OK)
		error = gather_finish(gather, scale, &result);
	uint32_t *pcs = result == NULL ? NULL : calloc(result->code_count + 1, sizeof *pcs);
	if (error == GATHER_OK && pcs == NULL)
		error = GATHER_ENOMEM;
	for (size_t i = 0; pcs != NULL && i < result->code_count; i++)
		pcs[i] = result->code[i].pc;
	if (error == GATHER_OK && spots_make(&spots, image, pcs, result->code_count) != SPOTS_OK)
		error = GATHER_ENOMEM;
	free(pcs);
	int status = STATUS_FAILED;
	if (error != GATHER_OK)
		complain("%s: %s", a->profile, gather_strerror(error));
	else {
		const struct export_input input = {.image = image,
		    .result = result,
		    .spots = &spots,
		    .program = a->program,
		    .name = profile->header.name,
		    .build = profile->header.build,
		    .sampled = !profile->has_header || profile->header.period != 1,
		    .timed = result->cycles > 0};
		status = write_output(a, &input);
		if (status == STATUS_OK && result->unfit > 0) {
			complain("%s: %s of %s traces do not fit %s and are left out", a->profile,
			    with_commas(result->unfit), with_commas(result->traces), a->program);
			status = STATUS_NO;
		}
	}
	spots_free(&spots);
	gather_close(gather);
	return status;
}

int cmd_export(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "PROGRAM.elf PROFILE",
	    "Writes a profile in the format of another tool.\v"
	    "Counts and cycles are those of the whole run: a sampled profile is multiplied by its sampling period. "
	    "Exit status: 0 all is well; 1 the profile is damaged or does not fit the program; 2 a file cannot be "
	    "used. "
	    "Manual: docs/export.md",
	    NULL, help, NULL};
	struct arguments a = {0};
	struct image *image = NULL;
	struct loaded loaded = {0};
	char detail[1024];
	int status = STATUS_FAILED;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (image_open(&image, a.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	int read = load_profile(&loaded, a.profile);
	if (read != STATUS_FAILED && check_build(&a, image, &loaded.profile)) {
		if (image_debug(image, detail, sizeof detail) != IMAGE_OK)
			complain("%s", detail);
		if (loaded.profile.total == 0)
			complain("%s: has no traces: nothing is written", a.profile);
		else
			status = export(&a, image, &loaded.profile);
		if (status == STATUS_OK && read == STATUS_NO && !a.partial) {
			complain("%s: is not whole; what there is was written (--partial accepts it)", a.profile);
			status = STATUS_NO;
		}
	}
	free_profile(&loaded);
	image_close(image);
	return status;
}
