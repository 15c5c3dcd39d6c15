/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* annotate --source: source files with counts and cycles beside their lines. */
#include <stdlib.h>
#include <string.h>
#include "host/cmd/annotate.h"
#include "host/base/order.h"

#define AROUND 3 /* lines shown before and behind one that is hot */

struct file { /* rows of one file in the account's lines: it is sorted by file */
	size_t first, count;
	struct account_sum sum;
};

static int by_measure(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	return order_then(ORDER_DOWN(x->sum.cycles, y->sum.cycles),
	    order_then(ORDER_DOWN(x->sum.insns, y->sum.insns), ORDER_UP(x->first, y->first)));
}

/* Lines that the filter lets pass, by instruction: one line may belong to several functions. */
static bool *lines_that_pass(const struct annotate *n)
{
	const struct account *a = n->profiled->account;
	bool *pass = calloc(a->line_count + 1, sizeof *pass);
	for (size_t i = 0; i < a->insn_count && pass != NULL; i++) {
		uint32_t row = a->insns[i].line;
		if (row != ACCOUNT_NONE && !pass[row])
			pass[row] = account_passes(&n->filter, n->profiled->image, a->insns[i].pc);
	}
	return pass;
}

static void tell_source_line(
    const struct annotate *n, const char *file, unsigned number, const struct account_sum *sum, const char *source)
{
	struct line line = {.width = annotate_width(n) - ANNOTATE_COLUMNS};
	(void)file;
	annotate_columns(n, sum, true);
	line_add(&line, "%5u ", number);
	/* keep the indentation: it is the shape of the source */
	for (unsigned column = 0; source != NULL && (*source == ' ' || *source == '\t') && column < 40; source++) {
		unsigned to = *source == '\t' ? (column / 8 + 1) * 8 : column + 1;
		/* tabs as four columns: there is little room */
		line_add(&line, "%*s", *source == '\t' ? 4 : 1, "");
		column = to;
	}
	if (source != NULL)
		line_add_source(&line, source);
	printf("%s\n", line.text);
}

static void tell_file(const struct annotate *n, const struct file *file, const bool *pass)
{
	const struct account *a = n->profiled->account;
	const struct account_line *lines = &a->lines[file->first];
	const struct account_sum none = {0};
	const double cold = n->all ? -1 : n->hot / ANNOTATE_COLD;
	unsigned shown = 0; /* the last line that was shown */
	printf("%s%s%s  %.2f%%\n", n->style->bold, short_file(lines->file, 70), n->style->off,
	    100 * account_share(a, &file->sum));
	annotate_head(n, " line  source");
	for (size_t i = 0; i < file->count; i++) {
		if (!pass[file->first + i] || account_share(a, &lines[i].sum) < cold)
			continue;
		unsigned from = lines[i].line > AROUND ? lines[i].line - AROUND : 1, to = lines[i].line + AROUND;
		if (from <= shown)
			from = shown + 1;
		else if (shown != 0)
			printf("%*s%s...%s\n", ANNOTATE_COLUMNS, "", n->style->dim, n->style->off);
		/* all lines around it, with their own numbers where they have some */
		for (unsigned number = from; number <= to; number++) {
			const char *source = image_source(n->profiled->image, lines->file, number);
			size_t k = 0;
			while (k < file->count && lines[k].line != number)
				k++;
			if (source == NULL && k == file->count)
				continue;
			tell_source_line(n, lines->file, number, k < file->count ? &lines[k].sum : &none, source);
			shown = number;
		}
	}
}

int annotate_sources(const struct annotate *n)
{
	const struct account *a = n->profiled->account;
	struct file *files = calloc(a->line_count + 1, sizeof *files);
	bool *pass = lines_that_pass(n);
	size_t count = 0, shown = 0, cold = 0;
	double rest = 0;
	if (files == NULL || pass == NULL) {
		complain("out of memory");
		free(files);
		free(pass);
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < a->line_count; i++) {
		if (!pass[i])
			continue;
		if (count == 0 || strcmp(a->lines[files[count - 1].first].file, a->lines[i].file) != 0)
			files[count++] = (struct file){.first = i};
		files[count - 1].count = i + 1 - files[count - 1].first;
		files[count - 1].sum.insns += a->lines[i].sum.insns;
		files[count - 1].sum.cycles += a->lines[i].sum.cycles;
	}
	qsort(files, count, sizeof *files, by_measure);
	for (size_t i = 0; i < count; i++) {
		double share = account_share(a, &files[i].sum);
		if (shown == n->top || share < n->hot) {
			rest += share;
			cold++;
			continue;
		}
		if (shown++ > 0)
			printf("\n");
		tell_file(n, &files[i], pass);
	}
	if (count == 0)
		printf("nothing that was executed passes the filter\n");
	else if (cold > 0)
		printf("\n%s%.2f%% in %s more files (--top 0 --min-share 0 shows all)%s\n", n->style->dim, 100 * rest,
		    with_commas(cold), n->style->off);
	free(files);
	free(pass);
	return STATUS_OK;
}
