/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Path profiles: the table of functions. Each row is what all paths of a function come to, beside what a profile of
 * edges would have predicted (EPP section 7). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/demangle.h"
#include "host/cmd/cmd.h"
#include "host/cmd/paths.h"
#include "host/table/numbers.h"

enum {
	FUNCTION_COUNT,
	FUNCTION_SHARE,
	FUNCTION_EXECUTED,
	FUNCTION_POSSIBLE,
	FUNCTION_COVERED,
	FUNCTION_HOTTEST_SHARE,
	FUNCTION_BY_EDGES,
	FUNCTION_MEAN,
	FUNCTION_SHOWN,
	FUNCTION_REMARK,
	FUNCTION_INDEX,
	FUNCTION_NAME,
	FUNCTION_START,
	FUNCTION_PIECES,
	FUNCTION_INSNS,
	FUNCTION_SELF_INSNS,
	FUNCTION_PARTS,
	FUNCTION_PART_INSNS,
	FUNCTION_CYCLES,
	FUNCTION_SELF_CYCLES,
	FUNCTION_EDGES,
	FUNCTION_LONGEST_EDGES,
	FUNCTION_LONGEST_INSNS,
	FUNCTION_HOTTEST,
	FUNCTION_PREDICTED,
	FUNCTION_PREDICTED_PATHS,
	FUNCTION_PREDICTED_EDGES,
	FUNCTION_PREDICTED_INSNS,
	FUNCTION_PREDICTED_LONGEST_EDGES,
	FUNCTION_PREDICTED_LONGEST_INSNS,
	FUNCTION_MISSED,
	FUNCTION_TRUNCATED,
	FUNCTION_CUT_AT_BRANCHES,
	FUNCTION_COLUMNS
};

static const struct table_column function_columns[FUNCTION_COLUMNS] = {
    [FUNCTION_COUNT] = {.title = "executions", .key = "executions", .form = TABLE_COUNT, .width = 10},
    [FUNCTION_SHARE] = {.title = "share", .form = TABLE_SHARE, .width = 6, .decimals = 1},
    [FUNCTION_EXECUTED] = {.title = "paths", .key = "executed", .form = TABLE_COUNT, .width = 6},
    [FUNCTION_POSSIBLE] = {.title = "possible", .key = "possible", .form = TABLE_COUNT, .width = 11},
    [FUNCTION_COVERED] = {.title = "covered", .form = TABLE_SHARE, .width = 7, .decimals = 1},
    [FUNCTION_HOTTEST_SHARE] = {.title = "hottest", .form = TABLE_SHARE, .width = 8, .decimals = 1},
    [FUNCTION_BY_EDGES] = {.title = "by edges", .form = TABLE_SHARE, .width = 8, .decimals = 1},
    [FUNCTION_MEAN] = {.title = "insns", .form = TABLE_REAL, .width = 7, .decimals = 1},
    [FUNCTION_SHOWN] = {.title = "function", .form = TABLE_WORDS, .gap = "  "},
    [FUNCTION_REMARK] = {.title = "remark", .form = TABLE_WORDS, .gap = "  "},
    [FUNCTION_INDEX] = {.key = "index", .form = TABLE_PLAIN},
    [FUNCTION_NAME] = {.key = "name", .form = TABLE_WORDS},
    [FUNCTION_START] = {.key = "start", .form = TABLE_PLAIN},
    [FUNCTION_PIECES] = {.key = "pieces", .form = TABLE_PLAIN},
    [FUNCTION_INSNS] = {.key = "path_instructions", .form = TABLE_PLAIN},
    [FUNCTION_SELF_INSNS] = {.key = "self_loop_instructions", .form = TABLE_PLAIN},
    [FUNCTION_PARTS] = {.key = "parts", .form = TABLE_PLAIN},
    [FUNCTION_PART_INSNS] = {.key = "part_instructions", .form = TABLE_PLAIN},
    [FUNCTION_CYCLES] = {.key = "path_cycles", .form = TABLE_PLAIN},
    [FUNCTION_SELF_CYCLES] = {.key = "self_loop_cycles", .form = TABLE_PLAIN},
    [FUNCTION_EDGES] = {.key = "edges", .form = TABLE_PLAIN},
    [FUNCTION_LONGEST_EDGES] = {.key = "longest_edges", .form = TABLE_PLAIN},
    [FUNCTION_LONGEST_INSNS] = {.key = "longest_instructions", .form = TABLE_PLAIN},
    [FUNCTION_HOTTEST] = {.key = "hottest", .form = TABLE_PLAIN},
    [FUNCTION_PREDICTED] = {.key = "predicted", .form = TABLE_PLAIN},
    [FUNCTION_PREDICTED_PATHS] = {.key = "predicted_paths", .form = TABLE_PLAIN},
    [FUNCTION_PREDICTED_EDGES] = {.key = "predicted_edges", .form = TABLE_PLAIN},
    [FUNCTION_PREDICTED_INSNS] = {.key = "predicted_instructions", .form = TABLE_PLAIN},
    [FUNCTION_PREDICTED_LONGEST_EDGES] = {.key = "predicted_longest_edges", .form = TABLE_PLAIN},
    [FUNCTION_PREDICTED_LONGEST_INSNS] = {.key = "predicted_longest_instructions", .form = TABLE_PLAIN},
    [FUNCTION_MISSED] = {.key = "hottest_missed", .form = TABLE_PLAIN},
    [FUNCTION_TRUNCATED] = {.key = "truncated", .form = TABLE_TRUTH},
    [FUNCTION_CUT_AT_BRANCHES] = {.key = "cut_at_branches", .form = TABLE_TRUTH},
};

static void fill_sums(const struct paths_row *r, struct table_cell *cells)
{
	cells[FUNCTION_COUNT] = table_number(r->count);
	cells[FUNCTION_EXECUTED] = table_number(r->executed);
	cells[FUNCTION_POSSIBLE] = table_number(r->possible);
	cells[FUNCTION_PIECES] = table_number(r->pieces);
	cells[FUNCTION_INSNS] = table_number(r->insns);
	cells[FUNCTION_SELF_INSNS] = table_number(r->self_insns);
	cells[FUNCTION_PARTS] = table_number((uint64_t)(r->parts + 0.5));
	cells[FUNCTION_PART_INSNS] = table_number((uint64_t)(r->part_insns + 0.5));
	cells[FUNCTION_CYCLES] = table_number(r->spent);
	cells[FUNCTION_SELF_CYCLES] = table_number(r->self_spent);
	cells[FUNCTION_EDGES] = table_number(r->edges);
	cells[FUNCTION_LONGEST_EDGES] = table_number(r->longest_edges);
	cells[FUNCTION_LONGEST_INSNS] = table_number(r->longest_insns);
	cells[FUNCTION_HOTTEST] = table_number(r->hottest);
	cells[FUNCTION_PREDICTED] = table_number(r->correct);
	cells[FUNCTION_PREDICTED_PATHS] = table_number(r->correct_paths);
	cells[FUNCTION_PREDICTED_EDGES] = table_number(r->hit_edges);
	cells[FUNCTION_PREDICTED_INSNS] = table_number(r->hit_insns);
	cells[FUNCTION_PREDICTED_LONGEST_EDGES] = table_number(r->hit_longest_edges);
	cells[FUNCTION_PREDICTED_LONGEST_INSNS] = table_number(r->hit_longest_insns);
	cells[FUNCTION_MISSED] = table_number(r->missed);
	cells[FUNCTION_TRUNCATED] = table_number(r->truncated);
}

static void put_function_paths(const struct source *s, uint32_t index, const struct table *table)
{
	const struct paths_row *r = &s->survey.rows[index];
	struct table_cell cells[FUNCTION_COLUMNS] = {{0}};
	char name[CFG_NAME], possible[48];
	fill_sums(r, cells);
	cells[FUNCTION_CUT_AT_BRANCHES] = table_number(paths_cut_at_branches(s, index));
	if (r->possible > 9999999)
		snprintf(possible, sizeof possible, "%.2e%s", (double)r->possible, r->truncated ? "+" : " ");
	else
		snprintf(possible, sizeof possible, "%s%s", with_commas(r->possible), r->truncated ? "+" : " ");
	cells[FUNCTION_POSSIBLE].shown = possible;
	cells[FUNCTION_SHARE] = table_real(share_of(r->count, s->survey.total.count));
	cells[FUNCTION_COVERED] = table_real(share_of(r->executed, r->possible));
	cells[FUNCTION_HOTTEST_SHARE] = table_real(share_of(r->hottest, r->count));
	cells[FUNCTION_BY_EDGES] = table_real(share_of(r->correct, r->count));
	cells[FUNCTION_MEAN] = table_real(share_of(r->insns, r->count));
	cells[FUNCTION_INDEX] = table_number(index);
	cells[FUNCTION_NAME] = table_words(cfg_function_name(s->cfg, index, name));
	cells[FUNCTION_SHOWN] = table_words(demangle(cells[FUNCTION_NAME].is.text));
	cells[FUNCTION_REMARK] = table_words(r->missed ? "hottest missed" : "");
	cells[FUNCTION_START] = table_number(s->cfg->functions[index].start);
	table_row(table, cells);
}

/* Whether the function has a row: for people if it has paths, in JSON also if it has nothing but pieces. */
static bool is_shown(const struct source *s, const struct paths_view *view, uint32_t index, enum table_format format)
{
	const struct paths_row *r = &s->survey.rows[index];
	if (view->function != CFG_NONE && view->function != index)
		return false;
	return format == TABLE_JSON ? r->count + r->pieces > 0 : r->functions > 0;
}

static uint64_t function_key(const struct paths_row *r, enum paths_sort sort)
{
	if (sort == PATHS_BY_INSNS)
		return r->insns + r->self_insns;
	return sort == PATHS_BY_CYCLES ? r->spent + r->self_spent : r->count;
}

static uint64_t function_absent(const struct source *s)
{
	return paths_timed(s) ? 0 : TABLE_BIT(FUNCTION_CYCLES) | TABLE_BIT(FUNCTION_SELF_CYCLES);
}

void paths_put_functions(
    const struct source *s, const struct paths_view *view, enum table_format format, struct json *json, FILE *out)
{
	const struct table table = {.columns = function_columns,
	    .count = FUNCTION_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "functions",
	    .absent = function_absent(s)};
	struct paths_keyed *order = malloc((s->cfg->counts.functions + 1u) * sizeof *order);
	size_t count = 0;
	if (order == NULL)
		complain("out of memory");
	for (uint32_t i = 0; order != NULL && i < s->cfg->counts.functions; i++) {
		if (is_shown(s, view, i, format))
			order[count++] = (struct paths_keyed){function_key(&s->survey.rows[i], view->sort), i};
	}
	if (format != TABLE_JSON && order != NULL) {
		qsort(order, count, sizeof *order, paths_keyed_compare);
		count = view->top > 0 && view->top < count ? view->top : count;
	}
	table_begin(&table);
	for (size_t i = 0; i < count; i++)
		put_function_paths(s, (uint32_t)order[i].index, &table);
	table_end(&table);
	free(order);
}

void paths_put_total(const struct source *s, struct json *json)
{
	struct table_cell cells[FUNCTION_COLUMNS] = {{0}};
	const struct table table = {.columns = function_columns,
	    .count = FUNCTION_COLUMNS,
	    .format = TABLE_JSON,
	    .json = json,
	    .absent = function_absent(s)};
	fill_sums(&s->survey.total, cells);
	table_members(&table, cells);
}
