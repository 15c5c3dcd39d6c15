/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Who had which cycles, from the golden model itself: every retired instruction has the cycles since the one before it.
 *
 *   program ──► golden model ──► retired instructions ──┬──► cycles that the rules of a core give for them: equal,
 *   class by class?
 *                                                       └──► frames ──► functions, call edges: a line each on standard
 *                                                       output
 *
 * The frames are kept without host/stack: a return goes to the frame that was called from there with the same stack
 * pointer. Usage: cycles-judge [-c CORE] [-e] [-b] PROGRAM.elf [NAME=VALUE...]
 *   -e  functions and call edges of the traced part, for `rivulet report`
 *   -i EDITED.elf  of the functions that have counters there (`rivulet insert --cycles`), wherever they run;
 *                  PROGRAM.elf is
 *       its original. For `rivulet calls`
 *   -x  with -i: divide and multiply are rows of their own (`rivulet insert --class`)
 *   -r  cycles are those that the rules say, not the golden model's: for cores that are not there
 *   -s  the small multiplier is built in
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/cycles/core.h"
#include "host/image/image.h"
#include "host/insert/cost.h"
#include "host/walk/follow.h"
#include "model/run.h"
#include "isa/isa.h"

struct measure {
	uint64_t calls, inclusive, self, least, most;
};
struct function {
	uint64_t start;
	uint64_t self, inclusive, calls, least, most;
	struct measure classes[2]; /* -x: divisions, multiplications that it made */
	uint64_t active, since;    /* calls on the stack that stand in it; clock when the first came */
	bool ran, counted, mapped; /* it has counters, it is in the map */
};
struct edge {
	uint64_t site, target;
	uint64_t calls, inclusive, least, most;
	uint64_t active, since;
};
struct frame {
	uint32_t edge, function, caller; /* indexes */
	uint64_t back, sp, entry, site;
	uint64_t self, from;
	bool counted, under, tail, trap, milli; /* under: its caller's frame counts */
	uint64_t *active;                       /* -i, trap: of functions, then of edges, while the handler ran */
	size_t functions, edges;
};

#define TRAPS_MAX 8

struct judge {
	const struct model *model;
	struct image *image;
	struct core core;
	struct core_state state;
	struct function *functions;
	size_t function_count;
	struct edge *edges;
	size_t edge_count, edge_room;
	struct frame *frames;
	size_t depth, frame_room;
	uint32_t *function_of;               /* by halfword: index + 1 */
	struct insert_original twin, edited; /* -i: maps */
	bool inserted, classes, ruled;
	uint64_t last;        /* cycle of the last retirement */
	uint64_t clock;       /* cycles of instructions that count */
	bool before;          /* there was one */
	struct isa_insn insn; /* the last one */
	uint64_t pc, next_pc, sp;
	bool scope, trapped, traced;
	/* traps */
	struct core_state states[TRAPS_MAX]; /* what the core had in hand when they came */
	unsigned traps;
	bool disturbed;
	/* rules */
	bool fresh; /* the state is not known: the run has just begun, or a trap came */
	uint64_t model_cycles[ISA_OP_COUNT], core_cycles[ISA_OP_COUNT], count[ISA_OP_COUNT], differ[ISA_OP_COUNT];
	uint64_t skipped, shown;
	struct kind {
		struct isa_insn insn; /* one of them */
		uint64_t count, cycles;
	} kinds[ISA_OP_COUNT][3]; /* in scope: by instruction; calls, returns, others */
};

static void *must(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "cycles-judge: out of memory\n");
		exit(2);
	}
	return memory;
}

/* Whether a function of the original has counters in the edited program. */
static void has_counters(const struct judge *j, struct function *f)
{
	const struct map *m = j->twin.map;
	for (size_t i = 0; i < m->object_count; i++) {
		const struct map_object *o = &m->objects[i], *e = map_object(j->edited.map, o->id);
		for (uint32_t k = 0; e != NULL && k < o->function_count && k < e->function_count; k++) {
			if (m->functions[o->functions + k].address == f->start) {
				f->mapped = true;
				f->counted = (j->edited.map->functions[e->functions + k].flags & MAP_COUNTED) != 0;
			}
		}
	}
}

static uint32_t function_at(struct judge *j, uint64_t pc)
{
	uint64_t start = pc;
	if (pc < 0x80000000u || pc - 0x80000000u >= 1u << 21)
		start = 0;
	else {
		uint32_t *slot = &j->function_of[(pc - 0x80000000u) / 2];
		if (*slot != 0)
			return *slot - 1;
		if (image_whole_function(j->image, pc, &start) == NULL)
			start = 0;
	}
	uint32_t i = 0;
	while (i < j->function_count && j->functions[i].start != start)
		i++;
	if (i == j->function_count) {
		j->functions = must(realloc(j->functions, (j->function_count + 1) * sizeof *j->functions));
		j->functions[j->function_count] = (struct function){.start = start, .least = UINT64_MAX};
		if (j->inserted)
			has_counters(j, &j->functions[j->function_count]);
		j->function_count++;
	}
	if (start != 0)
		j->function_of[(pc - 0x80000000u) / 2] = i + 1;
	return i;
}

static uint32_t edge_of(struct judge *j, uint64_t site, uint64_t target)
{
	for (uint32_t i = 0; i < j->edge_count; i++) {
		if (j->edges[i].site == site && j->edges[i].target == target)
			return i;
	}
	j->edges = must(realloc(j->edges, (j->edge_count + 1) * sizeof *j->edges));
	j->edges[j->edge_count] = (struct edge){.site = site, .target = target, .least = UINT64_MAX};
	return (uint32_t)j->edge_count++;
}

/* -i: a handler is below nobody. What was active goes on when it is left. */
static void suspend(struct judge *j, struct frame *f)
{
	f->functions = j->function_count;
	f->edges = j->edge_count;
	f->active = must(malloc((f->functions + f->edges) * sizeof *f->active));
	for (size_t i = 0; i < f->functions; i++) {
		struct function *at = &j->functions[i];
		f->active[i] = at->active;
		at->inclusive += at->active > 0 ? j->clock - at->since : 0;
		at->active = 0;
	}
	for (size_t i = 0; i < f->edges; i++) {
		struct edge *at = &j->edges[i];
		f->active[f->functions + i] = at->active;
		at->inclusive += at->active > 0 ? j->clock - at->since : 0;
		at->active = 0;
	}
}

static void resume(struct judge *j, struct frame *f)
{
	for (size_t i = 0; i < f->functions; i++) {
		j->functions[i].active = f->active[i];
		j->functions[i].since = j->clock;
	}
	for (size_t i = 0; i < f->edges; i++) {
		j->edges[i].active = f->active[f->functions + i];
		j->edges[i].since = j->clock;
	}
	free(f->active);
	f->active = NULL;
}

static void push(struct judge *j, uint64_t site, uint64_t target, uint64_t back, bool tail, bool trap)
{
	if (j->depth == j->frame_room)
		j->frames = must(realloc(j->frames, (j->frame_room = 2 * j->frame_room + 64) * sizeof *j->frames));
	struct frame *f = &j->frames[j->depth++];
	*f = (struct frame){.edge = edge_of(j, site, target),
	    .function = function_at(j, target),
	    .caller = function_at(j, site),
	    .back = back,
	    .sp = j->sp,
	    .entry = target,
	    .site = site,
	    .from = j->clock,
	    .counted = j->scope,
	    .tail = tail,
	    .trap = trap,
	    .milli = j->insn.rd == 5};
	struct edge *e = &j->edges[f->edge];
	struct function *caller = &j->functions[f->caller];
	/* what it calls by way of code without counters is below it too */
	f->under = f->counted || (j->inserted && caller->counted);
	if (trap && j->inserted) {
		f->under = f->counted = false;
		suspend(j, f);
	}
	if (f->under && caller->active++ == 0)
		caller->since = j->clock;
	if (!f->counted)
		return;
	e->calls++;
	j->functions[f->function].calls++;
	if (e->active++ == 0)
		e->since = j->clock;
}

static void pop(struct judge *j)
{
	struct frame *f = &j->frames[--j->depth];
	struct edge *e = &j->edges[f->edge];
	struct function *callee = &j->functions[f->function], *caller = &j->functions[f->caller];
	if (f->under && --caller->active == 0)
		caller->inclusive += j->clock - caller->since;
	if (f->active != NULL)
		resume(j, f);
	if (!f->counted)
		return;
	uint64_t took = j->clock - f->from;
	e->least = took < e->least ? took : e->least;
	e->most = took > e->most ? took : e->most;
	callee->least = f->self < callee->least ? f->self : callee->least;
	callee->most = f->self > callee->most ? f->self : callee->most;
	if (--e->active == 0)
		e->inclusive += j->clock - e->since;
}

static void jump(struct judge *j, uint64_t pc)
{
	const struct frame *top = j->depth > 0 ? &j->frames[j->depth - 1] : NULL;
	uint32_t to = function_at(j, pc);
	if (j->functions[to].start != pc || (top != NULL ? top->entry == pc : to == function_at(j, j->pc)))
		return;
	uint64_t back = top != NULL ? top->back : 1, sp = top != NULL ? top->sp : 0;
	for (size_t i = j->depth; i-- > 0 && j->frames[i].tail;) {
		if (j->frames[i].site == j->pc && j->frames[i].entry == pc) {
			while (j->depth > i)
				pop(j);
			break;
		}
	}
	bool milli = j->depth > 0 && j->frames[j->depth - 1].milli;
	push(j, j->pc, pc, back, true, false);
	j->frames[j->depth - 1].sp = sp;
	j->frames[j->depth - 1].milli = milli;
}

static void back_to(struct judge *j, uint64_t pc, uint64_t sp)
{
	for (size_t i = j->depth; i-- > 0;) {
		const struct frame *f = &j->frames[i];
		if (f->trap || f->back != pc || (f->sp != sp && !f->milli))
			continue;
		while (i > 0 && j->frames[i].tail)
			i--;
		while (j->depth > i)
			pop(j);
		return;
	}
	/* longjmp, to a call that has returned already: what was called from there, or deeper, has been left */
	while (j->depth > 0 && !j->frames[j->depth - 1].trap && j->frames[j->depth - 1].sp <= sp)
		pop(j);
}

/* What the last instruction did, now that it is known where it went. */
static void settle(struct judge *j, const struct model_out *out, bool scope)
{
	unsigned bits = j->insn.class_bits;
	bool interrupted = out->intr && !j->trapped; /* it goes on later where it was in scope */
	bool both = j->scope && (scope || interrupted);
	j->scope = j->inserted ? scope : both;                         /* calls from code without counters count too */
	uint64_t pc = out->intr && !j->trapped ? j->next_pc : out->pc; /* where it would have gone on */
	if (out->intr && j->trapped)
		bits = 0;
	if (out->intr && j->inserted)
		j->scope = j->functions[function_at(j, pc)].counted;
	if ((bits & ISA_RET) != 0) {
		while (j->depth > 0 && !j->frames[j->depth - 1].trap)
			pop(j);
		if (j->depth > 0)
			pop(j);
	} else if ((bits & ISA_CALL) != 0)
		push(j, j->pc, pc, j->pc + j->insn.length, false, false);
	else if ((bits & ISA_RETURN) != 0)
		back_to(j, pc, j->sp);
	else if ((bits & (ISA_JUMP | ISA_INDIRECT)) != 0 || ((bits & ISA_BRANCH) != 0 && pc != j->pc + j->insn.length))
		jump(j, pc);
	if (out->intr && !j->inserted)
		j->scope = scope; /* a handler that is left out is in nobody's sums */
	if (out->intr)
		push(j, j->trapped ? j->pc : j->next_pc, out->pc, 1, false, true);
}

/* Returns what the rules say. */
static uint64_t hold_rules(struct judge *j, const struct model_out *out, const struct isa_insn *insn, uint64_t took)
{
	struct core_insn facts;
	core_facts(&j->core, insn, out->pc, &facts);
	bool taken = out->next_pc != out->pc + insn->length || (insn->class_bits & (ISA_BRANCH)) == 0;
	/* a branch to the next instruction may be taken or not: the operands say */
	if ((insn->class_bits & ISA_BRANCH) != 0 && insn->imm == insn->length)
		taken = false;
	unsigned extra = facts.most == CORE_UNBOUNDED
			     ? 0
			     : core_cycles(&j->core, insn, out->rs1_rdata, out->rs2_rdata) - facts.least;
	uint64_t predicted = core_next(&j->core, &j->state, &facts, taken, extra);
	if (out->trap || out->intr || j->fresh || facts.most == CORE_UNBOUNDED) {
		j->skipped += took;
		j->fresh = out->trap;
		if (out->trap)
			j->state = CORE_START;
		return facts.most == CORE_UNBOUNDED ? took : predicted;
	}
	j->count[insn->op]++;
	j->model_cycles[insn->op] += took;
	j->core_cycles[insn->op] += predicted;
	if (took == predicted || j->disturbed || j->ruled)
		return predicted;
	j->differ[insn->op]++;
	if (j->shown++ < 5)
		fprintf(stderr, "cycles-judge: %08x %s: %" PRIu64 " cycles, by rule %" PRIu64 "\n", out->pc,
		    isa_name(insn), took, predicted);
	return predicted;
}

/* Where an interrupt came, the core has lost what it had fetched: up to the next transfer the rules say what the code
 * takes without it, from what the core had in hand. */
static void over_traps(struct judge *j, const struct model_out *out)
{
	if (out->intr && j->traps < TRAPS_MAX) {
		j->states[j->traps++] = j->state;
		j->state = CORE_START;
	} else if ((j->insn.class_bits & ISA_RET) != 0 && j->traps > 0) {
		j->state = j->states[--j->traps];
		j->disturbed = true;
	} else if (j->next_pc != j->pc + j->insn.length)
		j->disturbed = false;
}

/* What a division or a multiplication takes in execution is not its function's, with -x. */
static uint64_t apart(struct judge *j, struct function *f, const struct model_out *out, const struct isa_insn *insn)
{
	static const char *const names[2][8] = {
	    {"div", "divu", "rem", "remu", NULL}, {"mul", "mulh", "mulhsu", "mulhu", NULL}};
	for (unsigned class = 0; j->classes && class < 2; class ++) {
		for (unsigned i = 0; names[class][i] != NULL; i++) {
			if (strcmp(isa_name(insn), names[class][i]) != 0)
				continue;
			struct measure *m = &f->classes[class];
			uint64_t took = core_cycles(&j->core, insn, out->rs1_rdata, out->rs2_rdata);
			m->least = m->calls == 0 || took < m->least ? took : m->least;
			m->most = took > m->most ? took : m->most;
			m->calls++;
			m->self += took;
			return took;
		}
	}
	return 0;
}

static void on_retire(void *context, const struct model_out *out)
{
	struct judge *j = context;
	struct isa_insn insn;
	bool scope = follow_taken(model_trace(j->model));
	if (j->inserted) {
		uint32_t at = function_at(j, out->pc);
		scope = j->functions[at].counted;
	}
	uint64_t took = j->before ? out->cycle - j->last : 0;
	isa_decode(out->insn, ISA_CORE, &insn);
	if (j->before) {
		over_traps(j, out);
		uint64_t by_rule = hold_rules(j, out, &insn, took);
		took = j->ruled || (j->disturbed && j->inserted) ? by_rule : took;
		settle(j, out, scope);
	}
	/* the unit counts from the cycle behind that of the write which switches it on: the write's own last */
	if (scope && !j->traced && !j->inserted) {
		took -= took > 0;
		j->traced = true;
	}
	if (scope) {
		uint32_t at = function_at(j, out->pc);
		struct function *f = &j->functions[at];
		uint64_t class = apart(j, f, out, &insn);
		f->self += took - class;
		f->ran = true;
		if (f->active == 0)
			f->inclusive += took;
		j->clock += took;
		struct kind *kind = &j->kinds[insn.op][(insn.class_bits & ISA_CALL) != 0     ? 0
						       : (insn.class_bits & ISA_RETURN) != 0 ? 1
											     : 2];
		kind->insn = insn;
		kind->count++;
		kind->cycles += took;
		if (j->depth > 0)
			j->frames[j->depth - 1].self += took - class;
	}
	j->before = true;
	j->last = out->cycle;
	j->insn = insn;
	j->pc = out->pc;
	j->next_pc = out->next_pc;
	j->trapped = out->trap;
	j->scope = scope;
	j->sp = model_reg(j->model, 2);
}

static int print_rules(const struct judge *j, const char *app)
{
	uint64_t count = 0, cycles = 0, differ = 0;
	for (int op = 0; op < ISA_OP_COUNT; op++) {
		count += j->count[op];
		cycles += j->model_cycles[op];
		differ += j->differ[op];
		if (j->differ[op] > 0) {
			printf("%s: op %d: %" PRIu64 " of %" PRIu64 " differ, %" PRIu64 " cycles, by rule %" PRIu64
			       "\n",
			    app, op, j->differ[op], j->count[op], j->model_cycles[op], j->core_cycles[op]);
		}
	}
	printf("%s: core %s: %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64 " differ (%" PRIu64
	       " cycles at traps are not held)\n",
	    app, j->core.name, count, cycles, differ, j->skipped);
	return differ > 0 || count == 0;
}

/* A row for each class that was executed, and a line for each function that did. */
static void print_classes(const struct judge *j)
{
	static const char *const names[2] = {"[divide]", "[multiply]"};
	for (unsigned class = 0; class < 2; class ++) {
		struct measure sum = {.least = UINT64_MAX};
		for (size_t i = 0; i < j->function_count; i++) {
			const struct measure *m = &j->functions[i].classes[class];
			if (m->calls == 0)
				continue;
			printf("class %s %s %" PRIu64 " %" PRIu64 "\n",
			    image_whole_function(j->image, j->functions[i].start, NULL), names[class], m->calls,
			    m->self);
			sum.calls += m->calls;
			sum.self += m->self;
			sum.least = m->least < sum.least ? m->least : sum.least;
			sum.most = m->most > sum.most ? m->most : sum.most;
		}
		if (sum.calls > 0)
			printf("function %s 0 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			    names[class], sum.calls, sum.self, sum.self, sum.least, sum.most);
	}
}

static void print_edges(struct judge *j)
{
	print_classes(j);
	for (size_t op = 0; op < ISA_OP_COUNT && !j->inserted; op++) {
		for (size_t i = 0; i < 3; i++) {
			const struct kind *kind = &j->kinds[op][i];
			static const char *const ways[] = {"call", "return", "other"};
			if (kind->count > 0)
				printf("insn %s %s %" PRIu64 " %" PRIu64 "\n", isa_name(&kind->insn), ways[i],
				    kind->count, kind->cycles);
		}
	}
	for (size_t i = 0; i < j->function_count; i++) {
		const struct function *f = &j->functions[i];
		const char *name = image_whole_function(j->image, f->start, NULL);
		if (f->ran)
			printf("function %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			    name == NULL ? "?" : name, f->start, f->calls, f->self, f->inclusive,
			    f->calls > 0 ? f->least : 0, f->most);
	}
	for (size_t i = 0; i < j->edge_count; i++) {
		const struct edge *e = &j->edges[i];
		/* who calls from code without counters is not known there */
		uint32_t caller = function_at(j, e->site);
		bool known = !j->inserted || j->functions[caller].mapped;
		if (e->calls > 0 && known)
			printf("call %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			    e->site, e->target, e->calls, e->inclusive, e->least, e->most);
	}
}

int main(int argc, char **argv)
{
	struct judge j = {.state = CORE_START, .fresh = true};
	struct model *model;
	struct model_config config;
	struct run_result result;
	bool edges = false;
	const char *core = "rivulet";
	char detail[1024] = "usage: cycles-judge [-c CORE] [-e] [-s] PROGRAM.elf [NAME=VALUE...]";
	model_config_default(&config);
	config.ram_size = 1u << 20;
	const char *edited = NULL;
	for (int option; (option = getopt(argc, argv, "c:ersxi:")) != -1;) {
		if (option == 'c')
			core = optarg;
		else if (option == 'e')
			edges = true;
		else if (option == 'i')
			edited = optarg;
		else if (option == 'r')
			j.ruled = true;
		else if (option == 'x')
			j.classes = true;
		else if (option == 's')
			config.mul_fast = false;
		else
			return 2;
	}
	if (optind == argc || core_open(&j.core, core, detail, sizeof detail) != CORE_OK ||
	    image_open(&j.image, argv[optind], detail, sizeof detail) != IMAGE_OK ||
	    model_open(&model, &config) != MODEL_OK ||
	    model_load_elf(model, argv[optind], detail, sizeof detail) != MODEL_OK ||
	    model_set(model, edited == NULL ? "way=5" : "way=off", detail, sizeof detail) != MODEL_OK ||
	    (edited != NULL && (insert_original_open(&j.twin, argv[optind], NULL, detail, sizeof detail) != 0 ||
				   insert_original_open(&j.edited, edited, NULL, detail, sizeof detail) != 0))) {
		fprintf(stderr, "cycles-judge: %s\n", detail);
		return 2;
	}
	const char *app = strrchr(argv[optind], '/');
	app = app == NULL ? argv[optind] : app + 1;
	for (int i = optind + 1; i < argc; i++) {
		if (model_set(model, argv[i], detail, sizeof detail) != MODEL_OK) {
			fprintf(stderr, "cycles-judge: %s\n", detail);
			return 2;
		}
	}
	j.function_of = must(calloc(1u << 20, sizeof *j.function_of));
	j.model = model;
	j.inserted = edited != NULL;
	edges |= j.inserted;
	const struct run_hooks hooks = {.context = &j, .retire = on_retire};
	model_run(model, &hooks, 0, 0, &result);
	while (j.depth > 0)
		pop(&j);
	if (result.end != RUN_END_EXIT) {
		fprintf(stderr, "cycles-judge: %s did not end\n", app);
		return 2;
	}
	if (!edges)
		return print_rules(&j, app);
	print_edges(&j);
	return 0;
}
