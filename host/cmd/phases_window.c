/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases --at and --expand: one place of the run, and a window of it with every block or instruction in
 * order. */
#include <inttypes.h>
#include "host/cmd/phases.h"
#include "host/table/numbers.h"
#include "isa/isa.h"

int phases_print_place(const struct phases_view *v, enum phases_key key, uint64_t number, FILE *out)
{
	struct phases_step step;
	int error = phases_seek(v->file, key, number);
	if (error == PHASES_OK && phases_next(v->file, &step) != 1)
		error = PHASES_EEND;
	if (error == PHASES_EEND) {
		complain("%s: the run has %s %ss, numbered from 0", v->input, with_commas(v->total.at[key]),
		    phases_key_name(key));
		return STATUS_FAILED;
	}
	if (error != PHASES_OK) {
		complain("%s: %s", v->input, phases_strerror(error));
		return STATUS_FAILED;
	}
	step.place.at[PHASES_CYCLE] = phases_cycle_of(v->file, step.place.at[PHASES_INSTRUCTION]);
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		fprintf(out, "%-12s %20s\n", phases_key_name(k), with_commas(step.place.at[k]));
	if (step.lost) {
		complain("%s: what ran here is lost", v->input);
		return STATUS_NO;
	}
	fprintf(out, "repeated path: %s trips of %" PRIu32 " blocks, %s instructions\n", with_commas(step.trips),
	    step.what.count, with_commas(step.what.instructions));
	for (uint32_t b = 0; b < step.what.count; b++) {
		const struct phases_block *block = phases_block(v->file, step.what.blocks[b]);
		uint64_t start = 0;
		const char *name = image_function(v->image, block->address, &start);
		fprintf(out, "  0x%08" PRIx64 " %4" PRIu32 " instructions  %s", block->address, block->instructions,
		    name != NULL ? name : "");
		if (name != NULL && block->address != start)
			fprintf(out, "+0x%" PRIx64, block->address - start);
		fprintf(out, "\n");
	}
	return STATUS_OK;
}

static void print_block(const struct phases_view *v, const struct phases_block *block, bool instructions, uint64_t skip,
    uint64_t end, FILE *out)
{
	uint64_t at = block->address;
	struct isa_insn insn;
	if (!instructions) {
		fprintf(out, "0x%08" PRIx64 " %" PRIu32 "\n", block->address, block->instructions);
		return;
	}
	for (uint64_t i = 0; i < block->instructions && i < end; i++) {
		if (i >= skip)
			fprintf(out, "0x%08" PRIx64 "\n", at);
		at += image_insn(v->image, at, 0, &insn) ? insn.length : 4;
	}
}

struct window { /* the window in the unit of its key */
	enum phases_key key;
	uint64_t from, to;
};

/* Prints what of a step lies in the window; false: the window is over. */
static bool print_step(
    const struct phases_view *v, const struct phases_step *step, const struct window *w, bool instructions, FILE *out)
{
	struct phases_place at = step->place;
	for (uint64_t t = 0; t < step->trips; t++) {
		for (uint32_t b = 0; b < step->what.count; b++) {
			const struct phases_block *block = phases_block(v->file, step->what.blocks[b]);
			const uint64_t from = at.at[w->key];
			if (from >= w->to)
				return false;
			if (w->key == PHASES_INSTRUCTION) { /* a block of which a part lies in the window is shown */
				if (from + block->instructions > w->from)
					print_block(v, block, instructions, w->from > from ? w->from - from : 0,
					    w->to - from, out);
			} else if (from >= w->from)
				print_block(v, block, instructions, 0, UINT64_MAX, out);
			at.at[PHASES_INSTRUCTION] += block->instructions;
			at.at[PHASES_BLOCK]++;
		}
		at.at[PHASES_PATH]++;
	}
	return true;
}

int phases_expand(
    const struct phases_view *v, enum phases_key key, uint64_t from, uint64_t to, bool instructions, FILE *out)
{
	struct phases_step step;
	struct window w = {key, from, to};
	int status = STATUS_OK;
	if (v->total.at[key] == 0 && from == 0)
		return STATUS_OK;
	int error = phases_seek(v->file, key, from);
	if (error == PHASES_EEND) {
		complain("%s: the run has %s %ss, numbered from 0", v->input, with_commas(v->total.at[key]),
		    phases_key_name(key));
		return STATUS_FAILED;
	}
	int more = error == PHASES_OK;
	while (more == 1 && (more = phases_next(v->file, &step)) == 1) {
		if (key == PHASES_CYCLE)
			step.place.at[key] = phases_cycle_of(v->file, step.place.at[PHASES_INSTRUCTION]);
		if (step.place.at[key] >= to)
			break;
		if (step.lost) {
			complain("%s: lost from instruction %s on", v->input,
			    with_commas(step.place.at[PHASES_INSTRUCTION]));
			status = STATUS_NO;
		} else {
			if (key == PHASES_CYCLE && step.place.at[key] < from)
				w.from = step.place.at[key]; /* cycles stand at steps, not in them */
			if (!print_step(v, &step, &w, instructions, out))
				break;
		}
	}
	if (error != PHASES_OK || more < 0) {
		complain("%s: %s", v->input, phases_strerror(error != PHASES_OK ? error : more));
		return STATUS_FAILED;
	}
	return status;
}
