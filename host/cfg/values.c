/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What registers hold before an indirect jump, as far as tables need it. Numbers that are not known have names: what
 * the instruction at an address made, or what a register holds where ways meet. So a bounds check and the use of the
 * index are seen to speak of the same number:
 *
 *   addi a5,a0,-3      a5 = n - 3
 *   bltu a4,a5,default a4 = 7: n - 3 is one of 8
 *   slli a5,a5,2       a5 = 4 n - 12
 *   add a5,a5,a3       a3 = table: a5 = table - 12 + 4 n
 *   lw a5,0(a5)        a5 = [table - 12 + 4 n]
 *
 * First the values at the start of each block of the function by iteration (a value there is first one expression, then
 * at most "depends on the way"), so that tables and indexes that the compiler computed before a loop are known in it.
 * Then once more along the chain of blocks that must have run just before the jump, with what their branches tell about
 * the size of numbers.
 *
 * A name stands for the latest number made there. In a loop an older one may still be in a register; compilers do not
 * check the one and jump by the other, and if they did, the wrong target would show as a transfer that no edge is.
 */
#include "host/cfg/private.h"

#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

#define NAME ((UINT64_C(1) << 57) - 1) /* of an address in the name of a number */
#define CHAIN_MAX 16
#define BLOCKS_MAX (1u << 16) /* larger functions: chains only */

struct slim { /* a value that holds for a whole block */
	uint64_t id;
	uint64_t c;
	uint8_t kind, shift; /* CONST, STACK or SCALED; NONE: not reached */
};

struct values {
	const struct cfg_map *map;
	const struct graph *graph;
	struct slim (*in)[32]; /* by block; NULL: too large */
	uint32_t *only;        /* the only predecessor of a block, CFG_NONE: none or several */
	uint32_t entry;
};

static bool caller_saved(unsigned r)
{
	return r == 1 || (r >= 5 && r <= 7) || (r >= 10 && r <= 17) || r >= 28;
}

/* An unknown number: what the instruction at pc made. */
static struct value any_value(uint64_t pc)
{
	return (struct value){.kind = VALUE_SCALED, .id = pc & NAME};
}

/* The value of a register at the start of a block, if it depends on the way there. */
static uint64_t joined_origin(uint64_t block, unsigned r)
{
	return (uint64_t)(r + 1) << 57 | (block & NAME);
}

/* The value that a register has after a call at pc. */
static uint64_t left_by_call(uint64_t pc, unsigned r)
{
	return (uint64_t)(r + 33) << 57 | (pc & NAME);
}

static struct value constant_value(uint64_t c)
{
	return (struct value){.kind = VALUE_CONST, .c = c};
}

static struct value add_constant(struct value v, uint64_t c, uint64_t pc)
{
	if (v.kind == VALUE_NONE)
		return any_value(pc);
	v.c += c;
	return v;
}

static struct value add_values(struct value a, struct value b, uint64_t pc)
{
	if (a.kind == VALUE_CONST)
		return add_constant(b, a.c, pc);
	return b.kind == VALUE_CONST ? add_constant(a, b.c, pc) : any_value(pc);
}

/* A number that was loaded, as one that has a name: the same address, the same number. So an index that is loaded again
 * behind its check is still known to be bounded. */
static struct value numbered_value(struct value v)
{
	if (v.kind != VALUE_LOADED)
		return v;
	uint64_t x = (v.base ^ v.id << 7 ^ (uint64_t)v.shift << 3 ^ v.bytes) * UINT64_C(0x9E3779B97F4A7C15);
	return (struct value){.kind = VALUE_SCALED, .c = v.c, .id = UINT64_C(0x7E) << 57 | (x >> 7 & NAME)};
}

static struct value shifted_value(struct value v, unsigned by, uint64_t pc)
{
	v = numbered_value(v);
	if (v.kind == VALUE_CONST)
		return constant_value(v.c << by);
	if (v.kind != VALUE_SCALED || v.shift + by > 63)
		return any_value(pc);
	v.c <<= by;
	v.shift = (uint8_t)(v.shift + by);
	return v;
}

static void set_bound(struct bound *bounds, unsigned *count, uint64_t id, uint64_t bias, uint64_t limit, bool mask)
{
	if (bounds == NULL || limit == 0 || limit > UINT32_MAX)
		return;
	if (*count == BOUNDS_MAX) { /* the oldest is the least likely to matter */
		memmove(bounds, bounds + 1, (BOUNDS_MAX - 1) * sizeof *bounds);
		--*count;
	}
	bounds[(*count)++] = (struct bound){id, bias, (uint32_t)limit, mask};
}

/* Arithmetic on constants. Those of RV32 are kept as 32 bits, so that an address is one number. */
static uint64_t constant_of(const struct isa_insn *insn, uint64_t a, uint64_t b)
{
	unsigned shift = (unsigned)b & (insn->xlen - 1u);
	switch (insn->op) {
	case ISA_SUB:
		return a - b;
	case ISA_AND:
	case ISA_ANDI:
		return a & b;
	case ISA_OR:
	case ISA_ORI:
		return a | b;
	case ISA_XOR:
	case ISA_XORI:
		return a ^ b;
	case ISA_SRL:
	case ISA_SRLI:
		return a >> shift;
	case ISA_ADDIW:
	case ISA_ADDW:
		return (uint64_t)(int32_t)(a + b);
	case ISA_SUBW:
		return (uint64_t)(int32_t)(a - b);
	case ISA_SLLIW:
		return (uint64_t)(int32_t)(a << (b & 31));
	case ISA_SRLIW:
		return (uint64_t)(int32_t)((uint32_t)a >> (b & 31));
	default:
		return a << shift; /* SLL */
	}
}

/* RV64 widens an index of 32 bits by slli 32 and srli 32 - n; what is known of it stays true, since it is below
 * 2^31. */
static struct value shifted_back(const struct isa_insn *insn, struct value v, uint64_t pc)
{
	unsigned by = (unsigned)insn->imm;
	if (v.kind != VALUE_SCALED || v.shift < by || insn->xlen != 64)
		return any_value(pc);
	v.c = (uint64_t)((int64_t)v.c >> by);
	v.shift = (uint8_t)(v.shift - by);
	return v;
}

static struct value loaded_value(const struct isa_insn *insn, struct value a, uint64_t imm, uint64_t pc)
{
	unsigned bytes = isa_access_bytes(insn);
	bool sign = insn->op != ISA_LBU && insn->op != ISA_LHU && insn->op != ISA_LWU;
	if (a.kind != VALUE_SCALED && a.kind != VALUE_CONST)
		return any_value(pc);
	return (struct value){.kind = VALUE_LOADED,
	    .bytes = (uint8_t)bytes,
	    .sign = sign,
	    .base = a.c + imm,
	    .shift = a.shift,
	    .id = a.kind == VALUE_CONST ? VALUE_FIXED : a.id};
}

/* Registers that an instruction outside of the model below writes. What has no model may leave the stack pointer. */
static void forget_written(const struct isa_insn *insn, uint64_t pc, struct value r[32])
{
	struct isa_registers registers;
	isa_registers(insn, &registers);
	if (insn->op == ISA_OTHER)
		registers.x_written &= ~(UINT32_C(1) << 2);
	for (unsigned i = 1; i < 32; i++) {
		if ((registers.x_written >> i & 1) == 0)
			continue;
		bool moves = i == 2 && insn->rd == 2 && insn->op != ISA_OTHER && r[2].kind == VALUE_STACK &&
			     (insn->op == ISA_CM_PUSH || insn->op == ISA_CM_POP);
		if (moves)
			r[2].c = insn->xlen == 64 ? r[2].c + (uint64_t)(int64_t)insn->imm
						  : (uint32_t)r[2].c + (uint32_t)insn->imm;
		else
			r[i] = insn->rd == i ? any_value(pc)
					     : (struct value){.kind = VALUE_SCALED, .id = left_by_call(pc, i)};
	}
}

/* The effect of one instruction on its destination. */
static void step_values(
    const struct isa_insn *insn, uint64_t pc, struct value r[32], struct bound *bounds, unsigned *bound_count)
{
	struct value a = r[insn->rs1], b = r[insn->rs2], result;
	uint64_t imm = (uint64_t)(int64_t)insn->imm;
	unsigned high = insn->xlen - 16u;
	if (insn->rd == 0 && insn->op < ISA_CM_PUSH && insn->op != ISA_OTHER)
		return;
	switch (insn->op) {
	case ISA_LUI:
		result = constant_value(imm);
		break;
	case ISA_AUIPC:
		result = constant_value(pc + imm);
		break;
	case ISA_JAL:
	case ISA_JALR:
		result = constant_value(pc + insn->length);
		break;
	case ISA_ADDI:
		result = add_constant(a, imm, pc);
		break;
	case ISA_ADDIW: /* of an index: as if it did not wrap */
		a = numbered_value(a);
		if (a.kind == VALUE_CONST)
			result = constant_value(constant_of(insn, a.c, imm));
		else if (a.kind == VALUE_SCALED && a.shift == 0)
			result = add_constant(a, imm, pc);
		else
			result = any_value(pc);
		break;
	case ISA_ADD:
		result = add_values(a, b, pc);
		break;
	case ISA_ADD_UW:
		a = numbered_value(a);
		result = a.kind == VALUE_SCALED ? add_values(a, b, pc) : any_value(pc);
		break;
	case ISA_SH1ADD:
	case ISA_SH2ADD:
	case ISA_SH3ADD:
	case ISA_SH1ADD_UW:
	case ISA_SH2ADD_UW:
	case ISA_SH3ADD_UW:
		result = add_values(
		    shifted_value(
			a, insn->op >= ISA_SH1ADD_UW ? insn->op - ISA_SH1ADD_UW + 1u : insn->op - ISA_SH1ADD + 1u, pc),
		    b, pc);
		break;
	case ISA_SUB:
		result = b.kind == VALUE_CONST ? add_constant(a, 0 - b.c, pc) : any_value(pc);
		break;
	case ISA_SLLI:
		result = shifted_value(a, (unsigned)imm, pc);
		break;
	case ISA_ANDI:
	case ISA_SRLI:
	case ISA_ORI:
	case ISA_XORI:
	case ISA_SLLIW:
	case ISA_SRLIW:
		if (a.kind == VALUE_CONST) {
			result = constant_value(constant_of(insn, a.c, imm));
			break;
		}
		result = insn->op == ISA_SRLI ? shifted_back(insn, a, pc) : any_value(pc);
		if (insn->op == ISA_ANDI && insn->imm >= 0 && ((imm + 1) & imm) == 0)
			set_bound(bounds, bound_count, result.id, 0, imm + 1, true);
		if (insn->op == ISA_SRLI && imm >= high && result.id == (pc & NAME))
			set_bound(bounds, bound_count, result.id, 0, UINT64_C(1) << (insn->xlen - imm), true);
		if (insn->op == ISA_SRLIW && imm >= 16)
			set_bound(bounds, bound_count, result.id, 0, UINT64_C(1) << (32 - imm), true);
		break;
	case ISA_AND:
	case ISA_OR:
	case ISA_XOR:
	case ISA_SLL:
	case ISA_SRL:
	case ISA_ADDW:
	case ISA_SUBW:
		result = a.kind == VALUE_CONST && b.kind == VALUE_CONST ? constant_value(constant_of(insn, a.c, b.c))
									: any_value(pc);
		break;
	case ISA_LW:
	case ISA_LH:
	case ISA_LHU:
	case ISA_LB:
	case ISA_LBU:
	case ISA_LWU:
	case ISA_LD:
		result = loaded_value(insn, a, imm, pc);
		break;
	default:
		forget_written(insn, pc, r);
		return;
	}
	if (insn->xlen == 32) {
		result.c = (uint32_t)result.c;
		result.base = (uint32_t)result.base;
	}
	r[insn->rd] = result;
}

static void clobber_registers(struct value r[32], uint64_t pc)
{
	for (unsigned i = 1; i < 32; i++) {
		if (caller_saved(i))
			r[i] = (struct value){.kind = VALUE_SCALED, .id = left_by_call(pc, i)};
	}
}

/* All instructions of a block; without the last one if before. */
static void run_block_values(const struct cfg_map *map, const struct cfg_block *block, struct value r[32],
    struct bound *bounds, unsigned *bound_count, bool before)
{
	struct isa_insn insn;
	for (uint64_t pc = block->start; pc < block->end && map_decode(map, pc, &insn); pc += insn.length) {
		if (before && pc == block->last)
			return;
		step_values(&insn, pc, r, bounds, bound_count);
		if (pc == block->last && block->call != CFG_NO_CALL)
			clobber_registers(r, pc);
	}
}

static void widen_slim(const struct slim in[32], struct value r[32])
{
	for (unsigned i = 0; i < 32; i++)
		r[i] = (struct value){.kind = in[i].kind, .c = in[i].c, .shift = in[i].shift, .id = in[i].id};
	r[0] = constant_value(0);
}

/* Lowers in, of the block at `block`, by r; whether it changed. */
static bool meet_slim(struct slim in[32], const struct value r[32], uint64_t block)
{
	bool changed = false;
	for (unsigned i = 1; i < 32; i++) {
		struct slim *old = &in[i];
		const struct value *v = &r[i];
		if (old->kind == VALUE_SCALED && old->id == joined_origin(block, i))
			continue; /* depends on the way already */
		if (old->kind == v->kind && old->c == v->c && old->shift == v->shift && old->id == v->id)
			continue;
		if (old->kind == VALUE_NONE && v->kind != VALUE_NONE && v->kind != VALUE_LOADED)
			*old = (struct slim){.kind = v->kind, .c = v->c, .shift = v->shift, .id = v->id};
		else
			*old = (struct slim){.kind = VALUE_SCALED, .id = joined_origin(block, i)};
		changed = true;
	}
	return changed;
}

static int propagate_values(struct values *values)
{
	const struct graph *graph = values->graph;
	size_t count = graph->block_count, used = 0;
	struct value r[32];
	uint32_t *work = malloc((count + 1) * sizeof *work);
	bool *waiting = calloc(count + 1, sizeof *waiting);
	if (work == NULL || waiting == NULL) {
		free(work);
		free(waiting);
		return CFG_ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		if (!graph->blocks[i].root)
			continue;
		for (unsigned k = 1; k < 32; k++)
			values->in[i][k] =
			    (struct slim){.kind = VALUE_SCALED, .id = joined_origin(graph->blocks[i].start, k)};
		if (i == values->entry)
			values->in[i][2] = (struct slim){.kind = VALUE_STACK};
		work[used++] = (uint32_t)i;
		waiting[i] = true;
	}
	/* a value changes at most twice, so this ends */
	while (used > 0) {
		uint32_t block = work[--used];
		waiting[block] = false;
		widen_slim(values->in[block], r);
		run_block_values(values->map, &graph->blocks[block], r, NULL, NULL, false);
		for (uint32_t e = 0; e < graph->blocks[block].edge_count; e++) {
			uint32_t to = graph->edges[graph->blocks[block].edges + e].to;
			if (to == CFG_NONE || !meet_slim(values->in[to], r, graph->blocks[to].start) || waiting[to])
				continue;
			waiting[to] = true;
			work[used++] = to;
		}
	}
	free(work);
	free(waiting);
	return CFG_OK;
}

int values_make(struct values **out, const struct cfg_map *map, const struct graph *graph, uint32_t entry)
{
	struct values *values = calloc(1, sizeof *values);
	size_t count = graph->block_count;
	*out = values;
	if (values == NULL)
		return CFG_ENOMEM;
	values->map = map;
	values->graph = graph;
	values->entry = entry;
	values->only = malloc((count + 1) * sizeof *values->only);
	bool *several = calloc(count + 1, sizeof *several);
	if (values->only == NULL || several == NULL) {
		free(several);
		return CFG_ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		values->only[i] = CFG_NONE;
		several[i] = graph->blocks[i].root;
	}
	for (size_t i = 0; i < count; i++) {
		const struct cfg_block *block = &graph->blocks[i];
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = graph->edges[e].to;
			if (to == CFG_NONE)
				continue;
			several[to] = several[to] || (values->only[to] != CFG_NONE && values->only[to] != i);
			values->only[to] = (uint32_t)i;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (several[i])
			values->only[i] = CFG_NONE;
	}
	free(several);
	if (count > BLOCKS_MAX)
		return CFG_OK;
	values->in = calloc(count + 1, sizeof *values->in);
	return values->in == NULL ? CFG_ENOMEM : propagate_values(values);
}

void values_free(struct values *values)
{
	if (values == NULL)
		return;
	free(values->in);
	free(values->only);
	free(values);
}

/* The bound on an index that follows from the outcome of a block's last instruction, a conditional branch. */
static void learn_bound(
    const struct isa_insn *insn, bool taken, const struct value r[32], struct bound *bounds, unsigned *count)
{
	struct value a = numbered_value(r[insn->rs1]), b = numbered_value(r[insn->rs2]);
	bool less = insn->op == ISA_BLTU ? taken : !taken; /* a < b holds on this way, else a >= b */
	if (insn->op != ISA_BLTU && insn->op != ISA_BGEU)
		return;
	if (less && a.kind == VALUE_SCALED && a.shift == 0 && b.kind == VALUE_CONST)
		set_bound(bounds, count, a.id, a.c, b.c, false);
	if (!less && b.kind == VALUE_SCALED && b.shift == 0 && a.kind == VALUE_CONST && a.c + 1 != 0)
		set_bound(bounds, count, b.id, b.c, a.c + 1, false);
}

void values_before(const struct values *values, uint32_t block, struct registers *registers, struct bound *bounds,
    unsigned *bound_count)
{
	const struct graph *graph = values->graph;
	uint32_t chain[CHAIN_MAX], length = 0;
	*bound_count = 0;
	for (uint32_t b = block; b != CFG_NONE && length < CHAIN_MAX; b = values->only[b]) {
		for (uint32_t i = 0; i < length; i++) {
			if (chain[i] == b) /* a loop that nothing leads into */
				b = CFG_NONE;
		}
		if (b == CFG_NONE)
			break;
		chain[length++] = b;
	}
	struct value *r = registers->r;
	const struct slim none[32] = {{.kind = VALUE_NONE}};
	widen_slim(values->in != NULL ? values->in[chain[length - 1]] : none, r);
	for (unsigned i = 1; i < 32; i++) {
		if (r[i].kind == VALUE_NONE)
			r[i] = (struct value){.kind = VALUE_SCALED, .id = joined_origin(graph->blocks[block].start, i)};
	}
	while (length-- > 0) {
		const struct cfg_block *at = &graph->blocks[chain[length]];
		struct isa_insn insn;
		run_block_values(values->map, at, r, bounds, bound_count, length == 0);
		if (length == 0 || !map_decode(values->map, at->last, &insn) || (insn.class_bits & ISA_BRANCH) == 0)
			continue;
		/* which way leads on; both: nothing is learnt */
		bool taken = false, fall = false;
		for (uint32_t e = at->edges; e < at->edges + at->edge_count; e++) {
			if (graph->edges[e].to != chain[length - 1])
				continue;
			taken = taken || graph->edges[e].kind == CFG_TAKEN;
			fall = fall || graph->edges[e].kind == CFG_FALL;
		}
		if (taken != fall)
			learn_bound(&insn, taken, r, bounds, bound_count);
	}
}
