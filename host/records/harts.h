/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_HARTS_H
#define RIVULET_HARTS_H
/* Record files of several harts (records_header.harts): what each has, and each as a file of its own. */
#include "host/profile/profile.h"
#include "host/records/records.h"

/* Sums of all records, by hart. Begins with the first record, and goes back to it. */
int records_harts(struct records *records, struct profile_hart harts[RECORDS_HARTS_MAX]);
/* The records of one hart, without a context, to a writer with a header of no harts; its end too, whose cycles are that
 * hart's share of the run, or those of its records if the file has no end, and whose instructions those that were
 * traced. Begins with the first record. count: how many there are. */
int records_hart_write(struct records *records, unsigned hart, struct records_writer *writer, uint64_t *count);
#endif
