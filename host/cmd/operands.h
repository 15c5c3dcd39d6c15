/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_OPERANDS_H
#define RIVULET_CMD_OPERANDS_H
/* What most subcommands take: PROGRAM.elf FILE [--partial] [--force]. An argp of its own, which they have as a child:
 *
 *   static const struct argp_child children[] = {OPERANDS_CHILD, {0}};
 *   ... the last of its rows: OPTION_CHILD(operands)
 */
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#define OPERANDS_LIBRARIES 64
struct operands {
	const char *program, *file;
	bool partial, force;                       /* accept what is not whole, what is of another build */
	bool alone;                                /* the program may stand alone: set while the options are parsed */
	const char *libraries[OPERANDS_LIBRARIES]; /* shared libraries of the program, for counters */
	size_t library_count;
	bool many;          /* more files may follow; set before parsing. The caller frees `files' */
	const char **files; /* behind the first */
	size_t file_count, file_room;
	const char *wanted; /* what is expected, for messages: "a program (ELF) and a profile"; set before parsing */
};
extern const struct argp operands_argp;
#define OPERANDS_CHILD                                                                                                 \
	{                                                                                                              \
		&operands_argp, 0, NULL, 0                                                                             \
	}
#endif
