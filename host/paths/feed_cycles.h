/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATHS_FEED_CYCLES_H
#define RIVULET_PATHS_FEED_CYCLES_H
/* Of feed.c only: records with their cycles. */
#include "host/paths/feed.h"

/* A visitor of walk_record(): keeps the visits of the trace at hand. */
int feed_cycles_keep(void *context, const struct walk_visit *visit);
/* Before the repetitions of a record. */
int feed_cycles_begin(struct paths_feed *feed, const struct record *record);
/* A repetition of it, of which the visits are kept; walked: what walk_record() has returned. */
int feed_cycles_visit(struct paths_feed *feed, const struct record *record, int walked);
#endif
