/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_fast.h"

#include <stdlib.h>
#include <string.h>

#include "host/gdb/gdb.h"
#include "host/semihost/semihost.h"

struct run_fast {
	struct run_fast_options options;
	struct model *model;
	struct fast *fast;
	struct semihost semihost;
	bool semihosting;
};

struct run_fast *run_fast_open(const struct run_fast_options *options, struct model *model)
{
	struct run_fast *run = calloc(1, sizeof *run);
	if (run == NULL) {
		complain("out of memory");
		return NULL;
	}
	run->options = *options;
	run->model = model;
	struct fast_options fast_options = {.paths = options->paths,
	    .order = options->order,
	    .order_context = options->order_context,
	    .order_only = options->order_only};
	if (options->semihosting != NULL || options->console) {
		int error = semihost_open(&run->semihost, options->semihosting,
		    options->command != NULL ? options->command : options->program);
		if (error != 0) {
			complain("%s: not a directory that can be used for --semihosting: %s", options->semihosting,
			    strerror(-error));
			free(run);
			return NULL;
		}
		run->semihosting = true;
		fast_options.semihost = semihost_call;
		fast_options.semihost_context = &run->semihost;
	}
	if (fast_open(&run->fast, model, &fast_options) != MODEL_OK) {
		complain("out of memory");
		run_fast_close(run);
		return NULL;
	}
	return run;
}

/* Serves one debugger; then the program goes on if it was let go. */
static int debug_fast_run(struct run_fast *run, const struct run_hooks *hooks, struct run_result *result)
{
	uint16_t port = run->options.port;
	int listening = gdb_listen(&port);
	if (listening < 0) {
		complain("port %u of localhost cannot be used for --gdb: %s", (unsigned)port, strerror(-listening));
		return STATUS_FAILED;
	}
	fprintf(stderr, "rivulet: waiting for gdb: gdb-multiarch %s -ex 'target remote localhost:%u'\n",
	    run->options.program, (unsigned)port);
	fflush(stderr);
	int end = gdb_serve(listening, run->fast, run->model, hooks, result);
	switch (end) {
	case GDB_EXITED:
	case GDB_STOPPED:
		return STATUS_OK;
	case GDB_KILLED:
		complain("%s: killed by the debugger", run->options.program);
		return STATUS_FAILED;
	case GDB_DETACHED: {
		struct run_result rest;
		fast_run(run->fast, hooks, 0, 0, &rest);
		rest.cycles += result->cycles;
		rest.instructions += result->instructions;
		*result = rest;
		return STATUS_OK;
	}
	case GDB_LOST:
		complain("%s: the debugger is gone", run->options.program);
		return STATUS_FAILED;
	default:
		complain("no connection of a debugger: %s", strerror(-end));
		return STATUS_FAILED;
	}
}

int run_fast_go(struct run_fast *run, const struct run_hooks *hooks, uint64_t cycles, uint64_t instructions,
    struct run_result *result)
{
	*result = (struct run_result){.end = RUN_END_STOPPED};
	run->semihost.console = hooks->console;
	run->semihost.context = hooks->context;
	int status = STATUS_OK;
	if (run->options.gdb)
		status = debug_fast_run(run, hooks, result);
	else
		fast_run(run->fast, hooks, cycles, instructions, result);
	fast_finish(run->fast, hooks, result);
	if (run->options.order_only && fast_paths_failed(run->fast)) {
		complain("%s: out of memory: records are missing", run->options.program);
		status = STATUS_FAILED;
	}
	return status;
}

static int add_fast_path(void *context, const struct record *path)
{
	return profile_add(context, path);
}

int run_fast_profile(struct run_fast *run, struct profile *profile, struct fast_traced *traced)
{
	*traced = *fast_traced(run->fast);
	int error = fast_paths(run->fast, add_fast_path, profile);
	return fast_paths_failed(run->fast) ? PROFILE_ENOMEM : error;
}

uint32_t run_fast_ctrl(const struct run_fast *run)
{
	return fast_ctrl(run->fast);
}

const struct fast_traced *run_fast_traced(const struct run_fast *run)
{
	return fast_traced(run->fast);
}

void run_fast_remarks(const struct run_fast *run, const struct run_result *result)
{
	struct fast_statistics statistics;
	fast_statistics(run->fast, &statistics);
	if (!run->options.paths && fast_traced(run->fast)->any)
		complain("%s switched the trace unit on, but --fast without --profile or --records traces nothing: "
			 "there are no samples, no interrupts of the unit and nothing in its table "
			 "(--set way=off says so to the program)",
		    run->options.program);
	if (run->options.paths && result->cycles > 10000000 && statistics.model_cycles > result->cycles / 2)
		complain("%s: %.0f%% of the cycles had to be run cycle by cycle; tracing is slow with "
			 "way=every, periods of "
			 "few traces, REPEAT and ranges",
		    run->options.program, 100.0 * (double)statistics.model_cycles / (double)result->cycles);
	if (run->semihosting && run->semihost.refused > 0)
		complain("%s: %s semihosting calls were refused: files not below %s, or calls that do not exist here",
		    run->options.program, with_commas(run->semihost.refused),
		    run->options.semihosting != NULL ? run->options.semihosting : "a directory (--semihosting DIR)");
}

void run_fast_close(struct run_fast *run)
{
	if (run == NULL)
		return;
	fast_close(run->fast);
	if (run->semihosting)
		semihost_close(&run->semihost);
	free(run);
}
