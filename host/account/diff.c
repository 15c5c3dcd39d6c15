/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/account/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The length of a name without the suffixes that compilers give to copies. */
static size_t base_length(const char *name)
{
	static const char *const marks[] = {
	    ".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".clone.", ".llvm."};
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *at = strstr(name, marks[i]);
		if (at != NULL && at != name && (size_t)(at - name) < length)
			length = (size_t)(at - name);
	}
	return length;
}

static const char *last_part(const char *file)
{
	const char *slash = file == NULL ? NULL : strrchr(file, '/');
	return slash == NULL ? file : slash + 1;
}

static int compare_texts(const char *a, size_t length_a, const char *b, size_t length_b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	int order = memcmp(a, b, length_a < length_b ? length_a : length_b);
	return order != 0 ? order : (length_a > length_b) - (length_a < length_b);
}

/* Two rows are the same if all of these are equal. */
static int compare_diff_keys(const struct diff_row *x, const struct diff_row *y)
{
	int order = compare_texts(x->name, x->name_length, y->name, y->name_length);
	if (order != 0)
		return order;
	const char *f = last_part(x->file), *g = last_part(y->file);
	order = compare_texts(f, f == NULL ? 0 : strlen(f), g, g == NULL ? 0 : strlen(g));
	if (order != 0)
		return order;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	uint64_t a = x->address[0] | x->address[1], b = y->address[0] | y->address[1];
	if (x->name != NULL || a == b)
		return 0;
	return a < b ? -1 : 1;
}

static int diff_rows_by_key(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	int order = compare_diff_keys(x, y);
	if (order != 0)
		return order;
	/* one order for all libraries' qsort: equal keys by side, then address */
	for (int side = 0; side < 2; side++) {
		if (x->address[side] != y->address[side])
			return x->address[side] < y->address[side] ? -1 : 1;
	}
	return 0;
}

static int by_change(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	if (x->change != y->change)
		return x->change < y->change ? 1 : -1;
	return diff_rows_by_key(a, b);
}

static void add_diff_sum(struct account_sum *to, const struct account_sum *sum)
{
	to->count += sum->count;
	to->insns += sum->insns;
	to->cycles += sum->cycles;
	to->squares += sum->squares;
	to->products += sum->products;
}

static uint64_t measured_amount(const struct diff *diff, const struct account_sum *sum)
{
	return diff->cycles ? sum->cycles : sum->insns;
}

/* Amount and error of one side. */
static void evaluate_side(
    const struct diff *diff, const struct diff_side *side, const struct account_sum *sum, double *value, double *error)
{
	const struct account *a = side->account;
	double all = (double)measured_amount(diff, &a->all), x = (double)measured_amount(diff, sum);
	/* the account's errors are of its own measure: where that is another, the relative error is taken over */
	double share = account_share(a, sum), share_error = account_share_error(a, sum);
	double total = account_total(a, sum), total_error = account_total_error(a, sum);
	if (diff->scale == DIFF_TOTAL) {
		*value = a->period * x;
		*error = total > 0 ? total_error / total * *value : 0;
		return;
	}
	double scale = diff->scale == DIFF_RUN ? (double)side->run_cycles : 1;
	*value = all > 0 ? scale * x / all : 0;
	*error = share > 0 ? share_error / share * *value : 0;
}

/* The error of a row that has no sample on this side: the error of one sample, which is as large as one of the
 * other. */
static double unseen_error(
    const struct diff *diff, const struct diff_side sides[2], const struct diff_row *row, int side)
{
	const struct account *a = sides[side].account, *other = sides[1 - side].account;
	double x = (double)account_measure(other, &row->sum[1 - side]);
	if (!a->sampled || x <= 0)
		return 0;
	/* mean over the samples that have it, or what there is of it if the other side is exact; the count of code that
	 * was entered behind its first instruction may be 0 */
	uint64_t count = row->sum[1 - side].count;
	double one = x / (double)(count > 0 ? count : 1);
	if (row->sum[1 - side].squares > 0)
		one = row->sum[1 - side].squares / x;
	double all = (double)account_measure(a, &a->all);
	if (diff->scale == DIFF_TOTAL)
		return a->period * one;
	if (all <= 0)
		return 0;
	return diff->scale == DIFF_RUN ? (double)sides[side].run_cycles * one / all : one / all;
}

void diff_complete(const struct diff *diff, const struct diff_side sides[2], struct diff_row *row)
{
	for (int side = 0; side < 2; side++) {
		evaluate_side(diff, &sides[side], &row->sum[side], &row->value[side], &row->error[side]);
		if (row->sum[side].insns == 0)
			row->error[side] = unseen_error(diff, sides, row, side);
	}
	row->change = row->value[1] - row->value[0];
	row->change_error = sqrt(row->error[0] * row->error[0] + row->error[1] * row->error[1]);
}

static enum diff_scale choose_scale(const struct diff_side sides[2], bool share)
{
	if (share)
		return DIFF_SHARE;
	if (sides[0].period_known && sides[1].period_known)
		return DIFF_TOTAL;
	return sides[0].run_cycles > 0 && sides[1].run_cycles > 0 ? DIFF_RUN : DIFF_SHARE;
}

int diff_make(struct diff *diff, const struct diff_side sides[2], enum account_by by,
    const struct account_filter *filter, bool share)
{
	struct account_row *rows[2] = {NULL, NULL};
	size_t counts[2] = {0, 0}, used = 0;
	const bool files = sides[0].files && sides[1].files;
	*diff = (struct diff){
	    .cycles = sides[0].account->timed && sides[1].account->timed, .scale = choose_scale(sides, share)};
	int error = ACCOUNT_OK;
	for (int side = 0; side < 2 && error == ACCOUNT_OK; side++)
		error = account_rows(sides[side].account, sides[side].image,
		    &(struct account_query){by, filter, ACCOUNT_BY_ADDRESS}, &rows[side], &counts[side]);
	if (error == ACCOUNT_OK && (diff->rows = calloc(counts[0] + counts[1] + 1, sizeof *diff->rows)) == NULL)
		error = ACCOUNT_ENOMEM;
	for (int side = 0; side < 2 && error == ACCOUNT_OK; side++) {
		for (size_t i = 0; i < counts[side]; i++) {
			const struct account_row *row = &rows[side][i];
			struct diff_row *to = &diff->rows[used++];
			to->name = row->name;
			to->name_length = row->name == NULL ? 0 : base_length(row->name);
			to->file = files ? row->file : NULL;
			to->line = by == ACCOUNT_BY_LINE ? row->line : 0;
			to->offset = to->line - (by == ACCOUNT_BY_LINE && files ? row->declared : 0);
			to->address[side] = row->address;
			to->sum[side] = row->sum;
		}
	}
	free(rows[0]);
	free(rows[1]);
	if (error != ACCOUNT_OK)
		return error;
	qsort(diff->rows, used, sizeof *diff->rows, diff_rows_by_key);
	for (size_t i = 0; i < used; i++) {
		struct diff_row *row = &diff->rows[i];
		struct diff_row *last = diff->count > 0 ? &diff->rows[diff->count - 1] : NULL;
		if (last == NULL || compare_diff_keys(last, row) != 0) {
			diff->rows[diff->count++] = *row;
			continue;
		}
		for (int side = 0; side < 2; side++) {
			add_diff_sum(&last->sum[side], &row->sum[side]);
			if (last->address[side] == 0)
				last->address[side] = row->address[side];
		}
		if (row->sum[1].insns > 0 && row->file != NULL) {
			last->file = row->file;
			last->line = row->line;
		}
	}
	for (size_t i = 0; i < diff->count; i++)
		diff_complete(diff, sides, &diff->rows[i]);
	qsort(diff->rows, diff->count, sizeof *diff->rows, by_change);
	for (int side = 0; side < 2; side++)
		diff->all.sum[side] = sides[side].account->all;
	diff_complete(diff, sides, &diff->all);
	return ACCOUNT_OK;
}

void diff_free(struct diff *diff)
{
	free(diff->rows);
	*diff = (struct diff){0};
}

double diff_sigmas(const struct diff_row *row)
{
	if (row->change == 0)
		return 0;
	return row->change_error > 0 ? fabs(row->change) / row->change_error : INFINITY;
}
