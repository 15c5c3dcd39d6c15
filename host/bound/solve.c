/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The whole-number program of a function (Li and Malik 1995, section 3):
 *
 *   for each vertex            what comes in = what goes out              (the entry: and 1)
 *   for each loop, N turns     edges back to its head <= (N - 1) * edges into it from outside
 *   and M in a call            what comes into its head <= M
 *
 * A loop whose head runs at most 10 times; edge, its cycles, and how often it runs in the worst case:
 *
 *   entry ──e1: 2──► head ──e2: 1──► body ──e3: 5──► head        x1 = 1, x1 + x3 = x2 + x4, x2 = x3, x3 <= 9 * x1
 *                     └─────e4: 1──► EXIT                        largest: x = 1, 9, 9, 1: 2 + 9 + 45 + 1 = 57 cycles
 *
 * A loop that is entered in several places: executions of its head <= N * edges into the loop. Each cycle has the head
 * of some loop in it (Havlak 1997), so nothing goes round without a bound.
 *
 * A solution may go round in a loop that the way from the entry does not come to; such turns are forbidden one by one:
 * what happens among their vertices is at most a large number times what comes in there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/bound/private.h"

#define ROUNDS 24        /* of forbidding turns that nothing leads to */
#define LARGEST 1000000. /* number in such a row: with larger ones a solver's arithmetic ends */

struct bound_job {
	struct bound_maker *maker;
	const struct bound_graph *graph;
	uint32_t set, function;
	struct solver_program program;
	struct flow_loop *bounds;  /* by loop, counted from the function's first; most 0: not in the graph */
	uint64_t *values, *before; /* by edge: of the last solution, of the last good one */
	uint8_t *reached;          /* by vertex: 1 the way comes to it */
};

/* ---- rows */

static bool flow_rows(struct bound_job *job)
{
	const struct bound_graph *g = job->graph;
	struct solver_program *p = &job->program;
	for (size_t e = 0; e < g->edge_count; e++) {
		if (solver_variable(p, g->edges[e].cost) < 0)
			return false;
	}
	/* edges by vertex: counted, then put in order */
	uint32_t *first = calloc(g->vertex_count + 2, sizeof *first),
		 *order = calloc(2 * g->edge_count + 1, sizeof *order);
	bool good = first != NULL && order != NULL;
	for (size_t e = 0; good && e < g->edge_count; e++) {
		first[g->edges[e].from + 2]++;
		if (g->edges[e].to != BOUND_SINK)
			first[g->edges[e].to + 2]++;
	}
	for (size_t v = 1; good && v < g->vertex_count; v++)
		first[v + 1] += first[v];
	for (size_t e = 0; good && e < g->edge_count; e++) {
		order[first[g->edges[e].from + 1]++] = (uint32_t)e << 1;
		if (g->edges[e].to != BOUND_SINK)
			order[first[g->edges[e].to + 1]++] = (uint32_t)e << 1 | 1;
	}
	for (size_t v = 0; good && v < g->vertex_count; v++) {
		good = solver_row(p, true, v == 0 ? 1 : 0);
		for (uint32_t i = first[v]; good && i < first[v + 1]; i++) {
			const struct bound_edge *edge = &g->edges[order[i] >> 1];
			if (edge->from != edge->to) /* a vertex that leads to itself comes to the same */
				good = solver_term(p, order[i] >> 1, (order[i] & 1) != 0 ? -1 : 1);
		}
	}
	free(first);
	free(order);
	return good;
}

/* A loop that is entered in several places: executions of its head <= N * edges into the loop from outside. */
static bool entered_row(struct bound_job *job, uint32_t loop, const struct flow_loop *bound)
{
	const struct cfg *cfg = job->maker->cfg;
	const struct bound_graph *g = job->graph;
	struct solver_program *p = &job->program;
	const uint32_t head = cfg->loops[loop].head, begin = g->vertices[0].block;
	const int64_t most = (int64_t)bound->most;
	bool good = solver_row(p, false, (cfg_in_loop(cfg, begin, loop) ? most : 0) - (begin == head));
	for (size_t e = 0; e < g->edge_count && good; e++) {
		const struct bound_edge *edge = &g->edges[e];
		const uint32_t to = edge->to == BOUND_SINK ? CFG_NONE : g->vertices[edge->to].block;
		if (to == CFG_NONE || !cfg_in_loop(cfg, to, loop))
			continue;
		bool enters = !cfg_in_loop(cfg, g->vertices[edge->from].block, loop);
		int64_t factor = (to == head) - (enters ? most : 0);
		if (factor != 0)
			good = solver_term(p, (uint32_t)e, factor);
	}
	return good;
}

/* The rows of a loop, of its bound. */
static bool loop_rows(struct bound_job *job, uint32_t loop, const struct flow_loop *bound)
{
	const struct cfg *cfg = job->maker->cfg;
	const struct bound_graph *g = job->graph;
	struct solver_program *p = &job->program;
	const uint32_t head = cfg->loops[loop].head;
	const int64_t begins = g->vertices[0].block == head; /* the call itself enters it */
	bool good = cfg->loops[loop].reducible || entered_row(job, loop, bound);
	for (int pass = cfg->loops[loop].reducible ? 0 : 1; pass < (bound->total != 0 ? 2 : 1) && good; pass++) {
		const int64_t turns = (int64_t)bound->most - 1;
		good = pass == 0 ? solver_row(p, false, turns * begins)
				 : solver_row(p, false, (int64_t)bound->total - begins);
		for (size_t e = 0; e < g->edge_count && good; e++) {
			const struct bound_edge *edge = &g->edges[e];
			if (edge->to == BOUND_SINK || g->vertices[edge->to].block != head)
				continue;
			bool back = cfg_in_loop(cfg, g->vertices[edge->from].block, loop);
			int64_t factor = pass == 1 || back ? 1 : -turns;
			if (factor != 0)
				good = solver_term(p, (uint32_t)e, factor);
		}
	}
	return good;
}

/* The rows of all loops in the graph. */
static int all_loop_rows(struct bound_job *job)
{
	struct bound_maker *m = job->maker;
	const struct cfg_function *f = &m->cfg->functions[job->function];
	int error = BOUND_OK;
	for (uint32_t l = f->loops; l < f->loops + f->loop_count && error == BOUND_OK; l++) {
		const struct cfg_loop *loop = &m->cfg->loops[l];
		struct flow_loop *bound = &job->bounds[l - f->loops];
		bool there = false;
		for (size_t v = 0; v < job->graph->vertex_count && !there; v++)
			there = job->graph->vertices[v].block == loop->head;
		if (!there)
			continue;
		if (!bound_loop(m, job->set, l, bound)) {
			*bound = (struct flow_loop){1, 0};
			if (error == BOUND_OK)
				error = bound_lacks(m, job->function, m->cfg->blocks[loop->head].start, BOUND_LOOP);
		}
		if (error == BOUND_OK && !loop_rows(job, l, bound))
			error = BOUND_ENOMEM;
	}
	return error;
}

/* ---- turns that nothing leads to */

/* Marks what the way comes to. Returns whether something runs that it does not come to. */
static bool mark_reached(struct bound_job *job)
{
	const struct bound_graph *g = job->graph;
	memset(job->reached, 0, g->vertex_count);
	job->reached[0] = 1;
	for (bool more = true; more;) {
		more = false;
		for (size_t e = 0; e < g->edge_count; e++) {
			const struct bound_edge *edge = &g->edges[e];
			if (job->values[e] == 0 || edge->to == BOUND_SINK || !job->reached[edge->from] ||
			    job->reached[edge->to])
				continue;
			job->reached[edge->to] = 1;
			more = true;
		}
	}
	for (size_t e = 0; e < g->edge_count; e++) {
		if (job->values[e] > 0 && !job->reached[g->edges[e].from])
			return true;
	}
	return false;
}

/* How often a block can run in a call at most, by the loops around it. */
static double most_runs(const struct bound_job *job, uint32_t block)
{
	const struct cfg *cfg = job->maker->cfg;
	const struct cfg_function *f = &cfg->functions[job->function];
	double most = 1;
	for (uint32_t l = cfg->blocks[block].loop; l != CFG_NONE; l = cfg->loops[l].parent) {
		const struct flow_loop *bound = &job->bounds[l - f->loops];
		most *= (double)bound->most + !cfg->loops[l].reducible;
		if (bound->total != 0 && most > (double)bound->total)
			return (double)bound->total;
	}
	return most;
}

/* A row that forbids what runs and is not reached. False: its number would be too large, or there is no memory. */
static bool forbid_turns(struct bound_job *job)
{
	const struct bound_graph *g = job->graph;
	double largest = 0;
	for (size_t e = 0; e < g->edge_count; e++) { /* marked: 2 */
		if (job->values[e] > 0 && !job->reached[g->edges[e].from])
			job->reached[g->edges[e].from] = 2;
	}
	for (size_t v = 0; v < g->vertex_count; v++)
		largest += job->reached[v] == 2 ? most_runs(job, g->vertices[v].block) : 0;
	if (largest > LARGEST || !solver_row(&job->program, false, 0))
		return false;
	bool good = true;
	for (size_t e = 0; e < g->edge_count && good; e++) {
		const struct bound_edge *edge = &g->edges[e];
		bool to = edge->to != BOUND_SINK && job->reached[edge->to] == 2, from = job->reached[edge->from] == 2;
		if (from)
			good = solver_term(&job->program, (uint32_t)e, 1);
		else if (to)
			good = solver_term(&job->program, (uint32_t)e, -(int64_t)largest);
	}
	return good;
}

/* ---- solution */

static int run_solver(struct bound_job *job, uint64_t *cycles)
{
	struct bound_maker *m = job->maker;
	struct bound_result *r = m->result;
	char text_of_name[CFG_NAME], title[512];
	const char *name = cfg_function_name(m->cfg, job->function, text_of_name);
	size_t length;
	snprintf(title, sizeof title, "the longest call of %.400s", name);
	char *text = solver_text(&job->program, title, &length);
	if (text == NULL)
		return BOUND_ENOMEM;
	r->programs++;
	if (m->options->keep != NULL) {
		char path[4096];
		snprintf(path, sizeof path, "%s%" PRIu64 ".lp", m->options->keep, r->programs);
		FILE *out = fopen(path, "w");
		bool written = out != NULL && fwrite(text, 1, length, out) == length;
		if (out == NULL || fclose(out) != 0 || !written) {
			snprintf(r->detail, sizeof r->detail, "%.400s: cannot be written", path);
			free(text);
			return BOUND_ESOLVER;
		}
	}
	int error = solver_run(
	    &job->program, text, length, &(struct solver_answer){job->values, cycles, r->detail, sizeof r->detail});
	free(text);
	if (error == SOLVER_ENOTHING)
		return bound_lacks(m, job->function, m->cfg->functions[job->function].start, BOUND_ENDLESS);
	if (error == SOLVER_EUNBOUNDED)
		snprintf(r->detail, sizeof r->detail, "%.400s: its program has no largest solution", name);
	if (error == SOLVER_ENOMEM)
		return BOUND_ENOMEM;
	return error == SOLVER_OK ? BOUND_OK : BOUND_ESOLVER;
}

static bool add_call(struct bound_part *part, uint64_t site, uint32_t callee, uint64_t times)
{
	for (size_t i = 0; i < part->call_count; i++) {
		if (part->calls[i].site == site && part->calls[i].part == callee) {
			part->calls[i].times += times;
			return true;
		}
	}
	if (!array_room(&part->calls, part->call_count + 1, &part->call_room))
		return false;
	part->calls[part->call_count++] = (struct bound_call){site, callee, times};
	return true;
}

/* Executions of blocks, calls, and the function's own cycles, from those of the edges. */
static int take_solution(const struct bound_job *job, struct bound_part *part)
{
	const struct cfg *cfg = job->maker->cfg;
	const struct cfg_function *f = &cfg->functions[job->function];
	part->blocks = calloc(f->block_count + 1u, sizeof *part->blocks);
	if (part->blocks == NULL)
		return BOUND_ENOMEM;
	for (size_t e = 0; e < job->graph->edge_count; e++) {
		const struct bound_edge *edge = &job->graph->edges[e];
		const uint32_t block = job->graph->vertices[edge->from].block;
		if (job->values[e] == 0)
			continue;
		part->blocks[block - f->blocks] += job->values[e];
		part->self += job->values[e] * (edge->cost - edge->called);
		if (edge->part != UINT32_MAX && !add_call(part, cfg->blocks[block].last, edge->part, job->values[e]))
			return BOUND_ENOMEM;
	}
	part->self += solver_margin(part->cycles);
	part->cycles += solver_margin(part->cycles);
	return BOUND_OK;
}

static int solve_job(struct bound_job *job, struct bound_part *part)
{
	int error = flow_rows(job) ? all_loop_rows(job) : BOUND_ENOMEM;
	if (error == BOUND_OK && job->maker->result->missing_count == 0)
		error = run_solver(job, &part->cycles);
	else
		return error; /* there is no bound: only what else is missing is of interest */
	memcpy(job->before, job->values, job->graph->edge_count * sizeof *job->values);
	for (unsigned round = 0; error == BOUND_OK && job->maker->result->missing_count == 0 && mark_reached(job);
	     round++) {
		uint64_t cycles = part->cycles;
		bool forbidden = round < ROUNDS && forbid_turns(job);
		if (!forbidden || run_solver(job, &cycles) != BOUND_OK) {
			part->relaxed = true; /* what was found before is a bound, too */
			memcpy(job->values, job->before, job->graph->edge_count * sizeof *job->values);
			break;
		}
		part->cycles = cycles;
		memcpy(job->before, job->values, job->graph->edge_count * sizeof *job->values);
	}
	return error == BOUND_OK && job->maker->result->missing_count == 0 ? take_solution(job, part) : error;
}

int bound_solve(struct bound_maker *m, const struct bound_graph *graph, uint32_t set, struct bound_part *part)
{
	const struct cfg_function *f = &m->cfg->functions[part->function];
	struct bound_job job = {.maker = m, .graph = graph, .set = set, .function = part->function};
	job.bounds = calloc(f->loop_count + 1u, sizeof *job.bounds);
	job.values = calloc(graph->edge_count + 1u, sizeof *job.values);
	job.before = calloc(graph->edge_count + 1u, sizeof *job.before);
	job.reached = calloc(graph->vertex_count + 1u, 1);
	bool good = job.bounds != NULL && job.values != NULL && job.before != NULL && job.reached != NULL;
	int error = good ? solve_job(&job, part) : BOUND_ENOMEM;
	solver_program_free(&job.program);
	free(job.bounds);
	free(job.values);
	free(job.before);
	free(job.reached);
	return error;
}
