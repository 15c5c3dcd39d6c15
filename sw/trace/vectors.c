/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The trace interrupt needs an entry, and the program has its own vectors. mtvec points to the driver's table, whose
 * other entries are jumps to where the program's mtvec leads:
 *
 *	program's mtvec		0 direct ──► H			1 vectored ──► V
 *	driver's entry n	n: j H				n: j V + 4 n
 *	driver's last entry	the handler			the handler
 *
 * A jump changes no register, so the program's handler finds the machine as if mtvec were its own. Jumps reach 1 MiB;
 * the table is in memory that can be written, and is as the linker left it outside of trace_prepare() to trace_stop().
 */
#include "sw/trace/private.h"

#define CHECK_OFFSET(type, member, offset)                                                                             \
	_Static_assert(offsetof(struct type, member) == (offset), "the handler's layout")
CHECK_OFFSET(table_entry, hist, ENTRY_HIST);
CHECK_OFFSET(table_entry, key, ENTRY_KEY);
CHECK_OFFSET(table_entry, count, ENTRY_COUNT);
CHECK_OFFSET(table_entry, cycles, ENTRY_CYCLES);
CHECK_OFFSET(table_entry, next, ENTRY_NEXT);
CHECK_OFFSET(trace_context, hash, CONTEXT_HASH - AREA_FAST);
CHECK_OFFSET(trace_context, shift, CONTEXT_SHIFT - AREA_FAST);
CHECK_OFFSET(trace_context, heads, CONTEXT_HEADS - AREA_FAST);
CHECK_OFFSET(trace_context, period, CONTEXT_PERIOD - AREA_FAST);
CHECK_OFFSET(trace_context, interrupts, CONTEXT_INTERRUPTS - AREA_FAST);
CHECK_OFFSET(trace_context, level, CONTEXT_LEVEL - AREA_FAST);
CHECK_OFFSET(trace_context, step, CONTEXT_STEP - AREA_FAST);
CHECK_OFFSET(trace_context, bucket, CONTEXT_BUCKET - AREA_FAST);
CHECK_OFFSET(trace_context, batch, CONTEXT_BATCH - AREA_FAST);
CHECK_OFFSET(trace_context, tick, CONTEXT_TICK - AREA_FAST);
CHECK_OFFSET(trace_context, dither, CONTEXT_DITHER - AREA_FAST);
CHECK_OFFSET(trace_context, records, CONTEXT_RECORDS - AREA_FAST);
_Static_assert(AREA_FAST + sizeof(struct trace_context) <= TRACE_AREA, "the handler's words fit");

#define VECTORED 1u
#define TIMER_WORD 7
#define JUMP 0x0000006Fu /* jal x0, 0 */

#if TRACE_HAL
extern const uint8_t hal_trap_entry[];
#endif
extern uint32_t trace_vectors_single[], trace_vectors_drain[], trace_vectors_repeat[], trace_vectors_table[];
#if TRACE_TIMER
extern uint32_t trace_vectors_adapt[], trace_ticks[], trace_ticks_forward[];
#ifdef __riscv_mul
extern uint32_t trace_vectors_timer[], trace_timer[], trace_timer_forward[];
#endif
#endif

static uint32_t *table;         /* the one that is in use; NULL: none */
static uint32_t *timer_entry;   /* what entry 7 leads to; NULL: the program's */
static uint32_t *timer_word;    /* where the timer interrupt goes if it is the program's; NULL: entry 7 */
static uint32_t first, program; /* the program's mtvec: before, and now */
#if TRACE_AREA_IN_MSCRATCH
static uint32_t scratch;
#endif

static uint32_t ours(void)
{
	return (uint32_t)table | (TRACE_DIRECT ? 0 : VECTORED);
}

bool trace_own_vector(void)
{
#if TRACE_HAL
	return program != (uint32_t)hal_vectors + VECTORED;
#else
	return true;
#endif
}

static bool write_jump(uint32_t *word, uint32_t target)
{
	uint32_t offset = target - (uint32_t)word;
	if ((offset & 1) != 0 || offset + 0x100000 >= 0x200000)
		return false;
	uint32_t jump =
	    JUMP | (offset & 0x000FF000) | (offset & 0x800) << 9 | (offset & 0x7FE) << 20 | (offset & 0x100000) << 11;
	if (*(volatile uint32_t *)word != jump) /* what is right already may be in a ROM */
		*(volatile uint32_t *)word = jump;
	return *(volatile uint32_t *)word == jump;
}

/* All entries of the table lead to the vector: base + step n; entry 7 to the driver where that needs the timer. */
static bool lead_to(uint32_t base, uint32_t step, uint32_t *timer)
{
	bool done = true;
	if (timer_word != NULL)
		done = write_jump(timer_word, base + step * TIMER_WORD);
	for (uint32_t i = TRACE_DIRECT; i < (TRACE_DIRECT ? 2 : VECTOR_WORDS); i++)
		if (i != TIMER_WORD || timer == NULL)
			done = write_jump(&table[i], base + step * i) && done;
	if (timer != NULL)
		done = write_jump(&table[TIMER_WORD], (uint32_t)timer) && done;
	__asm__ volatile("fence.i" : : : "memory");
	return done;
}

/* As the linker left it: the program's build is the check sum of its text. */
static void restore(void)
{
#if TRACE_HAL
	lead_to((uint32_t)hal_trap_entry, 0, NULL);
#else
	for (uint32_t i = TRACE_DIRECT; i < (TRACE_DIRECT ? 2 : VECTOR_WORDS); i++)
		table[i] = 0;
#endif
}

static bool forward(void)
{
	bool done;
	if (trace_own_vector())
		done = lead_to(program & ~3u, (program & 3) == VECTORED ? 4 : 0, timer_entry);
#if TRACE_HAL
	else
		done = lead_to((uint32_t)hal_trap_entry, 0, timer_entry);
#endif
	if (!done)
		restore();
	return done;
}

static void choose(void)
{
	const struct run_config *run = &trace_driver.run;
	bool drain = run->way == RUN_WATERMARK || run->way == RUN_FULL;
	bool tabled = run->way == RUN_TABLE,
	     repeat = (run->ctrl & TRACE_MASK(CTRL, REPEAT)) != 0 && run->way == RUN_EVERY;
	trace_driver.counted =
	    drain || repeat || tabled || run->way == RUN_ADAPT || run->way == RUN_TIMER || run->way == RUN_FILL;
	table = tabled   ? trace_vectors_table
		: repeat ? trace_vectors_repeat
		: drain  ? trace_vectors_drain
			 : trace_vectors_single;
	timer_entry = timer_word = NULL;
#if TRACE_TIMER
	if (!trace_timer_needed(run))
		return;
	timer_word = trace_ticks_forward;
	timer_entry = trace_ticks;
	if (run->way == RUN_ADAPT) {
		table = trace_vectors_adapt;
#ifdef __riscv_mul
	} else if (run->way == RUN_TIMER && trace_driver.first) {
		table = trace_vectors_timer;
		timer_word = trace_timer_forward;
		timer_entry = trace_timer;
#endif
	}
#endif
}

int trace_vectors_set(void)
{
	choose();
	first = program = csr_read(mtvec);
	if (!forward())
		return TRACE_EVECTOR;
#if TRACE_AREA_IN_MSCRATCH
	scratch = csr_read(mscratch);
	csr_write(mscratch, (uint32_t)trace_area);
#endif
	csr_write(mtvec, ours());
	return TRACE_OK;
}

bool trace_vectors_leave(void)
{
	bool there = csr_read(mtvec) == ours();
	if (there)
		csr_write(mtvec, program);
	restore();
#if TRACE_AREA_IN_MSCRATCH
	csr_write(mscratch, scratch);
#endif
	table = NULL;
	return there;
}

int trace_adopt(void)
{
	if (trace_driver.enable == 0 || table == NULL)
		return TRACE_OK;
	uint32_t now = csr_read(mtvec), before = program;
	restore();
	/* What the program found in mtvec at first, and puts back: its own of before. */
	program = now == ours() ? first : now;
	if (!forward()) {
		program = before;
		return TRACE_EVECTOR;
	}
	csr_write(mtvec, ours());
	return TRACE_OK;
}
