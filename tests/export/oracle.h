/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_ORACLE_H
#define RIVULET_TESTS_ORACLE_H
/*
 * For check_stack and check_export: a program on the golden model, train input, all its records; and the truth that
 * call stacks are held against, worked out from each retired instruction with the stack pointer: a return ends the call
 * that was made with the same stack pointer and returns there.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "host/walk/follow.h"
#include "model/run.h"

#define ORACLE_FRAMES 4096

struct oracle_insn { /* traced, retired */
	uint32_t pc, depth;
};
struct oracle_frame {
	uint32_t back, sp;
	bool any_sp; /* through x5: the prolog's helper moves the stack pointer before it returns */
};

struct oracle {
	struct model *model;
	struct record *records;
	size_t record_count, record_room;
	struct oracle_insn *insns;
	size_t insn_count, insn_room;
	struct oracle_frame frames[ORACLE_FRAMES];
	size_t depth;
	uint32_t sp, ctrl;
	uint64_t cycles; /* sum of the records' */
	unsigned hist;
};

static void oracle_record(void *context, const struct record *record)
{
	struct oracle *o = context;
	if (o->record_count == o->record_room) {
		o->record_room = o->record_room == 0 ? 4096 : 2 * o->record_room;
		o->records = realloc(o->records, o->record_room * sizeof *o->records);
		ck_assert_ptr_nonnull(o->records);
	}
	o->records[o->record_count++] = *record;
	o->cycles += record->cycles;
}

static void oracle_transfer(struct oracle *o, const struct model_out *out)
{
	unsigned opcode = out->insn & 0x7F, length = (out->insn & 3) == 3 ? 4 : 2;
	bool jump = opcode == 0x6F || opcode == 0x67 || (length == 2 && (out->insn & 0xE003) == 0x2001) ||
		    (length == 2 && (out->insn & 0xE07F) == 0x8002);
	bool link = jump && (out->rd_addr == 1 || out->rd_addr == 5);
	if (link && out->rd_wdata == out->pc + length) {
		ck_assert_uint_lt(o->depth, ORACLE_FRAMES);
		o->frames[o->depth++] = (struct oracle_frame){out->pc + length, o->sp, out->rd_addr == 5};
		return;
	}
	bool through = (opcode == 0x67 || (length == 2 && (out->insn & 0xF07F) == 0x8002)) && out->rd_addr == 0 &&
		       (out->rs1_addr == 1 || out->rs1_addr == 5);
	if (!through)
		return;
	for (size_t i = o->depth; i-- > 0;) {
		if (o->frames[i].back == out->next_pc && (o->frames[i].any_sp || o->frames[i].sp == o->sp)) {
			o->depth = i;
			return;
		}
	}
}

static void oracle_retire(void *context, const struct model_out *out)
{
	struct oracle *o = context;
	const struct trace *trace = model_trace(o->model);
	if (follow_taken(trace)) {
		if (o->insn_count == o->insn_room) {
			o->insn_room = o->insn_room == 0 ? 65536 : 2 * o->insn_room;
			o->insns = realloc(o->insns, o->insn_room * sizeof *o->insns);
			ck_assert_ptr_nonnull(o->insns);
		}
		o->insns[o->insn_count++] = (struct oracle_insn){out->pc, (uint32_t)o->depth};
		o->ctrl = trace->ctrl;
	}
	if (out->trap)
		return;
	oracle_transfer(o, out);
	if (out->rd_addr == 2)
		o->sp = out->rd_wdata;
}

static struct oracle *oracle_run(const char *program, const char *ctrl)
{
	struct oracle *o = calloc(1, sizeof *o);
	struct model_config config;
	struct run_result result;
	char detail[512];
	const struct run_hooks hooks = {.context = o, .record = oracle_record, .retire = oracle_retire};
	ck_assert_ptr_nonnull(o);
	model_config_default(&config);
	ck_assert_int_eq(model_open(&o->model, &config), MODEL_OK);
	ck_assert_msg(model_load_elf(o->model, program, detail, sizeof detail) == MODEL_OK, "%s", detail);
	ck_assert_int_eq(model_set(o->model, "way=5", detail, sizeof detail), MODEL_OK);
	ck_assert_int_eq(model_set(o->model, ctrl, detail, sizeof detail), MODEL_OK);
	model_run(o->model, &hooks, 0, 0, &result);
	ck_assert_int_eq(result.end, RUN_END_EXIT);
	ck_assert_uint_eq(result.code, 0);
	ck_assert_uint_gt(o->record_count, 1000);
	o->hist = model_trace(o->model)->config.hist;
	return o;
}

static void oracle_free(struct oracle *o)
{
	model_close(o->model);
	free(o->records);
	free(o->insns);
	free(o);
}
#endif
