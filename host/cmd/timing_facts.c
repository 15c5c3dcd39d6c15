/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Facts that runs contradict: a loop that went round more often, a call that went elsewhere, code that never runs. */
#include <inttypes.h>
#include "host/cmd/cmd.h"
#include "host/cmd/timing.h"

const char *timing_function_name(const struct timing_job *job, uint32_t function)
{
	const struct cfg_function *f = function == CFG_NONE ? NULL : &job->cfg->functions[function];
	if (f == NULL)
		return "?";
	return f->name != NULL ? shown_name(f->name, f->start) : function_name(NULL, f->start);
}

static bool keeps_to_fact(const struct flow_loop *fact, const struct seen_loop *loop)
{
	return loop->most <= fact->most && (fact->total == 0 || loop->total <= fact->total);
}

static int check_loop(const struct timing_job *job, const struct flow_facts *facts, uint32_t loop)
{
	const struct flow_loop *fact = &facts->loops[loop];
	struct seen_loop most = {.loop = loop};
	size_t contexts;
	seen_flow_contexts(job->seen, &contexts);
	for (uint32_t c = 1; c < contexts && fact->most > 0; c++) {
		const struct seen_loop *seen = seen_flow_loop(job->seen, c, loop);
		if (seen != NULL && seen->most > most.most)
			most.most = seen->most;
		if (seen != NULL && seen->total > most.total)
			most.total = seen->total;
	}
	if (fact->most == 0 || keeps_to_fact(fact, &most))
		return STATUS_OK;
	complain("%s: loop at 0x%08" PRIx64 " went round %s times for an entry, %s in a call: more than its fact says",
	    timing_function_name(job, job->cfg->loops[loop].function),
	    job->cfg->blocks[job->cfg->loops[loop].head].start, with_commas(most.most), with_commas(most.total));
	return STATUS_NO;
}

/* Whether a fact about this site leaves a function out. */
static bool is_left_out(const struct flow_facts *facts, const struct seen_context *context)
{
	bool any = false;
	for (size_t i = 0; i < facts->call_count; i++) {
		if (facts->calls[i].site != context->site)
			continue;
		if (facts->calls[i].function == context->function)
			return false;
		any = true;
	}
	return any;
}

/* Calls of its function that are open in a context. */
static uint64_t open_calls(const struct seen_context *contexts, uint32_t context)
{
	const uint32_t function = contexts[context].function;
	uint64_t open = 0;
	for (; context != SEEN_ROOT; context = contexts[context].parent)
		open += contexts[context].function == function;
	return open;
}

static int check_context(const struct timing_job *job, const struct flow_facts *facts, uint32_t number)
{
	size_t count;
	const struct seen_context *contexts = seen_flow_contexts(job->seen, &count), *context = &contexts[number];
	if (context->function == CFG_NONE || context->trap)
		return STATUS_OK;
	const char *name = timing_function_name(job, context->function);
	const uint64_t depth = facts->depths[context->function], open = open_calls(contexts, number);
	if (is_left_out(facts, context)) {
		complain("the call at 0x%08" PRIx64 " went to %s, which its fact leaves out", context->site, name);
		return STATUS_NO;
	}
	if (depth == 0 || open <= depth)
		return STATUS_OK;
	complain("%s: %s calls of it were open at a time: more than its fact says", name, with_commas(open));
	return STATUS_NO;
}

int timing_check_facts(const struct timing_job *job, const struct flow_facts *facts)
{
	int status = STATUS_OK;
	size_t contexts;
	if (job->seen == NULL)
		return STATUS_OK;
	for (uint32_t l = 0; l < job->cfg->counts.loops; l++)
		status = check_loop(job, facts, l) == STATUS_OK ? status : STATUS_NO;
	for (uint32_t b = 0; b < job->cfg->counts.blocks; b++) {
		if (!facts->never[b] || !seen_flow_ran(job->seen, b))
			continue;
		complain("%s: a run came to 0x%08" PRIx64 ", which never runs by a fact",
		    timing_function_name(job, job->cfg->blocks[b].function), job->cfg->blocks[b].start);
		status = STATUS_NO;
	}
	seen_flow_contexts(job->seen, &contexts);
	for (uint32_t c = 1; c < contexts; c++)
		status = check_context(job, facts, c) == STATUS_OK ? status : STATUS_NO;
	return status;
}
