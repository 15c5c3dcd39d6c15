/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool column_absent(const struct table *t, size_t column)
{
	return (t->absent >> column & 1) != 0;
}

/* Whether people see it. */
static bool column_titled(const struct table *t, size_t column)
{
	bool hidden = (t->hidden >> column & 1) != 0;
	return t->columns[column].title != NULL && !hidden && !column_absent(t, column);
}

/* Whether programs see it. */
static bool column_keyed(const struct table *t, size_t column)
{
	const struct table_column *c = &t->columns[column];
	return c->key != NULL && !(c->csv_only && t->format == TABLE_JSON) && !column_absent(t, column);
}

static bool is_number(const struct table_column *c)
{
	return c->form != TABLE_WORDS && c->form != TABLE_TRUTH;
}

static double cell_real(const struct table_cell *cell)
{
	return cell->state == TABLE_FRACTION ? cell->is.real : (double)cell->is.number;
}

static bool cell_known(const struct table_cell *cell)
{
	return cell->state >= TABLE_NUMBER && (cell->state != TABLE_FRACTION || isfinite(cell->is.real));
}

/* ---- what people read ---- */

/* The value in its form; in one of the buffers of numbers_text(), or the cell's own text. */
static const char *cell_text(const struct table_column *c, const struct table_cell *cell)
{
	char *text;
	if (cell->shown != NULL)
		return cell->shown;
	if (!cell_known(cell))
		return "";
	switch (c->form) {
	case TABLE_WORDS:
		return cell->is.text;
	case TABLE_COUNT:
		return with_commas(cell->is.number);
	case TABLE_ROUND:
		return with_unit(cell_real(cell));
	case TABLE_PLAIN:
		text = numbers_text();
		snprintf(text, NUMBERS_TEXT, "%" PRIu64, cell->is.number);
		return text;
	case TABLE_SHARE:
	case TABLE_PERCENT:
		text = numbers_text();
		snprintf(text, NUMBERS_TEXT, "%.*f%%", c->decimals, 100 * cell_real(cell));
		return text;
	case TABLE_REAL:
		text = numbers_text();
		snprintf(text, NUMBERS_TEXT, "%.*f", c->decimals, cell_real(cell));
		return text;
	case TABLE_ADDRESS:
		text = numbers_text();
		snprintf(text, NUMBERS_TEXT, "0x%0*" PRIx64, c->decimals, cell->is.number);
		return text;
	case TABLE_TRUTH:
		return cell->is.number != 0 ? "yes" : "no";
	default:
		return "";
	}
}

static void put_padded(const struct table *t, size_t column, const char *text)
{
	const struct table_column *c = &t->columns[column];
	int most = c->most > 0 ? c->most : (int)strlen(text);
	fprintf(t->out, "%*.*s", c->width, most, text);
}

static const char *gap_before(const struct table_column *c, bool first)
{
	if (c->gap != NULL)
		return c->gap;
	return first ? "" : " ";
}

static void text_head(const struct table *t)
{
	bool first = true;
	if (t->style != NULL)
		fputs(t->style->dim, t->out);
	for (size_t i = 0; i < t->count; i++) {
		if (!column_titled(t, i))
			continue;
		fputs(gap_before(&t->columns[i], first), t->out);
		put_padded(t, i, t->columns[i].title);
		first = false;
	}
	fprintf(t->out, "%s\n", t->style != NULL ? t->style->off : "");
}

static void text_row(const struct table *t, const struct table_cell *cells)
{
	bool first = true;
	for (size_t i = 0; i < t->count; i++) {
		const struct table_column *c = &t->columns[i];
		const char *style = cells[i].style != NULL ? cells[i].style : "";
		if (!column_titled(t, i))
			continue;
		const char *text = cell_text(c, &cells[i]);
		if (c->width == 0 && text[0] == '\0')
			continue; /* as long as it is, and it has nothing: no blanks at the end of the line */
		fprintf(t->out, "%s%s", gap_before(c, first), style);
		put_padded(t, i, text);
		if (style[0] != '\0')
			fputs(style_for(t->out)->off, t->out);
		first = false;
	}
	fputc('\n', t->out);
}

size_t table_room(const struct table *t)
{
	size_t used = 0, width = t->width == 0 || t->format != TABLE_TEXT ? LINE_WIDEST : t->width;
	bool first = true;
	for (size_t i = 0; i < t->count; i++) {
		const struct table_column *c = &t->columns[i];
		if (!column_titled(t, i))
			continue;
		used += strlen(gap_before(c, first)) + (size_t)(c->width < 0 ? -c->width : c->width);
		first = false;
	}
	return used < width ? width - used : 0;
}

/* What Markdown would take for its own is escaped, and a row stays on its line. */
static void markdown_text(const char *text, FILE *out)
{
	size_t length = strlen(text);
	while (length > 0 && text[length - 1] == ' ')
		length--;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		if (strchr("\\`*_[]<>|", c) != NULL)
			fputc('\\', out);
		fputc(c < 0x20 || c == 0x7F ? ' ' : c, out);
	}
}

static void markdown_head(const struct table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		if (!column_titled(t, i))
			continue;
		fputs("| ", t->out);
		markdown_text(t->columns[i].title, t->out);
		if (t->columns[i].unit != NULL)
			fprintf(t->out, " (%s)", t->columns[i].unit);
		fputc(' ', t->out);
	}
	fputs("|\n", t->out);
	for (size_t i = 0; i < t->count; i++) {
		if (column_titled(t, i))
			fputs(is_number(&t->columns[i]) ? "| ---: " : "| --- ", t->out);
	}
	fputs("|\n", t->out);
}

static void markdown_row(const struct table *t, const struct table_cell *cells)
{
	for (size_t i = 0; i < t->count; i++) {
		if (!column_titled(t, i))
			continue;
		const char *text = cell_text(&t->columns[i], &cells[i]);
		fputs("| ", t->out);
		markdown_text(text + strspn(text, " "), t->out);
		fputc(' ', t->out);
	}
	fputs("|\n", t->out);
}

/* ---- what programs read ---- */

static void csv_text(const char *text, FILE *out)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_cell(const struct table_column *c, const struct table_cell *cell, FILE *out)
{
	if (!cell_known(cell))
		return;
	if (c->form == TABLE_WORDS)
		csv_text(cell->is.text, out);
	else if (c->form == TABLE_ADDRESS)
		fprintf(out, "0x%0*" PRIx64, c->decimals, cell->is.number);
	else if (c->form == TABLE_TRUTH)
		fputs(cell->is.number != 0 ? "true" : "false", out);
	else if (c->form == TABLE_PERCENT)
		fprintf(out, "%.*f", c->decimals, 100 * cell_real(cell));
	else if (cell->state == TABLE_FRACTION)
		fprintf(out, "%.9g", cell->is.real);
	else
		fprintf(out, "%" PRIu64, cell->is.number);
}

static void csv_line(const struct table *t, const struct table_cell *cells) /* NULL: the keys */
{
	bool first = true;
	for (size_t i = 0; i < t->count; i++) {
		if (!column_keyed(t, i))
			continue;
		if (!first)
			fputc(',', t->out);
		first = false;
		if (cells == NULL)
			csv_text(t->columns[i].key, t->out);
		else
			csv_cell(&t->columns[i], &cells[i], t->out);
	}
	fputc('\n', t->out);
}

static void json_cell(struct json *j, const struct table_column *c, const struct table_cell *cell)
{
	if (cell->state == TABLE_NONE)
		return;
	if (!cell_known(cell))
		json_null(j, c->key);
	else if (c->form == TABLE_WORDS)
		json_text(j, c->key, cell->is.text);
	else if (c->form == TABLE_ADDRESS)
		json_hex(j, c->key, cell->is.number, c->decimals);
	else if (c->form == TABLE_TRUTH)
		json_bool(j, c->key, cell->is.number != 0);
	else if (c->form == TABLE_PERCENT)
		json_fixed(j, c->key, 100 * cell_real(cell), c->decimals);
	else if (cell->state == TABLE_FRACTION)
		json_real(j, c->key, cell->is.real);
	else
		json_number(j, c->key, cell->is.number);
}

/* ---- the table ---- */

void table_begin(const struct table *t)
{
	switch (t->format) {
	case TABLE_JSON:
		json_array(t->json, t->name);
		break;
	case TABLE_CSV:
		csv_line(t, NULL);
		break;
	case TABLE_MARKDOWN:
		markdown_head(t);
		break;
	default:
		text_head(t);
		break;
	}
}

void table_members(const struct table *t, const struct table_cell *cells)
{
	for (size_t i = 0; i < t->count; i++) {
		if (column_keyed(t, i))
			json_cell(t->json, &t->columns[i], &cells[i]);
	}
}

void table_row_open(const struct table *t, const struct table_cell *cells)
{
	switch (t->format) {
	case TABLE_JSON:
		if (t->tall)
			json_object(t->json, NULL);
		else
			json_line(t->json, NULL);
		table_members(t, cells);
		break;
	case TABLE_CSV:
		csv_line(t, cells);
		break;
	case TABLE_MARKDOWN:
		markdown_row(t, cells);
		break;
	default:
		text_row(t, cells);
		break;
	}
}

void table_row_end(const struct table *t)
{
	if (t->format == TABLE_JSON)
		json_object_end(t->json);
}

void table_row(const struct table *t, const struct table_cell *cells)
{
	table_row_open(t, cells);
	table_row_end(t);
}

void table_end(const struct table *t)
{
	if (t->format == TABLE_JSON)
		json_array_end(t->json);
}
