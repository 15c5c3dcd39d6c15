/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Graphs as text. */
#include "host/cmd/cfg_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include "host/base/demangle.h"
#include "host/cmd/cmd.h"
#include "isa/isa.h"

unsigned cfg_insn(const struct cfg *cfg, uint64_t pc, char *text, size_t size)
{
	struct isa_insn insn;
	if (!image_insn(cfg->image, pc, 0, &insn))
		return 0;
	image_format(cfg->image, &insn, pc, text, size);
	return insn.length;
}

static void print_plural(FILE *out, uint32_t count, const char *one, const char *many)
{
	fprintf(out, "%s %s", with_commas(count), count == 1 ? one : many);
}

/* Prints how much of the code was understood. */
static void print_cfg_totals(const struct cfg *cfg, FILE *out)
{
	const struct cfg_counts *c = &cfg->counts;
	print_plural(out, c->functions, "function", "functions");
	fprintf(out, " (");
	for (unsigned i = 0, shown = 0; i < 6; i++) {
		if (c->origins[i] > 0)
			fprintf(
			    out, "%s%s %s", shown++ > 0 ? ", " : "", with_commas(c->origins[i]), cfg_origin_name(i));
	}
	fprintf(out, "), ");
	print_plural(out, c->blocks, "block", "blocks");
	fprintf(out, ", ");
	print_plural(out, c->edges, "edge", "edges");
	fprintf(out, ", ");
	print_plural(out, c->insns, "instruction", "instructions");
	fprintf(out, "\n");
	print_plural(out, c->loops, "loop", "loops");
	fprintf(out,
	    ", %s irreducible; calls: %s direct, %s indirect, %s without return; tail calls: %s direct, %s indirect\n",
	    with_commas(c->irreducible), with_commas(c->calls), with_commas(c->indirect_calls),
	    with_commas(c->no_return_calls), with_commas(c->tail_calls), with_commas(c->indirect_tail_calls));
	fprintf(out, "indirect jumps: %s resolved (%s with a guessed end), %s not resolved\n", with_commas(c->tables),
	    with_commas(c->guessed), with_commas(c->unresolved));
	fprintf(out, "code: %s of %s bytes are in blocks; ", with_commas(c->code_bytes), with_commas(c->text_bytes));
	print_plural(out, c->leftover, "block", "blocks");
	fprintf(out, " that nothing known leads to, ");
	print_plural(out, c->outside, "way", "ways");
	fprintf(out, " out of the code\n");
	if (c->stripped)
		fprintf(out,
		    "The program is stripped: functions were found by calls, pointers and gaps, and may be joined or "
		    "split.\n");
	if (!c->sections)
		fprintf(out, "There are no section headers: constants may have been taken for code.\n");
	if (c->unsettled)
		fprintf(out, "Code that functions share was not told apart completely.\n");
	if (c->unresolved > 0)
		fprintf(out,
		    "Behind a jump that is not resolved the graph is incomplete: `rivulet cfg --function NAME' "
		    "shows where.\n");
}

static const char *function_remarks(const struct cfg_function *f)
{
	static char text[96];
	snprintf(text, sizeof text, "%s%s%s%s", f->returns ? "" : " no-return", f->reducible ? "" : " irreducible",
	    f->unresolved > 0 ? " unresolved" : "", f->leftover > 0 ? " leftover" : "");
	return text;
}

void cfg_text(const struct cfg *cfg, FILE *out)
{
	char name[CFG_NAME];
	print_cfg_totals(cfg, out);
	fprintf(out, "\n%-10s %6s %6s %6s %5s  %-8s %s\n", "start", "insns", "blocks", "edges", "loops", "found by",
	    "function");
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct cfg_function *f = &cfg->functions[i];
		const char *more = function_remarks(f);
		fprintf(out, "0x%08" PRIx64 " %6" PRIu32 " %6" PRIu32 " %6" PRIu32 " %5" PRIu32 "  %-8s %s%s%s\n",
		    f->start, f->insns, f->block_count, f->edge_count, f->loop_count, cfg_origin_name(f->origin),
		    demangle(cfg_function_name(cfg, i, name)), *more != '\0' ? "  --" : "", more);
	}
}

static void print_edge(const struct cfg *cfg, const struct cfg_function *f, const struct cfg_edge *edge, FILE *out)
{
	char name[CFG_NAME];
	fprintf(out, "%s", cfg_edge_name(edge->kind));
	if (edge->to != CFG_NONE)
		fprintf(out, " B%" PRIu32, edge->to - f->blocks);
	else if (edge->kind == CFG_TAIL)
		fprintf(out, " of %s", demangle(cfg_function_name(cfg, cfg_function_at(cfg, edge->target), name)));
	else if (edge->kind == CFG_OUTSIDE)
		fprintf(out, " 0x%08" PRIx64, edge->target);
}

static void print_loops(const struct cfg *cfg, const struct cfg_function *f, FILE *out)
{
	for (uint32_t l = f->loops; l < f->loops + f->loop_count; l++) {
		const struct cfg_loop *loop = &cfg->loops[l];
		fprintf(out, "%*sloop L%" PRIu32 ": head B%" PRIu32 ", %s blocks, %s back %s%s\n",
		    (int)(2 * loop->depth), "", l - f->loops, loop->head - f->blocks, with_commas(loop->block_count),
		    with_commas(loop->latches), loop->latches == 1 ? "edge" : "edges",
		    loop->reducible ? "" : ", irreducible");
	}
}

static void print_tables(const struct cfg *cfg, uint32_t function, FILE *out)
{
	for (uint32_t i = 0; i < cfg->table_count; i++) {
		const struct cfg_table *t = &cfg->tables[i];
		if (t->function != function)
			continue;
		fprintf(out, "  indirect jump at 0x%08" PRIx64 ": ", t->site);
		if (t->targets == 0)
			fprintf(out, "not resolved\n");
		else if (t->address == 0)
			fprintf(out, "always to the same place\n");
		else
			fprintf(out, "table at 0x%08" PRIx64 ", %s entries%s, %s targets\n", t->address,
			    with_commas(t->entries), t->bounded ? "" : " (its end is a guess)",
			    with_commas(t->targets));
	}
}

void cfg_text_function(const struct cfg *cfg, uint32_t function, bool insns, FILE *out)
{
	const struct cfg_function *f = &cfg->functions[function];
	char name[CFG_NAME], callee[CFG_NAME];
	const char *more = function_remarks(f);
	fprintf(out, "%s at 0x%08" PRIx64 ": %s instructions, %s blocks, %s edges, %s loops%s%s\n",
	    demangle(cfg_function_name(cfg, function, name)), f->start, with_commas(f->insns),
	    with_commas(f->block_count), with_commas(f->edge_count), with_commas(f->loop_count),
	    *more != '\0' ? " --" : "", more);
	print_loops(cfg, f, out);
	print_tables(cfg, function, out);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct cfg_block *block = &cfg->blocks[b];
		fprintf(out, "B%-4" PRIu32 " 0x%08" PRIx64 " %4" PRIu32 " insns", b - f->blocks, block->start,
		    block->insns);
		if (block->dominator != CFG_NONE)
			fprintf(out, ", below B%" PRIu32, block->dominator - f->blocks);
		if (block->loop != CFG_NONE)
			fprintf(out, ", in L%" PRIu32, block->loop - f->loops);
		if (block->root && b != f->entry)
			fprintf(out, ", nothing known leads here");
		if (block->call == CFG_CALL)
			fprintf(out, ", calls %s", demangle(cfg_function_name(cfg, block->callee, callee)));
		else if (block->call == CFG_CALL_INDIRECT)
			fprintf(out, ", calls by a register");
		fprintf(out, ":");
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			fprintf(out, e == block->edges ? " " : ", ");
			print_edge(cfg, f, &cfg->edges[e], out);
		}
		fprintf(out, "\n");
		char text[80];
		unsigned length;
		for (uint64_t pc = block->start;
		     insns && pc < block->end && (length = cfg_insn(cfg, pc, text, sizeof text)) > 0; pc += length)
			fprintf(out, "      %08" PRIx64 "  %s\n", pc, text);
	}
}

int cfg_text_calls(const struct cfg *cfg, FILE *out)
{
	struct cfg_call_edge *calls;
	size_t count;
	char name[CFG_NAME];
	if (cfg_call_graph(cfg, &calls, &count) != CFG_OK)
		return CFG_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || calls[i].caller != calls[i - 1].caller)
			fprintf(out, "%s\n", demangle(cfg_function_name(cfg, calls[i].caller, name)));
		const char *tail = "";
		if (calls[i].tails != 0)
			tail = calls[i].tails == calls[i].sites ? "  tail" : "  some tail";
		fprintf(out, "  %6" PRIu32 "  %s%s\n", calls[i].sites,
		    calls[i].callee == CFG_NONE ? "(by a register)"
						: demangle(cfg_function_name(cfg, calls[i].callee, name)),
		    tail);
	}
	free(calls);
	fprintf(out, "%s edges; calls by a register: %s, their callees are not known\n", with_commas(count),
	    with_commas(cfg->counts.indirect_calls + cfg->counts.indirect_tail_calls));
	return CFG_OK;
}
