/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RECORDS_DENSE_PRIVATE_H
#define RIVULET_RECORDS_DENSE_PRIVATE_H
/* The codes of a frame. */
#include "common/dense.h"
#include "common/record.h"

#define DENSE_TRACES_MAX 4096 /* in a frame */

struct dense_bits {
	const uint8_t *bytes;
	size_t size, at; /* in bits */
	bool wrong;      /* more were wanted than there are, or what was read is not what a coder writes */
};

struct dense_frame { /* what a frame holds, and the widths of what it may */
	unsigned xlen, hist;
	struct record records[DENSE_TRACES_MAX];
	size_t count;
};
/* Reads all codes; false: they are not what a coder writes. The coder is then of no use any more. */
bool dense_frame_read(struct dense_frame *frame, struct dense_coder *coder, const uint8_t *bytes, size_t size);
#endif
