/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/progress.h"

#include <stdio.h>
#include <unistd.h>
#include "host/cmd/cmd.h"

#define FIRST 0.5 /* seconds */
#define EVERY 0.2

static double since(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

void progress_begin(struct progress *p, const char *what)
{
	*p = (struct progress){.what = what, .terminal = isatty(STDERR_FILENO) != 0};
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->last = p->start;
}

int progress_show(void *context, uint64_t done, uint64_t total)
{
	struct progress *p = context;
	struct timespec now;
	if (!p->terminal || total == 0)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double spent = since(&p->start, &now), share = (double)done / (double)total;
	if (spent < FIRST || since(&p->last, &now) < EVERY)
		return 0;
	p->last = now;
	p->shown = true;
	fprintf(stderr, "\r\033[K%s: %.0f%% of %sB", p->what, 100 * share, with_unit((double)total));
	if (share > 0.01) {
		double left = spent / share - spent;
		if (left < 100)
			fprintf(stderr, ", %.0f s left", left);
		else
			fprintf(stderr, ", %.0f min left", left / 60);
	}
	fflush(stderr);
	return 0;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
