/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * From traces to bytes (TSH step 854). In the cache each trace is followed by the stubs of its exits:
 *
 *   trace   insn insn branch insn ... branch insn ... jump
 *                     │               │
 *   stubs             └► fixes, jump  └ directly to another trace
 *
 * Branches begin in their shortest form and grow until all of them reach.
 */
#include "sw/optimise/private.h"

#define BRANCH_REACH 4096
#define SHORT_REACH 256
#define SHORT_JUMP_REACH 2048

/* Transfers are most of what is written, so they have a short cut past the table (formats J, B, CB of the ISA
 * manual). */
static uint32_t bits(int32_t value, unsigned high, unsigned low, unsigned to)
{
	return ((uint32_t)value >> low & ((2u << (high - low)) - 1)) << to;
}

uint32_t optimise_jump_word(int32_t distance)
{
	return 0x6Fu | bits(distance, 20, 20, 31) | bits(distance, 10, 1, 21) | bits(distance, 11, 11, 20) |
	       bits(distance, 19, 12, 12);
}

static uint32_t branch_word(uint8_t op, uint8_t rs1, uint8_t rs2, int32_t distance)
{
	uint32_t funct3 = op == ISA_BEQ    ? 0
			  : op == ISA_BNE  ? 1
			  : op == ISA_BLT  ? 4
			  : op == ISA_BGE  ? 5
			  : op == ISA_BLTU ? 6
					   : 7;
	return 0x63u | funct3 << 12 | (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20 | bits(distance, 12, 12, 31) |
	       bits(distance, 10, 5, 25) | bits(distance, 4, 1, 8) | bits(distance, 11, 11, 7);
}

static uint32_t short_branch_word(uint8_t op, uint8_t reg, int32_t distance)
{
	return (op == ISA_BEQ ? 0xC001u : 0xE001u) | (uint32_t)(reg - 8) << 7 | bits(distance, 8, 8, 12) |
	       bits(distance, 4, 3, 10) | bits(distance, 7, 6, 5) | bits(distance, 2, 1, 3) | bits(distance, 5, 5, 2);
}

/* Code lies on halfwords; elsewhere than on the core what is given to us may not be the code itself: so bytes. */
static inline uint8_t *put(uint8_t *out, uint32_t word, unsigned length)
{
#ifdef __riscv
	uint16_t *halves = (uint16_t *)(void *)out;
	halves[0] = (uint16_t)word;
	if (length == 4)
		halves[1] = (uint16_t)(word >> 16);
	return out + length;
#endif
	out[0] = (uint8_t)word;
	out[1] = (uint8_t)(word >> 8);
	if (length == 4) {
		out[2] = (uint8_t)(word >> 16);
		out[3] = (uint8_t)(word >> 24);
	}
	return out + length;
}

/* 0: there is no such word. */
static inline uint8_t length_of(uint32_t word)
{
	if (word == 0)
		return 0;
	return (word & 3) == 3 ? 4 : 2;
}

/* One instruction; 0 bytes if it cannot be said. */
static uint8_t *encode(uint8_t *out, uint8_t op, uint8_t rd, uint8_t rs1, uint8_t rs2, int32_t imm, bool narrow)
{
	uint32_t word = optimise_make_word(op, rd, rs1, rs2, imm, narrow);
	return word == 0 ? out : put(out, word, length_of(word));
}

static uint8_t *encode_set(uint8_t *out, uint8_t rd, int32_t value, bool narrow)
{
	int32_t high = (int32_t)(((uint32_t)value + 0x800u) & ~0xFFFu),
		low = (int32_t)((uint32_t)value - (uint32_t)high);
	if (high == 0)
		return encode(out, ISA_ADDI, rd, 0, 0, value, narrow);
	out = encode(out, ISA_LUI, rd, 0, 0, high, narrow);
	return low == 0 ? out : encode(out, ISA_ADDI, rd, rd, 0, low, narrow);
}

static uint8_t *encode_swap(uint8_t *out, uint8_t a, uint8_t b, bool narrow)
{
	out = encode(out, ISA_XOR, a, a, b, 0, narrow);
	out = encode(out, ISA_XOR, b, b, a, 0, narrow);
	return encode(out, ISA_XOR, a, a, b, 0, narrow);
}

#define FIX_MOST 12 /* bytes of one: a swap */
static uint8_t *encode_fix(uint8_t *out, const struct optimise_fix *f, bool narrow)
{
	switch (f->kind) {
	case FIX_SET:
		return encode_set(out, f->reg, f->value, narrow);
	case FIX_COPY:
		return encode(out, ISA_ADD, f->reg, 0, (uint8_t)f->value, 0, narrow);
	case FIX_SWAP:
		return encode_swap(out, f->reg, (uint8_t)f->value, narrow);
	case FIX_WORD:
		return put(out, (uint32_t)f->value, 4);
	default:
		return encode(out, ISA_ADDI, f->reg, f->reg, 0, f->value, narrow);
	}
}

/* What is neither exit nor jump: the same bytes at any address. */
static uint8_t *encode_body(const struct optimise *optimise, uint8_t *out, const struct optimise_insn *insn)
{
	bool narrow = (optimise->config.passes & OPTIMISE_COMPRESS) != 0;
	if (!(insn->flags & OPTIMISE_EDITED))
		return put(out, insn->word, insn->length);
	if (insn->kind == KIND_SET)
		return encode_set(out, insn->rd, insn->imm, narrow);
	return encode(out, insn->op, insn->rd, insn->rs1, insn->rs2, insn->imm, narrow);
}

static bool zero_test(const struct optimise_insn *insn)
{
	uint8_t reg = insn->rs1 | insn->rs2;
	return (insn->op == ISA_BEQ || insn->op == ISA_BNE) && (insn->rs1 == 0 || insn->rs2 == 0) && reg >= 8 &&
	       reg <= 15;
}

static const struct optimise_trace *linked(const struct optimise *optimise, const struct optimise_insn *insn)
{
	return optimise->config.passes & OPTIMISE_LINK && insn->link != 0 ? &optimise->traces[insn->link - 1] : NULL;
}

/* The address that an exit or jump goes to in the end. */
static uint32_t goal(const struct optimise *optimise, const struct optimise_insn *insn)
{
	const struct optimise_trace *trace = linked(optimise, insn);
	return trace != NULL ? optimise_address(optimise, trace) : insn->target;
}

/* Of an exit, kept in imm, which a branch to elsewhere does not need: its fixes, however many, and a jump. */
static int32_t stub_size(const struct optimise *optimise, const struct optimise_insn *insn)
{
	uint8_t bytes[FIX_MOST];
	bool narrow = (optimise->config.passes & OPTIMISE_COMPRESS) != 0;
	int32_t size = 4;
	for (uint16_t fix = insn->fix; fix != 0; fix = optimise->fixes[fix].next)
		size += (int32_t)(encode_fix(bytes, &optimise->fixes[fix], narrow) - bytes);
	return size;
}

/* A short branch that does not reach takes 4 bytes, and then needs no stub if it leads to a trace. */
static void lengthen(const struct optimise *optimise, struct optimise_insn *insn)
{
	insn->flags &= (uint8_t)~OPTIMISE_SHORT;
	insn->size = 4;
	if (linked(optimise, insn) != NULL && insn->fix == 0 && !(insn->flags & OPTIMISE_FAR))
		insn->flags |= OPTIMISE_DIRECT;
}

/* The word of what a pass has changed, once; a value may take two instructions, which are made where they are put. */
static void encode_once(struct optimise_insn *insn, bool narrow)
{
	uint32_t word = 0;
	if (insn->kind != KIND_SET) {
		word = optimise_make_word(insn->op, insn->rd, insn->rs1, insn->rs2, insn->imm, narrow);
	} else if (insn->imm >= -2048 && insn->imm <= 2047) {
		word = optimise_make_word(ISA_ADDI, insn->rd, 0, 0, insn->imm, narrow);
	} else if ((insn->imm & 0xFFF) == 0) {
		word = optimise_make_word(ISA_LUI, insn->rd, 0, 0, insn->imm, narrow);
	} else {
		uint8_t bytes[8];
		insn->size = (uint8_t)(encode_set(bytes, insn->rd, insn->imm, narrow) - bytes);
		return;
	}
	insn->word = word;
	insn->size = insn->length = length_of(word);
	insn->flags &= (uint8_t)~OPTIMISE_EDITED;
}

/* First sizes, before anything has an address. */
static void prepare(struct optimise *optimise, struct optimise_trace *trace)
{
	bool narrow = (optimise->config.passes & OPTIMISE_COMPRESS) != 0;
	uint32_t flow = trace->flow, behind = 0, last_fix = UINT32_MAX;
	int32_t last_size = 0;
	struct optimise_insn *first = &optimise->insns[trace->first], *end = first + trace->count;
	for (struct optimise_insn *insn = first; insn < end; insn++) {
		if (insn->kind == KIND_EXIT) {
			insn->flags &= (uint8_t) ~(OPTIMISE_SHORT | OPTIMISE_DIRECT);
			bool rare = insn->flow < flow / 8, small = narrow && zero_test(insn);
			bool link = linked(optimise, insn) != NULL && insn->fix == 0;
			insn->flags |= small ? OPTIMISE_SHORT : 0;
			insn->flags |= link && !(rare && small) ? OPTIMISE_DIRECT : 0;
			insn->size = small ? 2 : 4;
			if (insn->fix != last_fix) { /* exits one behind the other mostly have one list */
				last_fix = insn->fix;
				last_size = stub_size(optimise, insn);
			}
			insn->imm = last_size;
			flow -= insn->flow < flow ? insn->flow : flow;
		} else if (insn->kind == KIND_JUMP) {
			insn->size = 4;
		} else if (!(insn->flags & OPTIMISE_EDITED)) {
			insn->size = insn->length;
		} else {
			encode_once(insn, narrow);
		}
	}
	/* stubs lie behind the trace: what is too far from its end needs no trial */
	for (struct optimise_insn *insn = end; insn-- > first;) {
		if (insn->kind == KIND_EXIT && insn->flags & OPTIMISE_SHORT && behind > SHORT_REACH + 4)
			lengthen(optimise, insn);
		behind += insn->size;
	}
}

/* Does the branch reach? If not it takes a longer form. */
static bool reaches(struct optimise *optimise, struct optimise_insn *insn)
{
	uint32_t from = optimise->config.cache + 2u * insn->at;
	uint32_t to = insn->flags & OPTIMISE_DIRECT ? goal(optimise, insn) : optimise->config.cache + insn->word;
	int32_t distance = (int32_t)(to - from), reach = insn->flags & OPTIMISE_SHORT ? SHORT_REACH : BRANCH_REACH;
	if (distance >= -reach && distance < reach)
		return true;
	if (insn->flags & OPTIMISE_SHORT) {
		lengthen(optimise, insn);
	} else {
		insn->flags |= insn->flags & OPTIMISE_DIRECT ? OPTIMISE_FAR : OPTIMISE_LOST;
		insn->flags &= (uint8_t)~OPTIMISE_DIRECT;
	}
	return false;
}

/* The order in the cache: behind a trace the one that its last jump goes to, so that the jump vanishes. */
static void order(struct optimise *optimise)
{
	uint16_t *link = &optimise->head;
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++)
		optimise->traces[i].placed = false;
	*link = 0;
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++) {
		struct optimise_trace *trace = &optimise->traces[i];
		while (trace != NULL && !trace->placed) {
			trace->placed = true;
			trace->next = 0;
			*link = (uint16_t)(trace - optimise->traces + 1);
			link = &trace->next;
			const struct optimise_insn *last = &optimise->insns[trace->first + trace->count - 1];
			const struct optimise_trace *next = last->kind == KIND_JUMP ? linked(optimise, last) : NULL;
			trace = next == NULL ? NULL : &optimise->traces[next - optimise->traces];
		}
	}
}

static struct optimise_trace *follower(const struct optimise *optimise, uint16_t number)
{
	return number == 0 ? NULL : &optimise->traces[number - 1];
}

/* Does the trace run into the one behind it? Then its last jump takes no bytes. */
static bool falls(const struct optimise *optimise, const struct optimise_trace *trace)
{
	const struct optimise_insn *last = &optimise->insns[trace->first + trace->count - 1];
	const struct optimise_trace *next = follower(optimise, trace->next);
	return next != NULL && last->kind == KIND_JUMP && linked(optimise, last) == next;
}

static uint32_t place_body(struct optimise *optimise, struct optimise_trace *trace, uint32_t at)
{
	trace->at = (uint16_t)(at / 2);
	struct optimise_insn *insn = &optimise->insns[trace->first], *end = insn + trace->count;
	if (end[-1].kind == KIND_JUMP)
		end[-1].size = falls(optimise, trace) ? 0 : 4;
	for (; insn < end; insn++) {
		insn->at = (uint16_t)(at / 2);
		at += insn->size;
	}
	trace->size = (uint16_t)(at / 2 - trace->at);
	return at;
}

static uint32_t place_stubs(struct optimise *optimise, struct optimise_trace *trace, uint32_t at)
{
	struct optimise_insn *insn = &optimise->insns[trace->first], *end = insn + trace->count;
	for (; insn < end; insn++) {
		if (insn->kind != KIND_EXIT || insn->flags & OPTIMISE_DIRECT)
			continue;
		insn->word = at;
		at += (uint32_t)insn->imm;
	}
	return at;
}

/* Addresses of everything; the number of bytes. Traces that run into each other have their stubs behind the last. */
static uint32_t place(struct optimise *optimise)
{
	uint32_t at = optimise->built_bytes;
	struct optimise_trace *first = NULL;
	for (struct optimise_trace *t = follower(optimise, optimise->head); t != NULL;
	     t = follower(optimise, t->next)) {
		if (first == NULL) {
			first = t;
			if (optimise->config.passes & OPTIMISE_ALIGN)
				at = (at + 3) & ~3u;
		}
		at = place_body(optimise, t, at);
		if (falls(optimise, t))
			continue;
		for (;; first = follower(optimise, first->next)) {
			at = place_stubs(optimise, first, at);
			if (first == t)
				break;
		}
		first = NULL;
		if (at > optimise->config.cache_size || at > 2u * UINT16_MAX - 4096)
			return UINT32_MAX;
	}
	return at;
}

bool optimise_layout(struct optimise *optimise)
{
	bool again = true;
	order(optimise);
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++)
		prepare(optimise, &optimise->traces[i]);
	while (again) {
		again = false;
		optimise->cache_used = place(optimise);
		if (optimise->cache_used == UINT32_MAX) {
			optimise->cache_used = optimise->built_bytes;
			return false;
		}
		struct optimise_insn *insn = &optimise->insns[optimise->built_insns],
				     *end = &optimise->insns[optimise->insn_count];
		for (; insn < end; insn++) {
			if (insn->kind != KIND_EXIT || reaches(optimise, insn))
				continue;
			if ((insn->flags & (OPTIMISE_SHORT | OPTIMISE_DIRECT)) == 0 && insn->flags & OPTIMISE_LOST)
				return false;
			again = true;
		}
	}
	return true;
}

static void emit_jump(
    const struct optimise *optimise, uint8_t *out, const uint8_t *bytes, const struct optimise_insn *insn)
{
	uint32_t from = optimise->config.cache + (uint32_t)(out - bytes);
	put(out, optimise_jump_word((int32_t)(goal(optimise, insn) - from)), 4);
}

static void emit_exit(const struct optimise *optimise, const struct optimise_insn *insn, uint8_t *bytes)
{
	uint32_t from = 2u * insn->at;
	uint32_t to = insn->flags & OPTIMISE_DIRECT ? goal(optimise, insn) - optimise->config.cache : insn->word;
	int32_t distance = (int32_t)(to - from);
	if (insn->flags & OPTIMISE_SHORT)
		put(bytes + from, short_branch_word(insn->op, insn->rs1 | insn->rs2, distance), 2);
	else
		put(bytes + from, branch_word(insn->op, insn->rs1, insn->rs2, distance), 4);
	if (insn->flags & OPTIMISE_DIRECT)
		return;
	uint8_t *out = bytes + to;
	for (uint16_t fix = insn->fix; fix != 0; fix = optimise->fixes[fix].next)
		out = encode_fix(out, &optimise->fixes[fix], (optimise->config.passes & OPTIMISE_COMPRESS) != 0);
	emit_jump(optimise, out, bytes, insn);
}

int optimise_emit(const struct optimise *optimise, uint8_t *bytes)
{
	const struct optimise_insn *insn = optimise->insns, *built = insn + optimise->built_insns,
				   *end = insn + optimise->insn_count;
	for (; insn < built; insn++)
		if (insn->flags & OPTIMISE_AGAIN)
			emit_jump(optimise,
			    bytes + (insn->kind == KIND_EXIT ? insn->word + (uint32_t)insn->imm - 4 : 2u * insn->at),
			    bytes, insn);
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++)
		if (2u * optimise->traces[i].at > optimise->built_bytes)
			put(bytes + 2u * optimise->traces[i].at - 2, 0x0001, 2); /* c.nop where nothing else will be */
	for (insn = built; insn < end; insn++) {
		if (insn->size == 0)
			continue;
		if (insn->kind < KIND_EXIT && !(insn->flags & OPTIMISE_EDITED))
			put(bytes + 2u * insn->at, insn->word, insn->size);
		else if (insn->kind == KIND_EXIT)
			emit_exit(optimise, insn, bytes);
		else if (insn->kind == KIND_JUMP)
			emit_jump(optimise, bytes + 2u * insn->at, bytes, insn);
		else
			encode_body(optimise, bytes + 2u * insn->at, insn);
	}
	return OPTIMISE_OK;
}
