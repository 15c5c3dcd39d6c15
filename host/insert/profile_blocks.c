/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* --blocks: how often each basic block was executed. Counted on the edges, where that costs least (profile_edges.c). */
#include "host/insert/insert.h"

const struct insert_profiler insert_profile_blocks = {INSERT_BLOCKS, "blocks", insert_tree_of_blocks, NULL};
