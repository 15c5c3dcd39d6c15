/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Counts of paths, edges and blocks become stretches of executed code, which a trace unit could have made. */
#include "host/insert/counted.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/insert/counted_stops.h"
#include "host/insert/counted_tails.h"
#include "host/insert/insert.h"
#include "isa/isa.h"

#define OUTCOMES_MAX 62    /* of a stretch: a history of 64 bits is never full */
#define STRETCH_MAX 60000u /* instructions: what 16 bits hold */

static bool is_fall(unsigned kind)
{
	return kind == GRAPH_FALL || kind == GRAPH_TAIL_FALL;
}

static bool is_taken(unsigned kind)
{
	return kind == GRAPH_TAKEN || kind == GRAPH_TAIL_TAKEN;
}

struct stretch {
	struct counted *counted;
	struct profile *profile;
	uint64_t start, next, hist, count;
	uint32_t insns, outcomes;
	int error;
	bool timed;
	uint64_t gain, left; /* of a metric, still to be given to so many instructions */
	uint64_t from, stop; /* of what did not begin or end: what lies before and behind was not run; 0: all was */
	uint32_t function;
};

static void flush(struct stretch *s)
{
	struct record record = {
	    .start = s->start, .hist = s->hist, .count = s->count, .insns = s->insns, .reason = TRACE_GAP};
	if (s->insns == 0 || s->error != COUNTED_OK)
		return;
	if (s->timed) {
		record.timed = s->count;
		record.cycles =
		    s->insns >= s->left ? s->gain : (uint64_t)((double)s->gain * s->insns / (double)s->left);
		s->gain -= record.cycles;
		s->left -= s->insns < s->left ? s->insns : s->left;
	}
	s->insns = 0;
	if (profile_add(s->profile, &record) != PROFILE_OK)
		s->error = COUNTED_ENOMEM;
}

/* One instruction at pc was executed; outcome: of a conditional branch, -1: not known. */
static void step(struct stretch *s, uint64_t pc, const struct isa_insn *insn, int outcome)
{
	unsigned bits = insn->class_bits;
	if (s->insns > 0 && s->next != pc)
		flush(s);
	if ((bits & ISA_TRAPS) != 0 && !image_serves(s->counted->image, insn, pc)) {
		flush(s);
		s->counted->trapped += s->count;
		return;
	}
	if (s->insns == 0) {
		s->start = pc;
		s->hist = 1;
		s->outcomes = 0;
	}
	s->insns++;
	s->next = pc + insn->length;
	bool ends = (bits & (ISA_CALL | ISA_INDIRECT | ISA_RET)) != 0;
	if ((bits & ISA_BRANCH) != 0) {
		ends = outcome < 0;
		s->counted->unknown += outcome < 0 ? s->count : 0;
		if (outcome >= 0) {
			s->hist = s->hist << 1 | (unsigned)outcome;
			s->outcomes++;
		}
		if (outcome == 1)
			s->next = isa_target(insn, pc);
	} else if ((bits & ISA_JUMP) != 0)
		s->next = isa_target(insn, pc);
	if (ends || s->outcomes == OUTCOMES_MAX || s->insns == STRETCH_MAX)
		flush(s);
}

static void run(struct stretch *s, const struct map_run *r, int outcome)
{
	struct isa_insn insn;
	for (uint64_t pc = r->start; pc < r->end; pc += insn.length) {
		if (!image_insn(s->counted->image, pc, 0, &insn) || (s->stop != 0 && pc >= s->stop))
			return;
		if (pc >= s->from)
			step(s, pc, &insn, pc + insn.length >= r->end ? outcome : -1);
	}
}

static uint64_t run_insns(const struct counted *c, const struct map_run *r)
{
	struct isa_insn insn;
	uint64_t insns = 0;
	for (uint64_t pc = r->start; pc < r->end && image_insn(c->image, pc, 0, &insn); pc += insn.length)
		insns++;
	return insns;
}

static bool can_fall(const struct map *m, const struct map_block *block)
{
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (is_fall(m->edges[e].kind))
			return true;
	}
	return false;
}

/* A block, left by an edge; GRAPH_NONE: it is not known by which. */
static void block(struct stretch *s, uint32_t b, uint32_t edge)
{
	const struct map *m = s->counted->map;
	const struct map_block *block = &m->blocks[b];
	unsigned kind = edge == GRAPH_NONE ? GRAPH_JUMP : m->edges[edge].kind;
	uint32_t pads = (block->flags & MAP_PADDED) != 0 ? 1 : 0;
	int outcome = -1;
	if (is_fall(kind))
		outcome = 0;
	else if (is_taken(kind))
		outcome = 1;
	if (outcome >= 0 && (block->flags & MAP_INVERTED) != 0)
		outcome = !outcome;
	for (uint32_t i = 0; i < block->run_count - pads; i++)
		run(s, &m->runs[block->runs + i], i + 1 == block->run_count - pads ? outcome : -1);
	if (pads > 0 && is_fall(kind))
		run(s, &m->runs[block->runs + block->run_count - 1], -1);
	else if (pads > 0 && edge == GRAPH_NONE && can_fall(m, block))
		s->counted->pads += s->count * run_insns(s->counted, &m->runs[block->runs + block->run_count - 1]);
}

uint64_t counted_block_insns(const struct counted *c, uint32_t b)
{
	const struct map_block *block = &c->map->blocks[b];
	uint32_t runs = block->run_count - ((block->flags & MAP_PADDED) != 0 ? 1u : 0u);
	uint64_t insns = 0;
	for (uint32_t i = 0; i < runs; i++)
		insns += run_insns(c, &c->map->runs[block->runs + i]);
	return insns;
}

static uint64_t part(uint64_t of, uint64_t of_what, uint64_t rest)
{
	return of_what == 0 ? 0 : (uint64_t)((double)of * (double)of_what / (double)(of_what + rest));
}

/* Whether an edge is one by which a path may end at its block; kinds: of its edges, NULL: any is. */
static bool is_last(const uint8_t *kinds, uint32_t at)
{
	return kinds == NULL || kinds[at] == NUMBERING_BACK || kinds[at] == NUMBERING_CUT;
}

/* The sum of what leaves a block by those edges; COUNTED_UNKNOWN. */
static uint64_t left_by_edges(const struct counted *c, uint32_t b, const uint8_t *kinds)
{
	const struct map_block *own = &c->map->blocks[b];
	uint64_t sum = 0;
	for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
		if (is_last(kinds, e - own->edges) && c->edges[e] == COUNTED_UNKNOWN)
			return COUNTED_UNKNOWN;
		sum += is_last(kinds, e - own->edges) ? c->edges[e] : 0;
	}
	return sum;
}

/* A block alone, `count` times, left by those of its edges for which `counts` has something; the rest unknown. */
static void block_alone(struct stretch *s, uint32_t b, uint64_t count, uint64_t gain, const uint8_t *kinds)
{
	const uint64_t insns = s->timed ? counted_block_insns(s->counted, b) : 0;
	const struct map_block *own = &s->counted->map->blocks[b];
	const bool known = left_by_edges(s->counted, b, kinds) == count;
	for (uint32_t e = own->edges; known && e < own->edges + own->edge_count; e++) {
		if (!is_last(kinds, e - own->edges))
			continue;
		s->count = s->counted->edges[e];
		s->gain = part(gain, s->count, count - s->count);
		s->left = insns;
		if (s->count > 0)
			block(s, b, e);
		flush(s);
	}
	if (known)
		return;
	s->count = count;
	s->gain = gain;
	s->left = insns;
	if (count > 0)
		block(s, b, own->edge_count == 1 ? own->edges : GRAPH_NONE);
	flush(s);
}

/* A block of --edges, --blocks or --regions, from each call that did not return once to the next. */
static void block_in_parts(struct stretch *s, uint32_t b, struct counted_tails *tails)
{
	struct counted *c = s->counted;
	const struct map_object *o = &c->map->objects[c->map->functions[s->function].object];
	const uint64_t begun = c->blocks[b];
	uint64_t count = begun;
	const int error = counted_by_chords(o)
			      ? counted_tails(c, b, begun, left_by_edges(c, b, NULL), tails, &c->unsure)
			      : counted_tails_parts(c, b, tails);
	if (error != COUNTED_OK)
		s->error = COUNTED_ENOMEM;
	for (size_t i = 0; i < tails->count; i++) {
		s->stop = counted_address(c, b, tails->items[i].index);
		s->count = count;
		if (count > 0)
			block(s, b, GRAPH_NONE);
		flush(s);
		s->from = s->stop;
		count += tails->items[i].more;
		if ((int64_t)count < 0)
			count = 0;
	}
	s->stop = 0;
	block_alone(s, b, count, 0, NULL);
	s->from = 0;
}

/* The edge by which a path ends at its last block: its exit, or the only back edge there; GRAPH_NONE: one of
 * several. */
static uint32_t last_edge(const struct counted *c, const struct counted_path *p)
{
	const struct map_function *f = &c->map->functions[p->function];
	const struct map_block *own = &c->map->blocks[p->last];
	uint32_t found = GRAPH_NONE;
	if (p->exit != GRAPH_NONE)
		return p->exit;
	for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
		unsigned kind = f->numbering.kind[e - f->edges];
		if (kind != NUMBERING_BACK && kind != NUMBERING_CUT)
			continue;
		if (found != GRAPH_NONE)
			return GRAPH_NONE;
		found = e;
	}
	return found;
}

/* Of those that a path's own stretches have. */
static uint64_t path_insns(const struct counted *c, const struct counted_path *p)
{
	const struct map_function *f = &c->map->functions[p->function];
	uint64_t insns = 0;
	uint32_t b = p->first;
	for (uint32_t i = 0; i < p->length; i++) {
		insns += counted_block_insns(c, b);
		b = f->blocks + c->map->edges[c->path_edges[p->edges + i]].to;
	}
	return insns + (last_edge(c, p) != GRAPH_NONE ? counted_block_insns(c, b) : 0);
}

static bool is_self(const struct map_function *f, uint32_t edge)
{
	return f->numbering.kind != NULL && f->numbering.kind[edge - f->edges] == NUMBERING_SELF;
}

/* By function: instructions of paths, of turns of self loops, and what they gained. The turns lie within the paths, but
 * which path had how many is not known: they get their share of what the function has. */
static int share_gains(struct counted *c)
{
	c->gains = calloc(c->map->function_count + 1, sizeof *c->gains);
	if (c->gains == NULL)
		return COUNTED_ENOMEM;
	for (size_t i = 0; i < c->path_count; i++) {
		struct counted_gain *g = &c->gains[c->paths[i].function];
		g->paths += path_insns(c, &c->paths[i]) * c->paths[i].count;
		g->gain += c->paths[i].metric;
	}
	for (uint32_t k = 0; k < c->map->function_count; k++) {
		const struct map_function *f = &c->map->functions[k];
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count && c->gains[k].gain > 0; b++) {
			const struct map_block *own = &c->map->blocks[b];
			for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++)
				c->gains[k].turns += is_self(f, e) ? c->edges[e] * counted_block_insns(c, b) : 0;
		}
	}
	return COUNTED_OK;
}

static void path(struct stretch *s, const struct counted_path *p, uint64_t *ends)
{
	const struct counted *c = s->counted;
	const struct map_function *f = &c->map->functions[p->function];
	uint32_t b = p->first, last = last_edge(c, p);
	s->count = p->count;
	if (s->timed) {
		const struct counted_gain *g = &c->gains[p->function];
		s->gain = part(p->metric, g->paths, g->turns);
		s->left = path_insns(c, p);
	}
	for (uint32_t i = 0; i < p->length; i++) {
		uint32_t e = c->path_edges[p->edges + i];
		block(s, b, e);
		b = f->blocks + c->map->edges[e].to;
	}
	if (last != GRAPH_NONE)
		block(s, b, last);
	else {
		ends[b] += p->count;
		if (s->timed && s->left == 0)
			ends[c->map->block_count + b] += s->gain;
	}
	flush(s);
}

/* A path of which a part was run: its blocks, the first and the last of them in part. */
static void unfinished(struct stretch *s, const struct counted_unfinished *u, uint64_t *ends)
{
	const struct counted *c = s->counted;
	const struct map_function *f = &c->map->functions[u->path.function];
	uint32_t b = u->path.first;
	s->count = u->path.count;
	s->gain = s->left = 0;
	for (uint32_t i = 0; i <= u->path.length; i++) {
		const bool last = i == u->path.length;
		uint32_t e = last ? GRAPH_NONE : c->path_edges[u->path.edges + i];
		s->from = i == 0 ? u->from : 0;
		s->stop = last ? u->stop : 0;
		if (last && u->stop == 0)
			e = last_edge(c, &u->path);
		if (last && u->stop == 0 && e == GRAPH_NONE && s->from == 0)
			ends[b] += u->path.count; /* by which edge is known of all of them together */
		else
			block(s, b, e);
		if (last)
			break;
		b = f->blocks + c->map->edges[e].to;
	}
	s->from = s->stop = 0;
	flush(s);
}

static void function(struct stretch *s, uint32_t i, const uint64_t *ends, struct counted_tails *tails)
{
	const struct counted *c = s->counted;
	const struct map_function *f = &c->map->functions[i];
	bool paths = f->numbering.kind != NULL && c->regions == NULL;
	s->function = i;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct map_block *own = &c->map->blocks[b];
		if (!paths) {
			/* a child of fork() goes on behind calls that it has not come to */
			if (c->blocks[b] != COUNTED_UNKNOWN && (c->blocks[b] > 0 || left_by_edges(c, b, NULL) != 0))
				block_in_parts(s, b, tails);
			continue;
		}
		if (ends[b] > 0)
			block_alone(
			    s, b, ends[b], ends[c->map->block_count + b], f->numbering.kind + (own->edges - f->edges));
		for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
			if (f->numbering.kind[e - f->edges] != NUMBERING_SELF || c->edges[e] == 0)
				continue;
			s->count = c->edges[e];
			if (s->timed) {
				uint64_t turns = c->edges[e] * counted_block_insns(c, b),
					 all = c->gains[i].paths + c->gains[i].turns;
				s->gain = part(c->gains[i].gain, turns, all - turns);
				s->left = counted_block_insns(c, b);
			}
			block(s, b, e);
			flush(s);
		}
	}
}

int counted_profile(struct counted *c, const struct profile *from, struct profile *profile)
{
	struct stretch s = {.counted = c, .profile = profile, .timed = c->metric != 0};
	struct counted_tails tails = {0};
	uint64_t *ends = calloc(2 * c->map->block_count + 1, sizeof *ends); /* by block: executions, gains */
	if (ends == NULL)
		return COUNTED_ENOMEM;
	if (s.timed && share_gains(c) != COUNTED_OK) {
		free(ends);
		return COUNTED_ENOMEM;
	}
	profile->by_length = true; /* where a path is cut, another goes on by the same outcomes */
	profile->header = from->header;
	profile->has_header = true;
	profile->header.hist = 64;
	profile->header.ctrl = RV_CTRL_NO_BACKWARD_MASK;
	profile->header.period = 1;
	image_build(c->image, &profile->header.build, NULL, 0);
	profile->end = from->end;
	profile->end.cycles = 0; /* of the edited program */
	profile->has_end = from->has_end;
	for (size_t i = 0; i < c->path_count; i++)
		path(&s, &c->paths[i], ends);
	for (size_t i = 0; i < c->unfinished_count; i++)
		unfinished(&s, &c->unfinished[i], ends);
	for (uint32_t i = 0; i < c->map->function_count; i++) {
		const struct map_function *f = &c->map->functions[i];
		if (f->address != 0 && (f->flags & MAP_COUNTED) != 0)
			function(&s, i, ends, &tails);
	}
	profile->end.entries = profile->used;
	profile->end.counts = profile->total;
	free(tails.items);
	free(ends);
	return s.error;
}
