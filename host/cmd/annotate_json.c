/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* annotate --json, --csv, --markdown: a row for each instruction. Programs get counts as the profile has them; those of
 * a sampled one are to be multiplied by `period' of the JSON. People get them scaled up by it. */
#include <string.h>
#include "host/cmd/annotate.h"
#include "host/cmd/not_traced.h"
#include "host/base/json.h"
#include "host/cmd/profiled.h"
#include "isa/isa.h"

enum {
	INSN_FUNCTION,
	INSN_SHARE,
	INSN_ADDRESS,
	INSN_TEXT,
	INSN_COUNT,
	INSN_CYCLES,
	INSN_TAKEN,
	INSN_NOT_TAKEN,
	INSN_FILE,
	INSN_LINE,
	INSN_INLINED,
	INSN_COLUMNS
};

static const struct table_column insn_columns[INSN_COLUMNS] = {
    [INSN_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .csv_only = true},
    [INSN_SHARE] = {.title = "share", .key = "share", .form = TABLE_SHARE, .decimals = 2, .csv_only = true},
    [INSN_ADDRESS] = {.title = "address", .key = "address", .form = TABLE_ADDRESS, .decimals = 8},
    [INSN_TEXT] = {.title = "instruction", .key = "instruction", .form = TABLE_WORDS},
    [INSN_COUNT] = {.title = "count", .key = "count", .form = TABLE_COUNT},
    [INSN_CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_COUNT},
    [INSN_TAKEN] = {.title = "taken", .key = "taken", .form = TABLE_COUNT},
    [INSN_NOT_TAKEN] = {.title = "not taken", .key = "not_taken", .form = TABLE_COUNT},
    [INSN_FILE] = {.title = "file", .key = "file", .form = TABLE_WORDS},
    [INSN_LINE] = {.title = "line", .key = "line", .form = TABLE_PLAIN},
    [INSN_INLINED] = {.title = "inlined", .key = "inlined", .form = TABLE_WORDS},
};

/* The titles, with the mark of what is scaled up. */
static void make_insn_columns(const struct annotate *n, struct table_column *columns)
{
	memcpy(columns, insn_columns, sizeof insn_columns);
	if (n->profiled->account->period <= 1)
		return;
	columns[INSN_COUNT].title = "~count";
	columns[INSN_CYCLES].title = "~cycles";
	columns[INSN_TAKEN].title = "~taken";
	columns[INSN_NOT_TAKEN].title = "~not taken";
}

static struct table_cell annotated_cell(const struct annotate *n, uint64_t value)
{
	return table_shown(table_number(value), annotate_digits(n, value));
}

static void put_annotated_insn(const struct table *table, const struct annotate *n, const struct account_insn *insn)
{
	const struct account *a = n->profiled->account;
	const struct account_sum sum = {.count = insn->count, .insns = insn->count, .cycles = insn->cycles};
	const struct account_function *f = &a->functions[insn->function];
	struct table_cell cells[INSN_COLUMNS] = {[INSN_FUNCTION] = table_words(function_name(f->name, f->start)),
	    [INSN_SHARE] = table_real(account_share(a, &sum)),
	    [INSN_ADDRESS] = table_number(insn->pc),
	    [INSN_COUNT] = annotated_cell(n, insn->count),
	    [INSN_CYCLES] = annotated_cell(n, insn->cycles)};
	struct isa_insn decoded;
	struct image_place places[2];
	char text[80] = "";
	size_t depth = image_places(n->profiled->image, insn->pc, places, 2);
	if (image_insn(n->profiled->image, insn->pc, 0, &decoded))
		image_format(n->profiled->image, &decoded, insn->pc, text, sizeof text);
	cells[INSN_TEXT] = table_words(text);
	if ((insn->class_bits & ISA_BRANCH) != 0) {
		cells[INSN_TAKEN] = annotated_cell(n, insn->taken);
		cells[INSN_NOT_TAKEN] = annotated_cell(n, insn->count - insn->taken - insn->unknown);
	}
	if (places[0].line != 0) {
		cells[INSN_FILE] = table_words(places[0].file);
		cells[INSN_LINE] = table_number(places[0].line);
	}
	if (depth > 1)
		cells[INSN_INLINED] = table_words(places[0].function);
	table_row(table, cells);
}

static void put_annotated_insns(const struct table *table, const struct annotate *n, const struct account_row *row)
{
	const struct account *a = n->profiled->account;
	const struct account_insn *first = account_find(a, row->address), *last = account_find(a, row->last);
	for (; first != NULL && last != NULL && first <= last; first++) {
		if (first->function == row->row && account_passes(&n->filter, n->profiled->image, first->pc))
			put_annotated_insn(table, n, first);
	}
}

static struct table insn_table(const struct annotate *n, const struct table_column *columns, struct json *json)
{
	return (struct table){.columns = columns,
	    .count = INSN_COLUMNS,
	    .format = n->format,
	    .out = stdout,
	    .json = json,
	    .name = "code",
	    .absent = n->profiled->account->timed || n->format == TABLE_JSON ? 0 : TABLE_BIT(INSN_CYCLES)};
}

static void put_annotated_function(struct json *j, const struct annotate *n, const struct account_row *row)
{
	const struct account *a = n->profiled->account;
	const struct account_function *f = &a->functions[row->row];
	const struct table table = insn_table(n, insn_columns, j);
	json_object(j, NULL);
	json_text(j, "function", function_name(f->name, f->start));
	json_hex(j, "address", f->start, 8);
	json_text(j, "file", f->file);
	json_number(j, "line", f->line);
	json_real(j, "share", row->share);
	json_real(j, "error", row->error);
	json_number(j, "entered", f->self.count);
	json_number(j, "instructions", f->self.insns);
	json_number(j, "cycles", f->self.cycles);
	table_begin(&table);
	put_annotated_insns(&table, n, row);
	table_end(&table);
	json_object_end(j);
}

void annotate_table(const struct annotate *n, const struct account_row *rows, size_t count)
{
	struct table_column columns[INSN_COLUMNS];
	make_insn_columns(n, columns);
	const struct table table = insn_table(n, columns, NULL);
	size_t shown = 0;
	table_begin(&table);
	for (size_t i = 0; i < count; i++) {
		if (shown == n->top || rows[i].share < n->hot)
			continue;
		shown++;
		put_annotated_insns(&table, n, &rows[i]);
	}
	table_end(&table);
}

void annotate_json(const struct annotate *n, const struct account_row *rows, size_t count)
{
	const struct account *a = n->profiled->account;
	struct json j;
	size_t shown = 0;
	json_open(&j, stdout);
	json_text(&j, "rivulet", "annotate");
	json_number(&j, "version", 1);
	json_text(&j, "program", n->profiled->program);
	json_text(&j, "profile", n->profiled->file);
	json_bool(&j, "timed", a->timed);
	json_bool(&j, "sampled", a->sampled);
	json_real(&j, "period", a->period);
	json_number(&j, "instructions", a->accounted.insns);
	json_number(&j, "cycles", a->accounted.cycles);
	struct remainder remainder;
	remainder_profiled(&remainder, n->profiled);
	json_not_traced(&j, &remainder);
	json_number(&j, "functions_passing", count);
	json_array(&j, "functions");
	for (size_t i = 0; i < count; i++) {
		if (shown == n->top || rows[i].share < n->hot)
			continue;
		shown++;
		put_annotated_function(&j, n, &rows[i]);
	}
	json_array_end(&j);
	finish_json(&j);
}
