/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PROGRESS_H
#define RIVULET_CMD_PROGRESS_H
/* How far a long reading has come, and how long it will still take: a bar on a terminal, not before half a second; a
 * line every ten seconds elsewhere. */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
	const char *what; /* "records.rvr"; NULL: nothing is shown */
	bool terminal, shown;
	struct timespec start, last;
};
void progress_begin(struct progress *progress, const char *what);
/* As records_progress: always returns 0. */
int progress_show(void *progress, uint64_t done, uint64_t total);
/* "what [####    ]  33%" on standard error, "what: 33%" without a terminal; no line end. */
void progress_bar(const char *what, double share, bool terminal);
double seconds_between(const struct timespec *from, const struct timespec *to);
void progress_end(struct progress *progress); /* clears the line */
#endif
