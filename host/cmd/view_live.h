/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_VIEW_LIVE_H
#define RIVULET_CMD_VIEW_LIVE_H
/*
 * A profile of `rivulet view --serve`, made again and again. While a run writes its record file, each picture costs
 * what came since the last one: what was gathered is kept, and only new blocks are read.
 *
 *   grows ──► functions, calls, stacks, code         from what is gathered so far
 *   has ended ──► the same once more, with what came last, because all of it takes long
 *   ended, or still for VIEW_STILL seconds ──► all   as `rivulet view` shows it: single calls, paths, phases, regions
 *
 * A file that has not changed is not made again.
 */
#include <stdint.h>
#include <time.h>
#include "host/cmd/view.h"

#define VIEW_STILL 5

struct view_live;
/* Nanoseconds of a clock: of the machine, or of the processor time of this process. */
int64_t view_clock(clockid_t clock);
/* NULL: out of memory. source must stay; its file may become another one between two calls. */
struct view_live *view_live_open(const struct view_source *source);
void view_live_close(struct view_live *live);
/* Looks at the file: whether there is another picture to be made. */
bool view_live_look(struct view_live *live);
/* As view_source_write(): the picture that view_live_look() asked for, or the last one again. */
int view_live_write(struct view_live *live, FILE *out);
#endif
