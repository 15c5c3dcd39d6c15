/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/run/patches.h"

#define FENCES 16u
#define FENCE_I 0x0000100Fu
#define EBREAK 0x00100073u
/* Of custom-0, so illegal: unlike an EBREAK, a word that no program writes over its division. */
#define QUESTION 0x5256100Bu

extern const uint8_t __text_start[], __code_end[], patches_own_fence[];

static uint32_t fences[FENCES], fence_count;
static bool there, watched; /* patches; EBREAKs in the place of the FENCE.I's */

/* Questions: QUESTION in the place of divisions. One that the program comes to gives way to its division, until it is
 * asked again. */
#define QUESTIONS 32u
#define TIMES 3u /* that a division is asked for */
static struct optimise_divisor *asked;
static uint32_t asked_word[QUESTIONS];   /* 0: nothing is asked there */
static uint32_t asked_count, asked_open; /* questions, and those that are not yet answered */
static uint32_t asked_now;               /* a bit for each question whose QUESTION is there, or hidden */
static unsigned asked_often;

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

static uint32_t read_word(uint32_t pc)
{
	return read_half(pc) | read_half(pc + 2) << 16;
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

/* The first word from pc on in which a FENCE.I can begin, or where fewer than four are left. The program waits while
 * all its code is read: five cycles a word. */
static uint32_t next_fence(uint32_t pc)
{
	const uint32_t *word = (const uint32_t *)(uintptr_t)pc, *end = (const uint32_t *)(const void *)__code_end;
	for (; end - word > 4; word += 4) {
		uint32_t a = word[0], b = word[1], c = word[2], d = word[3];
		if (a == FENCE_I || b == FENCE_I || c == FENCE_I || d == FENCE_I || a >> 16 == (FENCE_I & 0xFFFF) ||
		    b >> 16 == (FENCE_I & 0xFFFF) || c >> 16 == (FENCE_I & 0xFFFF) || d >> 16 == (FENCE_I & 0xFFFF))
			break;
	}
	return (uint32_t)word;
}

bool patches_prepare(void)
{
	fence_count = 0;
	there = watched = false;
	uint32_t looked = (uint32_t)__text_start;
	for (uint32_t pc = (uint32_t)__text_start; pc + 4 <= (uint32_t)__code_end; pc += 2) {
		if (pc == looked) {
			pc = next_fence(pc);
			looked = pc + 16;
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

static void watch_fences(void)
{
	/* one that the program has written over since stays: the program executes another FENCE.I for that */
	for (uint32_t i = 0; i < fence_count; i++) {
		if (read_word(fences[i]) == FENCE_I)
			write_word(fences[i], EBREAK);
	}
	watched = true;
}

static void watch_no_more(void)
{
	for (uint32_t i = 0; i < fence_count; i++)
		restore(fences[i], FENCE_I, EBREAK);
	watched = false;
}

void patches_write(const struct optimise *optimise)
{
	for (uint32_t i = optimise->built_patches; i < optimise->patch_count; i++)
		write_word(optimise->patches[i].pc, optimise->patches[i].after);
	watch_fences();
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
	watch_no_more();
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
		else if (read_word(p->pc) == p->before)
			write_word(p->pc, p->after);
	}
	if (any)
		fence_i();
}

/* Is more to be seen of the divisor of question i? */
static bool is_open(uint32_t i)
{
	return asked[i].seen < asked_often;
}

unsigned patches_ask(struct optimise_divisor *divisors, unsigned count, uint32_t least, unsigned often)
{
	unsigned there_are = 0;
	asked_now = 0;
	asked = divisors;
	asked_often = often;
	asked_count = count < QUESTIONS ? count : QUESTIONS;
	for (uint32_t i = 0; i < asked_count; i++) {
		struct optimise_divisor *d = &divisors[i];
		uint32_t word = d->pc == 0 ? 0 : read_word(d->pc);
		bool wanted = d->asked < TIMES && d->flow >= least && optimise_division_word(word) &&
			      optimise_divisor_open(d, often);
		asked_word[i] = wanted ? word : 0;
		d->asked = (uint8_t)(d->asked + wanted);
		there_are += wanted;
	}
	asked_open = there_are;
	if (there_are != 0)
		watch_fences();
	patches_ask_again();
	return there_are;
}

static void end_question(uint32_t i)
{
	asked_now &= ~(1u << i);
	asked_word[i] = 0;
	asked_open--;
}

/* Where the program has written over its division there is nothing to ask any more. */
static void put_question(uint32_t i)
{
	if (read_word(asked[i].pc) != asked_word[i]) {
		end_question(i);
		return;
	}
	write_word(asked[i].pc, QUESTION);
	asked_now |= 1u << i;
}

void patches_ask_again(void)
{
	for (uint32_t i = 0; i < asked_count; i++) {
		if (asked_word[i] != 0 && (asked_now >> i & 1) == 0)
			put_question(i);
	}
	fence_i();
}

unsigned patches_asking(void)
{
	return asked_open;
}

bool patches_answer(uint32_t pc, const uint32_t x[32])
{
	for (uint32_t i = 0; i < asked_count; i++) {
		if (asked[i].pc != pc || (asked_now >> i & 1) == 0 || read_word(pc) != QUESTION)
			continue;
		optimise_divisor_seen(&asked[i], x[asked_word[i] >> 20 & 31]);
		restore(pc, asked_word[i], QUESTION);
		asked_now &= ~(1u << i);
		if (!is_open(i))
			end_question(i);
		fence_i();
		return true;
	}
	return false;
}

void patches_ask_hidden(bool hidden)
{
	if (asked_now == 0)
		return;
	for (uint32_t i = 0; i < asked_count; i++) {
		if ((asked_now >> i & 1) == 0)
			continue;
		if (hidden)
			restore(asked[i].pc, asked_word[i], QUESTION);
		else
			put_question(i);
	}
	fence_i();
}

void patches_ask_no_more(void)
{
	patches_ask_hidden(true);
	asked_count = asked_open = asked_now = 0;
	if (watched && !there) {
		watch_no_more();
		fence_i();
	}
}

bool patches_fence(uint32_t pc)
{
	for (uint32_t i = 0; watched && i < fence_count; i++)
		if (fences[i] == pc)
			return true;
	return false;
}
