/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PROFILED_H
#define RIVULET_CMD_PROFILED_H
/* A program with a profile of it, opened and checked: the beginning of report, annotate and diff. */
#include "host/account/account.h"
#include "host/base/json.h"
#include "host/cmd/cmd.h"
#include "host/cmd/function_name.h"
#include "host/cmd/operands.h"
#include "host/export/gather.h"
#include "host/insert/counted.h"

struct profiled {
	const char *program, *file;
	bool partial, force;              /* options: accept what is not whole, what is of another build */
	bool contexts;                    /* option: what `insert --cycles' counted is opened, and left as it is */
	bool extremes;                    /* option: the least and the most cycles of a call */
	gather_watcher *watcher;          /* option, not with extremes: sees GATHER_CONTEXTS of records in order, */
	void *watcher_context;            /* and what was gathered of them is kept */
	const char *core;                 /* option: rules of the core that ran; NULL: this project's */
	const struct operands *libraries; /* those of the program; NULL: none */
	struct image *image;
	struct loaded loaded;
	struct walk *walk;
	struct account *account;
	struct counted *counted; /* a profile of inserted counters; loaded has it as stretches. NULL: another */
	struct gather *gather;   /* kept: records in order; NULL: none were */
	const struct gather_result *gathered;
	uint64_t missing; /* records, of those gathered */
	bool debug;       /* there are source lines */
};

/* The first four members from what was given. */
void take_operands(struct profiled *profiled, const struct operands *operands);
/* The program of counters has shared libraries: they are put behind it, their twins if these are preferred. True: all
 * is well; what is wrong is told. */
bool add_libraries(struct image *image, const struct operands *operands, bool twins);
/* Opens image and profile (the first four members are set), and makes the account. Everything that is wrong is
 * reported. Returns STATUS_OK, STATUS_NO (usable, but not whole) or STATUS_FAILED. To be closed in any case. */
int open_profiled(struct profiled *profiled);
/* The account; not for a profile without traces. Of records in order (and weights by cost) cycles, calls and inclusive
 * numbers are exact: those of every export. STATUS_NO: there is something that the image does not fit. */
int account_profiled(struct profiled *profiled, enum account_weights weights);
void close_profiled(struct profiled *profiled);
/* Tells where lines were shown, or read for what they say, that the compiler may not have seen. */
void tell_newer_source(const struct image *image, const char *program);

/* Per cent of all traces (or samples) that found no place in the program's table. */
double dropped_share(const struct profile *profile);
/* STATUS_NO if the table was full and what was dropped is missing in every share, which is told; partial accepts it. */
int check_dropped(const char *file, const struct profile *profile, bool partial);

/* Ends a JSON document; end_output() fails if it is not whole. */
void finish_json(struct json *json);
/* Ends the work on standard output. If it cannot be written, reports that and returns STATUS_FAILED; else status. */
int end_output(int status);
#endif
