/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where the time goes, by function, inlined function, line, basic block, path or call. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/report.h"

static const char *const titles[] = {[ACCOUNT_BY_FUNCTION] = "function",
    [ACCOUNT_BY_INLINED] = "function as written, where it is",
    [ACCOUNT_BY_LINE] = "line",
    [ACCOUNT_BY_BLOCK] = "block, function, line",
    [ACCOUNT_BY_CLASS] = "class of instructions",
    [ACCOUNT_BY_PATH] = "path within a function",
    [ACCOUNT_BY_CALL] = "call, callee"};

/* On a terminal of few columns: without what can be worked out from the others. */
static bool narrow(const struct report *r)
{
	return report_width(r) < LINE_WIDTH;
}

/* Where the row is, if there is room: the name before it matters more. */
static void add_lines(struct line *line, const char *file, unsigned first, unsigned last)
{
	char text[256];
	if (file == NULL)
		return;
	int length = snprintf(text, sizeof text, "  %.200s:%u", short_file(file, 30), first);
	if (first != last)
		length += snprintf(text + length, sizeof text - (size_t)length, "-%u", last);
	if (!line->cut && line->length + (size_t)length <= line->width)
		line_add(line, "%s", text);
}

static void add_place(struct line *line, const struct account_row *row)
{
	add_lines(line, row->file, row->line, row->line);
}

static void tell_block(const struct account *a, const struct account_row *row, struct line *line)
{
	const struct account_block *block = &a->blocks[row->row];
	const struct account_insn *last = &a->insns[block->insn + block->insn_count - 1];
	line_add(line, "%08" PRIx64 "-%02" PRIx64, block->start, block->last & 0xFF);
	line_add(line, "  %s", shown_name(row->name, row->address));
	if (block->exit == ACCOUNT_BRANCHES && last->count > 0)
		line_add(line, "  taken %.0f%%", 100 * (double)last->taken / (double)last->count);
	add_place(line, row);
}

/* The lines of a path: the first instruction's file, from its lowest line to its highest. */
static void tell_path(const struct account *a, const struct account_row *row, struct line *line)
{
	const struct account_path *path = &a->paths[row->row];
	unsigned first = row->line, last = row->line;
	for (uint32_t i = 0; i < path->length; i++) {
		uint32_t index = a->insns[a->path_insns[path->at + i]].line;
		const struct account_line *at = index == ACCOUNT_NONE ? NULL : &a->lines[index];
		if (at == NULL || row->file == NULL || strcmp(at->file, row->file) != 0)
			continue;
		first = at->line < first ? at->line : first;
		last = at->line > last ? at->line : last;
	}
	line_add(line, "%s", shown_name(row->name, row->address));
	line_add(line, "  %08" PRIx64, row->address);
	line_add(line, "  %" PRIu32 " insns", path->length);
	add_lines(line, row->file, first, last);
}

static void tell_call(const struct account *a, const struct account_row *row, bool narrow, struct line *line)
{
	const struct account_call *call = &a->calls[row->row];
	const struct account_function *caller = &a->functions[call->function];
	if (narrow) /* the callee says more than where in its caller it stands */
		line_add(line, "%s ->", shown_name(row->name, caller->start));
	else
		line_add(
		    line, "%s+0x%" PRIx64 " ->", shown_name(row->name, caller->start), row->address - caller->start);
	line_add(line, " %s", call->callee == ACCOUNT_NOWHERE ? "(indirect)" : shown_name(row->callee, call->callee));
	if (call->kind == ACCOUNT_TAIL_CALL)
		line_add(line, " (tail call)");
	else if (call->kind == ACCOUNT_TRAP_CALL)
		line_add(line, " (trap)");
	add_place(line, row);
}

static void tell(const struct report *r, const struct account_row *row, struct line *line)
{
	const struct account *a = report_account(r);
	switch (r->by) {
	case ACCOUNT_BY_LINE:
		if (row->file == NULL) {
			line_add(line, "(code without a line)");
			return;
		}
		line_add(line, "%s:%u", short_file(row->file, 30), row->line);
		const char *source = image_source(r->profiled->image, row->file, row->line);
		if (source != NULL)
			line_add_source(line, source);
		return;
	case ACCOUNT_BY_INLINED:
		line_add(line, "%s", shown_name(row->name, row->address));
		if (a->inlined[row->row].inlined) {
			const struct account_function *in = &a->functions[a->inlined[row->row].function];
			line_add(line, ", inlined in %s", shown_name(in->name, in->start));
		}
		break;
	case ACCOUNT_BY_BLOCK:
		tell_block(a, row, line);
		return;
	case ACCOUNT_BY_PATH:
		tell_path(a, row, line);
		return;
	case ACCOUNT_BY_CALL:
		tell_call(a, row, narrow(r), line);
		return;
	case ACCOUNT_BY_CLASS:
		line_add(line, "%s", row->name);
		return;
	default:
		line_add(line, "%s", shown_name(row->name, row->address));
		break;
	}
	if (r->by == ACCOUNT_BY_INLINED || r->wide) /* a function's name says enough */
		add_place(line, row);
}

/* Exact costs of calls hold those of the calls inside: they do not add up. */
static bool nested(const struct report *r)
{
	return r->by == ACCOUNT_BY_CALL && report_account(r)->exact_calls;
}

/* Its calls say more than how often its first instruction ran. */
static bool narrow_functions(const struct report *r)
{
	return narrow(r) && r->by == ACCOUNT_BY_FUNCTION && report_account(r)->exact_calls;
}

static void print_head(const struct report *r)
{
	const struct account *a = report_account(r);
	const char *mark = a->period > 1 ? "~" : "";
	char count[16], insns[16], cycles[16];
	snprintf(count, sizeof count, "%scount", mark);
	snprintf(insns, sizeof insns, "%sinsns", mark);
	snprintf(cycles, sizeof cycles, "%scycles", mark);
	printf("\n%s%4s %7s", r->style->dim, "#", "share");
	if (a->sampled)
		printf(" %5s", "+/-");
	if (!nested(r) && !narrow(r))
		printf(" %7s", "sum");
	if (!narrow_functions(r))
		printf(" %7s", count);
	printf(" %7s", insns);
	if (a->timed)
		printf(" %8s", cycles);
	if (a->timed && !narrow(r))
		printf(" %6s", "c/insn");
	if (r->by == ACCOUNT_BY_FUNCTION)
		printf(" %7s", "incl.");
	if (r->by == ACCOUNT_BY_FUNCTION && a->exact_calls)
		printf(narrow(r) ? " %7s" : " %7s %7s", "calls", "recurs.");
	if (r->by == ACCOUNT_BY_CALL && a->extremes)
		printf(" %7s %7s", "least", "most");
	printf("  %s%s\n", titles[r->by], r->style->off);
}

static void print_row(const struct report *r, const struct account_row *row, size_t rank, double sum)
{
	const struct account *a = report_account(r);
	const struct style *s = r->style;
	struct line line = {.width = report_width(r)};
	printf("%s%4zu%s %s%6.2f%%%s", s->bold, rank, s->off, row->share >= 0.1 ? s->hot : "", 100 * row->share,
	    row->share >= 0.1 ? s->off : "");
	line.width -= 4 + 8 + 8 + 2;
	if (a->sampled) {
		printf(" %5s", error_text(row->error));
		line.width -= 6;
	}
	if (!nested(r) && !narrow(r)) {
		printf(" %6.2f%%", 100 * sum);
		line.width -= 8;
	}
	if (!narrow_functions(r)) {
		printf(" %7s", with_unit(a->period * (double)row->sum.count));
		line.width -= 8;
	}
	printf(" %7s", with_unit(a->period * (double)row->sum.insns));
	if (a->timed) {
		printf(" %8s", with_unit(a->period * (double)row->sum.cycles));
		line.width -= 9;
	}
	if (a->timed && !narrow(r)) {
		if (row->sum.insns > 0)
			printf(" %6.2f", (double)row->sum.cycles / (double)row->sum.insns);
		else
			printf(" %6s", "-");
		line.width -= 7;
	}
	if (r->by == ACCOUNT_BY_FUNCTION) {
		struct account_sum inclusive = {.insns = row->inclusive_insns, .cycles = row->inclusive_cycles};
		printf(" %6.2f%%", 100 * account_share(a, &inclusive));
		line.width -= 8;
		if (a->exact_calls) {
			printf(" %7s", with_unit((double)row->calls));
			if (!narrow(r))
				printf(" %7s", row->recursive == 0 ? "-" : with_unit((double)row->recursive));
			line.width -= narrow(r) ? 8 : 16;
		}
	}
	if (r->by == ACCOUNT_BY_CALL && a->extremes) {
		printf(" %7s", with_unit((double)a->calls[row->row].least));
		printf(" %7s", with_unit((double)a->calls[row->row].most));
		line.width -= 16;
	}
	tell(r, row, &line);
	printf("  %s\n", line.text);
}

static void print_notes(const struct report *r)
{
	const struct account *a = report_account(r);
	const struct style *s = r->style;
	printf("%s", s->dim);
	printf("\nShares are of the %s.", a->timed ? "cycles" : "instructions");
	if (a->timed)
		printf("\nThose of a trace are shared out to its instructions %s.",
		    r->weights == ACCOUNT_EQUAL ? "in equal parts" : "by the rules of the core");
	if (a->exact_calls && a->shared_cycles == 0)
		printf("\nAll of them are exact.");
	else if (a->exact_calls)
		printf("\n%s of them (%.3f%%) may belong to a neighbour in their record.",
		    with_commas(a->shared_cycles), 100 * (double)a->shared_cycles / (double)a->accounted.cycles);
	if (r->by == ACCOUNT_BY_FUNCTION && a->exact_calls)
		printf("\nincl.: with all that it calls. calls: of it%s",
		    narrow(r) ? "." : "; recurs.: of these, while it was on the stack.");
	else if (r->by == ACCOUNT_BY_FUNCTION && a->counted_calls)
		printf("\nincl.: with what it calls. What several functions call is shared out by how\n"
		       "often each calls it; what is called by a register is with nobody.");
	else if (r->by == ACCOUNT_BY_FUNCTION)
		printf("\nincl.: with what it calls, as far as single traces show it: at least.%s",
		    r->profiled->loaded.profile.header.source == PROFILE_QEMU ? ""
									      : "\nIt is exact from a record file.");
	if (r->by == ACCOUNT_BY_CALL && a->exact_calls)
		printf(
		    "\nInstructions and cycles: in the callee and all that it calls;\ninside itself (recursion) once.");
	if (r->by == ACCOUNT_BY_CLASS)
		printf("\nAn instruction's cycles hold what it waits for: a load, the refill behind a\nbranch.");
	if (r->by == ACCOUNT_BY_CALL && a->extremes)
		printf("\nleast, most: cycles of one call.");
	if (r->by == ACCOUNT_BY_CALL && a->counted_calls)
		printf("\nInstructions: in the callee and what it calls, shared out by how often each\n"
		       "calls it; none where functions call each other, or by a register.");
	else if (r->by == ACCOUNT_BY_CALL && !a->exact_calls)
		printf("\nInstructions and cycles: in the callee, as far as single traces show it:\nat least.");
	if (a->exact_calls && !r->profiled->loaded.whole)
		printf("\nRecords are missing: calls and what they cost are at least these.");
	if (r->by == ACCOUNT_BY_LINE || r->by == ACCOUNT_BY_INLINED)
		printf("\n%scount: that of the most executed instruction.", a->period > 1 ? "~" : "");
	printf("%s\n", s->off);
}

int report_code(const struct report *r)
{
	const struct account *a = report_account(r);
	const struct style *s = r->style;
	struct account_row *rows;
	size_t count;
	double sum = 0, all = 0;
	enum account_order order = r->order >= 0                                 ? (enum account_order)r->order
				   : r->by == ACCOUNT_BY_CALL && !a->exact_calls ? ACCOUNT_BY_COUNT
										 : ACCOUNT_BY_MEASURE;
	if (account_rows(a, r->profiled->image, (enum account_by)r->by, &r->filter, order, &rows, &count) !=
	    ACCOUNT_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < count; i++)
		all += rows[i].share;
	print_head(r);
	if (count == 0)
		printf("%s     nothing passes the filter%s\n", s->dim, s->off);
	for (size_t i = 0; i < count && i < r->top; i++) {
		sum += rows[i].share;
		print_row(r, &rows[i], i + 1, sum);
	}
	if (r->top < count && nested(r))
		printf("%s     %s more (--top 0 shows all)%s\n", s->dim, with_commas(count - (size_t)r->top), s->off);
	else if (r->top < count)
		printf("%s     %6.2f%% in %s more (--top 0 shows all)%s\n", s->dim, 100 * (all - sum),
		    with_commas(count - (size_t)r->top), s->off);
	print_notes(r);
	free(rows);
	return STATUS_OK;
}
