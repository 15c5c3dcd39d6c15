/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The machine timer has one compare register. It is the program's as soon as the program uses it: where the timer
 * interrupt is enabled at trace_prepare(), or mtimecmp holds what the driver has not written. From then on the driver
 * writes neither mtimecmp nor mie, looks at its own affairs when the program's timer interrupts, and hands each of
 * these interrupts on.
 */
#include "sw/trace/private.h"

#if TRACE_TIMER
#define MIE_TIMER (1u << IRQ_TIMER)
#define TRAP_CYCLES 200 /* around trace_tick() */

static uint64_t set_to;  /* mtimecmp as the driver has set it */
static uint64_t before;  /* ... and as it was at trace_timer_start() */
static uint32_t tick_at; /* low half of mtime: adapt is to be looked at; if tick_set */
static uint32_t sort_at;
static bool started, tick_set;

static uint64_t read_compare(void)
{
	return (uint64_t)hal_load(HAL_MTIMECMP + 4) << 32 | hal_load(HAL_MTIMECMP);
}

/* Whether the timer is still the driver's. With way timer the handler sets it, and tells only the low half. */
static bool is_ours(void)
{
	if (trace_driver.stats.timer_taken)
		return false;
	uint64_t now = read_compare();
	bool same = trace_driver.run.way == RUN_TIMER ? (uint32_t)now == trace_context()->tick : now == set_to;
	if (!same)
		trace_driver.stats.timer_taken = true;
	return same;
}

static void set_compare(uint64_t time)
{
	set_to = time;
	trace_context()->tick = (uint32_t)time;
	hal_timer_at(time);
}

bool trace_timer_needed(const struct run_config *config)
{
	return config->way == RUN_TIMER || config->way == RUN_ADAPT || config->way == RUN_FILL ||
	       (config->sort != 0 && config->way != RUN_OFF && config->way != RUN_STREAM);
}

/* The next timer interrupt: the earliest of the times, or none. */
static void set_timer(void)
{
	if (!is_ours())
		return;
	uint64_t now = hal_time();
	uint32_t wait = UINT32_MAX;
	bool sorts = trace_driver.run.sort != 0;
	if (sorts)
		wait = sort_at - (uint32_t)now;
	if (tick_set && tick_at - (uint32_t)now < wait)
		wait = tick_at - (uint32_t)now;
	/* One that has just passed is as far away as can be. */
	set_compare((sorts || tick_set) ? now + (wait > UINT32_MAX / 2 ? 0 : wait) : UINT64_MAX);
}

void trace_look_in(uint32_t cycles)
{
	tick_at = (uint32_t)hal_time() + cycles;
	tick_set = true;
	set_timer();
}

void trace_look_never(void)
{
	tick_set = false;
}

void trace_timer_start(void)
{
	const struct run_config *run = &trace_driver.run;
	started = trace_timer_needed(run);
	tick_set = false;
	if (!started)
		return;
	before = read_compare();
	trace_driver.stats.timer_taken = (csr_read(mie) & MIE_TIMER) != 0;
	sort_at = (uint32_t)hal_time() + run->sort;
	/* What the handler is to see as taken differs from the program's; it will not meet it in its low half. */
	trace_context()->tick = ~(uint32_t)before;
	if (trace_driver.stats.timer_taken) {
		if (run->way == RUN_FILL)
			tick_set = true;
		return;
	}
	if (run->way == RUN_TIMER) {
		set_compare(hal_time() + run->period);
	} else {
		set_compare(UINT64_MAX);
		if (run->way == RUN_FILL)
			trace_look_in(run->window);
		else
			set_timer();
	}
	csr_set(mie, MIE_TIMER);
}

void trace_timer_stop(void)
{
	if (!started)
		return;
	started = false;
	if (!is_ours())
		return;
	csr_clear(mie, MIE_TIMER);
	hal_timer_at(before);
}

static void sort(void)
{
	struct trace_driver *d = &trace_driver;
	struct table_phase found[4];
	uint32_t heads = 1u << (32 - d->table.shift);
	unsigned n = table_tidy(&d->table, (heads + TRACE_SORT_PARTS - 1) / TRACE_SORT_PARTS, TRACE_SORT_DEPTH,
	    TRACE_SORT_FREQUENCY, found, sizeof found / sizeof *found);
	for (unsigned i = 0; i < n && i < sizeof found / sizeof *found; i++, d->stats.phases++) {
		const struct table_phase *p = &found[i];
		if (d->stats.phases >= TRACE_PHASES)
			continue;
		d->phases[d->stats.phases] = (struct trace_phase){.time = hal_cycles(),
		    .rose = {p->rose->key & ~TABLE_PARTIAL, p->rose->hist, p->rose_count},
		    .sank = {p->sank->key & ~TABLE_PARTIAL, p->sank->hist, p->sank_count}};
	}
	d->stats.sorts++;
	sort_at = (uint32_t)hal_time() + d->run.sort;
}

/* Whether the program takes timer interrupts: it has a vector or a hook of its own. Else it looks at mip, and the
 * interrupt is on because the driver has enabled it. */
static bool program_takes(void)
{
#if TRACE_HAL
	return trace_own_vector() || hal_trap_hook != NULL;
#else
	return true;
#endif
}

/* The handler's: a timer interrupt; of way timer with a buffer those alone that the program has set. Returns whether it
 * is the program's, too. */
int trace_tick(void);
int trace_tick(void)
{
	struct trace_driver *d = &trace_driver;
	uint32_t from = csr_read(mcycle), now = (uint32_t)hal_time();
	bool mine = is_ours();
	if (d->run.way == RUN_TIMER) {
		trace_context()->interrupts++;
		if (trace_count_sample() == 0)
			d->stats.empty++;
		/* Here while it is the driver's only without a buffer: the handler sets the timer itself. */
		if (mine)
			set_compare(hal_time() + trace_context()->period);
	} else {
		d->adapt.bucket = trace_context()->bucket;
		if (tick_set && (!mine || now - tick_at < UINT32_MAX / 2)) {
			if (d->run.way == RUN_FILL)
				trace_fill_tick();
			else
				trace_adapt_tick();
		}
		if (d->run.sort != 0 && now - sort_at < UINT32_MAX / 2)
			sort();
		set_timer();
		trace_charge(from, TRAP_CYCLES);
	}
	if (mine)
		return 0;
	if (program_takes())
		return 1;
	csr_clear(mie, MIE_TIMER);
	return 0;
}
#else
bool trace_timer_needed(const struct run_config *config)
{
	(void)config;
	return false;
}
void trace_timer_start(void) {}
void trace_timer_stop(void) {}
void trace_look_in(uint32_t cycles)
{
	(void)cycles;
}
void trace_look_never(void) {}
#endif
