/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FAST_H
#define RIVULET_FAST_H
/*
 * The fast engine: a loaded model run many times faster, with the same result. Blocks of instructions are translated
 * once, with the cycles that docs/core.md gives them, and then interpreted; whatever is more than arithmetic, memory
 * and transfers of control (traps, interrupts, CSRs, devices) is left to the golden model itself, which is handed the
 * state of its pipeline and gives it back a few cycles later. So registers, memory, traps, console, cycles and
 * instructions are those of model_run(), interrupts of the timer to the cycle.
 *
 *   model_run():  cycle cycle cycle cycle cycle cycle ...
 *   fast_run():   block block block | cycles of the model | block block ...
 *                                   a CSR, a device, an interrupt that is near
 *
 * Without paths the trace unit sees nothing: its registers can be read and written, but no trace is made, and so no
 * sample, and no interrupt of it. With paths every trace is formed and counted as the unit forms it; where the unit's
 * mode is not "all records leave by the record port" (CTRL.SAMPLE, REPEAT, LIFO, RING, IE or RANGE_EN set), traced code
 * runs on the golden model, exact, but at its speed.
 */
#include "model/model.h"
#include "model/run.h"

struct fast;

/* Records as they left by the record port, in order. */
struct fast_batch {
	struct record_chain chain; /* keys: more come as the run goes on, but none changes */
	bool others;               /* unless all are others than those of the batches before */
	uint32_t ctrl;             /* CTRL of the unit, for all of them */
};
typedef void fast_order(void *context, const struct fast_batch *batch);

struct fast_options {
	bool paths; /* form and count traces */
	fast_order
	    *order; /* with paths: takes the traces that the engine formed, in order with those of hook `record`, 2^24
		     * cycles late at most */
	void *order_context;
	bool order_only; /* fast_paths() is not called: with order, what it would need is not kept */
	bool model_only; /* never leave the golden model: what the engine is judged against */
	/* A semihosting call: operation and parameter; returns what a0 becomes. true in *exit ends the run with
	 * *code. */
	uint32_t (*semihost)(
	    void *context, struct model *model, uint32_t operation, uint32_t parameter, bool *exit, uint32_t *code);
	void *semihost_context;
};

/* The part of the run with tracing on, from the first retirement to the last. */
struct fast_traced {
	bool any;
	uint32_t ctrl; /* of the unit when it began */
	uint64_t first_cycle, last_cycle, instructions;
};

struct fast_statistics {
	uint64_t model_cycles;            /* cycles that the golden model ran */
	uint64_t blocks, flushes, visits; /* translated; times that all were thrown away; changes to the model */
};

/* The model is loaded and at a cycle in which nothing has been done to it from outside. It stays the caller's. Returns
 * 0 or MODEL_ENOMEM. */
int fast_open(struct fast **fast, struct model *model, const struct fast_options *options);
void fast_close(struct fast *fast);
/* As model_run(), and can be called again after a limit. The hook `retire` is not called; `record` is called for the
 * traces that the golden model formed, the others are in fast_paths(). `progress` is called every 2^24 cycles or more
 * often. Afterwards the model stands in a cycle in which all earlier instructions have retired. */
void fast_run(struct fast *fast, const struct run_hooks *hooks, uint64_t cycle_limit, uint64_t instruction_limit,
    struct run_result *result);
/* Ends a run that is not to go on: what has executed retires, and is in *result, the counts and the trace unit. */
void fast_finish(struct fast *fast, const struct run_hooks *hooks, struct run_result *result);
const struct fast_traced *fast_traced(const struct fast *fast);
void fast_statistics(const struct fast *fast, struct fast_statistics *statistics);

/* CTRL when an instruction last retired with ENABLE set: that of the records which hook `record` gets. */
uint32_t fast_ctrl(const struct fast *fast);

/* Calls visit for each trace that was taken (TRACE_BACKWARD or TRACE_INDIRECT), and forgets them. Stops where visit
 * does not return 0, and returns that. */
int fast_paths(struct fast *fast, int (*visit)(void *context, const struct record *path), void *context);
/* Whether traces were lost because memory ran out. */
bool fast_paths_failed(const struct fast *fast);

struct fast_watch { /* accesses of [address, address + size) */
	uint32_t address, size;
	bool reads, writes;
};
/* For debuggers: pc of the next instruction. All before it have retired, and it has had no effect yet. */
uint32_t fast_pc(const struct fast *fast);
/* Is the model between two instructions? If not (a run that was stopped), fast_pc() and registers are not exact. */
bool fast_between(const struct fast *fast);
/* Goes on at another address. */
void fast_set_pc(struct fast *fast, uint32_t pc);
/* Runs stop before the instruction at pc (RUN_END_BREAK). ENOMEM if there are too many. */
int fast_break(struct fast *fast, uint32_t pc, bool set);
/* Runs stop behind a watched access (RUN_END_WATCH); while anything is watched the golden model runs alone. */
int fast_watch(struct fast *fast, const struct fast_watch *watch, bool set);
/* The access that ended a run with RUN_END_WATCH. */
uint32_t fast_watch_address(const struct fast *fast);
/* One instruction, or into the handler of its trap or of an interrupt (RUN_END_BREAK). */
void fast_step(struct fast *fast, const struct run_hooks *hooks, struct run_result *result);
/* The RAM was written from outside. */
void fast_memory_changed(struct fast *fast);
#endif
