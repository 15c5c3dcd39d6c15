/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The flight recorder against what retired: an application runs on the golden model, a fault is put into it, the ring
 * freezes at the trap, and its dump, found again in the bytes of a memory, must give exactly the last instructions.
 * Usage: judge PROGRAM.elf...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/recorder.h"
#include "common/rivulet_regs.h"
#include "host/records/ring.h"
#include "host/walk/walk.h"
#include "model/run.h"

#define LOG (1u << 18) /* retired instructions remembered, a power of two */
#define LIMIT 4000000u /* cycles until a fault must have shown */
#define SEALED 12      /* cycles until the ring is complete, and some */

enum fault { ILLEGAL, WILD_RETURN, STACK_OVERFLOW, FAULTS };
static const char *const fault_names[] = {"an illegal instruction", "a wild return", "a stack overflow"};

struct judge {
	struct model *model;
	struct image *image;
	uint64_t *log;
	uint64_t retired; /* newest at (retired - 1) % LOG */
	uint64_t trapped; /* pc that trapped */
	bool faulted;
};

static bool step(struct judge *j)
{
	static const struct model_in in = {.uart_rx = true};
	struct model_out out;
	model_cycle(j->model, &in, &out);
	if (!out.valid)
		return true;
	if (out.trap && !j->faulted) {
		j->faulted = true;
		j->trapped = out.pc;
	}
	if (!j->faulted)
		j->log[j->retired++ % LOG] = out.pc;
	return !out.exit_valid;
}

static void inject(struct judge *j, enum fault fault)
{
	const uint32_t back = (uint32_t)j->log[(j->retired - 60) % LOG];
	static const uint16_t illegal = 0;
	if (fault == ILLEGAL)
		model_write(j->model, back & ~1u, &illegal, sizeof illegal);
	else if (fault == WILD_RETURN)
		model_set_reg(j->model, 1, 0x40000000);
	else
		model_set_reg(j->model, 2, 0x10);
}

static void arm(struct model *model)
{
	model_trace_write(model, RV_REG_RECORDER_TRAPS, 0xB0F7);
	model_trace_write(model, RV_REG_RECORDER, RV_RECORDER_TRAP_MASK);
	model_trace_write(model, RV_REG_CTRL,
	    RV_CTRL_ENABLE_MASK | RV_CTRL_MODES_MASK | RV_CTRL_RING_MASK | RV_CTRL_REPEAT_MASK |
		RV_CTRL_NO_BACKWARD_MASK);
	model_trace_hold(model, MODEL_TRACE_ALL);
}

/* The unit's ring as a dump in the middle of other bytes, and found again. */
static int dump_and_find(const struct judge *j, struct ring *found)
{
	static uint8_t bytes[4 * RING_MAX_WORDS(RING_RECORDS_MAX, 6) + 1000];
	static uint32_t words[RING_MAX_WORDS(RING_RECORDS_MAX, 6)];
	static struct ring ring;
	const struct trace *unit = model_trace(j->model);
	ring = (struct ring){.xlen = 32,
	    .hist = unit->config.hist,
	    .recorder = trace_reg_read(unit, RV_REG_RECORDER),
	    .pc = unit->recorder.pc,
	    .lost = unit->lost,
	    .count = unit->count};
	for (unsigned i = 0; i < unit->count; i++)
		ring.records[i] = unit->fifo[(unit->rd_ptr + i) & (unit->config.fifo_depth - 1)];
	const size_t count =
	    ring_words(&ring, trace_reg_read(unit, RV_REG_ID), trace_reg_read(unit, RV_REG_CAPS), words);
	memset(bytes, 0x52, sizeof bytes);
	memcpy(bytes + 333, words, 4 * count);
	return ring_find(bytes, sizeof bytes, found);
}

/* All pcs of the ring are the last that retired. Returns how many, or 0 with what is wrong told. */
static uint64_t compare(const struct judge *j, const struct ring *ring)
{
	struct walk *walk;
	static uint64_t pcs[1u << 16];
	const struct walk_config config = {.hist = ring->hist, .ctrl = ring_ctrl(ring), .insn_bits = 16};
	uint64_t all = 0, at;
	for (size_t i = 0; i < ring->count; i++)
		all += ring->records[i].insns * ring->records[i].count;
	if (walk_open(&walk, j->image, &config) != WALK_OK || all > LOG || all > j->retired)
		return 0;
	uint64_t next = j->retired - all;
	for (size_t i = 0; i < ring->count; i++) {
		size_t count = 0;
		const int error = walk_pcs(walk, &ring->records[i], pcs, sizeof pcs / sizeof *pcs, &count, &at);
		for (uint64_t n = 0; error == WALK_OK && n < ring->records[i].count; n++) {
			for (size_t k = 0; k < count; k++, next++) {
				if (pcs[k] != j->log[next % LOG]) {
					printf("judge: record %zu: 0x%" PRIx64 ", retired was 0x%" PRIx64 "\n", i,
					    pcs[k], j->log[next % LOG]);
					walk_close(walk);
					return 0;
				}
			}
		}
		if (error != WALK_OK) {
			printf("judge: record %zu: %s at 0x%" PRIx64 "\n", i, walk_strerror(error), at);
			walk_close(walk);
			return 0;
		}
	}
	walk_close(walk);
	return next == j->retired ? all : 0;
}

/* One run with one fault. Returns the instructions in the ring; 0: wrong; -1: the fault did not show. */
static int64_t run_fault(const char *program, enum fault fault, uint64_t when)
{
	struct judge j = {.log = malloc(LOG * sizeof *j.log)};
	struct model_config config;
	char detail[1024];
	static struct ring ring;
	int64_t result = 0;
	model_config_default(&config);
	config.trace.with_recorder = true;
	config.trace.fifo_depth = 64;
	if (j.log == NULL || image_open(&j.image, program, detail, sizeof detail) != IMAGE_OK ||
	    model_open(&j.model, &config) != MODEL_OK ||
	    model_load_elf(j.model, program, detail, sizeof detail) != MODEL_OK)
		return 0;
	model_start(j.model);
	model_set(j.model, "way=off", detail, sizeof detail);
	model_set(j.model, "input=train", detail, sizeof detail);
	arm(j.model);
	uint64_t cycle = 0;
	for (; cycle < when && step(&j); cycle++)
		;
	inject(&j, fault);
	for (; cycle < when + LIMIT && !model_trace(j.model)->recorder.frozen && step(&j); cycle++)
		;
	for (unsigned i = 0; i < SEALED; i++)
		step(&j);
	if (!model_trace(j.model)->recorder.frozen)
		result = -1;
	else if (dump_and_find(&j, &ring) != RING_OK || ring.pc != j.trapped)
		printf("judge: %s: pc 0x%" PRIx64 " for 0x%" PRIx64 "\n", program, ring.pc, j.trapped);
	else
		result = (int64_t)compare(&j, &ring);
	model_close(j.model);
	image_close(j.image);
	free(j.log);
	return result;
}

int main(int argc, char **argv)
{
	static const uint64_t times[] = {150000, 400000, 700000};
	uint64_t runs = 0, sum = 0, least = UINT64_MAX, missed = 0, failed = 0;
	for (int i = 1; i < argc; i++) {
		for (unsigned fault = 0; fault < FAULTS; fault++) {
			const int64_t got = run_fault(argv[i], (enum fault)fault, times[((unsigned)i + fault) % 3]);
			if (got == 0) {
				printf("judge: %s: %s: the ring is not what retired\n", argv[i], fault_names[fault]);
				failed++;
			} else if (got < 0) {
				printf("judge: %s: %s did not show\n", argv[i], fault_names[fault]);
				missed++;
			} else {
				runs++;
				sum += (uint64_t)got;
				least = (uint64_t)got < least ? (uint64_t)got : least;
			}
		}
	}
	printf("check-postmortem: %" PRIu64 " faults; instructions in the ring, each as it retired: %" PRIu64
	       " in the mean, %" PRIu64 " at least; %" PRIu64 " failed, %" PRIu64 " did not show\n",
	    runs, runs > 0 ? sum / runs : 0, least, failed, missed);
	return failed > 0 || missed * 4 > runs;
}
