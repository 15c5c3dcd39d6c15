/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet timing --bound: what it is made from, and what comes of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/cmd/timing.h"

static int read_facts(struct flow_facts *facts, const struct timing_job *job)
{
	char detail[1024], *text = read_text_file(job->a->flow, "file of facts", "");
	if (text == NULL)
		return STATUS_FAILED;
	int error = flow_facts_read(facts, job->a->flow, text, job->cfg, detail, sizeof detail);
	free(text);
	if (error != FLOW_OK)
		complain("%s", error == FLOW_ENOMEM ? "out of memory" : detail);
	return error == FLOW_OK ? STATUS_OK : STATUS_FAILED;
}

int timing_facts(struct flow_facts *facts, const struct timing_job *job)
{
	if (flow_facts_open(facts, job->cfg) != FLOW_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	int status = job->a->flow == NULL ? STATUS_OK : read_facts(facts, job);
	if (status == STATUS_OK)
		flow_facts_source(facts, job->cfg, job->image);
	else
		flow_facts_close(facts);
	return status;
}

/* The longest whole call that the runs show. */
static void find_most(struct timing_bound *bound)
{
	const struct timing_job *job = bound->job;
	const uint64_t start = job->cfg->functions[bound->function].start;
	if (job->run_count == 0 || !timing_all_timed(job))
		return;
	for (size_t i = 0; i < job->row_count; i++) {
		const struct timing_row *row = &job->rows[i];
		if (row->entry == start && row->calls > 0 && row->most > bound->most) {
			bound->most = row->most;
			bound->most_in = &job->runs[row->worst_run];
		}
	}
}

/* The longest time with interrupts: R = C + sum of ceil(R / every) * cycles (Joseph and Pandya 1986). */
static uint64_t with_interrupts(const struct timing_arguments *a, uint64_t cycles)
{
	double used = 0; /* of the time, by interrupts */
	for (size_t i = 0; i < a->interrupt_count; i++)
		used += (double)a->interrupts[i].cycles / (double)a->interrupts[i].every;
	if (used >= 1)
		return UINT64_MAX;
	/* the time is at least that, so the search may begin there: near 1 it would take long */
	uint64_t now = cycles + (uint64_t)((double)cycles * (used / (1 - used)) * 0.999), before;
	do {
		unsigned __int128 sum = cycles;
		before = now;
		for (size_t i = 0; i < a->interrupt_count; i++) {
			const struct timing_interrupt *interrupt = &a->interrupts[i];
			uint64_t times = now / interrupt->every + (now % interrupt->every != 0);
			sum += (unsigned __int128)times * interrupt->cycles;
		}
		if (sum > INT64_MAX)
			return UINT64_MAX;
		now = (uint64_t)sum;
	} while (now != before);
	return now;
}

static int limit_bound(const struct timing_bound *bound)
{
	const struct timing_arguments *a = bound->job->a;
	uint64_t time = a->interrupt_count > 0 ? bound->with_interrupts : bound->result->cycles;
	for (size_t i = 0; i < a->limit_count; i++) {
		if (time > a->limits[i].cycles) {
			complain("%s: a call may take %s cycles, more than %s (--limit)", a->bound,
			    time == UINT64_MAX ? "any number of" : with_commas(time), with_commas(a->limits[i].cycles));
			return STATUS_NO;
		}
	}
	return STATUS_OK;
}

static int show_bound(struct timing_bound *bound, struct bound_result *result)
{
	const struct timing_arguments *a = bound->job->a;
	bound->result = result;
	if (a->interrupt_count > 0)
		bound->with_interrupts = with_interrupts(a, result->cycles);
	int status = timing_bound_show(bound);
	if (status == STATUS_OK && a->drawing != NULL)
		status = timing_bound_draw(bound, a->drawing);
	if (status == STATUS_OK && bound->most > result->cycles) {
		const uint64_t shared = bound->most_in->shared;
		complain(
		    "%s: a run shows a call of %s cycles, more than the bound: a fact of --flow is wrong, the core is "
		    "another, %sor an interrupt came into it",
		    a->bound, with_commas(bound->most),
		    shared == 0 ? "" : "some of the cycles that are shared in that run are not its own, ");
		status = STATUS_NO;
	}
	return status == STATUS_OK ? limit_bound(bound) : status;
}

static int find_function(const struct timing_job *job, uint32_t *function)
{
	*function = cfg_function_named(job->cfg, job->a->bound);
	if (*function != CFG_NONE && job->cfg->functions[*function].entry != CFG_NONE)
		return STATUS_OK;
	complain("%s: there is no function of this name with code (the compiler may have inlined it); `rivulet cfg %s' "
		 "lists the functions",
	    job->a->bound, job->a->operands.program);
	return STATUS_FAILED;
}

static bool is_stopped(void)
{
	return stop_signal != 0;
}

int timing_print_bound(const struct timing_job *job)
{
	const struct timing_arguments *a = job->a;
	struct timing_bound bound = {.job = job};
	struct core core;
	struct flow_facts facts;
	struct bound_result result;
	char detail[1024];
	if (find_function(job, &bound.function) != STATUS_OK)
		return STATUS_FAILED;
	if (a->observed && !timing_all_timed(job)) {
		complain("--observed: the runs have no cycles: what a block took is not known");
		return STATUS_FAILED;
	}
	if (image_hosted(job->image))
		complain(
		    "%s: is a program of Linux: caches, pages and the kernel are in no bound", a->operands.program);
	if (core_open(&core, a->core == NULL ? core_names[0] : a->core, detail, sizeof detail) != CORE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	int status = timing_facts(&facts, job);
	if (status == STATUS_OK) {
		const struct bound_options options = {
		    &core, &facts, job->seen, a->observed, a->ran_only, a->keep, is_stopped};
		find_most(&bound);
		bound.core = core.name;
		bound.facts = &facts;
		int error = bound_function(&result, job->cfg, bound.function, &options);
		status = error == BOUND_OK ? show_bound(&bound, &result) : STATUS_FAILED;
		if (error == BOUND_EMISSING) {
			bound.result = &result;
			timing_bound_missing(&bound);
			status = STATUS_NO;
		} else if (error != BOUND_OK && error != BOUND_ESTOPPED)
			complain("%s", error == BOUND_ESOLVER ? result.detail : "out of memory");
		if (error == BOUND_OK && timing_check_facts(job, &facts) != STATUS_OK && status == STATUS_OK)
			status = STATUS_NO;
		bound_result_free(&result);
		flow_facts_close(&facts);
	}
	return status;
}
