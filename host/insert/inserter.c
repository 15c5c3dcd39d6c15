/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Abstract code into instructions at their places.
 *
 * A place is on one side of a label (host/object/edit.h). Code of an edge goes
 *
 *   fall     before the label of the block that is fallen into
 *   jump     before the jump
 *   taken    behind the label of the target, if nothing else leads there; else into a stub that ends with a jump to the
 *            target, or that lies right before it and needs none
 *   table    likewise; the table's entries then name the stub
 *
 * A block that is entered from outside and from inside has its outside code behind the label, and a second label for
 * those inside.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/insert/insert.h"

#define WORDS_MAX 64
#define FRAME 16u

struct request {
	uint32_t at; /* edge, or block */
	struct inserter_code *codes;
	size_t count;
};

struct patch { /* a load or store of an argument on the stack, in a function with a larger frame */
	struct edit_atom *atom;
	uint32_t word;
};

struct inserter {
	const struct graph *g;
	const struct graph_function *f;
	struct edit *e;
	uint32_t counters;
	unsigned width, set;
	bool compressed;
	uint8_t kind, r;
	struct request *edges, *enters, *starts; /* by edge, block, block: counted from the function's first */
	const uint64_t *weights;
	struct patch *patches;
	size_t patch_count, patch_size;
	uint32_t *inside; /* by block: piece + 1, the label for those inside */
	struct inserter_entries *entries;
	uint64_t instructions, spilled;
	int64_t millicode_bytes; /* of -msave-restore, above the frame */
	bool behind;             /* what is for the entry goes behind its first instruction, which saves registers */
	const char *reason;
};

int inserter_open(struct inserter **out, const struct graph *graph, size_t function, uint32_t counters, unsigned width)
{
	struct inserter *in = calloc(1, sizeof *in);
	*out = NULL;
	if (in == NULL)
		return OBJECT_ENOMEM;
	in->g = graph;
	in->f = &graph->functions[function];
	in->e = graph->edit;
	in->counters = counters;
	in->width = width;
	in->compressed = (graph->edit->object->flags & EF_RISCV_RVC) != 0;
	in->set = (graph->edit->object->xlen == 64 ? ISA_RV64 : 0u) | ISA_EXT_I | (in->compressed ? ISA_EXT_C : 0u);
	in->edges = calloc(in->f->edge_count + 1u, sizeof *in->edges);
	in->enters = calloc(in->f->block_count + 1u, sizeof *in->enters);
	in->starts = calloc(in->f->block_count + 1u, sizeof *in->starts);
	in->inside = calloc(in->f->block_count + 1u, sizeof *in->inside);
	if (in->edges == NULL || in->enters == NULL || in->starts == NULL || in->inside == NULL) {
		inserter_close(in);
		return OBJECT_ENOMEM;
	}
	*out = in;
	return OBJECT_OK;
}

void inserter_close(struct inserter *in)
{
	if (in == NULL)
		return;
	for (uint32_t i = 0; in->edges != NULL && i < in->f->edge_count; i++)
		free(in->edges[i].codes);
	for (uint32_t i = 0; i < in->f->block_count; i++) {
		if (in->enters != NULL)
			free(in->enters[i].codes);
		if (in->starts != NULL)
			free(in->starts[i].codes);
	}
	free(in->edges);
	free(in->enters);
	free(in->starts);
	free(in->inside);
	free(in->patches);
	free(in);
}

void inserter_into(struct inserter *in, struct inserter_entries *entries)
{
	in->entries = entries;
}

void inserter_weights(struct inserter *in, const uint64_t *weights)
{
	in->weights = weights;
}

static int request(struct request *r, const struct inserter_code *codes, size_t count)
{
	struct inserter_code *all = realloc(r->codes, (r->count + count + 1) * sizeof *all);
	if (all == NULL)
		return OBJECT_ENOMEM;
	memcpy(all + r->count, codes, count * sizeof *all);
	r->codes = all;
	r->count += count;
	return OBJECT_OK;
}

int inserter_edge(struct inserter *in, uint32_t edge, const struct inserter_code *codes, size_t count)
{
	return request(&in->edges[edge - in->f->edge_first], codes, count);
}

int inserter_enter(struct inserter *in, uint32_t block, const struct inserter_code *codes, size_t count)
{
	return request(&in->enters[block - in->f->blocks], codes, count);
}

int inserter_block(struct inserter *in, uint32_t block, const struct inserter_code *codes, size_t count)
{
	return request(&in->starts[block - in->f->blocks], codes, count);
}

/* ---------------------------------------------------------------- the stack pointer */
enum { NOT_YET, UNKNOWN, CONSTANT, STACK };
struct value { /* STACK: on top of the stack pointer at entry */
	uint8_t kind;
	int64_t c;
};
struct values {
	struct value r[32];
};

/* N of a call of __riscv_save_N (-msave-restore), which keeps ra and the first registers of the callee on the stack; -1:
 * it is none. */
static int millicode(const struct inserter *in, const struct edit_atom *atom, const char *which)
{
	const char *name = atom->symbol != 0 ? object_symbol_name(in->e->object, atom->symbol) : "";
	size_t length = strlen(which);
	if (strncmp(name, which, length) != 0 || name[length] < '0' || name[length] > '9')
		return -1;
	int n = atoi(name + length);
	return n <= 12 ? n : -1;
}

/* What it saves comes in groups of 16 bytes: registers in all, s0 to s(n - 1). */
static int saved_by(const struct inserter *in, int n)
{
	int group = in->e->object->xlen == 64 ? n / 2 * 2 + 1 : n / 4 * 4 + 3;
	return group > 12 ? 12 : group;
}

static int64_t save_bytes(const struct inserter *in, int n)
{
	return in->e->object->xlen == 64 ? 16 * (n / 2 + 1) : 16 * (n / 4 + 1);
}

static void step(const struct inserter *in, const struct edit_atom *atom, struct values *v)
{
	struct isa_insn insn;
	struct isa_registers regs;
	struct value result = {UNKNOWN, 0};
	if (atom->kind == EDIT_PAD)
		return;
	graph_insn(in->g, atom, &insn);
	isa_registers(&insn, &regs);
	if (atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL) {
		int n = insn.rd == 5 ? millicode(in, atom, "__riscv_save_") : -1;
		if (n >= 0) {
			v->r[2].c -= save_bytes(in, n);
			v->r[5] = v->r[6] = v->r[1] = result;
			return;
		}
		uint32_t changed = insn.rd == 1 ? GRAPH_CALLER_SAVED | 2 : 0xFFFFFFFEu;
		for (unsigned i = 1; i < 32; i++) {
			if ((changed >> i & 1) != 0)
				v->r[i] = result;
		}
		return;
	}
	const struct value *a = &v->r[insn.rs1], *b = &v->r[insn.rs2];
	bool plain = atom->relocs == 0;
	if (insn.op == ISA_ADDI && plain && (a->kind == STACK || a->kind == CONSTANT))
		result = (struct value){a->kind, a->c + insn.imm};
	else if (insn.op == ISA_LUI && plain)
		result = (struct value){CONSTANT, (int64_t)(int32_t)((uint32_t)insn.imm)};
	else if (insn.op == ISA_ADD && a->kind >= CONSTANT && b->kind >= CONSTANT &&
		 !(a->kind == STACK && b->kind == STACK))
		result = (struct value){a->kind == STACK || b->kind == STACK ? STACK : CONSTANT, a->c + b->c};
	else if (insn.op == ISA_SUB && a->kind >= CONSTANT && b->kind == CONSTANT)
		result = (struct value){a->kind, a->c - b->c};
	for (unsigned i = 1; i < 32; i++) {
		if ((regs.x_written >> i & 1) != 0)
			v->r[i] = i == insn.rd ? result : (struct value){UNKNOWN, 0};
	}
}

static bool meet(struct values *to, const struct values *from)
{
	bool changed = false;
	for (unsigned i = 0; i < 32; i++) {
		struct value *a = &to->r[i];
		const struct value *b = &from->r[i];
		if (b->kind == NOT_YET || a->kind == UNKNOWN || (a->kind == b->kind && a->c == b->c))
			continue;
		*a = a->kind == NOT_YET ? *b : (struct value){UNKNOWN, 0};
		changed = true;
	}
	return changed;
}

static int patch(struct inserter *in, struct edit_atom *atom, const struct isa_insn *insn)
{
	struct isa_insn full = *insn, same;
	uint64_t word;
	unsigned set = in->g->set;
	if (atom->relocs != 0 || insn->imm + (int)FRAME > 2047)
		return OBJECT_EUNSUPPORTED;
	if (insn->length == 2) {
		same = *insn;
		/* the offset first: not all that fit the long form fit the short one */
		if (isa_expand(&same, set, &full) != ISA_OK)
			return OBJECT_EUNSUPPORTED;
	}
	full.imm = insn->imm + (int)FRAME;
	if (isa_encode(&full, &word) != ISA_OK)
		return OBJECT_EUNSUPPORTED;
	if (in->patch_count == in->patch_size) {
		size_t larger = 2 * in->patch_size + 16;
		struct patch *patches = realloc(in->patches, larger * sizeof *patches);
		if (patches == NULL)
			return OBJECT_ENOMEM;
		in->patches = patches;
		in->patch_size = larger;
	}
	in->patches[in->patch_count++] = (struct patch){atom, (uint32_t)word};
	return OBJECT_OK;
}

/* Whether a frame can be put between the caller's and the function's: nothing but loads and stores at known places
 * reaches above the stack pointer at entry, and each exit has it back. */
static int check_frame(struct inserter *in)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	struct values *states = calloc(f->block_count + 1u, sizeof *states);
	uint32_t *stack = malloc((f->block_count + 1u) * sizeof *stack), depth = 0;
	bool *waiting = calloc(f->block_count + 1u, sizeof *waiting);
	int error = states == NULL || stack == NULL || waiting == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	int64_t slot = -(int64_t)(g->edit->object->xlen / 8);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		if (b != 0 && !g->blocks[f->blocks + b].root)
			continue;
		if (b != 0 && !g->blocks[f->blocks + b].pad) {
			in->reason = "it has several entries";
			error = OBJECT_EUNSUPPORTED;
		}
		for (unsigned i = 0; i < 32; i++)
			states[b].r[i] = (struct value){UNKNOWN, 0};
		states[b].r[0] = (struct value){CONSTANT, 0};
		if (b == 0)
			states[b].r[2] = (struct value){STACK, 0};
		else
			states[b].r[2] =
			    (struct value){NOT_YET, 0}; /* as the calls that throw left it: from elsewhere */
		stack[depth++] = b;
		waiting[b] = true;
	}
	while (depth > 0 && error == OBJECT_OK) {
		uint32_t b = stack[--depth];
		const struct graph_block *block = &g->blocks[f->blocks + b];
		struct values v = states[b];
		waiting[b] = false;
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++)
			step(in, &in->e->sections[block->section].atoms[at], &v);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = g->edges[e].to;
			if (to == GRAPH_NONE || !meet(&states[to - f->blocks], &v) || waiting[to - f->blocks])
				continue;
			waiting[to - f->blocks] = true;
			stack[depth++] = to - f->blocks;
		}
	}
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		struct values v = states[b];
		if (block->section == GRAPH_NONE)
			continue;
		for (uint32_t at = block->first; at <= block->last && error == OBJECT_OK; at++) {
			struct edit_atom *atom = &in->e->sections[block->section].atoms[at];
			struct isa_insn insn;
			graph_insn(g, atom, &insn);
			if (atom->kind == EDIT_PAD)
				continue;
			const struct value *base = &v.r[insn.rs1];
			int64_t effective = base->c + insn.imm;
			bool memory =
			    (insn.class_bits & (ISA_LOAD | ISA_STORE)) != 0 && (insn.class_bits & ISA_ATOMIC) == 0;
			if (memory && base->kind == STACK && effective >= 0)
				error = patch(in, atom, &insn);
			/* the save area of variable arguments goes on in the caller's frame */
			if (memory && base->kind == STACK && (insn.class_bits & ISA_STORE) != 0 && insn.rs2 == 17 &&
			    effective == slot)
				error = OBJECT_EUNSUPPORTED;
			if (insn.op == ISA_ADDI && base->kind == STACK && insn.rd != 2 &&
			    (effective > 0 || (effective == 0 && insn.rd != 8)))
				error = OBJECT_EUNSUPPORTED;
			if (error == OBJECT_EUNSUPPORTED)
				in->reason = "its arguments on the stack are used by address";
			bool exits = at == block->last && block->edge_count > 0;
			for (uint32_t e = block->edges; exits && e < block->edges + block->edge_count; e++) {
				unsigned kind = g->edges[e].kind;
				bool leaves = g->edges[e].to == GRAPH_NONE && kind != GRAPH_NO_RETURN;
				if (kind == GRAPH_TAIL_FALL || kind == GRAPH_TAIL) {
					/* sp after the last instruction, if it is no jump: the same */
				}
				struct values after = v;
				if (kind == GRAPH_TAIL_FALL)
					step(in, atom, &after);
				int n = kind == GRAPH_TAIL ? millicode(in, atom, "__riscv_restore_") : -1;
				int64_t expected = n >= 0 && in->behind ? -save_bytes(in, n) : 0;
				if (leaves && (after.r[2].kind != STACK || after.r[2].c != expected) &&
				    after.r[2].kind != NOT_YET) {
					in->reason = "its stack pointer at an exit is not known";
					error = OBJECT_EUNSUPPORTED;
				}
			}
			step(in, atom, &v);
		}
	}
	free(states);
	free(stack);
	free(waiting);
	return error;
}

int inserter_register(struct inserter *in, const char **reason)
{
	const struct graph_function *f = in->f;
	static const uint8_t own[] = {15, 14, 13, 12, 11, 10, 16, 17, 5, 6, 7, 28, 29, 30, 31},
			     saved[] = {9, 8, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
	uint32_t taken = f->mentioned | f->kept;
	*reason = NULL;
	for (unsigned i = 0; !f->calls && i < sizeof own; i++) {
		if ((taken >> own[i] & 1) == 0) {
			in->r = own[i];
			return in->kind = INSERTER_FREE;
		}
	}
	const struct graph_block *head = &in->g->blocks[f->blocks];
	const struct edit_atom *first = &in->e->sections[head->section].atoms[head->first];
	int n = first->flow == EDIT_CALL ? millicode(in, first, "__riscv_save_") : -1;
	/* callee-saved registers are live at exits: mentioned are those that instructions name */
	uint32_t named = 0;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &in->g->blocks[b];
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++) {
			const struct edit_atom *atom = &in->e->sections[block->section].atoms[at];
			struct isa_insn insn;
			struct isa_registers regs;
			if (atom->kind == EDIT_PAD)
				continue;
			graph_insn(in->g, atom, &insn);
			isa_registers(&insn, &regs);
			named |= regs.x_read | regs.x_written;
		}
		/* a trap return's registers are the interrupted program's; it has them back by then */
	}
	for (unsigned i = 0; i < sizeof saved; i++) {
		int number = saved[i] < 10 ? saved[i] - 8 : saved[i] - 16;
		if ((named >> saved[i] & 1) != 0)
			continue;
		in->behind = n >= 0 && head->first < head->last;
		if (in->behind && number < saved_by(in, n)) { /* saved without need */
			in->r = saved[i];
			return in->kind = INSERTER_FREE;
		}
		in->millicode_bytes = in->behind ? save_bytes(in, n) : 0;
		int error = check_frame(in);
		if (error != OBJECT_OK) {
			*reason = in->reason;
			return error;
		}
		in->r = saved[i];
		return in->kind = INSERTER_SAVED;
	}
	*reason = "it has no register free";
	return OBJECT_EUNSUPPORTED;
}

/* ---------------------------------------------------------------- code */
struct words {
	const struct inserter *in;
	struct edit_word w[WORDS_MAX];
	size_t count;
	bool full;
	uint32_t scratch[2];
};

static struct edit_word *put(struct words *o, enum isa_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	struct isa_insn insn, small;
	uint64_t word = 0;
	if (o->count == WORDS_MAX) {
		o->full = true;
		return &o->w[0];
	}
	struct edit_word *w = &o->w[o->count++];
	if (isa_make(o->in->set, op, (uint8_t)rd, (uint8_t)rs1, (uint8_t)rs2, imm, &insn) != ISA_OK)
		o->full = true;
	if (o->in->compressed && isa_compress(&insn, o->in->set, &small) == ISA_OK)
		insn = small;
	isa_encode(&insn, &word);
	*w = (struct edit_word){.word = (uint32_t)word, .length = insn.length};
	return w;
}

/* At full length: its immediate is the linker's. */
static struct edit_word *put_open(struct words *o, enum isa_op op, unsigned rd, unsigned rs1, unsigned rs2)
{
	struct isa_insn insn;
	uint64_t word = 0;
	if (o->count == WORDS_MAX) {
		o->full = true;
		return &o->w[0];
	}
	struct edit_word *w = &o->w[o->count++];
	isa_make(o->in->set, op, (uint8_t)rd, (uint8_t)rs1, (uint8_t)rs2, 0, &insn);
	isa_encode(&insn, &word);
	*w = (struct edit_word){.word = (uint32_t)word, .length = 4};
	return w;
}

static bool by_pc(const struct inserter *in)
{
	return in->e->object->xlen == 64;
}

/* The upper part of a counter's address; index of the word. */
static size_t put_high(struct words *o, unsigned rd, int64_t addend)
{
	bool pc = by_pc(o->in);
	struct edit_word *w = put_open(o, pc ? ISA_AUIPC : ISA_LUI, rd, 0, 0);
	w->type = pc ? R_RISCV_PCREL_HI20 : R_RISCV_HI20;
	w->symbol = o->in->counters;
	w->addend = addend;
	w->relax = !pc && !o->in->g->writes_gp;
	return o->count - 1;
}

static void put_low(struct words *o, struct edit_word *w, size_t high, bool store, int64_t addend)
{
	bool pc = by_pc(o->in);
	w->type = pc ? store ? R_RISCV_PCREL_LO12_S : R_RISCV_PCREL_LO12_I : store ? R_RISCV_LO12_S : R_RISCV_LO12_I;
	w->symbol = o->in->counters;
	w->addend = pc ? 0 : addend;
	if (pc) {
		w->to = EDIT_TO_WORD;
		w->target = high;
	}
	w->relax = !pc && !o->in->g->writes_gp;
}

static void put_constant(struct words *o, unsigned rd, int32_t value)
{
	if (value >= -2048 && value < 2048) {
		put(o, ISA_ADDI, rd, 0, 0, value);
		return;
	}
	int32_t low = (int32_t)((uint32_t)value << 20) >> 20;
	put(o, ISA_LUI, rd, 0, 0, (int32_t)((uint32_t)value - (uint32_t)low));
	if (low != 0)
		put(o, o->in->e->object->xlen == 64 ? ISA_ADDIW : ISA_ADDI, rd, rd, 0, low);
}

static unsigned needs(const struct inserter *in, const struct inserter_code *c)
{
	int64_t bytes = c->value * (int64_t)in->width;
	bool far = bytes < -2048 || bytes > 2047;
	switch (c->op) {
	case INSERTER_COUNT:
		return 2;
	case INSERTER_COUNT_AT:
		return far ? 2 : 1;
	case INSERTER_ADD:
		return far ? 1 : 0;
	default:
		return 0;
	}
}

static void put_code(struct words *o, const struct inserter_code *c)
{
	const struct inserter *in = o->in;
	int64_t bytes = c->value * (int64_t)in->width;
	unsigned a = o->scratch[0], b = o->scratch[1], r = in->r;
	enum isa_op load = in->width == 8 ? ISA_LD : ISA_LW, store = in->width == 8 ? ISA_SD : ISA_SW;
	size_t high;
	bool far = bytes < -2048 || bytes > 2047;
	switch (c->op) {
	case INSERTER_SET:
		high = put_high(o, r, bytes);
		put_low(o, put_open(o, ISA_ADDI, r, r, 0), high, false, bytes);
		break;
	case INSERTER_ADD:
		if (far) {
			put_constant(o, a, (int32_t)bytes);
			put(o, ISA_ADD, r, r, a, 0);
		} else
			put(o, ISA_ADDI, r, r, 0, (int32_t)bytes);
		break;
	case INSERTER_COUNT:
		high = put_high(o, a, bytes);
		put_low(o, put_open(o, load, b, a, 0), high, false, bytes);
		put(o, ISA_ADDI, b, b, 0, 1);
		put_low(o, put_open(o, store, 0, a, b), high, true, bytes);
		break;
	default:
		if (far) {
			put_constant(o, b, (int32_t)bytes);
			put(o, ISA_ADD, b, b, r, 0);
			put(o, load, a, b, 0, 0);
			put(o, ISA_ADDI, a, a, 0, 1);
			put(o, store, 0, b, a, 0);
		} else {
			put(o, load, a, r, 0, (int32_t)bytes);
			put(o, ISA_ADDI, a, a, 0, 1);
			put(o, store, 0, r, a, (int32_t)bytes);
		}
		break;
	}
}

/* All codes of a place, where these registers are live. */
static void put_codes(struct words *o, const struct inserter_code *codes, size_t count, uint32_t live)
{
	struct inserter *in = (struct inserter *)(uintptr_t)o->in;
	static const uint8_t order[] = {15, 14, 13, 12, 11, 10, 5, 6, 7, 28, 29, 30, 31, 16, 17};
	unsigned need = 0, found = 0, spilled = 0;
	uint32_t busy = live | in->f->kept;
	if (in->kind != INSERTER_NO_REGISTER)
		busy |= 1u << in->r;
	for (size_t i = 0; i < count; i++)
		need = needs(in, &codes[i]) > need ? needs(in, &codes[i]) : need;
	for (unsigned i = 0; i < sizeof order && found < need; i++) {
		if ((busy >> order[i] & 1) == 0)
			o->scratch[found++] = order[i];
	}
	enum isa_op load = in->e->object->xlen == 64 ? ISA_LD : ISA_LW,
		    store = in->e->object->xlen == 64 ? ISA_SD : ISA_SW;
	for (unsigned i = 0; i < sizeof order && found + spilled < need; i++) {
		bool used = in->kind != INSERTER_NO_REGISTER && order[i] == in->r;
		for (unsigned k = 0; k < found; k++)
			used = used || o->scratch[k] == order[i];
		if (!used)
			o->scratch[found + spilled++] = order[i];
	}
	if (spilled > 0) {
		put(o, ISA_ADDI, 2, 2, 0, -16);
		for (unsigned i = 0; i < spilled; i++)
			put(o, store, 0, 2, o->scratch[found + i], (int32_t)(8 * i));
		in->spilled++;
	}
	for (size_t i = 0; i < count; i++)
		put_code(o, &codes[i]);
	if (spilled > 0) {
		for (unsigned i = 0; i < spilled; i++)
			put(o, load, o->scratch[found + i], 2, 0, (int32_t)(8 * i));
		put(o, ISA_ADDI, 2, 2, 0, 16);
	}
}

static void put_frame(struct words *o, bool begin)
{
	const struct inserter *in = o->in;
	bool wide = in->e->object->xlen == 64;
	if (begin) {
		put(o, ISA_ADDI, 2, 2, 0, -(int)FRAME);
		put(o, wide ? ISA_SD : ISA_SW, 0, 2, in->r, wide ? 8 : 12);
	} else {
		put(o, wide ? ISA_LD : ISA_LW, in->r, 2, 0, wide ? 8 : 12);
		put(o, ISA_ADDI, 2, 2, 0, FRAME);
	}
}

static unsigned ways_in(const struct inserter *in, uint32_t block)
{
	const struct graph *g = in->g;
	unsigned count = 0;
	for (uint32_t e = in->f->edge_first; e < in->f->edge_first + in->f->edge_count; e++)
		count += g->edges[e].to == block;
	return count;
}

/* ---------------------------------------------------------------- places */
static struct edit_section *section_of(const struct inserter *in, const struct graph_block *block)
{
	return &in->e->sections[block->section];
}

static int put_piece(
    struct inserter *in, uint32_t section, uint32_t atom, enum edit_place place, const struct words *o, uint32_t *piece)
{
	struct edit_section *s = &in->e->sections[section];
	in->instructions += o->count;
	return edit_put(in->e, s, &s->atoms[atom], place, o->w, o->count, piece);
}

/* A jump to a block of the same section: where those inside enter it. */
static void put_jump(struct words *o, uint32_t block)
{
	const struct inserter *in = o->in;
	const struct graph_block *to = &in->g->blocks[block];
	uint32_t piece = in->inside[block - in->f->blocks];
	struct edit_word *w = put(o, ISA_JAL, 0, 0, 0, 0);
	w->to = piece != 0 ? EDIT_TO_PIECE : EDIT_TO_LABEL;
	w->target = piece != 0 ? piece - 1 : in->e->sections[to->section].atoms[to->first].offset;
}

static bool falls_into(const struct inserter *in, const struct edit_section *s, uint32_t atom)
{
	uint32_t at = atom;
	while (at > 0 && s->atoms[at - 1].kind == EDIT_PAD)
		at--;
	if (at == 0)
		return false;
	const struct edit_atom *before = &s->atoms[at - 1];
	struct isa_insn insn;
	graph_insn(in->g, before, &insn);
	uint32_t own = in->g->block_of[s - in->e->sections][at - 1];
	const struct graph_block *block = own == 0 ? NULL : &in->g->blocks[own - 1];
	if (block != NULL && block->last == at - 1 && block->edge_count == 1 &&
	    in->g->edges[block->edges].kind == GRAPH_NO_RETURN)
		return false;
	return !(before->flow == EDIT_JUMP || before->flow == EDIT_INDIRECT || (insn.class_bits & ISA_RET) != 0);
}

/* An atom of the section, near `near`, that nothing falls into: a stub can stand before it. GRAPH_NONE: there is none. */
static bool stub_fits(const struct inserter *in, const struct edit_section *s, uint32_t atom)
{
	/* not before a block whose stub falls into it */
	return !falls_into(in, s, atom) && s->atoms[atom].kind != EDIT_DATA && s->atoms[atom].exact_symbol == 0;
}

static uint32_t stub_place(const struct inserter *in, uint32_t section, uint32_t near)
{
	const struct edit_section *s = &in->e->sections[section];
	for (uint32_t distance = 1; distance < s->count; distance++) {
		if (near + distance < s->count && stub_fits(in, s, near + distance))
			return near + distance;
		if (near > distance && stub_fits(in, s, near - distance))
			return near - distance;
	}
	return GRAPH_NONE;
}

/* Whether something that is no edge of the graph may lead there: a stored address. */
static bool named(const struct inserter *in, uint32_t block, bool tables)
{
	const struct graph_block *b = &in->g->blocks[block];
	for (size_t i = 0; i < in->g->taken_count; i++) {
		if (in->g->takens[i].section == b->section && in->g->takens[i].block == b->first)
			return !tables;
	}
	return false;
}

static uint64_t weight_of(const struct inserter *in, uint32_t edge)
{
	return in->weights == NULL ? 1 : in->weights[edge - in->f->edge_first];
}

/* The entries of a table that name a block shall name a stub. */
static int move_entries(struct inserter *in, uint32_t vertex, uint32_t block, uint32_t piece)
{
	const struct graph_block *b = &in->g->blocks[block];
	(void)vertex;
	for (size_t i = 0; i < in->g->taken_count; i++) {
		const struct graph_table *t = &in->g->takens[i];
		if (t->section != b->section || t->block != b->first)
			continue;
		struct inserter_entries *all = in->entries;
		if (all->count == all->size) {
			size_t larger = 2 * all->size + 32;
			struct inserter_entry *entries = realloc(all->entries, larger * sizeof *entries);
			if (entries == NULL)
				return OBJECT_ENOMEM;
			all->entries = entries;
			all->size = larger;
		}
		all->entries[all->count++] = (struct inserter_entry){t->from, t->reloc, piece};
	}
	return OBJECT_OK;
}

int inserter_finish(const struct graph *g, const struct inserter_entries *entries)
{
	struct edit *e = g->edit;
	for (size_t i = 0; i < entries->count; i++) {
		const struct inserter_entry *entry = &entries->entries[i];
		struct object_reloc *r = &e->object->sections[entry->section].relocs[entry->reloc];
		uint32_t symbol, section = e->object->symbols[r->symbol].section;
		int error = object_add_symbol(e->object, NULL, edit_piece_offset(e, entry->piece), 0, section,
		    ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, &symbol);
		if (error != OBJECT_OK)
			return error;
		r = &e->object->sections[entry->section].relocs[entry->reloc];
		r->symbol = symbol;
		r->addend = 0;
	}
	return OBJECT_OK;
}

/* Everything that can go wrong, before anything is put. */
static int check(struct inserter *in)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		bool reserved = false;
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++) {
			struct isa_insn insn;
			graph_insn(g, &in->e->sections[block->section].atoms[at], &insn);
			if (insn.op == ISA_LR_W || insn.op == ISA_LR_D)
				reserved = true;
			if (insn.op == ISA_SC_W || insn.op == ISA_SC_D)
				reserved = false;
		}
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			const struct request *r = &in->edges[e - f->edge_first];
			const struct graph_edge *edge = &g->edges[e];
			if (r->count == 0)
				continue;
			for (size_t i = 0; reserved && i < r->count; i++) {
				if (r->codes[i].op >= INSERTER_COUNT && edge->kind == GRAPH_FALL) {
					in->reason = "a store would come between LR and SC";
					return OBJECT_EUNSUPPORTED;
				}
			}
			if (edge->to != GRAPH_NONE && edge->kind != GRAPH_INTO && edge->kind != GRAPH_FALL &&
			    block->section != GRAPH_NONE && edge->kind != GRAPH_JUMP &&
			    g->blocks[edge->to].section != block->section) {
				in->reason = "a branch into another section needs code";
				return OBJECT_EUNSUPPORTED;
			}
			if (edge->kind == GRAPH_TABLE && named(in, edge->to, false) && in->entries == NULL) {
				in->reason = "a jump table needs code";
				return OBJECT_EUNSUPPORTED;
			}
		}
		/* those inside must be able to pass by what is for those from outside */
		bool outside = in->enters[b - f->blocks].count > 0 || (in->kind == INSERTER_SAVED && b == f->blocks);
		if (!outside)
			continue;
		if (in->behind && b == f->blocks && ways_in(in, b) > 0) {
			in->reason = "its entry is a loop's head and saves registers";
			return OBJECT_EUNSUPPORTED;
		}
		for (uint32_t e = f->edge_first; e < f->edge_first + f->edge_count; e++) {
			if (g->edges[e].to == b && (g->edges[e].kind == GRAPH_TABLE)) {
				in->reason = "a jump table leads to a block that is entered from outside too";
				return OBJECT_EUNSUPPORTED;
			}
		}
		for (uint32_t from = f->blocks; from < f->blocks + f->block_count; from++) {
			const struct graph_block *other = &g->blocks[from];
			for (uint32_t e = other->edges; e < other->edges + other->edge_count; e++) {
				if (g->edges[e].to != b || other->section == GRAPH_NONE)
					continue;
				const struct edit_atom *last = &in->e->sections[other->section].atoms[other->last];
				if (other->section != block->section ||
				    (g->edges[e].kind != GRAPH_FALL && last->kind != EDIT_INSN)) {
					in->reason = "an entry is jumped to from another section";
					return OBJECT_EUNSUPPORTED;
				}
			}
		}
	}
	return OBJECT_OK;
}

/* Code for those from outside, then the label for those inside, then what all execute. */
static int commit_block(struct inserter *in, uint32_t b)
{
	const struct graph_block *block = &in->g->blocks[b];
	const struct request *enter = &in->enters[b - in->f->blocks], *start = &in->starts[b - in->f->blocks];
	bool frame = in->kind == INSERTER_SAVED && b == in->f->blocks;
	int error = OBJECT_OK;
	if (block->section == GRAPH_NONE)
		return OBJECT_OK;
	if (frame) {
		struct words o = {.in = in};
		put_frame(&o, true);
		uint32_t bytes = 0;
		for (size_t i = 0; i < o.count; i++)
			bytes += o.w[i].length;
		error = put_piece(in, block->section, block->first + (in->behind ? 1 : 0), EDIT_LABEL, &o, NULL);
		if (error == OBJECT_OK)
			error = edit_frame(in->e, in->e->sections[block->section].number,
			    in->e->sections[block->section].atoms[block->first].offset, FRAME, in->r,
			    (in->e->object->xlen == 64 ? 8 : 4) + (uint32_t)in->millicode_bytes,
			    in->behind ? 0 : bytes);
	}
	if (error == OBJECT_OK && enter->count > 0) {
		struct words o = {.in = in};
		uint32_t at = block->first + (in->behind && b == in->f->blocks ? 1 : 0), x = block->live_x, f;
		if (at != block->first) {
			graph_live(in->g, b, at, &x, &f);
		}
		put_codes(&o, enter->codes, enter->count, x);
		error = o.full ? OBJECT_EUNSUPPORTED : put_piece(in, block->section, at, EDIT_LABEL, &o, NULL);
	}
	if (error == OBJECT_OK && (frame || enter->count > 0) && ways_in(in, b) > 0) {
		struct words o = {.in = in};
		uint32_t piece;
		error = put_piece(in, block->section, block->first, EDIT_LABEL, &o, &piece);
		in->inside[b - in->f->blocks] = piece + 1;
	}
	if (error == OBJECT_OK && start->count > 0) {
		struct words o = {.in = in};
		put_codes(&o, start->codes, start->count, block->live_x);
		error =
		    o.full ? OBJECT_EUNSUPPORTED : put_piece(in, block->section, block->first, EDIT_LABEL, &o, NULL);
	}
	return error;
}

/* The code of an edge as words; live: where it stands. */
static void edge_words(struct words *o, uint32_t e, uint32_t live)
{
	const struct inserter *in = o->in;
	const struct graph_edge *edge = &in->g->edges[e];
	const struct request *r = &in->edges[e - in->f->edge_first];
	put_codes(o, r->codes, r->count, live);
	if (in->kind == INSERTER_SAVED && edge->to == GRAPH_NONE && edge->kind != GRAPH_NO_RETURN)
		put_frame(o, false);
}

static bool needs_code(const struct inserter *in, uint32_t e)
{
	const struct graph_edge *edge = &in->g->edges[e];
	return in->edges[e - in->f->edge_first].count > 0 ||
	       (in->kind == INSERTER_SAVED && edge->to == GRAPH_NONE && edge->kind != GRAPH_NO_RETURN);
}

/* Before the last instruction of the block: all who execute it take this edge. */
static int commit_before(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph_block *block = &in->g->blocks[b];
	uint32_t x, f;
	struct words o = {.in = in};
	graph_live(in->g, b, block->last, &x, &f);
	edge_words(&o, e, x);
	return o.full ? OBJECT_EUNSUPPORTED : put_piece(in, block->section, block->last, EDIT_LABEL, &o, NULL);
}

/* A taken branch, or a table's entry: behind the label of the target, or a stub. */
static int commit_taken(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph *g = in->g;
	const struct graph_edge *edge = &g->edges[e];
	bool table = edge->kind == GRAPH_TABLE;
	const struct graph_block *from = &g->blocks[b];
	struct words o = {.in = in};
	uint32_t section, near, piece;
	int error;
	if (edge->to == GRAPH_NONE) { /* a conditional branch out of the function: what it leaves live */
		section = from->section;
		near = from->last;
		edge_words(&o, e, 0xFFFFFFFEu);
		const struct edit_section *s = section_of(in, from);
		const struct edit_atom *last = &s->atoms[from->last];
		struct edit_word *w = put_open(&o, ISA_JAL, 0, 0, 0);
		if (last->symbol != 0) {
			w->type = R_RISCV_JAL;
			w->symbol = last->symbol;
			for (uint32_t i = 0; i < last->relocs; i++) {
				const struct object_reloc *r =
				    &in->e->object->sections[s->number].relocs[last->reloc + i];
				w->addend = r->symbol == last->symbol ? r->addend : w->addend;
			}
		} else {
			w->to = EDIT_TO_LABEL;
			w->target = last->target;
		}
	} else {
		const struct graph_block *to = &g->blocks[edge->to];
		section = to->section;
		near = to->first;
		bool alone = ways_in(in, edge->to) == 1 && !to->root && in->inside[edge->to - in->f->blocks] == 0 &&
			     (table || !named(in, edge->to, false));
		edge_words(&o, e, to->live_x);
		if (alone)
			return o.full ? OBJECT_EUNSUPPORTED : put_piece(in, section, to->first, EDIT_LABEL, &o, NULL);
		/* right before the target if nothing falls into it, or less often than this is taken */
		struct edit_section *s = &in->e->sections[section];
		bool inside = in->inside[edge->to - in->f->blocks] != 0;
		uint32_t fall = GRAPH_NONE;
		bool falls = falls_into(in, s, to->first);
		for (uint32_t k = in->f->edge_first; k < in->f->edge_first + in->f->edge_count; k++) {
			if (g->edges[k].to == edge->to && g->edges[k].kind == GRAPH_FALL)
				fall = k;
		}
		bool pad = to->first > 0 && s->atoms[to->first - 1].kind == EDIT_PAD;
		bool first_here =
		    s->atoms[to->first].pieces[EDIT_FALL] == 0 || (fall != GRAPH_NONE && needs_code(in, fall));
		/* the marker of a stub that falls in: a second one jumps */
		if (!inside && first_here && !pad && s->atoms[to->first].exact_symbol == 0 &&
		    (!falls || (fall != GRAPH_NONE && weight_of(in, fall) < weight_of(in, e)))) {
			if (falls) {
				struct words over = {.in = in};
				put_jump(&over, edge->to);
				error = put_piece(in, section, to->first, EDIT_FALL, &over, NULL);
				if (error != OBJECT_OK)
					return error;
			}
			s->atoms[to->first].exact_symbol = 1;
			error = o.full ? OBJECT_EUNSUPPORTED : put_piece(in, section, to->first, EDIT_FALL, &o, &piece);
			if (error == OBJECT_OK && table)
				return move_entries(in, b, edge->to, piece);
			if (error == OBJECT_OK)
				edit_redirect(&section_of(in, from)->atoms[from->last], piece);
			return error;
		}
		put_jump(&o, edge->to);
	}
	uint32_t place = stub_place(in, section, near);
	if (place == GRAPH_NONE || o.full)
		return OBJECT_EUNSUPPORTED;
	error = put_piece(in, section, place, EDIT_FALL, &o, &piece);
	if (error == OBJECT_OK && table)
		return move_entries(in, b, edge->to, piece);
	if (error == OBJECT_OK)
		edit_redirect(&section_of(in, from)->atoms[from->last], piece);
	return error;
}

static int commit_fall(struct inserter *in, uint32_t b, uint32_t e)
{
	const struct graph *g = in->g;
	const struct graph_edge *edge = &g->edges[e];
	const struct graph_block *from = &g->blocks[b];
	struct edit_section *s = section_of(in, from);
	struct words o = {.in = in};
	bool inside = edge->to != GRAPH_NONE && in->inside[edge->to - in->f->blocks] != 0;
	uint32_t live = edge->to != GRAPH_NONE ? g->blocks[edge->to].live_x : 0xFFFFFFFEu;
	uint32_t at = from->last + 1;
	if (edge->to != GRAPH_NONE)
		at = g->blocks[edge->to].first;
	else
		while (at < s->count && s->atoms[at].kind == EDIT_PAD)
			at++;
	if (needs_code(in, e))
		edge_words(&o, e, live);
	if (inside)
		put_jump(&o, edge->to);
	if (o.count == 0)
		return OBJECT_OK;
	return o.full ? OBJECT_EUNSUPPORTED : put_piece(in, from->section, at, EDIT_FALL, &o, NULL);
}

int inserter_commit(struct inserter *in, const char **reason)
{
	const struct graph *g = in->g;
	const struct graph_function *f = in->f;
	int error = check(in);
	*reason = in->reason;
	if (error != OBJECT_OK)
		return error;
	for (size_t i = 0; i < in->patch_count && error == OBJECT_OK && in->kind == INSERTER_SAVED; i++)
		in->patches[i].atom->replace = in->patches[i].word;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == OBJECT_OK; b++)
		error = commit_block(in, b);
	/* what falls first: a stub that falls in too comes behind it */
	for (int round = 0; round < 2; round++) {
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == OBJECT_OK; b++) {
			const struct graph_block *block = &g->blocks[b];
			for (uint32_t e = block->edges; e < block->edges + block->edge_count && error == OBJECT_OK;
			     e++) {
				const struct graph_edge *edge = &g->edges[e];
				bool inside = edge->to != GRAPH_NONE && in->inside[edge->to - f->blocks] != 0;
				bool fall = edge->kind == GRAPH_FALL || edge->kind == GRAPH_TAIL_FALL;
				if (fall != (round == 0))
					continue;
				if (fall)
					error = commit_fall(in, b, e);
				else if (edge->kind == GRAPH_TAKEN || edge->kind == GRAPH_TAIL_TAKEN ||
					 edge->kind == GRAPH_TABLE) {
					if (needs_code(in, e))
						error = commit_taken(in, b, e);
					else if (inside)
						edit_redirect(&section_of(in, block)->atoms[block->last],
						    in->inside[edge->to - f->blocks] - 1);
				} else {
					if (needs_code(in, e))
						error = commit_before(in, b, e);
					if (error == OBJECT_OK && inside)
						edit_redirect(&section_of(in, block)->atoms[block->last],
						    in->inside[edge->to - f->blocks] - 1);
				}
			}
		}
	}
	/* a frame of f is one of f.cold too */
	for (uint32_t b = f->blocks + 1;
	     b < f->blocks + f->block_count && error == OBJECT_OK && in->kind == INSERTER_SAVED; b++) {
		const struct graph_block *block = &g->blocks[b];
		if (block->section == GRAPH_NONE || block->section == g->blocks[f->blocks].section)
			continue;
		const struct edit_section *s = section_of(in, block);
		if (block->first == 0 || g->block_of[block->section][block->first - 1] <= f->blocks ||
		    g->block_of[block->section][block->first - 1] > f->blocks + f->block_count)
			error = edit_frame(in->e, s->number, s->atoms[block->first].offset, FRAME, in->r,
			    in->e->object->xlen == 64 ? 8 : 4, 0);
	}
	if (in->entries != NULL) {
		in->entries->instructions += in->instructions;
		in->entries->spilled += in->spilled;
	}
	/* half of it is put: the object is lost */
	return error == OBJECT_EUNSUPPORTED ? OBJECT_EFORMAT : error;
}
