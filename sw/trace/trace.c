/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/private.h"

/* Way adapt: cycles that the handler takes, not less than it does (docs/firmware.md). */
#define BATCH_CYCLES 78
#define SAMPLE_CYCLES 44

struct trace_driver trace_driver;

static bool set_mie; /* the driver has set mstatus.MIE */

/* ID and CAPS; what traps (a core without a trace unit) stays 0. The program's vectors are not asked: for these few
 * instructions there are none. */
static void read_identity(uint32_t *id, uint32_t *caps)
{
#ifdef TRACE_MMIO_BASE
	*id = trace_get(ID);
	*caps = trace_get(CAPS);
#else
	uint32_t status = csr_read(mstatus), i = 0, c = 0, vector;
	csr_clear(mstatus, MSTATUS_MIE);
	__asm__ volatile(
	    ".option push\n"
	    ".option norvc\n"
	    "	la %2, 1f\n"
	    "	csrrw %2, mtvec, %2\n"
	    "	csrr %0, " HAL_STRING(RV_CSR_ID) "\n"
						 "	csrr %1, " HAL_STRING(RV_CSR_CAPS) "\n"
											   "	.balign 4\n"
											   "1:	csrw mtvec, %2\n"
											   ".option pop\n"
	    : "+r"(i), "+r"(c), "=&r"(vector)
	    :
	    : "memory");
	csr_write(mstatus, status);
	*id = i;
	*caps = c;
#endif
}

int trace_probe(struct trace_features *features)
{
	uint32_t id, caps;
	read_identity(&id, &caps);
	*features = (struct trace_features){0};
	if (TRACE_GET(ID, MAGIC, id) != RV_MAGIC || TRACE_GET(ID, VERSION, id) != RV_VERSION)
		return TRACE_EABSENT;
	features->hist = TRACE_GET(ID, HIST, id);
	features->fifo_depth = TRACE_GET(CAPS, DEPTH, caps);
	features->ranges = TRACE_GET(CAPS, RANGES, caps);
	features->xlen64 = TRACE_GET(CAPS, XLEN64, caps) != 0;
	features->reason = TRACE_GET(CAPS, REASON, caps) != 0;
	features->cycles = TRACE_GET(CAPS, CYCLES, caps) != 0;
	features->insns = TRACE_GET(CAPS, INSNS, caps) != 0;
	features->repeat = TRACE_GET(CAPS, REPEAT, caps) != 0;
	features->sample = TRACE_GET(CAPS, SAMPLE, caps) != 0;
	features->dither = TRACE_GET(CAPS, DITHER, caps) != 0;
	features->mode = TRACE_GET(CAPS, MODE, caps) != 0;
	features->freeze = TRACE_GET(CAPS, FREEZE, caps) != 0;
	features->lost = TRACE_GET(CAPS, LOST, caps) != 0;
	features->lifo = TRACE_GET(CAPS, LIFO, caps) != 0;
	features->context = TRACE_GET(CAPS, CONTEXT, caps) != 0;
	features->term = TRACE_GET(CAPS, TERM, caps) != 0;
	features->table = TRACE_GET(TABLE_CAPS, ENTRIES, trace_get(TABLE_CAPS));
#if TRACE_RATE
	features->table_rate = TRACE_GET(TABLE_CAPS, RATE, trace_get(TABLE_CAPS)) != 0;
#endif
	features->range_start = TRACE_GET(CAPS, RANGE_START, caps) != 0;
	return TRACE_OK;
}

/* A hot trace has changed the period: the mean over the run, by the samples that were taken with each. The few that
 * were on their way at the change count for the new one. */
static uint32_t mean_period(uint32_t first)
{
	const struct trace_driver *d = &trace_driver;
	uint64_t all = table_total(&d->table) + d->table.dropped;
	uint64_t sum = d->before_hot * first + (all - d->before_hot) * (d->run.hot_period + (d->run.dither + 1) / 2);
	return all == 0 ? first : (uint32_t)((sum + all / 2) / all);
}

static bool writes_back(uint32_t wanted, uint32_t got)
{
	return wanted == got;
}

static bool has_rates(const struct run_config *config)
{
	return config->way == RUN_ADAPT || config->way == RUN_FILL;
}

/* Off, and everything that an earlier run left, away. */
static void reset_unit(void)
{
	trace_put(CTRL, 0);
	if (trace_driver.found.context) {
		trace_put(CUR_HIST, 0);
		trace_put(DEPTH, 0);
	}
	trace_discard();
	trace_put(STATUS, TRACE_MASK(STATUS, SAMPLE));
	trace_put(LOST, 0);
#if TRACE_RATE
	if (trace_driver.found.table_rate) {
		uint32_t rate = trace_driver.run.way == RUN_TABLE ? trace_driver.run.rate : 0;
		trace_put(TABLE_POLICY, rate == RUN_RATE_HOLD ? TRACE_MASK(TABLE_POLICY, HOLD) : rate);
		trace_put(TABLE_MISSED, 0);
	}
#endif
}

static int set_sampling(const struct run_config *config)
{
	trace_put(DITHER, config->dither);
	trace_put(LFSR, config->seed);
	trace_put(PERIOD, config->hot_period);
	if (!writes_back(config->hot_period, trace_get(PERIOD)))
		return TRACE_EPERIOD;
	trace_put(PERIOD, config->period);
	if (!writes_back(config->period, trace_get(PERIOD)))
		return TRACE_EPERIOD;
	trace_put(COUNTER, config->period);
	trace_driver.stats.period = config->period + (config->dither + 1) / 2;
	if (has_rates(config)) {
		trace_set_rate();
		trace_driver.stats.period = trace_driver.high_period + (config->dither + 1) / 2;
	}
	return TRACE_OK;
}

static void set_words(const struct run_config *config)
{
	const struct trace_driver *d = &trace_driver;
	*trace_context() = (struct trace_context){.hash = TABLE_HASH,
	    .shift = d->table.shift,
	    .heads = d->table.heads,
	    .period = config->period,
	    .level = has_rates(config) ? d->adapt.level : 0,
	    .step = UINT32_MAX << d->adapt.config.step_bits,
	    .bucket = d->adapt.bucket,
	    .batch = (int32_t)(BATCH_CYCLES + SAMPLE_CYCLES * config->watermark),
	    .dither = config->dither};
}

/* Enables the trace interrupt, and sets mstatus.MIE where that enables no interrupt of the program. A program with
 * interrupts of its own decides itself when they come, and the trace interrupt with them. */
static void enable_interrupts(const struct run_config *config)
{
	bool asynchronous = config->way != RUN_STREAM;
	set_mie = asynchronous && (csr_read(mstatus) & MSTATUS_MIE) == 0 && csr_read(mie) == 0;
	trace_timer_start();
	if (asynchronous && config->way != RUN_TIMER && config->way != RUN_FILL)
		csr_set(mie, 1u << TRACE_IRQ);
	if (set_mie)
		csr_set(mstatus, MSTATUS_MIE);
}

int trace_prepare(const struct run_config *config, void *memory, size_t size)
{
	struct trace_driver *d = &trace_driver;
	uint32_t ctrl = 0;
	trace_stop();
	d->enable = 0;
	d->counted = d->waiting = false;
	d->run = *config;
	/* One look at a time, and the program in between. */
	if (d->run.sort != 0 && d->run.sort < TRACE_SORT_MIN)
		d->run.sort = TRACE_SORT_MIN;
	d->stats = (struct trace_stats){0};
	/* Samples of way timer count in parts of themselves: about that many for one. */
	uint32_t threshold = has_rates(config) ? 0 : config->threshold;
	if (table_init(&d->table, memory, size, threshold) < 0)
		return TRACE_EMEMORY;
	int error = trace_probe(&d->found);
	if (error < 0)
		return error;
	if (config->way == RUN_OFF)
		return TRACE_OK;
	error = trace_check(config, &ctrl);
	if (error < 0)
		return error;
	if (d->first)
		d->table.threshold = threshold > UINT32_MAX >> TRACE_TIMER_BITS ? 0 : threshold << TRACE_TIMER_BITS;

	reset_unit();
	trace_put(RANGE0_LO, config->range_lo);
	trace_put(RANGE0_HI, config->range_hi);
	trace_put(WATERMARK, trace_has_watermark(config) ? config->watermark : 0);
	if (has_rates(config) && (error = trace_check_rates(config)) < 0)
		return error;
	d->stats.period = config->way == RUN_TIMER ? 0 : 1;
	if ((ctrl & TRACE_MASK(CTRL, SAMPLE)) != 0 && (error = set_sampling(config)) < 0)
		return error;
	/* All modes where there is a filter; the bits that do not exist are checked by what can be read back. */
	trace_put(CTRL, ctrl | TRACE_MASK(CTRL, MODES));
	uint32_t back = trace_get(CTRL);
	if (!writes_back(ctrl, back & ~TRACE_MASK(CTRL, MODES))) {
		trace_put(CTRL, 0);
		return TRACE_ECTRL;
	}
	d->stats.ctrl = back | TRACE_MASK(CTRL, ENABLE);
	set_words(config);
	if (config->way != RUN_STREAM && (error = trace_vectors_set()) < 0) {
		trace_put(CTRL, 0);
		return error;
	}
	enable_interrupts(config);
	d->enable = TRACE_MASK(CTRL, ENABLE);
	return TRACE_OK;
}

/* Not inlined: the traced region begins and ends at the same two instructions, however they are called. Without a unit
 * the register must not be touched. */
__attribute__((noinline)) void trace_start(void)
{
	if (trace_driver.found.hist != 0)
		trace_put_bits(CTRL, trace_driver.enable);
}

/* The program's vectors and interrupts, as it has them now. */
static void leave_interrupts(void)
{
	struct trace_driver *d = &trace_driver;
	bool mie_on = (csr_read(mstatus) & MSTATUS_MIE) != 0;
	csr_clear(mstatus, MSTATUS_MIE);
	if (d->run.way != RUN_STREAM) {
		d->stats.interrupt_off = d->run.way != RUN_TIMER && d->run.way != RUN_FILL && !d->waiting &&
					 (csr_read(mie) & 1u << TRACE_IRQ) == 0;
		csr_clear(mie, 1u << TRACE_IRQ);
		trace_timer_stop();
		d->stats.vector_taken = !trace_vectors_leave();
	}
	/* A program that has enabled interrupts of its own in the meantime has set MIE too, which was on already. */
	if (mie_on && (!set_mie || csr_read(mie) != 0))
		csr_set(mstatus, MSTATUS_MIE);
}

__attribute__((noinline)) void trace_stop(void)
{
	struct trace_driver *d = &trace_driver;
	if (d->found.hist != 0)
		trace_clear_bits(CTRL, TRACE_MASK(CTRL, ENABLE));
	if (d->enable == 0)
		return;
	d->enable = 0;
	leave_interrupts();

	/* A handler of one record an interrupt has no need to count them; empty ones have been counted apart. Records
	 * of several traces do not come to these handlers. */
	d->stats.interrupts =
	    d->counted ? trace_context()->interrupts : table_total(&d->table) + d->table.dropped + d->stats.empty;
	if (d->run.way == RUN_TIMER || d->run.way == RUN_STREAM) {
		trace_discard();
	} else {
		/* CTRL.IE does not matter any more, and the pair that was under way is in the buffer by now (see
		 * trace_discard()). */
#if TRACE_HAL
		uint64_t from = hal_cycles(), first = hal_instructions();
#endif
		trace_count_rest();
		if (d->run.way == RUN_TABLE) {
			d->stats.thrown_out = trace_context()->records;
			trace_drain_table();
#if TRACE_HAL
			d->stats.drain_cycles = hal_cycles() - from;
			d->stats.drain_instructions = hal_instructions() - first;
#endif
		}
		d->stats.lost = trace_get(LOST);
#if TRACE_RATE
		if (d->run.way == RUN_TABLE && d->run.rate != 0)
			d->stats.missed = trace_get(TABLE_MISSED);
		if (d->run.way == RUN_TABLE && d->run.rate == RUN_RATE_HOLD)
			d->stats.lost += d->stats.missed;
#endif
	}
	d->stats.dropped = d->table.dropped;
	if (d->stats.adapted && (d->stats.ctrl & TRACE_MASK(CTRL, SAMPLE)) != 0)
		d->stats.period = mean_period(d->stats.period);
	if (d->run.way == RUN_ADAPT) {
		d->stats.raised = d->adapt.raised;
		d->stats.lowered = d->adapt.lowered;
		d->stats.limited = d->adapt.limited;
	}
}

void trace_stats(struct trace_stats *out)
{
	*out = trace_driver.stats;
}

const struct trace_phase *trace_phase(unsigned index)
{
	return &trace_driver.phases[index];
}

struct table *trace_table(void)
{
	return &trace_driver.table;
}

const struct trace_features *trace_found(void)
{
	return &trace_driver.found;
}
