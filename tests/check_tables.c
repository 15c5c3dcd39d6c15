/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* One description of columns, four forms of a table. */
#include "host/table/table.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { CALLS, MOST, SHARE, MEAN, ADDRESS, NAME, HANDLER, SECRET, COLUMNS };
static const struct table_column columns[COLUMNS] = {
    [CALLS] = {.title = "calls", .key = "calls", .form = TABLE_COUNT, .width = 9},
    [MOST] = {.title = "most", .key = "most", .unit = "cycles", .form = TABLE_ROUND, .width = 6},
    [SHARE] = {.title = "share", .key = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [MEAN] = {.title = "mean", .key = "mean", .form = TABLE_REAL, .width = 6, .decimals = 1},
    [ADDRESS] = {.key = "address", .form = TABLE_ADDRESS, .decimals = 8},
    [NAME] = {.title = "function", .key = "function", .form = TABLE_WORDS, .gap = "  "},
    [HANDLER] = {.key = "handler", .form = TABLE_TRUTH},
    [SECRET] = {.key = "list", .form = TABLE_WORDS, .csv_only = true}};

static void put_rows(const struct table *table)
{
	const struct table_cell first[COLUMNS] = {[CALLS] = table_number(1234),
	    [MOST] = table_number(1234567),
	    [SHARE] = table_real(0.1234567891),
	    [MEAN] = table_real(2.25),
	    [ADDRESS] = table_number(0x1f),
	    [NAME] = table_words("a,\"b\"|c*\n"),
	    [HANDLER] = table_number(1),
	    [SECRET] = table_words("x")};
	const struct table_cell second[COLUMNS] = {[CALLS] = table_number(0),
	    [MOST] = table_unknown(),
	    [SHARE] = table_shown(table_real(NAN), "?"),
	    [NAME] = table_words(NULL),
	    [HANDLER] = table_number(0)};
	table_begin(table);
	table_row(table, first);
	table_row(table, second);
	table_end(table);
}

/* The table as text; to be freed. */
static char *make_text(struct table *table)
{
	char *text = NULL;
	size_t size;
	struct json json;
	FILE *out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
	table->columns = columns;
	table->count = COLUMNS;
	table->out = out;
	table->json = &json;
	table->name = "rows";
	if (table->format == TABLE_JSON)
		json_open_compact(&json, out);
	put_rows(table);
	if (table->format == TABLE_JSON)
		ck_assert(json_close(&json));
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

static void check_text(struct table table, const char *wanted)
{
	char *text = make_text(&table);
	ck_assert_str_eq(text, wanted);
	free(text);
}

START_TEST(table_text)
{
	check_text((struct table){.format = TABLE_TEXT}, "    calls   most   share   mean  function\n"
							 "    1,234  1.23M  12.35%    2.2  a,\"b\"|c*\n\n"
							 "        0              ?       \n");
	check_text((struct table){.format = TABLE_TEXT, .hidden = 1u << MOST | 1u << CALLS, .absent = 1u << NAME},
	    "  share   mean\n 12.35%    2.2\n      ?       \n");
}
END_TEST

START_TEST(table_json)
{
	check_text((struct table){.format = TABLE_JSON},
	    "{\n\"rows\":[\n{\"calls\":1234,\"most\":1234567,\"share\":0.123456789,\"mean\":2.25,\"address\":"
	    "\"0x0000001f\","
	    "\"function\":\"a,\\\"b\\\"|c*\\n\",\"handler\":true},\n"
	    "{\"calls\":0,\"most\":null,\"share\":null,\"function\":null,\"handler\":false}\n]\n}\n");
	/* what a narrow terminal hides, programs have all the same; what nobody has, they do not */
	check_text((struct table){.format = TABLE_JSON, .hidden = 1u << CALLS, .absent = 0xfe},
	    "{\n\"rows\":[\n{\"calls\":1234},\n{\"calls\":0}\n]\n}\n");
}
END_TEST

START_TEST(table_csv)
{
	check_text((struct table){.format = TABLE_CSV},
	    "calls,most,share,mean,address,function,handler,list\n"
	    "1234,1234567,0.123456789,2.25,0x0000001f,\"a,\"\"b\"\"|c*\n\",true,x\n"
	    "0,,,,,,false,\n");
}
END_TEST

START_TEST(table_markdown)
{
	check_text((struct table){.format = TABLE_MARKDOWN}, "| calls | most (cycles) | share | mean | function |\n"
							     "| ---: | ---: | ---: | ---: | --- |\n"
							     "| 1,234 | 1.23M | 12.35% | 2.2 | a,\"b\"\\|c\\*  |\n"
							     "| 0 |  | ? |  |  |\n");
}
END_TEST

START_TEST(table_last_column)
{
	struct table table = {.format = TABLE_TEXT, .columns = columns, .count = COLUMNS, .width = 100};
	ck_assert_uint_eq(table_room(&table), 100 - 9 - 7 - 8 - 7 - 2);
	table.hidden = 1u << CALLS; /* then the next one is the first, without a gap */
	ck_assert_uint_eq(table_room(&table), 100 - 6 - 8 - 7 - 2);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"text", table_text, 0}, {"json", table_json, 0}, {"csv", table_csv, 0},
	    {"markdown", table_markdown, 0}, {"last column", table_last_column, 0}};
	return SUITE_RUN("tables", cases, NULL, NULL);
}
