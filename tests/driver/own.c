/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program that has the machine for itself: own trap vectors, mscratch, timer, software interrupt, exceptions; gp, tp
 * and every other register as data. It has to run as without the trace driver. How it sets its vectors, OWN:
 *
 *	1	before the driver starts, vectored		2	the same, direct
 *	3	while it is traced, and calls trace_adopt()
 *	4	the same; its own handler calls trace_interrupt()
 *	5	while it is traced, and knows nothing
 *	6	no vectors: a hook of sw/hal, set while it is traced
 *	7	no handler: it looks at mip
 *
 * The program's timer ticks by mtimecmp += TICK, as operating systems do: each tick that is late or lost shows.
 */
#include <string.h>
#include "sw/hal/hal.h"
#include "sw/run/app.h"
#include "sw/trace/trace.h"

#define TICK 10007u
#define ROUNDS 10
#define MSIP 0x02000000u
#define IRQ_SOFT 3
#define EXCEPTION_LOAD 4 /* misaligned */
#define EXCEPTION_CALL 11

extern const uint32_t own_vectors[], own_entry[];
extern uint32_t own_area[32];
uint32_t own_work(uint32_t rounds);
static volatile uint32_t ticks, softs, calls, loads, strange, last_mtval;
static uint64_t next_tick;

static uint64_t compare(void)
{
	return (uint64_t)hal_load(HAL_MTIMECMP + 4) << 32 | hal_load(HAL_MTIMECMP);
}

/* Returns how far the program's pc goes on; -1: not known. */
static int handle(uint32_t cause)
{
	uint64_t at;
	switch (cause) {
	case 0x80000000u | IRQ_TIMER:
		/* What it reads is what it has written; it is never early. */
		at = compare();
		strange += at != next_tick || hal_time() < at;
		next_tick = at + TICK;
		hal_timer_at(next_tick);
		ticks++;
		return 0;
	case 0x80000000u | IRQ_SOFT:
		hal_store(MSIP, 0);
		softs++;
		return 0;
	case EXCEPTION_CALL:
		calls++;
		return 4;
	case EXCEPTION_LOAD:
		last_mtval = csr_read(mtval);
		loads++;
		return 4;
	default:
		return -1;
	}
}

void own_handler(void);
void own_handler(void)
{
	uint32_t cause = csr_read(mcause);
#if OWN == 4
	if (cause == (0x80000000u | IRQ_TRACE)) {
		trace_interrupt();
		return;
	}
#endif
	int step = handle(cause);
#if OWN == 5
	if (cause == (0x80000000u | IRQ_TRACE)) { /* as such programs do: switched off, and gone on */
		csr_clear(mie, 1u << IRQ_TRACE);
		return;
	}
#endif
	strange += step < 0;
	if (step > 0)
		csr_write(mepc, csr_read(mepc) + (uint32_t)step);
}

#if OWN == 6
static int own_hook(struct hal_frame *frame)
{
	int step = handle(csr_read(mcause));
	frame->pc += (uint32_t)(step > 0 ? step : 0);
	return step < 0 ? -1 : 0;
}
#endif

#if OWN <= 5
#define VECTOR (OWN == 2 ? (uint32_t)own_entry : (uint32_t)own_vectors + 1)
static void set_vectors(void)
{
	csr_write(mscratch, (uint32_t)own_area);
	csr_write(mtvec, VECTOR);
}
#endif

static void set_timer(void)
{
	next_tick = hal_time() + TICK;
	hal_timer_at(next_tick);
#if OWN != 7
	csr_set(mie, 1u << IRQ_TIMER | 1u << IRQ_SOFT);
	csr_set(mstatus, MSTATUS_MIE);
#endif
}

#if OWN <= 2
/* In front of main(), and of the driver. */
__attribute__((constructor)) static void begin(void)
{
	set_vectors();
	set_timer();
}
#endif

static int work(void)
{
	int errors = 0;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		const uint32_t rounds = 40 + i;
		uint32_t expected = rounds - rounds / 4;
		for (uint32_t n = 1; n <= rounds; n++)
			expected += (n & 4) != 0;
		errors += app_check("work", own_work(rounds), expected);
#if OWN != 7
		uint32_t before = calls;
		__asm__ volatile("ecall" : : : "memory");
		errors += app_check("ecall", calls - before, 1);
		/* A load that traps, and says where in mtval. */
		before = loads;
		__asm__ volatile(".option push\n.option norvc\nlw zero, 1(%0)\n.option pop" : : "r"(&ticks) : "memory");
		errors += app_check("misaligned load", loads - before, 1);
		errors += app_check("mtval", last_mtval, (uint32_t)&ticks + 1);
		before = softs;
		hal_store(MSIP, 1);
		while (softs == before)
			;
#endif
	}
	return errors;
}

int app_main(int input)
{
	int errors = 0;
	(void)input;
#if OWN >= 3 && OWN <= 5
	/* With interrupts off, as any program does that. */
	uint32_t found = csr_read(mtvec), scratch = csr_read(mscratch);
	csr_clear(mstatus, MSTATUS_MIE);
	set_vectors();
#if OWN == 3
	errors += app_check("adopted", (uint32_t)trace_adopt(), TRACE_OK);
#endif
#elif OWN == 6
	hal_trap_hook = own_hook;
#endif
#if OWN > 2
	set_timer();
#endif
	ticks = 0;
#if OWN == 7
	for (uint32_t i = 0; i < ROUNDS; i++) {
		errors += work() != 0;
		while ((csr_read(mip) & 1u << IRQ_TIMER) == 0)
			;
		strange += hal_time() < next_tick || compare() != next_tick;
		ticks++;
		next_tick += TICK;
		hal_timer_at(next_tick);
	}
	errors += app_check("ticks", ticks, ROUNDS);
#else
	uint64_t from = hal_time();
	errors += work();
	/* Up to the next tick: then as many have been as there are in the time. */
	uint32_t now = ticks;
	while (ticks == now)
		;
	uint32_t elapsed = (uint32_t)(next_tick - TICK - from);
	errors += app_check("ticks", ticks, elapsed / TICK + (elapsed % TICK != 0));
	errors += app_check("softs", softs, ROUNDS);
#endif
	errors += app_check("strange", strange, 0);
#if OWN <= 5
	errors += app_check("mscratch", csr_read(mscratch), (uint32_t)own_area);
#endif
#if OWN >= 3 && OWN <= 5
	csr_clear(mstatus, MSTATUS_MIE);
	csr_clear(mie, 1u << IRQ_TIMER | 1u << IRQ_SOFT);
	csr_write(mtvec, found);
	csr_write(mscratch, scratch);
#if OWN == 3
	errors += app_check("adopted again", (uint32_t)trace_adopt(), TRACE_OK);
#endif
	csr_set(mstatus, MSTATUS_MIE);
	errors += own_work(4) != 4; /* traced, with the start-up code's vectors */
#endif
	/* What the driver gives back. */
	trace_stop();
	uint32_t own_mie = OWN == 7 || (OWN >= 3 && OWN <= 5) ? 0 : 1u << IRQ_TIMER | 1u << IRQ_SOFT;
	errors += app_check("mie", csr_read(mie), own_mie);
	errors += app_check("mtimecmp", compare() == next_tick, 1);
#if OWN <= 2
	errors += app_check("mtvec", csr_read(mtvec), VECTOR);
#else
	errors += app_check("mtvec", csr_read(mtvec), (uint32_t)hal_vectors + 1);
#endif
#if OWN <= 2 || OWN == 6
	errors += app_check("MIE", csr_read(mstatus) & MSTATUS_MIE, MSTATUS_MIE);
	now = ticks;
	while (ticks == now) /* it still ticks */
		;
	csr_clear(mstatus, MSTATUS_MIE);
#endif
	return errors;
}
