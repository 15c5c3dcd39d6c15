/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/table_options.h"

enum { KEY_JSON = 0x1100, KEY_CSV, KEY_MARKDOWN }; /* apart from those of the subcommands and the operands */

static const struct argp_option table_formats[] = {
    {"json", KEY_JSON, NULL, 0, "JSON (docs/rivulet.md) with all that is known, instead of text", 0},
    {"csv", KEY_CSV, NULL, 0, "The table alone, as comma-separated values", 0},
    {"markdown", KEY_MARKDOWN, NULL, 0, "The table alone, in Markdown: for a pull request", 0}, {0}};

static error_t parse_format(int key, char *value, struct argp_state *state)
{
	enum table_format *format = state->input;
	(void)value;
	if (key == KEY_JSON)
		*format = TABLE_JSON;
	else if (key == KEY_CSV)
		*format = TABLE_CSV;
	else if (key == KEY_MARKDOWN)
		*format = TABLE_MARKDOWN;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

const struct argp table_argp = {table_formats, parse_format, NULL, NULL, NULL, NULL, NULL};
