/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A process that makes itself optimised, and then does what it should not: each round is one attempt. In the first slot
 * it turns against its own patches and its own code cache, in others against the cache of the process in the slot
 * before. tests/kernel/optimise compares what it prints, and how its rounds end, with the kernel without optimiser.
 */
#include "sw/kernel/user/sys.h"
#include "sw/run/app.h"

#define SLOT 0x20000u
#define FIRST 0x80040000u
#define WORDS 64
#define LOOPS 8
#define LOOP_BYTES 44
#define DENSE 12 /* rounds that jump into the cache */

extern uint8_t __text_start[], __code_cache[], __code_end[], __memory_end[], hot_sum_end[];
extern uint32_t hot_words[WORDS];
uint32_t hot_sum(int words, const volatile uint32_t *where, uint32_t sum);
extern const uint8_t hot_sums[]; /* LOOPS copies of hot_sum() */
uint32_t hot_overlap(int rounds, uint32_t behind);
void hot_jump(uint32_t address);

static void print(const char *what, uint32_t value)
{
	user_print("hostile: ");
	user_print(what);
	user_print(" ");
	user_print_hex(value);
	user_print("\n");
}

typedef uint32_t (*sum_of)(int words, const volatile uint32_t *where, uint32_t sum);

static uint32_t heat_for(sum_of loop, int rounds)
{
	uint32_t sum = 0;
	for (int i = 0; i < WORDS; i++)
		hot_words[i] = (uint32_t)i * 2654435761u >> 7;
	for (int i = 0; i < rounds; i++)
		sum = loop(WORDS, hot_words, sum);
	return sum;
}

/* Long enough to be patched. */
static uint32_t heat(void)
{
	return heat_for(hot_sum, 150);
}

/* Another loop each time, so that there is always one that can be patched. */
static void heat_next(int turn)
{
	heat();
	heat_for((sum_of)(uintptr_t)(hot_sums + turn % LOOPS * LOOP_BYTES), 150 + 25 * turn);
}

static uint32_t check_sum(const uint8_t *from, const uint8_t *to)
{
	uint32_t hash = APP_HASH_START;
	for (; from < to; from += 4)
		hash = app_hash(hash, *(const volatile uint32_t *)(const void *)from);
	return hash;
}

static int against_itself(uint32_t attempt)
{
	volatile uint32_t *code = (volatile uint32_t *)(uintptr_t)&hot_sum;
	print("round", attempt);
	switch (attempt) {
	case 0: { /* reads its code; at any one of them it may just not be patched */
		uint32_t before = check_sum(__text_start, __code_cache);
		for (int i = 0; i < LOOPS; i++) {
			heat_next(i);
			print(
			    check_sum(__text_start, __code_cache) == before ? "same" : "BREACH: code as data", before);
		}
		print("sum", heat());
		return 0;
	}
	case 1: /* has the kernel read it; at any one of them it may just not be patched */
		for (int i = 0; i < LOOPS; i++) {
			heat_next(i);
			sys_write((const void *)(uintptr_t)&hot_sum,
			    (uint32_t)(hot_sum_end - (uint8_t *)(uintptr_t)&hot_sum));
		}
		print("sum", heat());
		return 0;
	case 2: /* writes its code */
		heat();
		code[0] = 0x00008067;
		print("BREACH: wrote code", 0);
		return 1;
	case 3: /* writes its cache */
		heat();
		*(volatile uint32_t *)__code_cache = 0x00008067;
		print("BREACH: wrote cache", 0);
		return 1;
	case 4: /* and a byte of it */
		heat();
		*(volatile uint8_t *)((uintptr_t)__code_end - 1) = 0;
		print("BREACH: wrote cache", 1);
		return 1;
	case 5: /* faults in a patched loop */
		heat();
		hot_sum(1000, (const volatile uint32_t *)((uintptr_t)__memory_end - 64), 0);
		return 1;
	case 6:
		heat();
		hot_sum(8, (const volatile uint32_t *)((uintptr_t)hot_words + 2), 0);
		return 1;
	case 7: /* profile on and off */
		for (int i = 0; i < 20; i++) {
			print("sum", heat());
			sys_profile(0);
			if (i % 3 == 0)
				sys_yield();
			sys_profile(1);
		}
		return 0;
	case 8: /* what lies in the cache is gone when it is not optimised */
		heat();
		sys_profile(0);
		for (uint32_t *word = (uint32_t *)(void *)__code_cache; word < (uint32_t *)(void *)__code_end; word++)
			if (*word != 0)
				print("BREACH: left in the cache", *word);
		return 0;
	case 9: /* jumps into an instruction, whose second half is one too; its own affair, so it says nothing of the
		   result */
		for (int i = 0; i < 40; i++) {
			hot_overlap(100, 0);
			hot_overlap(100, 2);
		}
		return 0;
	case 10: { /* the second way has been seen, once in thousands: it is no patch's */
		uint32_t sum = hot_overlap(1, 2);
		for (int i = 0; i < 60; i++)
			sum = sum * 33 + hot_overlap(100, 0);
		for (int i = 0; i < 5; i++)
			sum = sum * 33 + hot_overlap(2, 2);
		print("both ways", sum);
		return 0;
	}
	default: /* jumps into the cache */
		heat();
		for (uint32_t i = attempt - 11; i < 400; i += DENSE)
			hot_jump((uint32_t)(uintptr_t)__code_cache + 2 * i);
		return 0;
	}
}

static int against_others(uint32_t attempt)
{
	volatile uint32_t *cache = (volatile uint32_t *)((uintptr_t)__code_cache - SLOT);
	heat();
	switch (attempt % 4) {
	case 0:
		print("BREACH: read", *cache);
		return 1;
	case 1:
		*cache = 0;
		print("BREACH: wrote", 0);
		return 1;
	case 2:
		((void (*)(void))(uintptr_t)cache)();
		print("BREACH: executed", 0);
		return 1;
	default:
		if (sys_write((const void *)(uintptr_t)cache, 4) != SYS_EBAD)
			print("BREACH: printed", 0);
		return 0;
	}
}

int app_main(int input)
{
	(void)input;
	if ((uint32_t)(uintptr_t)__text_start == FIRST)
		return against_itself(user_round);
	return against_others(user_round);
}
