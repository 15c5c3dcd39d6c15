/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PROFILE_SYSTEM_H
#define RIVULET_CMD_PROFILE_SYSTEM_H
/* rivulet profile --system: what qemu's system emulator runs. */
#include "host/cmd/profile_options.h"
#include "host/qemu/ranges.h"
#include "host/qemu/system.h"

/* With --system the words behind -- become a->rest. Returns how many words there are before. */
int take_emulator_words(struct profile_arguments *a, int argc, char **argv);
/* Which emulator, and the programs to look code up in; *image: the first of them, whose name is a->program then.
 * STATUS_OK or STATUS_FAILED (told). */
int prepare_system(struct profile_arguments *a, struct qemu_system *system, struct image **image);
/* The table of modes and ranges. */
void show_ranges(const struct qemu_ranges *ranges, FILE *out);
#endif
