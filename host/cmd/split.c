/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet split: each profile of a capture that holds several as a file of its own. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/base/array.h"
#include "host/cmd/load_records.h"
#include "host/profile/split.h"
#include "host/records/harts.h"

COMMAND(100, split, "each profile of a capture, each hart of records, as a file");

struct arguments {
	const char *file, *prefix;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"output", 'o', "PREFIX",
	"Write PREFIX1-NAME.prof, PREFIX2-NAME.prof and so on (of several harts PREFIX1-NAME-hart-0.prof), or "
	"PREFIXhart-0.rvr (default: no prefix)",
	OPTION_TEXT(prefix)},
    OPTION_OPERAND(file, "one capture is expected", "a capture is expected"),
    {0},
};

static int emit_split(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

/* The profile of one hart of several says in its header that the others are to be added. Alone it is whole: it becomes
 * a profile of one hart. What is damaged stays as it came. */
static bool stands_alone(const struct profile_reader *reader)
{
	const unsigned harts = reader->profile->header.harts;
	return harts > 0 && reader->profile->has_end && reader->damage_count == harts - 1;
}

/* Writes one profile; returns a status. */
static int write_one(const struct arguments *arguments, unsigned number, const uint8_t *bytes, size_t size)
{
	struct profile profile;
	struct profile_reader *reader = malloc(sizeof *reader);
	char name[64] = "unknown", path[4096];
	int status = STATUS_FAILED;
	if (reader == NULL || profile_init(&profile) != PROFILE_OK) {
		complain("out of memory");
		free(reader);
		return status;
	}
	profile_reader_init(reader, &profile);
	if (profile_feed(reader, bytes, size) != PROFILE_OK || profile_finish(reader) != PROFILE_OK) {
		complain("out of memory");
		goto out;
	}
	if (profile.has_header) {
		size_t at = 0;
		for (const char *c = profile.header.name; *c != '\0' && at < sizeof name - 1; c++)
			name[at++] = isalnum((unsigned char)*c) || *c == '_' || *c == '-' ? *c : '_';
		name[at] = '\0';
	}
	char hart[16] = "";
	if (profile.header.harts > 0)
		snprintf(hart, sizeof hart, "-hart-%u", profile.header.hart);
	int length = snprintf(path, sizeof path, "%s%u-%s%s.prof", arguments->prefix, number, name, hart);
	if (length < 0 || (size_t)length >= sizeof path) {
		complain("%s: %s", arguments->prefix, strerror(ENAMETOOLONG));
		goto out;
	}
	struct output *output = begin_output(path, OUTPUT_REPLACE, &arguments->file, 1);
	if (output == NULL)
		goto out;
	const bool alone = stands_alone(reader), whole = alone || reader->damage_count == 0;
	if (alone) /* finish_output() tells what is wrong */
		profile_write(&profile, emit_split, output_file(output));
	else
		fwrite(bytes, 1, size, output_file(output));
	if (finish_output(output, STATUS_OK) != STATUS_OK)
		goto out;
	printf("%s: %s, build %08" PRIx32 ", %s traces in %s paths%s\n", path, name, profile.header.build,
	    with_commas(profile.total), with_commas(profile.used), whole ? "" : ", damaged or incomplete");
	status = whole ? STATUS_OK : STATUS_NO;
out:
	profile_fini(&profile);
	free(reader);
	return status;
}

/* The records of one hart as a file; adds to *written how many. Returns a status. */
static int write_hart(const struct arguments *arguments, struct records *records, unsigned hart, uint64_t *written)
{
	uint64_t count;
	char path[4096];
	struct records_writer *writer;
	struct records_header header = *records_header(records);
	header.harts = 0;
	const int length = snprintf(path, sizeof path, "%shart-%u.rvr", arguments->prefix, hart);
	if (length < 0 || (size_t)length >= sizeof path) {
		complain("%s: %s", arguments->prefix, strerror(ENAMETOOLONG));
		return STATUS_FAILED;
	}
	struct output *output = begin_output(path, OUTPUT_REPLACE, &arguments->file, 1);
	if (output == NULL)
		return STATUS_FAILED;
	int error = records_writer_open(&writer, &header, 0, emit_split, output_file(output));
	if (error == RECORDS_OK)
		error = records_hart_write(records, hart, writer, &count);
	records_writer_close(writer);
	if (error != RECORDS_OK && error != RECORDS_EWRITE)
		complain("%s: %s", path, records_strerror(error));
	if (finish_output(output, error == RECORDS_OK ? STATUS_OK : STATUS_FAILED) != STATUS_OK)
		return STATUS_FAILED;
	printf("%s: hart %u, %s records\n", path, hart, with_commas(count));
	*written += count;
	return STATUS_OK;
}

/* What its harts do not have of the file is told; returns a status. */
static int check_split(const struct arguments *arguments, const struct records *records, uint64_t written)
{
	struct records_extent extent;
	size_t kept;
	uint64_t damage;
	records_extent(records, &extent);
	records_damage(records, &kept, &damage);
	if (damage > 0) {
		char prefix[4200];
		snprintf(prefix, sizeof prefix, "rivulet: %s: ", arguments->file);
		print_records_damage(records, stderr, prefix, 8);
	}
	if (written < extent.records)
		complain("%s: %s records are of a hart that there is not, and in no file", arguments->file,
		    with_commas(extent.records - written));
	return damage > 0 || written < extent.records ? STATUS_NO : STATUS_OK;
}

/* A record file of several harts; returns a status. */
static int split_harts(const struct arguments *arguments)
{
	struct records *records;
	char detail[1024];
	if (records_open(&records, arguments->file, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	const struct records_header *header = records_header(records);
	const unsigned harts = header == NULL ? 0 : header->harts;
	int status = harts == 0 ? STATUS_FAILED : STATUS_OK;
	if (harts == 0)
		complain("%s: its records are of one hart: there is nothing to split", arguments->file);
	uint64_t written = 0;
	for (unsigned h = 0; h < harts && status != STATUS_FAILED; h++)
		status = write_hart(arguments, records, h, &written);
	if (status == STATUS_OK)
		status = check_split(arguments, records, written);
	records_close(records);
	return status;
}

int cmd_split(int argc, char **argv)
{
	static const struct argp argp = {NULL, NULL, "FILE",
	    "Cuts a capture with several profiles, as the kernel (docs/kernel.md) or several harts send them, into one "
	    "file "
	    "for each; "
	    "and records of several harts, as a sink that they share writes them (docs/trace-unit.md), into one file "
	    "for "
	    "each hart.",
	    NULL, NULL, NULL};
	struct arguments arguments = {.prefix = ""};
	parse_options(&argp, options, argc, argv, 0, &arguments);
	if (is_record_file(arguments.file))
		return end_output(split_harts(&arguments));
	size_t size, at = 0;
	unsigned number = 0;
	int status = STATUS_OK;
	uint8_t *bytes = read_whole_file(arguments.file, UINT64_MAX, &size);
	if (bytes == NULL) {
		complain("%s: %s", arguments.file, strerror(errno));
		return STATUS_FAILED;
	}
	struct profile_range range;
	while (status != STATUS_FAILED && profile_next(bytes, size, &at, &range)) {
		int one = write_one(&arguments, ++number, bytes + range.begin, range.size);
		if (one > status)
			status = one;
	}
	free(bytes);
	if (number == 0) {
		complain("%s: no profile in %zu bytes", arguments.file, size);
		return STATUS_FAILED;
	}
	return end_output(status);
}
