/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* --blocks: how often each basic block was executed. */
#include "host/insert/insert.h"

static int blocks(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct inserter *in;
	int error = inserter_open(&in, &job->target, function);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct inserter_code code = {.op = INSERTER_COUNT, .value = (int64_t)(first + b)};
		if (job->graph->blocks[f->blocks + b].section != GRAPH_NONE)
			error = inserter_block(in, f->blocks + b, &code, 1);
	}
	result->counters = f->block_count;
	if (error == OBJECT_OK)
		error = inserter_commit(in, &result->reason);
	if (error == OBJECT_OK)
		job->counts->registers[INSERTER_NO_REGISTER]++;
	inserter_close(in);
	return error;
}

const struct insert_profiler insert_profile_blocks = {INSERT_BLOCKS, "blocks", blocks, NULL};
