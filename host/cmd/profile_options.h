/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_OPTIONS_H
#define RIVULET_PROFILE_OPTIONS_H
/* What rivulet profile is told: words for run and for report, which it does one after the other. */
#include <argp.h>
#include "host/cmd/cmd.h"
#include "host/cmd/parse_options.h"

#define PROFILE_RULES_NAME 100
struct profile_words {
	char **all; /* NULL behind the last one; the array alone is the list's own */
	int count;
	size_t room;
	bool failed; /* no memory for all of them */
};

struct profile_arguments {
	struct profile_words run, report; /* their options; argv[0] is the command's name */
	struct profile_words rest;        /* the program's arguments */
	char *program, *output;
	struct profile_words programs; /* of a whole system: files to look code up in */
	struct profile_words emulator; /* its command line */
	const char *board;             /* the machine of qemu that is asked for; "": the words behind -- are qemu's */
	bool system;
	char *records;     /* file for all traces in order */
	char *core;        /* by whose rules the cycles of a program of Linux are estimated */
	const char *way;   /* to collect, as given; NULL: all records in order */
	bool quiet, guest; /* guest: with semihosting */
	bool machine;      /* an option of the machine that the golden model is */
	bool edges;        /* --collect edges: of a program of Linux */
	const char *how;   /* NULL: by what the program is */
};

extern const struct option_row profile_options[];
error_t profile_parse_option(int key, char *value, struct argp_state *state);
/* One for which there is no memory is told when all are known. */
void profile_add_word(struct profile_words *words, const char *word);
void profile_add_option(struct profile_words *words, const char *option, const char *value);
void profile_free_words(struct profile_arguments *arguments);
#endif
