/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The list of subcommands. */
#include "host/cmd/cmd.h"

/* Made by make from the line COMMAND(...) in each of host/cmd/NAME.c, in the order of their ranks. */
#undef COMMAND
#define COMMAND(rank, name, text) int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND
const struct command commands[] = {
#define COMMAND(rank, name, text) {#name, text, cmd_##name},
#include "commands.def"
    {0},
};
