/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where the time goes, by function, inlined function, line, basic block, path or call. */
#include <inttypes.h>
#include <math.h>
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
static bool narrow_terminal(const struct report *r)
{
	return report_width(r) < LINE_WIDTH;
}

/* Where the row is, if there is room: the name before it matters more. */
static void add_line_span(struct line *line, const char *file, unsigned first, unsigned last)
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

static void add_row_place(struct line *line, const struct account_row *row)
{
	add_line_span(line, row->file, row->line, row->line);
}

static void tell_block(const struct account *a, const struct account_row *row, struct line *line)
{
	const struct account_block *block = &a->blocks[row->row];
	const struct account_insn *last = &a->insns[block->insn + block->insn_count - 1];
	line_add(line, "%08" PRIx64 "-%02" PRIx64, block->start, block->last & 0xFF);
	line_add(line, "  %s", shown_name(row->name, row->address));
	if (block->exit == ACCOUNT_BRANCHES && last->count > 0)
		line_add(line, "  taken %.0f%%", 100 * (double)last->taken / (double)last->count);
	add_row_place(line, row);
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
	add_line_span(line, row->file, first, last);
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
	add_row_place(line, row);
}

static void tell_row(const struct report *r, const struct account_row *row, struct line *line)
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
		tell_call(a, row, narrow_terminal(r), line);
		return;
	case ACCOUNT_BY_CLASS:
		line_add(line, "%s", row->name);
		return;
	default:
		line_add(line, "%s", shown_name(row->name, row->address));
		break;
	}
	if (r->by == ACCOUNT_BY_INLINED || r->wide) /* a function's name says enough */
		add_row_place(line, row);
}

/* Exact costs of calls hold those of the calls inside: they do not add up. */
static bool nested_costs(const struct report *r)
{
	return r->by == ACCOUNT_BY_CALL && report_account(r)->exact_calls;
}

/* Its calls say more than how often its first instruction ran. */
static bool narrow_functions(const struct report *r)
{
	return narrow_terminal(r) && r->by == ACCOUNT_BY_FUNCTION && report_account(r)->exact_calls;
}

enum {
	COLUMN_RANK,
	COLUMN_SHARE,
	COLUMN_ERROR,
	COLUMN_SUM,
	COLUMN_COUNT,
	COLUMN_INSNS,
	COLUMN_CYCLES,
	COLUMN_EACH,
	COLUMN_INCLUSIVE,
	COLUMN_CALLS,
	COLUMN_RECURSIVE,
	COLUMN_LEAST,
	COLUMN_MOST,
	COLUMN_WHAT,
	COLUMN_FUNCTION,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_ADDRESS,
	COLUMN_LAST,
	COLUMN_INCLUSIVE_INSNS,
	COLUMN_INCLUSIVE_CYCLES,
	COLUMN_SEEN,
	COLUMN_DEPTH,
	COLUMN_INLINED_IN,
	COLUMN_EXIT,
	COLUMN_TAKEN,
	COLUMN_NOT_TAKEN,
	COLUMN_LENGTH,
	COLUMN_CALLEE,
	COLUMN_CALLEE_ADDRESS,
	COLUMN_TAIL,
	COLUMN_TRAP,
	COLUMN_SELF_LEAST,
	COLUMN_SELF_MOST,
	COLUMNS
};

static const struct table_column all_columns[COLUMNS] = {
    [COLUMN_RANK] = {.title = "#", .form = TABLE_PLAIN, .width = 4},
    [COLUMN_SHARE] = {.title = "share", .key = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [COLUMN_ERROR] = {.title = "+/-", .key = "error", .form = TABLE_REAL, .width = 5},
    [COLUMN_SUM] = {.title = "sum", .key = "sum", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [COLUMN_COUNT] = {.title = "count", .key = "count", .form = TABLE_ROUND, .width = 7},
    [COLUMN_INSNS] = {.title = "insns", .key = "instructions", .form = TABLE_ROUND, .width = 7},
    [COLUMN_CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_ROUND, .width = 8},
    [COLUMN_EACH] = {.title = "c/insn", .form = TABLE_REAL, .width = 6, .decimals = 2},
    [COLUMN_INCLUSIVE] = {.title = "incl.", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [COLUMN_CALLS] = {.title = "calls", .key = "calls", .form = TABLE_ROUND, .width = 7},
    [COLUMN_RECURSIVE] = {.title = "recurs.", .key = "recursive_calls", .form = TABLE_ROUND, .width = 7},
    [COLUMN_LEAST] = {.title = "least", .key = "least_cycles", .form = TABLE_ROUND, .width = 7},
    [COLUMN_MOST] = {.title = "most", .key = "most_cycles", .form = TABLE_ROUND, .width = 7},
    [COLUMN_WHAT] = {.title = "function", .form = TABLE_WORDS, .gap = "  "},
    [COLUMN_FUNCTION] = {.key = "function", .form = TABLE_WORDS},
    [COLUMN_FILE] = {.key = "file", .form = TABLE_WORDS},
    [COLUMN_LINE] = {.key = "line", .form = TABLE_PLAIN},
    [COLUMN_ADDRESS] = {.key = "address", .form = TABLE_ADDRESS, .decimals = 8},
    [COLUMN_LAST] = {.key = "last", .form = TABLE_ADDRESS, .decimals = 8},
    [COLUMN_INCLUSIVE_INSNS] = {.key = "inclusive_instructions", .form = TABLE_COUNT},
    [COLUMN_INCLUSIVE_CYCLES] = {.key = "inclusive_cycles", .form = TABLE_COUNT},
    [COLUMN_SEEN] = {.key = "calls_seen", .form = TABLE_COUNT},
    [COLUMN_DEPTH] = {.key = "depth", .form = TABLE_COUNT},
    [COLUMN_INLINED_IN] = {.key = "inlined_in", .form = TABLE_WORDS},
    [COLUMN_EXIT] = {.key = "exit", .form = TABLE_WORDS},
    [COLUMN_TAKEN] = {.key = "taken", .form = TABLE_COUNT},
    [COLUMN_NOT_TAKEN] = {.key = "not_taken", .form = TABLE_COUNT},
    [COLUMN_LENGTH] = {.key = "length", .form = TABLE_COUNT},
    [COLUMN_CALLEE] = {.key = "callee", .form = TABLE_WORDS},
    [COLUMN_CALLEE_ADDRESS] = {.key = "callee_address", .form = TABLE_ADDRESS, .decimals = 8},
    [COLUMN_TAIL] = {.key = "tail_call", .form = TABLE_TRUTH},
    [COLUMN_TRAP] = {.key = "trap", .form = TABLE_TRUTH},
    [COLUMN_SELF_LEAST] = {.key = "callee_self_least", .form = TABLE_COUNT},
    [COLUMN_SELF_MOST] = {.key = "callee_self_most", .form = TABLE_COUNT},
};

#define BITS(first, last) ((TABLE_BIT(last) << 1) - TABLE_BIT(first))

/* What a view has no column for. */
static uint64_t absent_columns(const struct report *r)
{
	const struct account *a = report_account(r);
	uint64_t absent = BITS(COLUMN_INCLUSIVE, COLUMN_MOST) | BITS(COLUMN_INCLUSIVE_INSNS, COLUMN_SELF_MOST);
	if (r->by == ACCOUNT_BY_FUNCTION) {
		absent &= ~(TABLE_BIT(COLUMN_INCLUSIVE) | BITS(COLUMN_INCLUSIVE_INSNS, COLUMN_SEEN));
		if (a->exact_calls)
			absent &= ~(TABLE_BIT(COLUMN_CALLS) | TABLE_BIT(COLUMN_RECURSIVE) | TABLE_BIT(COLUMN_DEPTH));
	} else if (r->by == ACCOUNT_BY_INLINED)
		absent &= ~TABLE_BIT(COLUMN_INLINED_IN);
	else if (r->by == ACCOUNT_BY_BLOCK)
		absent &= ~BITS(COLUMN_EXIT, COLUMN_NOT_TAKEN);
	else if (r->by == ACCOUNT_BY_PATH)
		absent &= ~TABLE_BIT(COLUMN_LENGTH);
	else if (r->by == ACCOUNT_BY_CALL) {
		absent &= ~BITS(COLUMN_CALLEE, COLUMN_TRAP);
		if (a->extremes)
			absent &= ~(TABLE_BIT(COLUMN_LEAST) | TABLE_BIT(COLUMN_MOST) |
				    BITS(COLUMN_SELF_LEAST, COLUMN_SELF_MOST));
	}
	return absent;
}

/* What people do not see of it: it says nothing, or there is no room. */
static uint64_t hidden_code_columns(const struct report *r)
{
	const struct account *a = report_account(r);
	uint64_t hidden = 0;
	if (!a->sampled)
		hidden |= TABLE_BIT(COLUMN_ERROR);
	if (nested_costs(r) || narrow_terminal(r))
		hidden |= TABLE_BIT(COLUMN_SUM);
	if (narrow_functions(r))
		hidden |= TABLE_BIT(COLUMN_COUNT);
	if (!a->timed)
		hidden |= TABLE_BIT(COLUMN_CYCLES);
	if (!a->timed || narrow_terminal(r))
		hidden |= TABLE_BIT(COLUMN_EACH);
	if (narrow_terminal(r))
		hidden |= TABLE_BIT(COLUMN_RECURSIVE);
	return hidden;
}

static struct table_cell scaled_cell(const struct report *r, uint64_t value)
{
	return table_shown(table_number(value), with_unit(report_account(r)->period * (double)value));
}

static void fill_function(const struct report *r, const struct account_row *row, struct table_cell *cells)
{
	const struct account *a = report_account(r);
	const struct account_sum inclusive = {.insns = row->inclusive_insns, .cycles = row->inclusive_cycles};
	cells[COLUMN_INCLUSIVE] = table_real(account_share(a, &inclusive));
	cells[COLUMN_CALLS] = table_number(row->calls);
	cells[COLUMN_RECURSIVE] = table_number(row->recursive);
	if (row->recursive == 0)
		cells[COLUMN_RECURSIVE].shown = "-";
	cells[COLUMN_INCLUSIVE_INSNS] = table_number(row->inclusive_insns);
	cells[COLUMN_INCLUSIVE_CYCLES] = table_number(row->inclusive_cycles);
	cells[COLUMN_SEEN] = table_number(a->functions[row->row].callers);
	cells[COLUMN_DEPTH] = table_number(a->functions[row->row].depth);
}

static void fill_block_cells(const struct report *r, const struct account_row *row, struct table_cell *cells)
{
	static const char *const exits[] = {[ACCOUNT_FALLS] = "falls",
	    [ACCOUNT_BRANCHES] = "branch",
	    [ACCOUNT_JUMPS] = "jump",
	    [ACCOUNT_CALLS] = "call",
	    [ACCOUNT_RETURNS] = "return",
	    [ACCOUNT_GOES_INDIRECT] = "indirect"};
	const struct account *a = report_account(r);
	const struct account_block *block = &a->blocks[row->row];
	const struct account_insn *last = &a->insns[block->insn + block->insn_count - 1];
	cells[COLUMN_EXIT] = table_words(exits[block->exit]);
	if (block->exit != ACCOUNT_BRANCHES)
		return;
	cells[COLUMN_TAKEN] = table_number(last->taken);
	cells[COLUMN_NOT_TAKEN] = table_number(last->count - last->taken - last->unknown);
}

static void fill_call(const struct report *r, const struct account_row *row, struct table_cell *cells)
{
	const struct account *a = report_account(r);
	const struct account_call *call = &a->calls[row->row];
	const struct account_function *callee =
	    call->callee_row == ACCOUNT_NONE ? NULL : &a->functions[call->callee_row];
	cells[COLUMN_CALLEE] = table_words(row->callee);
	cells[COLUMN_CALLEE_ADDRESS] = call->callee == ACCOUNT_NOWHERE ? table_unknown() : table_number(call->callee);
	cells[COLUMN_TAIL] = table_number(call->kind == ACCOUNT_TAIL_CALL);
	cells[COLUMN_TRAP] = table_number(call->kind == ACCOUNT_TRAP_CALL);
	cells[COLUMN_LEAST] = table_number(call->least);
	cells[COLUMN_MOST] = table_number(call->most);
	cells[COLUMN_SELF_LEAST] = table_number(callee == NULL ? 0 : callee->least);
	cells[COLUMN_SELF_MOST] = table_number(callee == NULL ? 0 : callee->most);
}

static void fill_special(const struct report *r, const struct account_row *row, struct table_cell *cells)
{
	const struct account *a = report_account(r);
	if (r->by == ACCOUNT_BY_FUNCTION)
		fill_function(r, row, cells);
	else if (r->by == ACCOUNT_BY_INLINED) {
		const struct account_inlined *inlined = &a->inlined[row->row];
		const struct account_function *in = &a->functions[inlined->function];
		cells[COLUMN_INLINED_IN] = table_words(inlined->inlined ? function_name(in->name, in->start) : NULL);
	} else if (r->by == ACCOUNT_BY_BLOCK)
		fill_block_cells(r, row, cells);
	else if (r->by == ACCOUNT_BY_PATH)
		cells[COLUMN_LENGTH] = table_number(a->paths[row->row].length);
	else if (r->by == ACCOUNT_BY_CALL)
		fill_call(r, row, cells);
}

/* The blocks of a path, which are JSON's alone. */
static void put_path_blocks(struct json *j, const struct account *a, const struct account_path *path)
{
	json_array(j, "blocks");
	for (uint32_t i = 0; i < path->length; i++) {
		const struct account_insn *insn = &a->insns[a->path_insns[path->at + i]];
		if (i == 0 || a->blocks[insn->block].start == insn->pc)
			json_hex(j, NULL, insn->pc, 8);
	}
	json_array_end(j);
}

static void put_code_row(
    const struct report *r, const struct table *table, const struct account_row *row, size_t rank, double sum)
{
	const struct account *a = report_account(r);
	struct line line = {.width = table_room(table)};
	struct table_cell cells[COLUMNS] = {[COLUMN_RANK] = table_styled(table_number(rank), r->style->bold),
	    [COLUMN_SHARE] = table_styled(table_real(row->share), row->share >= 0.1 ? r->style->hot : NULL),
	    [COLUMN_ERROR] = table_shown(table_real(row->error < 0 ? NAN : row->error), error_text(row->error)),
	    [COLUMN_SUM] = table_real(sum),
	    [COLUMN_COUNT] = scaled_cell(r, row->sum.count),
	    [COLUMN_INSNS] = scaled_cell(r, row->sum.insns),
	    [COLUMN_CYCLES] = scaled_cell(r, row->sum.cycles),
	    [COLUMN_EACH] = row->sum.insns > 0 ? table_real((double)row->sum.cycles / (double)row->sum.insns)
					       : table_shown(table_unknown(), "-"),
	    [COLUMN_FUNCTION] = table_words(row->name),
	    [COLUMN_FILE] = table_words(row->file),
	    [COLUMN_LINE] = table_number(row->line),
	    [COLUMN_ADDRESS] = table_number(row->address),
	    [COLUMN_LAST] = table_number(row->last)};
	fill_special(r, row, cells);
	if (table->format == TABLE_TEXT || table->format == TABLE_MARKDOWN)
		tell_row(r, row, &line);
	cells[COLUMN_WHAT] = table_words(line.text);
	table_row_open(table, cells);
	if (table->format == TABLE_JSON && r->by == ACCOUNT_BY_PATH)
		put_path_blocks(table->json, a, &a->paths[row->row]);
	table_row_end(table);
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
		    narrow_terminal(r) ? "." : "; recurs.: of these, while it was on the stack.");
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

/* The titles, with the mark of what is scaled up. */
static void make_code_columns(const struct report *r, struct table_column *columns)
{
	memcpy(columns, all_columns, sizeof all_columns);
	columns[COLUMN_WHAT].title = titles[r->by];
	if (report_account(r)->period <= 1)
		return;
	columns[COLUMN_COUNT].title = "~count";
	columns[COLUMN_INSNS].title = "~insns";
	columns[COLUMN_CYCLES].title = "~cycles";
}

/* Below the table: what of it is not shown. */
static void print_code_rest(const struct report *r, size_t rest, double share)
{
	const struct style *s = r->style;
	if (nested_costs(r))
		printf("%s     %s more (--top 0 shows all)%s\n", s->dim, with_commas(rest), s->off);
	else
		printf("%s     %6.2f%% in %s more (--top 0 shows all)%s\n", s->dim, 100 * share, with_commas(rest),
		    s->off);
}

static enum account_order order_of(const struct report *r)
{
	if (r->order >= 0)
		return (enum account_order)r->order;
	if (r->by == ACCOUNT_BY_CALL && (r->format == TABLE_JSON || !report_account(r)->exact_calls))
		return ACCOUNT_BY_COUNT;
	return ACCOUNT_BY_MEASURE;
}

int report_code(const struct report *r, struct json *json)
{
	const bool text = r->format == TABLE_TEXT;
	struct table_column columns[COLUMNS];
	struct account_row *rows;
	size_t count;
	double sum = 0, all = 0;
	if (account_rows(report_account(r), r->profiled->image,
		&(struct account_query){(enum account_by)r->by, &r->filter, order_of(r)}, &rows,
		&count) != ACCOUNT_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < count; i++)
		all += rows[i].share;
	make_code_columns(r, columns);
	const struct table table = {.columns = columns,
	    .count = COLUMNS,
	    .format = r->format,
	    .out = stdout,
	    .json = json,
	    .name = "rows",
	    .style = r->style,
	    .hidden = hidden_code_columns(r),
	    .absent = absent_columns(r),
	    .tall = true,
	    .width = report_width(r)};
	if (json != NULL)
		json_number(json, "rows_passing", count);
	else if (text)
		printf("\n");
	table_begin(&table);
	if (text && count == 0)
		printf("%s     nothing passes the filter%s\n", r->style->dim, r->style->off);
	for (size_t i = 0; i < count && i < r->top; i++) {
		sum += rows[i].share;
		put_code_row(r, &table, &rows[i], i + 1, sum);
	}
	table_end(&table);
	if (text && r->top < count)
		print_code_rest(r, count - (size_t)r->top, all - sum);
	if (text)
		print_notes(r);
	free(rows);
	return STATUS_OK;
}
