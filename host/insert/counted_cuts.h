/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_CUTS_H
#define RIVULET_COUNTED_CUTS_H
/*
 * Paths of which the begin was run once, and counted more often.
 *
 * Calls that were open at fork(), in the profile of the child: the parent ran their paths as far as the call, and the
 * child from behind it on. The child's counters have the whole path, or its end found it unfinished:
 *
 *   entry ──► a ──► call of fork() ──► b ──► exit      counted in the child when it came to its end
 *   └─────── the parent's ───────┘└── the child's ──┘  a piece `from` behind the call
 *
 * A path that the parent counted before its call is not in the child's counters: the piece is added. Which of several
 * paths with the same way to the call is cut does not matter to any block's count, for what is cut off is the same.
 *
 * Where longjmp() comes back to, the path that goes on behind setjmp() has the way to it once more. If the path that
 * was left had it too, that one was cut. If it did not, because it began behind a loop's back edge since, the one that
 * goes on is cut.
 */
#include "host/insert/counted.h"

/* In this order, `at` is the call (path.last its block, stop behind it) and how often. Each COUNTED_OK or
 * COUNTED_ENOMEM. */
/* A path that had been counted: from behind the call on, as the code goes on there. */
int counted_fork_begin(struct counted *counted, const struct counted_unfinished *at);
/* A path that had been counted, and did not end in the child either: its piece is cut. *count: what is left of it. */
int counted_fork_end(struct counted *counted, const struct counted_unfinished *at, uint64_t *count);
/* at->path: the way to the call, which is cut off from where it was counted. */
int counted_fork_cut(struct counted *counted, const struct counted_unfinished *at);
/* The piece from `piece->stop` on, behind a call in the block piece->path.last, where no branch comes any more.
 * COUNTED_EFORMAT: one comes. */
int counted_straight_on(struct counted *counted, struct counted_unfinished *piece);
/* So many times longjmp() came back behind a call in the block `setjmp`, and the path that it left does not have
 * that. */
int counted_again(struct counted *counted, const struct counted_path *left, uint32_t setjmp, uint64_t behind);
/* The same where the way to setjmp() is known: `at` as for counted_fork_cut(). */
int counted_again_way(struct counted *counted, const struct counted_unfinished *at);
/* Last of all: cuts these, and removes what nothing is left of. */
int counted_cuts_done(struct counted *counted);
#endif
