/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_stacks.h"

#include <stdlib.h>
#include <string.h>
#include "common/joined.h"
#include "host/base/array.h"
#include "host/insert/counted_back.h"
#include "host/insert/counted_bounds.h"
#include "host/insert/counted_cuts.h"
#include "host/insert/counted_early.h"
#include "host/insert/counted_nested.h"
#include "host/insert/counted_places.h"
#include "host/insert/counted_stops.h"
#include "host/insert/insert.h"
#include "host/insert/pending.h"
#include "host/insert/unwind.h"
#include "isa/isa.h"

#define FRAMES_MAX 65536

/* Stacks at fork(), where what led there is the parent's, are read twice: paths that the parent had counted before
 * their calls are begun again, and the others are cut where the child has them. */
enum phase { FORKS_BEGIN, ENDS, FORKS_CUT };

struct taker {
	struct counted *counted;
	const struct profile_stack *stack;
	uint64_t slide;
	struct unwind_frame *frame;
	bool first;  /* nothing was called from there */
	bool begins; /* the program's entry called it */
	enum phase phase;
	/* of a region (counted_nested.h): where its sum is at the call, and at that of setjmp() */
	bool nested;
	uint32_t place, back_place;
};

/* What was put at a place: of a register or a word of the frame. */
static bool held(const struct taker *t, uint32_t place, uint64_t *value, bool *sum)
{
	const struct unwind_frame *f = t->frame;
	unsigned reg = place >> 8 & 31;
	if ((place & 3) == PENDING_REGISTER) {
		*value = f->x[reg];
		*sum = (f->sums >> reg & 1) != 0;
		return (f->known >> reg & 1) != 0;
	}
	return (place & 3) == PENDING_SLOT && f->cfa != 0 &&
	       unwind_word(t->counted->image, t->stack, f->cfa + (uint64_t)(int64_t)((int32_t)place >> 8), value, sum);
}

/* ---------------------------------------------------------------- counts of a path's vertices */
void counted_path_add(struct counted *c, const struct counted_path *p, uint64_t by)
{
	const struct map_function *f = &c->map->functions[p->function];
	c->blocks[p->first] += by;
	for (uint32_t i = 0; i < p->length; i++) {
		uint32_t e = c->path_edges[p->edges + i];
		c->edges[e] += by;
		c->blocks[f->blocks + c->map->edges[e].to] += by;
	}
	if (p->exit != GRAPH_NONE)
		c->edges[p->exit] += by;
}

bool counted_comes_to(const struct counted *c, const struct counted_path *p, uint32_t block, uint32_t *edges)
{
	const struct map_function *f = &c->map->functions[p->function];
	uint32_t b = p->first;
	for (*edges = 0; b != block && *edges < p->length; ++*edges)
		b = f->blocks + c->map->edges[c->path_edges[p->edges + *edges]].to;
	return b == block;
}

int counted_path_to(struct counted *c, uint32_t function, uint64_t number, uint32_t block, struct counted_path *to)
{
	const struct map_function *f = &c->map->functions[function];
	struct numbering_path path;
	uint32_t edges;
	if (!array_room(&c->path_edges, c->edge_count + f->block_count + 1, &c->edge_room))
		return COUNTED_ENOMEM;
	uint32_t *own = c->path_edges + c->edge_count;
	if (!counted_nested_number(c, function, &number) ||
	    numbering_path(&f->numbering, number, &path, own, f->block_count) != NUMBERING_OK ||
	    path.length > f->block_count)
		return COUNTED_EFORMAT;
	for (uint32_t i = 0; i < path.length; i++)
		own[i] += f->edges;
	*to = (struct counted_path){.function = function,
	    .first = f->blocks + path.first,
	    .edges = (uint32_t)c->edge_count,
	    .length = path.length,
	    .number = number,
	    .exit = GRAPH_NONE};
	if (!counted_comes_to(c, to, block, &edges))
		return COUNTED_EFORMAT;
	to->length = edges;
	to->last = block;
	c->edge_count += edges;
	return COUNTED_OK;
}

int counted_add_unfinished(struct counted *c, struct counted_unfinished unfinished)
{
	if (!array_room(&c->unfinished, c->unfinished_count + 1, &c->unfinished_room))
		return COUNTED_ENOMEM;
	counted_path_add(c, &unfinished.path, unfinished.path.count);
	if (unfinished.from != 0) /* its first block has been counted by the path that goes on from there */
		c->blocks[unfinished.path.first] -= unfinished.path.count;
	c->unfinished[c->unfinished_count++] = unfinished;
	return COUNTED_OK;
}

/* ---------------------------------------------------------------- loops that count their turns in a variable */
/* Whether the block's instructions before the place write a register. */
static bool written(const struct taker *t, uint32_t block, unsigned x, uint64_t place)
{
	const struct map *m = t->counted->map;
	const struct map_block *b = &m->blocks[block];
	struct isa_insn insn;
	for (uint32_t i = b->runs; i < b->runs + b->run_count; i++) {
		for (uint64_t pc = m->runs[i].start; pc < m->runs[i].end && pc < place; pc += insn.length) {
			struct isa_registers regs;
			if (!image_insn(t->counted->image, pc, 0, &insn))
				return false;
			isa_registers(&insn, &regs);
			if ((regs.x_written >> x & 1) != 0 && insn.op != ISA_JAL && insn.op != ISA_JALR)
				return true;
		}
	}
	return false;
}

static bool turns_of(const struct taker *t, const struct map_function *f, const struct pending_loop *loop,
    uint64_t place, uint64_t *turns)
{
	const struct unwind_frame *frame = t->frame;
	uint64_t count = t->stack->count, v, x;
	unsigned reg = loop->x & 31, shift = loop->x >> 8 & 63;
	bool sum;
	if (!held(t, loop->place, &v, &sum))
		return false;
	if (!sum)
		v *= count;
	if (loop->x == 0) /* -1 before the first turn */
		*turns = v;
	else {
		if ((frame->known >> reg & 1) == 0)
			return false;
		x = (frame->sums >> reg & 1) != 0 ? frame->x[reg] : frame->x[reg] * count;
		if (!written(t, f->blocks + loop->block, reg, place))
			x += (uint64_t)(int64_t)loop->step * count;
		*turns = (loop->x & PENDING_DOWN) != 0 ? v - x : x - v;
	}
	if ((loop->x & PENDING_NARROW) != 0 || t->counted->map->xlen == 32)
		*turns = (uint32_t)*turns;
	*turns >>= loop->x != 0 ? shift : 0;
	return *turns < UINT64_C(1) << 48;
}

/* A region of one path, whose turns are counted: those that were whole. COUNTED_OK or COUNTED_ENOMEM. */
static int take_turns(struct taker *t, const struct pending *p, uint32_t function, uint64_t place)
{
	struct counted *c = t->counted;
	uint64_t turns;
	if (p->loop_count == 0)
		return COUNTED_OK;
	if (!turns_of(t, &c->map->functions[function], &p->loops[0], place, &turns)) {
		c->unknown_prefixes++;
		c->no_bounds++;
		return COUNTED_OK;
	}
	turns -= t->stack->count; /* the one that goes on */
	turns = t->phase == FORKS_BEGIN ? -turns : turns;
	for (size_t i = 0; i < c->path_count; i++) {
		if (c->paths[i].function != function)
			continue;
		counted_path_add(c, &c->paths[i], turns);
		c->paths[i].count += turns;
		return COUNTED_OK;
	}
	return turns == 0 ? COUNTED_OK : counted_take_path(c, function, 0, turns);
}

static void take_loops(
    struct taker *t, const struct pending *p, const struct map_function *f, uint32_t block, uint64_t place)
{
	struct counted *c = t->counted;
	for (size_t i = 0; i < p->loop_count; i++) {
		uint64_t turns;
		if (f->blocks + p->loops[i].block != block)
			continue;
		if (turns_of(t, f, &p->loops[i], place, &turns))
			counted_self(c, f, p->loops[i].self, t->phase == FORKS_BEGIN ? -turns : turns);
		else {
			c->unknown_prefixes++;
			c->no_bounds++;
		}
	}
}

/* ---------------------------------------------------------------- frames */
/* A path that had been counted before its call. COUNTED_OK, COUNTED_ENOMEM. */
static int take_counted(const struct taker *t, const struct counted_early *early)
{
	struct counted *c = t->counted;
	if (t->phase == FORKS_BEGIN)
		return counted_fork_begin(c, &early->u);
	if (t->phase == FORKS_CUT)
		return COUNTED_OK;
	const int piece = counted_back_piece(c, &early->u, early->back);
	if (piece != 0)
		return piece == 1 ? COUNTED_OK : piece;
	return counted_early_take(c, early, t->stack->count);
}

/* A path that would have been counted by its number behind the call. COUNTED_OK, COUNTED_ENOMEM;
 * COUNTED_EFORMAT: no path of this number comes to the block. */
static int take_numbered(
    const struct taker *t, struct counted_unfinished u, uint64_t number, const struct counted_back *back)
{
	struct counted *c = t->counted;
	const uint64_t count = u.path.count;
	if (t->phase == FORKS_BEGIN)
		return COUNTED_OK;
	int error = counted_path_to(c, u.path.function, number, u.path.last, &u.path);
	if (error != COUNTED_OK)
		return error;
	u.path.count = count;
	if (t->phase == FORKS_CUT)
		return counted_fork_cut(c, &u);
	error = counted_back_cut(c, &u, back);
	return error == COUNTED_OK ? counted_add_unfinished(c, u) : error;
}

/* A path of which nobody knows the number. */
static int take_unknown(const struct taker *t, const struct counted_unfinished *u, const struct counted_back *back)
{
	const struct counted_path *p = &u->path;
	if (t->begins && p->count == 1)
		counted_unknown_begin(t->counted, p->function, p->last, u->stop);
	else
		counted_unknown(t->counted, p->function, p->last, u->stop, p->count);
	return counted_back_unless(t->counted, p->function, p->last, back);
}

/* What a call had run of its path, `u` its block and place. COUNTED_OK, COUNTED_ENOMEM. */
static int take_pending(
    struct taker *t, const struct pending *p, const struct counted_unfinished *u, const struct counted_back *back)
{
	struct counted *c = t->counted;
	const struct map_function *f = &c->map->functions[u->path.function];
	const uint32_t v = u->path.last - f->blocks, where = pending_where(p, v);
	struct counted_r r = {.function = u->path.function, .block = u->path.last};
	int64_t number;
	bool sum = false;
	const bool has = where != PENDING_NOWHERE && held(t, where, &r.value, &sum) && !sum;
	const int read = has ? counted_r_read(c, t->stack, p, &r) : 0;
	const bool known = where == PENDING_NOWHERE || read == 1;
	if (read < 0)
		return read;
	const struct counted_early early = {*u, p, read == 1 ? &r : NULL, back};
	int error = COUNTED_EFORMAT;
	if (t->phase != FORKS_CUT && t->nested) {
		error = take_turns(t, p, u->path.function, u->stop);
		if (error != COUNTED_OK)
			return error;
	} else if (t->phase != FORKS_CUT)
		take_loops(t, p, f, u->path.last, u->stop);
	error = COUNTED_EFORMAT;
	switch (pending_number(p, &f->numbering, v, known ? &r.r : NULL, &number)) {
	case PENDING_COUNTED:
		return take_counted(t, &early);
	case PENDING_NUMBER:
		error = take_numbered(t, *u, (uint64_t)number, back);
		break;
	default:
		if (t->phase == FORKS_CUT)
			return COUNTED_OK;
	}
	return error == COUNTED_EFORMAT ? take_unknown(t, u, back) : error;
}

static int take_prefix(
    struct taker *t, uint32_t function, uint32_t block, uint64_t place, bool out, struct counted_back *back)
{
	struct counted *c = t->counted;
	const struct counted_unfinished u = {
	    .path = {.function = function, .last = block, .exit = GRAPH_NONE, .count = t->stack->count}, .stop = place};
	struct pending p;
	if (map_number(c->map, function) != MAP_OK)
		return COUNTED_ENOMEM;
	int error = pending_read(&p, c->map, &c->map->functions[function]);
	if (error != MAP_OK)
		return error == MAP_ENOMEM ? COUNTED_ENOMEM : COUNTED_EFORMAT;
	error = COUNTED_OK;
	if (t->nested)
		p.place = t->back_place;
	if (back->kind != COUNTED_BACK_NOWHERE)
		error = counted_back_find(c, t->stack, &p, function, back);
	if (t->nested)
		p.place = t->place;
	if (error == COUNTED_OK && out) /* the path has been counted: it ends there */
		error = counted_back_alone(c, function, back);
	else if (error == COUNTED_OK)
		error = take_pending(t, &p, &u, back);
	pending_free(&p);
	return error;
}

/* A call, and where longjmp() went on, in a function with regions. */
struct nest {
	uint32_t function, block;
	uint64_t place;
	bool out;
	struct counted_back back;
};

/* Of one of the regions around the call, or around the place where longjmp() went on. */
static int take_region(struct taker *t, const struct nest *nest, uint32_t region, bool called)
{
	struct counted *c = t->counted;
	const struct regions *r = &c->regions[nest->function].regions;
	const uint32_t blocks = c->map->functions[nest->function].blocks,
		       of = counted_nested_of(c, nest->function, region);
	const uint64_t inside = c->map->functions[nest->function].address; /* a region inside is one place */
	struct counted_back back = {0};
	uint32_t block = c->map->functions[of].blocks;
	uint64_t place = inside;
	if (called) {
		block = counted_nested_block(c, nest->function, region, nest->block);
		place = r->of[nest->block - blocks] == region ? nest->place : inside;
		t->place = counted_nested_place(c, nest->function, region, nest->block);
	}
	if (nest->back.kind != COUNTED_BACK_NOWHERE && regions_within(r, r->of[nest->back.setjmp - blocks], region)) {
		const uint32_t setjmp = nest->back.setjmp;
		back = nest->back;
		back.setjmp = counted_nested_block(c, nest->function, region, setjmp);
		back.behind = r->of[setjmp - blocks] == region ? nest->back.behind : inside;
		t->back_place = counted_nested_place(c, nest->function, region, setjmp);
	}
	/* a region that the call is not in has ended there */
	return take_prefix(t, of, block, place, nest->out || !called, &back);
}

static int take_nest(struct taker *t, const struct nest *nest)
{
	const struct map_function *f = &t->counted->map->functions[nest->function];
	const struct regions *r = &t->counted->regions[nest->function].regions;
	const uint32_t at = r->of[nest->block - f->blocks];
	int error = COUNTED_OK;
	t->nested = true;
	for (uint32_t i = at; i != REGIONS_NONE && error == COUNTED_OK; i = r->all[i].parent)
		error = take_region(t, nest, i, true);
	if (nest->back.kind != COUNTED_BACK_NOWHERE) {
		uint32_t i = r->of[nest->back.setjmp - f->blocks];
		for (; i != REGIONS_NONE && error == COUNTED_OK; i = r->all[i].parent) {
			if (!regions_within(r, at, i))
				error = take_region(t, nest, i, false);
		}
	}
	t->nested = false;
	return error;
}

/* The block of setjmp(), if it is of this function. */
static uint32_t block_in(const struct counted *c, uint32_t function, uint64_t address)
{
	uint32_t found, block;
	counted_place(c, address, &found, &block);
	return found == function ? block : GRAPH_NONE;
}

/* jumped_to: the function that goes on. */
static int take_frame(struct taker *t, bool jumped_to)
{
	struct counted *c = t->counted;
	const struct map *m = c->map;
	/* a landing pad is a way in of its own: nothing goes on behind the call */
	const bool returns = jumped_to && t->stack->kind == PROFILE_STACK_LEFT;
	const uint64_t place = t->frame->pc;
	struct counted_back back = {.behind = returns ? t->stack->back_pc - t->slide : 0};
	uint32_t function, block;
	/* of a call: what lies behind it is not reached */
	int error = COUNTED_OK;
	if (t->phase != FORKS_CUT)
		error = counted_stop(c, t->first ? place : place - 1, t->stack->count, t->phase == FORKS_BEGIN);
	counted_place(c, t->first ? place : place - 1, &function, &block);
	if (error != COUNTED_OK || block == GRAPH_NONE)
		return error;
	if (returns && (back.setjmp = block_in(c, function, back.behind - 1)) != GRAPH_NONE) {
		back.kind = COUNTED_BACK_UNKNOWN;
		error = counted_stop(c, back.behind - 1, t->stack->count, true);
	}
	const struct map_function *f = &m->functions[function];
	const bool regions = m->objects[f->object].mode == INSERT_REGIONS;
	const bool out = counted_goes_out(c, block, place - (t->first ? 0 : 1));
	if (error != COUNTED_OK || (m->objects[f->object].mode != INSERT_PATHS && !regions) ||
	    (f->flags & MAP_COUNTED) == 0)
		return error;
	if (regions)
		return take_nest(t, &(struct nest){function, block, place, out, back});
	if ((f->flags & MAP_METRIC) != 0 || f->word_count == 0) {
		if (t->phase != FORKS_CUT && !out)
			counted_unknown(c, function, block, place, t->stack->count);
		if (t->phase != FORKS_CUT && back.kind != COUNTED_BACK_NOWHERE)
			counted_unknown_return(c, function, back.setjmp, back.behind - 1, t->stack->count);
		return COUNTED_OK;
	}
	return take_prefix(t, function, block, place, out, &back);
}

static int take_stack(struct counted *c, const struct profile_stack *stack, enum phase phase)
{
	const bool left = stack->kind == PROFILE_STACK_LEFT || stack->kind == PROFILE_STACK_THROWN;
	struct unwind_frame frame, next;
	uint64_t symbol = 0, begin = image_entry(c->image);
	bool whole = stack->kind == PROFILE_STACK_END && stack->back_sp != 0;
	struct taker t = {.counted = c, .stack = stack, .frame = &frame, .first = true, .phase = phase};
	if (image_symbol(c->image, "rivulet_probe_write", &symbol) == IMAGE_OK)
		t.slide = stack->here - symbol;
	if (image_xlen(c->image) == 32)
		t.slide = (uint32_t)t.slide;
	int end = unwind_first(c->image, stack, t.slide, &frame);
	if (end == UNWIND_OK && !counted_leave_inserted(c, stack->count, &frame) && phase == ENDS) {
		c->unknown_prefixes += stack->count;
		c->no_bounds += stack->count;
	}
	for (unsigned i = 0; end == UNWIND_OK && i < FRAMES_MAX; i++) {
		const char *name = image_whole_function(c->image, frame.address, NULL);
		bool jumped_to = left && frame.x[2] >= stack->back_sp;
		end = unwind_next(c->image, stack, t.slide, &frame, &next);
		t.first = frame.known == UINT32_MAX;
		t.begins = stack->kind == PROFILE_STACK_END && end == UNWIND_OK && next.address == begin;
		/* a handler's: below it is what it interrupted, which has a stack of its own */
		if (stack->kind == PROFILE_STACK_END && stack->back_sp != 0 && frame.x[2] >= stack->back_sp && !t.first)
			break;
		int error = take_frame(&t, jumped_to);
		if (error != COUNTED_OK)
			return error;
		whole = whole || jumped_to || frame.address == begin || (name != NULL && strcmp(name, "main") == 0);
		if (jumped_to)
			break;
		frame = next;
	}
	if (!whole && end != UNWIND_END && end != UNWIND_OK && phase != FORKS_CUT) {
		c->broken_stacks += stack->count;
		c->broken_why = unwind_strerror(end);
	}
	return end == UNWIND_ENOMEM ? COUNTED_ENOMEM : COUNTED_OK;
}

int counted_stacks(struct counted *c, const struct profile *profile)
{
	int error = COUNTED_OK;
	bool edited = false;
	for (size_t i = 0; i < c->map->object_count; i++) /* a twin has other addresses */
		edited |= c->map->objects[i].form == MAP_EDITED;
	if (!edited)
		counted_no_stacks(c, profile);
	for (enum phase phase = FORKS_BEGIN; phase <= FORKS_CUT && edited; phase++) {
		for (size_t i = 0; i < profile->stack_count && error == COUNTED_OK; i++) {
			if ((profile->stacks[i].kind == PROFILE_STACK_FORKED) == (phase != ENDS))
				error = take_stack(c, &profile->stacks[i], phase);
		}
	}
	return error == COUNTED_OK ? counted_cuts_done(c) : error;
}
