/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * How long a program waited, from the golden model itself, in this very run:
 *
 *   wait    WFI: its cycles beyond one
 *   system  ECALL: from the end of what ran before it to the start of what runs behind its return, but one cycle
 *   NAME    a function: from the end of its call to the end of its return
 *
 * Usage: waits-judge PROGRAM.elf NAME=VALUE... [-- FUNCTION...]. A line for each: name, times, cycles, and
 * how many of them the cycles judge finds in the function that waits: all of WFI, of ECALL its own and the refill
 * behind the return.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/image/image.h"
#include "model/run.h"
#include "isa/isa.h"

#define ROWS_MAX 8
enum { ROW_WAIT, ROW_SYSTEM, ROW_FUNCTIONS };

struct row {
	const char *name;
	uint64_t start, count, cycles, within;
	uint64_t from, back; /* while it runs */
	bool open;
};
struct judge {
	struct row rows[ROWS_MAX];
	size_t count;
	uint64_t last; /* cycle of the last retirement */
	struct isa_insn insn;
	uint64_t pc;
};

/* A reading of the clock: how long it takes is not of what was waited for. */
static uint64_t refill(const struct isa_insn *insn, uint64_t took)
{
	return insn->op == ISA_CSRRS ? took - 2 : took - 1;
}

static void on_retire(void *context, const struct model_out *out)
{
	struct judge *j = context;
	struct isa_insn insn;
	isa_decode(out->insn, ISA_CORE, &insn);
	uint64_t took = out->cycle - j->last;
	struct row *system = &j->rows[ROW_SYSTEM];
	if (insn.op == ISA_WFI) {
		j->rows[ROW_WAIT].count++;
		j->rows[ROW_WAIT].cycles += took - 1;
		j->rows[ROW_WAIT].within += took - 1;
	} else if (insn.op == ISA_ECALL && !system->open) {
		system->count++;
		system->from = j->last;
		system->back = out->pc + 4;
		system->open = true;
		system->within += took - 1;
	} else if (system->open && j->insn.op == ISA_MRET && out->pc == system->back) {
		system->cycles += j->last - system->from + refill(&insn, took) - 1;
		system->within += refill(&insn, took);
		system->open = false;
	}
	for (size_t i = ROW_FUNCTIONS; i < j->count; i++) {
		struct row *row = &j->rows[i];
		if (row->open && out->pc == row->back && (j->insn.class_bits & ISA_RETURN) != 0) {
			row->cycles += j->last - row->from;
			row->open = false;
		} else if (!row->open && out->pc == row->start && (j->insn.class_bits & ISA_CALL) != 0) {
			row->count++;
			row->from = j->last;
			row->back = j->pc + j->insn.length;
			row->open = true;
		}
	}
	j->last = out->cycle;
	j->insn = insn;
	j->pc = out->pc;
}

static bool find(struct judge *j, const struct image *image, const char *name)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	for (size_t i = 0; i < count; i++) {
		for (uint64_t pc = segments[i].address; pc < segments[i].address + segments[i].file_size; pc += 2) {
			uint64_t start = 0;
			const char *here = segments[i].execute ? image_whole_function(image, pc, &start) : NULL;
			if (here != NULL && strcmp(here, name) == 0 && j->count < ROWS_MAX) {
				j->rows[j->count++] = (struct row){.name = name, .start = start};
				return true;
			}
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	struct judge j = {.rows = {{.name = "wait"}, {.name = "system"}}, .count = ROW_FUNCTIONS};
	struct model *model;
	struct model_config config;
	struct run_result result;
	struct image *image;
	char detail[1024] = "usage: waits-judge PROGRAM.elf NAME=VALUE... [-- FUNCTION...]";
	bool functions = false;
	model_config_default(&config);
	config.ram_size = 1u << 20;
	if (argc < 2 || image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK ||
	    model_open(&model, &config) != MODEL_OK ||
	    model_load_elf(model, argv[1], detail, sizeof detail) != MODEL_OK ||
	    model_set(model, "way=off", detail, sizeof detail) != MODEL_OK) {
		fprintf(stderr, "waits-judge: %s\n", detail);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			functions = true;
		else if (functions ? !find(&j, image, argv[i])
				   : model_set(model, argv[i], detail, sizeof detail) != MODEL_OK) {
			fprintf(stderr, "waits-judge: %s: %s\n", argv[i], functions ? "is not there" : detail);
			return 2;
		}
	}
	const struct run_hooks hooks = {.context = &j, .retire = on_retire};
	model_run(model, &hooks, 0, 0, &result);
	if (result.end != RUN_END_EXIT) {
		fprintf(stderr, "waits-judge: %s did not end\n", argv[1]);
		return 2;
	}
	for (size_t i = 0; i < j.count; i++)
		printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", j.rows[i].name, j.rows[i].count, j.rows[i].cycles,
		    j.rows[i].within);
	return 0;
}
