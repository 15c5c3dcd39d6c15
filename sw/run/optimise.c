/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The optimiser on the core (docs/optimise.md), beside a program that runs under the trace unit. It stands between
 * sw/run/main.c and the driver: the linker's --wrap gives it what both call.
 *
 *   collect ──look──► build, patch ──► run, unit off ──look──► check, unit on ──look──► nothing new is hot: run on
 *      ▲                               ▲                                          │  │
 *      │                               └──────────────────────────────────────────┘  │
 *      └───────────────────────────────── something new is hot: collect ─────────────┘
 *
 * A look is a timer interrupt. The program is collected from for `optimise` cycles of the run configuration, and
 * checked for an eighth of that; between checks it runs for a quarter of the time that it has run. All work is done in
 * a look, with interrupts off, on a stack of its own. At the end of the run everything is released: memory is as it
 * was.
 */
#include "sw/hal/hal.h"
#include "sw/optimise/paid.h"
#include "sw/run/patches.h"
#include "sw/trace/private.h"
#include "sw/trace/trace.h"

#define BREAKPOINT 3u
#define CHECKS 2u /* after a build: whether it pays */
#define STACK 6144u
#define LOG_SHARE 4u
#define CACHE_SHARE 8u /* 1/8 of the memory is cache if the configuration does not say */
#define LENGTH 100u    /* of traces, instructions */
#define LEAST 4u       /* samples, below which nothing is hot */
#define HOT 50u        /* a trace may begin where at least 1/50 of the counts begin */
#define WORTH 25u      /* and if it saves a cycle in each 25 counts */
#define NEW 2u         /* new hot places are worth a build if they have 1/2 of the counts */
#define CHECK_PART 8u  /* a check lasts 1/8 of the interval */
#define RUN_PART 4u    /* the unit is off for 1/4 of the time so far */

extern struct run_config rivulet_config;
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

enum state { IDLE, COLLECT, RUN, CHECK };

static struct {
	enum state state;
	struct optimise_code code;
	struct optimise optimise;
	struct optimise_config config;
	struct counts counts;       /* of the table's entries when the last look ended */
	struct counts untranslated; /* ... when patches last changed */
	struct counts_log log;      /* of traces in the cache: translated when the program has ended */
	struct paid paid;           /* traces that have not paid, which are not made again */
	uint32_t checked;           /* times since the last build */
	uint8_t *memory, *stack;
	size_t size;
	uint32_t interval, threshold, share;
	struct hal_frame *frame;  /* of the program, in a look */
	uint64_t look_at, set_to; /* mtime of the next look; mtimecmp as it was last set here */
	bool timer_taken;         /* the timer is the program's: the look is at one of its interrupts */
	uint32_t looks, builds, released, fenced, lost, traces, patches, bytes;
	uint64_t cycles, started;
	int error;
	uint32_t promised;
	bool prepared, left_alone, used;
	bool refused; /* the way of the run configuration cannot be optimised from */
	bool late;    /* what was counted since the last build is not yet translated */
} engine;

static uint64_t read_compare(void)
{
	return (uint64_t)hal_load(HAL_MTIMECMP + 4) << 32 | hal_load(HAL_MTIMECMP);
}

/* The timer is the program's from when it uses it, as in sw/trace/timer.c. */
static bool timer_is_ours(void)
{
	if (read_compare() != engine.set_to)
		engine.timer_taken = true;
	return !engine.timer_taken;
}

static void next_look(uint32_t cycles)
{
	engine.look_at = hal_time() + cycles;
	if (timer_is_ours()) {
		engine.set_to = engine.look_at;
		hal_timer_at(engine.set_to);
	}
}

static bool in_cache(uint32_t pc)
{
	return pc - engine.config.cache < engine.config.cache_size;
}

/* How often an entry of the table was counted since the last look that remembered. */
static inline uint32_t since(const struct table *table, uint32_t index)
{
	return counts_since(&engine.counts, table, index);
}

static uint32_t all_since(const struct table *table)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < table->used; i++)
		total += since(table, i);
	return total;
}

static void to_program(void)
{
	counts_translate_late(&engine.log, &engine.untranslated, &engine.optimise, trace_table(), rivulet_config.ctrl,
	    trace_found()->hist, &engine.counts);
	counts_translate(&engine.untranslated, &engine.optimise, trace_table(), rivulet_config.ctrl,
	    trace_found()->hist, &engine.counts);
}

/* Traces of the patched program are counted as those of the program; before patches change. The unit is off. What is in
 * the log stays there until then, unless the traces go. */
static void translate(bool traces_stay)
{
	trace_interrupt(); /* what is in the buffer was made with these patches */
	if (patches_there() && traces_stay) {
		counts_put_off(&engine.log, &engine.untranslated, &engine.optimise, trace_table(), &engine.counts);
		counts_translate(&engine.untranslated, &engine.optimise, trace_table(), rivulet_config.ctrl,
		    trace_found()->hist, &engine.counts);
	} else if (patches_there()) {
		to_program();
	}
	counts_remember(&engine.untranslated, trace_table());
}

/* Step 858, wherever the program stands. */
static void release(struct hal_frame *frame)
{
	translate(false);
	if (!patches_leave(&engine.optimise, frame))
		return;
	patches_release(&engine.optimise);
	engine.optimise.patch_count = engine.optimise.built_patches = 0;
	engine.optimise.trace_count = 0;
	engine.released++;
}

/* Steps 850 to 856, from what the table has counted since the last build. Traces are added to those that are there;
 * without room for them it is emptied first (step 858). */
static void build(void)
{
	const struct table *table = trace_table();
	if (engine.builds > 0 && engine.optimise.full > 0)
		release(engine.frame);
	else
		translate(true);
	if (!patches_there())
		engine.error = optimise_init(&engine.optimise, &engine.config, engine.memory, engine.size);
	if (engine.error != OPTIMISE_OK)
		return;
	uint32_t total = all_since(table), least = total / (4 * HOT);
	optimise_forget(&engine.optimise);
	paid_before(&engine.paid, &engine.optimise, &engine.counts, table, rivulet_config.ctrl, trace_found()->hist);
	engine.checked = 0;
	uint32_t traces = engine.optimise.trace_count, patches = engine.optimise.patch_count;
	for (uint32_t i = 0; i < table->used; i++) {
		struct record record;
		uint32_t count = since(table, i);
		if (count < least || count < engine.config.least_flow)
			continue;
		table_get(table, i, &record);
		if (!record_partial(&record) && !in_cache((uint32_t)record.start))
			optimise_record(&engine.optimise, (uint32_t)record.start, (uint32_t)record.hist, count);
	}
	optimise_build(&engine.optimise);
	/* The program waits: only where each trace begins. What hot ones come by the optimiser has decoded. */
	for (uint32_t i = 0; i < table->used; i++)
		optimise_witness(&engine.optimise, table->entries[i].key & ~TABLE_PARTIAL, 1);
	engine.promised = (uint32_t)engine.optimise.promised;
	optimise_emit(&engine.optimise, (uint8_t *)(uintptr_t)engine.config.cache);
	patches_write(&engine.optimise);
	engine.builds++;
	engine.traces += engine.optimise.trace_count - traces;
	engine.patches += engine.optimise.patch_count - patches;
	engine.bytes = engine.optimise.cache_used > engine.bytes ? engine.optimise.cache_used : engine.bytes;
}

/* Has any trace been counted so often that it is hot? */
static bool anything_hot(void)
{
	const struct table *table = trace_table();
	for (uint32_t i = 0; i < table->used; i++)
		if (since(table, i) >= engine.threshold)
			return true;
	return false;
}

/* Is enough of what was counted since the last look at places that no build has looked at yet, each of them hot? */
static bool something_new_is_hot(void)
{
	const struct table *table = trace_table();
	uint32_t total = all_since(table), new = 0, least = total / HOT;
	least = least < engine.config.least_flow ? engine.config.least_flow : least;
	for (uint32_t i = 0; i < table->used; i++) {
		uint32_t pc = table->entries[i].key & ~TABLE_PARTIAL, count = since(table, i);
		if (count >= least && !in_cache(pc) && !optimise_considered(&engine.optimise, pc))
			new += count;
	}
	return new >= total / NEW &&new >= engine.threshold;
}

/* At the first checks after a build: traces that have not paid, by the unit's cycles, are removed. */
static bool something_lost(void)
{
	trace_interrupt();
	return engine.checked++ < CHECKS && paid_look(&engine.paid, &engine.optimise, &engine.counts, trace_table(),
						rivulet_config.ctrl, trace_found()->hist) > 0;
}

static void unit(bool on)
{
	if (on)
		csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
	else
		csr_clear(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
}

/* How long the unit is off, in cycles. share 1000000: the least. */
static uint32_t run_on(uint32_t ran, uint32_t interval)
{
	return engine.share < 1000000 && ran / RUN_PART > interval / 2 ? ran / RUN_PART : interval / 2;
}

/* On the engine's stack. */
static void look(void)
{
	uint64_t from = hal_cycles();
	uint32_t ran = (uint32_t)(from - engine.started > UINT32_MAX / 2 ? UINT32_MAX / 2 : from - engine.started);
	uint32_t next = engine.interval;
	engine.looks++;
	unit(false);
	switch (engine.state) {
	case COLLECT:
		if (!anything_hot()) {
			unit(true);
			break;
		}
		build();
		engine.state = RUN;
		next = run_on(ran, next);
		break;
	case RUN:
		counts_remember(&engine.counts, trace_table());
		engine.state = CHECK;
		next /= CHECK_PART;
		unit(true);
		break;
	case CHECK:
		if (something_lost()) {
			engine.lost++;
			engine.config.avoid_count = engine.paid.loser_count;
			release(engine.frame);
			counts_remember(&engine.counts, trace_table());
			engine.state = COLLECT;
			unit(true);
			break;
		}
		if (something_new_is_hot()) { /* what exactly? */
			engine.state = COLLECT;
			unit(true);
			break;
		}
		engine.state = RUN;
		next = run_on(ran, next);
		break;
	default:
		break;
	}
	next_look(next);
	engine.cycles += hal_cycles() - from;
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
	release(engine.frame);
	counts_remember(&engine.counts, trace_table());
	engine.fenced++;
	engine.state = COLLECT;
	unit(true);
	next_look(engine.interval);
	engine.cycles += hal_cycles() - from;
}

/* A timer interrupt. Returns whether it is the program's. */
static bool tick(void)
{
	bool ours = timer_is_ours();
	if (ours || hal_time() >= engine.look_at)
		on_stack(look, engine.stack);
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
	engine.frame = frame;
	if (engine.state != IDLE && cause == (0x80000000u | IRQ_TIMER) && !tick())
		return;
	if (cause == BREAKPOINT && patches_fence(frame->pc)) {
		on_stack(fenced, engine.stack);
		return;
	}
	patches_leave(&engine.optimise, frame);
	uint32_t pc = frame->pc;
	patches_hide(&engine.optimise, pc, true);
	__real_hal_trap(frame);
	patches_hide(&engine.optimise, pc, false);
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
	engine.config = (struct optimise_config){.passes = OPTIMISE_ALL,
	    .cache = (uint32_t)(uintptr_t)at,
	    .cache_size = (uint32_t)cache,
	    .length = LENGTH,
	    .hot_share = HOT,
	    .least_flow = run->threshold < 4 * LEAST ? (run->threshold + 3) / 4 : LEAST,
	    .gain_percent = 100,
	    .worth = WORTH,
	    .avoid = engine.paid.losers,
	    .code = &engine.code,
	    .code_count = 1};
	engine.code = (struct optimise_code){
	    (uint32_t)(uintptr_t)__text_start, (uint32_t)(__text_end - __text_start), __text_start};
	at += cache;
	counts_init(&engine.counts, at, trace_table()->capacity);
	at += counts;
	counts_init(&engine.untranslated, at, trace_table()->capacity);
	at += counts;
	at = (uint8_t *)(((uintptr_t)at + 15) & ~(uintptr_t)15);
	engine.log = (struct counts_log){(void *)at, (uint32_t)(log / sizeof *engine.log.items), 0};
	at += log;
	at += STACK - 16;
	engine.stack = (uint8_t *)((uintptr_t)at & ~(uintptr_t)15);
	engine.memory = at;
	engine.size = (size_t)(__optimise_end - at);
	return true;
}

void __wrap_trace_start(void)
{
	const volatile struct run_config *words = &rivulet_config;
	struct run_config run = *words;
	bool way = run.way == RUN_EVERY || run.way == RUN_SAMPLE || run.way == RUN_WATERMARK || run.way == RUN_FULL;
	if (!engine.left_alone && !trace_own_vector() && way && run.optimise != 0 && run.sort == 0 &&
	    share_memory(&run) && patches_prepare()) {
		engine.interval = run.optimise;
		engine.share = run.share;
		engine.threshold = run.threshold != 0 ? run.threshold : 1;
		engine.state = COLLECT;
		engine.used = true;
		engine.started = hal_cycles();
		engine.set_to = read_compare();
		engine.timer_taken = (csr_read(mie) & 1u << IRQ_TIMER) != 0;
		next_look(engine.interval);
		csr_set(mie, 1u << IRQ_TIMER);
	}
	engine.refused = !engine.left_alone && run.optimise != 0 && run.way != RUN_OFF && (!way || run.sort != 0);
	__real_trace_start();
}

/* At the end: what was counted in the cache is translated when the profile is made, not while the program is timed. */
static void end(void)
{
	if (engine.state == IDLE)
		return;
	if (timer_is_ours()) {
		csr_clear(mie, 1u << IRQ_TIMER);
		hal_timer_at(UINT64_MAX);
	}
	engine.state = IDLE;
	unit(false);
	trace_interrupt();
	engine.late = patches_there();
	patches_release(&engine.optimise);
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
	if (trace_own_vector() && engine.state != IDLE) {
		end();
		to_program();
		engine.late = false;
		unit(true);
	}
	return error;
}

void __wrap_table_sort(struct table *table)
{
	if (engine.late && table == trace_table()) {
		engine.late = false;
		to_program();
	}
	__real_table_sort(table);
}

/* main() prepares the unit once. A program that does so too drives the unit itself, and expects its own traces: it is
 * left alone. */
int __wrap_trace_prepare(const struct run_config *config, void *memory, size_t size)
{
	engine.left_alone = engine.prepared;
	engine.prepared = true;
	end();
	return __real_trace_prepare(config, memory, size);
}

_Noreturn void __wrap_hal_exit(int code)
{
	if (engine.refused)
		hal_print("optimise: off: it needs way=every, sample, watermark or full, and sort=0 (optimise=0 for no "
			  "optimiser)\n");
	if (engine.used) {
		hal_print("optimise: looks ");
		hal_print_decimal(engine.looks);
		hal_print(", builds ");
		hal_print_decimal(engine.builds);
		hal_print(", traces ");
		hal_print_decimal(engine.traces);
		hal_print(", patches ");
		hal_print_decimal(engine.patches);
		hal_print(", bytes ");
		hal_print_decimal(engine.bytes);
		hal_print(", released ");
		hal_print_decimal(engine.released);
		hal_print(", lost ");
		hal_print_decimal(engine.lost);
		hal_print(", fences ");
		hal_print_decimal(engine.fenced);
		hal_print(", cycles ");
		hal_print_decimal(engine.cycles);
		hal_print(", promised ");
		hal_print_decimal(engine.promised);
		hal_print("\n");
		if (engine.error != OPTIMISE_OK) {
			hal_print("optimise: ");
			hal_print(optimise_strerror(engine.error));
			hal_print("\n");
		}
	}
	__real_hal_exit(code);
}
