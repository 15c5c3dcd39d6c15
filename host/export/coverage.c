/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/coverage.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "isa/isa.h"

static int add_row(struct coverage *rows, const struct coverage_row *row)
{
	if (!array_room(&rows->all, rows->count + 1, &rows->room))
		return EXPORT_ENOMEM;
	rows->all[rows->count++] = *row;
	return EXPORT_OK;
}

static int coverage_rows_by_place(const void *a, const void *b)
{
	const struct coverage_row *x = a, *y = b;
	int order = strcmp(x->file, y->file);
	if (order != 0)
		return order;
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (x->line != y->line)
		return x->line > y->line ? 1 : -1;
	if (x->kind == COVERAGE_FUNCTION && (order = strcmp(x->name, y->name)) != 0)
		return order;
	if (x->kind == COVERAGE_LINE && x->build != y->build)
		return x->build > y->build ? 1 : -1;
	if (x->kind == COVERAGE_LINE && x->spot != y->spot)
		return x->spot > y->spot ? 1 : -1;
	return order_then(ORDER_UP(x->build, y->build), ORDER_UP(x->pc, y->pc));
}

/* Functions: out of line by their first instruction, inlined ones by their lowest. */
static int add_functions(struct coverage *rows, const struct export_input *input)
{
	const struct spots *spots = input->spots;
	int error = EXPORT_OK;
	for (size_t i = 0; i < spots->count && error == EXPORT_OK; i++) {
		const struct spot *spot = &spots->all[i];
		if (spot->file == NULL || spot->declared == 0 || spot->name == NULL)
			continue;
		const struct gather_code *code = gather_at(input->result, spot->start);
		const struct coverage_row row = {.file = spot->file,
		    .kind = COVERAGE_FUNCTION,
		    .line = spot->declared,
		    .name = spot->name,
		    .pc = spot->start,
		    .count = code == NULL ? 0 : code->count};
		error = add_row(rows, &row);
	}
	return error;
}

static int add_covered_place(struct coverage *rows, const struct export_input *input, const struct spot_place *place)
{
	const struct gather_code *code = gather_at(input->result, place->pc);
	struct coverage_row row = {.file = place->file,
	    .kind = COVERAGE_LINE,
	    .line = place->line,
	    .name = place->spot == SPOT_NONE ? NULL : input->spots->all[place->spot].name,
	    .spot = place->spot,
	    .pc = place->pc,
	    .count = code == NULL ? 0 : code->count};
	int error = add_row(rows, &row);
	row.kind = COVERAGE_INSN;
	if (error == EXPORT_OK)
		error = add_row(rows, &row);
	row.kind = COVERAGE_CALL;
	if (error == EXPORT_OK && (place->class_bits & ISA_CALL) != 0)
		error = add_row(rows, &row);
	row.kind = COVERAGE_BRANCH;
	row.count = code == NULL ? 0 : code->taken;
	row.other = code == NULL ? 0 : code->not_taken;
	if (error == EXPORT_OK && (place->class_bits & ISA_BRANCH) != 0)
		error = add_row(rows, &row);
	return error;
}

static int add_places(struct coverage *rows, const struct export_input *input)
{
	const struct spots *spots = input->spots;
	int error = EXPORT_OK;
	for (size_t i = 0; i < spots->place_count && error == EXPORT_OK; i++) {
		if (spots->places[i].file != NULL && spots->places[i].line != 0)
			error = add_covered_place(rows, input, &spots->places[i]);
	}
	return error;
}

size_t coverage_group(const struct coverage *rows, size_t index)
{
	const struct coverage_row *first = &rows->all[index];
	size_t end = index + 1;
	for (; end < rows->count; end++) {
		const struct coverage_row *row = &rows->all[end];
		if (row->kind != first->kind || row->line != first->line || strcmp(row->file, first->file) != 0 ||
		    (row->kind == COVERAGE_FUNCTION && strcmp(row->name, first->name) != 0))
			break;
	}
	return end;
}

size_t coverage_file_end(const struct coverage *coverage, size_t index)
{
	size_t end = index;
	while (end < coverage->count && strcmp(coverage->all[end].file, coverage->all[index].file) == 0)
		end++;
	return end;
}

uint64_t coverage_executions(const struct coverage_row *rows, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count;) {
		uint64_t most = 0;
		size_t end = i;
		for (; end < count && rows[end].spot == rows[i].spot && rows[end].build == rows[i].build; end++)
			most = rows[end].count > most ? rows[end].count : most;
		sum += most;
		i = end;
	}
	return sum;
}

const char *coverage_file(const char *file)
{
	while (strncmp(file, "../", 3) == 0)
		file += 3;
	return file;
}

/* A function's rows are of all its places; of branches, calls and instructions each row is one, or two. */
static void add_group(struct coverage_sum *sum, const struct coverage_row *rows, size_t count)
{
	unsigned kind = rows->kind;
	if (kind == COVERAGE_LINE || kind == COVERAGE_FUNCTION) {
		uint64_t ran = 0;
		for (size_t i = 0; i < count; i++)
			ran |= rows[i].count;
		sum->all[kind]++;
		sum->hit[kind] += ran != 0;
		return;
	}
	sum->all[kind] += kind == COVERAGE_BRANCH ? 2 * count : count;
	for (size_t i = 0; i < count; i++) {
		sum->hit[kind] += rows[i].count > 0;
		sum->hit[kind] += kind == COVERAGE_BRANCH && rows[i].other > 0;
	}
}

void coverage_add(struct coverage_sum *sum, const struct coverage *coverage, size_t begin, size_t end)
{
	for (size_t i = begin; i < end;) {
		size_t next = coverage_group(coverage, i);
		add_group(sum, &coverage->all[i], next - i);
		i = next;
	}
}

int coverage_make(struct coverage *coverage, const struct export_input *input)
{
	*coverage = (struct coverage){0};
	int error = add_functions(coverage, input);
	if (error == EXPORT_OK)
		error = add_places(coverage, input);
	if (error == EXPORT_OK && coverage->count == 0)
		error = EXPORT_EDEBUG;
	if (error == EXPORT_OK)
		qsort(coverage->all, coverage->count, sizeof *coverage->all, coverage_rows_by_place);
	return error;
}

int coverage_join(struct coverage *coverage, const struct coverage *other, uint32_t build)
{
	if (!array_room(&coverage->all, coverage->count + other->count, &coverage->room))
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < other->count; i++) {
		coverage->all[coverage->count] = other->all[i];
		coverage->all[coverage->count++].build = build;
	}
	qsort(coverage->all, coverage->count, sizeof *coverage->all, coverage_rows_by_place);
	return EXPORT_OK;
}

void coverage_free(struct coverage *coverage)
{
	free(coverage->all);
	*coverage = (struct coverage){0};
}
