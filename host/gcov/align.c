/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

/* Giving a part of a line to a block: what fits worse. */
#define WORSE_CALL 1.0 /* one has a call, the other has not */
#define WORSE_SKIP 0.2 /* a part that no block has */
#define WORSE_NONE 0.8 /* a block that has no part */
#define WORSE_OPEN 0.3 /* nothing is known of the block */

enum { WAY_PART, WAY_BLOCK, WAY_BOTH }; /* what is passed over, or given; WAY_PART is 0: nobody has to put it */

/* How badly a part fits a block. */
static double align_unfit(const struct align_item *block, const struct align_item *part)
{
	double unfit = block->ends && block->calls != part->calls ? WORSE_CALL : 0;
	return unfit + (block->open ? WORSE_OPEN : fabs(block->size - part->size));
}

static void put_way(struct alignment *a, size_t block, size_t part, unsigned way)
{
	size_t at = block * a->wide + part;
	a->ways[at / 4] |= (uint8_t)(way << at % 4 * 2);
}

bool align_items(struct alignment *a, const struct align_item *blocks, size_t block_count,
    const struct align_item *parts, size_t part_count)
{
	a->wide = part_count + 1;
	if (block_count >= SIZE_MAX / a->wide || !array_room(&a->sums, a->wide, &a->sum_room) ||
	    !array_room(&a->ways, (block_count + 1) * a->wide / 4 + 1, &a->way_room))
		return false;
	memset(a->ways, 0, (block_count + 1) * a->wide / 4 + 1);
	for (size_t k = 0; k < a->wide; k++)
		a->sums[k] = WORSE_SKIP * (double)k;
	for (size_t i = 0; i < block_count; i++) { /* sums[k]: of the blocks so far and the first k parts */
		double before = a->sums[0], *sums = a->sums;
		sums[0] += WORSE_NONE;
		put_way(a, i + 1, 0, WAY_BLOCK);
		for (size_t k = 1; k < a->wide; k++) {
			double both = before + align_unfit(&blocks[i], &parts[k - 1]);
			double none = sums[k] + WORSE_NONE, skip = sums[k - 1] + WORSE_SKIP;
			before = sums[k];
			sums[k] = fmin(fmin(both, none), skip);
			if (sums[k] == none) /* early blocks rather than late ones */
				put_way(a, i + 1, k, WAY_BLOCK);
			else if (sums[k] == both)
				put_way(a, i + 1, k, WAY_BOTH);
		}
	}
	a->block = block_count;
	a->part = part_count;
	return true;
}

bool align_next(struct alignment *a, size_t *block, size_t *part)
{
	while (a->block > 0) {
		size_t at = a->block * a->wide + a->part;
		unsigned way = a->ways[at / 4] >> at % 4 * 2 & 3U;
		a->block -= way != WAY_PART;
		a->part -= way != WAY_BLOCK;
		*block = a->block;
		*part = a->part;
		if (way == WAY_BOTH)
			return true;
	}
	return false;
}

void align_free(struct alignment *a)
{
	free(a->sums);
	free(a->ways);
	*a = (struct alignment){0};
}
