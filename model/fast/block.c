/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Translation of instructions into blocks. A block has one entry and goes on behind branches that are not taken. */
#include "model/fast/private.h"

#include <string.h>

#include "common/rivulet_regs.h"

#define SINK 32 /* register that takes what is written to x0 */

/* ---------------------------------------------------------------- the table of blocks */

static uint64_t slot_key(const struct fast *f, uint32_t pc, unsigned entry, unsigned node)
{
	return 1ull << 63 | (uint64_t)node << 42 | (uint64_t)f->context << 40 | (uint64_t)entry << 32 | pc;
}

unsigned block_node(struct fast *f, const struct exit *exit)
{
	if (f->counted)
		return NODE_ANY;
	if (exit->reason)
		return NODE_BEGIN;
	if (exit->key != KEY_UNKNOWN || f->node_count >= (exit->early ? f->nodes_most : NODES_MAX))
		return NODE_ANY;
	f->node_insns[f->node_count] = exit->behind;
	return f->node_count++;
}

static struct block_slot *find_slot(struct fast *f, uint64_t key)
{
	uint32_t mask = (1u << BLOCKS_BITS) - 1;
	uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 40) & mask;
	while (f->slots[at].key && f->slots[at].key != key)
		at = (at + 1) & mask;
	return &f->slots[at];
}

static void forget_lines(struct fast *f, uint32_t first, uint32_t size)
{
	for (uint32_t i = 0; i < (size + (1u << LINE_BITS) - 1) >> LINE_BITS; i++)
		f->lines[(first >> LINE_BITS) + i] &= 2;
}

void block_flush(struct fast *f)
{
	memset(f->slots, 0, sizeof *f->slots << BLOCKS_BITS);
	memset(f->jumps, 0, sizeof f->jumps);
	const struct model_config *c = &f->model->config;
	forget_lines(f, 0, c->ram_size);
	for (unsigned i = 0; i < MODEL_MEMORIES && c->memories[i].size != 0; i++)
		forget_lines(f, c->memories[i].base - c->ram_base, c->memories[i].size);
	f->op_count = f->exit_count = f->block_count = 0;
	f->key_exit_count = 0;
	f->node_count = NODE_BEGIN + 1;
	f->dirty = false;
	f->statistics.flushes++;
}

/* ---------------------------------------------------------------- instructions */

/* The bits at pc: false if they are not in RAM, or must not be executed in this mode. */
static bool fetch_bits(struct fast *f, uint32_t pc, uint32_t *bits)
{
	struct model *m = f->model;
	uint32_t at = pc - f->ram_base;
	bool machine = m->csr.mode == 3;
	uint16_t low, high;
	if (!model_is_memory(&m->config, at) || !pmp_allows(m, pc & ~3u, machine, PMP_X))
		return false;
	memcpy(&low, f->ram + at, 2);
	*bits = low;
	if ((low & 3) != 3)
		return true;
	if (!model_is_memory(&m->config, at + 2) || !pmp_allows(m, (pc + 2) & ~3u, machine, PMP_X))
		return false;
	memcpy(&high, f->ram + at + 2, 2);
	*bits |= (uint32_t)high << 16;
	return true;
}

bool block_fetchable(struct fast *f, uint32_t pc)
{
	uint32_t bits;
	return fetch_bits(f, pc, &bits);
}

static bool has_break(const struct fast *f, uint32_t pc)
{
	for (unsigned i = 0; i < f->break_count; i++)
		if (f->breaks[i] == pc)
			return true;
	return false;
}

bool block_is_slow(const struct fast *f, const struct decoded *d, uint32_t pc)
{
	const struct model_config *config = &f->model->config;
	if (f->break_count && has_break(f, pc))
		return true;
	switch (d->kind) {
	case KIND_CSR:
	case KIND_FENCE_I:
	case KIND_MRET:
	case KIND_WFI:
	case KIND_EXCEPTION:
		return true;
	case KIND_MULDIV:
		return d->insn.op == ISA_MUL && !config->mul_fast; /* its time depends on an operand */
	case KIND_BRANCH:
	case KIND_JAL:
		/* a jump to itself may be the end of the run; one between halfwords may be an exception */
		return d->insn.imm == 0 || (!config->with_c && (uint32_t)isa_target(&d->insn, pc) & 2);
	case KIND_JALR:
		return !config->with_c;
	default:
		return false;
	}
}

/* Cycles in X; of a division, the fewest. */
static unsigned least_cycles(const struct fast *f, const struct decoded *d)
{
	if (d->kind != KIND_MULDIV)
		return 1;
	uint8_t op = d->insn.op;
	bool divides = op == ISA_DIV || op == ISA_DIVU || op == ISA_REM || op == ISA_REMU;
	return execute_cycles(&f->model->config, op, 0, divides ? 1 : 0);
}

/* ---------------------------------------------------------------- translation */

struct translation {
	struct fast *f;
	uint32_t pc, first_op;
	unsigned entry, node, insns, bits, max_bits;
	unsigned insns_before; /* of the trace, before the block */
	bool traced;
	/* of the instruction at pc */
	struct fetch_state fetch;
	unsigned t, gap;
	bool lduse;
	unsigned longest; /* cycles that divisions may take in addition */
};

static struct op *add_op(struct translation *b, unsigned kind, const struct isa_insn *insn)
{
	struct fast *f = b->f;
	struct op *op = &f->ops[f->op_count];
	*op = (struct op){.go = f->places[kind]};
	if (insn) {
		op->rd = insn->rd ? insn->rd : SINK;
		op->rs1 = insn->rs1;
		op->rs2 = insn->rs2;
		op->imm = (uint32_t)insn->imm;
	}
	f->infos[f->op_count++] = (struct op_info){.pc = b->pc,
	    .t = (uint16_t)b->t,
	    .insns = (uint16_t)b->insns,
	    .bits = (uint8_t)b->bits,
	    .words = b->fetch.words,
	    .inflight = b->fetch.inflight,
	    .lduse = b->lduse,
	    .gap = (uint8_t)b->gap};
	return op;
}

/* A way out behind the current instruction, which completes in cycle `last` (after N). */
static uint32_t add_exit(
    struct translation *b, uint32_t target, unsigned entry, unsigned last, bool branch, bool outcome)
{
	struct fast *f = b->f;
	struct exit *e = &f->exits[f->exit_count];
	const unsigned behind = b->insns_before + b->insns + 1;
	if (f->lasts != NULL)
		f->lasts[f->exit_count] = (struct exit_last){0};
	*e = (struct exit){.code = &f->unlinked[1],
	    .target = target,
	    .cycles = (uint16_t)(last + 1),
	    .insns = (uint16_t)(b->insns + 1),
	    .key = b->node != NODE_ANY && b->longest == 0 ? KEY_UNKNOWN : KEY_VARIES,
	    .entry = (uint8_t)entry,
	    .shift = (uint8_t)(b->bits + branch),
	    .bit = outcome,
	    .behind = (uint8_t)(behind < BEHIND_UNKNOWN ? behind : BEHIND_UNKNOWN),
	    .early = (branch && b->bits == 0 && b->node == NODE_BEGIN) || behind <= EARLY_INSNS};
	return f->exit_count++;
}

static uint8_t end_reason(const struct fast *f, const struct translation *b, uint32_t target, bool indirect)
{
	if (!b->traced)
		return TRACE_NONE;
	if (indirect)
		return f->ctrl & RV_CTRL_NO_INDIRECT_MASK ? TRACE_NONE : TRACE_INDIRECT;
	return target <= b->pc && !(f->ctrl & RV_CTRL_NO_BACKWARD_MASK) ? TRACE_BACKWARD : TRACE_NONE;
}

static void mark_lines(struct fast *f, uint32_t pc, unsigned length)
{
	f->lines[(pc - f->ram_base) >> LINE_BITS] |= 1;
	f->lines[(pc - f->ram_base + length - 1) >> LINE_BITS] |= 1;
}

/* Translates an instruction that is no transfer of control. */
static void add_plain(struct translation *b, const struct decoded *d)
{
	const struct isa_insn *insn = &d->insn;
	bool none = insn->rd == 0;
	switch (d->kind) {
	case KIND_MEMORY:
		add_op(b, insn->op, insn);
		return;
	case KIND_LUI:
		if (!none)
			add_op(b, OP_LI, insn);
		return;
	case KIND_AUIPC:
		if (!none)
			add_op(b, OP_LI, insn)->imm = b->pc + (uint32_t)insn->imm;
		return;
	case KIND_IMMEDIATE:
		if (none)
			return;
		if (insn->op == ISA_ADDI && insn->rs1 == 0)
			add_op(b, OP_LI, insn);
		else if (insn->op == ISA_ADDI && insn->imm == 0)
			add_op(b, OP_MV, insn);
		else
			add_op(b, insn->op, insn);
		return;
	case KIND_REGISTER:
		if (none)
			return;
		if (insn->op == ISA_ADD && insn->rs1 == 0)
			add_op(b, OP_MV, insn)->rs1 = insn->rs2;
		else if (insn->op == ISA_ADD && insn->rs2 == 0)
			add_op(b, OP_MV, insn);
		else
			add_op(b, insn->op, insn);
		return;
	case KIND_MULDIV:
		if (insn->op == ISA_DIV || insn->op == ISA_DIVU || insn->op == ISA_REM || insn->op == ISA_REMU)
			b->longest += 21;
		else if (none)
			return;
		add_op(b, insn->op, insn)->x = insn->op;
		return;
	default: /* FENCE */
		return;
	}
}

/* A jump, at the end of a block. last: its cycle. */
static void add_jump(struct translation *b, const struct decoded *d, unsigned last)
{
	struct fast *f = b->f;
	struct isa_insn link = d->insn;
	uint32_t back = b->pc + d->insn.length;
	uint32_t target = (uint32_t)isa_target(&d->insn, b->pc);
	uint32_t e = add_exit(b, target, ENTRY_REDIRECT, last, false, false);
	struct exit *exit = &f->exits[e];
	if (d->kind == KIND_JALR) {
		exit->reason = end_reason(f, b, 0, true);
		if (exit->reason == TRACE_NONE)
			exit->key = KEY_VARIES;
		exit->link = back;
		/* two ops: the offset needs the place of the exit */
		struct op *op = add_op(b, b->traced ? OP_T_JALR : ISA_JALR, &d->insn);
		struct op *more = add_op(b, OP_SLOW, NULL);
		more->imm = op->imm;
		op->imm = e;
		return;
	}
	exit->reason = end_reason(f, b, target, false);
	if (link.rd) {
		link.imm = (int32_t)back;
		add_op(b, OP_LI, &link);
	}
	add_op(b, b->traced ? OP_T_JUMP : OP_JUMP, NULL)->imm = e;
}

/* The op of a conditional branch that shifts its outcome in. */
static unsigned traced_branch(uint8_t op)
{
	switch (op) {
	case ISA_BEQ:
		return OP_T_BEQ;
	case ISA_BNE:
		return OP_T_BNE;
	case ISA_BLT:
		return OP_T_BLT;
	case ISA_BGE:
		return OP_T_BGE;
	case ISA_BLTU:
		return OP_T_BLTU;
	default:
		return OP_T_BGEU;
	}
}

static const struct op *translate(
    struct fast *f, uint32_t pc, unsigned entry, unsigned node, const struct decoded **decoded)
{
	struct translation b = {.f = f, .pc = pc, .entry = entry, .node = node, .traced = f->context & CONTEXT_TRACED};
	const struct decoded *d = *decoded;
	b.insns_before = node != NODE_ANY ? f->node_insns[node] : BEHIND_UNKNOWN;
	unsigned hist = f->model->config.trace.hist;
	b.max_bits = hist - 3 < 12 ? hist - 3 : 12;
	if (entry == ENTRY_REDIRECT) {
		b.t = b.gap = timing_redirect(&b.fetch, pc, d->insn.length);
	} else {
		unsigned code = entry - 1;
		b.fetch = (struct fetch_state){.words = code & 3, .inflight = code >> 2 & 1};
		b.lduse = code >> 3 & 1;
		b.gap = b.t = code >> 4;
	}
	struct op *head = add_op(&b, OP_HEAD, NULL);
	f->infos[head - f->ops].entry = (uint8_t)entry;
	f->infos[head - f->ops].context = (uint8_t)f->context;
	b.first_op = f->op_count;
	for (;;) {
		const struct isa_insn *insn = &d->insn;
		uint32_t next_bits, next_pc = b.pc + insn->length;
		/* what stands behind must be known for the time of this one, and it must be possible to fetch it */
		if (block_is_slow(f, d, b.pc) || !fetch_bits(f, next_pc, &next_bits)) {
			add_op(&b, OP_SLOW, NULL);
			break;
		}
		mark_lines(f, b.pc, insn->length);
		unsigned cycles = b.lduse + least_cycles(f, d);
		unsigned last = b.t + cycles - 1;
		if (d->kind == KIND_JAL || d->kind == KIND_JALR) {
			add_jump(&b, d, last);
			b.t = last;
			break;
		}
		if (d->kind == KIND_BRANCH) {
			uint32_t target = (uint32_t)isa_target(insn, b.pc);
			/* a branch to the next instruction has outcome 0 also where it is taken */
			uint32_t e = add_exit(&b, target, ENTRY_REDIRECT, last, true, target != next_pc);
			f->exits[e].reason = end_reason(f, &b, target, false);
			add_op(&b, b.traced ? traced_branch(insn->op) : insn->op, insn)->imm = e;
		} else {
			add_plain(&b, d);
			if (f->op_count == b.first_op) /* a block is left at its first instruction, so that has an op */
				add_op(&b, OP_NONE, NULL);
		}
		uint8_t load_rd = d->load_rd;
		bool memory = d->kind == KIND_MEMORY, branch = d->kind == KIND_BRANCH;
		mark_lines(f, next_pc, (next_bits & 3) == 3 ? 4 : 2);
		d = core_decode(f->model, next_bits); /* the old one is gone */
		unsigned gap = timing_step(&b.fetch, cycles, memory, next_pc, d->insn.length);
		bool lduse = gap == 0 && load_rd && (d->rs1 == load_rd || d->rs2 == load_rd);
		if (b.insns + 1 == BLOCK_INSNS || (b.traced && b.bits + branch == b.max_bits)) {
			uint32_t e = add_exit(&b, next_pc, ENTRY(b.fetch, lduse, gap), last, branch, false);
			add_op(&b, b.traced ? OP_T_FALL : OP_FALL, NULL)->imm = e;
			b.t = last;
			break;
		}
		b.insns++;
		b.bits += branch;
		b.pc = next_pc;
		b.t = last + 1 + gap;
		b.gap = gap;
		b.lduse = lduse;
	}
	head->x = (uint8_t)(hist - 1 - b.bits - 1); /* one more: the last branch may be taken */
	head->imm = b.t + 4 + b.longest;            /* with the cycles in which X is empty behind it */
	f->statistics.blocks++;
	return &f->ops[b.first_op];
}

const struct op *block_find(struct fast *f, uint32_t pc, unsigned entry, unsigned node)
{
	uint64_t key = slot_key(f, pc, entry, node);
	struct block_slot *slot = find_slot(f, key);
	if (slot->key)
		return &f->ops[slot->op];
	if (f->op_count + 3 * BLOCK_INSNS > OPS_MAX || f->exit_count + 2 * BLOCK_INSNS > EXITS_MAX ||
	    f->block_count > 1u << (BLOCKS_BITS - 1)) {
		block_flush(f);
		f->nodes_most =
		    f->nodes_most / 2 < NODES_MAX ? NODES_MAX : f->nodes_most / 2; /* or it is full of them */
		node = node > NODE_BEGIN ? NODE_ANY : node;                        /* its number is free again */
		key = slot_key(f, pc, entry, node);
		slot = find_slot(f, key);
	}
	uint32_t bits;
	const struct op *op;
	if (fetch_bits(f, pc, &bits)) {
		const struct decoded *d = core_decode(f->model, bits);
		mark_lines(f, pc, d->insn.length);
		op = translate(f, pc, entry, node, &d);
	} else {
		op = NULL;
	}
	if (!op)
		return NULL;
	f->block_count++;
	*slot = (struct block_slot){.key = key, .op = (uint32_t)(op - f->ops)};
	return op;
}
