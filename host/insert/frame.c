/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The stack frame of an edited function. The inserter's own frame lies between the caller's and the function's:
 *
 *        arguments on the stack      accesses are displaced by its size
 *   E ─► ------------------------    stack pointer at entry
 *        frame: saved registers, slots
 *        ------------------------
 *        the function's frame        nothing changes
 *
 * Behind __riscv_save_N it lies below what that saved. What each register holds relative to E is followed through the
 * function; a function whose use of the stack cannot be followed gets no frame.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/insert/inserter_private.h"
#include "isa/isa.h"

/* ---------------------------------------------------------------- what each block begins with */
static bool code_of(const struct inserter *in, uint32_t b, const struct graph_block **block)
{
	*block = &in->g->blocks[in->f->blocks + b];
	return (*block)->section != GRAPH_NONE;
}

static void frame_through_block(const struct inserter *in, uint32_t b, uint32_t end, struct values *v)
{
	const struct graph_block *block;
	*v = in->states[b];
	if (!code_of(in, b, &block))
		return;
	for (uint32_t at = block->first; at < end && at <= block->last; at++)
		values_step(in->g, &in->e->sections[block->section].atoms[at], v);
}

static bool leaves_frame(const struct value *from, const struct value *to)
{
	return from->kind == VALUE_STACK && from->c != 0 && to->kind == VALUE_STACK && to->c == 0;
}

/* The way behind a call into a block that has other ways in: where the callee never returns there is none. */
static bool behind_call(const struct inserter *in, const struct graph_block *block, const struct graph_edge *edge)
{
	enum edit_flow flow =
	    block->section == GRAPH_NONE ? EDIT_NEXT : in->e->sections[block->section].atoms[block->last].flow;
	return edge->kind == GRAPH_FALL && (flow == EDIT_CALL || flow == EDIT_INDIRECT_CALL) &&
	       edge->to != GRAPH_NONE && in->g->blocks[edge->to].ways > 1;
}

/*
 * calls: the ways behind calls too. Code that was laid out behind a call of a function that never returns is no way on
 * from it, which the stack pointer shows: where it is as it was at the entry on all other ways, the call is left in the
 * midst of a frame, and a return from there would go astray.
 *
 *	     beqz  a0, none          sp as at the entry ────┐
 *	     addi  sp, sp, -128 ...                         │
 *	     call  malloc_printerr   sp 128 below: no way ─x▼
 *	none:     li a0, 0;  ret
 */
static void spread_depths(struct inserter *in, uint32_t *stack, bool *waiting, uint32_t depth, bool calls)
{
	while (depth > 0) {
		uint32_t b = stack[--depth];
		const struct graph_block *block = &in->g->blocks[in->f->blocks + b];
		struct values v;
		waiting[b] = false;
		frame_through_block(in, b, UINT32_MAX, &v);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = in->g->edges[e].to;
			bool call = behind_call(in, block, &in->g->edges[e]);
			if (call && (!calls || leaves_frame(&v.r[2], &in->states[to - in->f->blocks].r[2])))
				continue;
			if (to == GRAPH_NONE || !values_meet(&in->states[to - in->f->blocks], &v) ||
			    waiting[to - in->f->blocks])
				continue;
			waiting[to - in->f->blocks] = true;
			stack[depth++] = to - in->f->blocks;
		}
	}
}

/* A landing pad begins with what the calls left that may throw: what is the same after all of them. */
static void after_calls(const struct inserter *in, struct values *all)
{
	memset(all, 0, sizeof *all);
	for (uint32_t b = 0; b < in->f->block_count; b++) {
		const struct graph_block *block;
		struct values v = in->states[b];
		if (!code_of(in, b, &block) || v.r[2].kind == VALUE_NOT_YET)
			continue;
		for (uint32_t at = block->first; at <= block->last; at++) {
			const struct edit_atom *atom = &in->e->sections[block->section].atoms[at];
			values_step(in->g, atom, &v);
			if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL)
				values_meet(all, &v);
		}
	}
}

static int find_frame_states(struct inserter *in)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	uint32_t *stack = malloc((f->block_count + 1u) * sizeof *stack), depth = 0;
	bool *waiting = calloc(f->block_count + 1u, sizeof *waiting), pads = false;
	struct values calls;
	int error = OBJECT_OK;
	in->states = calloc(f->block_count + 1u, sizeof *in->states);
	if (in->states == NULL || stack == NULL || waiting == NULL)
		error = OBJECT_ENOMEM;
	for (uint32_t b = 1; b < f->block_count && error == OBJECT_OK; b++) {
		pads = pads || g->blocks[f->blocks + b].pad;
		if (g->blocks[f->blocks + b].root && !g->blocks[f->blocks + b].pad) {
			in->reason = "it has several entries";
			error = OBJECT_EUNSUPPORTED;
		}
	}
	if (error == OBJECT_OK) {
		for (unsigned i = 0; i < 32; i++)
			in->states[0].r[i] = (struct value){VALUE_UNKNOWN, 0};
		in->states[0].r[0] = (struct value){VALUE_CONSTANT, 0};
		in->states[0].r[2] = (struct value){VALUE_STACK, 0};
		stack[depth++] = 0;
		waiting[0] = true;
		spread_depths(in, stack, waiting, depth, false);
		depth = 0;
		for (uint32_t b = 0; b < f->block_count; b++) {
			waiting[b] = in->states[b].r[2].kind != VALUE_NOT_YET;
			if (waiting[b])
				stack[depth++] = b;
		}
		spread_depths(in, stack, waiting, depth, true);
	}
	/* twice: a pad's own calls are calls too */
	for (int round = 0; pads && round < 2 && error == OBJECT_OK; round++) {
		after_calls(in, &calls);
		depth = 0;
		for (uint32_t b = 1; b < f->block_count; b++) {
			if (!g->blocks[f->blocks + b].pad || !values_meet(&in->states[b], &calls))
				continue;
			waiting[b] = true;
			stack[depth++] = b;
		}
		spread_depths(in, stack, waiting, depth, true);
	}
	free(stack);
	free(waiting);
	return error;
}

/* ---------------------------------------------------------------- whether there can be a frame */
static int add_patch(struct inserter *in, struct edit_atom *atom)
{
	if (in->patch_count == in->patch_size) {
		size_t larger = 2 * in->patch_size + 16;
		struct patch *patches = realloc(in->patches, larger * sizeof *patches);
		if (patches == NULL)
			return OBJECT_ENOMEM;
		in->patches = patches;
		in->patch_size = larger;
	}
	in->patches[in->patch_count++] = (struct patch){atom, 0};
	return OBJECT_OK;
}

/* The instruction with a larger displacement; 0: it has none. */
static uint32_t displaced_insn(const struct inserter *in, const struct edit_atom *atom, int32_t by)
{
	struct isa_insn insn, full;
	uint64_t word;
	graph_insn(in->g, atom, &insn);
	if (atom->relocs != 0 || insn.imm + by > 2047)
		return 0;
	full = insn;
	/* the offset last: not all that fit the long form fit the short one */
	if (insn.length == 2 && isa_expand(&insn, in->g->set, &full) != ISA_OK)
		return 0;
	full.imm = insn.imm + by;
	return isa_encode(&full, &word) == ISA_OK ? (uint32_t)word : 0;
}

#define FRAME_MAX ((INSERTER_VARIABLES * 8 + 15) / 16 * 16)

/* Nothing but loads and stores at known places may reach above the frame. */
static int check_atom(struct inserter *in, struct edit_atom *atom, const struct values *v)
{
	struct isa_insn insn;
	graph_insn(in->g, atom, &insn);
	const struct value *base = &v->r[insn.rs1];
	int64_t effective = base->c + insn.imm, slot = -(int64_t)in->word;
	bool memory = (insn.class_bits & (ISA_LOAD | ISA_STORE)) != 0 && (insn.class_bits & ISA_ATOMIC) == 0;
	int error = OBJECT_OK;
	if (base->kind != VALUE_STACK)
		return OBJECT_OK;
	if (memory && effective >= 0)
		error = displaced_insn(in, atom, FRAME_MAX) == 0 ? OBJECT_EUNSUPPORTED : add_patch(in, atom);
	if (memory && effective >= 0 && v->system)
		error = OBJECT_EUNSUPPORTED;
	/* the save area of variable arguments goes on in the caller's frame */
	if (memory && (insn.class_bits & ISA_STORE) != 0 && insn.rs2 == 17 && effective == slot)
		error = OBJECT_EUNSUPPORTED;
	if (insn.op == ISA_ADDI && insn.rd != 2 && (effective > 0 || (effective == 0 && insn.rd != 8)))
		error = OBJECT_EUNSUPPORTED;
	if (error == OBJECT_EUNSUPPORTED)
		in->reason = "its arguments on the stack are used by address";
	return error;
}

/* Each exit has the stack pointer back. */
static bool exits_well(const struct inserter *in, const struct graph_block *block, const struct values *before)
{
	const struct edit_atom *atom = &in->e->sections[block->section].atoms[block->last];
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		unsigned kind = in->g->edges[e].kind;
		struct values after = *before;
		if (in->g->edges[e].to != GRAPH_NONE || kind == GRAPH_NO_RETURN)
			continue;
		if (kind == GRAPH_TAIL_FALL)
			values_step(in->g, atom, &after);
		/* clone(): the child leaves there, on a stack of its own */
		if (before->system && (kind == GRAPH_TAIL_TAKEN || kind == GRAPH_TAIL_FALL))
			return false;
		int n = kind == GRAPH_TAIL ? values_millicode(in->g, atom, "__riscv_restore_") : -1;
		int64_t expected = n >= 0 && in->behind ? -values_save_bytes(in->g, n) : 0;
		if ((after.r[2].kind != VALUE_STACK || after.r[2].c != expected) && after.r[2].kind != VALUE_NOT_YET)
			return false;
	}
	return true;
}

int frame_find(struct inserter *in)
{
	const struct graph_function *f = in->f;
	const struct graph_block *head = &in->g->blocks[f->blocks], *block;
	const struct edit_atom *first = &in->e->sections[head->section].atoms[head->first];
	int n = first->flow == EDIT_CALL ? values_millicode(in->g, first, "__riscv_save_") : -1;
	if (in->frame_known)
		return in->frame_error;
	in->frame_known = true;
	/* its child returns first, and the parent finds its frame overwritten */
	const char *name = object_symbol_name(in->e->object, f->symbol);
	if (strstr(name, "vfork") != NULL) {
		in->reason = "it returns twice on one stack";
		return in->frame_error = OBJECT_EUNSUPPORTED;
	}
	in->behind = n >= 0 && head->first < head->last;
	in->millicode_bytes = in->behind ? values_save_bytes(in->g, n) : 0;
	int error = find_frame_states(in);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		if (!code_of(in, b, &block))
			continue;
		struct values v = in->states[b];
		for (uint32_t at = block->first; at <= block->last && error == OBJECT_OK; at++) {
			struct edit_atom *atom = &in->e->sections[block->section].atoms[at];
			if (atom->kind == EDIT_PAD)
				continue;
			error = check_atom(in, atom, &v);
			if (error == OBJECT_OK && at == block->last && !exits_well(in, block, &v)) {
				in->reason = "its stack pointer at an exit is not known";
				error = OBJECT_EUNSUPPORTED;
			}
			values_step(in->g, atom, &v);
		}
	}
	return in->frame_error = error;
}

int frame_patch(struct inserter *in)
{
	for (size_t i = 0; i < in->patch_count; i++) {
		struct edit_atom *atom = in->patches[i].atom;
		in->patches[i].word = displaced_insn(in, atom, (int32_t)frame_bytes(in));
		atom->replace = in->patches[i].word;
	}
	return OBJECT_OK;
}

/* ---------------------------------------------------------------- words of the frame */
/* How far the frame's words are from a register: -1: not known, or too far. */
static int64_t reach_from(const struct inserter *in, const struct values *v, unsigned reg)
{
	/* the stack pointer is lower than it was by the frame, as is what was computed from it */
	int64_t distance = -in->millicode_bytes - v->r[reg].c;
	return v->r[reg].kind != VALUE_STACK || distance < -1024 || distance > 1800 ? -2048 : distance;
}

static bool frame_reached(const struct inserter *in, const struct values *v)
{
	return v->r[2].kind == VALUE_NOT_YET || reach_from(in, v, 2) != -2048 || reach_from(in, v, 8) != -2048;
}

int frame_slots(struct inserter *in)
{
	const struct graph_block *block;
	int error = frame_find(in);
	for (uint32_t b = 0; b < in->f->block_count && error == OBJECT_OK; b++) {
		if (!code_of(in, b, &block))
			continue;
		struct values v = in->states[b];
		for (uint32_t at = block->first; at <= block->last; at++) {
			if ((b != 0 || at != block->first || !in->behind) && !frame_reached(in, &v)) {
				in->reason = "its stack frame is too large or its size is not known";
				return OBJECT_EUNSUPPORTED;
			}
			values_step(in->g, &in->e->sections[block->section].atoms[at], &v);
		}
	}
	return error;
}

unsigned frame_padding(struct inserter *in)
{
	if (!in->frame)
		return 0;
	if (in->slots == 0)
		in->slots = frame_slots(in) == OBJECT_OK ? 1 : -1;
	return in->slots > 0 ? frame_bytes(in) / in->word - in->frame_words : 0;
}

uint32_t frame_saved(const struct inserter *in, uint32_t block)
{
	return in->states[block].saved;
}

unsigned frame_base(const struct inserter *in, uint32_t block, uint32_t atom, uint32_t at, int32_t *displacement)
{
	struct values v;
	frame_through_block(in, block - in->f->blocks, atom == GRAPH_NONE ? 0 : atom, &v);
	unsigned reg = reach_from(in, &v, 2) != -2048 || reach_from(in, &v, 8) == -2048 ? 2 : 8;
	int64_t distance = reach_from(in, &v, reg);
	*displacement = (int32_t)(distance == -2048 ? 0 : distance) + (int32_t)at;
	return reg;
}
