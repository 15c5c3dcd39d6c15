/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_OBJECT_MAP_H
#define RIVULET_INSERT_OBJECT_MAP_H
/* The map of an object while it is edited: each function's graph (map.h), and where its code is in the end. */
#include "host/insert/insert.h"

/* counted: it has counters, from number `first` on, and the profiler's words in result. */
void object_map_function(struct insert_job *job, const struct graph_function *f, bool counted, uint64_t first,
    const struct insert_result *result);
void object_map_near(struct map_writer *w, const struct insert_near *near);
/* When all code has its place: the section .debug_rivulet. */
int object_map_write(struct insert_job *job);
#endif
