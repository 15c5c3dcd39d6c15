/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What longjmp() leaves: registers and stack from there to where setjmp() was called. Link with -Wl,--wrap=longjmp,
 * --wrap=_longjmp,--wrap=siglongjmp,--wrap=__longjmp_chk and -Wl,-u,longjmp (and so on): it is for programs that have it.
 * thrown.c keeps here what exceptions leave.
 *
 * Memory is bounded: stacks with the same calls are one. Of its words those that say which calls there are stay as they
 * are and are the key: addresses of code, of counters (the path registers), of the stack. All others, such as turns of
 * loops, are added up. What finds no room is counted as lost, and every report says so.
 */
#include "sw/probe/left.h"
#include "sw/probe/registers.h"

#ifndef RIVULET_PROBE_LEFT
#ifdef __linux__
#define RIVULET_PROBE_LEFT 2048
#define RIVULET_PROBE_LEFT_WORDS 262144
#else
#define RIVULET_PROBE_LEFT 12
#define RIVULET_PROBE_LEFT_WORDS 1024
#endif
#endif
#define KEPT 0x0FFC0306u /* ra, sp, s0 to s11 */
/* Words above the stack pointer of the function where an exception lands: its path register may be in one of them. */
#define LANDING_WORDS 128
#define JMP_BUF_SP 13 /* ra, s0 to s11, sp: glibc, newlib, picolibc */

static struct rivulet_probe_stack stacks[RIVULET_PROBE_LEFT];
static uint32_t hashes[RIVULET_PROBE_LEFT];
static uintptr_t words[RIVULET_PROBE_LEFT_WORDS];
static uint8_t sums[RIVULET_PROBE_LEFT_WORDS];
static unsigned count, used;
uint32_t rivulet_probe_left_lost;

extern char _start[] __attribute__((weak)), __executable_start[] __attribute__((weak)),
    __text_start[] __attribute__((weak)), etext[] __attribute__((weak)), __text_end[] __attribute__((weak));

struct window { /* what stays as it is */
	uintptr_t sp, top, code, code_end;
};

static struct window window_of(uintptr_t sp)
{
	struct window w = {.sp = sp, .top = rivulet_probe_stack_top(sp)};
	w.code = (uintptr_t)(__executable_start != NULL ? __executable_start
			     : __text_start != NULL     ? __text_start
							: _start);
	w.code_end = (uintptr_t)(etext != NULL ? etext : __text_end);
	return w;
}

/* Whether it is an address behind a call. */
static int is_return(const struct window *w, uintptr_t value)
{
	if (value % 2 != 0 || value < w->code + 4 || value > w->code_end)
		return 0;
	const uint16_t *at = (const uint16_t *)value;
	uint16_t one = at[-1], two = at[-2];
	return (two & 0xFFFu) == 0x0EFu || (two & 0xFFFu) == 0x0E7u || /* jal ra, jalr ra */
	       ((one & 0xF07Fu) == 0x9002u && (one & 0xF80u) != 0)     /* c.jalr */
#if __riscv_xlen == 32
	       || (one & 0xE003u) == 0x2001u /* c.jal */
#endif
	    ;
}

static int kept(const struct window *w, uintptr_t value)
{
	return is_return(w, value) || value - w->sp <= w->top - w->sp ||
	       (value >= rivulet_probe_root.low && value < rivulet_probe_root.high);
}

static uint32_t mix(uint32_t hash, uintptr_t value)
{
	hash = (hash << 5 | hash >> 27) ^ (uint32_t)value;
	return sizeof value == 8 ? hash + (uint32_t)((uint64_t)value >> 32) : hash;
}

/* Whether it has the same calls as the stack of these registers and words. */
static int same(const struct rivulet_probe_stack *s, const struct window *w, const struct rivulet_probe_stack *new,
    const volatile uintptr_t *at)
{
	const uintptr_t *x = new->x;
	const size_t number = new->word_count;
	if (s->kind != new->kind || s->pc != new->pc || s->back_pc != new->back_pc || s->back_sp != new->back_sp ||
	    s->word_count != number || s->x[2] != x[2])
		return 0;
	for (unsigned i = 1; i < 32; i++) {
		int keeps = kept(w, x[i]);
		if (keeps == (int)(s->sums >> i & 1) || (keeps && s->x[i] != x[i]))
			return 0;
	}
	for (size_t i = 0; i < number; i++) {
		int keeps = kept(w, at[i]);
		if (keeps == s->sum[i] || (keeps && s->words[i] != at[i]))
			return 0;
	}
	return 1;
}

static void add(struct rivulet_probe_stack *s, const uintptr_t *x, const volatile uintptr_t *at)
{
	uintptr_t *own = words + (s->words - words);
	s->count++;
	for (unsigned i = 1; i < 32; i++)
		s->x[i] = (s->sums >> i & 1) != 0 ? s->x[i] + x[i] : x[i];
	for (size_t i = 0; i < s->word_count; i++)
		own[i] = s->sum[i] ? own[i] + at[i] : at[i];
}

/* The words from the stack pointer on that say what was left; all ones: too many. */
static size_t words_of(const struct rivulet_probe_stack *left, const struct window *w)
{
	uintptr_t end = left->back_sp, most = LANDING_WORDS * sizeof end;
	if (end < left->x[2])
		return SIZE_MAX;
	if (left->kind == RIVULET_PROBE_THROWN && w->top > end)
		end += w->top - end < most ? w->top - end : most;
	return (end - left->x[2]) / sizeof end;
}

static uint32_t hash_of(const struct rivulet_probe_stack *left, const struct window *w, const volatile uintptr_t *at)
{
	uint32_t hash = mix(mix(0, left->back_pc + left->pc), left->back_sp);
	for (unsigned i = 1; i < 32; i++)
		hash = mix(hash, kept(w, left->x[i]) ? left->x[i] : 1);
	for (size_t i = 0; i < left->word_count; i++)
		hash = mix(hash, kept(w, at[i]) ? at[i] : 1);
	return hash;
}

static void leave(struct rivulet_probe_stack *left)
{
	const uintptr_t *x = left->x;
	const volatile uintptr_t *at = (const volatile uintptr_t *)x[2];
	const struct window w = window_of(x[2]);
	const size_t number = words_of(left, &w);
	if (number > RIVULET_PROBE_LEFT_WORDS) {
		rivulet_probe_left_lost++;
		return;
	}
	left->word_count = number;
	const uint32_t hash = hash_of(left, &w, at);
	for (unsigned i = 0; i < count; i++) {
		if (hashes[i] == hash && same(&stacks[i], &w, left, at)) {
			add(&stacks[i], x, at);
			return;
		}
	}
	if (count == RIVULET_PROBE_LEFT || number > RIVULET_PROBE_LEFT_WORDS - used) {
		rivulet_probe_left_lost++;
		return;
	}
	struct rivulet_probe_stack *s = &stacks[count];
	s->kind = left->kind;
	s->pc = left->pc;
	s->back_pc = left->back_pc;
	s->back_sp = left->back_sp;
	s->words = words + used;
	s->sum = sums + used;
	s->word_count = number;
	for (unsigned i = 1; i < 32; i++)
		s->sums |= kept(&w, x[i]) ? 0 : 1u << i;
	for (size_t i = 0; i < number; i++)
		sums[used + i] = (uint8_t)!kept(&w, at[i]);
	add(s, x, at);
	used += (unsigned)number;
	hashes[count++] = hash;
}

const struct rivulet_probe_stack *rivulet_probe_left(unsigned index)
{
	return index < count ? &stacks[index] : NULL;
}

void rivulet_probe_left_clear(void)
{
	for (unsigned i = 0; i < count; i++) {
		volatile uintptr_t *own = words + (stacks[i].words - words);
		for (size_t k = 0; k < stacks[i].word_count; k++)
			own[k] = 0;
		stacks[i].count = stacks[i].sums = 0;
		for (unsigned k = 0; k < 32; k++)
			((volatile uintptr_t *)stacks[i].x)[k] = 0;
	}
	count = used = rivulet_probe_left_lost = 0;
}

#ifdef __linux__
#define TRIES 1000000
static char busy;
/* Not for ever: a signal in the midst of it is the same thread. */
static int take(void)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if (!__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
			return 1;
	}
	return 0;
}
#define GIVE __atomic_clear(&busy, __ATOMIC_RELEASE)
#else
static int take(void)
{
	return 1;
}
#define GIVE (void)0
#endif

void rivulet_probe_lose(void)
{
#ifdef __linux__
	__atomic_fetch_add(&rivulet_probe_left_lost, 1, __ATOMIC_RELAXED);
#else
	rivulet_probe_left_lost++;
#endif
}

static struct rivulet_probe_stack leaving; /* not on the stack: that is kept */
static uintptr_t registers[32];

static void leave_from(
    enum rivulet_probe_left_kind kind, const uintptr_t *x, uintptr_t pc, uintptr_t back_pc, uintptr_t back_sp)
{
	leaving.kind = kind;
	leaving.pc = pc;
	leaving.back_pc = back_pc;
	leaving.back_sp = back_sp;
	for (unsigned i = 1; i < 32; i++) /* but what says nothing of callers */
		((volatile uintptr_t *)leaving.x)[i] = (KEPT >> i & 1) != 0 ? x[i] : 0;
	leave(&leaving);
}

void rivulet_probe_leave(
    enum rivulet_probe_left_kind kind, const uintptr_t *x, uintptr_t pc, uintptr_t back_pc, uintptr_t back_sp)
{
	if (!take()) {
		rivulet_probe_lose();
		return;
	}
	leave_from(kind, x, pc, back_pc, back_sp);
	GIVE;
}

#define WRAP(name)                                                                                                     \
	_Noreturn void __real_##name(void *to, int value) __attribute__((weak));                                       \
	_Noreturn void __wrap_##name(void *to, int value);                                                             \
	_Noreturn void __wrap_##name(void *to, int value)                                                              \
	{                                                                                                              \
		const uintptr_t *buffer = to;                                                                          \
		if (!take())                                                                                           \
			rivulet_probe_lose();                                                                          \
		else {                                                                                                 \
			uintptr_t pc = rivulet_probe_registers(registers);                                             \
			leave_from(RIVULET_PROBE_LEFT_BY_JUMP, registers, pc, buffer[0], buffer[JMP_BUF_SP]);          \
			GIVE;                                                                                          \
		}                                                                                                      \
		__real_##name(to, value);                                                                              \
	}
WRAP(longjmp)
WRAP(_longjmp)
WRAP(siglongjmp)
WRAP(__longjmp_chk)
