/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --cycles: how many cycles each call of each function takes in the unedited program, by caller (QTY section I).
 *
 * A variable r adds up the cycles of one activation. It is right where the runtime (sw/probe/cycles.h) looks at it: at a
 * call, and where the function is left. In between it may lag: vertices have potentials p, so that what is added at an
 * edge is cost + p(from) - p(to). A spanning tree of the edges that are expected to be worth most has 0 everywhere; a
 * loop needs one addition a round, and a block none.
 *
 *   ROOT ── enter ──► block in ──(no calls: the same vertex)── block out ── edge, cost of the next head ──► block in
 *                        └── first call ──► ROOT      ROOT ── behind the last call, tail ──► block out ── exit ──► ROOT
 *
 * Behind a mixed block (cost.h) an edge costs more in way 1. The variable `way` is 0 or 1 at the entry of such blocks.
 */
#include <stdlib.h>
#include <string.h>
#include "host/insert/cost.h"
#include "host/insert/insert.h"

#define ROOT 0u
#define MORE_MAX 4
#define CSR_CYCLE 0xC00

struct arc { /* of the graph of vertices */
	uint32_t from, to;
	int64_t cost;
	uint64_t weight;
};

struct cycles {
	struct insert_job *job;
	const struct graph_function *f;
	struct inserter *in;
	struct cost cost;
	int64_t *potential; /* by vertex: ROOT, then in and out of each block */
	struct arc *arcs;
	size_t arc_count;
	uint32_t *parent;  /* union-find over vertices */
	uint64_t *weights; /* by edge */
	uint8_t r, temporary, way;
	bool mixed;      /* there is a mixed block: way is a variable */
	bool leaf;       /* it calls nobody, and ra is as it was at the entry */
	bool jumps;      /* it sets the stack pointer to something else: longjmp */
	uint32_t record; /* counter: the function's record for the runtime */
	uint32_t enter, leave, leaf_hook, tail, jump, again, pending, divide, divide_signed,
	    bits;       /* symbols of the runtime */
	uint32_t sites; /* tail calls so far */
};

static uint32_t in_of(uint32_t block)
{
	return 1 + 2 * block;
}

static uint32_t out_of(const struct cycles *c, uint32_t block)
{
	return c->cost.blocks[block].calls > 0 ? 2 + 2 * block : 1 + 2 * block;
}

/* ---------------------------------------------------------------- potentials */
static uint32_t find(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

static int heavier(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->from != y->from)
		return x->from > y->from ? 1 : -1;
	return (x->to > y->to) - (x->to < y->to);
}

static uint64_t weight_of(const struct cycles *c, uint32_t block)
{
	static const uint64_t powers[] = {10, 100, 1000, 10000, 100000, 1000000};
	uint32_t depth = c->job->graph->blocks[c->f->blocks + block].depth;
	return powers[depth < 5 ? depth : 5];
}

static void add_arc(struct cycles *c, uint32_t from, uint32_t to, int64_t cost, uint64_t weight)
{
	c->arcs[c->arc_count++] = (struct arc){from, to, cost, weight};
}

static bool is_table(const struct cycles *c, uint32_t block)
{
	return c->job->graph->blocks[c->f->blocks + block].section == GRAPH_NONE;
}

static int make_potentials(struct cycles *c)
{
	const struct graph *g = c->job->graph;
	uint32_t vertices = 1 + 2 * c->f->block_count;
	c->potential = calloc(vertices, sizeof *c->potential);
	c->parent = malloc(vertices * sizeof *c->parent);
	c->weights = calloc(c->f->edge_count + 1u, sizeof *c->weights);
	c->arcs = malloc((c->f->edge_count + 2u * c->f->block_count + 1u) * sizeof *c->arcs);
	bool *known = calloc(vertices, sizeof *known);
	if (c->potential == NULL || c->parent == NULL || c->arcs == NULL || c->weights == NULL || known == NULL) {
		free(known);
		return OBJECT_ENOMEM;
	}
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &g->blocks[c->f->blocks + b];
		uint32_t out = 0;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
			out += g->edges[e].kind != GRAPH_NO_RETURN;
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct graph_edge *edge = &g->edges[e];
			uint32_t at = e - c->f->edge_first;
			uint64_t here = weight_of(c, b) / (out > 0 ? out : 1);
			uint32_t to = edge->to == GRAPH_NONE ? 0 : edge->to - c->f->blocks;
			if (edge->to != GRAPH_NONE && weight_of(c, to) < weight_of(c, b))
				here = weight_of(c, to);
			c->weights[at] = here;
			if (edge->kind == GRAPH_NO_RETURN)
				continue;
			/* code on a taken edge may need a jump of its own */
			uint64_t dear = edge->kind == GRAPH_TAKEN ? 2 * here : here;
			add_arc(c, out_of(c, b), edge->to == GRAPH_NONE ? ROOT : in_of(to),
			    edge->to == GRAPH_NONE ? 0 : c->cost.edges[at].head, dear);
		}
		if (c->cost.blocks[b].calls > 0) {
			add_arc(c, in_of(b), ROOT, 0, weight_of(c, b));
			add_arc(c, ROOT, out_of(c, b), c->cost.blocks[b].tail, weight_of(c, b));
		}
	}
	for (uint32_t v = 0; v < vertices; v++)
		c->parent[v] = v;
	qsort(c->arcs, c->arc_count, sizeof *c->arcs, heavier);
	size_t tree = 0;
	for (size_t i = 0; i < c->arc_count; i++) {
		uint32_t a = find(c->parent, c->arcs[i].from), b = find(c->parent, c->arcs[i].to);
		if (a == b)
			continue;
		c->parent[a] = b;
		c->arcs[tree++] = c->arcs[i];
	}
	/* from ROOT over the tree; vertices that it does not reach are of code that never returns: potential 0 somewhere */
	for (uint32_t seed = 0; seed < vertices; seed++) {
		if (known[seed])
			continue;
		known[seed] = true;
		for (bool more = true; more;) {
			more = false;
			for (size_t i = 0; i < tree; i++) {
				const struct arc *a = &c->arcs[i];
				if (known[a->from] == known[a->to])
					continue;
				if (known[a->from])
					c->potential[a->to] = c->potential[a->from] + a->cost;
				else
					c->potential[a->from] = c->potential[a->to] - a->cost;
				known[a->from] = known[a->to] = more = true;
			}
		}
	}
	free(known);
	return OBJECT_OK;
}

/* ---------------------------------------------------------------- code */
static struct inserter_code add(const struct cycles *c, int64_t cycles)
{
	return (struct inserter_code){.op = INSERTER_ADD, .var = c->r, .value = cycles};
}

static struct inserter_code hook(uint32_t symbol)
{
	return (struct inserter_code){.op = INSERTER_HOOK, .var = INSERTER_NO_VARIABLE, .symbol = symbol};
}

static void argument(struct inserter_code *code, uint8_t kind, uint32_t symbol, int64_t value)
{
	code->arguments[code->argument_count++] = (struct inserter_argument){kind, symbol, value};
}

static void put_record(const struct cycles *c, struct inserter_code *code)
{
	argument(code, INSERTER_ADDRESS, c->job->target.counters, (int64_t)c->record * c->job->target.width);
}

static int put_enter(struct cycles *c)
{
	/* the stack pointer as it was when it was called */
	int64_t lower = inserter_entry_bytes(c->in);
	struct inserter_code codes[5] = {{.op = INSERTER_MOVE, .var = c->r, .from = INSERTER_X(2)},
	    {.op = INSERTER_ADD, .var = c->r, .value = lower}};
	size_t count = lower != 0 && !c->leaf ? 2 : 0;
	if (!c->leaf) {
		codes[count] = hook(c->enter);
		put_record(c, &codes[count]);
		argument(&codes[count++], INSERTER_VARIABLE, 0, lower != 0 ? c->r : INSERTER_X(2));
	}
	codes[count++] = (struct inserter_code){.op = INSERTER_SET,
	    .var = c->r,
	    .value = (int64_t)c->cost.enter[0] - (lower != 0 ? 0 : c->potential[in_of(0)])};
	codes[count] = (struct inserter_code){.op = INSERTER_SET, .var = c->way, .value = c->cost.blocks[0].enter_way};
	return inserter_enter(c->in, c->f->blocks, codes, c->cost.blocks[0].mixed ? count + 1 : count);
}

/* Whether a block ends with a jump to what restores registers and returns (-msave-restore). */
static bool restores(const struct cycles *c, uint32_t block)
{
	const struct graph_block *b = &c->job->graph->blocks[c->f->blocks + block];
	const struct edit_atom *atom = &c->job->edit->sections[b->section].atoms[b->last];
	return strncmp(object_symbol_name(c->job->object, atom->symbol), "__riscv_restore_", 16) == 0;
}

/* What the way adds, and the way of the next block. */
static size_t put_ways(const struct cycles *c, const struct cost_edge *edge, struct inserter_code *codes)
{
	size_t count = 0;
	for (int32_t i = 0; i < abs(edge->more); i++)
		codes[count++] = (struct inserter_code){
		    .op = edge->more > 0 ? INSERTER_ADD_FROM : INSERTER_SUB_FROM, .var = c->r, .from = c->way};
	if (edge->way == COST_WAY_0 || edge->way == COST_WAY_1)
		codes[count++] =
		    (struct inserter_code){.op = INSERTER_SET, .var = c->way, .value = edge->way == COST_WAY_1};
	return count;
}

static int put_edge(struct cycles *c, uint32_t block, uint32_t e)
{
	const struct graph_edge *edge = &c->job->graph->edges[e];
	uint32_t at = e - c->f->edge_first;
	struct inserter_code codes[1 + MORE_MAX + 1];
	size_t count = 0;
	int64_t from = c->potential[out_of(c, block)];
	if (edge->kind == GRAPH_NO_RETURN)
		return OBJECT_OK;
	if (edge->to != GRAPH_NONE) {
		int64_t cycles = c->cost.edges[at].head + from - c->potential[in_of(edge->to - c->f->blocks)];
		if (cycles != 0)
			codes[count++] = add(c, cycles);
		count += put_ways(c, &c->cost.edges[at], codes + count);
	} else {
		if (from != 0)
			codes[count++] = add(c, from);
		bool tail = edge->kind != GRAPH_RETURN && !restores(c, block);
		codes[count] = hook(tail ? c->tail : c->jumps ? c->jump : c->leaf ? c->leaf_hook : c->leave);
		argument(&codes[count], INSERTER_VARIABLE, 0, c->r);
		if (c->leaf)
			put_record(c, &codes[count]);
		else
			argument(&codes[count], tail ? INSERTER_CONSTANT : INSERTER_VARIABLE, 0,
			    tail ? (int64_t)at + 1 : INSERTER_X(2));
		count++;
	}
	return count == 0 ? OBJECT_OK : inserter_edge(c->in, e, codes, count);
}

/* What an instruction takes beyond the least, by its operands; or a timer around it. */
static int put_variable(struct cycles *c, uint32_t block, uint32_t atom, const struct isa_insn *insn)
{
	const struct core_rule *rule = &c->job->options->original->core.rules[insn->op];
	struct inserter_code codes[2] = {{0}};
	if (rule->waits) {
		codes[0] = (struct inserter_code){.op = INSERTER_READ_CSR, .var = c->temporary, .value = CSR_CYCLE};
		codes[1] = (struct inserter_code){.op = INSERTER_SUB_FROM, .var = c->r, .from = c->temporary};
		int error = inserter_before(c->in, block, atom, codes, 2);
		codes[1].op = INSERTER_ADD_FROM;
		return error == OBJECT_OK ? inserter_after(c->in, block, atom, codes, 2) : error;
	}
	bool bits = rule->measure == CORE_BITS, is_signed = insn->op == ISA_DIV || insn->op == ISA_REM;
	/* one that saves cycles by its measure has the most of it in its least */
	codes[0] = hook(bits ? c->bits : is_signed ? c->divide_signed : c->divide);
	codes[0].var = c->temporary;
	argument(&codes[0], INSERTER_VARIABLE, 0, INSERTER_X(insn->rs1));
	argument(&codes[0], INSERTER_VARIABLE, 0, INSERTER_X(insn->rs2));
	argument(&codes[0], INSERTER_CONSTANT, 0, rule->step);
	argument(&codes[0], INSERTER_CONSTANT, 0, rule->step < 0 ? (bits ? 32 : 3) : 0);
	codes[1] = (struct inserter_code){.op = INSERTER_ADD_FROM, .var = c->r, .from = c->temporary};
	return inserter_before(c->in, block, atom, codes, 2);
}

static bool is_variable(const struct cycles *c, const struct edit_atom *atom, struct isa_insn *insn)
{
	if (atom->kind != EDIT_INSN)
		return false;
	graph_insn(c->job->graph, atom, insn);
	const struct core_rule *rule = &c->job->options->original->core.rules[insn->op];
	return rule->measure != CORE_FIXED || rule->waits;
}

static bool has_variable(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		if (is_table(c, b))
			continue;
		for (uint32_t a = block->first; a <= block->last; a++) {
			struct isa_insn insn;
			if (is_variable(c, &c->job->edit->sections[block->section].atoms[a], &insn))
				return true;
		}
	}
	return false;
}

static bool is_setjmp(const struct cycles *c, const struct edit_atom *atom)
{
	static const char *const names[] = {"setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp"};
	const char *name = object_symbol_name(c->job->object, atom->symbol);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static int put_block(struct cycles *c, uint32_t b)
{
	const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
	const struct cost_block *cost = &c->cost.blocks[b];
	const struct edit_section *s = &c->job->edit->sections[block->section];
	uint32_t calls = 0;
	int error = OBJECT_OK;
	for (uint32_t a = block->first; a <= block->last && error == OBJECT_OK; a++) {
		struct isa_insn insn;
		if (is_variable(c, &s->atoms[a], &insn))
			error = put_variable(c, c->f->blocks + b, a, &insn);
		if (error != OBJECT_OK || !insert_is_call(c->job, &s->atoms[a]))
			continue;
		int64_t cycles = calls == 0 ? c->potential[in_of(b)] : c->cost.middles[cost->middles + calls - 1];
		struct inserter_code codes[2];
		size_t count = 0;
		if (cycles != 0)
			codes[count++] = add(c, cycles);
		codes[count++] = (struct inserter_code){.op = INSERTER_STORE, .from = c->r, .symbol = c->pending};
		/* the code of the entry stands behind __riscv_save_N */
		if (b > 0 || calls > 0 || inserter_entry_bytes(c->in) == 0)
			error = inserter_before(c->in, c->f->blocks + b, a, codes, count);
		calls++;
		count = 0;
		if (is_setjmp(c, &s->atoms[a])) {
			codes[count] = hook(c->again);
			codes[count].var = c->r;
			argument(&codes[count], INSERTER_CONSTANT, 0, 0);
			argument(&codes[count++], INSERTER_VARIABLE, 0, INSERTER_X(2));
		}
		cycles = (int64_t)cost->tail - c->potential[out_of(c, b)];
		if (calls == cost->calls && cycles != 0)
			codes[count++] = add(c, cycles);
		if (error == OBJECT_OK && count > 0)
			error = inserter_after(c->in, c->f->blocks + b, a, codes, count);
	}
	return error;
}

static int put_all(struct cycles *c)
{
	int error = put_enter(c);
	for (uint32_t b = 0; b < c->f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		if (!is_table(c, b))
			error = put_block(c, b);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK; e++)
			error = put_edge(c, b, e);
	}
	return error;
}

/* ---------------------------------------------------------------- the function */
static uint32_t original_function(const struct insert_job *job, size_t function)
{
	const struct map *m = job->options->original->map;
	const struct map_object *o = map_object(m, job->id);
	const struct graph_function *f = &job->graph->functions[function];
	/* functions without code are not in the map */
	uint32_t index = 0;
	for (size_t i = 0; i < function; i++)
		index += job->graph->functions[i].block_count > 0;
	if (o == NULL || index >= o->function_count)
		return UINT32_MAX;
	const struct map_function *mf = &m->functions[o->functions + index];
	return mf->block_count == f->block_count && mf->edge_count == f->edge_count ? o->functions + index : UINT32_MAX;
}

/* Whether the calls of the original are those of the object, block by block; and who else enters. */
static const char *unfit(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		uint32_t calls = 0;
		if (b > 0 && block->root)
			return "it is entered in its middle";
		for (uint32_t a = block->first; !is_table(c, b) && a <= block->last; a++)
			calls += insert_is_call(c->job, &c->job->edit->sections[block->section].atoms[a]);
		if (calls != c->cost.blocks[b].calls)
			return "its code is not that of the original";
	}
	for (uint32_t e = 0; e < c->f->edge_count; e++) {
		if (abs(c->cost.edges[e].more) > MORE_MAX)
			return "what an edge costs depends too much on the edges before it";
	}
	return NULL;
}

/* Whether it calls nobody, jumps to nobody, and leaves the return address where it was. */
static bool is_leaf(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint8_t kind = c->job->graph->edges[e].kind;
			if (c->job->graph->edges[e].to == GRAPH_NONE && kind != GRAPH_RETURN && kind != GRAPH_NO_RETURN)
				return false;
		}
		for (uint32_t a = block->first; !is_table(c, b) && a <= block->last; a++) {
			const struct edit_atom *atom = &c->job->edit->sections[block->section].atoms[a];
			struct isa_registers regs;
			struct isa_insn insn;
			if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
				continue;
			graph_insn(c->job->graph, atom, &insn);
			isa_registers(&insn, &regs);
			if (insert_is_call(c->job, atom) || (regs.x_written & 2u) != 0 ||
			    (insn.class_bits & ISA_RET) != 0 || ((insn.class_bits & ISA_RETURN) != 0 && insn.rs1 != 1))
				return false;
		}
	}
	return true;
}

/* Whether it loads the stack pointer. */
static bool is_jump(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		for (uint32_t a = block->first; !is_table(c, b) && a <= block->last; a++) {
			const struct edit_atom *atom = &c->job->edit->sections[block->section].atoms[a];
			struct isa_insn insn;
			if (atom->kind != EDIT_INSN)
				continue;
			graph_insn(c->job->graph, atom, &insn);
			if ((insn.class_bits & ISA_LOAD) != 0 && insn.rd == 2)
				return true;
		}
	}
	return false;
}

static int symbols(struct cycles *c)
{
	static const char *const names[] = {"rivulet_cycles_enter", "rivulet_cycles_leave", "rivulet_cycles_leaf",
	    "rivulet_cycles_tail", "rivulet_cycles_jump", "rivulet_cycles_again", "rivulet_cycles_pending",
	    "rivulet_cycles_divide", "rivulet_cycles_divide_signed", "rivulet_cycles_bits"};
	uint32_t *const where[] = {&c->enter, &c->leave, &c->leaf_hook, &c->tail, &c->jump, &c->again, &c->pending,
	    &c->divide, &c->divide_signed, &c->bits};
	int error = OBJECT_OK;
	for (unsigned i = 0; i < 10 && error == OBJECT_OK; i++)
		error = inserter_symbol(c->job->object, names[i], where[i]);
	return error;
}

static int put_function(struct cycles *c, size_t function, struct insert_result *result)
{
	int error = inserter_open(&c->in, &c->job->target, function);
	int r = error == OBJECT_OK ? inserter_variable(c->in, &result->reason) : error;
	if (r < 0)
		return r;
	c->r = (uint8_t)r;
	for (uint32_t b = 0; b < c->f->block_count; b++)
		c->mixed = c->mixed || c->cost.blocks[b].mixed;
	c->jumps = is_jump(c);
	c->leaf = !c->jumps && is_leaf(c);
	if (c->mixed) {
		int way = inserter_variable(c->in, &result->reason);
		if (way < 0)
			return way;
		c->way = (uint8_t)way;
	}
	if (has_variable(c)) {
		int temporary = inserter_variable(c->in, &result->reason);
		if (temporary < 0)
			return temporary;
		c->temporary = (uint8_t)temporary;
	}
	enum inserter_kind kind = inserter_kind_of(c->in, r);
	error = make_potentials(c);
	if (error == OBJECT_OK) {
		inserter_weights(c->in, c->weights);
		error = symbols(c);
	}
	if (error == OBJECT_OK)
		error = put_all(c);
	if (error == OBJECT_OK)
		error = inserter_commit(c->in, &result->reason);
	if (error == OBJECT_OK)
		c->job->counts->registers[kind]++;
	return error;
}

static int cycles(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	struct cycles c = {.job = job, .f = &job->graph->functions[function], .record = (uint32_t)first};
	uint32_t index = original_function(job, function);
	int error = OBJECT_EUNSUPPORTED;
	if (index == UINT32_MAX)
		result->reason = "it is not in the original";
	else if (job->options->original->map->functions[index].address == 0)
		result->reason = "the original's linker left it out";
	else {
		int why = cost_make(&c.cost, job->options->original, index);
		result->reason = why == COST_EOTHER   ? "its code is not that of the original"
				 : why == COST_EMIXED ? "a block is entered in more than two ways that matter"
						      : unfit(&c);
		if (why == COST_ENOMEM)
			error = OBJECT_ENOMEM;
		else if (result->reason == NULL)
			error = put_function(&c, function, result);
	}
	result->counters = 1;
	inserter_close(c.in);
	cost_free(&c.cost);
	free(c.potential);
	free(c.arcs);
	free(c.parent);
	free(c.weights);
	return error;
}

const struct insert_profiler insert_profile_cycles = {INSERT_CYCLES, "cycles", cycles, NULL};
