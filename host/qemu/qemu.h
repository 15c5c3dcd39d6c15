/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_H
#define RIVULET_QEMU_H
/*
 * Programs of RISC-V Linux, run by Debian's or any other qemu-user with a plugin of ours (plugin.c): every trace of every
 * thread, and of every child that it forks, counted. Exact in instructions; there are no cycles.
 */
#include <stdbool.h>
#include "host/image/image.h"
#include "host/profile/profile.h"

enum qemu_error {
	QEMU_OK = 0,
	QEMU_ENOMEM = -1,
	QEMU_ESTART = -2, /* qemu cannot be started, or takes no plugin; the detail says what to do */
	QEMU_EFILE = -3   /* a temporary file; what the plugin wrote is not whole */
};

struct qemu_run {
	int status;             /* of the program; ended by a signal: 128 + its number */
	int signal;             /* that ended it; 0: none */
	int told;               /* a signal that came for this process, and was told to the program; 0: none */
	uint64_t executed;      /* instructions of all threads and children */
	uint64_t outside;       /* of these, in code that is not the program's: libraries, what was made at run time */
	uint64_t unknown;       /* of these, in blocks that a fault or a signal cut short */
	unsigned long running;  /* children that were writing when the program had ended: without them */
	unsigned long children; /* that fork() made and that ended; what a child ran before exec() is lost */
};

/* argv[0] is the program; NULL ends it. Runs it to its end, and adds its traces to the profile (XLEN and HIST are set). The
 * image is the program's, and is not moved: traces are by its own addresses. SIGTERM and SIGHUP are passed
 * on to it; Ctrl-C it hears itself. */
int qemu_profile(
    const struct image *image, char **argv, struct profile *profile, struct qemu_run *run, char *detail, size_t size);
#endif
