/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The way of a record through the program, from the words of its instructions alone: most instructions of most records
 * are in no trace, and need not be decoded.
 *
 *	length 2   quadrant 1: C.J, C.JAL, C.BEQZ, C.BNEZ   quadrant 2, funct3 4, rs2 0: C.JR, C.JALR, C.EBREAK
 *	length 4   opcodes BRANCH, JAL, JALR, SYSTEM with funct3 0
 *	           all else goes on behind itself
 */
#include "sw/optimise/private.h"

#define WFI 0x10500073u

/* A bit for each kind of instruction that may be more than plain: by quadrant and funct3 (C.JAL, C.J, C.BEQZ, C.BNEZ;
 * C.JR and what has its funct3; the illegal 0), by bits 6..2 of the opcode; of an OP: it may be a division. */
#define SHORT_KINDS (1u << (8 + 1) | 1u << (8 + 5) | 1u << (8 + 6) | 1u << (8 + 7) | 1u << (16 + 4) | 1u << 0)
#define LONG_KINDS (1u << 0x18 | 1u << 0x19 | 1u << 0x1B | 1u << 0x1C)
#define LONG_OP (1u << 0x0C)

static uint32_t near_branch(uint32_t half)
{
	return SIGNED(half << 19, 31, 31, 8) | FIELD(half, 11, 10, 3) | FIELD(half, 6, 5, 6) | FIELD(half, 4, 3, 1) |
	       FIELD(half, 2, 2, 5);
}

static uint32_t near_jump(uint32_t half)
{
	return SIGNED(half << 19, 31, 31, 11) | FIELD(half, 11, 11, 4) | FIELD(half, 10, 9, 8) | FIELD(half, 8, 8, 10) |
	       FIELD(half, 7, 7, 6) | FIELD(half, 6, 6, 7) | FIELD(half, 5, 3, 1) | FIELD(half, 2, 2, 5);
}

static uint32_t branch_offset(uint32_t word)
{
	return SIGNED(word, 31, 31, 12) | FIELD(word, 30, 25, 5) | FIELD(word, 11, 8, 1) | FIELD(word, 7, 7, 11);
}

static uint32_t jump_offset(uint32_t word)
{
	return SIGNED(word, 31, 31, 20) | FIELD(word, 30, 21, 1) | FIELD(word, 20, 20, 11) | FIELD(word, 19, 12, 12);
}

static inline bool is_link(uint32_t reg)
{
	return reg == 1 || reg == 5;
}

/* Where an instruction of 2 bytes goes, if it has a target. */
static inline unsigned short_kind(uint32_t half, uint32_t *target)
{
	uint32_t funct = half >> 13;
	if ((half & 3) == 1) {
		if (funct >= 6) {
			*target += near_branch(half);
			return KIND_EXIT;
		}
		if ((funct & 3) != 1)
			return KIND_PLAIN;
		*target += near_jump(half);
		return funct == 5 ? KIND_JUMP : KIND_CALL;
	}
	if ((half & 3) == 2 && funct == 4 && (half & 0x7C) == 0)
		return (half >> 12 & 1) == 0 && is_link(FIELD(half, 11, 7, 0)) ? KIND_INDIRECT : KIND_STOP;
	return half == 0 ? KIND_STOP : KIND_PLAIN;
}

static inline unsigned long_kind(uint32_t word, uint32_t *target)
{
	uint32_t rd = FIELD(word, 11, 7, 0);
	if ((word & 0x60) != 0x60 || (word & 0x10) != 0) {
		bool stops = (word & 0x7F) == 0x73 && FIELD(word, 14, 12, 0) == 0 && word != WFI;
		return stops ? KIND_STOP : KIND_PLAIN;
	}
	switch (word >> 2 & 3) {
	case 0:
		*target += branch_offset(word);
		return KIND_EXIT;
	case 1:
		return rd == 0 && is_link(FIELD(word, 19, 15, 0)) ? KIND_INDIRECT : KIND_STOP;
	case 3:
		*target += jump_offset(word);
		return rd == 0 ? KIND_JUMP : KIND_CALL;
	default:
		return KIND_PLAIN;
	}
}

/* The word that the program had before a jump into the cache was written there. */
static uint32_t behind(const struct optimise *optimise, uint32_t pc, uint32_t word)
{
	for (uint32_t i = 0; i < optimise->patch_count; i++)
		if (optimise->patches[i].pc == pc && optimise->patches[i].after == word)
			return optimise->patches[i].before;
	return word;
}

/* *patched: there is a patch, the kind is that of the program's own word. */
static inline unsigned kind_at(
    const struct optimise *optimise, uint32_t pc, uint32_t word, uint32_t *target, bool *patched)
{
	*patched = false;
	*target = pc;
	if ((word & 3) != 3)
		return short_kind(word, target);
	unsigned kind = long_kind(word, target);
	if (kind != KIND_JUMP || *target - optimise->config.cache >= optimise->cache_used)
		return kind;
	*target = pc;
	*patched = true;
	return long_kind(behind(optimise, pc, word), target);
}

/* What a walk reads and writes at each instruction, in registers. size 0: the code is in pieces. */
struct view {
	const struct optimise *optimise;
	const uint8_t *bytes;
	uint32_t base, size, longs;
	uint32_t window, bits; /* pc / 64, and what has been seen there since */
};

static inline struct view view_of(const struct optimise *optimise, uint32_t count)
{
	const struct optimise_config *c = &optimise->config;
	bool whole = (c->range_start | c->range_end) == 0 && c->code_count == 1 && c->code->size >= 4;
	return (struct view){.optimise = optimise,
	    .bytes = whole ? c->code->bytes : NULL,
	    .base = whole ? c->code->base : 0,
	    .size = whole ? c->code->size - 3 : 0,
	    .longs = count != 0 ? LONG_KINDS | LONG_OP : LONG_KINDS};
}

static inline void see(struct view *view, uint32_t pc)
{
	if (pc >> 6 != view->window) {
		*optimise_seen_word(view->optimise, view->window << 6) |= view->bits;
		view->window = pc >> 6;
		view->bits = 0;
	}
	view->bits |= 1u << (pc >> 1 & 31);
}

/* Does the word tell nothing, and go on behind itself? Most do. */
static inline bool goes_on(const struct view *view, uint32_t word)
{
	return (word & 3) == 3 ? (view->longs >> (word >> 2 & 31) & 1) == 0
			       : (SHORT_KINDS >> ((word & 3) << 3 | word >> 13) & 1) == 0;
}

static inline uint32_t word_at(const struct view *view, uint32_t pc, bool *ok)
{
	uint32_t offset = pc - view->base;
	*ok = true;
	return offset < view->size ? optimise_bytes(view->bytes + offset) : optimise_far_word(view->optimise, pc, ok);
}

static inline unsigned walk(
    struct view *view, uint32_t pc, uint32_t hist, uint32_t branches[OPTIMISE_OUTCOMES], uint32_t count)
{
	const struct optimise *optimise = view->optimise;
	unsigned divisions = 0;
	uint32_t calls[OPTIMISE_CALLS], left = hist == 1 ? 0 : 31 - (unsigned)__builtin_clz(hist), depth = 0;
	bool ok, patched;
	for (unsigned n = 0; n < OPTIMISE_WALK_MAX; n++) {
		uint32_t word = word_at(view, pc, &ok), target, next = pc + ((word & 3) == 3 ? 4 : 2);
		if (!ok)
			return left == 0 && n > 0 ? 1 + divisions : 0;
		see(view, pc);
		if (goes_on(view, word)) {
			pc = next;
			continue;
		}
		unsigned kind = kind_at(optimise, pc, word, &target, &patched);
		if (patched && count != 0) { /* what is left of its history are outcomes of the cache's branches */
			branches[0] = OPTIMISE_NOWHERE;
			branches[1] = pc;
			return 1 + divisions;
		}
		switch (kind) {
		case KIND_EXIT:
			if (left == 0)
				return 1 + divisions;
			if (branches != NULL)
				*branches++ = pc;
			pc = hist >> --left & 1 ? target : next;
			if (branches != NULL && left == 0)
				return 1 + divisions;
			break;
		case KIND_CALL:
			calls[depth++ % OPTIMISE_CALLS] = next;
			pc = target;
			break;
		case KIND_JUMP:
			pc = target;
			break;
		case KIND_INDIRECT:
			if (depth == 0)
				return left == 0 ? 1 + divisions : 0;
			pc = calls[--depth % OPTIMISE_CALLS];
			break;
		case KIND_STOP:
			return left == 0 ? 1 + divisions : 0;
		default:
			if (optimise_division_word(word) && count != 0) {
				optimise_divisor_met(optimise, pc, count);
				divisions++;
			}
			pc = next;
		}
	}
	return 0;
}

unsigned optimise_walk(
    const struct optimise *optimise, uint32_t pc, uint32_t hist, uint32_t branches[OPTIMISE_OUTCOMES], uint32_t count)
{
	struct view view = view_of(optimise, count);
	view.window = pc >> 6;
	unsigned found = walk(&view, pc, hist, branches, count);
	*optimise_seen_word(optimise, view.window << 6) |= view.bits;
	return found;
}
