/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/choose.h"

#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"

enum { KEY_FUNCTION = 1000, KEY_FILE, KEY_LINE, KEY_ADDRESS, KEY_MIN_SHARE };

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Choosing code (it must fit every option that you give; shares stay those of the whole):", 10},
    {"function", KEY_FUNCTION, "PATTERN", 0, "Functions and inlined functions of this name; * and ? as in a shell", 10},
    {"file", KEY_FILE, "PATTERN", 0, "Source files of this name, whole or from a / on", 10},
    {"line", KEY_LINE, "[FILE:]A[-B]", 0, "Source lines A to B", 10},
    {"address", KEY_ADDRESS, "A[-B]", 0, "Addresses from A to below B; A alone: the code at A", 10},
    {"min-share", KEY_MIN_SHARE, "PERCENT", 0, "Nothing with a smaller share", 10},
    {0},
};

/* "A-B" or "A", numbers up to max. */
static bool parse_number_range(const char *text, uint64_t max, uint64_t *first, uint64_t *last, bool *both)
{
	char copy[64];
	const char *dash = strchr(text, '-');
	size_t length = dash == NULL ? strlen(text) : (size_t)(dash - text);
	*both = dash != NULL;
	if (length >= sizeof copy)
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (!parse_number(copy, max, first))
		return false;
	*last = *first;
	return dash == NULL || (parse_number(dash + 1, max, last) && *last >= *first);
}

static void parse_line(struct account_filter *filter, char *value, struct argp_state *state)
{
	uint64_t first, last;
	bool both;
	char *colon = strrchr(value, ':');
	if (!parse_number_range(colon == NULL ? value : colon + 1, 10000000, &first, &last, &both) || first == 0)
		argp_error(state, "--line %s: FILE:A-B, FILE:A, A-B or A is expected", value);
	filter->first = (unsigned)first;
	filter->last = (unsigned)last;
	if (colon != NULL) {
		*colon = '\0';
		filter->file = value;
	}
}

static error_t parse_choice_option(int key, char *value, struct argp_state *state)
{
	struct account_filter *filter = state->input;
	uint64_t first, last;
	double percent;
	bool both;
	switch (key) {
	case KEY_FUNCTION:
		filter->function = value;
		return 0;
	case KEY_FILE:
		filter->file = value;
		return 0;
	case KEY_LINE:
		parse_line(filter, value, state);
		return 0;
	case KEY_ADDRESS:
		if (!parse_number_range(value, UINT32_MAX, &first, &last, &both) || (both && first == last))
			argp_error(state, "--address %s: A-B is expected, addresses from A to below B", value);
		filter->addressed = true;
		filter->low = (uint32_t)first;
		filter->high = both ? (uint32_t)last : (uint32_t)first + 2;
		return 0;
	case KEY_MIN_SHARE:
		if (!parse_percent(value, &percent) || percent > 100)
			argp_error(state, "--min-share %s: a percentage is expected", value);
		filter->min_share = percent / 100;
		return 0;
	case ARGP_KEY_END:
		if (filter->last != 0 && filter->file == NULL && filter->function == NULL)
			argp_error(state, "--line needs a file: --line FILE:A-B, or --file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp choose_argp = {options, parse_choice_option, NULL, NULL, NULL, NULL, NULL};
