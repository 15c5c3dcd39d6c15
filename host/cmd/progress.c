/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/progress.h"

#include <stdio.h>
#include <unistd.h>
#include "host/cmd/cmd.h"

#define FIRST 0.5 /* seconds */
#define EVERY 0.2
#define LINES 10.0 /* without a terminal: a line so often */
#define BAR 24     /* characters */

double seconds_between(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

void progress_bar(const char *what, double share, bool terminal)
{
	static const char full[] = "########################", none[] = "                        ";
	int done = share >= 1 ? BAR : (int)(BAR * share);
	if (terminal)
		fprintf(stderr, "%s [%.*s%.*s] %3.0f%%", what, done, full, BAR - done, none, 100 * share);
	else
		fprintf(stderr, "%s: %.0f%%", what, 100 * share);
}

void progress_begin(struct progress *p, const char *what)
{
	*p = (struct progress){.what = shown_path(what), .terminal = isatty(STDERR_FILENO) != 0};
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->last = p->start;
}

int progress_show(void *context, uint64_t done, uint64_t total)
{
	struct progress *p = context;
	struct timespec now;
	if (stop_signal != 0)
		return 1;
	if (total == 0 || p->what == NULL)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double spent = seconds_between(&p->start, &now), share = (double)done / (double)total;
	if (spent < FIRST || seconds_between(&p->last, &now) < (p->terminal ? EVERY : LINES))
		return 0;
	p->last = now;
	p->shown = p->terminal;
	fputs(p->terminal ? "\r\033[K" : "rivulet: ", stderr);
	progress_bar(p->what, share, p->terminal);
	fprintf(stderr, " of %sB", with_unit((double)total));
	if (share > 0.01) {
		double left = spent / share - spent;
		if (left < 100)
			fprintf(stderr, ", %.0f s left", left);
		else
			fprintf(stderr, ", %.0f min left", left / 60);
	}
	if (!p->terminal)
		fputc('\n', stderr);
	fflush(stderr);
	return 0;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
