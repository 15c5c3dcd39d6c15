/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The trace unit with two retirements a cycle (docs/trace-unit.md section 16) beside cores that offer a program's
 * instructions in their order: how often does such a core wait, and are the records those of a unit with one slot? The
 * program runs on the golden model; what it retires is dealt out to three cores, and each has a unit of its own.
 *
 * Usage: wide-bench INSTRUCTIONS PROGRAM...: of each program so many, input=ref where it has one. A row of a table
 * each: records, then for each core the cycles in a hundred in which it waits, and behind a stroke those with
 * rivulet_retire_queue (16 places) in front of a unit with one slot. Exit status 1: the records differ.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "model/run.h"

/* What the records of a unit were, in order: how many, and a sum that depends on the order. Cycles are not in it. */
struct records {
	uint64_t count, sum, instructions;
};

enum policy {
	ENDS_AT_TRANSFER, /* two a cycle, but the second not behind a taken transfer or a trap */
	ONE_AND_A_HALF,   /* two, one, two, one, ... */
	TWO,              /* two in every cycle, whatever they are */
	POLICIES
};

struct core {
	enum policy policy;
	struct trace unit;
	struct records records;
	struct trace_retire row[2];
	unsigned filled;
	bool ready; /* in the cycle before */
	uint64_t cycles, waits;
	/* the same core in front of rivulet_retire_queue */
	unsigned queued;
	bool queue_ready;
	uint64_t queue_cycles, queue_waits;
};

enum { QUEUE_PLACES = 16 };

struct bench {
	struct trace one; /* with one slot */
	struct records records;
	struct core cores[POLICIES];
};

static void take(struct records *records, const struct trace_out *out)
{
	if (!out->rec_valid)
		return;
	const uint64_t fields[] = {out->rec.start, out->rec.hist, out->rec.reason, out->rec.insns};
	for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
		records->sum = (records->sum ^ fields[i]) * UINT64_C(0x100000001B3) + (records->sum >> 40);
	records->count++;
	records->instructions += out->rec.insns;
}

static void unit_start(struct trace *unit, unsigned slots)
{
	struct trace_config config;
	const struct trace_bus enable = {
	    .write = true, .index = RV_REG_CTRL, .wdata = RV_CTRL_ENABLE_MASK | RV_CTRL_MODES_MASK};
	const struct trace_retire nothing[2] = {{.valid = false}};
	struct trace_out out;
	trace_config_fig5(&config);
	config.hist = 32;
	config.with_reason = config.with_insns = config.with_freeze = true;
	config.retire = slots;
	trace_reset(unit, &config);
	trace_cycle(unit, nothing, &enable, &out);
}

static bool unit_cycle(struct trace *unit, const struct trace_retire *row, struct records *records)
{
	const struct trace_bus bus = {.write = false};
	struct trace_out out;
	trace_cycle(unit, row, &bus, &out);
	take(records, &out);
	return out.ready && !out.lost;
}

/* One cycle of a core in front of the queue, in which it offers so many. */
static void queue_cycle(struct core *core, unsigned offered)
{
	core->queue_cycles++;
	core->queue_ready = core->queued <= QUEUE_PLACES - 4;
	core->queued += offered - (core->queued != 0);
}

/* The row is whole: it retires in the first cycle behind one in which the unit was ready. */
static void row_retires(struct core *core)
{
	const struct trace_retire nothing[2] = {{.valid = false}};
	for (; !core->ready; core->waits++, core->cycles++)
		core->ready = unit_cycle(&core->unit, nothing, &core->records);
	if (core->filled < 2)
		core->row[1] = nothing[1];
	core->ready = unit_cycle(&core->unit, core->row, &core->records);
	core->cycles++;
	for (; !core->queue_ready; core->queue_waits++)
		queue_cycle(core, 0);
	queue_cycle(core, core->filled);
	core->filled = 0;
}

/* Whether the core's cycle ends behind its first instruction. */
static bool cycle_ends(const struct core *core, const struct trace_retire *first)
{
	switch (core->policy) {
	case ENDS_AT_TRANSFER:
		return first->trap || first->next_pc != first->pc + ((first->insn & 3) == 3 ? 4 : 2);
	case ONE_AND_A_HALF:
		return (core->cycles - core->waits) % 2 == 1;
	default:
		return false;
	}
}

static void core_retires(struct core *core, const struct trace_retire *r)
{
	if (r->intr && core->filled) /* no core begins a handler in the cycle of what it interrupts */
		row_retires(core);
	core->row[core->filled++] = *r;
	if (core->filled == 2 || cycle_ends(core, r))
		row_retires(core);
}

static void retires(void *context, const struct model_out *out)
{
	struct bench *bench = context;
	const struct trace_retire r = {.valid = true,
	    .trap = out->trap,
	    .intr = out->intr,
	    .mode = out->mode,
	    .insn = out->insn,
	    .pc = out->pc,
	    .next_pc = out->next_pc};
	unit_cycle(&bench->one, &r, &bench->records);
	for (unsigned i = 0; i < POLICIES; i++)
		core_retires(&bench->cores[i], &r);
}

/* What is still in a unit leaves it, and the trace that is open. */
static void unit_end(struct trace *unit, struct records *records)
{
	const struct trace_retire nothing[2] = {{.valid = false}};
	const struct trace_bus off = {.write = true, .index = RV_REG_CTRL};
	struct trace_out out;
	for (unsigned i = 0; i < 8; i++)
		unit_cycle(unit, nothing, records);
	trace_cycle(unit, nothing, &off, &out);
	take(records, &out);
	for (unsigned i = 0; i < 4; i++)
		unit_cycle(unit, nothing, records);
}

/* Prints the row. Returns whether the records are the same. */
static bool report(struct bench *bench, const char *name, uint64_t instructions)
{
	bool same = true;
	unit_end(&bench->one, &bench->records);
	printf("| %s | %" PRIu64 " | %" PRIu64, name, instructions, bench->records.count);
	for (unsigned i = 0; i < POLICIES; i++) {
		struct core *core = &bench->cores[i];
		if (core->filled)
			row_retires(core);
		unit_end(&core->unit, &core->records);
		printf(" | %.3f / %.1f", 100.0 * (double)core->waits / (double)core->cycles,
		    100.0 * (double)core->queue_waits / (double)core->queue_cycles);
		if (memcmp(&core->records, &bench->records, sizeof core->records) != 0) {
			fprintf(stderr,
			    "wide-bench: %s, core %u: %" PRIu64 " records, %" PRIu64 " by one slot; or others\n", name,
			    i, core->records.count, bench->records.count);
			same = false;
		}
	}
	printf(" |\n");
	return same;
}

static const char *name_of(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/');
	snprintf(name, size, "%s", slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');
	if (dot)
		*dot = 0;
	return name;
}

static int bench_program(struct bench *bench, const char *path, uint64_t instructions)
{
	struct model_config config;
	struct model *model;
	struct run_result result;
	const struct run_hooks hooks = {.context = bench, .retire = retires};
	char detail[256] = "", name[64];
	memset(bench, 0, sizeof *bench);
	unit_start(&bench->one, 1);
	for (unsigned i = 0; i < POLICIES; i++) {
		bench->cores[i] = (struct core){.policy = (enum policy)i, .ready = true, .queue_ready = true};
		unit_start(&bench->cores[i].unit, 2);
	}
	model_config_default(&config);
	int error = model_open(&model, &config);
	if (error == 0 && (error = model_load_elf(model, path, detail, sizeof detail)) == 0) {
		model_start(model);
		model_set(model, "input=ref", detail, sizeof detail); /* a program without inputs has none */
		model_run(model, &hooks, 0, instructions, &result);
	}
	if (error) {
		fprintf(stderr, "wide-bench: %s: %s %s\n", path, model_strerror(error), detail);
		return 2;
	}
	model_close(model);
	return report(bench, name_of(path, name, sizeof name), result.instructions) ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct bench bench;
	char *end = NULL;
	const uint64_t instructions = argc > 2 ? strtoull(argv[1], &end, 10) : 0;
	int status = 0;
	if (instructions == 0 || *end) {
		fprintf(stderr, "Usage: wide-bench INSTRUCTIONS PROGRAM...\n");
		return 2;
	}
	for (int i = 2; i < argc && status == 0; i++)
		status = bench_program(&bench, argv[i], instructions);
	return status;
}
