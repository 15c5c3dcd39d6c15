/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_PERF_DATA_H
#define RIVULET_EXPORT_PERF_DATA_H
/*
 * perf.data as perf 6.1 reads it (tools/perf/Documentation/perf.data-file-format.txt of Linux): one event "cycles" with
 * branch stacks. Little endian, as its program is.
 *
 *   header │ attribute │ COMM, MMAP2 ... │ SAMPLE ... │ sections: build ids, architecture, branch stack
 */
#include <stdint.h>
#include <stdio.h>
#include "host/image/image.h"

#define PERF_STACK 32 /* branches of a sample: as many as the largest real branch stack has */

struct perf_branch {
	uint64_t from, to;
	uint64_t cycles; /* since the branch before it; more than 65,535 are written as that many, 0: not known */
};

struct perf_data;
/* The name is that of the process. NULL: out of memory, or no room for a temporary file (errno). */
struct perf_data *perf_data_open(void);
/* A sample of count branches, the oldest first. time and period: in nanoseconds and as a number of events. */
void perf_data_sample(
    struct perf_data *data, const struct perf_branch *branches, unsigned count, uint64_t time, uint64_t period);
/* Writes everything to out. EXPORT_OK or an error of export.h. */
int perf_data_write(struct perf_data *data, const struct image *image, FILE *out);
void perf_data_close(struct perf_data *data);
#endif
