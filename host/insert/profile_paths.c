/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* --paths: how often each acyclic path of each function was taken (EPP). */
#include <stdlib.h>
#include "common/joined.h"
#include "host/insert/budget.h"
#include "host/insert/cached.h"
#include "host/insert/chain.h"
#include "host/insert/near.h"
#include "host/insert/pending.h"
#include "host/insert/tree.h"

/* Of a function with a table in which the first paths have counters (MAP_FIRST): how many these are, at most; paths in
 * all, so that odd numbers have 32 bits; which share of the counts is theirs. A count there takes ten cycles less than
 * one in a slot, which takes about ten more than without; what is guessed is often wrong by as much. */
#define FIRST_MAX 4096u
#define FIRST_PATHS_MAX (INT64_C(1) << 27)
#define FIRST_SHARE 0.7
#define FIRST_SHARE_GUESSED 0.9

/* Where a function's paths are counted: an array, whose counter's address r is, or a hash table, where r is the
 * number. */
struct target {
	uint64_t base; /* its first counter */
	uint8_t r;
	struct cached cached; /* r by block, where it is a word of the stack */
	bool hashed;
	bool joined;    /* what is cut is joined (common/joined.h) */
	uint64_t first; /* so many paths have counters all the same (MAP_FIRST) */
	const struct insert_job *job;
	struct insert_table table;
	uint32_t context; /* the runtime's function that counts a part of a path, and gives what r is behind a cut */
	int64_t key;      /* of number 0 (insert_key()) */
	const struct numbering *numbering;
};

/* Of a hash table. holds: r has the context of a part already, and stays above. */
static size_t translate_hashed(
    const struct place_code *p, const struct target *t, uint8_t r, bool holds, struct inserter_code *codes)
{
	bool at = p->count == PLACE_COUNT_AT || holds;
	if (holds && p->count == PLACE_NO_COUNT && p->value == 0)
		return 0;
	if (p->count == PLACE_NO_COUNT && p->step == PLACE_NOTHING)
		return 0;
	if (p->count == PLACE_NO_COUNT) {
		const bool set = p->step == PLACE_SET && !holds;
		codes[0] = (struct inserter_code){
		    .op = set ? INSERTER_SET : INSERTER_ADD, .var = r, .value = p->value + (set ? t->key : 0)};
		return 1;
	}
	/* the number stays in r: no code that sets r says which path it is */
	const bool add = holds && p->value != 0;
	if (add)
		codes[0] = (struct inserter_code){.op = INSERTER_ADD, .var = r, .value = p->value};
	const struct inserter_argument number =
	    at ? (struct inserter_argument){INSERTER_VARIABLE, 0, r}
	       : (struct inserter_argument){INSERTER_CONSTANT, 0, p->value + t->key};
	codes[add] = insert_table_count(&t->table, number, at && !add ? p->value : 0);
	return 1 + add;
}

/* Where the first paths have counters and the others are in a table: by where a path begins. */
static size_t translate_either(
    const struct place_code *p, const struct target *t, uint8_t r, struct inserter_code *codes)
{
	const int64_t width = (int64_t)t->job->target.width, base = (int64_t)t->base;
	const bool counter = p->count == PLACE_COUNT && p->value < (int64_t)t->first;
	if (p->count == PLACE_COUNT && !counter)
		return translate_hashed(p, t, r, false, codes);
	if (counter)
		codes[0] = (struct inserter_code){.op = INSERTER_COUNT, .value = base + p->value};
	else if (p->count == PLACE_COUNT_AT)
		codes[0] = insert_table_count_either(t->job, &t->table, r, p->value);
	else if (p->step == PLACE_SET && t->numbering->enter[p->begin] < t->first)
		codes[0] = (struct inserter_code){.op = INSERTER_SET_COUNTER,
		    .var = r,
		    .value = base + p->value,
		    .symbol = near_part(t->numbering, p->begin)};
	else if (p->step == PLACE_SET)
		codes[0] = (struct inserter_code){
		    .op = INSERTER_SET, .var = r, .value = insert_odd_key(t->job->object->xlen) + p->value * width};
	else if (p->step == PLACE_ADD)
		codes[0] = (struct inserter_code){.op = INSERTER_ADD_COUNTERS, .var = r, .value = p->value};
	else
		return 0;
	return 1;
}

/* The codes of EPP's placement at a place; at most 2 for each. */
static size_t translate(const struct place_code *p, const struct target *t, uint8_t r, struct inserter_code *codes)
{
	uint64_t base = t->base;
	if (t->first > 0)
		return translate_either(p, t, r, codes);
	if (t->hashed)
		return translate_hashed(p, t, r, false, codes);
	if (p->count == PLACE_COUNT)
		codes[0] = (struct inserter_code){.op = INSERTER_COUNT, .value = (int64_t)base + p->value};
	else if (p->count == PLACE_COUNT_AT)
		codes[0] = (struct inserter_code){.op = INSERTER_COUNT_AT, .var = r, .value = p->value};
	else if (p->step == PLACE_SET)
		codes[0] = (struct inserter_code){.op = INSERTER_SET_COUNTER,
		    .var = r,
		    .value = (int64_t)base + p->value,
		    .symbol = near_part(t->numbering, p->begin)};
	else if (p->step == PLACE_ADD)
		codes[0] = (struct inserter_code){.op = INSERTER_ADD_COUNTERS, .var = r, .value = p->value};
	else
		return 0;
	return 1;
}

/* A path goes on over a cut: r has where it came from. */
static size_t translate_joined(const struct place_code *leave, const struct place_code *enter, const struct target *t,
    uint8_t r, struct inserter_code *codes)
{
	size_t used = 0;
	if (leave->count == PLACE_COUNT_AT && leave->value != 0)
		codes[used++] = (struct inserter_code){.op = INSERTER_ADD, .var = r, .value = leave->value};
	translate_hashed(leave, t, r, false, &codes[used]);
	codes[used].op = INSERTER_HOOK;
	codes[used].symbol = t->context;
	codes[used].value = 0;
	codes[used++].var = r;
	return used + translate_hashed(enter, t, r, true, codes + used);
}

static uint8_t var_at(const struct target *t, uint32_t block)
{
	return t->cached.var == NULL ? t->r : t->cached.var[block];
}

/* What stands on an edge. r may be kept in a register on one side of it: what gets it there comes first, unless r is
 * set anyway; what brings it back comes last. */
static size_t put_edge(const struct insert_numbered *n, const struct placement *p, const struct target *t, uint32_t b,
    uint32_t e, struct inserter_code *codes)
{
	uint32_t to = n->to[e];
	uint8_t from = var_at(t, b), next = to == NUMBERING_EXIT ? from : var_at(t, to);
	bool plain = n->numbering.kind[e] == NUMBERING_PLAIN, into = next != from && next != t->r;
	const struct place_code *first = plain ? &p->edge[e] : &p->leave[b];
	size_t count = 0;
	if (into && (first->step != PLACE_SET || first->count != PLACE_NO_COUNT))
		codes[count++] = (struct inserter_code){.op = INSERTER_MOVE, .var = next, .from = from};
	const bool joined = n->numbering.kind[e] == NUMBERING_CUT && t->joined;
	if (joined)
		count += translate_joined(first, &p->enter[to], t, into ? next : from, codes + count);
	else
		count += translate(first, t, into ? next : from, codes + count);
	if (!plain && !joined)
		count += translate(&p->enter[to], t, into ? next : from, codes + count);
	if (next != from && next == t->r)
		codes[count++] = (struct inserter_code){.op = INSERTER_MOVE, .var = next, .from = from};
	return count;
}

static int put_paths(const struct insert_work *w, const struct placement *p, const struct target *t,
    const struct insert_chains *chains, struct insert_selves *loops)
{
	struct insert_job *job = w->job;
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
	struct inserter *in = w->in;
	uint64_t self = t->base + (t->hashed ? t->first : n->numbering.paths);
	int error = insert_selves_begin(loops, f);
	if (error == OBJECT_OK)
		error = insert_chains_out(chains, w, t->cached.var, t->r);
	job->counts->chains += chains->count;
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &job->graph->blocks[f->blocks + b];
		struct inserter_code codes[6];
		size_t count;
		if ((block->root || b == 0) && n->numbering.enter[b] != NUMBERING_NONE &&
		    (count = translate(&p->enter[b], t, var_at(t, b), codes)) > 0)
			error = inserter_enter(in, f->blocks + b, codes, count);
		bool reached = n->numbering.count != NULL && n->numbering.count[b] > 0;
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && error == OBJECT_OK; e++) {
			count = 0;
			if (n->numbering.kind[e] == NUMBERING_SELF)
				error = insert_self(w, b, e, self++, loops);
			else if (!reached || insert_chains_has(chains, e))
				continue;
			else
				count = put_edge(n, p, t, b, e, codes);
			if (count > 0)
				error = inserter_edge(in, f->edge_first + e, codes, count);
		}
	}
	if (error == OBJECT_OK)
		error = insert_chains_in(chains, w);
	return insert_selves_end(loops, in, job->graph, f, error);
}

/* Each start has one path: it is counted there, and no register is needed. False: one has several. */
static bool count_at_starts(const struct numbering *n, struct placement *p)
{
	const struct numbering_graph *g = &n->graph;
	for (uint32_t v = 0; v < g->count; v++) {
		if (n->enter[v] != NUMBERING_NONE && n->count[v] != 1)
			return false;
	}
	for (uint32_t e = 0; e < g->first[g->count]; e++)
		p->edge[e] = (struct place_code){0};
	for (uint32_t v = 0; v < g->count; v++) {
		p->leave[v] = (struct place_code){0};
		p->enter[v] = n->enter[v] == NUMBERING_NONE
				  ? (struct place_code){0}
				  : (struct place_code){PLACE_NOTHING, PLACE_COUNT, 0, (int64_t)n->enter[v]};
	}
	p->uses_register = false;
	return true;
}

/* Where no register can be had: cut before every block with several ways out, each path is counted where it begins. */
static int cut_apart(struct insert_job *job, const struct graph_function *f, struct insert_numbered *n,
    struct chords *chords, struct placement *placement)
{
	insert_number_free(n);
	chords_free(chords);
	place_free(placement);
	int error = insert_number(job, f, 1, n);
	uint64_t *weights = malloc((f->edge_count + 1u) * sizeof *weights);
	if (weights == NULL)
		error = OBJECT_ENOMEM;
	/* every block has one way out: with these in the tree the ways in are the chords, which initialise and count */
	for (uint32_t e = 0; e < f->edge_count && error == OBJECT_OK; e++)
		weights[e] = n->numbering.kind[e] == NUMBERING_PLAIN ? UINT64_C(1) << 40 : 1;
	if (error == OBJECT_OK && (chords_make(chords, &n->numbering, weights) != NUMBERING_OK ||
				      place_make(placement, &n->numbering, chords, false) != NUMBERING_OK))
		error = OBJECT_ENOMEM;
	free(weights);
	if (error == OBJECT_OK && placement->uses_register)
		count_at_starts(&n->numbering, placement);
	return error;
}

/* How a function is planned: with EPP's tree; parts of paths are not joined. */
enum plan_way { PLAN_PLAIN = 1, PLAN_APART = 2, PLAN_WAYS = 4 };

struct planned { /* of a function */
	struct insert_numbered n;
	struct chords chords;
	struct placement placement;
	bool hashed, apart, kept; /* kept: r is in registers here and there */
	uint64_t first;           /* hashed: so many paths have counters */
	int kind;                 /* where r is */
};

/* Of a function with a table: paths that begin at loops' heads from which few lead, mostly inner ones, have counters,
 * if they are expected to be most of what is counted. How many they are; 0: none. The numbers are others then. */
static int choose_first(
    struct insert_job *job, const struct graph_function *f, struct insert_numbered *n, uint64_t array, uint64_t *first)
{
	const struct numbering *own = &n->numbering;
	const bool plain = !job->target.atomic && job->target.thread == 0 && job->target.width == job->object->xlen / 8;
	double few = 0, all = 0;
	*first = 0;
	if (!plain || n->joined || array == 1 || own->paths > FIRST_PATHS_MAX)
		return OBJECT_OK;
	if (numbering_small_first(&n->numbering) != NUMBERING_OK)
		return OBJECT_ENOMEM;
	const uint64_t most = numbering_first_starts(own, array < FIRST_MAX ? array : FIRST_MAX);
	for (uint32_t b = 0; b < own->graph.count; b++) {
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			/* a call begins where the function does, for each time that it is left */
			const bool exit = n->to[e] == NUMBERING_EXIT;
			const uint32_t begin = exit ? own->graph.entry : n->to[e];
			if (!exit && own->kind[e] != NUMBERING_BACK && own->kind[e] != NUMBERING_CUT)
				continue;
			all += (double)n->weights[e];
			few += own->enter[begin] < most ? (double)n->weights[e] : 0;
		}
	}
	const uint64_t *known =
	    weights_of(job->options->weights, job->id, insert_function_number(job, f), f->edge_count);
	const double share = known != NULL ? FIRST_SHARE : FIRST_SHARE_GUESSED;
	*first = few > share * all ? most : 0;
	if (*first == 0)
		numbering_as_made(&n->numbering);
	return OBJECT_OK;
}

/* Numbers, chords, placement. Whether it is hashed; then all values must fit in 32 bits. */
static int plan_paths(struct insert_job *job, const struct graph_function *f, unsigned way,
    struct insert_result *result, struct planned *planned)
{
	struct insert_numbered *n = &planned->n;
	struct chords *chords = &planned->chords;
	struct placement *placement = &planned->placement;
	uint64_t array = budget_limit(job, f, job->options->array != 0 ? job->options->array : INSERT_ARRAY_MAX);
	int64_t reach = 2048 / (int64_t)job->target.width;
	const uint64_t wanted = job->options->limit == 0 ? INSERT_HASHED_MAX : job->options->limit;
	const uint64_t joined =
	    job->object->xlen == 32 ? (UINT64_C(1) << JOINED_SHIFT_32) - JOINED_BASE_32 : UINT64_C(1) << 30;
	bool fits = false, either = true;
	if (job->options->hash)
		result->limit = wanted;
	while (!fits) {
		int error = insert_number(job, f, result->limit, n);
		if (error != OBJECT_OK)
			return error;
		result->limit = n->numbering.limit < result->limit ? n->numbering.limit : result->limit;
		planned->hashed = job->options->hash && n->numbering.paths > array && wanted > array;
		n->joined = planned->hashed && n->numbering.cut > 0 && (way & PLAN_APART) == 0;
		planned->first = 0;
		if (planned->hashed && either)
			error = choose_first(job, f, n, array, &planned->first);
		if (error != OBJECT_OK)
			return error;
		fits = !planned->hashed || n->numbering.paths <= (n->joined ? joined : INSERT_HASHED_MAX * UINT64_C(8));
		if (fits &&
		    (insert_tree(job->graph, f, n, (way & PLAN_PLAIN) != 0, chords, placement) != NUMBERING_OK ||
			place_bias(placement, &n->numbering, n->weights,
			    planned->hashed && planned->first == 0 ? 0 : reach) != NUMBERING_OK))
			return OBJECT_ENOMEM;
		const int64_t scale = planned->first > 0 ? (int64_t)job->target.width : 1;
		const int64_t largest = planned->first > 0 ? FIRST_PATHS_MAX : INT32_MAX;
		fits = fits &&
		       (!planned->hashed || place_within(placement, &n->numbering, -JOINED_SLACK_64 / scale, largest));
		if (fits)
			break;
		const bool again = planned->first > 0;
		insert_number_free(n);
		chords_free(chords);
		place_free(placement);
		*chords = (struct chords){0};
		*placement = (struct placement){0};
		either = false;
		result->limit /= again ? 1 : 16;
	}
	return OBJECT_OK;
}

static int open_table(struct insert_job *job, size_t function, struct target *t)
{
	int error = OBJECT_OK;
	if (t->joined)
		error = inserter_symbol(job->object, "rivulet_probe_joined", &t->context);
	return error != OBJECT_OK ? error : insert_table(job, function, t->joined, &t->table);
}

/* r is in a word of the stack: in registers where that pays. */
static int keep(struct insert_job *job, struct inserter *in, const struct graph_function *f, const struct planned *plan,
    const struct insert_chains *chains, struct target *t)
{
	const struct insert_numbered *n = &plan->n;
	const struct placement *p = &plan->placement;
	bool *calls = calloc(f->block_count + 1u, sizeof *calls), *used = calloc(f->edge_count + 1u, sizeof *used);
	bool *one = calloc(f->block_count + 1u, sizeof *one);
	int error = calls == NULL || used == NULL || one == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		struct inserter_code codes[6];
		one[b] = true;
		calls[b] = inserter_calls(in, one);
		one[b] = false;
		bool reached = n->numbering.count != NULL && n->numbering.count[b] > 0;
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && reached; e++)
			used[e] = insert_chains_leave(chains, n, b, e) ||
				  (n->numbering.kind[e] != NUMBERING_SELF && !insert_chains_has(chains, e) &&
				      put_edge(n, p, t, b, e, codes) > 0);
	}
	if (error == OBJECT_OK)
		error = cached_make(
		    &t->cached, &(struct cached_function){in, job->graph, f, calls, used, n->weights}, t->r);
	free(calls);
	free(used);
	free(one);
	return error;
}

/* registers: turns of loops may be counted in registers. */
static int put_function(struct insert_job *job, size_t function, uint64_t first, bool registers, struct planned *plan,
    struct insert_result *result)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct inserter *in = NULL;
	struct target target = {.base = first,
	    .hashed = plan->hashed,
	    .joined = plan->n.joined,
	    .first = plan->first,
	    .job = job,
	    .key = insert_key(job, 0),
	    .numbering = &plan->n.numbering};
	struct insert_chains chains = {0};
	struct insert_selves loops = {.shared = -1};
	int r = 0, error = inserter_open(&in, &job->target, function);
	if (error == OBJECT_OK && (plan->placement.uses_register || target.hashed)) {
		r = inserter_variable(in, &result->reason);
		/* longjmp() brings a register back to what it was; a word would have steps of another path */
		if (r >= 0 && inserter_kind_of(in, r) == INSERTER_SLOT && insert_calls_setjmp(job, f))
			r = OBJECT_EUNSUPPORTED;
		if (r == OBJECT_EUNSUPPORTED) {
			error = cut_apart(job, f, &plan->n, &plan->chords, &plan->placement);
			result->limit = 1;
			plan->apart = true;
			plan->hashed = target.hashed = target.joined = false;
			plan->first = target.first = 0;
			if (error == OBJECT_OK && plan->placement.uses_register)
				error = OBJECT_EUNSUPPORTED;
		} else if (r < 0)
			error = r;
		else
			plan->kind = inserter_kind_of(in, r);
	}
	target.r = (uint8_t)(r < 0 ? 0 : r);
	const struct insert_work work = {job, f, in, &plan->n};
	if (error == OBJECT_OK && target.hashed)
		error = open_table(job, function, &target);
	if (error == OBJECT_OK) {
		bool plain = !target.hashed && !job->target.atomic && job->target.thread == 0 &&
			     job->target.width == job->object->xlen / 8;
		inserter_weights(in, plan->n.weights);
		const uint64_t counted = target.hashed ? target.first : plan->n.numbering.paths;
		result->flags = target.hashed ? MAP_HASHED : 0u;
		result->flags |= target.joined ? MAP_JOINED : 0u;
		result->flags |= target.first > 0 ? MAP_FIRST : 0u;
		result->counters = counted + plan->n.numbering.self;
		result->arrays = plan->placement.uses_register ? counted : 0;
		if (registers && plain && plan->kind != INSERTER_NO_REGISTER)
			error =
			    insert_chains_begin(&chains, &work, &plan->placement, first, plan->kind == INSERTER_SLOT);
		if (error == OBJECT_OK && registers && plan->kind == INSERTER_SLOT && !plan->apart)
			error = keep(job, in, f, plan, &chains, &target);
		plan->kept = target.cached.var != NULL;
		if (error == OBJECT_OK)
			error = put_paths(&work, &plan->placement, &target, &chains, &loops);
	}
	if (error == OBJECT_OK)
		error = inserter_keep_return(in);
	if (error == OBJECT_OK)
		error = inserter_commit(in, &result->reason);
	if (error == OBJECT_OK)
		error = pending_put(result, &work, &plan->placement,
		    plan->placement.uses_register || target.hashed ? target.r : -1, target.cached.var, &loops);
	if (error == OBJECT_OK && result->arrays > 0)
		error = near_parts(result, &plan->n.numbering);
	insert_selves_free(&loops);
	inserter_close(in);
	insert_chains_free(&chains);
	cached_free(&target.cached);
	return error;
}

static void planned_free(struct planned *planned)
{
	chords_free(&planned->chords);
	place_free(&planned->placement);
	insert_number_free(&planned->n);
	*planned = (struct planned){.kind = INSERTER_NO_REGISTER};
}

static int paths(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct planned planned = {.kind = INSERTER_NO_REGISTER};
	const struct insert_counts before = *job->counts;
	const uint64_t limit = result->limit;
	int error = OBJECT_EUNSUPPORTED;
	if (job->options->metric != 0)
		return insert_metric(job, function, first, result);
	bool joined = true;
	/* code may come where it cannot be: then where EPP has it; or less of it */
	for (unsigned way = 0; way < (joined ? PLAN_WAYS : PLAN_APART) && error == OBJECT_EUNSUPPORTED; way++) {
		planned_free(&planned);
		*job->counts = before;
		result->limit = limit;
		error = plan_paths(job, f, way, result, &planned);
		if (error != OBJECT_OK)
			break;
		joined = planned.n.joined || way >= PLAN_APART;
		error = put_function(job, function, first, true, &planned, result);
		/* a frame for what is saved may be what cannot be put in */
		if (error == OBJECT_EUNSUPPORTED && (planned.kept || job->counts->chains > before.chains)) {
			*job->counts = before;
			error = put_function(job, function, first, false, &planned, result);
		}
	}
	if (error == OBJECT_OK) {
		job->counts->registers[planned.kind]++;
		job->counts->apart += planned.apart;
		job->counts->chords += planned.chords.chords;
		job->counts->cut += planned.n.numbering.cut;
		job->counts->cut_functions += planned.n.numbering.cut > 0 && !planned.n.joined;
		job->counts->hashed += planned.hashed;
	}
	planned_free(&planned);
	return error;
}

const struct insert_profiler insert_profile_paths = {INSERT_PATHS, "paths", paths, NULL};
