/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PARSE_OPTIONS_H
#define RIVULET_CMD_PARSE_OPTIONS_H
/* The options of every command. */
#include <argp.h>

/* argp_parse(), which ends the command at what it does not accept. Of a long option that there is not, it says before
 * that which one is most likely meant. flags: 0 or ARGP_IN_ORDER. */
void parse_options(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Which of the words a misspelled one most likely means. Try each, beginning with a guess of zeros and the word. */
struct guess {
	const char *word;
	const char *best; /* NULL: none is near enough */
	size_t letters;   /* that differ */
};
void guess_try(struct guess *guess, const char *candidate);
#endif
