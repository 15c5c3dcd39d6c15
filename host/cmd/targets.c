/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet targets: where calls and jumps by a register went, and how often. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/operands.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/cmd/progress.h"
#include "host/cmd/table_options.h"
#include "host/export/gather_feed.h"
#include "host/export/targets.h"

COMMAND(166, targets, "where calls and jumps by a register went, and how often");

struct targets_arguments {
	struct operands operands;
	enum table_format format;
	uint64_t top, each;
};

struct jump_group { /* the targets of one jump */
	const struct target_count *targets;
	size_t count;
	uint64_t executed;
};

#define OPTIONS_OF struct targets_arguments
static const struct option_row options[] = {
    {"top", 'n', "N", "The N jumps that were executed most (default 20; 0: all)",
	OPTION_NUMBER(top, 0, UINT32_MAX, "a number")},
    {"each", 0, "N", "Of each the N targets that it went to most (default 8; 0: all)",
	OPTION_NUMBER(each, 0, UINT32_MAX, "a number")},
    OPTION_CHILD(operands),
    OPTION_CHILD(format),
    {0},
};

enum { JUMP, JUMP_NAME, KIND, EXECUTED, COUNT, SHARE, TARGET, TARGET_NAME, COLUMNS };
static const struct table_column columns[COLUMNS] = {[JUMP] = {.key = "jump", .form = TABLE_ADDRESS, .decimals = 8},
    [JUMP_NAME] = {.title = "jump", .key = "place", .form = TABLE_WORDS, .width = -28, .most = 28},
    [KIND] = {.title = "kind", .key = "kind", .form = TABLE_WORDS, .width = -4},
    [EXECUTED] = {.title = "executed", .key = "executed", .form = TABLE_ROUND, .width = 8},
    [COUNT] = {.title = "to", .key = "count", .form = TABLE_ROUND, .width = 8},
    [SHARE] = {.title = "share", .key = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [TARGET] = {.key = "target", .form = TABLE_ADDRESS, .decimals = 8},
    [TARGET_NAME] = {.title = "target", .key = "target_place", .form = TABLE_WORDS, .gap = "  "}};

/* "main+0x4a"; "main" for the first instruction. */
static const char *place_text(const struct image *image, uint64_t address, char *text, size_t size)
{
	uint64_t start = address;
	const char *name = function_name(image_whole_function(image, address, &start), address);
	if (start == address)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%s+0x%" PRIx64, name, address - start);
	return text;
}

static void print_group(
    const struct table *table, const struct image *image, const struct jump_group *group, uint64_t each)
{
	char jump[512], target[512];
	uint64_t left = group->executed;
	for (size_t i = 0; i < group->count; i++) {
		const struct target_count *t = &group->targets[i];
		const bool rest = i >= each && table->format != TABLE_JSON, known = !rest && t->to != TARGET_UNKNOWN;
		const uint64_t count = rest ? left : t->count;
		if (rest)
			snprintf(target, sizeof target, "(%zu more)", group->count - i);
		else if (!known)
			snprintf(target, sizeof target, "(not known)");
		else
			place_text(image, t->to, target, sizeof target);
		const struct table_cell cells[COLUMNS] = {[JUMP] = table_number(t->from),
		    [JUMP_NAME] = table_words(place_text(image, t->from, jump, sizeof jump)),
		    [KIND] = table_words(t->call ? "call" : "jump"),
		    [EXECUTED] = table_number(group->executed),
		    [COUNT] = table_number(count),
		    [SHARE] = table_real((double)count / (double)group->executed),
		    [TARGET] = known ? table_number(t->to) : table_unknown(),
		    [TARGET_NAME] = table_words(target)};
		table_row(table, cells);
		if (rest)
			return;
		left -= count;
	}
}

static int by_executions(const void *a, const void *b)
{
	const struct jump_group *x = a, *y = b;
	if (x->executed != y->executed)
		return x->executed > y->executed ? -1 : 1;
	return x->targets->from < y->targets->from ? -1 : 1;
}

/* *count groups, to be freed; NULL: out of memory. */
static struct jump_group *group_targets(const struct targets *targets, size_t *count)
{
	struct jump_group *groups = calloc(targets->count + 1, sizeof *groups);
	*count = 0;
	for (size_t i = 0; groups != NULL && i < targets->count; i++) {
		const struct target_count *t = &targets->all[i];
		if (i == 0 || t[-1].from != t->from)
			groups[(*count)++].targets = t;
		groups[*count - 1].count++;
		groups[*count - 1].executed += t->count;
	}
	if (*count > 0)
		qsort(groups, *count, sizeof *groups, by_executions);
	return groups;
}

static int print_targets(const struct targets_arguments *a, const struct image *image, const struct targets *targets,
    const struct remainder *remainder)
{
	struct json json;
	const bool is_json = a->format == TABLE_JSON;
	const struct table table = {columns, COLUMNS, a->format, stdout, is_json ? &json : NULL, .name = "targets"};
	size_t count;
	struct jump_group *groups = group_targets(targets, &count);
	if (groups == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (a->format == TABLE_TEXT) {
		printf("%s, %s calls and jumps by a register\n", a->operands.program, with_commas(count));
		print_not_traced(remainder, stdout);
		printf("\n");
	} else if (is_json) {
		json_open(&json, stdout);
		json_text(&json, "rivulet", "targets");
		json_text(&json, "program", a->operands.program);
		json_text(&json, "records", a->operands.file);
		json_not_traced(&json, remainder);
	} else {
		complain_not_traced(a->operands.file, remainder);
	}
	table_begin(&table);
	for (size_t i = 0; i < count && (is_json || i < a->top); i++)
		print_group(&table, image, &groups[i], a->each);
	table_end(&table);
	if (a->format == TABLE_TEXT && count > a->top)
		printf("%s more (--top 0 shows all)\n", with_commas(count - a->top));
	free(groups);
	return !is_json || json_close(&json) ? STATUS_OK : STATUS_FAILED;
}

static int gather_targets(const struct targets_arguments *a, struct records *records, const struct image *image)
{
	struct gather *gather = NULL;
	const struct gather_result *result = NULL;
	struct targets targets = {0};
	struct walk_config config;
	struct progress progress;
	struct remainder remainder;
	size_t kept;
	uint64_t damage;
	int status = STATUS_FAILED;
	gather_records_config(records_header(records), &config);
	int error = gather_open(&gather, image, &config);
	if (error == GATHER_OK) {
		gather_watch(gather, GATHER_VISITS, targets_visit, &targets);
		progress_begin(&progress, a->operands.file);
		error = gather_records(gather, records, progress_show, &progress);
		progress_end(&progress);
	}
	if (error == GATHER_OK)
		error = targets_finish(&targets);
	if (error == GATHER_OK)
		error = gather_finish(gather, 1, &result);
	if (error != GATHER_OK) {
		complain("%s: %s", a->operands.file, gather_feed_strerror(error));
	} else if (result->traces == 0) {
		complain("%s: has no records", a->operands.file);
	} else if (!result->ordered) {
		complain("%s: its records do not follow each other: where a jump went is not known", a->operands.file);
	} else {
		remainder_gathered(&remainder, records, result);
		status = print_targets(a, image, &targets, &remainder);
		if (records_end(records) != NULL)
			tell_ending(a->operands.file, records_end(records)->ending);
		records_damage(records, &kept, &damage);
		if (damage > 0 && !a->operands.partial) {
			char prefix[4096 + 16];
			snprintf(prefix, sizeof prefix, "rivulet: %s: ", shown_path(a->operands.file));
			fflush(stdout);
			print_records_damage(records, stderr, prefix, 8);
			status = worse_status(status, STATUS_NO);
		}
	}
	targets_free(&targets);
	gather_close(gather);
	return status;
}

static int show_targets(const struct targets_arguments *a)
{
	struct records *records = NULL;
	struct image *image = NULL;
	char detail[1024];
	const char *file = a->operands.file;
	int status = STATUS_FAILED;
	if (!is_record_file(file)) {
		complain("%s: is no record file: a profile does not know where a jump by a register went (rivulet run "
			 "--records, profile --records, import, record)",
		    file);
		return STATUS_FAILED;
	}
	if (image_open(&image, a->operands.program, detail, sizeof detail) != IMAGE_OK ||
	    records_open(&records, file, detail, sizeof detail) != RECORDS_OK)
		complain("%s", detail);
	else if (place_image(image, file) == STATUS_OK)
		status = check_records_match(records, file, image, a->operands.force);
	if (status != STATUS_FAILED) {
		name_libraries(image);
		status = worse_status(status, gather_targets(a, records, image));
	}
	records_close(records);
	image_close(image);
	return stop_signal != 0 ? stop_status() : end_output(status);
}

int cmd_targets(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, NULL, "PROGRAM.elf RECORDS",
	    "Where calls and jumps by a register went, and how often: function pointers, virtual functions, switches, "
	    "computed gotos. Returns are left out.\v"
	    "The counts of a jump add up to its executions; what nobody saw is `(not known)': the record behind it is "
	    "missing. Manual: docs/rivulet.md",
	    children, NULL, NULL};
	struct targets_arguments a = {.top = 20, .each = 8};
	a.operands.wanted = "a program (ELF) and a record file";
	parse_options(&argp, options, argc, argv, 0, &a);
	a.top = a.top == 0 ? UINT64_MAX : a.top;
	a.each = a.each == 0 ? UINT64_MAX : a.each;
	catch_stop_signals();
	return show_targets(&a);
}
