/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/run/patches.h"

#define FENCES 16u
#define FENCE_I 0x0000100Fu
#define EBREAK 0x00100073u

extern const uint8_t __text_start[], __code_end[], patches_own_fence[];

static uint32_t fences[FENCES], fence_count;
static bool there;

/* Two halves: the instruction may lie on an odd halfword. Interrupts are off, so nothing fetches between them. */
static void write_half(uint32_t at, uint32_t half)
{
	*(volatile uint16_t *)(uintptr_t)at = (uint16_t)half;
}

static uint32_t read_half(uint32_t at)
{
	return *(volatile uint16_t *)(uintptr_t)at;
}

static void write_word(uint32_t pc, uint32_t word)
{
	write_half(pc, word);
	write_half(pc + 2, word >> 16);
}

static void restore(uint32_t pc, uint32_t before, uint32_t after)
{
	for (unsigned i = 0; i < 2; i++, before >>= 16, after >>= 16)
		if (read_half(pc + 2 * i) == (after & 0xFFFF))
			write_half(pc + 2 * i, before);
}

/* The one that stays. */
__attribute__((noinline)) static void fence_i(void)
{
	__asm__ volatile(".globl patches_own_fence\npatches_own_fence: fence.i" : : : "memory");
}

/* Does an instruction begin at pc? Halfwords before it that look like the first half of an instruction of 4 bytes are
 * passed, back to one that does not: an instruction begins behind that one, and from there on each takes two
 * halfwords. */
static bool begins(uint32_t pc)
{
	uint32_t at = pc;
	while (at > (uint32_t)__text_start && (read_half(at - 2) & 3) == 3)
		at -= 2;
	return (pc - at) % 4 == 0;
}

bool patches_prepare(void)
{
	fence_count = 0;
	there = false;
	for (uint32_t pc = (uint32_t)__text_start; pc + 4 <= (uint32_t)__code_end; pc += 2) {
		/* by words as long as none is found, for the program waits while all its code is read */
		while ((pc & 3) == 0 && pc + 8 <= (uint32_t)__code_end) {
			uint32_t word = *(const volatile uint32_t *)(uintptr_t)pc;
			if ((word & 0xFFFF) == (FENCE_I & 0xFFFF) || word >> 16 == (FENCE_I & 0xFFFF))
				break;
			pc += 4;
		}
		if (read_half(pc) != (FENCE_I & 0xFFFF) || read_half(pc + 2) != FENCE_I >> 16 ||
		    pc == (uint32_t)patches_own_fence || !begins(pc))
			continue;
		if (fence_count == FENCES)
			return false;
		fences[fence_count++] = pc;
	}
	return true;
}

void patches_write(const struct optimise *optimise)
{
	for (uint32_t i = optimise->built_patches; i < optimise->patch_count; i++)
		write_word(optimise->patches[i].pc, optimise->patches[i].after);
	/* one that the program has written over since stays: the program executes another FENCE.I for that */
	for (uint32_t i = 0; i < fence_count; i++)
		if ((read_half(fences[i]) | read_half(fences[i] + 2) << 16) == FENCE_I)
			write_word(fences[i], EBREAK);
	there = true;
	fence_i();
}

bool patches_there(void)
{
	return there;
}

void patches_release(const struct optimise *optimise)
{
	if (!there)
		return;
	for (uint32_t i = 0; i < optimise->patch_count; i++)
		if (optimise->patches[i].until == 0)
			restore(optimise->patches[i].pc, optimise->patches[i].before, optimise->patches[i].after);
	for (uint32_t i = 0; i < fence_count; i++)
		restore(fences[i], FENCE_I, EBREAK);
	there = false;
	fence_i();
}

void patches_withdraw(const struct optimise *optimise)
{
	for (uint32_t i = 0; i < optimise->patch_count; i++)
		if (optimise->patches[i].until == optimise->epoch)
			restore(optimise->patches[i].pc, optimise->patches[i].before, optimise->patches[i].after);
	fence_i();
}

bool patches_leave(const struct optimise *optimise, struct hal_frame *frame)
{
	uint32_t cache = optimise->config.cache, pc;
	if (!there || frame == NULL || frame->pc - cache >= optimise->config.cache_size)
		return true;
	if (!optimise_leave(optimise, (const uint8_t *)(uintptr_t)cache, frame->pc, frame->x, &pc))
		return false;
	frame->pc = pc;
	return true;
}

void patches_hide(const struct optimise *optimise, uint32_t pc, bool hidden)
{
	bool any = false;
	for (uint32_t i = 0; there && i < optimise->patch_count; i++) {
		const struct optimise_patch *p = &optimise->patches[i];
		if (p->until != 0 || p->pc + 4 <= pc || p->pc >= pc + 4)
			continue;
		any = true;
		if (hidden)
			restore(p->pc, p->before, p->after);
		else if ((read_half(p->pc) | read_half(p->pc + 2) << 16) == p->before)
			write_word(p->pc, p->after);
	}
	if (any)
		fence_i();
}

bool patches_fence(uint32_t pc)
{
	for (uint32_t i = 0; there && i < fence_count; i++)
		if (fences[i] == pc)
			return true;
	return false;
}
