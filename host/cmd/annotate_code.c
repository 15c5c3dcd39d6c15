/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A function: its instructions in the order of addresses, source lines above them, cold parts folded. */
#include <inttypes.h>
#include <string.h>
#include "host/cmd/annotate.h"
#include "isa/isa.h"

struct teller {
	const struct annotate *annotate;
	uint32_t function;       /* row */
	size_t first, end;       /* its instructions are among these rows */
	struct image_place last; /* source place above the last instruction */
	/* cold blocks that wait to be told as one line */
	size_t blocks, insns;
	struct account_sum sum;
	uint64_t next; /* behind the last instruction shown or folded; 0: none yet */
};

/* What this function spent in the line that stands above: all its instructions of that line, wherever they are. */
static void tell_code_line(struct teller *teller, uint32_t row)
{
	const struct annotate *n = teller->annotate;
	const struct account *a = n->profiled->account;
	const struct account_line *at = &a->lines[row];
	struct account_sum sum = {0};
	for (size_t i = teller->first; i < teller->end; i++) {
		const struct account_insn *insn = &a->insns[i];
		if (insn->line != row || insn->function != teller->function)
			continue;
		sum.insns += insn->count;
		sum.cycles += insn->cycles;
		if (sum.count < insn->count)
			sum.count = insn->count;
	}
	annotate_columns(n, &sum, false);
	struct line line = {.width = annotate_width(n) - ANNOTATE_COLUMNS};
	line_add(&line, "%s:%u", short_file(at->file, 30), at->line);
	size_t split = line.length;
	const char *source = image_source(n->profiled->image, at->file, at->line);
	if (source != NULL)
		line_add_source(&line, source);
	printf("%s%.*s%s%s\n", n->style->bold, (int)split, line.text, n->style->off, line.text + split);
}

/* The source line, and where inlined code is from, if they are not those of the instruction before. */
static void tell_place(struct teller *teller, const struct account_insn *insn)
{
	const struct annotate *n = teller->annotate;
	struct image_place places[2];
	size_t count = image_places(n->profiled->image, insn->pc, places, 2);
	const struct image_place *p = &places[0], *last = &teller->last;
	bool same = p->line == last->line && p->file == last->file;
	if (p->function != NULL && count > 1 && (last->function == NULL || strcmp(p->function, last->function) != 0))
		printf("%*s%sinlined: %s%s\n", ANNOTATE_COLUMNS, "", n->style->dim, p->function, n->style->off);
	else if (count == 1 && last->function != NULL && p->function != NULL &&
		 strcmp(p->function, last->function) != 0)
		printf("%*s%sback in %s%s\n", ANNOTATE_COLUMNS, "", n->style->dim, p->function, n->style->off);
	if (!same && insn->line != ACCOUNT_NONE)
		tell_code_line(teller, insn->line);
	teller->last = *p;
}

static void tell_text(const struct annotate *n, uint64_t pc, const struct isa_insn *insn, char *note)
{
	char text[80];
	image_format(n->profiled->image, insn, pc, text, sizeof text);
	char *operands = strchr(text, ' ');
	if (operands != NULL)
		*operands++ = '\0';
	struct line line = {.width = annotate_width(n) - ANNOTATE_COLUMNS};
	line_add(&line, "  %08" PRIx64 "  %-9s %s", pc, text, operands == NULL ? "" : operands);
	if (*note != '\0')
		line_add(&line, "%*s%s", line.length < 40 ? (int)(40 - line.length) : 1, "", note);
	printf("%s\n", line.text);
}

static void tell_insn(struct teller *teller, const struct account_insn *insn)
{
	const struct annotate *n = teller->annotate;
	const struct account *a = n->profiled->account;
	const struct account_sum sum = {.count = insn->count, .insns = insn->count, .cycles = insn->cycles};
	struct isa_insn decoded;
	char note[80] = "";
	if (!image_insn(n->profiled->image, insn->pc, 0, &decoded))
		return;
	annotate_columns(n, &sum, true);
	if ((insn->class_bits & ISA_BRANCH) != 0)
		snprintf(note, sizeof note, "taken %s, not %s", annotate_digits(n, insn->taken),
		    annotate_digits(n, insn->count - insn->taken - insn->unknown));
	else if ((insn->class_bits & ISA_JUMP) != 0) {
		uint64_t start = 0, target = isa_target(&decoded, insn->pc);
		const char *name = image_function(n->profiled->image, target, &start);
		bool other = name != NULL && start != a->functions[insn->function].start;
		if (name != NULL && (other || (insn->class_bits & ISA_CALL) != 0))
			snprintf(note, sizeof note, "%s", name);
	}
	tell_text(n, insn->pc, &decoded, note);
}

static void unfold_lines(struct teller *teller)
{
	const struct annotate *n = teller->annotate;
	if (teller->blocks == 0)
		return;
	teller->sum.count = 0;
	annotate_columns(n, &teller->sum, false);
	printf("%s  ... %s instructions in %s cold block%s (--all shows them)%s\n", n->style->dim,
	    with_commas(teller->insns), with_commas(teller->blocks), teller->blocks == 1 ? "" : "s", n->style->off);
	teller->blocks = teller->insns = 0;
	teller->sum = (struct account_sum){0};
	teller->last = (struct image_place){0};
}

/* Code between two blocks that was not executed: with --all as instructions, if it is of this function. */
static void tell_gap(struct teller *teller, uint64_t from, uint64_t to)
{
	const struct annotate *n = teller->annotate;
	const struct account_sum none = {0};
	if (!n->all || from == 0 || from >= to)
		return;
	for (uint64_t pc = from; pc < to;) {
		struct isa_insn decoded;
		char note[] = "not executed";
		uint64_t start = 0;
		if (!image_insn(n->profiled->image, pc, 0, &decoded))
			return;
		if (image_function(n->profiled->image, pc, &start) != NULL &&
		    start != n->profiled->account->functions[teller->function].start)
			return;
		printf("%s", n->style->dim);
		annotate_columns(n, &none, false);
		tell_text(n, pc, &decoded, note);
		printf("%s", n->style->off);
		pc += decoded.length;
	}
	teller->last = (struct image_place){0};
}

static void tell_title(const struct annotate *n, const struct account_row *row)
{
	const struct account *a = n->profiled->account;
	const struct account_function *f = &a->functions[row->row];
	const struct style *s = n->style;
	printf("%s%s%s  %.2f%%", s->bold, shown_name(f->name, f->start), s->off, 100 * row->share);
	if (a->sampled)
		printf(" +/- %s", error_text(row->error));
	printf(" of the %s, entered %s%s times", a->timed ? "cycles" : "instructions", a->period > 1 ? "~" : "",
	    with_unit(a->period * (double)f->self.count));
	if (f->file != NULL)
		printf("  %s%s:%u%s", s->dim, short_file(f->file, 30), f->line, s->off);
	printf("\n");
	annotate_head(n, "line / address, instruction");
}

void annotate_function(const struct annotate *n, const struct account_row *row)
{
	const struct account *a = n->profiled->account;
	const double cold = n->all ? -1 : n->hot / ANNOTATE_COLD;
	const struct account_insn *first = account_find(a, row->address), *last = account_find(a, row->last);
	if (first == NULL || last == NULL)
		return;
	struct teller teller = {.annotate = n,
	    .function = row->row,
	    .first = (size_t)(first - a->insns),
	    .end = (size_t)(last - a->insns) + 1};
	tell_title(n, row);
	for (size_t b = first->block; b <= last->block; b++) {
		const struct account_block *block = &a->blocks[b];
		if (block->function != row->row)
			continue;
		tell_gap(&teller, teller.next, block->start);
		teller.next = block->next;
		if (account_share(a, &block->sum) < cold) {
			teller.blocks++;
			teller.insns += block->insn_count;
			teller.sum.insns += block->sum.insns;
			teller.sum.cycles += block->sum.cycles;
			continue;
		}
		unfold_lines(&teller);
		for (uint32_t i = 0; i < block->insn_count; i++) {
			const struct account_insn *insn = &a->insns[block->insn + i];
			if (!account_passes(&n->filter, n->profiled->image, insn->pc))
				continue;
			tell_place(&teller, insn);
			tell_insn(&teller, insn);
		}
	}
	unfold_lines(&teller);
}
