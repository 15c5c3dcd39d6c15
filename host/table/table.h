/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TABLE_H
#define RIVULET_TABLE_H
/*
 * A table: columns described once, rows as text, JSON, CSV or Markdown.
 *
 *   static const struct table_column columns[] = {
 *       {.title = "calls", .key = "calls", .form = TABLE_COUNT, .width = 9},
 *       {.title = "most", .key = "most", .unit = "cycles", .form = TABLE_COUNT, .width = 10},
 *       {.title = "function", .key = "function", .form = TABLE_WORDS, .gap = "  "}};
 *
 *   text          JSON                                  CSV                   Markdown
 *       calls       most  function
 *       1,234         56  main
 *                 {"calls": 1234, "most": 56,           calls,most,function   | calls | most (cycles) | function |
 *                  "function": "main"}                  1234,56,main          | ---: | ---: | --- |
 *                                                                             | 1,234 | 56 | main |
 *
 * Text and Markdown are for people: columns with a title, numbers with commas or units. JSON and CSV are for programs:
 * columns with a key, numbers exact; what is not known is null, or nothing. CSV quotes as RFC 4180 says, has a line of
 * keys first, and ends lines with LF; lists are words there. Text that is no UTF-8 stays as it is in text, CSV and
 * Markdown.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "host/base/json.h"
#include "host/table/line.h"
#include "host/table/numbers.h"

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV, TABLE_MARKDOWN };

enum table_form {      /* what a column holds: for programs, for people */
	TABLE_WORDS,   /* text */
	TABLE_COUNT,   /* a whole number: 1234567; 1,234,567 */
	TABLE_ROUND,   /* a number: 1234567; 1.23M */
	TABLE_PLAIN,   /* a whole number: 1234567 */
	TABLE_SHARE,   /* a number from 0 to 1: 0.1234, 9 digits; 12.34%, so many decimals */
	TABLE_PERCENT, /* the same, times 100, with the column's decimals for programs too: 12.34 */
	TABLE_REAL,    /* a number: 9 digits; the column's decimals */
	TABLE_ADDRESS, /* "0x0000001f": at least `decimals' digits behind 0x */
	TABLE_TRUTH,   /* true or false; yes or no */
};

struct table_column {
	const char *title; /* NULL: not for people */
	const char *key;   /* NULL: not for programs */
	const char *unit;  /* of the numbers; NULL: none, or the title says it. Markdown has it behind the title */
	const char *gap;   /* what text has before the column; NULL: a space, nothing before the first */
	enum table_form form;
	int width; /* of text: to the right; negative: to the left; 0: as long as it is, the last column */
	int most;  /* of text: characters of words that are shown; 0: all */
	int decimals;
	bool csv_only; /* JSON has it otherwise: as a list, or as a number in a column of its own */
};

enum table_state { TABLE_NONE, TABLE_UNKNOWN, TABLE_NUMBER, TABLE_FRACTION, TABLE_STRING };

/* A value. shown: what people read instead of it; NULL: the value in its form. style: goes before it, its end
 * behind. */
struct table_cell {
	enum table_state state; /* none: no member of JSON, nothing elsewhere; unknown: null, nothing elsewhere */
	union {
		uint64_t number;
		double real;
		const char *text;
	} is;
	const char *shown, *style;
};

static inline struct table_cell table_words(const char *text) /* NULL: not known */
{
	return (struct table_cell){.state = text == NULL ? TABLE_UNKNOWN : TABLE_STRING, .is.text = text};
}
static inline struct table_cell table_number(uint64_t number)
{
	return (struct table_cell){.state = TABLE_NUMBER, .is.number = number};
}
static inline struct table_cell table_real(double real) /* not finite: not known */
{
	return (struct table_cell){.state = TABLE_FRACTION, .is.real = real};
}
static inline struct table_cell table_unknown(void)
{
	return (struct table_cell){.state = TABLE_UNKNOWN};
}
/* A number that people read otherwise, or a cell that only they have (a column without key). */
static inline struct table_cell table_shown(struct table_cell cell, const char *shown)
{
	cell.shown = shown;
	return cell;
}
static inline struct table_cell table_styled(struct table_cell cell, const char *style)
{
	cell.style = style;
	return cell;
}

#define TABLE_COLUMNS 63
#define TABLE_BIT(column) (UINT64_C(1) << (column)) /* of hidden and absent */

/* Set by the caller before table_begin(). */
struct table {
	const struct table_column *columns;
	size_t count; /* at most TABLE_COLUMNS */
	enum table_format format;
	FILE *out;
	struct json *json;         /* of the document; for TABLE_JSON alone */
	const char *name;          /* of the array in it */
	const struct style *style; /* of the head; NULL: none */
	uint64_t hidden; /* columns, TABLE_BIT(), that people do not see: they say nothing, or the terminal is narrow */
	uint64_t absent; /* columns that nobody has: this run knows nothing of them */
	bool tall;       /* JSON has each member on a line of its own */
	size_t width;    /* of a line of text; 0: any */
};

/* The head: titles, keys, or the beginning of the array. */
void table_begin(const struct table *table);
/* A row: count cells, as the columns are. */
void table_row(const struct table *table, const struct table_cell *cells);
/* The same, but JSON's object stays open for what the columns cannot hold, until table_row_end(). */
void table_row_open(const struct table *table, const struct table_cell *cells);
void table_row_end(const struct table *table);
void table_end(const struct table *table);
/* The members of a row in an object that is open: for a sum beside its rows. JSON alone. */
void table_members(const struct table *table, const struct table_cell *cells);

/* Columns of a line of text that the last column, which has no width, may take. */
size_t table_room(const struct table *table);
/* Whether the format is one of a table alone, without what a command says around it. */
static inline bool table_alone(enum table_format format)
{
	return format == TABLE_CSV || format == TABLE_MARKDOWN;
}
#endif
