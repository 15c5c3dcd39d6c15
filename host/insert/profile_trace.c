/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --trace: the sequence of the basic blocks that were executed (BHS: events of the whole run), by a buffer of the
 * runtime (sw/probe/trace.c). Each block has an event at its start, and one behind each of its calls and system calls:
 * what the callee did, or the handler of a signal, lies between them, and a callee that does not come back leaves none
 * behind it.
 *
 * An event has the number of a counter. No counter counts: it takes one byte of .bss.rivulet, whose address is what the
 * buffer keeps. The numbers of a function: for each block with code, in order, its start, then its calls of both kinds.
 */
#include "host/insert/insert.h"
#include "isa/isa.h"

static bool is_system_call(const struct insert_job *job, const struct edit_atom *atom)
{
	struct isa_insn insn;
	if (atom->kind != EDIT_INSN)
		return false;
	graph_insn(job->graph, atom, &insn);
	return insn.op == ISA_ECALL;
}

static int put(struct insert_job *job, struct inserter *in, uint32_t b, uint32_t event, uint64_t *number)
{
	const struct graph_block *block = &job->graph->blocks[b];
	const struct edit_section *s = &job->edit->sections[block->section];
	const bool ends = block->edge_count == 1 && job->graph->edges[block->edges].kind == GRAPH_NO_RETURN;
	struct inserter_code code = {
	    .op = INSERTER_HOOK, .var = INSERTER_NO_VARIABLE, .symbol = event, .argument_count = 1};
	struct inserter_argument *argument = &code.arguments[0];
	*argument = (struct inserter_argument){INSERTER_ADDRESS, job->target.counters, (int64_t)(*number)++};
	int error = inserter_block(in, b, &code, 1);
	for (uint32_t a = block->first; a <= block->last && error == OBJECT_OK; a++) {
		if (!insert_is_call(job, &s->atoms[a]) && !is_system_call(job, &s->atoms[a]))
			continue;
		argument->value = (int64_t)(*number)++;
		if (a != block->last || !ends)
			error = inserter_after(in, b, a, &code, 1);
	}
	return error;
}

static int trace(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct inserter *in = NULL;
	uint64_t number = first;
	uint32_t event = 0;
	int error = inserter_symbol(job->object, "rivulet_trace_event", &event);
	if (error == OBJECT_OK)
		error = inserter_open(&in, &job->target, function);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == OBJECT_OK; b++)
		if (job->graph->blocks[b].section != GRAPH_NONE)
			error = put(job, in, b, event, &number);
	result->counters = number - first;
	if (error == OBJECT_OK)
		error = inserter_commit(in, &result->reason);
	if (error == OBJECT_OK)
		job->counts->registers[INSERTER_NO_REGISTER]++;
	inserter_close(in);
	return error;
}

const struct insert_profiler insert_profile_trace = {INSERT_TRACE, "trace", trace, NULL};
