/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/optimise_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "isa/isa.h"

#define COLUMN 44

struct row {         /* one line of a column */
	uint32_t pc; /* the program's; 0: what has none */
	char text[COLUMN * 2];
};
struct rows {
	struct row *rows;
	size_t count, room;
	bool failed;
};

static struct row *add_optimised_row(struct rows *rows, uint32_t pc)
{
	if (rows->count == rows->room) {
		size_t room = rows->room * 2 + 64;
		struct row *more = realloc(rows->rows, room * sizeof *more);
		if (more == NULL) {
			rows->failed = true;
			return NULL;
		}
		rows->rows = more;
		rows->room = room;
	}
	rows->rows[rows->count] = (struct row){.pc = pc};
	return &rows->rows[rows->count++];
}

static void program_row(struct rows *rows, const struct image *image, uint32_t pc)
{
	struct isa_insn insn;
	char text[COLUMN + 20];
	struct row *row = add_optimised_row(rows, pc);
	if (row == NULL || !image_insn(image, pc, ISA_CORE, &insn))
		return;
	isa_format(&insn, pc, text, sizeof text);
	snprintf(row->text, sizeof row->text, "%08" PRIx32 "  %s", pc, text);
}

/* What the program executes: the jumps too that the trace does not have. */
static void program_rows(struct rows *rows, const struct image *image, struct optimise *optimise,
    const struct optimise *plain, uint32_t index)
{
	const struct optimise_trace *trace = &plain->traces[index];
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct optimise_insn *insn = &plain->insns[trace->first + i];
		if (insn->kind == KIND_JUMP || insn->flags & OPTIMISE_GONE)
			break;
		program_row(rows, image, insn->pc);
		if (i + 1 == trace->count)
			break;
		/* jumps and returns on the way to the next one */
		uint32_t next = plain->insns[trace->first + i + 1].pc, at = insn->pc + insn->length;
		const struct optimise_insn *own = optimise_decode(optimise, insn->pc);
		if (own == NULL || own->kind == KIND_EXIT || own->kind == KIND_CALL) {
			if (own != NULL && own->kind == KIND_CALL)
				at = own->target;
			else if (insn->target == at)
				at = next;
		}
		for (unsigned n = 0; at != next && n < 8; n++) {
			const struct optimise_insn *jump = optimise_decode(optimise, at);
			if (jump == NULL || (jump->kind != KIND_JUMP && jump->kind != KIND_INDIRECT))
				break;
			uint32_t target = jump->kind == KIND_JUMP ? jump->target : next;
			program_row(rows, image, at);
			at = target;
		}
	}
}

static void cache_rows(struct rows *rows, const struct optimise *optimise, const uint8_t *cache, uint32_t index)
{
	const struct optimise_trace *trace = &optimise->traces[index];
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct optimise_insn *insn = &optimise->insns[trace->first + i];
		for (uint32_t at = 2u * insn->at; at < 2u * insn->at + insn->size;) {
			struct isa_insn decoded;
			char text[COLUMN + 20];
			uint32_t word = (uint32_t)cache[at] | (uint32_t)cache[at + 1] << 8;
			if ((word & 3) == 3)
				word |= (uint32_t)cache[at + 2] << 16 | (uint32_t)cache[at + 3] << 24;
			uint32_t address = optimise->config.cache + at;
			isa_decode(word, ISA_CORE, &decoded);
			isa_format(&decoded, address, text, sizeof text);
			struct row *row =
			    add_optimised_row(rows, at == 2u * insn->at && insn->kind != KIND_JUMP ? insn->pc : 0);
			if (row == NULL)
				return;
			snprintf(row->text, sizeof row->text, "%08" PRIx32 "  %s", address, text);
			at += decoded.length;
		}
	}
}

/* The longest common sequence of program pcs tells which lines stand beside each other. */
static int print_beside(const struct rows *left, const struct rows *right, FILE *out)
{
	size_t n = left->count, m = right->count;
	uint16_t *best = calloc((n + 1) * (m + 1), sizeof *best);
	if (best == NULL)
		return -1;
#define BEST(i, k) best[(i) * (m + 1) + (k)]
	for (size_t i = n; i-- > 0;)
		for (size_t k = m; k-- > 0;) {
			bool same = left->rows[i].pc == right->rows[k].pc && left->rows[i].pc != 0;
			uint16_t skip = BEST(i + 1, k) > BEST(i, k + 1) ? BEST(i + 1, k) : BEST(i, k + 1);
			BEST(i, k) = same ? (uint16_t)(BEST(i + 1, k + 1) + 1) : skip;
		}
	size_t i = 0, k = 0;
	while (i < n || k < m) {
		bool same = i < n && k < m && left->rows[i].pc == right->rows[k].pc && left->rows[i].pc != 0;
		bool take_left = i < n && (same || k == m || BEST(i + 1, k) >= BEST(i, k + 1));
		const char *a = take_left ? left->rows[i].text : "";
		const char *b = same || !take_left ? right->rows[k].text : "";
		fprintf(out, *b != '\0' ? "    %-*s  %s\n" : "    %.*s\n", COLUMN, *b != '\0' ? a : a, b);
		i += take_left;
		k += same || !take_left;
	}
#undef BEST
	free(best);
	return 0;
}

int optimise_print_trace(
    const struct image *image, struct optimise *optimise, const struct optimise *plain, uint32_t index, FILE *out)
{
	const struct optimise_trace *trace = &optimise->traces[index];
	const char *name = image_function(image, trace->pc, NULL);
	struct rows left = {0}, right = {0};
	uint8_t *cache = malloc(optimise->cache_used + 4u);
	int error = -1;
	fprintf(out,
	    "\nTrace %" PRIu32 ": %s, from 0x%08" PRIx32 ", entered %s times; %" PRIu32 " -> %" PRIu32 " cycles%s\n",
	    index + 1, name != NULL ? name : "?", trace->pc, with_commas(trace->flow), trace->before, trace->after,
	    trace->root ? ", patched" : "");
	if (cache != NULL) {
		optimise_emit(optimise, cache);
		program_rows(&left, image, optimise, plain, index);
		cache_rows(&right, optimise, cache, index);
		if (!left.failed && !right.failed)
			error = print_beside(&left, &right, out);
	}
	free(cache);
	free(left.rows);
	free(right.rows);
	return error;
}

void optimise_print_dot(const struct image *image, const struct optimise *optimise, FILE *out)
{
	fprintf(out, "digraph optimise {\n\tnode [shape=box, fontname=monospace];\n");
	for (uint32_t i = 0; i < optimise->trace_count; i++) {
		const struct optimise_trace *t = &optimise->traces[i];
		const char *name = image_function(image, t->pc, NULL);
		fprintf(out,
		    "\tt%" PRIu32 " [label=\"%s\\n0x%08" PRIx32 "\\n%" PRIu32 " instructions, %" PRIu32 " -> %" PRIu32
		    " cycles\\n%" PRIu32 " times\"%s];\n",
		    i, name != NULL ? name : "?", t->pc, t->count, t->before, t->after, t->flow,
		    t->root ? ", penwidth=2" : "");
		for (uint32_t k = 0; k < t->count; k++) {
			const struct optimise_insn *insn = &optimise->insns[t->first + k];
			if ((insn->kind != KIND_EXIT && insn->kind != KIND_JUMP) || insn->flow == 0)
				continue;
			const struct optimise_trace *to = optimise_trace_at(optimise, insn->target);
			if (to != NULL)
				fprintf(out, "\tt%" PRIu32 " -> t%td [label=%" PRIu32 "];\n", i, to - optimise->traces,
				    insn->flow);
		}
	}
	fprintf(out, "}\n");
}
