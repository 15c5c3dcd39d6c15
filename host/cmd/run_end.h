/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_END_H
#define RIVULET_CMD_RUN_END_H
/*
 * rivulet run: how the run ended, in words, as an exit status, and as files say it.
 *
 * The exit status is the program's own, and those of the command keep off it as far as 8 bits allow: near those of
 * timeout(1) and env(1), but not timeout's 124, so that both can be told apart. Whatever is not 0 comes with a line on
 * standard error, so that a program's 123 is not taken for a limit.
 */
#include "host/cmd/cmd.h"
#include "model/run.h"

enum run_status {
	RUN_STATUS_LIMIT = 123,  /* --cycles, --instructions */
	RUN_STATUS_FAILED = 125, /* the command: options, files, a difference of --check-walk */
	RUN_STATUS_STUCK = 126   /* the program does not go on: loops in traps, waits for ever, asks a host */
};

/* The command. misused: exit status for a command line that is none. Returns the program's exit status; what is the
 * command's own is negative: -RUN_STATUS_FAILED, -130 after Ctrl-C. */
int run_command(int argc, char **argv, int misused);

/* Says it on standard error, unless it is a good end. Returns as run_command(). The limits are those that were
 * given. */
int run_end_status(const char *program, const struct model *model, const struct run_result *result,
    uint64_t cycle_limit, uint64_t instruction_limit);
/* "ended by tohost\n", or "" if it did not end by itself. */
const char *run_end_told(const struct run_result *result);
/* As record files and profiles say it (enum profile_ending). */
unsigned run_ending(const struct run_result *result);
#endif
