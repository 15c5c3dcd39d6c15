/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet annotate: the numbers before each line. */
#include "host/cmd/annotate.h"

const char *annotate_digits(const struct annotate *n, uint64_t value)
{
	return with_commas((uint64_t)(n->profiled->account->period * (double)value + 0.5));
}

void annotate_columns(const struct annotate *n, const struct account_sum *sum, bool each)
{
	const struct account *a = n->profiled->account;
	const struct style *s = n->style;
	double share = account_share(a, sum);
	const char *hot = share >= 0.05 ? s->hot : "", *off = share >= 0.05 ? s->off : "";
	if (share > 0)
		printf("%s%6.2f%%%s %11s", hot, 100 * share, off, annotate_digits(n, account_measure(a, sum)));
	else
		printf("%7s %11s", "-", "-");
	if (sum->count > 0)
		printf(" %11s", annotate_digits(n, sum->count));
	else
		printf(" %11s", "-");
	if (each && a->timed && sum->count > 0)
		printf(" %6.2f ", (double)sum->cycles / (double)sum->count);
	else
		printf(" %6s ", "");
}

void annotate_head(const struct annotate *n, const char *rest)
{
	const struct account *a = n->profiled->account;
	const char *mark = a->period > 1 ? "~" : "";
	char measure[16], count[16];
	snprintf(measure, sizeof measure, "%s%s", mark, a->timed ? "cycles" : "insns");
	snprintf(count, sizeof count, "%scount", mark);
	printf("%s%7s %11s %11s %6s  %s%s\n", n->style->dim, "share", measure, count, a->timed ? "each" : "", rest,
	    n->style->off);
}
