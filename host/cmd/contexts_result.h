/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_CONTEXTS_RESULT_H
#define RIVULET_CMD_CONTEXTS_RESULT_H
/*
 * The calling contexts that a program counted (rivulet insert --cycles) in the form of those of records, so that
 * exports and the page take them. All of a function's cycles stand at its entry; a cell's count is that of the calls,
 * as are those of the code: instructions were not counted.
 */
#include "host/export/gather.h"
#include "host/export/spots.h"
#include "host/insert/contexts.h"

struct contexts_result {
	struct gather_result result;
	struct spots spots;
	struct stack_node *nodes;
	uint32_t *node_of; /* by context: one without counters can lie between two of them */
};

/* False: no memory. To be freed in any case. */
bool contexts_result_make(
    struct contexts_result *made, const struct contexts *contexts, const struct insert_original *original);
void contexts_result_free(struct contexts_result *made);
/* What of the run is not in the contexts. STATUS_OK, STATUS_NO: it was told. */
int contexts_tell_gaps(const struct contexts *contexts, const char *file);
#endif
