/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_ring.h"

#include <inttypes.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/records/ring.h"

#define RING_DEPTH 64u /* records of 16 bytes: 1 KiB */
/* Exceptions that are faults: misaligned, access and page faults, illegal instructions; not EBREAK and ECALL */
#define FAULTS 0xB0F7u
#define WORDS 4

void run_ring_build(struct trace_config *unit)
{
	unit->with_recorder = true;
	unit->fifo_depth = RING_DEPTH;
}

/* A number or a symbol of the program. */
static bool address_of(const struct image *image, const char *text, uint64_t *address)
{
	return parse_number(text, UINT32_MAX, address) || image_symbol(image, text, address) == IMAGE_OK;
}

/* The pieces of "late:main:done:1000", in `words`. Returns how many. */
static size_t cut_words(const char *text, char words[WORDS][256])
{
	size_t count = 0;
	while (count < WORDS) {
		const size_t length = strcspn(text, ":");
		snprintf(words[count++], 256, "%.*s", (int)length, text);
		if (text[length] == '\0')
			return count;
		text += length + 1;
	}
	return WORDS + 1;
}

struct armed { /* what is to be written */
	uint32_t recorder, traps, limit, ctrl;
	uint64_t from, to;
	bool range;
};

static bool arm_by_words(struct armed *arm, const struct image *image, size_t count, char words[WORDS][256])
{
	uint64_t number = 0;
	if (strcmp(words[0], "trap") == 0 && count <= 2) {
		if (count == 2 && !parse_number(words[1], UINT32_MAX, &number))
			return false;
		arm->traps = count == 2 ? (uint32_t)number : FAULTS;
		arm->recorder = RV_RECORDER_TRAP_MASK;
		return true;
	}
	if (strcmp(words[0], "reached") == 0 && count == 2) {
		arm->recorder = RV_RECORDER_REACHED_MASK;
		return address_of(image, words[1], &arm->from);
	}
	if (strcmp(words[0], "left") == 0 && count == 3) {
		arm->recorder = RV_RECORDER_LEFT_MASK;
		arm->range = true;
		return address_of(image, words[1], &arm->from) && address_of(image, words[2], &arm->to);
	}
	if (strcmp(words[0], "late") == 0 && count == 4 && parse_amount(words[3], 1000, UINT32_MAX, &number)) {
		arm->recorder = RV_RECORDER_LATE_MASK;
		arm->limit = (uint32_t)number;
		return number > 0 && address_of(image, words[1], &arm->from) && address_of(image, words[2], &arm->to);
	}
	return strcmp(words[0], "end") == 0 && count == 1;
}

int run_ring_arm(const struct run_ring *ring, struct model *model, const struct image *image)
{
	char words[WORDS][256];
	struct armed arm = {.ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_MODES_MASK | RV_CTRL_RING_MASK | RV_CTRL_REPEAT_MASK |
				    RV_CTRL_NO_BACKWARD_MASK};
	if (ring->freeze != NULL && strcmp(ring->freeze, "program") == 0)
		return STATUS_OK; /* it arms the recorder itself */
	const size_t count = cut_words(ring->freeze == NULL ? "trap" : ring->freeze, words);
	if (count > WORDS || !arm_by_words(&arm, image, count, words)) {
		complain("--freeze %s: trap, trap:MASK (bit n: exception n, bit 16+n: interrupt n), reached:ADDRESS, "
			 "left:FIRST:BEHIND, late:FROM:TO:CYCLES, end or program is expected; addresses may be symbols "
			 "of the "
			 "program",
		    ring->freeze);
		return STATUS_FAILED;
	}
	if (arm.range) {
		model_trace_write(model, RV_REG_RANGE0_LO, (uint32_t)arm.from);
		model_trace_write(model, RV_REG_RANGE0_HI, (uint32_t)arm.to);
		arm.ctrl |= 1u << RV_CTRL_RANGE_EN_LSB;
	} else {
		model_trace_write(model, RV_REG_RECORDER_FROM, (uint32_t)arm.from);
		model_trace_write(model, RV_REG_RECORDER_TO, (uint32_t)arm.to);
	}
	model_trace_write(model, RV_REG_RECORDER_LIMIT, arm.limit);
	model_trace_write(model, RV_REG_RECORDER_TRAPS, arm.traps);
	model_trace_write(model, RV_REG_RECORDER, arm.recorder);
	model_trace_write(model, RV_REG_CTRL, arm.ctrl);
	model_trace_hold(model, MODEL_TRACE_ALL);
	return STATUS_OK;
}

void run_ring_retire(struct run_ring *ring, const struct model *model)
{
	uint32_t csrs[MODEL_CSR_COUNT];
	if (ring->captured || !model_trace(model)->recorder.frozen)
		return;
	model_csrs(model, csrs);
	ring->captured = true;
	ring->cause = csrs[MODEL_MCAUSE];
	ring->epc = csrs[MODEL_MEPC];
	ring->tval = csrs[MODEL_MTVAL];
}

int run_ring_finish(struct run_ring *ring, struct model *model)
{
	static uint32_t words[RING_MAX_WORDS(RING_DEPTH, 6)];
	struct ring dump = {0};
	if (!model_trace(model)->recorder.frozen)
		model_trace_write(model, RV_REG_RECORDER, RV_RECORDER_FROZEN_MASK);
	for (unsigned i = 0; i < 8; i++) /* what is under way comes into the ring */
		model_trace_write(model, RV_REG_ID, 0);
	run_ring_retire(ring, model);
	const struct trace *unit = model_trace(model);
	const struct trace_config *c = &unit->config;
	dump.xlen = c->xlen;
	dump.hist = c->hist;
	dump.recorder = trace_reg_read(unit, RV_REG_RECORDER);
	dump.lost = unit->lost;
	dump.pc = unit->recorder.pc;
	dump.resume = unit->resume;
	dump.cause = ring->cause;
	dump.epc = ring->epc;
	dump.tval = ring->tval;
	dump.count = unit->count;
	for (unsigned i = 0; i < unit->count; i++)
		dump.records[i] = unit->fifo[(unit->rd_ptr + i) & (c->fifo_depth - 1)];
	const size_t count =
	    ring_words(&dump, trace_reg_read(unit, RV_REG_ID), trace_reg_read(unit, RV_REG_CAPS), words);
	fwrite(words, sizeof *words, count, output_file(ring->output)); /* finish_output() tells what is wrong */
	const int status = finish_output(ring->output, STATUS_OK);
	ring->output = NULL;
	return status;
}
