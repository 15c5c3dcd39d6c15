/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PROGRESS_H
#define RIVULET_CMD_PROGRESS_H
/* How far a long reading has come, and how long it will still take: on a terminal only, not before half a second. */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
	const char *what; /* "records.rvr" */
	bool terminal, shown;
	struct timespec start, last;
};
void progress_begin(struct progress *progress, const char *what);
/* As records_progress: always returns 0. */
int progress_show(void *progress, uint64_t done, uint64_t total);
void progress_end(struct progress *progress); /* clears the line */
#endif
