/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet sweep: cells run on this machine. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "host/cmd/sweep.h"

struct watched {
	const struct sweep_command *s;
	size_t ended, all, failed;
	bool shown, terminal;
	struct timespec told;
};

/* How far it is: on a terminal a line that changes, elsewhere one every ten seconds. */
static void tell_progress(struct watched *w)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!w->shown || now.tv_sec - w->told.tv_sec < (w->terminal ? 1 : 10))
		return;
	w->told = now;
	fprintf(stderr, "%srivulet: %s: %s of %s cells, %s failed%s", w->terminal ? "\r\033[K" : "", w->s->file,
	    with_commas(w->ended), with_commas(w->all), with_commas(w->failed), w->terminal ? "" : "\n");
}

static int watch_cell(void *context, size_t cell, const struct sweep_done *done)
{
	struct watched *w = context;
	if (stop_signal != 0)
		return -ECANCELED;
	if (cell == SIZE_MAX)
		return 0;
	w->ended++;
	w->failed += done->status != 0;
	tell_progress(w);
	return 0;
}

int sweep_cells(const struct sweep_command *s, const size_t *cells, size_t count, bool shown)
{
	struct watched w = {.s = s, .all = count, .shown = shown, .terminal = isatty(STDERR_FILENO)};
	clock_gettime(CLOCK_MONOTONIC, &w.told);
	int error = sweep_run(&s->plan, s->folder, &(struct sweep_list){cells, count}, s->at_once, watch_cell, &w);
	if (shown && w.terminal)
		fputs("\r\033[K", stderr);
	if (stop_signal != 0) {
		complain("%s: interrupted behind %s of %s cells; the same command goes on", s->file,
		    with_commas(w.ended), with_commas(count));
		return stop_status();
	}
	if (error != 0)
		complain("%s: %s", s->folder, strerror(-error));
	if (error != 0)
		return STATUS_FAILED;
	return w.failed > 0 ? STATUS_NO : STATUS_OK;
}
