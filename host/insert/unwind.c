/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/unwind.h"

#include <stdlib.h>
#include <string.h>
#include "host/insert/unwind_follow.h"
#include "isa/isa.h"

#define CALLEE_SAVED 0x0FFC0304u /* sp, s0 to s11 */

const char *unwind_strerror(int end)
{
	switch (end) {
	case UNWIND_OK:
		return "no error";
	case UNWIND_ENOMEM:
		return "out of memory";
	case UNWIND_END:
		return "the program begins there";
	case UNWIND_EOUTSIDE:
		return "the caller is no code of the program";
	default:
		return "it is not known who called it";
	}
}

/* A word that was sent. Zeros within it were not. */
bool unwind_word(
    const struct image *image, const struct profile_stack *stack, uint64_t address, uint64_t *value, bool *sum)
{
	if (image_xlen(image) == 32)
		address = (uint32_t)address;
	const struct profile_stack_word *w = profile_stack_word(stack, address);
	*sum = w != NULL && w->sum && stack->count > 1;
	*value = w != NULL ? w->value : 0;
	return w != NULL || (stack->word_count > 0 && address > stack->words[0].address &&
				address < stack->words[stack->word_count - 1].address);
}

int unwind_first(const struct image *image, const struct profile_stack *stack, uint64_t slide, struct unwind_frame *f)
{
	*f = (struct unwind_frame){.pc = stack->pc - slide, .known = UINT32_MAX};
	memcpy(f->x, stack->x, sizeof f->x);
	f->sums = stack->count > 1 ? stack->sums : 0;
	return image_whole_function(image, f->pc, &f->address) == NULL ? UNWIND_EOUTSIDE : UNWIND_OK;
}

/* The kernel's frame of a signal, where a handler returns to: pc, x1 to x31 of what was interrupted. */
#define SIGNAL_REGISTERS 304
static bool signal_frame(const struct image *image, const struct profile_stack *stack, uint64_t slide,
    const struct unwind_frame *f, struct unwind_frame *next)
{
	struct unwind_frame to = {.known = UINT32_MAX};
	size_t available;
	for (unsigned i = 0; i < 32; i++) {
		bool sum;
		if (!unwind_word(image, stack, f->cfa + SIGNAL_REGISTERS + i * image_xlen(image) / 8, &to.x[i], &sum))
			return false;
		to.sums |= sum ? 1u << i : 0;
	}
	to.pc = to.x[0] - slide;
	to.x[0] = 0;
	if ((to.sums & 1) != 0 || to.pc % 2 != 0 || image_code(image, to.pc, &available) == NULL || to.x[2] <= f->cfa ||
	    image_whole_function(image, to.pc, &to.address) == NULL)
		return false;
	*next = to;
	return true;
}

struct unwinding {
	const struct image *image;
	const struct profile_stack *stack;
	const struct unwind_frame *frame;
	const struct unwind_state *state;
};

/* A word of the frame that holds what a register held at the entry. */
static bool saved_at_entry(const struct unwinding *u, unsigned reg, uint64_t *value, bool *sum)
{
	const struct unwind_state *s = u->state;
	for (unsigned i = 0; i < s->slot_count; i++) {
		const struct unwind_slot *slot = &s->slots[i];
		if (slot->value.kind != UNWIND_ENTRY || slot->value.of != reg || slot->value.c != 0)
			continue;
		uint64_t address = (uint64_t)slot->at + (slot->base == UNWIND_ENTRY ? u->frame->cfa : 0);
		if (unwind_word(u->image, u->stack, address, value, sum))
			return true;
	}
	return false;
}

/* Of the frame's own function: what a register held at its entry. What was saved stays; the register itself may have
 * been written since, by another way to the place than the one that was followed. */
static bool at_entry(const struct unwinding *u, unsigned reg, uint64_t *value, bool *sum)
{
	const struct unwind_frame *f = u->frame;
	const struct unwind_state *s = u->state;
	*sum = false;
	if (reg != 2 && saved_at_entry(u, reg, value, sum))
		return true;
	for (unsigned i = 1; i < 32; i++) {
		const struct unwind_value *v = &s->r[i];
		if (v->kind != UNWIND_ENTRY || v->of != reg || (f->known >> i & 1) == 0 || (f->sums >> i & 1) != 0)
			continue;
		*value = f->x[i] - (uint64_t)v->c;
		return true;
	}
	if (s->r[reg].kind == UNWIND_ENTRY && s->r[reg].of == reg && s->r[reg].c == 0 && (f->known >> reg & 1) != 0) {
		*value = f->x[reg];
		*sum = (f->sums >> reg & 1) != 0;
		return true;
	}
	return reg == 2 && saved_at_entry(u, reg, value, sum);
}

static bool after_a_call(const struct image *image, uint64_t pc)
{
	struct isa_insn insn;
	for (unsigned length = 2; length <= 4; length += 2) {
		if (image_insn(image, pc - length, 0, &insn) && insn.length == length &&
		    (insn.class_bits & ISA_CALL) != 0)
			return true;
	}
	return false;
}

/* found: the state at the frame's place, of its function. */
static int find_here(const struct image *image, const struct unwind_frame *f, struct unwind_state *s)
{
	bool first = f->known == UINT32_MAX;
	return unwind_follow(image, f->address, f->pc, !first, s);
}

int unwind_next(const struct image *image, const struct profile_stack *stack, uint64_t slide, struct unwind_frame *f,
    struct unwind_frame *next)
{
	uint64_t mask = image_xlen(image) == 32 ? UINT32_MAX : UINT64_MAX;
	struct unwind_state *s = malloc(sizeof *s);
	struct unwind_frame to = {0};
	bool sum;
	int error = s == NULL ? UNWIND_ENOMEM : find_here(image, f, s);
	const struct unwinding u = {image, stack, f, s};
	f->cfa = 0;
	if (error == UNWIND_OK && !at_entry(&u, 2, &f->cfa, &sum))
		error = UNWIND_ELOST;
	f->cfa &= mask;
	for (unsigned i = 1; i < 32 && error == UNWIND_OK; i++) {
		if (((CALLEE_SAVED | 2u) >> i & 1) == 0 || i == 2 || !at_entry(&u, i, &to.x[i], &sum))
			continue;
		to.x[i] &= mask;
		to.known |= 1u << i;
		to.sums |= sum ? 1u << i : 0;
	}
	free(s);
	if (error != UNWIND_OK)
		return error;
	if ((to.known & 2) == 0 || (to.sums & 2) != 0)
		return UNWIND_ELOST;
	if (to.x[1] == 0)
		return UNWIND_END;
	to.x[2] = f->cfa;
	to.known |= 4;
	to.pc = (to.x[1] - slide) & mask;
	to.known &= ~2u;
	size_t available;
	if (image_code(image, to.pc, &available) == NULL && image_code(image, to.pc - 2, &available) == NULL)
		return signal_frame(image, stack, slide, f, next) ? UNWIND_OK : UNWIND_EOUTSIDE;
	if (!after_a_call(image, to.pc))
		return UNWIND_ELOST;
	/* a call that never returns may be the last instruction of its function */
	if (image_whole_function(image, to.pc - 1 - (to.pc & 1), &to.address) == NULL)
		return UNWIND_EOUTSIDE;
	*next = to;
	return UNWIND_OK;
}
