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
#include "host/qemu/ranges.h"
#include "host/records/records.h"

enum qemu_error {
	QEMU_OK = 0,
	QEMU_ENOMEM = -1,
	QEMU_ESTART = -2,   /* qemu cannot be started, or takes no plugin; the detail says what to do */
	QEMU_EFILE = -3,    /* a file in memory, or a program of a system, cannot be used; the detail says why */
	QEMU_ERECORDS = -4, /* within the library: records cannot be written, errno says why. The run goes on without */
	QEMU_EBROKEN = -5   /* what the plugin wrote contradicts itself */
};

struct qemu_run {
	int status;             /* of the program; ended by a signal: 128 + its number */
	int signal;             /* that ended it; 0: none */
	int told;               /* a signal that came for this process, and was told to the program; 0: none */
	bool cut;               /* of another program: what ended the command's program ended it, by a signal */
	uint64_t executed;      /* instructions of all threads and children */
	uint64_t made;          /* of these, in code that was made at run time */
	uint64_t outside;       /* of these, in files that cannot be read, or are no programs of this machine */
	uint64_t unknown;       /* of these, in blocks that a fault or a signal cut short */
	uint32_t unclear;       /* blocks about a signal that cannot be told: their instructions are in no number */
	uint32_t uncounted;     /* threads and children that found no memory to count in: they are in no number */
	unsigned long children; /* that fork() made */
	unsigned long running;  /* of these, were not at their end when the program was: as far as they had come */
	unsigned long replaced; /* processes that went on as another program, by exec(), which was none of RISC-V */
	unsigned long followed; /* ... which was one, with a profile of its own unless it is the same file */
	unsigned long threads;  /* at least: those that ran at the same time */
	unsigned long libraries;
	bool modes_unknown;            /* of a system whose log is the user's */
	char unread[RECORDS_PATH_MAX]; /* the first of the files that could not be used; "": none */
	char records_lost[128];        /* why there are no records, though they were wanted; "": there are */
};

/* A program that ran: the command's, or one that a process became by exec(). */
struct qemu_program {
	char path[512];
	struct image *image; /* moved to where it ran, with the libraries that ran; NULL: the file cannot be read */
	struct profile profile;
	struct qemu_run run;       /* of the command's program: status and signal; of others how much ran */
	void *context;             /* for emit; set by begin */
	struct qemu_program *next; /* another one */
};

struct qemu_options {
	bool ordered;       /* records are wanted */
	bool edges;         /* edges alone: traces of one outcome, which takes less memory; not with ordered */
	records_emit *emit; /* takes them, with the program's context, when it has ended; those of the command's program
			       while it runs too (written.h) */
	/* What was emitted for this context is forgotten: the file begins anew. False: it cannot. NULL: no file can, so
	 * nothing is emitted before the program has ended. */
	bool (*restart)(void *context);
	bool (*flush)(void *context); /* what was emitted can be read now; NULL where restart is */
	/* A further program was seen, its image is open and its profile empty: sets what identifies both. */
	void (*begin)(void *context, struct qemu_program *program);
	void *context;           /* for begin */
	const struct core *core; /* cycles are estimated by its rules; NULL: there are none */
	const char *rules;       /* its name, as core_open() takes it */
	const char *folder;      /* for temporary files */
};

/* argv[0] is the program; NULL ends it. Runs it to its end, and adds its traces to its profile (header and end are
 * set). The image is the program's; it is moved to where it ran, and the libraries that ran are added to it
 * (profile->places): traces are by these addresses. image_debug() comes behind it. SIGTERM and SIGHUP are passed on
 * to the program; Ctrl-C it hears itself. program->next: the programs of RISC-V that processes became, each with all
 * that it ran, whichever processes that were. */
int qemu_profile(
    struct qemu_program *program, char **argv, const struct qemu_options *options, char *detail, size_t size);
/* The same of a whole system (system.h), whose first program is `program'. SIGINT, SIGTERM and SIGHUP are qemu's. */
struct qemu_system;
int qemu_profile_system(struct qemu_program *program, const struct qemu_system *system, struct qemu_ranges *ranges,
    const struct qemu_options *options, char *detail, size_t size);
/* The others, with their images. */
void qemu_programs_free(struct qemu_program *programs);
#endif
