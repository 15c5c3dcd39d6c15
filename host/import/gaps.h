/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GAPS_H
#define RIVULET_GAPS_H
/*
 * Places where a log does not go on as its instructions say, and what says why. Behind a signal or a trap the program
 * comes back to where it was: by a trap return, by the system call that ends a handler, or from code outside of the
 * image that makes this call. A place to which nothing came back is a gap: lines may be missing there.
 *
 *   ... A | H ... MRET | B ...     B is behind A: a handler
 *   ... A | C ...                  a gap
 */
#include <stdbool.h>
#include <stdint.h>

#define GAPS_OPEN 64 /* more at a time, of tasks that wait: the oldest counts as a gap */

struct import_gap { /* the instruction before it, and where that goes on */
	uint64_t pc, behind, target;
};

struct import_gaps {
	struct import_gap open[GAPS_OPEN]; /* the newest last */
	unsigned count;
	uint64_t certain; /* of those that are no longer open */
};

void import_gap_open(struct import_gaps *gaps, const struct import_gap *gap);
/* The program came back to pc; false: to no open place. */
bool import_gap_close(struct import_gaps *gaps, uint64_t pc);
static inline uint64_t import_gaps_all(const struct import_gaps *gaps)
{
	return gaps->certain + gaps->count;
}
#endif
