/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet postmortem: what ran last, from the ring of a flight recorder. */
#include "host/cmd/parse_options.h"
#include "host/cmd/table_options.h"
#include "host/cmd/postmortem.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/load_records.h"
#include "host/cmd/profiled.h"
#include "host/export/gather_feed.h"
#include "host/gdb/client.h"

COMMAND(47, postmortem, "what ran last before a fault, from a flight recorder's ring");

#define ROWS 40u
#define SYMBOL "rivulet_ring"
#define DUMP_MAX (UINT64_C(1) << 32)

struct arguments {
	const char *program, *file, *output, *gdb, *symbol;
	uint64_t top;
	enum table_format format;
	bool listing, force;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"top", 0, "N", "Show at most N rows (40); 0: all", OPTION_NUMBER(top, 0, UINT64_MAX, "a number")},
    {"listing", 0, NULL, "Instructions instead of calls", OPTION_FLAG(listing)},
    {"output", 'o', "FILE.rvr", "Write the records as a record file too: for view, dump, calls, export",
	OPTION_TEXT(output)},
    {"gdb", 0, "HOST:PORT", "Read the dump from a chip that a gdb server holds, instead of a file", OPTION_TEXT(gdb)},
    {"symbol", 0, "NAME", "With --gdb: the variable that holds the dump (" SYMBOL ")", OPTION_TEXT(symbol)},
    {"force", 0, NULL, "Use records of another program", OPTION_FLAG(force)},
    OPTION_CHILD(format),
    OPTION_OPERAND(program, "a program and one file are expected",
	"a program (ELF) is expected, then what holds the dump of its ring"),
    OPTION_OPERAND(file, "a program and one file are expected", NULL),
    {0},
};

static error_t check_postmortem_options(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	(void)value;
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if ((a->file == NULL) == (a->gdb == NULL))
		argp_error(state, "a file is expected (a core, a memory dump, console text, a record file), "
				  "or --gdb HOST:PORT");
	return 0;
}

/* The dump through a gdb server: its head says how long it is. */
static uint8_t *read_by_gdb(const struct arguments *a, const struct image *image, size_t *size)
{
	uint64_t address;
	char detail[1024];
	uint8_t *bytes = calloc(RING_MAX_WORDS(RING_RECORDS_MAX, 6), 4);
	if (bytes == NULL || image_symbol(image, a->symbol, &address) != IMAGE_OK) {
		complain("%s: has no symbol %s: give the variable that trace_recorder_save() filled (--symbol)",
		    a->program, a->symbol);
		free(bytes);
		return NULL;
	}
	size_t words = RING_WORDS;
	int error = gdb_client_read(a->gdb, address, bytes, 4 * words, detail, sizeof detail);
	const uint32_t *head = (const uint32_t *)(const void *)bytes;
	if (error == 0 && head[RING_MAGIC_WORD] == RING_MAGIC && head[RING_SIZE] > words &&
	    head[RING_SIZE] <= RING_MAX_WORDS(RING_RECORDS_MAX, 6)) {
		words = head[RING_SIZE];
		error = gdb_client_read(a->gdb, address, bytes, 4 * words, detail, sizeof detail);
	}
	*size = 4 * words;
	if (error == 0)
		return bytes;
	complain("%s", detail);
	free(bytes);
	return NULL;
}

static int emit_to_memory(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) != size;
}

static int watch_step(void *context, const struct gather_visit *visit)
{
	struct postmortem *p = context;
	if (!array_room(&p->steps, p->count + 1, &p->room))
		return 1;
	p->steps[p->count++] = (struct postmortem_step){
	    .block = visit->block, .count = visit->count, .node = visit->node, .cycles = visit->cycles};
	return 0;
}

/* The ring in what was read, as the bytes of a record file. */
static int records_of_dump(
    const struct arguments *a, struct postmortem *p, const uint8_t *bytes, size_t size, char **made, size_t *made_size)
{
	p->ring = calloc(1, sizeof *p->ring);
	const int error = p->ring == NULL ? RING_ENONE : ring_find(bytes, size, p->ring);
	if (error != RING_OK) {
		complain("%s: %s; trace_recorder_save() makes one (docs/firmware.md)", p->source, ring_strerror(error));
		return STATUS_FAILED;
	}
	if (p->ring->others > 0 && a->format == TABLE_TEXT)
		complain("%s: holds %s more dumps before the last one", p->source, with_commas(p->ring->others));
	if (p->ring->count == 0) {
		complain("%s: the ring is empty: nothing was traced before it froze", p->source);
		return STATUS_FAILED;
	}
	p->before = p->ring->lost;
	FILE *memory = open_memstream(made, made_size);
	const int written =
	    memory == NULL ? RECORDS_ENOMEM : ring_write_records(p->ring, p->image, emit_to_memory, memory);
	if (memory == NULL || fclose(memory) != 0 || written != RECORDS_OK) {
		complain("%s: %s", p->source, records_strerror(written));
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int write_postmortem(const struct arguments *a, const char *bytes, size_t size)
{
	const char *inputs[] = {a->program, a->file != NULL ? a->file : a->program};
	struct output *output = begin_output(a->output, OUTPUT_REPLACE, inputs, 2);
	if (output == NULL)
		return STATUS_FAILED;
	fwrite(bytes, 1, size, output_file(output)); /* finish_output() tells what is wrong */
	return finish_output(output, STATUS_OK);
}

/* Walks all records, prints. */
static int tell_records(const struct arguments *a, struct postmortem *p, struct records *records)
{
	struct gather *gather = NULL;
	struct walk_config config;
	struct records_extent extent;
	int status = check_records_match(records, p->source, p->image, a->force);
	if (status == STATUS_FAILED)
		return status;
	records_extent(records, &extent);
	gather_records_config(records_header(records), &config);
	int error = gather_open(&gather, p->image, &config);
	if (error == GATHER_OK) {
		gather_watch(gather, GATHER_VISITS, watch_step, p);
		error = gather_records(gather, records, NULL, NULL);
	}
	if (error == GATHER_OK)
		error = gather_finish(gather, 1, &p->result);
	if (error == GATHER_OK) {
		const struct records_header *header = records_header(records);
		p->records = extent.records;
		p->before = p->ring != NULL ? p->before : extent.missing;
		p->timed = header != NULL && header->cycle_bits > 0;
		if (a->format == TABLE_JSON && !postmortem_print_json(p))
			status = STATUS_FAILED;
		else if (a->format != TABLE_JSON)
			postmortem_print(p);
		if (p->result->unfit + p->result->cut > 0) {
			complain("%s: %s traces do not fit %s, %s are known in part only", p->source,
			    with_commas(p->result->unfit), p->program, with_commas(p->result->cut));
			status = STATUS_NO;
		}
		if (p->result->breaks > 0) {
			complain("%s: %s records do not go on where the one before them ended", p->source,
			    with_commas(p->result->breaks));
			status = STATUS_NO;
		}
	} else
		complain("%s: %s", p->source, gather_feed_strerror(error));
	gather_close(gather);
	return error == GATHER_OK ? status : STATUS_FAILED;
}

static int run_postmortem(const struct arguments *a, struct postmortem *p)
{
	struct records *records = NULL;
	char detail[1024], *made = NULL;
	uint8_t *bytes = NULL;
	size_t size = 0, made_size = 0;
	int status = STATUS_FAILED;
	if (a->file != NULL && is_record_file(a->file)) {
		if (a->output != NULL)
			complain("%s: is a record file already: -o is for dumps", a->file);
		else if (records_open(&records, a->file, detail, sizeof detail) == RECORDS_OK)
			status = STATUS_OK;
		else
			complain("%s", detail);
	} else {
		bytes = a->file != NULL ? read_whole_file(a->file, DUMP_MAX, &size) : read_by_gdb(a, p->image, &size);
		if (bytes == NULL && a->file != NULL)
			complain("%s: cannot be read: %s", a->file, strerror(errno));
		if (bytes != NULL)
			status = records_of_dump(a, p, bytes, size, &made, &made_size);
		if (status == STATUS_OK && a->output != NULL)
			status = write_postmortem(a, made, made_size);
		if (status == STATUS_OK &&
		    records_open_memory(&records, made, made_size, detail, sizeof detail) != RECORDS_OK) {
			complain("%s", detail);
			status = STATUS_FAILED;
		}
	}
	if (status == STATUS_OK)
		status = tell_records(a, p, records);
	records_close(records);
	free(made);
	free(bytes);
	return status;
}

int cmd_postmortem(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, check_postmortem_options, "PROGRAM.elf [FILE]",
	    "What ran last before the flight recorder froze, backwards, as calls with their source lines and cycles, "
	    "or "
	    "as instructions. FILE holds the dump of the ring somewhere: an ELF core, a memory dump of gdb, the text "
	    "of a "
	    "console; or it is a record file, of which the end is shown.",
	    children, NULL, NULL};
	struct arguments a = {.top = ROWS, .symbol = SYMBOL};
	struct postmortem p = {0};
	char detail[1024];
	parse_options(&argp, options, argc, argv, 0, &a);
	if (image_open(&p.image, a.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (image_debug(p.image, detail, sizeof detail) != IMAGE_OK && a.format == TABLE_TEXT)
		complain("%s", detail);
	p.program = a.program;
	p.source = a.file != NULL ? a.file : a.gdb;
	p.most = a.top;
	p.listing = a.listing;
	p.format = a.format;
	const int status = run_postmortem(&a, &p);
	free(p.steps);
	free(p.ring);
	image_close(p.image);
	return end_output(status);
}
