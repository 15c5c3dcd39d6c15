/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/parse_options.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"

#define LONGEST_WORD 32 /* of what may be misspelled; commands and options are shorter */

/*
 * How many letters must be changed, put in, left out, or swapped with the next one until a is b, letter by letter of a:
 *
 *            h  e  l  p
 *         0  1  2  3  4        a step right: a letter of b is put in; down: one of a is left out; down and right:
 *      h  1  0  1  2  3        one becomes the other, which costs nothing if they are equal. Two down and two
 *      l  2  1  1  1  2        right: two that are swapped, as l and e: hlep becomes help by 1
 *      e  3  2  1  1  2
 *      p  4  3  2  2  1
 */
static size_t letters_between(const char *a, const char *b)
{
	size_t rows[3][LONGEST_WORD + 1], *before = rows[0], *last = rows[1], *row = rows[2];
	const size_t length = strlen(b);
	for (size_t j = 0; j <= length; j++)
		last[j] = j;
	for (size_t i = 0; a[i] != '\0'; i++) {
		row[0] = i + 1;
		for (size_t j = 0; j < length; j++) {
			size_t least = last[j] + (a[i] != b[j]);
			if (least > last[j + 1] + 1)
				least = last[j + 1] + 1;
			if (least > row[j] + 1)
				least = row[j] + 1;
			if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] && least > before[j - 1] + 1)
				least = before[j - 1] + 1;
			row[j + 1] = least;
		}
		size_t *oldest = before;
		before = last;
		last = row;
		row = oldest;
	}
	return last[length];
}

void guess_try(struct guess *guess, const char *candidate)
{
	const size_t length = strlen(guess->word);
	if (length > LONGEST_WORD || strlen(candidate) > LONGEST_WORD)
		return;
	const size_t letters = letters_between(guess->word, candidate);
	const size_t too_many = length > 3 ? 3 : 2;
	if (letters < too_many && (guess->best == NULL || letters < guess->letters)) {
		guess->best = candidate;
		guess->letters = letters;
	}
}

/* ---- the options of a command ---- */

/* Told of each option; taker: the same, or for an alias the one that says whether there is a value. True: stop. */
typedef bool option_visitor(void *context, const struct argp_option *option, const struct argp_option *taker);

/* What argp itself adds to each command. */
static const struct argp_option added_options[] = {
    {"help", '?', NULL, 0, NULL, 0},
    {"usage", -1, NULL, 0, NULL, 0},
    {"version", 'V', NULL, 0, NULL, 0},
    {"program-name", -2, "NAME", OPTION_HIDDEN, NULL, 0},
    {"HANG", -3, "SECS", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, NULL, 0},
    {0},
};

static bool visit_list(const struct argp_option *list, option_visitor *visit, void *context)
{
	const struct argp_option *taker = list;
	for (const struct argp_option *o = list; o != NULL && (o->name != NULL || o->key != 0 || o->doc != NULL); o++) {
		if ((o->flags & OPTION_ALIAS) == 0)
			taker = o;
		if ((o->flags & OPTION_DOC) == 0 && visit(context, o, taker))
			return true;
	}
	return false;
}

static bool visit_options(const struct argp *argp, option_visitor *visit, void *context)
{
	if (visit_list(argp->options, visit, context))
		return true;
	for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL; child++) {
		if (visit_options(child->argp, visit, context))
			return true;
	}
	return false;
}

/* A word that begins with "--" or "-", or one letter of it. */
struct option_wanted {
	const char *name; /* long: its begin is enough, as argp takes abbreviations; NULL: a letter is wanted */
	size_t length;
	int letter;
	bool takes; /* the next word is its value */
	struct guess guess;
};

static bool is_option(void *context, const struct argp_option *option, const struct argp_option *taker)
{
	struct option_wanted *wanted = context;
	bool named = wanted->name != NULL && option->name != NULL;
	bool same = named ? strncmp(option->name, wanted->name, wanted->length) == 0
			  : wanted->name == NULL && option->key == wanted->letter;
	if (!same)
		return false;
	wanted->takes = taker->arg != NULL && (taker->flags & OPTION_ARG_OPTIONAL) == 0;
	return !named || option->name[wanted->length] == '\0';
}

static bool guess_option(void *context, const struct argp_option *option, const struct argp_option *taker)
{
	struct option_wanted *wanted = context;
	(void)taker;
	if (option->name != NULL && (option->flags & OPTION_HIDDEN) == 0)
		guess_try(&wanted->guess, option->name);
	return false;
}

static bool is_abbreviation(void *context, const struct argp_option *option, const struct argp_option *taker)
{
	const struct option_wanted *wanted = context;
	(void)taker;
	return option->name != NULL && strncmp(option->name, wanted->name, wanted->length) == 0;
}

static bool visit_all(const struct argp *argp, option_visitor *visit, struct option_wanted *wanted)
{
	return visit_options(argp, visit, wanted) || visit_list(added_options, visit, wanted);
}

/* A long option, from behind "--" on. *takes: the next word is its value. Ends the command if another one is meant. */
static void check_long(const struct argp *argp, char **argv, const char *name, bool *takes)
{
	char word[LONGEST_WORD + 1];
	struct option_wanted wanted = {.name = name, .length = strcspn(name, "=")};
	if (visit_all(argp, is_abbreviation, &wanted)) {
		visit_all(argp, is_option, &wanted);
		*takes = wanted.takes && name[wanted.length] == '\0';
		return;
	}
	if (wanted.length > LONGEST_WORD)
		return;
	memcpy(word, name, wanted.length);
	word[wanted.length] = '\0';
	wanted.guess.word = word;
	visit_all(argp, guess_option, &wanted);
	const struct argp_state state = {
	    .root_argp = argp, .name = argv[0], .err_stream = stderr, .out_stream = stdout};
	if (wanted.guess.best != NULL)
		argp_error(&state, "unrecognized option '--%s': do you mean '--%s'?", word, wanted.guess.best);
}

/* Short options in a word. False: one of them is none. *takes: the next word is the value of the last one. */
static bool check_short(const struct argp *argp, const char *letters, bool *takes)
{
	for (; *letters != '\0'; letters++) {
		struct option_wanted wanted = {.letter = (unsigned char)*letters};
		if (!visit_all(argp, is_option, &wanted))
			return false;
		*takes = wanted.takes && letters[1] == '\0';
		if (wanted.takes)
			return true;
	}
	return true;
}

/* Looks at the words as argp will: the values of options are none, nor is what follows "--". */
static void look_at_options(const struct argp *argp, int argc, char **argv, unsigned flags)
{
	const bool in_order = (flags & ARGP_IN_ORDER) != 0 || getenv("POSIXLY_CORRECT") != NULL;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i];
		bool takes = false;
		if (word[0] != '-' || word[1] == '\0') {
			if (in_order)
				return;
			continue;
		}
		if (word[1] == '-')
			check_long(argp, argv, word + 2, &takes);
		else if (!check_short(argp, word + 1, &takes))
			return; /* argp says so */
		i += takes;
	}
}

/* ---- a row for each option ---- */

/* What argp gets in the place of the command's own. */
struct option_parsing {
	const struct option_row *rows;
	argp_parser_t own; /* NULL: none */
	void *arguments;
};

#define FIRST_KEY 0x10000 /* of rows without one: apart from those of commands and of the options that they share */

static int key_of_row(const struct option_row *rows, size_t i)
{
	return rows[i].key != 0 ? rows[i].key : FIRST_KEY + (int)i;
}

static bool is_last_row(const struct option_row *row)
{
	return row->name == NULL && row->text == NULL && row->kind < OPTION_IS_CHILD;
}

static void make_argp_options(const struct option_row *rows, struct argp_option *options)
{
	size_t count = 0;
	for (size_t i = 0; count < OPTION_ROWS && !is_last_row(&rows[i]); i++) {
		const struct option_row *row = &rows[i];
		const int key = row->name == NULL ? 0 : key_of_row(rows, i); /* of a heading: 0 */
		if (row->kind < OPTION_IS_CHILD)
			options[count++] =
			    (struct argp_option){row->name, key, row->value, row->flags, row->text, row->group};
	}
	options[count] = (struct argp_option){0};
}

void option_expected(const struct argp_state *state, const char *name, const char *value, const char *wanted)
{
	argp_error(state, "--%s %s: %s is expected", name, value, wanted);
}

/* Which of the words of "a, b or c" it is, from 0 on; -1: none. */
static int word_among(const char *value, const char *words)
{
	const size_t length = strlen(value);
	for (int number = 0; *words != '\0'; number++) {
		const size_t own = strcspn(words, ", ");
		if (own == length && strncmp(value, words, own) == 0)
			return number;
		words += own;
		words += strspn(words, ", ");
		words += strncmp(words, "or ", 3) == 0 ? 3 : 0;
	}
	return -1;
}

static bool take_number(const struct option_row *row, const char *value, void *member)
{
	uint64_t number;
	const bool got = row->kind == OPTION_IS_AMOUNT ? parse_amount(value, row->unit, row->most, &number)
						       : parse_number(value, row->most, &number);
	if (!got || number < row->least)
		return false;
	if (row->size == sizeof(uint32_t))
		*(uint32_t *)member = (uint32_t)number;
	else
		*(uint64_t *)member = number;
	return true;
}

/* False: the value is not as the row says. */
static bool take_value(const struct option_row *row, const char *value, void *member)
{
	int word;
	switch (row->kind) {
	case OPTION_IS_FLAG:
		*(bool *)member = true;
		return true;
	case OPTION_IS_TEXT:
		*(const char **)member = value;
		return true;
	case OPTION_IS_NUMBER:
	case OPTION_IS_AMOUNT:
		return take_number(row, value, member);
	case OPTION_IS_PERCENT:
		return parse_percent(value, member);
	case OPTION_IS_SET:
		*(int *)member = (int)row->least;
		return true;
	default:
		word = word_among(value, row->wanted);
		if (word >= 0)
			*(int *)member = row->values != NULL ? row->values[word] : word;
		return word >= 0;
	}
}

/* What is no option. False: the command's own parser is to see it. */
static bool take_argument(const struct option_parsing *parsing, int key, char *value, struct argp_state *state)
{
	char *arguments = parsing->arguments;
	const char *many = NULL;
	size_t child = 0;
	for (const struct option_row *row = parsing->rows; !is_last_row(row); row++) {
		const char **operand = (const char **)(arguments + row->at);
		if (row->kind == OPTION_IS_CHILD && key == ARGP_KEY_INIT)
			state->child_inputs[child++] = arguments + row->at;
		if (row->kind != OPTION_IS_OPERAND)
			continue;
		many = row->wanted;
		if (key == ARGP_KEY_ARG && *operand == NULL) {
			*operand = value;
			return true;
		}
		if (key == ARGP_KEY_END && *operand == NULL && row->needed != NULL)
			argp_error(state, "%s", row->needed);
	}
	if (key == ARGP_KEY_ARG && many != NULL)
		argp_error(state, "%s, `%s' is too many", many, value);
	return false;
}

static error_t parse_row(int key, char *value, struct argp_state *state)
{
	const struct option_parsing *parsing = state->input;
	const struct option_row *row = parsing->rows;
	while (!is_last_row(row) && key != key_of_row(parsing->rows, (size_t)(row - parsing->rows)))
		row++;
	char *arguments = parsing->arguments, numbers[96];
	const bool found = !is_last_row(row);
	if (!found && take_argument(parsing, key, value, state))
		return 0;
	if (found && row->also != 0)
		*(bool *)(arguments + row->also - sizeof(bool)) = true;
	if (found && row->named != 0)
		*(const char **)(arguments + row->named - sizeof(const char *)) = row->name;
	if (!found || row->kind == OPTION_IS_OWN) {
		state->input = parsing->arguments; /* argp sets it before each call */
		return parsing->own == NULL ? ARGP_ERR_UNKNOWN : parsing->own(key, value, state);
	}
	snprintf(numbers, sizeof numbers, "a number from %" PRIu64 " to %" PRIu64, row->least, row->most);
	if (!take_value(row, value, arguments + row->at))
		option_expected(state, row->name, value, row->wanted != NULL ? row->wanted : numbers);
	return 0;
}

void parse_options(
    const struct argp *argp, const struct option_row *rows, int argc, char **argv, unsigned flags, void *input)
{
	struct argp_option options[OPTION_ROWS + 1];
	struct option_parsing parsing = {rows, argp->parser, input};
	struct argp whole = *argp;
	make_argp_options(rows, options);
	whole.options = options;
	whole.parser = parse_row;
	look_at_options(&whole, argc, argv, flags);
	argp_parse(&whole, argc, argv, flags, NULL, &parsing);
}
