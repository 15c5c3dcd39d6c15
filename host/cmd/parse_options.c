/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/parse_options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

void parse_options(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	look_at_options(argp, argc, argv, flags);
	argp_parse(argp, argc, argv, flags, NULL, input);
}
