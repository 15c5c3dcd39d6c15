/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet diff: what became slower from one profile to another. */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/account/diff.h"
#include "host/cmd/choose.h"
#include "host/cmd/diff_budget.h"
#include "host/cmd/table_options.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/profiled.h"

COMMAND(40, diff, "what became slower from one profile, or build, to another");

enum {
	KEY_PARTIAL = 256,
	KEY_FORCE,
	KEY_WIDE,
	KEY_BY,
	KEY_SORT,
	KEY_SHARE,
	KEY_ALL,
	KEY_LIMIT,
	KEY_BUDGET,
	KEY_JUNIT,
	KEY_MARKDOWN
};
enum { SLOWER, FASTER, LARGEST };

#define SIGMAS 1.96 /* a change by chance is larger in 5 of 100 cases */

struct arguments {
	const char *files[4];
	int count;
	enum account_by by;
	struct account_filter filter;
	uint64_t top;
	int sort;
	bool share, all, wide, partial, force;
	enum table_format format;
	double limit; /* percent of everything; < 0: none */
	const char *budget, *junit, *markdown;
	struct diff_budget rules;
};

static const struct argp_option options[] = {
    {"by", KEY_BY, "WHAT", 0, "function (default), inlined or line", 0},
    {"top", 'n', "N", 0, "The first N (default 20; 0: all)", 0},
    {"sort", KEY_SORT, "ORDER", 0, "slower (default): what became slower first; faster; largest: either way", 0},
    {"all", KEY_ALL, NULL, 0, "Also what may have changed by chance, or not at all", 0},
    {"share", KEY_SHARE, NULL, 0, "Compare shares: for runs of different length", 0},
    {"limit", KEY_LIMIT, "PERCENT", 0,
	"Exit with 1 if something became slower by more than PERCENT of the first run, and not by chance", 0},
    {"budget", KEY_BUDGET, "FILE", 0,
	"Exit with 1 if a function, a region, a path or the run takes more than FILE allows; docs/rivulet.md says how "
	"it is written",
	0},
    {"junit", KEY_JUNIT, "FILE", 0, "--budget as JUnit XML, for any CI", 0},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "--budget as a table, for a pull request", 0},
    {"partial", KEY_PARTIAL, NULL, 0, "Accept damaged or incomplete profiles", 0},
    {"force", KEY_FORCE, NULL, 0, "Accept a profile of another build than its program", 0},
    {"wide", KEY_WIDE, NULL, 0, "Lines of any length, not 100 columns", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->filter;
		state->child_inputs[1] = &a->format;
		return 0;
	case 'n':
		if (!parse_number(value, UINT32_MAX, &a->top))
			argp_error(state, "--top %s: a number of rows is expected", value);
		return 0;
	case KEY_BY:
		if (strcmp(value, "function") == 0)
			a->by = ACCOUNT_BY_FUNCTION;
		else if (strcmp(value, "inlined") == 0)
			a->by = ACCOUNT_BY_INLINED;
		else if (strcmp(value, "line") == 0)
			a->by = ACCOUNT_BY_LINE;
		else
			argp_error(state, "--by %s: function, inlined or line is expected", value);
		return 0;
	case KEY_SORT:
		if (strcmp(value, "slower") == 0)
			a->sort = SLOWER;
		else if (strcmp(value, "faster") == 0)
			a->sort = FASTER;
		else if (strcmp(value, "largest") == 0)
			a->sort = LARGEST;
		else
			argp_error(state, "--sort %s: slower, faster or largest is expected", value);
		return 0;
	case KEY_LIMIT:
		if (!parse_percent(value, &a->limit))
			argp_error(state, "--limit %s: a percentage is expected", value);
		return 0;
	case KEY_BUDGET:
		a->budget = value;
		return 0;
	case KEY_JUNIT:
		a->junit = value;
		return 0;
	case KEY_MARKDOWN:
		a->markdown = value;
		return 0;
	case KEY_SHARE:
		a->share = true;
		return 0;
	case KEY_ALL:
		a->all = true;
		return 0;
	case KEY_PARTIAL:
		a->partial = true;
		return 0;
	case KEY_FORCE:
		a->force = true;
		return 0;
	case KEY_WIDE:
		a->wide = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->count == 4)
			argp_error(state,
			    "`%s' is too many: expected are PROGRAM PROFILE PROFILE, or PROGRAM PROFILE "
			    "PROGRAM PROFILE",
			    value);
		a->files[a->count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (a->count < 3)
			argp_error(state, "PROGRAM PROFILE PROFILE, or PROGRAM PROFILE PROGRAM PROFILE are expected");
		if (a->budget == NULL && (a->junit != NULL || a->markdown != NULL))
			argp_error(state, "--junit and --markdown are of --budget");
		if (a->junit != NULL && a->markdown != NULL && strcmp(a->junit, a->markdown) == 0)
			argp_error(state, "--junit and --markdown are of one file, `%s': each needs its own", a->junit);
		if (a->budget != NULL && a->by != ACCOUNT_BY_FUNCTION)
			argp_error(state, "--budget is of functions and their parts: leave --by out");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

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
	if (p != q)
		return p < q ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

/* The rows to show, in the order asked for; *rest is how many others there are. */
static const struct diff_row **choose(const struct arguments *a, const struct diff *diff, size_t *count, size_t *rest)
{
	const struct diff_row **rows = calloc(diff->count + 1, sizeof *rows);
	*count = *rest = 0;
	for (size_t i = 0; i < diff->count && rows != NULL; i++) {
		const struct diff_row *row = &diff->rows[a->sort == FASTER ? diff->count - 1 - i : i];
		if (a->all || diff_sigmas(row) >= SIGMAS)
			rows[(*count)++] = row;
		else
			(*rest)++;
	}
	if (rows != NULL && a->sort == LARGEST)
		qsort(rows, *count, sizeof *rows, by_size);
	return rows;
}

static void print_sides(const struct arguments *a, const struct diff *diff, const struct profiled *sides)
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
	return sigmas >= SIGMAS ? "*" : "";
}

static void fill_values(const struct diff *diff, const struct diff_row *row, struct table_cell *cells)
{
	const double sigmas = diff_sigmas(row);
	cells[COLUMN_BEFORE] = table_shown(table_real(row->value[0]), amount(diff, row->value[0]));
	cells[COLUMN_AFTER] = table_shown(table_real(row->value[1]), amount(diff, row->value[1]));
	cells[COLUMN_CHANGE] = table_shown(table_real(row->change), change(diff, row->change));
	if (sigmas >= SIGMAS && row->change > 0)
		cells[COLUMN_CHANGE].style = style_for(stdout)->hot;
	cells[COLUMN_BEFORE_ERROR] = table_real(row->error[0]);
	cells[COLUMN_AFTER_ERROR] = table_real(row->error[1]);
	cells[COLUMN_CHANGE_ERROR] = table_real(row->change_error);
	cells[COLUMN_SIGMAS] = table_real(sigmas);
	cells[COLUMN_SIGNIFICANT] = table_number(sigmas >= SIGMAS);
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
		cells[COLUMN_BOUND].shown = amount(diff, SIGMAS * row->change_error);
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

struct chosen { /* rows to show, in order */
	const struct diff_row *const *rows;
	size_t count, rest; /* rest: rows that are not among them */
};

static bool is_sampled(const struct diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		if (diff->rows[i].change_error > 0)
			return true;
	}
	return false;
}

static void put_table(
    const struct arguments *a, const struct diff *diff, const struct chosen *chosen, struct json *json)
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

static void print_table(const struct arguments *a, const struct diff *diff, const struct chosen *chosen)
{
	const struct style *s = style_for(stdout);
	const bool sampled = is_sampled(diff);
	printf("\n");
	put_table(a, diff, chosen, NULL);
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

static void print_json(
    const struct arguments *a, const struct diff *diff, const struct profiled *sides, const struct chosen *chosen)
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
	json_bool(j, "significant", diff_sigmas(all) >= SIGMAS);
	json_object_end(j);
	put_table(a, diff, chosen, j);
	finish_json(j);
}

/* --limit: whether nothing became slower than allowed. */
static int check_limit(const struct arguments *a, const struct diff *diff)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < diff->count && a->limit >= 0; i++) {
		const struct diff_row *row = &diff->rows[i];
		double percent = diff->all.value[0] > 0 ? 100 * row->change / diff->all.value[0] : 0;
		if (percent <= a->limit || diff_sigmas(row) < SIGMAS)
			continue;
		complain("%.*s became slower by %.2f%% of the first run, %.2f%% is allowed",
		    row->name == NULL ? 1 : (int)row->name_length, row->name == NULL ? "?" : row->name, percent,
		    a->limit);
		status = STATUS_NO;
	}
	return status;
}

typedef void budget_writer(const struct diff_budget *budget, const struct diff *diff, FILE *out);

static int write_budget(const struct arguments *a, const struct diff *diff, const char *path, budget_writer *write)
{
	if (path == NULL)
		return STATUS_OK;
	const char *inputs[5] = {a->budget};
	for (int i = 0; i < a->count; i++)
		inputs[i + 1] = a->files[i];
	struct output *output = begin_output(path, OUTPUT_REPLACE, inputs, (size_t)a->count + 1);
	if (output == NULL)
		return STATUS_FAILED;
	write(&a->rules, diff, output_file(output));
	return finish_output(output, STATUS_OK);
}

/* --budget, and its files. */
static int check_budget(
    struct arguments *a, const struct diff *diff, const struct diff_side sides[2], const struct profiled runs[2])
{
	if (a->budget == NULL)
		return STATUS_OK;
	if (diff_budget_find(&a->rules, diff, sides, runs, a->budget) != STATUS_OK)
		return STATUS_FAILED;
	int status = diff_budget_check(&a->rules, diff, SIGMAS, a->budget);
	int junit = write_budget(a, diff, a->junit, diff_budget_junit);
	int markdown = write_budget(a, diff, a->markdown, diff_budget_markdown);
	status = worse_status(status, junit);
	return worse_status(status, markdown);
}

static int compare(struct arguments *a, const struct profiled *p)
{
	struct diff_side sides[2];
	struct diff diff;
	struct chosen chosen;
	for (int i = 0; i < 2; i++) {
		const struct profile *profile = &p[i].loaded.profile;
		sides[i] = (struct diff_side){.account = p[i].account,
		    .image = p[i].image,
		    .run_cycles = profile->has_end ? profile->end.cycles : 0,
		    .period_known = profile->has_header && profile->header.period > 0,
		    .files = p[i].debug};
	}
	if (diff_make(&diff, sides, a->by, &a->filter, a->share) != ACCOUNT_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	const struct diff_row **rows = choose(a, &diff, &chosen.count, &chosen.rest);
	int status = rows == NULL ? STATUS_FAILED : STATUS_OK;
	chosen.rows = rows;
	if (rows == NULL)
		complain("out of memory");
	else if (a->format == TABLE_JSON)
		print_json(a, &diff, p, &chosen);
	else if (a->format == TABLE_CSV) {
		struct remainder remainder;
		for (int i = 0; i < 2; i++) {
			remainder_profiled(&remainder, &p[i]);
			complain_not_traced(p[i].file, &remainder);
		}
		put_table(a, &diff, &chosen, NULL);
	} else {
		print_sides(a, &diff, p);
		print_table(a, &diff, &chosen);
	}
	if (status == STATUS_OK) {
		int budget = check_budget(a, &diff, sides, p);
		status = check_limit(a, &diff);
		status = worse_status(status, budget);
	}
	free(rows);
	diff_free(&diff);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = {{&choose_argp, 0, NULL, 0}, TABLE_PLAIN_CHILD, {0}};
	static const struct argp argp = {options, parse, "PROGRAM BEFORE AFTER\nPROGRAM BEFORE PROGRAM AFTER",
	    "What became slower from one profile to another. Two builds are matched by function and file name, with "
	    "--by line by the line within the function.\v"
	    "Changes of sampled profiles are shown with the bound that chance passes in 5 of 100 cases; smaller ones "
	    "are left out. "
	    "Exit status: 0 all is well; 1 a profile is damaged or does not fit its program, or --limit or --budget is "
	    "passed; 2 a "
	    "file cannot be used.",
	    children, NULL, NULL};
	struct arguments a = {.top = 20, .by = ACCOUNT_BY_FUNCTION, .limit = -1};
	struct profiled sides[2] = {{0}, {0}};
	int status = STATUS_OK;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	a.top = a.top == 0 ? UINT64_MAX : a.top;
	if (a.budget != NULL)
		status = diff_budget_load(&a.rules, a.budget);
	for (int i = 0; i < 2; i++) {
		sides[i].program = a.files[a.count == 4 ? 2 * i : 0];
		sides[i].file = a.files[a.count == 4 ? 2 * i + 1 : i + 1];
		sides[i].partial = a.partial;
		sides[i].force = a.force;
		if (status == STATUS_FAILED)
			break;
		int one = open_profiled(&sides[i]);
		if (one != STATUS_FAILED && sides[i].loaded.profile.total == 0) {
			complain("%s: has no traces: there is nothing to compare", sides[i].file);
			one = STATUS_FAILED;
		}
		if (one != STATUS_FAILED) {
			int walked = account_profiled(&sides[i], ACCOUNT_BY_COST);
			one = worse_status(one, walked);
		}
		status = worse_status(status, one);
	}
	if (status != STATUS_FAILED) {
		int one = compare(&a, sides);
		status = worse_status(status, one);
	}
	close_profiled(&sides[0]);
	close_profiled(&sides[1]);
	diff_budget_free(&a.rules);
	return end_output(status);
}
