/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_FAST_H
#define RIVULET_CMD_RUN_FAST_H
/* rivulet run --fast, --semihosting and --gdb: the program on the engine of model/fast. */
#include "host/cmd/cmd.h"
#include "model/fast/fast.h"

struct run_fast;
struct run_fast_options {
	const char *program;
	const char *command; /* what the program is told by GET_CMDLINE */
	bool paths;
	fast_order *order; /* see struct fast_options */
	void *order_context;
	bool order_only;         /* run_fast_profile() is not called */
	const char *semihosting; /* directory, or NULL */
	bool console;            /* without a directory: semihosting calls for the console are served */
	bool gdb;
	uint16_t port; /* of gdb; 0: any */
	bool quiet;
};
/* NULL: it has complained. */
struct run_fast *run_fast_open(const struct run_fast_options *options, struct model *model);
/* In the place of model_run(). STATUS_OK, or that of what went wrong, told on standard error. */
int run_fast_go(struct run_fast *run, const struct run_hooks *hooks, uint64_t cycles, uint64_t instructions,
    struct run_result *result);
/* Moves the traces that the engine counted to profile, and what it knows about the traced part. Returns enum
 * profile_error. */
int run_fast_profile(struct run_fast *run, struct profile *profile, struct fast_traced *traced);
/* CTRL of the record that hook `record` gets. */
uint32_t run_fast_ctrl(const struct run_fast *run);
/* The traced part of the run. */
const struct fast_traced *run_fast_traced(const struct run_fast *run);
/* Remarks on standard error that a reader of the result has to know. */
void run_fast_remarks(const struct run_fast *run, const struct run_result *result);
void run_fast_close(struct run_fast *run); /* NULL: nothing */
#endif
