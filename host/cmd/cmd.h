/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_H
#define RIVULET_CMD_H
/* The `rivulet` command: one subcommand, one file. What they share is here; what they do is done by the libraries below
 * them. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "host/base/output.h"
#include "host/image/image.h"
#include "host/profile/stream.h"
#include "host/records/harts.h"
#include "host/table/numbers.h"

/* Exit status (docs/rivulet.md). `run` passes on the program's own. */
enum {
	STATUS_OK = 0,    /* done, and all that was asked for holds */
	STATUS_NO = 1,    /* done, but: input incomplete or damaged, a difference, a requirement not met */
	STATUS_FAILED = 2 /* not done: wrong arguments, or a file that cannot be used */
};

struct command {
	const char *name, *text; /* text: one line for `rivulet help` */
	int (*run)(int argc, char **argv);
};
extern const struct command commands[]; /* ends with a NULL name */

/* A subcommand's file has one such line: its place in the list of `rivulet help`, its name, and what the list says of
 * it. make finds the line, so nothing else has to be told of a new subcommand (CONTRIBUTING.md). */
#define COMMAND(rank, name, text) int cmd_##name(int argc, char **argv)

/* COMPLAINT and the text on standard error, a line end added. */
#define COMPLAINT "rivulet: "
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For argp's help_filter of a command with a table of words: behind the options come "TITLE:" and a line for each word,
 * then the rest of the help. row: gives name and text number i, or returns false behind the last one. Returns text, or
 * memory that argp frees. */
char *help_with_table(
    int key, const char *text, const char *title, bool (*row)(size_t i, const char **name, const char **line));

/* Output files (host/base/output.h), with what is wrong told. inputs: files of this command that must not be
 * written. */
struct output *begin_output(const char *path, enum output_way way, const char *const *inputs, size_t count);
/* Puts the file in its place if status is not STATUS_FAILED, else removes what was written. Returns status, or
 * STATUS_FAILED if it cannot be written. NULL is allowed. */
int finish_output(struct output *output, int status);
/* The same for a run that collected nothing: it is no reason to lose what an earlier run left at path. Returns
 * STATUS_OK, or STATUS_FAILED (told) if the earlier file stays. */
int finish_empty(struct output *output, const char *path);

/* From here on every message says shown where it would say path, a file that the user did not name; then what messages
 * and progress say of a path. */
void name_path(const char *path, const char *shown);
const char *shown_path(const char *path);

/* SIGINT, SIGTERM and SIGHUP end the work early, and what there is gets written; the second one ends the command. */
extern volatile sig_atomic_t stop_signal; /* 0: none has come */
void catch_stop_signals(void);
/* As shells say it: 128 and the signal. */
int stop_status(void);

/* A profile with how it was read. */
struct loaded {
	struct profile profile;
	struct profile_reader *reader;
	unsigned hart_count; /* of several harts: what each has; 0: of one */
	struct profile_hart harts[PROFILE_HARTS_MAX];
	bool whole; /* nothing is damaged or missing */
};
/* Reads path ("-": standard input). Damage is told on standard error (at most 8 lines). Returns STATUS_OK, STATUS_NO
 * (what there is can be used), or STATUS_FAILED (nothing can: it cannot be read, or there is no frame). To be freed in
 * any case. */
int load_profile(struct loaded *loaded, const char *path);
void free_profile(struct loaded *loaded);
/* Says that the run of a file was cut short, if it was (enum profile_ending). */
void tell_ending(const char *path, uint64_t ending);
/* The reader's damage, one line each, at most max. */
void print_damage(const struct loaded *loaded, FILE *out, const char *prefix, uint64_t max);

/* A whole file, "-": standard input, to be freed; NULL: it cannot be read, or has more bytes than most (errno). */
uint8_t *read_whole_file(const char *path, uint64_t most, size_t *size);
/* The text of a small file that a user wrote; what: "regions file", for messages. To be freed; NULL: told, with `hint`
 * behind it if it cannot be opened. */
char *read_text_file(const char *path, const char *what, const char *hint);

/* Of two, the one that says more. */
static inline int worse_status(int a, int b)
{
	return a > b ? a : b;
}

/* Whole-string numbers, 0x allowed. Returns false if text is no number or larger than max. */
bool parse_number(const char *text, uint64_t max, uint64_t *value);
/* The same with k, M or G behind it: times unit, its square, its cube. unit: 1000 for counts, 1024 for bytes. */
bool parse_amount(const char *text, uint64_t unit, uint64_t max, uint64_t *value);
bool parse_percent(const char *text, double *value);
#endif
