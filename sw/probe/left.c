/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What longjmp() leaves: registers and stack from there to where setjmp() was called. Link with -Wl,--wrap=longjmp,
 * --wrap=_longjmp,--wrap=siglongjmp,--wrap=__longjmp_chk and -Wl,-u,longjmp (and so on): it is for programs that have
 * it. thrown.c keeps here what exceptions leave.
 *
 * Stacks with the same calls are one. Of its words those that say which calls there are stay as they are and are the
 * key: addresses of code, of counters (the path registers), of the stack, numbers in tables. All others, such as turns
 * of loops, are added up. Memory is bounded by RIVULET_PROBE_LEFT bytes; Linux gives them in pieces of PIECE, as they
 * are needed. What finds no room is counted as lost, and every report says so.
 */
#include "sw/probe/left.h"
#include "common/joined.h"
#include "sw/probe/registers.h"

#ifdef __linux__
#include "sw/probe/linux.h"
#endif

#ifndef RIVULET_PROBE_LEFT
#ifdef __linux__
#define RIVULET_PROBE_LEFT 268435456
#else
#define RIVULET_PROBE_LEFT 7168
#endif
#endif
#ifdef __linux__
#define NUMBERED 16777216
#define BUCKETS 4096
#define PIECE (RIVULET_PROBE_LEFT < 1048576 ? RIVULET_PROBE_LEFT : 1048576)
#else
#define NUMBERED (RIVULET_PROBE_LEFT / 2)
#define BUCKETS 4
#endif
#define NUMBERS_64 0x60000000u /* from -JOINED_SLACK_64 to 2^30 */
#define KEPT 0x0FFC0306u       /* ra, sp, s0 to s11 */
/* Words above the stack pointer of the function where an exception lands: its path register may be in one of them. */
#define LANDING_WORDS 128
#define JMP_BUF_SP 13 /* ra, s0 to s11, sp: glibc, newlib, picolibc */

struct left {
	struct rivulet_probe_stack stack;
	struct left *next, *next_in_bucket;
	uint32_t hash;
	uintptr_t words[]; /* the stack's words, and behind them a byte for each: whether it is a sum */
};
static struct left *first, **last = &first, *buckets[BUCKETS];
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

/* Whether a path register of a function that counts in a hash table may have it (common/joined.h). RV32 has no bits to
 * tell. What only looks like one makes many stacks of one, so this ends where they take too much room. */
static size_t taken;
static int is_number(uintptr_t value)
{
#if UINTPTR_MAX > UINT32_MAX
	const uint64_t number = value - (uint64_t)(JOINED_BASE_64 - JOINED_SLACK_64);
	const int64_t context = (int64_t)(number - (uint32_t)number) / (INT64_C(1) << JOINED_SHIFT_64);
	return rivulet_probe_root.pool != NULL && taken <= NUMBERED && (uint32_t)number < NUMBERS_64 && context <= 0 &&
	       context >= -1 - (int64_t)rivulet_probe_root.buckets;
#else
	(void)value;
	return 0;
#endif
}

/* Whether a path register may have it. */
static int is_path(uintptr_t value)
{
	return (value >= rivulet_probe_root.low && value < rivulet_probe_root.high) || is_number(value);
}

static int kept(const struct window *w, uintptr_t value)
{
	return is_return(w, value) || value - w->sp <= w->top - w->sp || is_path(value);
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

static void add(struct left *to, const uintptr_t *x, const volatile uintptr_t *at)
{
	struct rivulet_probe_stack *s = &to->stack;
	volatile uintptr_t *own = to->words;
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

/* Memory for good, all zeros; NULL: there is no more. */
#ifdef __linux__
static void *room(size_t bytes)
{
	static char *at;
	static size_t left;
	if (left < bytes) {
		const size_t piece = bytes > PIECE ? bytes : PIECE;
		char *more = piece > RIVULET_PROBE_LEFT - taken ? NULL : rivulet_probe_map(piece);
		if (more == NULL)
			return NULL;
		taken += piece;
		at = more;
		left = piece;
	}
	at += bytes;
	left -= bytes;
	return at - bytes;
}
#else
static uintptr_t memory[RIVULET_PROBE_LEFT / sizeof(uintptr_t)];
static void *room(size_t bytes)
{
	if (bytes > sizeof memory - taken)
		return NULL;
	taken += bytes;
	return (char *)memory + taken - bytes;
}
#endif

static struct left *new_stack(
    const struct rivulet_probe_stack *left, const struct window *w, uint32_t hash, const volatile uintptr_t *at)
{
	const size_t number = left->word_count, word = sizeof(uintptr_t);
	const size_t bytes = sizeof(struct left) + number * word + (number + word - 1) / word * word;
	struct left *new = number < RIVULET_PROBE_LEFT / word ? room(bytes) : NULL;
	if (new == NULL)
		return NULL;
	struct rivulet_probe_stack *s = &new->stack;
	volatile uint8_t *sums = (uint8_t *)(new->words + number);
	s->kind = left->kind;
	s->pc = left->pc;
	s->back_pc = left->back_pc;
	s->back_sp = left->back_sp;
	s->words = new->words;
	s->sum = sums;
	s->word_count = number;
	for (unsigned i = 1; i < 32; i++)
		s->sums |= kept(w, left->x[i]) ? 0 : 1u << i;
	for (size_t i = 0; i < number; i++)
		sums[i] = (uint8_t)!kept(w, at[i]);
	new->hash = hash;
	new->next_in_bucket = buckets[hash % BUCKETS];
	buckets[hash % BUCKETS] = new;
	*last = new;
	last = &new->next;
	return new;
}

static void leave(struct rivulet_probe_stack *left)
{
	const uintptr_t *x = left->x;
	const volatile uintptr_t *at = (const volatile uintptr_t *)x[2];
	const struct window w = window_of(x[2]);
	left->word_count = words_of(left, &w);
	if (left->word_count >= RIVULET_PROBE_LEFT) {
		rivulet_probe_left_lost++;
		return;
	}
	const uint32_t hash = hash_of(left, &w, at);
	struct left *s = buckets[hash % BUCKETS];
	while (s != NULL && (s->hash != hash || !same(&s->stack, &w, left, at)))
		s = s->next_in_bucket;
	if (s == NULL)
		s = new_stack(left, &w, hash, at);
	if (s != NULL)
		add(s, x, at);
	else
		rivulet_probe_left_lost++;
}

const struct rivulet_probe_stack *rivulet_probe_left(unsigned index)
{
	static const struct left *at; /* they are asked for in their order */
	at = index == 0 || at == NULL ? first : at->next;
	return at != NULL ? &at->stack : NULL;
}

void rivulet_probe_left_clear(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		((struct left *volatile *)buckets)[i] = NULL;
#ifndef __linux__
	for (size_t i = 0; i < taken / sizeof *memory; i++)
		((volatile uintptr_t *)memory)[i] = 0;
	taken = 0;
#endif
	first = NULL;
	last = &first;
	rivulet_probe_left_lost = 0;
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

/* What longjmp() puts back into s0, s1 ... says what the path had run through that goes on: it takes the places of
 * registers that say nothing of callers. */
static void put_back(const uintptr_t *saved)
{
#ifndef __riscv_e
	static const uint8_t places[] = RIVULET_PROBE_PUT_BACK;
	for (unsigned i = 0; i < sizeof places; i++)
		((volatile uintptr_t *)leaving.x)[places[i]] = is_path(saved[i]) ? saved[i] : 0;
#else
	(void)saved;
#endif
}

/* saved: s0, s1 ... as they are where it goes on; NULL: not known. */
static void leave_from(enum rivulet_probe_left_kind kind, const uintptr_t *x, uintptr_t pc, uintptr_t back_pc,
    uintptr_t back_sp, const uintptr_t *saved)
{
	leaving.kind = kind;
	leaving.pc = pc;
	leaving.back_pc = back_pc;
	leaving.back_sp = back_sp;
	for (unsigned i = 1; i < 32; i++) /* but what says nothing of callers */
		((volatile uintptr_t *)leaving.x)[i] = (KEPT >> i & 1) != 0 ? x[i] : 0;
	if (saved != NULL)
		put_back(saved);
	leave(&leaving);
}

void rivulet_probe_leave(
    enum rivulet_probe_left_kind kind, const uintptr_t *x, uintptr_t pc, uintptr_t back_pc, uintptr_t back_sp)
{
	if (!take()) {
		rivulet_probe_lose();
		return;
	}
	leave_from(kind, x, pc, back_pc, back_sp, NULL);
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
			leave_from(                                                                                    \
			    RIVULET_PROBE_LEFT_BY_JUMP, registers, pc, buffer[0], buffer[JMP_BUF_SP], buffer + 1);     \
			GIVE;                                                                                          \
		}                                                                                                      \
		__real_##name(to, value);                                                                              \
	}
WRAP(longjmp)
WRAP(_longjmp)
WRAP(siglongjmp)
WRAP(__longjmp_chk)
