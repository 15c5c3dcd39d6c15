/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/diff_budget.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/xml.h"
#include "host/cmd/budget_parts.h"
#include "host/cmd/cmd.h"

/* ---- reading ---- */

/* "+1%", "+500", "12000". */
static bool take_limit(struct diff_budget_rule *rule, const char *text)
{
	char *end;
	bool plus = *text == '+';
	if (strspn(text + plus, "0123456789.") == 0)
		return false;
	rule->limit = strtod(text + plus, &end);
	rule->kind = plus ? DIFF_BUDGET_MORE : DIFF_BUDGET_MOST;
	if (plus && *end == '%') {
		rule->kind = DIFF_BUDGET_PERCENT;
		end++;
	}
	return *end == '\0' && isfinite(rule->limit);
}

static bool add_rule(struct diff_budget *b, const char *name, const char *limit, const char *work, unsigned line)
{
	struct diff_budget_rule rule = {.line = line};
	if (!take_limit(&rule, limit) || !array_room(&b->rules, b->count + 1, &b->room))
		return false;
	rule.name = strdup(name);
	rule.work = work == NULL ? NULL : strdup(work);
	b->rules[b->count++] = rule;
	return rule.name != NULL && (work == NULL || rule.work != NULL);
}

static const char blanks[] = " \t\r\n";

/* "NAME = ...", "before NAME = ...": a part of the program. *taken: the line is one. */
static bool take_part(struct diff_budget *b, const char *text, unsigned line, bool *taken)
{
	struct diff_budget_part part = {.line = line};
	text += strspn(text, blanks);
	size_t length = strcspn(text, blanks);
	const char *next = text + length + strspn(text + length, blanks);
	if (strncmp(text, "before", length) == 0 && length == 6 && *next != '=') {
		part.before = true;
		text = next;
		length = strcspn(text, blanks);
		next = text + length + strspn(text + length, blanks);
	}
	*taken = *next == '=';
	if (!*taken)
		return true;
	if (length == 0 || !array_room(&b->parts, b->part_count + 1, &b->part_room))
		return false;
	part.name = strndup(text, length);
	part.text = strdup(text);
	b->parts[b->part_count++] = part;
	return part.name != NULL && part.text != NULL;
}

static bool take_line(struct diff_budget *b, char *text, char **work, unsigned line)
{
	bool taken;
	char *rest = NULL;
	text[strcspn(text, "#")] = '\0';
	if (!take_part(b, text, line, &taken) || taken)
		return taken;
	char *name = strtok_r(text, blanks, &rest), *limit = strtok_r(NULL, blanks, &rest);
	if (name == NULL)
		return true;
	if (limit == NULL || strtok_r(NULL, blanks, &rest) != NULL)
		return false;
	if (strcmp(name, "per") != 0)
		return add_rule(b, name, limit, *work, line);
	free(*work);
	*work = strdup(limit);
	return *work != NULL;
}

int diff_budget_load(struct diff_budget *b, const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL, *work = NULL;
	size_t room = 0;
	unsigned line = 0;
	ssize_t length;
	bool good = true;
	*b = (struct diff_budget){0};
	if (file == NULL) {
		complain("%s: cannot be opened: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	while (good && (length = getline(&text, &room, file)) >= 0) {
		line++;
		good = strlen(text) == (size_t)length && take_line(b, text, &work, line);
	}
	if (good && !feof(file)) {
		complain("%s: cannot be read: %s", path, strerror(errno));
		good = false;
	} else if (!good)
		complain("%s: line %u: a name and a limit are expected (+1%%, +500, 12000), `per' and a name, or NAME "
			 "= what it is (docs/rivulet.md)",
		    path, line);
	else if (b->count == 0)
		complain("%s: has no limit", path);
	good = good && b->count > 0;
	free(text);
	free(work);
	fclose(file);
	return good ? STATUS_OK : STATUS_FAILED;
}

void diff_budget_free(struct diff_budget *b)
{
	for (size_t i = 0; i < b->count; i++) {
		free(b->rules[i].name);
		free(b->rules[i].work);
	}
	for (size_t i = 0; i < b->part_count; i++) {
		free(b->parts[i].name);
		free(b->parts[i].text);
	}
	free(b->parts);
	free(b->rules);
	*b = (struct diff_budget){0};
}

/* ---- parts of the program ---- */

/* The one of this name that is for the first program, or for both. NULL: there is none. */
static struct diff_budget_part *part_named(const struct diff_budget *b, const char *name, bool before)
{
	for (size_t i = 0; i < b->part_count; i++) {
		if (b->parts[i].before == before && strcmp(b->parts[i].name, name) == 0)
			return &b->parts[i];
	}
	return NULL;
}

/* What part->row has of one program is found there; `as' says where it is in that one. */
static int find_part(struct budget_parts *in, int side, const char *path, const struct diff_budget_part *as,
    struct diff_budget_part *part)
{
	struct budget_part found;
	const enum budget_part_state state = budget_part_find(in, path, as->line, as->text, &found);
	part->row.sum[side] = found.sum;
	if (state == BUDGET_PART_THERE)
		return STATUS_OK;
	if (state == BUDGET_PART_MISSING && side == 0) {
		part->absent = true;
		complain("%s: %s", in->side->program, in->detail);
		return STATUS_OK;
	}
	complain("%s: %s", in->side->program, in->detail);
	return STATUS_FAILED;
}

static int check_names(const struct diff_budget *b, const char *path)
{
	for (size_t i = 0; i < b->part_count; i++) {
		const struct diff_budget_part *part = &b->parts[i];
		const struct diff_budget_part *first = part_named(b, part->name, part->before);
		if (first != part)
			complain("%s: line %u: `%s' is named already, in line %u", path, part->line, part->name,
			    first->line);
		else if (part->before && part_named(b, part->name, false) == NULL)
			complain("%s: line %u: `%s' is named for the first program alone: say what it is in the other",
			    path, part->line, part->name);
		else
			continue;
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

int diff_budget_find(struct diff_budget *b, const struct diff *diff, const struct diff_side sides[2],
    const struct profiled runs[2], const char *path)
{
	int status = check_names(b, path);
	for (int side = 0; side < 2 && b->part_count > 0 && status == STATUS_OK; side++) {
		struct budget_parts in;
		status = budget_parts_open(&in, &runs[side]);
		for (size_t i = 0; i < b->part_count && status == STATUS_OK; i++) {
			const struct diff_budget_part *before = part_named(b, b->parts[i].name, side == 0);
			if (!b->parts[i].before)
				status =
				    find_part(&in, side, path, before != NULL ? before : &b->parts[i], &b->parts[i]);
		}
		budget_parts_close(&in);
	}
	for (size_t i = 0; i < b->part_count; i++)
		diff_complete(diff, sides, &b->parts[i].row);
	return status;
}

/* ---- checking ---- */

/* A part of that name, or all rows of that name (of several files) added up; "*": everything. */
static bool find_row(const struct diff_budget *b, const struct diff *diff, const char *name, struct diff_row *sum)
{
	const struct diff_budget_part *part = part_named(b, name, false);
	bool found = false;
	*sum = (struct diff_row){0};
	if (part != NULL) {
		*sum = part->row;
		return sum->sum[0].insns > 0 || sum->sum[1].insns > 0;
	}
	if (strcmp(name, "*") == 0) {
		*sum = diff->all;
		return true;
	}
	for (size_t i = 0; i < diff->count; i++) {
		const struct diff_row *row = &diff->rows[i];
		if (row->name == NULL || strlen(name) != row->name_length ||
		    strncmp(row->name, name, row->name_length) != 0)
			continue;
		for (int k = 0; k < 2; k++) {
			sum->value[k] += row->value[k];
			sum->error[k] = hypot(sum->error[k], row->error[k]);
			sum->sum[k].count += row->sum[k].count;
		}
		found = true;
	}
	sum->change = sum->value[1] - sum->value[0];
	sum->change_error = hypot(sum->error[0], sum->error[1]);
	return found;
}

static bool find_work(const struct diff_budget *b, const struct diff *diff, const char *name, double work[2])
{
	struct diff_row row;
	work[0] = work[1] = 1;
	if (name == NULL)
		return true;
	if (!find_row(b, diff, name, &row) || row.sum[0].count == 0 || row.sum[1].count == 0)
		return false;
	work[0] = (double)row.sum[0].count;
	work[1] = (double)row.sum[1].count;
	return true;
}

static void check_rule(
    const struct diff_budget *b, struct diff_budget_rule *rule, const struct diff *diff, double sigmas)
{
	const struct diff_budget_part *part = part_named(b, rule->name, false);
	struct diff_row row;
	double work[2];
	rule->found = find_row(b, diff, rule->name, &row) && find_work(b, diff, rule->work, work) &&
		      (part == NULL || !part->absent || rule->kind == DIFF_BUDGET_MOST);
	if (!rule->found)
		return;
	rule->before = row.value[0] / work[0];
	rule->after = row.value[1] / work[1];
	double error = row.error[1] / work[1];
	switch (rule->kind) {
	case DIFF_BUDGET_PERCENT:
		rule->allowed = rule->before * (1 + rule->limit / 100);
		error = hypot(error, row.error[0] / work[0] * (1 + rule->limit / 100));
		break;
	case DIFF_BUDGET_MORE:
		rule->allowed = rule->before + rule->limit;
		error = hypot(error, row.error[0] / work[0]);
		break;
	case DIFF_BUDGET_MOST:
		rule->allowed = rule->limit;
		break;
	}
	rule->error = error;
	rule->passed = rule->after <= rule->allowed + sigmas * error;
}

static const char *unit_of(const struct diff *diff)
{
	if (diff->scale == DIFF_SHARE)
		return "of the run";
	return diff->cycles ? "cycles" : "instructions";
}

int diff_budget_check(struct diff_budget *b, const struct diff *diff, double sigmas, const char *path)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < b->count; i++) {
		struct diff_budget_rule *rule = &b->rules[i];
		check_rule(b, rule, diff, sigmas);
		if (rule->passed)
			continue;
		status = STATUS_NO;
		if (!rule->found)
			complain("%s: line %u: %s%s%s is not in these runs: its limit is not proved", path, rule->line,
			    rule->name, rule->work != NULL ? " or " : "", rule->work != NULL ? rule->work : "");
		else
			complain("%s: line %u: %s took %.10g %s%s%s, %.10g before; %.10g is allowed", path, rule->line,
			    rule->name, rule->after, unit_of(diff), rule->work != NULL ? " per " : "",
			    rule->work != NULL ? rule->work : "", rule->before, rule->allowed);
	}
	return status;
}

/* ---- files ---- */

void diff_budget_junit(const struct diff_budget *b, const struct diff *diff, FILE *out)
{
	size_t failures = 0;
	for (size_t i = 0; i < b->count; i++)
		failures += !b->rules[i].passed;
	fprintf(out,
	    "<?xml version=\"1.0\"?>\n<testsuites>\n <testsuite name=\"budget\" tests=\"%zu\" failures=\"%zu\">\n",
	    b->count, failures);
	for (size_t i = 0; i < b->count; i++) {
		const struct diff_budget_rule *rule = &b->rules[i];
		fputs("  <testcase classname=\"budget\" name=\"", out);
		xml_text(out, rule->name);
		if (rule->work != NULL) {
			fputs(" per ", out);
			xml_text(out, rule->work);
		}
		fputs("\">", out);
		if (!rule->found)
			fputs("<failure message=\"it is not in these runs\"/>", out);
		else if (!rule->passed)
			fprintf(out, "<failure message=\"%.10g %s, %.10g before, %.10g is allowed\"/>", rule->after,
			    unit_of(diff), rule->before, rule->allowed);
		fputs("</testcase>\n", out);
	}
	fputs(" </testsuite>\n</testsuites>\n", out);
}

/* A cell of a table: no bar ends it early. */
static void put_cell(FILE *out, const char *text)
{
	for (; *text != '\0'; text++)
		fprintf(out, "%s%c", *text == '|' ? "\\" : "", *text);
}

void diff_budget_markdown(const struct diff_budget *b, const struct diff *diff, FILE *out)
{
	fprintf(out, "| what | before | after | change | allowed | %s |\n| --- | --- | --- | --- | --- | --- |\n",
	    unit_of(diff));
	for (size_t i = 0; i < b->count; i++) {
		const struct diff_budget_rule *rule = &b->rules[i];
		fputs("| ", out);
		put_cell(out, strcmp(rule->name, "*") == 0 ? "the whole run" : rule->name);
		if (rule->work != NULL) {
			fputs(" per ", out);
			put_cell(out, rule->work);
		}
		if (!rule->found) {
			fputs(" | | | | | not in these runs |\n", out);
			continue;
		}
		fprintf(out, " | %.10g | %.10g | ", rule->before, rule->after);
		if (rule->before > 0)
			fprintf(out, "%+.2f%%", 100 * (rule->after / rule->before - 1));
		fprintf(out, " | %.10g | %s |\n", rule->allowed, rule->passed ? "kept" : "**over**");
	}
}
