/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Graphs as text: what stands around the tables of cfg_tables.c. */
#include "host/cmd/cfg_print.h"

#include <inttypes.h>
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

/* Why the graphs may not be the program's. */
enum cfg_doubt { DOUBT_STRIPPED, DOUBT_SECTIONS, DOUBT_UNSETTLED, DOUBT_UNRESOLVED, DOUBTS };
static const char *const cfg_doubts[DOUBTS] = {
    [DOUBT_STRIPPED] =
	"The program is stripped: functions were found by calls, pointers and gaps, and may be joined or split",
    [DOUBT_SECTIONS] = "There are no section headers: constants may have been taken for code",
    [DOUBT_UNSETTLED] = "Code that functions share was not told apart completely",
    [DOUBT_UNRESOLVED] = "Behind a jump that is not resolved the graph is incomplete: `rivulet cfg --function NAME' "
			 "shows where",
};

static bool cfg_doubtful(const struct cfg_counts *c, unsigned doubt)
{
	const bool there[DOUBTS] = {c->stripped, !c->sections, c->unsettled, c->unresolved > 0};
	return there[doubt];
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
	for (unsigned i = 0; i < DOUBTS; i++)
		if (cfg_doubtful(c, i))
			fprintf(out, "%s.\n", cfg_doubts[i]);
}

void cfg_complain_doubts(const struct cfg *cfg, const char *program)
{
	for (unsigned i = 0; i < DOUBTS; i++)
		if (cfg_doubtful(&cfg->counts, i))
			complain("%s: %s", program, cfg_doubts[i]);
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

void cfg_text(const struct cfg *cfg, FILE *out)
{
	print_cfg_totals(cfg, out);
	fprintf(out, "\n");
	cfg_put_functions(cfg, TABLE_TEXT, out);
}

int cfg_text_function(const struct cfg *cfg, uint32_t function, bool insns, FILE *out)
{
	const struct cfg_function *f = &cfg->functions[function];
	char name[CFG_NAME];
	const char *more = cfg_remarks(f);
	int error = CFG_OK;
	fprintf(out, "%s at 0x%08" PRIx64 ": %s instructions, %s blocks, %s edges, %s loops%s%s\n",
	    demangle(cfg_function_name(cfg, function, name)), f->start, with_commas(f->insns),
	    with_commas(f->block_count), with_commas(f->edge_count), with_commas(f->loop_count),
	    *more != '\0' ? " -- " : "", more);
	print_loops(cfg, f, out);
	print_tables(cfg, function, out);
	const struct table table = cfg_block_table(TABLE_TEXT, out, NULL);
	table_begin(&table);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == CFG_OK; b++) {
		const struct cfg_block *block = &cfg->blocks[b];
		char text[80];
		unsigned length;
		error = cfg_block_row(&table, cfg, function, b);
		if (error != CFG_OK)
			break;
		for (uint64_t pc = block->start;
		     insns && pc < block->end && (length = cfg_insn(cfg, pc, text, sizeof text)) > 0; pc += length)
			fprintf(out, "      %08" PRIx64 "  %s\n", pc, text);
	}
	table_end(&table);
	return error;
}
