/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/import/gaps.h"

#include <string.h>

static void remove_gap(struct import_gaps *gaps, unsigned at)
{
	gaps->count--;
	memmove(gaps->open + at, gaps->open + at + 1, (gaps->count - at) * sizeof *gaps->open);
}

void import_gap_open(struct import_gaps *gaps, const struct import_gap *gap)
{
	if (gaps->count == GAPS_OPEN) {
		remove_gap(gaps, 0);
		gaps->certain++;
	}
	gaps->open[gaps->count++] = *gap;
}

bool import_gap_close(struct import_gaps *gaps, uint64_t pc)
{
	for (unsigned i = gaps->count; i-- > 0;) {
		const struct import_gap *gap = &gaps->open[i];
		if (pc == gap->pc || pc == gap->behind || pc == gap->target) {
			remove_gap(gaps, i);
			return true;
		}
	}
	return false;
}
