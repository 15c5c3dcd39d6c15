/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_IMPORT_PERF_H
#define RIVULET_CMD_IMPORT_PERF_H
/* perf.data as a log: which bytes are imported, how their encoder was set, where the program was. */
#include "host/cmd/import_options.h"
#include "host/import/perf_file.h"
#include "host/records/records.h"

struct import_perf {
	struct perf_file file;
	uint32_t cpu;
};
/* Fills in what the arguments do not say, and places the image. What is wrong is told. STATUS_OK, STATUS_FAILED. */
int import_perf_open(struct import_perf *perf, struct import_arguments *a, struct image *image,
    struct records_header *header, FILE *log);
/* What the kernel says is missing: places, or records. */
uint64_t import_perf_lost(const struct import_perf *perf);
void import_perf_close(struct import_perf *perf);
#endif
