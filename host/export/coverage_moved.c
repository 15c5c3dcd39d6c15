/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include <string.h>
#include "host/export/coverage.h"

static int functions_by_name(const void *a, const void *b)
{
	const struct coverage_row *x = *(const struct coverage_row *const *)a,
				  *y = *(const struct coverage_row *const *)b;
	int order = strcmp(x->file, y->file);
	if (order == 0)
		order = strcmp(x->name, y->name);
	if (order != 0)
		return order;
	return x->build != y->build ? (x->build > y->build) - (x->build < y->build)
				    : (x->line > y->line) - (x->line < y->line);
}

/* Of the rows of one name: one of each of two builds, which begin at different lines; a build with several functions of
 * that name says nothing. */
static void moved_name(const struct coverage_row *const *rows, size_t count, struct coverage_moved *moved)
{
	const struct coverage_row *first = NULL;
	for (size_t i = 0; i < count;) {
		size_t end = i;
		while (end < count && rows[end]->build == rows[i]->build)
			end++;
		bool one = rows[end - 1]->line == rows[i]->line;
		if (one && first == NULL)
			first = rows[i];
		else if (one && first->line != rows[i]->line)
			moved->one = first, moved->other = rows[i];
		else if (one && first->line > moved->still)
			moved->still = first->line;
		i = end;
	}
}

/* Alternatives of a preprocessor are in one source too: functions behind them have not moved. */
static bool moved_file(const struct coverage_row *const *rows, size_t count, struct coverage_moved *moved)
{
	struct coverage_moved found = {0};
	for (size_t i = 0; i < count;) {
		size_t end = i;
		while (end < count && strcmp(rows[end]->name, rows[i]->name) == 0)
			end++;
		moved_name(rows + i, end - i, &found);
		i = end;
	}
	unsigned last = 0;
	if (found.one != NULL)
		last = found.one->line > found.other->line ? found.one->line : found.other->line;
	if (found.one == NULL || found.still > last)
		return false;
	*moved = found;
	return true;
}

int coverage_find_moved(const struct coverage *coverage, struct coverage_moved *moved)
{
	const struct coverage_row **rows = calloc(coverage->count + 1, sizeof(const struct coverage_row *));
	size_t count = 0;
	bool found = false;
	if (rows == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < coverage->count; i++) {
		if (coverage->all[i].kind == COVERAGE_FUNCTION)
			rows[count++] = &coverage->all[i];
	}
	qsort(rows, count, sizeof *rows, functions_by_name);
	for (size_t i = 0; i < count && !found;) {
		size_t end = i;
		while (end < count && strcmp(rows[end]->file, rows[i]->file) == 0)
			end++;
		found = moved_file(rows + i, end - i, moved);
		i = end;
	}
	free(rows);
	return found ? 1 : EXPORT_OK;
}
