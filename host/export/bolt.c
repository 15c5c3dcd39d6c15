/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Pre-aggregated branches, as `perf2bolt -pa` reads them, with exact counts where perf has samples:
 *
 *   B from to count 0      a taken branch, jump or call; no misprediction is known
 *   F from to count        from one instruction to another without a taken branch in between
 *
 * A branch that was not taken is a fall-through to the instruction behind it, one edge of the graph that BOLT makes of
 * the function. Blocks that fall through without a branch it infers. Addresses are those of the file. Targets of returns
 * and of jumps through a register are not there, but for calls whose target is known.
 */
#include <inttypes.h>
#include "host/export/export.h"

struct branches {
	const struct export_input *input;
	uint64_t load; /* of the program, which is what the file's addresses are without */
	FILE *out;
};

static void write_edge(const struct branches *b, char kind, uint64_t from, uint64_t to, uint64_t count)
{
	if (count == 0)
		return;
	fprintf(b->out, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "%s\n", kind, from - b->load, to - b->load, count,
	    kind == 'B' ? " 0" : "");
}

static void write_code(const struct branches *b, const struct gather_code *code)
{
	const struct spot_place *place = spots_at(b->input->spots, code->pc);
	if (place == NULL)
		return;
	if ((place->class_bits & ISA_BRANCH) != 0) {
		write_edge(b, 'B', code->pc, place->target, code->taken);
		write_edge(b, 'F', code->pc, code->pc + place->length, code->not_taken);
	} else if ((place->class_bits & ISA_JUMP) != 0 && (place->class_bits & ISA_CALL) == 0)
		write_edge(b, 'B', code->pc, place->target, code->count);
}

int export_bolt(const struct export_input *input, FILE *out)
{
	const struct branches b = {input, image_load_address(input->image), out};
	const struct gather_result *r = input->result;
	for (size_t i = 0; i < r->code_count; i++)
		write_code(&b, &r->code[i]);
	for (size_t i = 0; i < r->call_count; i++)
		write_edge(&b, 'B', r->calls[i].site, r->calls[i].target, r->calls[i].count);
	return ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
