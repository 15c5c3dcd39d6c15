/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Two versions of each function (versions.h), for insert.c: which one counts, and what leads to it. */
#include <elf.h>
#include <stdlib.h>
#include "host/insert/insert_private.h"

uint32_t insert_function_number(const struct insert_job *job, const struct graph_function *f)
{
	const uint32_t own = (uint32_t)(f - job->graph->functions);
	for (uint32_t i = 0; own >= job->function_count && i < job->function_count; i++) {
		if (job->seconds[i] == own)
			return i;
	}
	return own;
}

/* The version that counts: the function itself, if it has only one. */
size_t insert_second_version(const struct insert_job *job, size_t function)
{
	const bool has = job->seconds != NULL && job->seconds[function] != GRAPH_NONE;
	return has ? job->seconds[function] : function;
}

/* Second versions come last in the graph, for their sections do. */
int insert_match_versions(struct insert_job *job)
{
	int error = versions_match(&job->versions, job->graph, &job->seconds);
	for (uint32_t i = 0; error == OBJECT_OK && i < job->graph->function_count; i++)
		job->function_count -= job->seconds[i] == i;
	return error;
}

/* The first version goes to the second one while the word says so. */
int insert_switch(struct insert_job *job, size_t function, size_t second)
{
	const struct graph_function *other = &job->graph->functions[second];
	struct inserter_code code = {.op = INSERTER_SWITCH, .var = INSERTER_NO_VARIABLE, .argument_count = 1};
	struct inserter_target target = job->target;
	struct inserter *in = NULL;
	const char *reason = NULL;
	target.in_order = true;
	target.entries = &job->entries;
	int error = inserter_symbol(job->object, "rivulet_probe_switch", &code.symbol);
	if (error == OBJECT_OK)
		error = object_add_symbol(job->object,
		    &(struct object_new_symbol){
			NULL, other->offset, 0, other->section, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		    &code.arguments[0].symbol);
	if (error == OBJECT_OK)
		error = inserter_open(&in, &target, function);
	if (error == OBJECT_OK)
		error = inserter_enter(in, job->graph->functions[function].blocks, &code, 1);
	if (error == OBJECT_OK)
		error = inserter_commit(in, &reason);
	inserter_close(in);
	/* the second version is counted already, and would never be entered */
	return error == OBJECT_EUNSUPPORTED ? OBJECT_EFORMAT : error;
}
