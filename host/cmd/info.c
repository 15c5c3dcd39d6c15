/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet info: what is in a file: profile, capture, records, program. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/info.h"
#include "host/base/json.h"
#include "host/cmd/load_records.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"

COMMAND(90, info, "what is in a profile, capture, record file or program");

struct arguments {
	const char *file;
	bool text, json;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"text", 't', NULL, "Print the console text only", OPTION_FLAG(text)},
    {"json", 'j', NULL, "As JSON", OPTION_FLAG(json)},
    OPTION_OPERAND(
	file, "one file is expected", "a file is expected: a profile, captured UART bytes, records, a program"),
    {0},
};

static void copy_text(void *context, const uint8_t *bytes, size_t size)
{
	fwrite(bytes, 1, size, context);
}

/* The text is not kept by load_profile(): the file is read a second time. */
static int print_console_text(const char *path, bool *frames)
{
	struct profile profile;
	struct profile_reader *reader = malloc(sizeof *reader);
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : fopen(path, "rb");
	int status = STATUS_FAILED;
	if (reader != NULL && file != NULL && profile_init(&profile) == PROFILE_OK) {
		uint8_t buffer[65536];
		size_t got;
		profile_reader_init(reader, &profile);
		reader->text = copy_text;
		reader->context = stdout;
		while ((got = fread(buffer, 1, sizeof buffer, file)) > 0 &&
		       profile_feed(reader, buffer, got) == PROFILE_OK)
			;
		(void)profile_finish(reader);
		profile_fini(&profile);
		*frames = reader->frames > 0 && !standard;
		status = ferror(file) ? STATUS_FAILED : STATUS_OK;
	}
	if (file != NULL && !standard)
		fclose(file);
	free(reader);
	return status;
}

/* Text needs no profile beside it; if there is one, damage of it is told. */
static int text_only(const char *path)
{
	struct loaded loaded;
	bool frames = false;
	int status = print_console_text(path, &frames);
	if (status != STATUS_FAILED && !frames)
		return status;
	status = load_profile(&loaded, path); /* says what is wrong, also where the file cannot be read */
	free_profile(&loaded);
	return status;
}

static bool is_program(const char *path)
{
	static const char mark[4] = {0x7F, 'E', 'L', 'F'};
	char bytes[4];
	struct stat status;
	if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false; /* what is read from a pipe is gone */
	FILE *file = fopen(path, "rb");
	bool program = file != NULL && fread(bytes, 1, 4, file) == 4 && memcmp(bytes, mark, 4) == 0;
	if (file != NULL)
		fclose(file);
	return program;
}

int cmd_info(int argc, char **argv)
{
	static const struct argp argp = {NULL, NULL, "FILE",
	    "What is in a profile, in captured UART bytes, in a record file or in a program: the run, counts, and "
	    "damage with "
	    "byte offsets.",
	    NULL, NULL, NULL};
	struct arguments arguments = {0};
	parse_options(&argp, options, argc, argv, 0, &arguments);
	const char *path = arguments.file;
	if (arguments.text && (is_record_file(path) || is_program(path))) {
		complain("%s: has no console text; --text is for captured UART bytes", path);
		return STATUS_FAILED;
	}
	int status;
	if (is_record_file(path))
		status = info_records(path, arguments.json);
	else if (is_program(path))
		status = info_program(path, arguments.json);
	else if (arguments.text)
		status = text_only(path);
	else
		status = info_profile(path, arguments.json);
	return end_output(status);
}
