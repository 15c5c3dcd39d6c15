/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_H
#define RIVULET_QEMU_H
/*
 * Programs of RISC-V Linux, run by Debian's or any other qemu-user with a plugin of ours (plugin.c): every trace of
 * every thread, and of every child that it forks, counted, in the program and in the libraries that it loads. Exact in
 * instructions; there are no cycles but those that the rules of a core give (estimate.h).
 *
 *   program ──► qemu + plugin ──► memory shared with this process (capture.h) ──► profile
 *                                                                └─ if wanted ──► records in order, a thread behind the
 *                                                                other
 *
 * The memory is there however the program ends: by exit(), a signal, kill -9, exec().
 */
#include <stdbool.h>
#include "host/cycles/core.h"
#include "host/image/image.h"
#include "host/profile/profile.h"
#include "host/records/records.h"

enum qemu_error {
	QEMU_OK = 0,
	QEMU_ENOMEM = -1,
	QEMU_ESTART = -2, /* qemu cannot be started, or takes no plugin; the detail says what to do */
	QEMU_EFILE = -3 /* a temporary file; the records cannot be written; what the plugin wrote contradicts itself */
};

struct qemu_run {
	int status;             /* of the program; ended by a signal: 128 + its number */
	int signal;             /* that ended it; 0: none */
	int told;               /* a signal that came for this process, and was told to the program; 0: none */
	uint64_t executed;      /* instructions of all threads and children */
	uint64_t made;          /* of these, in code that was made at run time */
	uint64_t outside;       /* of these, in files that cannot be read, or are no programs of this machine */
	uint64_t unknown;       /* of these, in blocks that a fault or a signal cut short */
	unsigned long children; /* that fork() made */
	unsigned long running;  /* of these, were not at their end when the program was: as far as they had come */
	unsigned long replaced; /* processes that went on as another program, by exec(), which was not followed */
	unsigned long threads;  /* at least: those that ran at the same time */
	unsigned long libraries;
	char unread[RECORDS_PATH_MAX]; /* the first of the files that could not be used; "": none */
};

struct qemu_options {
	bool ordered;       /* records are wanted */
	bool edges;         /* edges alone: traces of one outcome, which is quicker; not with ordered */
	records_emit *emit; /* takes them, when the program has ended */
	void *context;
	const struct core *core; /* cycles are estimated by its rules; NULL: there are none */
	const char *rules;       /* its name, as core_open() takes it */
	const char *folder;      /* for temporary files */
};

/* argv[0] is the program; NULL ends it. Runs it to its end, and adds its traces to the profile (header and end are
 * set). The image is the program's; it is moved to where it ran, and the libraries that ran are added to it
 * (profile->places): traces are by these addresses. image_debug() comes behind it. SIGTERM and SIGHUP are passed on to
 * the program; Ctrl-C it hears itself. */
int qemu_profile(struct image *image, char **argv, const struct qemu_options *options, struct profile *profile,
    struct qemu_run *run, char *detail, size_t size);
#endif
