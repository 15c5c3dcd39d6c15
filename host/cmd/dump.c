/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet dump: records one by one, and the instructions that they stand for. */
#include "host/cmd/dump.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/counters.h"
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/table_options.h"
#include "model/trace.h"

COMMAND(80, dump, "records one by one, and the instructions they stand for");

struct arguments {
	const char *file, *program;
	uint64_t from, to, from_cycle, to_cycle, count; /* to, to_cycle: inclusive */
	bool force, at;
	enum table_format format;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"walk", 'w', "PROGRAM.elf", "Show the instructions of each record", OPTION_TEXT(program)},
    {"from", 0, "N", "Begin with record number N (0 is the first)", OPTION_NUMBER(from, 0, UINT64_MAX, "a number")},
    {"to", 0, "N", "End with record number N", OPTION_NUMBER(to, 0, UINT64_MAX, "a number")},
    {"from-cycle", 0, "N", "Begin with the first record that left in cycle N or later",
	OPTION_NUMBER(from_cycle, 0, UINT64_MAX, "a number")},
    {"at", 0, "CYCLE", "The first record that left in this cycle or later: as --from-cycle, 1 record",
	OPTION_NUMBER(from_cycle, 0, UINT64_MAX, "a number"), OPTION_ALSO(at)},
    {"to-cycle", 0, "N", "End with the last record that left in cycle N or earlier",
	OPTION_NUMBER(to_cycle, 0, UINT64_MAX, "a number")},
    {"count", 'n', "N", "At most N records", OPTION_NUMBER(count, 0, UINT64_MAX, "a number")},
    {"force", 0, NULL, "Walk records through a program that they are not of", OPTION_FLAG(force)},
    OPTION_OPERAND(
	file, "one file is expected", "a file of records is expected (`rivulet run --records'), or a profile"),
    OPTION_CHILD(format),
    {0},
};

static error_t check_dump_options(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	(void)value;
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (a->at && a->count == UINT64_MAX)
		a->count = 1;
	if (a->to < a->from || a->to_cycle < a->from_cycle)
		argp_error(state, "the range ends before it begins: --from and --to, --from-cycle and --to-cycle");
	if (table_alone(a->format) && a->program != NULL)
		argp_error(state, "--csv and --markdown have records alone: --json has the instructions of --walk too");
	return 0;
}

/* Outcomes below the marker, the oldest first: "TNNT", "-" if there are none. */
static void outcomes_text(uint64_t hist, char text[65])
{
	unsigned count = 63 - (unsigned)__builtin_clzll(hist);
	for (unsigned i = 0; i < count; i++)
		text[i] = (hist >> (count - 1 - i) & 1) != 0 ? 'T' : 'N';
	if (count == 0)
		text[count++] = '-';
	text[count] = '\0';
}

enum {
	RECORD_NUMBER,
	RECORD_CYCLE,
	RECORD_START,
	RECORD_HISTORY,
	RECORD_BRANCHES,
	RECORD_REASON,
	RECORD_INSNS,
	RECORD_CYCLES,
	RECORD_REPEAT,
	RECORD_SHOWN,
	RECORD_CONTEXT,
	RECORD_CTRL,
	RECORD_COLUMNS
};

static const struct table_column record_columns[RECORD_COLUMNS] = {
    [RECORD_NUMBER] = {.title = "record", .key = "record", .form = TABLE_PLAIN, .width = 10},
    [RECORD_CYCLE] = {.title = "cycle", .key = "cycle", .form = TABLE_PLAIN, .width = 14},
    [RECORD_START] =
	{.title = "start", .key = "start", .form = TABLE_ADDRESS, .decimals = 8, .gap = "  ", .width = -10},
    [RECORD_HISTORY] = {.key = "history", .form = TABLE_ADDRESS, .decimals = 1},
    [RECORD_BRANCHES] = {.key = "branches", .form = TABLE_WORDS},
    [RECORD_REASON] = {.title = "ended by", .key = "reason", .form = TABLE_WORDS, .width = -8},
    [RECORD_INSNS] = {.title = "insns", .key = "insns", .form = TABLE_PLAIN, .width = 5},
    [RECORD_CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_PLAIN, .width = 7},
    [RECORD_REPEAT] = {.title = "repeat", .key = "repeat", .form = TABLE_PLAIN, .width = 6},
    [RECORD_SHOWN] = {.title = "branches", .form = TABLE_WORDS, .gap = "  "},
    [RECORD_CONTEXT] = {.key = "context", .form = TABLE_PLAIN},
    [RECORD_CTRL] = {.key = "ctrl", .form = TABLE_ADDRESS, .decimals = 8},
};

enum {
	ENTRY_NUMBER,
	ENTRY_COUNT,
	ENTRY_START,
	ENTRY_HISTORY,
	ENTRY_BRANCHES,
	ENTRY_REASON,
	ENTRY_INSNS,
	ENTRY_TIMED,
	ENTRY_CYCLES,
	ENTRY_SHOWN,
	ENTRY_COLUMNS
};

static const struct table_column entry_columns[ENTRY_COLUMNS] = {
    [ENTRY_NUMBER] = {.title = "entry", .key = "entry", .form = TABLE_PLAIN, .width = 10},
    [ENTRY_COUNT] = {.title = "count", .key = "count", .form = TABLE_PLAIN, .width = 14},
    [ENTRY_START] = {.title = "start", .key = "start", .form = TABLE_ADDRESS, .decimals = 8, .gap = "  ", .width = -10},
    [ENTRY_HISTORY] = {.key = "history", .form = TABLE_ADDRESS, .decimals = 1},
    [ENTRY_BRANCHES] = {.key = "branches", .form = TABLE_WORDS},
    [ENTRY_REASON] = {.title = "ended by", .key = "reason", .form = TABLE_WORDS, .width = -8},
    [ENTRY_INSNS] = {.title = "insns", .key = "insns", .form = TABLE_PLAIN, .width = 5},
    [ENTRY_TIMED] = {.key = "timed", .form = TABLE_PLAIN},
    [ENTRY_CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_PLAIN, .width = 7},
    [ENTRY_SHOWN] = {.title = "branches", .form = TABLE_WORDS, .gap = "         "},
};

/* A row; as JSON the members of an object that stays open, for what --walk puts into it. */
static void put_dumped(const struct table *table, const struct table_cell *cells)
{
	if (table->format == TABLE_JSON) {
		json_open_line(table->json, stdout);
		table_members(table, cells);
	} else
		table_row(table, cells);
}

static void put_record(const struct table *table, const struct record *record, const struct record_place *place)
{
	char branches[65], shown[96];
	outcomes_text(record->hist, branches);
	snprintf(shown, sizeof shown, "%s", branches);
	if (place->context != 0)
		snprintf(shown, sizeof shown, "%s  context %" PRIu32, branches, place->context);
	const struct table_cell cells[RECORD_COLUMNS] = {[RECORD_NUMBER] = table_number(place->number),
	    [RECORD_CYCLE] = table_number(place->time),
	    [RECORD_START] = table_number(record->start),
	    [RECORD_HISTORY] = table_number(record->hist),
	    [RECORD_BRANCHES] = table_words(record->hist == 1 ? "" : branches),
	    [RECORD_REASON] = table_words(record_reason_name(record->reason)),
	    [RECORD_INSNS] = table_number(record->insns),
	    [RECORD_CYCLES] = table_number(record->cycles),
	    [RECORD_REPEAT] = table_number(record->count),
	    [RECORD_SHOWN] = {.shown = shown},
	    [RECORD_CONTEXT] = table_number(place->context),
	    [RECORD_CTRL] = table_number(place->ctrl)};
	put_dumped(table, cells);
}

static void put_entry(const struct table *table, const struct record *e, size_t number)
{
	char branches[65];
	outcomes_text(e->hist, branches);
	const struct table_cell cells[ENTRY_COLUMNS] = {[ENTRY_NUMBER] = table_number(number),
	    [ENTRY_COUNT] = table_number(e->count),
	    [ENTRY_START] = table_number(e->start),
	    [ENTRY_HISTORY] = table_number(e->hist),
	    [ENTRY_BRANCHES] = table_words(e->hist == 1 ? "" : branches),
	    [ENTRY_REASON] = table_words(record_reason_name(e->reason)),
	    [ENTRY_INSNS] = table_number(e->insns),
	    [ENTRY_TIMED] = table_number(e->timed),
	    [ENTRY_CYCLES] = table_shown(table_number(e->cycles), e->timed > 0 ? with_unit((double)e->cycles) : "?"),
	    [ENTRY_SHOWN] = {.shown = branches}};
	put_dumped(table, cells);
}

static void tell_missing(const struct table *table, const char *file, uint64_t from, uint64_t to)
{
	const char *are = to - from == 1 ? " is" : "s are";
	if (table->format == TABLE_JSON) {
		json_open_line(table->json, stdout);
		json_number(table->json, "missing", to - from);
		json_number(table->json, "first", from);
		finish_json(table->json);
	} else if (table_alone(table->format))
		complain("%s: %s record%s missing: %" PRIu64 " to %" PRIu64, file, with_commas(to - from), are, from,
		    to - 1);
	else
		printf("%10s -- %s record%s missing: %" PRIu64 " to %" PRIu64 "\n", "", with_commas(to - from), are,
		    from, to - 1);
}

static int dump_records(const struct arguments *a, struct records *records, struct dump_walk *walk)
{
	const struct records_header *header = records_header(records);
	struct record record;
	struct record_place place;
	struct json json;
	const struct table table = {
	    .columns = record_columns, .count = RECORD_COLUMNS, .format = a->format, .out = stdout, .json = &json};
	uint64_t shown = 0, next = a->from;
	int got = RECORDS_OK;
	if (a->from_cycle > 0)
		got = records_seek_cycle(records, a->from_cycle);
	else if (a->from > 0)
		got = records_seek(records, a->from);
	bool first = a->from_cycle > 0;
	if (a->format != TABLE_JSON)
		table_begin(&table);
	while (got >= 0 && shown < a->count && (got = records_next(records, &record, &place)) == 1) {
		if (place.number > a->to || place.time > a->to_cycle)
			break;
		if (place.number < a->from)
			continue;
		if (place.number > next && !first)
			tell_missing(&table, a->file, next, place.number);
		first = false;
		next = place.number + 1;
		shown++;
		put_record(&table, &record, &place);
		if (walk != NULL) {
			const struct walk_config config = {.hist = header != NULL ? header->hist : 64,
			    .ctrl = place.ctrl,
			    .insn_bits = header != NULL ? header->insn_bits : 32};
			walk->json = a->format == TABLE_JSON ? &json : NULL;
			if (!dump_walk(walk, &config, &record)) {
				complain("out of memory");
				return STATUS_FAILED;
			}
		}
		if (a->format == TABLE_JSON)
			finish_json(&json);
		if (ferror(stdout)) /* a reader that has enough */
			break;
	}
	if (got < 0) {
		complain("%s: %s", a->file, records_strerror(got));
		return STATUS_FAILED;
	}
	if (shown == 0 && a->count > 0)
		complain(
		    "%s: no record is in the range asked for (`rivulet info' tells their numbers and times)", a->file);
	return STATUS_OK;
}

/* A profile has no order of time: its entries, by start. */
static int dump_profile(const struct arguments *a, const struct profile *profile, struct dump_walk *walk)
{
	const struct record **sorted;
	const struct walk_config config = {.hist = profile->has_header ? (unsigned)profile->header.hist : 64,
	    .ctrl = (uint32_t)profile->header.ctrl,
	    .insn_bits = 16};
	struct json json;
	const struct table table = {
	    .columns = entry_columns, .count = ENTRY_COLUMNS, .format = a->format, .out = stdout, .json = &json};
	if (profile_sort(profile, PROFILE_BY_START, &sorted) != PROFILE_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (a->format != TABLE_JSON)
		table_begin(&table);
	bool good = true;
	for (size_t i = (size_t)a->from; i < profile->used && i <= a->to && i - a->from < a->count && good; i++) {
		const struct record *e = sorted[i];
		put_entry(&table, e, i);
		if (walk != NULL) {
			walk->json = a->format == TABLE_JSON ? &json : NULL;
			good = dump_walk(walk, &config, e);
		}
		if (a->format == TABLE_JSON)
			finish_json(&json);
	}
	free(sorted);
	if (!good)
		complain("out of memory");
	return good ? STATUS_OK : STATUS_FAILED;
}

/* Whether everything is shown: then it can be held against the run. */
static bool shows_all(const struct arguments *a)
{
	return a->from == 0 && a->from_cycle == 0 && a->to == UINT64_MAX && a->to_cycle == UINT64_MAX &&
	       a->count == UINT64_MAX;
}

/* What ran and is in none of the instructions below the records. */
static void tell_remainder(
    const struct arguments *a, const struct dump_walk *walk, const struct profile *head, bool damaged)
{
	const struct remainder_shown shown = {.insns = walk->insns,
	    .unfit = walk->bad,
	    .cut = walk->cut,
	    .damaged = damaged,
	    .counters = is_counters(head)};
	struct remainder remainder;
	struct json json;
	remainder_find(&remainder, head, &shown);
	if (a->format != TABLE_JSON)
		print_not_traced(&remainder, stdout);
	else if (remainder_any(&remainder)) {
		json_open_line(&json, stdout);
		json_not_traced(&json, &remainder);
		finish_json(&json);
	}
}

static int open_walk(const struct arguments *a, struct dump_walk *walk)
{
	char detail[1024];
	if (image_open(&walk->image, a->program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (place_image(walk->image, a->file) != STATUS_OK)
		return STATUS_FAILED;
	if (image_debug(walk->image, detail, sizeof detail) != IMAGE_OK)
		complain("%s", detail);
	return STATUS_OK;
}

static int with_records(const struct arguments *a, struct dump_walk *walk)
{
	struct records *records;
	char detail[1024], prefix[4096 + 16];
	size_t kept;
	uint64_t damage;
	if (records_open(&records, a->file, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	int status = walk == NULL ? STATUS_OK : check_records_match(records, a->file, walk->image, a->force);
	if (status != STATUS_FAILED) {
		int dumped = dump_records(a, records, walk);
		status = dumped != STATUS_OK ? dumped : status;
		records_damage(records, &kept, &damage);
		if (walk != NULL && dumped == STATUS_OK && shows_all(a)) {
			struct profile head = {0};
			records_describe(records, &head);
			tell_remainder(a, walk, &head, damage > 0);
		}
		fflush(stdout);
		snprintf(prefix, sizeof prefix, "rivulet: %s: ", a->file);
		print_records_damage(records, stderr, prefix, 8);
		if (damage > 0 && status == STATUS_OK)
			status = STATUS_NO;
	}
	records_close(records);
	return status;
}

static int with_profile(const struct arguments *a, struct dump_walk *walk)
{
	struct loaded loaded;
	uint32_t build;
	int status = load_profile(&loaded, a->file);
	if (status != STATUS_FAILED && walk != NULL && loaded.profile.has_header &&
	    image_build(walk->image, &build, NULL, 0) == IMAGE_OK && build != loaded.profile.header.build) {
		complain("%s: is of build %08" PRIx32 ", but %s is build %08" PRIx32 "%s", a->file,
		    loaded.profile.header.build, a->program, build,
		    a->force ? "; used because of --force" : "; give the program that ran, or --force");
		status = a->force ? STATUS_NO : STATUS_FAILED;
	}
	if (status != STATUS_FAILED) {
		int dumped = dump_profile(a, &loaded.profile, walk);
		if (walk != NULL && dumped == STATUS_OK && shows_all(a))
			tell_remainder(a, walk, &loaded.profile, !loaded.whole);
		status = dumped != STATUS_OK ? dumped : status;
	}
	free_profile(&loaded);
	return status;
}

int cmd_dump(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, check_dump_options, "FILE",
	    "The records of a record file one by one, in order, or the entries of a profile. JSON has an object a "
	    "line.",
	    children, NULL, NULL};
	struct arguments a = {.to = UINT64_MAX, .to_cycle = UINT64_MAX, .count = UINT64_MAX};
	struct dump_walk walk = {0};
	parse_options(&argp, options, argc, argv, 0, &a);
	if ((a.from_cycle > 0 || a.to_cycle != UINT64_MAX) && !check_one_hart(a.file))
		return STATUS_FAILED;
	if (a.program != NULL && open_walk(&a, &walk) != STATUS_OK)
		return STATUS_FAILED;
	struct dump_walk *used = a.program != NULL ? &walk : NULL;
	int status = is_record_file(a.file) ? with_records(&a, used) : with_profile(&a, used);
	if (walk.bad > 0) {
		complain("%s: %s of the records shown do not fit %s", a.file, with_commas(walk.bad), a.program);
		status = status == STATUS_OK ? STATUS_NO : status;
	}
	dump_walk_close(&walk);
	image_close(walk.image);
	return end_output(status);
}
