/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PARSE_OPTIONS_H
#define RIVULET_CMD_PARSE_OPTIONS_H
/*
 * The options of a command: a row for each has its names, what --help says of it, and where its value goes.
 *
 *   #define OPTIONS_OF struct arguments
 *   static const struct option_row rows[] = {
 *       {"top", 'n', "N", "Show the N hottest", OPTION_NUMBER(top, 0, UINT32_MAX, "a number of rows")},
 *       {"wide", 0, NULL, "Lines of any length", OPTION_FLAG(wide)},
 *       {"line", KEY_LINE, "[FILE:]A", "Source lines", OPTION_OWN},
 *       OPTION_CHILD(format), OPTION_OPERAND(file, "one file is expected", "a file is expected"), {0}};
 *
 * The command's own parser gets the key of an option that no kind fits (OPTION_OWN), arguments that are no options, and
 * argp's other keys; it may be NULL. A value that is not as the row says ends the command: "--top x: a number of rows
 * is expected".
 */
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_IS_OWN,     /* the command's parser takes it */
	OPTION_IS_FLAG,    /* bool */
	OPTION_IS_TEXT,    /* const char * */
	OPTION_IS_NUMBER,  /* uint64_t or uint32_t, from least to most */
	OPTION_IS_AMOUNT,  /* the same, with k, M or G behind it: times unit */
	OPTION_IS_PERCENT, /* double */
	OPTION_IS_WORD,    /* an enum: which of the words of `wanted' */
	OPTION_IS_SET,     /* an enum: it becomes `least' */
	OPTION_IS_CHILD,   /* no option: the input of argp's next child */
	OPTION_IS_OPERAND, /* no option: const char *, the next argument that is none */
};

struct option_row {
	const char *name;  /* --name; NULL: `text' is a heading of --help */
	int key;           /* a letter: -letter too; larger: for the command's parser; 0: neither */
	const char *value; /* what --help calls the value; NULL: it takes none */
	const char *text;
	enum option_kind kind;
	int flags, group;   /* of struct argp_option */
	size_t at, size;    /* in the command's arguments */
	size_t also, named; /* behind a bool that becomes true, behind a text that becomes the option's name; 0: none */
	uint64_t unit, least, most;
	const char *wanted; /* "a, b or c"; NULL: says the numbers that may be */
	const int *values;  /* of the words of `wanted'; NULL: 0, 1, ... */
	const char *needed; /* "a file is expected", if an operand is not there; NULL: it need not be */
};

/* The place of a member, of which a pointer has to be of one of two types. */
#define OPTION_AT(member, type, other)                                                                                 \
	.at = offsetof(OPTIONS_OF, member) + 0 * _Generic(&((OPTIONS_OF *)0)->member, type : 1, other : 1),            \
	.size = sizeof((OPTIONS_OF *)0)->member
#define OPTION_OWN .kind = OPTION_IS_OWN
#define OPTION_FLAG(member) .kind = OPTION_IS_FLAG, OPTION_AT(member, bool *, void *)
#define OPTION_TEXT(member) .kind = OPTION_IS_TEXT, OPTION_AT(member, const char **, char **)
#define OPTION_NUMBER(member, from, to, what)                                                                          \
	.kind = OPTION_IS_NUMBER, OPTION_AT(member, uint64_t *, uint32_t *), .least = (from), .most = (to),            \
	.wanted = what
#define OPTION_AMOUNT(member, times, from, to, what)                                                                   \
	.kind = OPTION_IS_AMOUNT, OPTION_AT(member, uint64_t *, uint32_t *), .unit = (times), .least = (from),         \
	.most = (to), .wanted = what
#define OPTION_PERCENT(member) .kind = OPTION_IS_PERCENT, OPTION_AT(member, double *, void *), .wanted = "a percentage"
#define OPTION_AT_ENUM(member)                                                                                         \
	.at = offsetof(OPTIONS_OF, member),                                                                            \
	.size = sizeof(char[sizeof((OPTIONS_OF *)0)->member == sizeof(int) ? (int)sizeof(int) : -1])
#define OPTION_WORD(member, words) .kind = OPTION_IS_WORD, OPTION_AT_ENUM(member), .wanted = words
#define OPTION_WORD_OF(member, words, ...)                                                                             \
	OPTION_WORD(member, words), .values = (const int[])                                                            \
	{                                                                                                              \
		__VA_ARGS__                                                                                            \
	}
#define OPTION_SET(member, number) .kind = OPTION_IS_SET, OPTION_AT_ENUM(member), .least = (number)
#define OPTION_CHILD(member)                                                                                           \
	{                                                                                                              \
		.kind = OPTION_IS_CHILD, .at = offsetof(OPTIONS_OF, member)                                            \
	}
/* many: what is said of one more than there are operands. */
#define OPTION_OPERAND(member, many, none)                                                                             \
	{                                                                                                              \
		.kind = OPTION_IS_OPERAND, OPTION_AT(member, const char **, char **), .wanted = many, .needed = none   \
	}
/* Behind an option. */
#define OPTION_BEHIND(member, type)                                                                                    \
	offsetof(OPTIONS_OF, member) + _Generic(&((OPTIONS_OF *)0)->member, type * : sizeof(type))
#define OPTION_ALSO(member) .also = OPTION_BEHIND(member, bool)
#define OPTION_NAMED(member) .named = OPTION_BEHIND(member, const char *)

#define OPTION_ROWS 64 /* of a command, at most */

/* argp_parse(), which ends the command at what it does not accept. Of a long option that there is not, it says before
 * that which one is most likely meant. rows: to a row of zeros; argp has no options of its own. flags: 0 or
 * ARGP_IN_ORDER. */
void parse_options(
    const struct argp *argp, const struct option_row *rows, int argc, char **argv, unsigned flags, void *input);
/* Ends the command with "--NAME VALUE: WANTED is expected", for a parser of the command. */
void option_expected(const struct argp_state *state, const char *name, const char *value, const char *wanted);

/* Which of the words a misspelled one most likely means. Try each, beginning with a guess of zeros and the word. */
struct guess {
	const char *word;
	const char *best; /* NULL: none is near enough */
	size_t letters;   /* that differ */
};
void guess_try(struct guess *guess, const char *candidate);
#endif
