/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The optimiser on the core (docs/optimise.md), beside a program that runs under the trace unit. It stands between
 * sw/run/main.c and the driver: the linker's --wrap gives it what both call.
 *
 *   collect ──look──► build, patch ──► run, unit off ──look──► check, unit on ──look──► nothing new is hot: run on
 *      ▲                               ▲                                          │  │
 *      │                               └──────────────────────────────────────────┘  │
 *      └──────────── something new is hot, or all is to be tried again: collect ─────┘
 *
 * With the ways that sample. Where hot code divides, the program goes on a little before a build, until its divisors
 * were seen (ask). With way table the unit counts on, and looks are at T, 4 T, 16 T ...: each checks the last build,
 * and builds. A look is a timer interrupt. The program is collected from for `optimise` cycles of the run
 * configuration, and checked for an eighth of that; between checks it runs for a quarter of the time that it has run.
 * All work is done in a look, with interrupts off, on a stack of its own. At the end of the run everything is
 * released: memory is as it was.
 */
#include "sw/run/engine.h"
#include "sw/trace/private.h"
#include "sw/trace/trace.h"

#define ILLEGAL 2u
#define BREAKPOINT 3u
#define STACK 6144u
#define LOG_SHARE 5u
#define CACHE_SHARE 10u /* 1/10 of the memory that is left is cache if the configuration does not say */
#define LENGTH 64u      /* of traces, instructions */
#define LEAST 4u        /* samples, below which nothing is hot */
#define GAIN 50u        /* a patch saves so many per cent more than it costs */
#define WORTH 25u       /* and if it saves a cycle in each 25 counts */
#define CHECK_PART 8u   /* a check lasts 1/8 of the interval */
#define ASK_PART 4u     /* for 1/4 of the time so far its divisors are looked at, ... */
#define ASK_LOOKS 24u   /* ... in so many looks, one after the other */
#define RUN_PART 4u     /* the unit is off for 1/4 of the time so far */

/* Samples: what was tried is tried again when the program has run 3 times as long as at the last build, ... */
#define AGAIN 3u
#define AGAIN_PART 8u      /* ... by the samples of 1/8 of the time so far ... */
#define AGAIN_OWN 60u      /* ... if the optimiser takes 1/60 of the time at most, ... */
#define AGAIN_COST 700000u /* ... such a build included, in cycles */

/* way table, which counts all traces: */
#define ALL_LATER 3u  /* a look comes when so many times the time so far has passed since the last one */
#define ALL_HOT 1000u /* where looks are not paid for (share), a trace goes on as long as 1/1000 of the counts do */
#define ALL_GAIN 10u  /* as GAIN */
#define ALL_COST 75u  /* a trace is worth so many cycles for each of its instructions */

extern uint8_t __optimise_start[], __optimise_end[];
extern const uint8_t __text_start[], __text_end[];
void __real_trace_start(void);
void __real_trace_stop(void);
_Noreturn void __real_hal_exit(int code);
int __real_trace_prepare(const struct run_config *config, void *memory, size_t size);
int __wrap_trace_prepare(const struct run_config *config, void *memory, size_t size);
void __wrap_trace_start(void);
void __wrap_trace_stop(void);
_Noreturn void __wrap_hal_exit(int code);
void __real_hal_trap(struct hal_frame *frame);
void __wrap_hal_trap(struct hal_frame *frame);
int __real_trace_adopt(void);
int __wrap_trace_adopt(void);
void __real_table_sort(struct table *table);
void __wrap_table_sort(struct table *table);

static uint64_t read_compare(void)
{
	return (uint64_t)hal_load(HAL_MTIMECMP + 4) << 32 | hal_load(HAL_MTIMECMP);
}

/* The timer is the program's from when it uses it, as in sw/trace/timer.c. */
static bool timer_is_ours(void)
{
	if (read_compare() != run_engine.set_to)
		run_engine.timer_taken = true;
	return !run_engine.timer_taken;
}

static void next_look(uint32_t cycles)
{
	run_engine.look_at = hal_time() + cycles;
	if (timer_is_ours()) {
		run_engine.set_to = run_engine.look_at;
		hal_timer_at(run_engine.set_to);
	}
}

static void unit(bool on)
{
	if (on)
		csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
	else
		csr_clear(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
}

/* How long the unit is off, in cycles. */
static uint32_t run_on(uint32_t ran, uint32_t interval)
{
	return run_engine.share < RUN_ENGINE_EAGER && ran / RUN_PART > interval / 2 ? ran / RUN_PART : interval / 2;
}

/* When traces are there, or none could be made. */
static uint32_t behind_build(uint32_t ran)
{
	if (run_engine.exact) {
		run_engine.state = ENGINE_COLLECT;
		ran = ran < UINT32_MAX / ALL_LATER ? ran : UINT32_MAX / ALL_LATER;
		return run_engine.share < RUN_ENGINE_EAGER ? ALL_LATER * ran : run_engine.interval;
	}
	run_engine.state = ENGINE_RUN;
	run_engine.built_at = hal_cycles() - run_engine.started;
	return run_on(ran, run_engine.interval);
}

/* Samples: is there time to try all places again, by more samples than the last build had? */
static bool tries_again(uint64_t ran)
{
	return run_engine.share < RUN_ENGINE_EAGER && ran >= AGAIN * run_engine.built_at &&
	       ran > AGAIN_OWN * (run_engine.cycles + AGAIN_COST) && run_engine_has_room();
}

/* From one look at the divisors to the next. */
static uint32_t ask_step(uint32_t ran)
{
	return ran / ASK_PART / ASK_LOOKS;
}

/* What is hot is known. The program goes on for a moment if there are divisors to look at. */
static uint32_t build_or_ask(uint32_t ran)
{
	if (run_engine.state != ENGINE_ASK && run_engine_ask()) {
		run_engine.state = ENGINE_ASK;
		run_engine.asks = ASK_LOOKS;
		return ask_step(ran);
	}
	run_engine_build();
	return behind_build(ran);
}

/*
 * Way table: the unit counts on, at no cost, so evidence grows. At T builds, at 4 T checks whether the new traces pay,
 * and builds again: a trace is made when what it would have saved until then is what making it takes. To take the
 * counts from the unit is a good part of a look, so one look does both. Returns the time to the next look.
 */
static uint32_t watch(uint32_t ran)
{
	if (run_engine.builds > 0 && run_engine.checked == 0 && run_engine_check_paid()) {
		behind_build(ran);
		return run_engine.share < RUN_ENGINE_EAGER ? ran : run_engine.interval; /* evidence begins anew */
	}
	return run_engine_gather() ? build_or_ask(ran) : behind_build(ran);
}

/* On the engine's stack. */
static void look(void)
{
	uint64_t from = hal_cycles();
	uint32_t ran =
	    (uint32_t)(from - run_engine.started > UINT32_MAX / 2 ? UINT32_MAX / 2 : from - run_engine.started);
	uint32_t next = run_engine.interval;
	run_engine.looks++;
	unit(false);
	bool asks = run_engine.state == ENGINE_ASK && --run_engine.asks != 0 && patches_asking() != 0;
	if (!asks)
		patches_ask_no_more();
	switch (run_engine.state) {
	case ENGINE_COLLECT:
		if (run_engine.exact)
			next = watch(ran);
		else if (run_engine_anything_hot())
			next = run_engine_gather() ? build_or_ask(ran) : behind_build(ran);
		unit(run_engine.exact || run_engine.state == ENGINE_COLLECT);
		break;
	case ENGINE_ASK:
		if (asks)
			patches_ask_again();
		next = asks ? ask_step(ran) : build_or_ask(ran);
		unit(run_engine.exact);
		break;
	case ENGINE_RUN:
		counts_remember(&run_engine.counts, trace_table());
		run_engine.state = ENGINE_CHECK;
		next /= CHECK_PART;
		unit(true);
		break;
	case ENGINE_CHECK:
		run_engine_check_paid();
		if (run_engine_something_new_is_hot()) { /* what exactly? */
			run_engine.state = ENGINE_COLLECT;
			unit(true);
			break;
		}
		if (tries_again(from - run_engine.started)) {
			run_engine.again = true;
			run_engine.state = ENGINE_COLLECT;
			next = ran / AGAIN_PART > next ? ran / AGAIN_PART : next;
			unit(true);
			break;
		}
		run_engine.state = ENGINE_RUN;
		next = run_on(ran, next);
		break;
	default:
		break;
	}
	next_look(next);
	run_engine.cycles += hal_cycles() - from;
}

static void on_stack(void (*work)(void), uint8_t *stack)
{
	register uint32_t keep __asm__("s1");
	__asm__ volatile(
	    "mv %0, sp\n\tmv sp, %2\n\tjalr %1\n\tmv sp, %0"
	    : "=&r"(keep)
	    : "r"(work), "r"(stack)
	    : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "memory");
}

/* The program has changed code: the search for hot code begins again. On the engine's stack. */
static void fenced(void)
{
	uint64_t from = hal_cycles();
	unit(false);
	patches_ask_no_more();
	run_engine_release(run_engine.frame);
	counts_remember(&run_engine.counts, trace_table());
	run_engine.fenced++;
	run_engine.state = ENGINE_COLLECT;
	unit(true);
	next_look(run_engine.interval);
	run_engine.cycles += hal_cycles() - from;
}

/* A timer interrupt. Returns whether it is the program's. */
static bool tick(void)
{
	bool ours = timer_is_ours();
	if (ours || hal_time() >= run_engine.look_at)
		on_stack(look, run_engine.stack);
	if (ours)
		return false;
	if (hal_trap_hook != NULL)
		return true;
	csr_clear(mie, 1u << IRQ_TIMER); /* it looks at mip, and the interrupt was enabled here */
	return false;
}

/* Before the program's handlers: they see the program's own pc and registers, and the instruction at that pc. */
void __wrap_hal_trap(struct hal_frame *frame)
{
	uint32_t cause = csr_read(mcause);
	run_engine.frame = frame;
	if (cause == ILLEGAL && patches_answer(frame->pc, frame->x)) {
		if (patches_asking() == 0)
			next_look(0);
		return;
	}
	if (run_engine.state != ENGINE_IDLE && cause == (0x80000000u | IRQ_TIMER) && !tick())
		return;
	if (cause == BREAKPOINT && patches_fence(frame->pc)) {
		on_stack(fenced, run_engine.stack);
		return;
	}
	patches_ask_hidden(true);
	patches_leave(&run_engine.optimise, frame);
	uint32_t pc = frame->pc;
	patches_hide(&run_engine.optimise, pc, true);
	__real_hal_trap(frame);
	patches_hide(&run_engine.optimise, pc, false);
	patches_ask_hidden(false);
}

/* The parts of the memory: cache, counts, stack, what the optimiser works in. */
static bool share_memory(const struct run_config *run)
{
	uint8_t *at = __optimise_start;
	size_t all = (size_t)(__optimise_end - __optimise_start), cache = run->cache;
	size_t counts = trace_table()->capacity * sizeof(uint32_t), log = (all / LOG_SHARE) & ~(size_t)15,
	       fixed = STACK + 2 * counts + log;
	if (all < fixed + 16384)
		return false;
	if (cache == 0 || cache > all - fixed - 8192)
		cache = (all - fixed) / CACHE_SHARE;
	cache &= ~(size_t)15;
	run_engine.config = (struct optimise_config){.passes = OPTIMISE_ALL,
	    .cache = (uint32_t)(uintptr_t)at,
	    .cache_size = (uint32_t)cache,
	    .length = LENGTH,
	    .hot_share = RUN_ENGINE_HOT,
	    .least_flow = run->threshold < 4 * LEAST ? (run->threshold + 3) / 4 : LEAST,
	    .gain_percent = GAIN,
	    .worth = WORTH,
	    .leads_pay = true,
	    .avoid = run_engine.paid.losers,
	    .divisors = run_engine.divisors,
	    .divisor_room = RUN_ENGINE_DIVISORS,
	    .code = &run_engine.code,
	    .code_count = 1};
	if (run->way == RUN_TABLE) {
		run_engine.config.hot_share = ALL_HOT;
		run_engine.config.gain_percent = ALL_GAIN;
		run_engine.config.worth = 0;
		run_engine.config.leads_pay = false; /* the unit's cycles say soon whether they pay */
		run_engine.config.build_cycles = run->share < RUN_ENGINE_EAGER ? ALL_COST : 0;
	}
	run_engine.code = (struct optimise_code){
	    (uint32_t)(uintptr_t)__text_start, (uint32_t)(__text_end - __text_start), __text_start};
	at += cache;
	counts_init(&run_engine.counts, at, trace_table()->capacity);
	at += counts;
	counts_init(&run_engine.untranslated, at, trace_table()->capacity);
	at += counts;
	at = (uint8_t *)(((uintptr_t)at + 15) & ~(uintptr_t)15);
	run_engine.log = (struct counts_log){(void *)at, (uint32_t)(log / sizeof *run_engine.log.items), 0};
	at += log;
	at += STACK - 16;
	run_engine.stack = (uint8_t *)((uintptr_t)at & ~(uintptr_t)15);
	run_engine.memory = at;
	run_engine.size = (size_t)(__optimise_end - at);
	return true;
}

void __wrap_trace_start(void)
{
	const volatile struct run_config *words = &rivulet_config;
	struct run_config run = *words;
	bool way = run.way == RUN_EVERY || run.way == RUN_SAMPLE || run.way == RUN_WATERMARK || run.way == RUN_FULL ||
		   run.way == RUN_TABLE;
	if (!run_engine.left_alone && !trace_own_vector() && way && run.optimise != 0 && run.sort == 0 &&
	    share_memory(&run) && patches_prepare()) {
		run_engine.interval = run.optimise;
		run_engine.share = run.share;
		run_engine.threshold = run.threshold != 0 ? run.threshold : 1;
		run_engine.state = ENGINE_COLLECT;
		run_engine.exact = run.way == RUN_TABLE;
		run_engine.used = true;
		run_engine.started = hal_cycles();
		run_engine.built_at = 0;
		run_engine.set_to = read_compare();
		run_engine.timer_taken = (csr_read(mie) & 1u << IRQ_TIMER) != 0;
		next_look(run_engine.interval);
		csr_set(mie, 1u << IRQ_TIMER);
	}
	run_engine.refused =
	    !run_engine.left_alone && run.optimise != 0 && run.way != RUN_OFF && (!way || run.sort != 0);
	__real_trace_start();
}

/* At the end: what was counted in the cache is translated when the profile is made, not while the program is timed. */
static void end(void)
{
	if (run_engine.state == ENGINE_IDLE)
		return;
	/* First of all: a look between the halves of mtimecmp would make the timer the program's, and leave it on. */
	bool on = (csr_read(mie) & 1u << IRQ_TIMER) != 0;
	csr_clear(mie, 1u << IRQ_TIMER);
	if (timer_is_ours())
		hal_timer_at(UINT64_MAX);
	else if (on)
		csr_set(mie, 1u << IRQ_TIMER);
	run_engine.state = ENGINE_IDLE;
	unit(false);
	patches_ask_no_more();
	run_engine_take_counts();
	run_engine.late = patches_there();
	patches_release(&run_engine.optimise);
}

void __wrap_trace_stop(void)
{
	end();
	__real_trace_stop();
}

/* The program has vectors of its own, whose handlers would see the cache: it is left alone from here on. */
int __wrap_trace_adopt(void)
{
	int error = __real_trace_adopt();
	if (trace_own_vector() && run_engine.state != ENGINE_IDLE) {
		end();
		run_engine_to_program();
		run_engine.late = false;
		unit(true);
	}
	return error;
}

void __wrap_table_sort(struct table *table)
{
	if (run_engine.late && table == trace_table()) {
		run_engine.late = false;
		run_engine_to_program();
	}
	__real_table_sort(table);
}

/* main() prepares the unit once. A program that does so too drives the unit itself, and expects its own traces: it is
 * left alone. */
int __wrap_trace_prepare(const struct run_config *config, void *memory, size_t size)
{
	run_engine.left_alone = run_engine.prepared;
	run_engine.prepared = true;
	end();
	return __real_trace_prepare(config, memory, size);
}

_Noreturn void __wrap_hal_exit(int code)
{
	if (run_engine.refused)
		hal_print("optimise: off: it needs way=every, sample, watermark, full or table, and sort=0 (optimise=0 "
			  "for no "
			  "optimiser)\n");
	if (run_engine.used) {
		hal_print("optimise: looks ");
		hal_print_decimal(run_engine.looks);
		hal_print(", builds ");
		hal_print_decimal(run_engine.builds);
		hal_print(", traces ");
		hal_print_decimal(run_engine.traces);
		hal_print(", patches ");
		hal_print_decimal(run_engine.patches);
		hal_print(", bytes ");
		hal_print_decimal(run_engine.bytes);
		hal_print(", released ");
		hal_print_decimal(run_engine.released);
		hal_print(", lost ");
		hal_print_decimal(run_engine.lost);
		hal_print(", fences ");
		hal_print_decimal(run_engine.fenced);
		hal_print(", cycles ");
		hal_print_decimal(run_engine.cycles);
		hal_print(", promised ");
		hal_print_decimal(run_engine.promised);
		hal_print(", divisors ");
		hal_print_decimal(run_engine_divisors());
		hal_print("\n");
		if (run_engine.error != OPTIMISE_OK) {
			hal_print("optimise: ");
			hal_print(optimise_strerror(run_engine.error));
			hal_print("\n");
		}
	}
	__real_hal_exit(code);
}
