/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_SPANS_H
#define RIVULET_EXPORT_SPANS_H
/*
 * How long parts of functions took, each time for itself: loops, regions that a user names, paths.
 *
 *   visit ──► instruction by instruction, with its cycles ──► block of the graph ──► in which loops, regions it is
 *                                                                       └──► entered, left: one time of it has ended
 *
 * A loop's or region's time goes from its first instruction to the last one before the call is in a block outside of
 * it, or ends; a path's from the function's entry, or the head of a loop that was come back to, to the next such head
 * or the end of the call (Ball and Larus). All are with what was called meanwhile. Where the instruction at which one
 * begins stands inside a record, its cycles begin there by the rules of the core (host/cycles/split.h).
 */
#include "host/cfg/cfg.h"
#include "host/export/timing.h"
#include "host/regions/names.h"

enum spans_kind { SPANS_LOOPS, SPANS_REGIONS, SPANS_PATHS };

#define SPANS_PATH_BLOCKS 1024u /* a longer path is cut there, and goes on as a path of its own */
struct spans_path {
	uint32_t function;
	uint32_t first, count; /* blocks, in spans_blocks() */
};

struct spans;
/* names: of SPANS_REGIONS, to live as long; else NULL. GATHER_OK, GATHER_ENOMEM; to be closed in any case. */
int spans_open(struct spans **spans, const struct cfg *cfg, enum spans_kind kind, const struct regions_names *names);
void spans_close(struct spans *spans);
/* The next run begins. */
void spans_begin(struct spans *spans, bool by_instructions);
/* Behind extremes_visit() of the same visit; anything but 0: out of memory. */
int spans_visit(struct spans *spans, const struct gather_visit *visit);
/* A call has ended, before the visit that is shown next. */
int spans_ended(struct spans *spans, const struct extremes_ended *ended);
/* Rows, the longest first: `site` is the number of the loop in the graph, of the part in names->parts, of the path;
 * `entry` the address that it begins at. */
const struct timing_row *spans_rows(struct spans *spans, size_t *count);
const struct spans_path *spans_path(const struct spans *spans, uint64_t number);
const uint32_t *spans_blocks(const struct spans *spans);
#endif
