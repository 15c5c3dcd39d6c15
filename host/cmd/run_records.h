/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_RECORDS_H
#define RIVULET_CMD_RUN_RECORDS_H
/* rivulet run --records: what the trace unit's record port gives, into a record file (host/records). */
#include "host/cmd/cmd.h"
#include "model/fast/fast.h"
#include "model/run.h"

struct run_records;
struct run_records_about {
	const char *name;            /* of the application */
	const char *const *settings; /* what --set was given */
	unsigned setting_count;
	bool fast; /* by the fast model */
};
/* Creates the file. NULL: it has complained. */
struct run_records *run_records_open(
    const char *path, const struct image *image, const struct model *model, const struct run_records_about *about);
/* Equal records in a row become one in the file: of a program whose unit is ours to set. */
void run_records_merge(struct run_records *records);
/* From the hooks of model_run(). */
void run_records_retire(struct run_records *records, const struct model_out *out);
/* Whether a run without any is odd: its program was not told way=off. */
bool run_wants_traces(const struct model *model);
/* Why a run has left no records; traced: instructions retired with the unit on. */
const char *run_records_none(const struct model *model, bool traced);
/* A byte of the UART: phase changes that firmware sends go into the file. */
void run_records_uart(struct run_records *records, uint8_t byte);
void run_records_take(struct run_records *records, const struct record *record);
/* From the fast engine: CTRL of the next records that run_records_take() gets; many at once; the traced part at the
 * end. */
void run_records_ctrl(struct run_records *records, uint32_t ctrl);
void run_records_take_many(struct run_records *records, const struct fast_batch *batch);
void run_records_traced(struct run_records *records, const struct fast_traced *traced);
/* Whether it makes sense to go on: false after a write error. */
bool run_records_good(const struct run_records *records);
/* Ends the file. Returns the exit status; it has complained if that is not STATUS_OK. */
int run_records_finish(struct run_records *records, const struct run_result *result, unsigned ending);
void run_records_close(struct run_records *records); /* NULL: nothing; an unfinished file stays as it is */
#endif
