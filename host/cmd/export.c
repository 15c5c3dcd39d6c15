/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet export: a profile or a record file as a file that another tool opens. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/export_dense.h"
#include "host/cmd/export_encoder.h"
#include "host/cmd/export_gcda.h"
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/progress.h"
#include "host/export/export.h"
#include "host/export/gather_feed.h"

#define TELL_SHARE 0.01 /* of the run is missing: worth a message beside what the file says */

COMMAND(130, export, "a profile as a file that another tool opens");

enum { KEY_NOTES = 256 };

struct arguments {
	struct operands operands;
	char *words;
	const char *chip;
	enum import_form form; /* IMPORT_AUTO: the format is one of the table, or dense */
	bool dense;
	struct dense_config coder;
	struct encoder_setting encoder;
	const char *output;
	const struct export_format *format;
	struct notes_paths notes;
	struct output *file; /* NULL: the format has files of its own */
	struct profiled input;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"format", 'f', "FORMAT", "What to write, see below", OPTION_OWN},
    {"output", 'o', "FILE", "Where to (default: standard output)", OPTION_TEXT(output)},
    {"encoder", 0, "LIST",
	"Formats ntrace and etrace: how the encoder is set; docs/standards.md. "
	"Format dense: entries=256,places=1024,check-bits=10,start-bits=16",
	OPTION_TEXT(words)},
    {"chip", 0, "NAME",
	"Formats ntrace and etrace: the encoder of a chip, as with rivulet import; --encoder comes on top of it",
	OPTION_TEXT(chip)},
    {"notes", KEY_NOTES, "PATH", "Format gcda: a .gcno file of gcc, or a folder with them; may be given more than once",
	OPTION_OWN},
    OPTION_CHILD(operands),
    {0},
};

/* The formats of the table, then those with files of their own, and those of encoders, which need records in order. */
static bool export_format_row(size_t i, const char **name, const char **line)
{
	const char *const more[][2] = {{gcda_format.name, gcda_format.text},
	    {"ntrace", "the bytes of a RISC-V N-Trace encoder (record files)"},
	    {"etrace", "the bytes of a RISC-V E-Trace encoder (record files)"},
	    {"dense", "the bytes of the trace unit's dense coder (record files)"}};
	size_t count = 0;
	while (export_formats[count].name != NULL)
		count++;
	if (i >= count + sizeof more / sizeof *more)
		return false;
	*name = i < count ? export_formats[i].name : more[i - count][0];
	*line = i < count ? export_formats[i].text : more[i - count][1];
	return true;
}

/* Their names, one behind the other. */
static const char *export_format_names(void)
{
	static char names[512];
	size_t used = 0, line = 0;
	const char *name, *text;
	for (size_t i = 0; export_format_row(i, &name, &text) && used < sizeof names; i++) {
		const char *before = ", ";
		if (used == 0)
			before = "\n  ";
		else if (used - line > 60)
			before = ",\n  ";
		line = *before == '\n' || before[1] == '\n' ? used : line;
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", before, name);
	}
	return names;
}

/* The bytes of an encoder: of records in order. */
static bool is_encoded(const struct arguments *a)
{
	return a->dense || a->form != IMPORT_AUTO;
}

static void check_export_encoder(struct arguments *a, struct argp_state *state)
{
	const char *wrong = NULL;
	encoder_defaults(&a->encoder, a->form);
	export_dense_defaults(&a->coder);
	if (a->words != NULL && !is_encoded(a))
		argp_error(state, "--encoder is for the formats ntrace and etrace, and dense");
	if (a->chip != NULL && a->form == IMPORT_AUTO)
		argp_error(state, "--chip is for the formats ntrace and etrace");
	if (a->chip != NULL && !encoder_chip(&a->encoder, a->chip))
		argp_error(state, "--chip %s: no such chip; rivulet import --help names them", a->chip);
	if (a->form != a->encoder.form)
		argp_error(
		    state, "--chip %s has an encoder of the form %s", a->chip, import_form_name(a->encoder.form));
	if (a->words != NULL)
		wrong = a->dense ? export_dense_words(&a->coder, a->words) : encoder_words(&a->encoder, a->words);
	if (wrong != NULL)
		argp_error(state, "--encoder: `%s' is no word of %s, or not with that value; see docs/%s.md", wrong,
		    a->dense ? "dense" : import_form_name(a->form), a->dense ? "export" : "standards");
	wrong = a->form == IMPORT_AUTO ? NULL : encoder_check(&a->encoder);
	if (wrong != NULL)
		argp_error(state, "--encoder: %s", wrong);
}

static error_t parse_export_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'f':
		a->format = strcmp(value, gcda_format.name) == 0 ? &gcda_format : export_find(value);
		a->form = IMPORT_AUTO;
		a->dense = strcmp(value, "dense") == 0;
		if (a->format == NULL && !a->dense && !encoder_form(value, &a->form))
			argp_error(
			    state, "--format %s: not a format; expected is one of%s", value, export_format_names());
		return 0;
	case KEY_NOTES:
		if (a->notes.count == NOTES_PATHS_MAX)
			argp_error(state, "--notes %s: there are more than %d: give a folder", value, NOTES_PATHS_MAX);
		a->notes.all[a->notes.count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (a->format == NULL && !is_encoded(a))
			argp_error(state, "--format FORMAT is expected, one of%s", export_format_names());
		if ((a->format == &gcda_format) != (a->notes.count > 0))
			argp_error(state, "--notes is for the format gcda, which needs it");
		check_export_encoder(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static char *export_help_filter(int key, const char *text, void *input)
{
	(void)input;
	return help_with_table(key, text, "Formats", export_format_row);
}

static int write_export_file(const struct arguments *a, const struct export_input *input)
{
	if (a->format == &gcda_format)
		return export_gcda(&a->notes, strcmp(a->output, "-") == 0 ? NULL : a->output, input);
	errno = 0;
	int error = a->format->write(input, output_file(a->file));
	if (error == EXPORT_EWRITE)
		complain("%s: cannot be written: %s", a->output, strerror(errno));
	else if (error != EXPORT_OK)
		complain("%s, %s: %s", a->input.program, a->input.file, export_strerror(error));
	return error == EXPORT_OK ? STATUS_OK : STATUS_FAILED;
}

/* When the file was written, which is when the run ended; seconds since 1970, 0: it is no file. */
static uint64_t time_of(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_mtime : 0;
}

/* Writes everything that was gathered, with its places, into the file. STATUS_NO: a part does not fit the program. */
static int write_gathered(const struct arguments *a, const struct gather_result *result, struct export_input *input)
{
	struct spots spots = {0};
	int status = STATUS_FAILED;
	if (spots_make(&spots, a->input.image, result) != SPOTS_OK)
		complain("out of memory");
	else if (result->code_count == 0)
		complain("%s: none of its traces fits %s: nothing is written", a->input.file, a->input.program);
	else {
		input->image = a->input.image;
		input->result = result;
		input->spots = &spots;
		input->program = a->input.program;
		input->time = time_of(a->input.file);
		input->timed = result->cycles > 0;
		status = write_export_file(a, input);
	}
	if (status == STATUS_OK && input->remainder != NULL &&
	    (!input->remainder->known || remainder_share(input->remainder) >= TELL_SHARE))
		complain_not_traced(a->input.file, input->remainder); /* not every format has a place for it */
	if (status == STATUS_OK && result->unfit > 0) {
		complain("%s: %s of %s traces do not fit %s and are left out", a->input.file,
		    with_commas(result->unfit), with_commas(result->traces), a->input.program);
		status = STATUS_NO;
	}
	if (result->cut > 0)
		complain("%s: of %s traces a part is not known: it is left out, with %s cycles", a->input.file,
		    with_commas(result->cut), with_commas(result->lost_cycles));
	if (result->breaks > 0)
		complain("%s: %s records do not go on where the one before them ended: stacks may be wrong there",
		    a->input.file, with_commas(result->breaks));
	if (result->ordered && result->stack.astray > 0)
		complain_astray(a->input.file, result->stack.astray, "stacks");
	spots_free(&spots);
	return status;
}

static int export_profile(struct arguments *a)
{
	const struct profile *profile = &a->input.loaded.profile;
	struct gather *gather = NULL;
	const struct gather_result *result = NULL;
	struct walk_config config;
	int status = open_profiled(&a->input);
	if (status == STATUS_FAILED)
		return status;
	if (profile->total == 0) {
		complain("%s: has no traces: nothing is written", a->input.file);
		return STATUS_FAILED;
	}
	const bool of_coverage =
	    a->format != NULL && (strcmp(a->format->name, "lcov") == 0 || strcmp(a->format->name, "gcda") == 0);
	if (profile_is_part(profile) && of_coverage) {
		complain("%s: is of a part of the run: lines that ran while counting was switched off would be shown "
			 "as not covered; nothing is written",
		    a->input.file);
		return STATUS_FAILED;
	}
	gather_profile_config(profile, &config);
	int error = gather_open(&gather, a->input.image, &config);
	if (error == GATHER_OK)
		error = gather_profile(gather, profile);
	if (error == GATHER_OK)
		error = gather_finish(
		    gather, profile->has_header && profile->header.period > 1 ? profile->header.period : 1, &result);
	if (error != GATHER_OK) {
		complain("%s: %s", a->input.file, gather_feed_strerror(error));
		status = STATUS_FAILED;
	} else {
		struct remainder remainder;
		remainder_of_gather(&remainder, profile, result, a->input.counted, !a->input.loaded.whole);
		struct export_input input = {.name = profile->header.name,
		    .remainder = &remainder,
		    .build = profile->header.build,
		    .sampled = profile_sampled(profile),
		    .part = profile_is_part(profile)};
		status = worse_status(status, write_gathered(a, result, &input));
	}
	gather_close(gather);
	return status;
}

/* Whether the records are of this program. */
static bool check_match(const struct arguments *a, const struct records_header *header)
{
	char detail[512];
	if (header == NULL) {
		complain(
		    "%s: without its header it cannot be checked that it is of %s", a->input.file, a->input.program);
		return true;
	}
	if (records_match(header, a->input.image, detail, sizeof detail) != RECORDS_OTHER)
		return true;
	complain("%s: is not of %s: %s: %s", a->input.file, a->input.program, detail,
	    a->input.force ? "used because of --force"
			   : "give the program that ran, or --force to use it nevertheless");
	return a->input.force;
}

/* Reports missing or damaged records and returns STATUS_NO for them. */
static int told_damage(const struct arguments *a, const struct records *records)
{
	size_t kept;
	uint64_t count;
	const struct records_damage *damage = records_damage(records, &kept, &count);
	for (size_t i = 0; i < kept && i < 8; i++) {
		char text[256];
		records_damage_describe(&damage[i], text, sizeof text);
		complain("%s: %s", a->input.file, text);
	}
	if (count > 8)
		complain("%s: ... and %s more like these", a->input.file, with_commas(count - 8));
	if (count > 0 && !a->input.partial)
		complain("%s: is not whole; what there is was written (--partial accepts it)", a->input.file);
	if (records_end(records) != NULL)
		tell_ending(a->input.file, records_end(records)->ending);
	return count > 0 && !a->input.partial ? STATUS_NO : STATUS_OK;
}

static int export_records(struct arguments *a, struct records *records)
{
	const struct records_header *header = records_header(records);
	struct gather *gather = NULL;
	const struct gather_result *result = NULL;
	struct walk_config config;
	char detail[1024];
	struct progress progress;
	struct timeline timeline = {0};
	if (image_open(&a->input.image, a->input.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (place_image(a->input.image, a->input.file) != STATUS_OK || !check_match(a, header))
		return STATUS_FAILED;
	/* a line of time, or one encoder's bytes, would have one hart behind the other */
	if ((is_encoded(a) || a->format->timeline) && !check_one_hart(a->input.file))
		return STATUS_FAILED;
	if (is_encoded(a)) {
		int encoded = a->dense ? export_dense(&a->coder, records, a->input.file, output_file(a->file))
				       : export_encoder(
					     &a->encoder, a->input.image, records, a->input.file, output_file(a->file));
		return encoded == STATUS_FAILED ? encoded : worse_status(encoded, told_damage(a, records));
	}
	if (image_debug(a->input.image, detail, sizeof detail) != IMAGE_OK)
		complain("%s", detail);
	gather_records_config(header, &config);
	int error = gather_open(&gather, a->input.image, &config);
	timeline_init(&timeline);
	if (error == GATHER_OK && a->format->timeline)
		gather_watch(gather, GATHER_CONTEXTS, timeline_take, &timeline);
	progress_begin(&progress, a->input.file);
	if (error == GATHER_OK)
		error = gather_records(gather, records, progress_show, &progress);
	progress_end(&progress);
	if (error == GATHER_OK)
		error = gather_finish(gather, 1, &result);
	int status = STATUS_FAILED;
	if (error != GATHER_OK)
		complain("%s: %s", a->input.file, gather_feed_strerror(error));
	else if (result->traces == 0) {
		char prefix[4096 + 16];
		snprintf(prefix, sizeof prefix, "rivulet: %s: ", a->input.file);
		print_records_damage(records, stderr, prefix, 8);
		complain("%s: has no whole records: nothing is written", a->input.file);
	} else {
		struct remainder remainder;
		remainder_gathered(&remainder, records, result);
		struct export_input input = {.name = header == NULL ? "" : header->name,
		    .remainder = &remainder,
		    .build = header == NULL ? 0 : header->build,
		    .sampled = !result->ordered,
		    .records = records,
		    .timeline = result->ordered && a->format->timeline ? &timeline : NULL};
		status = write_gathered(a, result, &input);
		if (status != STATUS_FAILED)
			status = worse_status(status, told_damage(a, records));
	}
	timeline_fini(&timeline);
	gather_close(gather);
	return status;
}

/* Whether the file is a record file; what it is else, its reader will say. */
static bool is_records(const char *path)
{
	uint8_t bytes[8];
	FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
	if (file == NULL)
		return false;
	size_t got = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	return records_is(bytes, got);
}

int cmd_export(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, {0}};
	static const struct argp argp = {NULL, parse_export_option, "PROGRAM.elf PROFILE|RECORDS",
	    "Writes a profile, or a record file, in the format of another tool.\v"
	    "Counts and cycles are those of the whole run: a sampled profile is multiplied by its sampling period. "
	    "Call stacks are exact from a record file; from a profile they are those within each trace. "
	    "Exit status: 0 all is well; 1 the input is damaged or does not fit the program; 2 a file cannot be used. "
	    "Manual: docs/export.md",
	    children, export_help_filter, NULL};
	struct arguments a = {.output = "-"};
	int status;
	a.operands.wanted = "a program (ELF) and a profile or record file";
	parse_options(&argp, options, argc, argv, 0, &a);
	take_operands(&a.input, &a.operands);
	bool files = a.format == &gcda_format, binary = is_encoded(&a) || a.format->binary;
	if (!files && strcmp(a.output, "-") == 0 && binary && isatty(STDOUT_FILENO)) {
		complain("this format is not text: give -o FILE, or a pipe");
		return STATUS_FAILED;
	}
	if (is_encoded(&a) && !is_records(a.input.file)) {
		complain("%s: is no record file: the bytes of an encoder are in the order of time, and a profile has "
			 "none (run, import and record write record files)",
		    a.input.file);
		return STATUS_FAILED;
	}
	const char *const inputs[] = {a.input.program, a.input.file};
	catch_stop_signals();
	a.file = files ? NULL : begin_output(a.output, OUTPUT_REPLACE, inputs, 2);
	if (a.file == NULL && !files)
		return STATUS_FAILED;
	if (is_records(a.input.file)) {
		struct records *records;
		char detail[1024];
		if (records_open(&records, a.input.file, detail, sizeof detail) != RECORDS_OK) {
			complain("%s", detail);
			status = STATUS_FAILED;
		} else
			status = export_records(&a, records);
		records_close(records);
	} else
		status = export_profile(&a);
	close_profiled(&a.input);
	if (stop_signal != 0) {
		complain("%s: interrupted: nothing is written", a.output);
		output_abandon(a.file);
		return stop_status();
	}
	return finish_output(a.file, status);
}
