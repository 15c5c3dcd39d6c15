/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GCOV_ALIGN_H
#define RIVULET_GCOV_ALIGN_H
/*
 * The parts of a line are in the order of its blocks, but some are gone, and some blocks have none of their own. So
 * they are aligned as two texts are: each block gets one part or none, in the same order, so that the sum of what fits
 * badly is least.
 *
 * Lines that a macro or a generator made have thousands of both: two bits are kept of each pair, and of the sums no
 * more than a row.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct align_item {  /* a block, or a part */
	double size; /* the logarithm of its count */
	bool calls;  /* it has a call */
	bool ends;   /* of a block: it is the line's last code in it, so whether it has a call is known */
	bool open;   /* of a block: nothing is known of its count */
};
struct alignment { /* zeros: none yet */
	double *sums;
	uint8_t *ways; /* four to a byte */
	size_t sum_room, way_room;
	size_t block, part, wide; /* where the way back is */
};
/* The best alignment; align_next() then goes through its pairs, from the last one to the first. False: no memory. */
bool align_items(struct alignment *a, const struct align_item *blocks, size_t block_count,
    const struct align_item *parts, size_t part_count);
bool align_next(struct alignment *a, size_t *block, size_t *part);
void align_free(struct alignment *a);
#endif
