/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Each row is a function, or a line of one, with what it took before and after; a star says that chance does not
 * explain the difference. */
#include "host/cmd/diff_print.h"
#include "host/base/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/not_traced.h"

/* An amount in the diff's unit. Buffers as with_commas(). */
static const char *amount(const struct diff *diff, double value)
{
	static char texts[8][24];
	static unsigned turn;
	char *text = texts[turn++ % 8];
	if (diff->scale == DIFF_SHARE)
		snprintf(text, 24, "%.2f%%", 100 * value);
	else
		snprintf(text, 24, "%s%s", value < 0 ? "-" : "", with_unit(fabs(value)));
	return text;
}

static const char *change(const struct diff *diff, double value)
{
	static char texts[8][32];
	static unsigned turn;
	char *text = texts[turn++ % 8];
	snprintf(text, 32, "%s%s", value > 0 ? "+" : "", amount(diff, value));
	return text;
}

static int by_size(const void *a, const void *b)
{
	const struct diff_row *const *x = a, *const *y = b;
	double p = fabs((*x)->change), q = fabs((*y)->change);
	return order_then(ORDER_DOWN(p, q), ORDER_UP(*x, *y));
}

const struct diff_row **diff_print_choose(
    const struct diff_command *a, const struct diff *diff, size_t *count, size_t *rest)
{
	const struct diff_row **rows = calloc(diff->count + 1, sizeof *rows);
	*count = *rest = 0;
	for (size_t i = 0; i < diff->count && rows != NULL; i++) {
		const struct diff_row *row = &diff->rows[a->sort == DIFF_FASTER ? diff->count - 1 - i : i];
		if (a->all || diff_sigmas(row) >= DIFF_SIGMAS)
			rows[(*count)++] = row;
		else
			(*rest)++;
	}
	if (rows != NULL && a->sort == DIFF_LARGEST)
		qsort(rows, *count, sizeof *rows, by_size);
	return rows;
}

void diff_print_sides(const struct diff_command *a, const struct diff *diff, const struct profiled *sides)
{
	static const char *const scales[] = {[DIFF_TOTAL] = "",
	    [DIFF_RUN] = " (share times the cycles of the run: the sampling period is not known)",
	    [DIFF_SHARE] = " (share)"};
	for (int i = 0; i < 2; i++) {
		const struct profile *p = &sides[i].loaded.profile;
		printf("%-7s%s: %s, %s traces in %s paths\n", i == 0 ? "before" : "after", sides[i].file,
		    p->has_header ? run_way_name(p->header.way) : "no header", with_commas(p->total),
		    with_commas(p->used));
		struct remainder remainder;
		remainder_profiled(&remainder, &sides[i]);
		print_not_traced(&remainder, stdout);
	}
	const struct diff_row *all = &diff->all;
	if (diff->scale != DIFF_SHARE) {
		printf("%s %s -> %s  %s", diff->cycles ? "cycles" : "instructions", amount(diff, all->value[0]),
		    amount(diff, all->value[1]), change(diff, all->change));
		if (all->value[0] > 0)
			printf(" (%+.2f%%)", 100 * all->change / all->value[0]);
		if (all->change_error > 0)
			printf(" +/- %s", amount(diff, all->change_error));
		printf("%s\n", scales[diff->scale]);
	} else
		printf("%s%s\n", diff->cycles ? "cycles" : "instructions", scales[diff->scale]);
	(void)a;
}

enum {
	COLUMN_BEFORE,
	COLUMN_AFTER,
	COLUMN_CHANGE,
	COLUMN_PERCENT,
	COLUMN_BOUND,
	COLUMN_STARS,
	COLUMN_WHAT,
	COLUMN_FUNCTION,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_BEFORE_ERROR,
	COLUMN_AFTER_ERROR,
	COLUMN_CHANGE_ERROR,
	COLUMN_SIGMAS,
	COLUMN_SIGNIFICANT,
	COLUMNS
};

static const struct table_column all_columns[COLUMNS] = {
    [COLUMN_BEFORE] = {.title = "before", .key = "before", .form = TABLE_REAL, .width = 8},
    [COLUMN_AFTER] = {.title = "after", .key = "after", .form = TABLE_REAL, .width = 8},
    [COLUMN_CHANGE] = {.title = "change", .key = "change", .form = TABLE_REAL, .width = 8},
    [COLUMN_PERCENT] = {.title = "", .form = TABLE_REAL, .width = 8},
    [COLUMN_BOUND] = {.title = "", .form = TABLE_REAL, .width = 8},
    [COLUMN_STARS] = {.title = "", .form = TABLE_WORDS, .width = -3},
    [COLUMN_WHAT] = {.title = "function", .form = TABLE_WORDS},
    [COLUMN_FUNCTION] = {.key = "function", .form = TABLE_WORDS},
    [COLUMN_FILE] = {.key = "file", .form = TABLE_WORDS},
    [COLUMN_LINE] = {.key = "line", .form = TABLE_PLAIN},
    [COLUMN_BEFORE_ERROR] = {.key = "before_error", .form = TABLE_REAL},
    [COLUMN_AFTER_ERROR] = {.key = "after_error", .form = TABLE_REAL},
    [COLUMN_CHANGE_ERROR] = {.key = "change_error", .form = TABLE_REAL},
    [COLUMN_SIGMAS] = {.key = "sigmas", .form = TABLE_REAL},
    [COLUMN_SIGNIFICANT] = {.key = "significant", .form = TABLE_TRUTH},
};

/* "+12.3%", "new", "gone". */
static void percent_text(const struct diff_row *row, char *text, size_t size)
{
	if (row->value[0] <= 0) {
		snprintf(text, size, "new");
	} else if (row->value[1] <= 0) {
		snprintf(text, size, "gone");
	} else {
		double p = 100 * row->change / row->value[0];
		snprintf(text, size, fabs(p) < 999.95 ? "%+.1f%%" : "%+.0f%%", p);
	}
}

static const char *stars_of(double sigmas)
{
	if (sigmas >= 3.29)
		return "***";
	if (sigmas >= 2.58)
		return "**";
	return sigmas >= DIFF_SIGMAS ? "*" : "";
}

static void fill_values(const struct diff *diff, const struct diff_row *row, struct table_cell *cells)
{
	const double sigmas = diff_sigmas(row);
	cells[COLUMN_BEFORE] = table_shown(table_real(row->value[0]), amount(diff, row->value[0]));
	cells[COLUMN_AFTER] = table_shown(table_real(row->value[1]), amount(diff, row->value[1]));
	cells[COLUMN_CHANGE] = table_shown(table_real(row->change), change(diff, row->change));
	if (sigmas >= DIFF_SIGMAS && row->change > 0)
		cells[COLUMN_CHANGE].style = style_for(stdout)->hot;
	cells[COLUMN_BEFORE_ERROR] = table_real(row->error[0]);
	cells[COLUMN_AFTER_ERROR] = table_real(row->error[1]);
	cells[COLUMN_CHANGE_ERROR] = table_real(row->change_error);
	cells[COLUMN_SIGMAS] = table_real(sigmas);
	cells[COLUMN_SIGNIFICANT] = table_number(sigmas >= DIFF_SIGMAS);
}

static void put_row(const struct diff *diff, const struct table *table, const struct diff_row *row)
{
	struct line line = {.width = table_room(table)};
	char percent[24], name[512];
	struct table_cell cells[COLUMNS] = {[COLUMN_STARS] = table_words(stars_of(diff_sigmas(row))),
	    [COLUMN_FILE] = table_words(row->file),
	    [COLUMN_LINE] = table_number(row->line)};
	fill_values(diff, row, cells);
	percent_text(row, percent, sizeof percent);
	cells[COLUMN_PERCENT].shown = percent;
	if (row->change_error > 0)
		cells[COLUMN_BOUND].shown = amount(diff, DIFF_SIGMAS * row->change_error);
	snprintf(name, sizeof name, "%.*s", (int)row->name_length, row->name == NULL ? "" : row->name);
	cells[COLUMN_FUNCTION] = table_words(row->name == NULL ? NULL : name);
	if (row->name != NULL)
		line_add(&line, "%.*s", (int)row->name_length, row->name);
	else
		line_add(&line, "%s", function_name(NULL, row->address[1] != 0 ? row->address[1] : row->address[0]));
	if (row->file != NULL && row->line != 0)
		line_add(&line, "  %s:%u", short_file(row->file, 24), row->line);
	cells[COLUMN_WHAT] = table_words(line.text);
	table_row(table, cells);
}

static bool is_sampled(const struct diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		if (diff->rows[i].change_error > 0)
			return true;
	}
	return false;
}

void diff_print_rows(
    const struct diff_command *a, const struct diff *diff, const struct diff_chosen *chosen, struct json *json)
{
	struct table_column columns[COLUMNS];
	memcpy(columns, all_columns, sizeof columns);
	if (is_sampled(diff))
		columns[COLUMN_BOUND].title = "+/- 95%";
	if (a->by == ACCOUNT_BY_LINE)
		columns[COLUMN_WHAT].title = "function, line";
	const struct table table = {.columns = columns,
	    .count = COLUMNS,
	    .format = a->format,
	    .out = stdout,
	    .json = json,
	    .name = "rows",
	    .style = style_for(stdout),
	    .tall = true,
	    .width = a->wide ? LINE_WIDEST : line_width()};
	table_begin(&table);
	for (size_t i = 0; i < chosen->count && i < a->top; i++)
		put_row(diff, &table, chosen->rows[i]);
	table_end(&table);
}

void diff_print_table(const struct diff_command *a, const struct diff *diff, const struct diff_chosen *chosen)
{
	const struct style *s = style_for(stdout);
	const bool sampled = is_sampled(diff);
	printf("\n");
	diff_print_rows(a, diff, chosen, NULL);
	if (a->top < chosen->count)
		printf("%s... and %s more (--top 0 shows all)%s\n", s->dim, with_commas(chosen->count - (size_t)a->top),
		    s->off);
	if (chosen->rest > 0)
		printf("%s%s with no change%s (--all shows them)%s\n", s->dim, with_commas(chosen->rest),
		    sampled ? ", or one that may be by chance" : "", s->off);
	if (sampled)
		printf(
		    "%s* not by chance with 95%%, ** 99%%, *** 99.9%%, each row taken alone: of 100 unchanged rows,\n"
		    "about 5 get a star%s\n",
		    s->dim, s->off);
}

static void json_side(struct json *j, const char *name, const struct profiled *side)
{
	struct remainder remainder;
	json_line(j, name);
	json_text(j, "program", side->program);
	json_text(j, "profile", side->file);
	json_number(j, "traces", side->loaded.profile.total);
	remainder_profiled(&remainder, side);
	json_not_traced(j, &remainder);
	json_object_end(j);
}

void diff_print_json(const struct diff_command *a, const struct diff *diff, const struct profiled *sides,
    const struct diff_chosen *chosen)
{
	static const char *const scales[] = {
	    [DIFF_TOTAL] = "total", [DIFF_RUN] = "share of run", [DIFF_SHARE] = "share"};
	static const char *const bys[] = {
	    [ACCOUNT_BY_FUNCTION] = "function", [ACCOUNT_BY_INLINED] = "inlined", [ACCOUNT_BY_LINE] = "line"};
	struct json json, *j = &json;
	const struct diff_row *all = &diff->all;
	json_open(j, stdout);
	json_text(j, "rivulet", "diff");
	json_number(j, "version", 1);
	json_side(j, "before", &sides[0]);
	json_side(j, "after", &sides[1]);
	json_text(j, "measure", diff->cycles ? "cycles" : "instructions");
	json_text(j, "scale", scales[diff->scale]);
	json_text(j, "by", bys[a->by]);
	json_object(j, "all");
	json_real(j, "before", all->value[0]);
	json_real(j, "after", all->value[1]);
	json_real(j, "before_error", all->error[0]);
	json_real(j, "after_error", all->error[1]);
	json_real(j, "change", all->change);
	json_real(j, "change_error", all->change_error);
	json_real(j, "sigmas", diff_sigmas(all));
	json_bool(j, "significant", diff_sigmas(all) >= DIFF_SIGMAS);
	json_object_end(j);
	diff_print_rows(a, diff, chosen, j);
	finish_json(j);
}
