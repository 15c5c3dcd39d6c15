/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --paths --metric: what a counter of the core gained on each path, beside how often it was taken (EPP's overview:
 * "count the change of a metric instead of 1").
 *
 *   path begins      r = its first counter; t = CSR
 *   around a call    t = CSR - t: what the path has so far; behind it t = CSR - t: as if it had begun later
 *   path ends        t = CSR - t; count[r]++; sum[r] += t
 *
 * So a path has what is its own, without what it calls, and all paths together have what the program has. The two reads
 * themselves, steps of r and turns of self loops lie between them; counting does not.
 *
 * Counters: paths, self loops by edge, then a sum for each path. Words of the map: the number of the CSR. Nothing of
 * EPP's placement is done, since it would move the reads.
 */
#include "host/insert/insert.h"
#include "isa/isa.h"

struct metric {
	uint8_t r, t;
	uint32_t csr;
	uint64_t base, sums; /* first counter; sums are so many counters behind the counts */
};

static size_t begin_path(const struct metric *m, uint64_t value, struct inserter_code *codes)
{
	codes[0] = (struct inserter_code){.op = INSERTER_SET_COUNTER, .var = m->r, .value = (int64_t)(m->base + value)};
	codes[1] = (struct inserter_code){.op = INSERTER_READ_CSR, .var = m->t, .value = m->csr};
	return 2;
}

static size_t end_path(const struct metric *m, uint64_t value, struct inserter_code *codes)
{
	codes[0] = (struct inserter_code){.op = INSERTER_SINCE_CSR, .var = m->t, .value = m->csr};
	codes[1] = (struct inserter_code){.op = INSERTER_COUNT_AT, .var = m->r, .value = (int64_t)value};
	codes[2] = (struct inserter_code){
	    .op = INSERTER_COUNT_AT_FROM, .var = m->r, .from = m->t, .value = (int64_t)(value + m->sums)};
	return 3;
}

/* Calls that return: what happens there is not the path's own. */
static int put_calls(
    struct insert_job *job, struct inserter *in, const struct graph_function *f, const struct metric *m)
{
	const struct inserter_code since = {.op = INSERTER_SINCE_CSR, .var = m->t, .value = m->csr};
	int error = OBJECT_OK;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &job->graph->blocks[b];
		if (block->section == GRAPH_NONE)
			continue;
		const struct edit_section *s = &job->edit->sections[block->section];
		for (uint32_t a = block->first; a <= block->last && error == OBJECT_OK; a++) {
			bool returns = a < block->last;
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
				returns = returns || job->graph->edges[e].kind == GRAPH_FALL;
			struct isa_insn insn;
			if (!returns || !insert_is_call(job, &s->atoms[a]))
				continue;
			graph_insn(job->graph, &s->atoms[a], &insn);
			if (insn.rd == 5) /* __riscv_save_N: before the variables are there */
				continue;
			/* what stands at a block's first instruction comes behind the code of edges into it */
			error =
			    a == block->first ? inserter_block(in, b, &since, 1) : inserter_before(in, b, a, &since, 1);
			if (error == OBJECT_OK)
				error = inserter_after(in, b, a, &since, 1);
		}
	}
	return error;
}

static int put_edges(struct insert_job *job, struct inserter *in, const struct graph_function *f,
    const struct insert_numbered *n, const struct metric *m)
{
	const struct insert_work work = {job, f, in, n};
	const struct numbering *num = &n->numbering;
	uint64_t self = m->base + num->paths;
	struct insert_selves loops;
	int error = insert_selves_begin(&loops, f);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		struct inserter_code codes[8];
		if ((job->graph->blocks[f->blocks + b].root || b == 0) && num->enter[b] != NUMBERING_NONE)
			error = inserter_enter(in, f->blocks + b, codes, begin_path(m, num->enter[b], codes));
		bool reached = num->count != NULL && num->count[b] > 0;
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && error == OBJECT_OK; e++) {
			size_t count = 0;
			if (num->kind[e] == NUMBERING_SELF)
				error = insert_self(&work, b, e, self++, &loops);
			else if (!reached)
				continue;
			else if (num->kind[e] != NUMBERING_PLAIN) {
				count = end_path(m, num->leave[b], codes);
				count += begin_path(m, num->enter[n->to[e]], codes + count);
			} else if (n->to[e] == NUMBERING_EXIT)
				count = end_path(m, num->value[e], codes);
			else if (num->value[e] != 0)
				codes[count++] = (struct inserter_code){
				    .op = INSERTER_ADD_COUNTERS, .var = m->r, .value = (int64_t)num->value[e]};
			if (count > 0)
				error = inserter_edge(in, f->edge_first + e, codes, count);
		}
	}
	error = insert_selves_end(&loops, in, job->graph, f, error);
	insert_selves_free(&loops);
	return error;
}

int insert_metric(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct insert_numbered n = {0};
	struct inserter *in = NULL;
	int r = 0, t = 0, error = insert_number(job, f, result->limit, &n);
	if (error == OBJECT_OK)
		error = inserter_open(&in, &job->target, function);
	if (error == OBJECT_OK && (r = inserter_variable(in, &result->reason)) < 0)
		error = r;
	if (error == OBJECT_OK && (t = inserter_variable(in, &result->reason)) < 0)
		error = t;
	if (error == OBJECT_OK) {
		const struct metric m = {
		    (uint8_t)r, (uint8_t)t, job->options->metric, first, n.numbering.paths + n.numbering.self};
		inserter_weights(in, n.weights);
		result->flags = MAP_METRIC;
		result->counters = result->arrays = 2 * n.numbering.paths + n.numbering.self;
		error = insert_word(result, m.csr);
		if (error == OBJECT_OK)
			error = put_calls(job, in, f, &m);
		if (error == OBJECT_OK)
			error = put_edges(job, in, f, &n, &m);
	}
	if (error == OBJECT_OK)
		error = inserter_commit(in, &result->reason);
	if (error == OBJECT_OK) {
		job->counts->registers[inserter_kind_of(in, r)]++;
		job->counts->cut += n.numbering.cut;
		job->counts->cut_functions += n.numbering.cut > 0;
	}
	inserter_close(in);
	insert_number_free(&n);
	return error;
}
