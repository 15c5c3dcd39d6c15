/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_OUTPUT_H
#define RIVULET_BASE_OUTPUT_H
/*
 * A file that is written as a whole or not at all. It is written beside its place and renamed when it is complete, so
 * that whatever goes wrong, the file that was there before stays as it was.
 *
 *   output_open() ──► NAME.rivulet-part, locked ──► output_commit() ──► renamed to NAME
 *                                               └─► output_abandon() ──► removed
 *
 * Who writes is alone: a second one, on the same NAME, is refused while the first is at it. An input of the same
 * command is never its output, under whatever name (device and inode are compared). A process that is killed leaves the
 * part behind; the next writer of NAME begins it anew.
 *
 * What is no regular file (a device, a pipe, a terminal) is written directly, without lock: it cannot be replaced. "-"
 * is standard output.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum output_error {
	OUTPUT_OK = 0,
	OUTPUT_ENOMEM = -1,
	OUTPUT_EOPEN = -2,   /* cannot be written: no such directory, no permission, a directory */
	OUTPUT_EINPUT = -3,  /* is an input of this command too */
	OUTPUT_ELOCKED = -4, /* another process is writing it */
	OUTPUT_EEXIST = -5,  /* is there already, and OUTPUT_NEW was asked for */
	OUTPUT_EWRITE = -6   /* writing failed: disk full, device gone; nothing has changed at NAME */
};

enum output_way {
	OUTPUT_REPLACE, /* beside, then renamed */
	OUTPUT_NEW,     /* at its place, which must be free; what was written stays there, whatever comes */
	OUTPUT_APPEND   /* at its place, behind what is there; likewise */
};

/* What a file has behind its name until it is whole. */
#define OUTPUT_PART ".rivulet-part"

struct output;
struct output_inputs { /* of the command; NULL and "-" among them are passed over */
	const char *const *names;
	size_t count;
};
/* On an error *output is NULL and detail (size bytes) takes the sentence for the user: the file's name and what is
 * wrong. */
int output_open(struct output **output, const char *path, enum output_way way, const struct output_inputs *inputs,
    char *detail, size_t size);
/* The stream to write to, and its descriptor. Belongs to the output. */
FILE *output_file(struct output *output);
int output_descriptor(struct output *output);
/* Where the bytes go until output_commit(): for writers that open a file by its name. */
const char *output_beside(const struct output *output);
/* Whether it is written beside its place, where nobody else writes: then what was written can be forgotten. */
bool output_is_beside(const struct output *output);
/* Whether output_commit() would put it in the place of a file that holds something. */
bool output_replaces(const struct output *output);
/* Writes out what is buffered, makes sure that it has been taken, and puts the file in its place. Frees output, also on
 * an error (OUTPUT_EWRITE), when what was written beside is removed. NULL is allowed: OUTPUT_OK. */
int output_commit(struct output *output, char *detail, size_t size);
/* Removes what was written beside, and frees output. NULL is allowed. */
void output_abandon(struct output *output);
#endif
