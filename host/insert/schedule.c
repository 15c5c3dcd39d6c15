/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The order of what is put in. An instruction behind a load that reads what was loaded waits a cycle in most pipelines
 * (docs/core.md section 4). A count is a load, an addition, a store: the addition waits, unless something stands
 * between.
 *
 *   words at one place            in another order: lui of the next address between load and addition
 *   an instruction of the         lw t; X; addi t, t, 1; sw t: what is behind the load sinks behind X, or what is up to
 *   program before or behind      the load rises before Y
 *   the program's own load        what touches registers only (r += c) goes between the load and who reads it
 *
 * What goes over an instruction of the program shares no register with it. A count is not made later than an
 * instruction that may trap, nor earlier: then what has been counted when a program ends is what it ran through. So
 * what sinks has no store, or X is no load and no store; what rises has no store. Branches, calls, CSRs, fences and
 * atomics are not passed. Nothing moves over a label, so that all is done at each label that was done before.
 */
#include <elf.h>
#include <string.h>
#include "host/base/decoded.h"
#include "host/insert/inserter_private.h"
#include "isa/isa.h"

#define SP 2u
#define SEGMENT_MAX 64 /* words that are ordered together; more stay as they are */
#define REACH 12       /* instructions of the program, to the next load of its own */

struct effect {
	uint32_t reads, writes; /* integer registers */
	uint32_t loaded;        /* of these, what a load writes */
	bool load, store;
	bool fixed; /* nothing moves over it, and it does not move */
};

/* An instruction of which all effects are in its registers and its load or store. */
static bool is_plain_insn(const struct isa_insn *insn)
{
	const uint32_t other = ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET | ISA_TRAPS | ISA_CALL | ISA_ATOMIC;
	bool system = insn->op >= ISA_CSRRW && insn->op <= ISA_SFENCE_VMA;
	/* a shift into x0 is a mark: semihosting has one on either side of its EBREAK */
	bool mark = (insn->op == ISA_SLLI || insn->op == ISA_SRAI) && insn->rd == 0;
	return insn->op != ISA_ILLEGAL && !system && !mark && insn->op < ISA_CM_PUSH && (insn->class_bits & other) == 0;
}

static struct effect effect_of(const struct isa_insn *insn)
{
	struct isa_registers r;
	isa_registers(insn, &r);
	struct effect e = {r.x_read, r.x_written, 0, (insn->class_bits & ISA_LOAD) != 0,
	    (insn->class_bits & ISA_STORE) != 0, !is_plain_insn(insn)};
	e.loaded = e.load ? e.writes : 0;
	return e;
}

static struct effect word_effect(const struct inserter *in, const struct edit_word *w)
{
	struct isa_insn insn;
	bool low = w->type == R_RISCV_PCREL_LO12_I || w->type == R_RISCV_PCREL_LO12_S;
	decode_again(w->word, in->set, &insn);
	struct effect e = effect_of(&insn);
	e.fixed = e.fixed || w->unwind != 0 || (w->to != EDIT_TO_NONE && !low) || (e.writes >> SP & 1) != 0;
	return e;
}

static struct effect atom_effect(const struct inserter *in, const struct edit_atom *atom)
{
	struct isa_insn insn;
	if (atom->kind != EDIT_INSN || atom->flow != EDIT_NEXT)
		return (struct effect){.fixed = true};
	graph_insn(in->g, atom, &insn);
	return effect_of(&insn);
}

/* Whether one must stay before the other, by registers. */
static bool effect_depends(const struct effect *a, const struct effect *b)
{
	return (a->writes & (b->reads | b->writes)) != 0 || (a->reads & b->writes) != 0;
}

static struct effect joined_effect(struct effect a, const struct effect *b)
{
	a.reads |= b->reads;
	a.writes |= b->writes;
	a.load = a.load || b->load;
	a.store = a.store || b->store;
	a.fixed = a.fixed || b->fixed;
	return a;
}

/* ---------------------------------------------------------------- words at one place */
struct segment {
	size_t first, count;
	struct effect effects[SEGMENT_MAX];
	uint8_t depends[SEGMENT_MAX][SEGMENT_MAX]; /* 2: on what is loaded */
	uint8_t height[SEGMENT_MAX];               /* cycles from its start to the end of all that depend on it */
	size_t order[SEGMENT_MAX];
};

static bool by_stack(const struct inserter *in, const struct edit_word *w)
{
	struct isa_insn insn;
	decode_again(w->word, in->set, &insn);
	return insn.rs1 == SP;
}

/* Whether two accesses, one of them a store, may be of the same word. */
static bool same_memory(const struct inserter *in, const struct edit_word *a, const struct edit_word *b)
{
	bool known = (a->type == R_RISCV_LO12_I || a->type == R_RISCV_LO12_S) &&
		     (b->type == R_RISCV_LO12_I || b->type == R_RISCV_LO12_S);
	if (known && a->symbol == b->symbol)
		return a->addend > b->addend - 8 && a->addend < b->addend + 8;
	return !((a->type != 0 && by_stack(in, b)) || (b->type != 0 && by_stack(in, a)));
}

static void find_depends(const struct words *o, struct segment *s)
{
	for (size_t j = s->count; j-- > 0;) {
		s->height[j] = 1;
		for (size_t i = 0; i < s->count; i++) {
			const struct effect *a = &s->effects[i < j ? i : j], *b = &s->effects[i < j ? j : i];
			bool memory = (a->store && (b->load || b->store)) || (a->load && b->store);
			bool must =
			    i != j && (effect_depends(a, b) ||
					  (memory && same_memory(o->in, &o->w[s->first + i], &o->w[s->first + j])));
			if (i > j && must) {
				unsigned cycles = (a->loaded & b->reads) != 0 ? 2 : 1;
				s->depends[i][j] = (uint8_t)cycles;
				if (s->height[j] < s->height[i] + cycles)
					s->height[j] = (uint8_t)(s->height[i] + cycles);
			}
		}
	}
}

/* Of those that can be next, one that does not wait, if there is one; of these, what most waits for. */
static void find_order(struct segment *s)
{
	bool done[SEGMENT_MAX] = {false};
	for (size_t n = 0; n < s->count; n++) {
		size_t best = SEGMENT_MAX;
		bool best_waits = false;
		for (size_t i = 0; i < s->count; i++) {
			bool ready = !done[i];
			for (size_t k = 0; k < i && ready; k++)
				ready = done[k] || s->depends[i][k] == 0;
			if (!ready)
				continue;
			bool waits = n > 0 && s->order[n - 1] < i && s->depends[i][s->order[n - 1]] == 2;
			if (best == SEGMENT_MAX || (best_waits && !waits) ||
			    (best_waits == waits && s->height[i] > s->height[best])) {
				best = i;
				best_waits = waits;
			}
		}
		done[best] = true;
		s->order[n] = best;
	}
}

static size_t waits_in(const struct segment *s)
{
	size_t count = 0;
	for (size_t n = 1; n < s->count; n++) {
		size_t before = s->order[n - 1], at = s->order[n];
		count += before < at && s->depends[at][before] == 2;
	}
	return count;
}

static void order_segment(struct words *o, size_t first, size_t end)
{
	struct segment s = {.first = first, .count = end - first};
	struct edit_word moved[SEGMENT_MAX];
	size_t to[SEGMENT_MAX], waits;
	if (s.count < 3 || s.count > SEGMENT_MAX)
		return;
	for (size_t i = 0; i < s.count; i++) {
		s.effects[i] = word_effect(o->in, &o->w[first + i]);
		s.order[i] = i;
	}
	find_depends(o, &s);
	waits = waits_in(&s);
	if (waits == 0)
		return;
	find_order(&s);
	if (waits_in(&s) >= waits)
		return;
	for (size_t n = 0; n < s.count; n++) {
		moved[n] = o->w[first + s.order[n]];
		to[s.order[n]] = first + n;
	}
	memcpy(o->w + first, moved, s.count * sizeof *moved);
	for (size_t i = 0; i < o->count; i++) { /* the AUIPC of a lower part */
		struct edit_word *w = &o->w[i];
		if (w->to == EDIT_TO_WORD && w->type != 0 && w->target >= first && w->target < end)
			w->target = to[w->target - first];
	}
}

void schedule_words(struct words *o)
{
	size_t first = 0;
	if (o->full || o->in->in_order)
		return;
	for (size_t i = 0; i <= o->count; i++) {
		bool cut = i == o->count || word_effect(o->in, &o->w[i]).fixed, branched = false;
		for (size_t k = 0; k < o->count && !cut; k++)
			branched = branched || (o->w[k].to == EDIT_TO_WORD && o->w[k].type == 0 && o->w[k].target == i);
		if (!cut && !branched)
			continue;
		order_segment(o, first, i);
		first = cut ? i + 1 : i;
	}
}

/* ---------------------------------------------------------------- over instructions of the program */
/* What all of some words do together. Fixed also: one names an AUIPC that is not among them, or is one that others
 * name; a branch over words stands before their end. */
static struct effect effect_of_words(
    const struct inserter *in, const struct edit_word *words, size_t count, size_t first, size_t end)
{
	struct effect all = {0};
	for (size_t i = 0; i < count; i++) {
		bool inside = i >= first && i < end;
		bool named = words[i].to == EDIT_TO_WORD;
		bool target_inside = named && words[i].target >= first && words[i].target < end;
		bool branch = named && words[i].type == 0;
		all.fixed = all.fixed || (branch ? i < end : named && target_inside != inside);
		if (inside) {
			struct effect e = word_effect(in, &words[i]);
			all = joined_effect(all, &e);
		}
	}
	return all;
}

static const struct edit_word *moved_words_of(const struct inserter *in, uint32_t piece, size_t *count)
{
	bool linked;
	return edit_words(in->e, piece - 1, count, &linked);
}

static bool no_pieces(const struct edit_atom *atom)
{
	return edit_first(atom, EDIT_FALL) == 0 && edit_first(atom, EDIT_LABEL) == 0;
}

/* Takes words out of a piece; those that name words among themselves get new numbers. */
static int move_words(struct inserter *in, const struct edit_spot *to, uint32_t piece, size_t first, size_t count)
{
	struct edit_word moved[SEGMENT_MAX];
	size_t all;
	uint32_t bytes = 0;
	const struct edit_word *words = moved_words_of(in, piece, &all);
	for (size_t i = first; i < first + count; i++)
		bytes += words[i].length;
	if (in->even && bytes % 4 != 0)
		return OBJECT_OK;
	for (size_t i = 0; i < count; i++) {
		moved[i] = words[first + i];
		if (moved[i].to == EDIT_TO_WORD)
			moved[i].target -= first;
	}
	edit_take(in->e, piece, first, count);
	if (to->place == EDIT_FALL)
		return edit_put_first(in->e, to, moved, count);
	return edit_put(in->e, to, moved, count, NULL);
}

/* Index of the word behind a load that is waited for, of the first such or the last; 0: none. An upper part in between
 * does not help where the linker takes it away. */
static size_t words_waiting(const struct inserter *in, const struct edit_word *words, size_t count, bool last)
{
	size_t found = 0;
	for (size_t i = 1; i < count && (last || found == 0); i++) {
		struct effect before = word_effect(in, &words[i - 1]);
		size_t reader = i;
		while (reader < count && words[reader].type == R_RISCV_HI20 && words[reader].relax)
			reader++;
		if (reader < count && (before.loaded & word_effect(in, &words[reader]).reads) != 0)
			found = i;
	}
	return found;
}

/* What stands last before an atom that all execute who execute it: its end behind it, or behind a later one. */
static int sink_words(struct inserter *in, const struct graph_block *block, uint32_t at, enum edit_place place)
{
	struct edit_section *s = &in->e->sections[block->section];
	uint32_t piece = edit_first(&s->atoms[at], place);
	size_t count;
	while (piece != 0 && edit_next(in->e, piece) != 0)
		piece = edit_next(in->e, piece);
	if (piece == 0)
		return OBJECT_OK;
	const struct edit_word *words = moved_words_of(in, piece, &count);
	if (count == 0 || count > SEGMENT_MAX)
		return OBJECT_OK;
	struct effect x = atom_effect(in, &s->atoms[at]);
	size_t first = words_waiting(in, words, count, true);
	if (x.fixed)
		return OBJECT_OK;
	if (first > 0) {
		struct effect tail = effect_of_words(in, words, count, first, count);
		bool traps = tail.store && (x.load || x.store);
		uint32_t loaded = word_effect(in, &words[first - 1]).loaded;
		if (!tail.fixed && !traps && !effect_depends(&tail, &x) && (x.reads & loaded) == 0)
			return move_words(
			    in, &(struct edit_spot){s, &s->atoms[at + 1], EDIT_FALL}, piece, first, count - first);
	}
	/* one word, to the program's next load that is waited for */
	first = count - 1;
	struct effect one = effect_of_words(in, words, count, first, count);
	if (one.fixed || one.store || one.load)
		return OBJECT_OK;
	for (uint32_t i = at; i < at + REACH && i < block->last; i++) {
		struct effect e = atom_effect(in, &s->atoms[i]);
		if (e.fixed || effect_depends(&one, &e) || (i > at && !no_pieces(&s->atoms[i])))
			break;
		struct isa_insn insn;
		struct isa_registers r;
		graph_insn(in->g, &s->atoms[i + 1], &insn);
		isa_registers(&insn, &r);
		if ((e.loaded & r.x_read) != 0 && no_pieces(&s->atoms[i + 1]))
			return move_words(in, &(struct edit_spot){s, &s->atoms[i + 1], EDIT_FALL}, piece, first, 1);
	}
	return OBJECT_OK;
}

/* What stands first behind an atom of the block: its begin before it. */
static int raise_words(struct inserter *in, const struct graph_block *block, uint32_t at, enum edit_place place)
{
	struct edit_section *s = &in->e->sections[block->section];
	uint32_t piece = edit_first(&s->atoms[at + 1], place);
	size_t count = 0;
	const struct edit_word *words = piece == 0 ? NULL : moved_words_of(in, piece, &count);
	struct effect y = atom_effect(in, &s->atoms[at]);
	size_t end = count == 0 ? 0 : words_waiting(in, words, count, false);
	if (y.fixed || end == 0 || end > SEGMENT_MAX)
		return OBJECT_OK;
	struct effect head = effect_of_words(in, words, count, 0, end);
	if (head.fixed || head.store || effect_depends(&head, &y))
		return OBJECT_OK;
	return move_words(in, &(struct edit_spot){s, &s->atoms[at], EDIT_LABEL}, piece, 0, end);
}

/* Whether an edge of the graph, of this kind, is the only way into a block. */
static bool one_way_in(const struct inserter *in, uint32_t b)
{
	const struct graph_block *block = &in->g->blocks[b];
	return block->ways == 1 && !block->named && !block->root && b != in->f->blocks &&
	       in->inside[b - in->f->blocks] == 0;
}

/* The first piece that only they execute who take an edge behind a conditional branch; 0: there is none. */
static uint32_t piece_behind(const struct inserter *in, const struct edit_atom *branch, uint32_t e)
{
	const struct graph_edge *edge = &in->g->edges[e];
	const struct graph_block *to = &in->g->blocks[edge->to];
	const struct edit_atom *head = &in->e->sections[to->section].atoms[to->first];
	if (edge->kind == GRAPH_FALL && edit_first(branch + 1, EDIT_FALL) != 0)
		return edit_first(branch + 1, EDIT_FALL);
	if (edge->kind == GRAPH_TAKEN && branch->redirect != 0)
		return branch->redirect;
	return one_way_in(in, edge->to) ? edit_first(head, EDIT_LABEL) : 0;
}

/* The load of a count on the likely way behind a branch comes before the branch. On the other way it is in vain. */
static int before_branch(struct inserter *in, uint32_t b)
{
	const struct graph *g = in->g;
	const struct graph_block *block = &g->blocks[b];
	struct edit_section *s = &in->e->sections[block->section];
	struct edit_atom *branch = &s->atoms[block->last];
	if (branch->kind != EDIT_INSN || branch->flow != EDIT_BRANCH || block->edge_count != 2 || in->weights == NULL)
		return OBJECT_OK;
	for (uint32_t at = block->first; at < block->last; at++) {
		struct isa_insn insn;
		graph_insn(g, &s->atoms[at], &insn);
		if ((insn.class_bits & ISA_ATOMIC) != 0) /* nothing more between LR and SC */
			return OBJECT_OK;
	}
	uint32_t live, f, held = in->f->kept;
	graph_live(g, b, block->last, &live, &f);
	for (uint32_t e = block->edges; e < block->edges + 2; e++)
		held |= inserter_held(in, b, g->edges[e].to);
	for (uint32_t e = block->edges; e < block->edges + 2; e++) {
		uint32_t other = 2 * block->edges + 1 - e;
		uint64_t often = in->weights[e - in->f->edge_first], seldom = in->weights[other - in->f->edge_first];
		if (g->edges[e].to == GRAPH_NONE || g->blocks[g->edges[e].to].section != block->section)
			continue;
		uint32_t piece = piece_behind(in, branch, e);
		size_t count = 0;
		const struct edit_word *words = piece == 0 ? NULL : moved_words_of(in, piece, &count);
		size_t end = count == 0 ? 0 : words_waiting(in, words, count, false);
		if (end == 0 || end > 2 || often / end <= seldom)
			continue;
		struct effect head = effect_of_words(in, words, count, 0, end);
		if (head.fixed || head.store || (head.writes & (live | held)) != 0)
			continue;
		return move_words(in, &(struct edit_spot){s, branch, EDIT_LABEL}, piece, 0, end);
	}
	return OBJECT_OK;
}

int schedule_function(struct inserter *in)
{
	int error = OBJECT_OK;
	if (in->in_order)
		return OBJECT_OK;
	for (uint32_t b = in->f->blocks; b < in->f->blocks + in->f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		if (block->section == GRAPH_NONE || block->pad)
			continue;
		const struct edit_atom *atoms = in->e->sections[block->section].atoms;
		bool falls = block->edge_count == 1 && in->g->edges[block->edges].kind == GRAPH_FALL;
		if (edit_first(&atoms[block->first], EDIT_LABEL) == 0 && block->fall != GRAPH_NONE && one_way_in(in, b))
			error = sink_words(in, block, block->first, EDIT_FALL);
		for (uint32_t at = block->first; at <= block->last && error == OBJECT_OK; at++) {
			error = sink_words(in, block, at, EDIT_LABEL);
			bool nothing = edit_first(&atoms[at + 1], EDIT_FALL) == 0;
			if (error == OBJECT_OK && nothing && at < block->last)
				error = raise_words(in, block, at, EDIT_LABEL);
			else if (error == OBJECT_OK && at == block->last && falls)
				error = raise_words(in, block, at, EDIT_FALL);
		}
	}
	for (uint32_t b = in->f->blocks; b < in->f->blocks + in->f->block_count && error == OBJECT_OK; b++) {
		if (in->g->blocks[b].section != GRAPH_NONE && !in->g->blocks[b].pad)
			error = before_branch(in, b);
	}
	return error;
}
