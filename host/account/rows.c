/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/account/rows.h"
#include "host/base/order.h"

#include "host/base/demangle.h"
#include "isa/isa.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 16

/* Whether name fits a shell pattern as a whole; file also from any "/" on. */
static bool account_name_fits(const char *pattern, const char *name)
{
	return name != NULL && (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, demangle(name), 0) == 0 ||
				   demangle_means(pattern, name));
}

static bool account_file_fits(const char *pattern, const char *file)
{
	for (; file != NULL; file = strchr(file, '/')) {
		file += *file == '/';
		if (fnmatch(pattern, file, 0) == 0)
			return true;
	}
	return false;
}

static bool file_passes(const struct account_filter *filter, const char *file, unsigned line)
{
	if (filter->file != NULL && !account_file_fits(filter->file, file))
		return false;
	return (filter->first == 0 && filter->last == 0) || (line >= filter->first && line <= filter->last);
}

bool account_passes(const struct account_filter *filter, const struct image *image, uint64_t pc)
{
	struct image_place places[PLACES];
	if (filter->addressed && (pc < filter->low || pc >= filter->high))
		return false;
	if (filter->function == NULL && filter->file == NULL && filter->last == 0)
		return true;
	size_t count = image_places(image, pc, places, PLACES);
	bool function = filter->function == NULL, place = filter->file == NULL && filter->last == 0;
	for (size_t i = 0; i < count; i++)
		function = function || account_name_fits(filter->function, places[i].function);
	if (!function) /* a symbol may have another name than DWARF gives it */
		function = account_name_fits(filter->function, image_function(image, pc, NULL));
	place = place || file_passes(filter, places[0].file, places[0].line);
	return function && place;
}

struct list {
	const struct account *account;
	const struct image *image;
	const struct account_filter *filter;
	struct account_row *rows;
	size_t count;
};

static bool has_filter(const struct account_filter *filter)
{
	return filter->function != NULL || filter->file != NULL || filter->last != 0 || filter->addressed;
}

/* Rows of one table that has an instruction which passes: by a member of struct account_insn. */
static bool *rows_that_pass(const struct list *list, size_t rows, size_t member)
{
	const struct account *a = list->account;
	bool *pass = calloc(rows + 1, sizeof *pass);
	for (size_t i = 0; i < a->insn_count && pass != NULL; i++) {
		uint32_t row;
		memcpy(&row, (const char *)&a->insns[i] + member, sizeof row);
		row = row == ACCOUNT_NONE ? (uint32_t)rows : row;
		pass[row] = pass[row] || account_passes(list->filter, list->image, a->insns[i].pc);
	}
	return pass;
}

/* Lowest and highest address of each row of a table. */
static void find_row_spans(const struct list *list, size_t rows, size_t member, uint64_t (*spans)[2])
{
	const struct account *a = list->account;
	for (size_t i = 0; i <= rows; i++)
		spans[i][0] = UINT64_MAX;
	for (size_t i = 0; i < a->insn_count; i++) {
		uint32_t row;
		memcpy(&row, (const char *)&a->insns[i] + member, sizeof row);
		row = row == ACCOUNT_NONE ? (uint32_t)rows : row;
		if (spans[row][0] == UINT64_MAX)
			spans[row][0] = a->insns[i].pc;
		spans[row][1] = a->insns[i].pc;
	}
}

static void find_row_place(const struct list *list, struct account_row *row)
{
	struct image_place place;
	image_places(list->image, row->address, &place, 1);
	row->file = place.line != 0 ? place.file : NULL;
	row->line = row->file != NULL ? place.line : 0;
}

static void written_in(const struct list *list, struct account_row *row)
{
	struct image_place place;
	image_places(list->image, row->address, &place, 1);
	row->declared = place.declared <= row->line ? place.declared : 0;
	if (place.function != NULL)
		row->name = place.function;
}

static void add_account_row(struct list *list, struct account_row row, bool known)
{
	const struct account *a = list->account;
	row.share = account_share(a, &row.sum);
	if (known)
		row.error = account_share_error(a, &row.sum);
	else if (a->sampled)
		row.error = -1;
	else
		row.error = 0;
	if (row.sum.insns > 0 || row.sum.count > 0)
		list->rows[list->count++] = row;
}

static struct account_row table_row_at(const struct list *list, enum account_by by, size_t i)
{
	const struct account *a = list->account;
	struct account_row row = {.row = (uint32_t)i};
	switch (by) {
	case ACCOUNT_BY_FUNCTION:
		row.name = a->functions[i].name;
		row.file = a->functions[i].file;
		row.line = a->functions[i].line;
		row.sum = a->functions[i].self;
		row.inclusive_insns = a->functions[i].inclusive_insns;
		row.inclusive_cycles = a->functions[i].inclusive_cycles;
		row.calls = a->functions[i].calls;
		row.recursive = a->functions[i].recursive;
		break;
	case ACCOUNT_BY_INLINED:
		row.name = a->inlined[i].name;
		row.sum = a->inlined[i].sum;
		break;
	case ACCOUNT_BY_LINE:
		if (i == a->line_count) {
			row.row = ACCOUNT_NONE;
			row.sum = a->lineless;
			break;
		}
		row.name = a->functions[a->lines[i].function].name;
		row.file = a->lines[i].file;
		row.line = a->lines[i].line;
		row.sum = a->lines[i].sum;
		break;
	default:
		row.name = a->functions[a->blocks[i].function].name;
		row.sum = a->blocks[i].sum;
		break;
	}
	return row;
}

static int add_table(struct list *list, enum account_by by, size_t count, size_t member)
{
	const struct account *a = list->account;
	bool *pass = has_filter(list->filter) ? rows_that_pass(list, count, member) : NULL;
	uint64_t(*spans)[2] = calloc(count + 1, sizeof *spans);
	list->rows = calloc(count + 1, sizeof *list->rows);
	int error = spans == NULL || list->rows == NULL || (pass == NULL && has_filter(list->filter)) ? ACCOUNT_ENOMEM
												      : ACCOUNT_OK;
	if (error == ACCOUNT_OK)
		find_row_spans(list, count, member, spans);
	for (size_t i = 0; i < count + (by == ACCOUNT_BY_LINE) && error == ACCOUNT_OK; i++) {
		struct account_row row = table_row_at(list, by, i);
		row.address = spans[i][0];
		row.last = spans[i][1];
		if (by == ACCOUNT_BY_LINE && row.row != ACCOUNT_NONE)
			written_in(list, &row);
		if (by == ACCOUNT_BY_BLOCK)
			find_row_place(list, &row);
		if (by == ACCOUNT_BY_INLINED && !a->inlined[i].inlined) {
			row.file = a->functions[a->inlined[i].function].file;
			row.line = a->functions[a->inlined[i].function].line;
		} else if (by == ACCOUNT_BY_INLINED)
			find_row_place(list, &row);
		if (pass == NULL || pass[i])
			add_account_row(list, row, true);
	}
	free(pass);
	free(spans);
	return error;
}

static int add_path_rows(struct list *list)
{
	const struct account *a = list->account;
	list->rows = calloc(a->path_count + 1, sizeof *list->rows);
	for (size_t i = 0; i < a->path_count && list->rows != NULL; i++) {
		const struct account_path *path = &a->paths[i];
		const uint32_t *insns = &a->path_insns[path->at];
		struct account_row row = {.row = (uint32_t)i,
		    .address = a->insns[insns[0]].pc,
		    .last = a->insns[insns[path->length - 1]].pc,
		    .name = a->functions[path->function].name,
		    .sum = path->sum};
		bool pass = !has_filter(list->filter);
		for (uint32_t k = 0; k < path->length && !pass; k++)
			pass = account_passes(list->filter, list->image, a->insns[insns[k]].pc);
		find_row_place(list, &row);
		if (pass)
			add_account_row(list, row, true);
	}
	return list->rows == NULL ? ACCOUNT_ENOMEM : ACCOUNT_OK;
}

static int add_calls(struct list *list)
{
	const struct account *a = list->account;
	list->rows = calloc(a->call_count + 1, sizeof *list->rows);
	for (size_t i = 0; i < a->call_count && list->rows != NULL; i++) {
		const struct account_call *call = &a->calls[i];
		struct account_row row = {.row = (uint32_t)i,
		    .address = call->pc,
		    .last = call->pc,
		    .name = a->functions[call->function].name,
		    .callee = call->callee == ACCOUNT_NOWHERE ? NULL : image_function(list->image, call->callee, NULL),
		    .sum = {.count = call->count, .insns = call->insns, .cycles = call->cycles}};
		struct account_filter rest = *list->filter;
		bool callee = rest.function != NULL && account_name_fits(rest.function, row.callee);
		if (callee)
			rest.function = NULL;
		find_row_place(list, &row);
		if (account_passes(&rest, list->image, call->pc))
			add_account_row(list, row, false);
	}
	return list->rows == NULL ? ACCOUNT_ENOMEM : ACCOUNT_OK;
}

static const char *insn_class_name(const struct isa_insn *insn)
{
	const char *name = isa_name(insn);
	unsigned bits = insn->class_bits, memory = bits & (ISA_LOAD | ISA_STORE);
	if (insn->op == ISA_WFI)
		return "[wait]";
	if (strncmp(name, "div", 3) == 0 || strncmp(name, "rem", 3) == 0)
		return "[divide]";
	if (strncmp(name, "mul", 3) == 0)
		return "[multiply]";
	if (memory != 0) {
		if (memory == ISA_LOAD)
			return "[load]";
		return memory == ISA_STORE ? "[store]" : "[atomic]";
	}
	if ((bits & (ISA_BRANCH | ISA_CALL | ISA_RETURN)) != 0) {
		if ((bits & ISA_BRANCH) != 0)
			return "[branch]";
		return (bits & ISA_CALL) != 0 ? "[call]" : "[return]";
	}
	if ((bits & (ISA_JUMP | ISA_INDIRECT)) != 0)
		return "[jump]";
	if (strncmp(name, "csr", 3) == 0 || strncmp(name, "fence", 5) == 0 || insn->op == ISA_ECALL ||
	    insn->op == ISA_EBREAK || (bits & ISA_RET) != 0)
		return "[system]";
	return name[0] == 'f' ? "[float]" : "[arithmetic]";
}

/* A row for each class that ran, in the order of appearance. */
#define CLASSES_MAX 16
static int add_classes(struct list *list)
{
	const struct account *a = list->account;
	struct account_row rows[CLASSES_MAX];
	size_t count = 0;
	for (size_t i = 0; i < a->insn_count; i++) {
		const struct account_insn *insn = &a->insns[i];
		struct isa_insn decoded;
		if (insn->count == 0 || !image_insn(list->image, insn->pc, 0, &decoded) ||
		    !account_passes(list->filter, list->image, insn->pc))
			continue;
		const char *name = insn_class_name(&decoded);
		size_t k = 0;
		while (k < count && strcmp(rows[k].name, name) != 0)
			k++;
		if (k == count)
			rows[count++] = (struct account_row){.row = (uint32_t)k, .address = insn->pc, .name = name};
		rows[k].last = insn->pc;
		rows[k].sum.count += insn->count;
		rows[k].sum.insns += insn->count;
		rows[k].sum.cycles += insn->cycles;
	}
	list->rows = calloc(count + 1, sizeof *list->rows);
	for (size_t k = 0; k < count && list->rows != NULL; k++)
		add_account_row(list, rows[k], false);
	return list->rows == NULL ? ACCOUNT_ENOMEM : ACCOUNT_OK;
}

static int compare_nullable_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int account_rows_by_address(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;
	return order_then(ORDER_UP(x->address, y->address), ORDER_UP(x->row, y->row));
}

static int account_rows_by_name(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;
	int order = compare_nullable_text(x->name, y->name);
	if (order == 0)
		order = compare_nullable_text(x->file, y->file);
	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order != 0 ? order : account_rows_by_address(a, b);
}

#define DESCENDING(name, member)                                                                                       \
	static int name(const void *a, const void *b)                                                                  \
	{                                                                                                              \
		const struct account_row *x = a, *y = b;                                                               \
		if (x->member != y->member)                                                                            \
			return x->member < y->member ? 1 : -1;                                                         \
		return account_rows_by_address(a, b);                                                                  \
	}
DESCENDING(by_count, sum.count)
DESCENDING(by_insns, sum.insns)
DESCENDING(by_cycles, sum.cycles)

int account_rows(const struct account *account, const struct image *image, const struct account_query *query,
    struct account_row **rows, size_t *count)
{
	static int (*const orders[])(const void *, const void *) = {[ACCOUNT_BY_COUNT] = by_count,
	    [ACCOUNT_BY_INSNS] = by_insns,
	    [ACCOUNT_BY_CYCLES] = by_cycles,
	    [ACCOUNT_BY_ADDRESS] = account_rows_by_address,
	    [ACCOUNT_BY_NAME] = account_rows_by_name};
	static const struct account_filter none;
	struct list list = {
	    .account = account, .image = image, .filter = query->filter == NULL ? &none : query->filter};
	int error;
	*rows = NULL;
	*count = 0;
	switch (query->by) {
	case ACCOUNT_BY_FUNCTION:
		error = add_table(&list, query->by, account->function_count, offsetof(struct account_insn, function));
		break;
	case ACCOUNT_BY_INLINED:
		error = add_table(&list, query->by, account->inlined_count, offsetof(struct account_insn, inlined));
		break;
	case ACCOUNT_BY_LINE:
		error = add_table(&list, query->by, account->line_count, offsetof(struct account_insn, line));
		break;
	case ACCOUNT_BY_BLOCK:
		error = add_table(&list, query->by, account->block_count, offsetof(struct account_insn, block));
		break;
	case ACCOUNT_BY_PATH:
		error = add_path_rows(&list);
		break;
	case ACCOUNT_BY_CLASS:
		error = add_classes(&list);
		break;
	default:
		error = add_calls(&list);
		break;
	}
	if (error != ACCOUNT_OK) {
		free(list.rows);
		return error;
	}
	size_t kept = 0;
	for (size_t i = 0; i < list.count; i++) {
		if (list.rows[i].share >= list.filter->min_share)
			list.rows[kept++] = list.rows[i];
	}
	enum account_order order = query->order;
	if (order == ACCOUNT_BY_MEASURE)
		order = account->timed ? ACCOUNT_BY_CYCLES : ACCOUNT_BY_INSNS;
	qsort(list.rows, kept, sizeof *list.rows, orders[order]);
	*rows = list.rows;
	*count = kept;
	return ACCOUNT_OK;
}
