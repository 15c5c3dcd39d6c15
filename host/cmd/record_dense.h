/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RECORD_DENSE_H
#define RIVULET_CMD_RECORD_DENSE_H
/* rivulet record --dense: a dense stream as it comes, into a record file. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "host/records/capture.h"

struct record_dense {
	const char *program, *source, *output;
	uint32_t ctrl;
	const int *ask; /* a descriptor, or NULL */
	bool quiet;
};
/* STATUS_*. Of capture: from, timeout, interrupted. */
int record_dense(
    const struct record_dense *record, const struct capture_options *capture, struct capture_split *split, FILE *file);
#endif
