/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PROFILE_HOSTED_H
#define RIVULET_CMD_PROFILE_HOSTED_H
/* rivulet profile of programs of Linux, by qemu and the plugin of host/qemu. */
#include "host/cmd/cmd.h"
#include "host/image/image.h"
#include "host/qemu/system.h"

struct hosted_run {
	const char *program;
	char **words;                     /* of its command line; NULL ends them */
	const char *profile;              /* file that takes the counts */
	const char *core;                 /* by whose rules cycles are estimated; NULL: none */
	const char *records;              /* file that takes the traces in order; NULL: none */
	bool edges;                       /* edges alone; not with records */
	const struct qemu_system *system; /* a whole system (host/qemu/system.h); NULL: a program of Linux */
	struct qemu_ranges *ranges;       /* of that: where it ran */
};
/* A program of RISC-V that a process became by exec(). */
#define HOSTED_PATH_MAX 4096
struct hosted_other {
	char program[HOSTED_PATH_MAX], profile[HOSTED_PATH_MAX]; /* files: its own, and what takes its counts */
	char kept[HOSTED_PATH_MAX];                              /* what takes its traces in order; "": none */
	struct output *records;                                  /* while it runs */
};
struct hosted_others {
	struct hosted_other *all;
	size_t count, room;
	bool records_failed; /* a file of records could not be written, which was told; the counts are whole */
};
/* Runs the program, writes the files, and says what is missing in them. The image is moved to where it ran.
 * Programs that processes became have files beside them: FILE.NAME, or FILE.NAME.2 where that is taken. The status of
 * the program, or -RUN_STATUS_FAILED. */
int run_hosted(const struct hosted_run *run, struct image *image, struct hosted_others *others);
void free_others(struct hosted_others *others);
#endif
