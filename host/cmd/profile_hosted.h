/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PROFILE_HOSTED_H
#define RIVULET_CMD_PROFILE_HOSTED_H
/* rivulet profile of programs of Linux, by qemu and the plugin of host/qemu. */
#include "host/cmd/cmd.h"
#include "host/image/image.h"

struct hosted_run {
	const char *program;
	char **words;        /* of its command line; NULL ends them */
	const char *profile; /* file that takes the counts; NULL: none */
	const char *core;    /* by whose rules cycles are estimated; NULL: none */
	const char *records; /* file that takes the traces in order; NULL: none */
	bool edges;          /* edges alone; not with records */
};
/* Runs the program, writes the files, and says what is missing in them. The image is moved to where it ran. The status
 * of the program, or -RUN_STATUS_FAILED. */
int run_hosted(const struct hosted_run *run, struct image *image);
#endif
