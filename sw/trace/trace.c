/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/trace.h"
#include "sw/hal/hal.h"
#include "sw/trace/adapt.h"
#include "sw/trace/handler.h"

/* The handler's words in the interrupt area. */
struct trace_context {
	uint32_t hash, shift;
	struct table_entry **heads;
	uint32_t period;      /* way timer */
	uint32_t interrupts;  /* counted by the handlers that drain the buffer */
	uint32_t level, step; /* way adapt: see the handler */
	int32_t bucket, batch;
};
extern uint8_t hal_area[AREA_SIZE];
static volatile struct trace_context *context(void)
{
	return (volatile struct trace_context *)(void *)(hal_area + AREA_FAST);
}
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
_Static_assert(AREA_FAST + sizeof(struct trace_context) <= AREA_SIZE, "the handler's words fit");

extern const uint32_t trace_vectors_single[], trace_vectors_drain[], trace_vectors_repeat[], trace_vectors_timer[],
    trace_vectors_adapt[];

static struct trace_features found;
static struct table table;
static struct trace_stats stats;
static struct run_config run;
static uint64_t before_hot; /* samples before a hot trace changed the period */
static uint32_t enable;     /* CTRL.ENABLE, or 0 if nothing is to be collected */
static bool counted;        /* the handler counts its interrupts */

/* Way adapt: cycles that the handler takes, not less than it does (docs/firmware.md). */
#define BATCH_CYCLES 75
#define SAMPLE_CYCLES 44
#define CALL_CYCLES 72   /* around trace_slow(), trace_empty() */
#define TRAP_CYCLES 200  /* around on_timer() */
#define WAIT_CYCLES 1800 /* what a wait takes itself, at its beginning and its end: there must be enough for it */
#define LEVEL_MAX 15u    /* cycles of a record, 16 bits, shifted by it do not pass 32 bits */
static struct adapt adapt;
static uint32_t high_period; /* PERIOD at level 0 */
static uint32_t tick_at;     /* low half of mtime: adapt is to be looked at; if tick_set */
static uint32_t sort_at;
static bool tick_set, waiting; /* waiting: for the bucket to fill, with the trace interrupt off */
static int (*hook_before)(struct hal_frame *);
static struct trace_phase phases[TRACE_PHASES];

const char *trace_strerror(int error)
{
	switch (error) {
	case TRACE_OK:
		return "no error";
	case TRACE_EABSENT:
		return "there is no trace unit";
	case TRACE_EHIST:
		return "the trace unit's history or addresses are longer than 32 bits";
	case TRACE_EWAY:
		return "the trace unit was not built for this way to collect";
	case TRACE_ECTRL:
		return "the trace unit does not have the CTRL bits asked for, or they do not go with the way to "
		       "collect";
	case TRACE_EPERIOD:
		return "period, dither or watermark is 0 or too large";
	case TRACE_ETIMER:
		return "a period of way timer is shorter than 512 cycles, so its handler would take all of them";
	case TRACE_EMEMORY:
		return "the memory for the trace table is too small";
	default:
		return "unknown error";
	}
}

/* A core without a trace unit: the access traps, is skipped, and leaves the register as it was. */
static int skip_access(struct hal_frame *frame)
{
	if (csr_read(mcause) != 2)
		return -1;
	frame->pc += 4; /* Zicsr instructions have four bytes */
	return 0;
}

int trace_probe(struct trace_features *features)
{
	int (*hook)(struct hal_frame *) = hal_trap_hook;
	uint32_t id = 0, caps = 0;
	hal_trap_hook = skip_access;
	__asm__ volatile("csrr %0, " HAL_STRING(RV_CSR_ID) : "+r"(id) : : "memory");
	__asm__ volatile("csrr %0, " HAL_STRING(RV_CSR_CAPS) : "+r"(caps) : : "memory");
	hal_trap_hook = hook;

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
	return TRACE_OK;
}

/* Inline: the handler's callers use 32 bits of each member, and what they do not use is not stored. */
static inline int take(struct record *record)
{
	if ((csr_read(RV_CSR_STATUS) & TRACE_MASK(STATUS, NONEMPTY)) == 0)
		return 0;
	record->start = csr_read(RV_CSR_REC_START);
	record->hist = csr_read(RV_CSR_REC_HIST);
	uint32_t info = csr_read(RV_CSR_REC_INFO);
	record->reason = (uint8_t)TRACE_GET(REC_INFO, REASON, info);
	record->count = TRACE_GET(REC_INFO, REPEAT, info);
	record->insns = TRACE_GET(REC_INFO, INSNS, info);
	record->timed = found.cycles ? record->count : 0;
	record->cycles = csr_read(RV_CSR_REC_CYCLES);
	csr_write(RV_CSR_POP, 0);
	return 1;
}

int trace_read(struct record *record)
{
	return take(record);
}

static int add(const struct record *record, uint32_t weight, uint32_t cycles)
{
	return table_add(
	    &table, (uint32_t)record->start, (uint32_t)record->hist, record->reason, weight, cycles, record->insns);
}

/* The next timer interrupt: the earlier of the two times, or none. */
static void set_timer(void)
{
	uint64_t now = hal_time();
	uint32_t wait = UINT32_MAX;
	if (run.sort != 0)
		wait = sort_at - (uint32_t)now;
	if (tick_set && tick_at - (uint32_t)now < wait)
		wait = tick_at - (uint32_t)now;
	/* One that has just passed is as far away as can be. */
	hal_timer_at((run.sort != 0 || tick_set) ? now + (wait > UINT32_MAX / 2 ? 0 : wait) : UINT64_MAX);
}

static void look_in(uint32_t cycles)
{
	tick_at = (uint32_t)hal_time() + cycles;
	tick_set = true;
	set_timer();
}

static uint32_t period_of(unsigned level)
{
	/* The mean with the random part is the mean of level 0, shifted. */
	return (high_period << level) + (run.dither * ((1u << level) - 1)) / 2;
}

/* The rate is that of adapt.level from here on; the running period ends. */
static void set_rate(void)
{
	context()->level = adapt.level;
	csr_write(RV_CSR_PERIOD, period_of(adapt.level));
	csr_write(RV_CSR_COUNTER, period_of(adapt.level));
}

/* A hot trace has changed the period: the mean over the run, by the samples that were taken with each. The few that
 * were on their way at the change count for the new one. */
static uint32_t mean_period(uint32_t first)
{
	uint64_t all = table_total(&table) + table.dropped;
	uint64_t sum = before_hot * first + (all - before_hot) * (run.hot_period + (run.dither + 1) / 2);
	return all == 0 ? first : (uint32_t)((sum + all / 2) / all);
}

static void count_adapting(const struct record *record)
{
	uint32_t weight = 1u << context()->level;
	add(record, weight, (uint32_t)record->cycles << context()->level);
	struct table_entry *found_entry = table.found;
	if (found_entry == NULL ||
	    ((found_entry->count ^ (found_entry->count - weight)) >> adapt.config.step_bits) == 0)
		return;
	if ((found_entry->flags & TABLE_HOT) == 0) {
		found_entry->flags |= TABLE_HOT;
		table.hot++;
	}
	if (!adapt_step(&adapt, found_entry, csr_read(mcycle)))
		return;
	/* The records in the buffer were sampled at the old rate. */
	struct record rest;
	while (take(&rest) != 0)
		add(&rest, weight, (uint32_t)rest.cycles << context()->level);
	set_rate();
	look_in(adapt.config.window);
}

/* Counts the record at the head. */
static int count_one(void)
{
	struct record record;
	if (take(&record) == 0)
		return 0;
	if (run.way == RUN_ADAPT) {
		count_adapting(&record);
		return 1;
	}
	int events = add(&record, (uint32_t)record.count, (uint32_t)record.cycles);
	if ((events & TABLE_BECAME_HOT) != 0 && !stats.adapted && run.hot_period != 0) {
		/* Step 842. The running period ends as it was; the next has the new length. */
		stats.adapted = true;
		before_hot = table_total(&table) + table.dropped;
		if (run.way == RUN_TIMER)
			context()->period = run.hot_period;
		else if (found.sample)
			csr_write(RV_CSR_PERIOD, run.hot_period);
	}
	return 1;
}

/* Way adapt: what has been done since from, and what lies around it, comes out of the bucket. */
static void charge(uint32_t from, uint32_t around)
{
	context()->bucket = adapt.bucket - (int32_t)(csr_read(mcycle) - from + around);
}

/* The handler's rare cases (handler.S). Runs on the interrupt stack. */
void trace_slow(void);
void trace_slow(void)
{
	uint32_t from = csr_read(mcycle);
	adapt.bucket = context()->bucket;
	if (count_one() == 0)
		stats.empty++;
	charge(from, CALL_CYCLES);
}

static void count_rest(void)
{
	while (count_one() != 0)
		;
}

/* The handler's, way adapt: the bucket is empty. */
void trace_empty(void);
void trace_empty(void)
{
	uint32_t from = csr_read(mcycle);
	unsigned level = adapt.level;
	adapt.bucket = context()->bucket;
	adapt.bucket -= WAIT_CYCLES;
	uint32_t wait = adapt_empty(&adapt, from);
	adapt.bucket += WAIT_CYCLES;
	if (adapt.level != level) {
		count_rest();
		set_rate();
	}
	if (wait != 0) {
		csr_clear(mie, 1u << IRQ_TRACE);
		waiting = true;
		look_in(wait);
	}
	charge(from, CALL_CYCLES);
}

static void tick(void)
{
	if (waiting) {
		uint32_t wait = adapt_wait(&adapt, csr_read(mcycle));
		if (wait != 0) {
			look_in(wait);
			return;
		}
		waiting = false;
		csr_set(mie, 1u << IRQ_TRACE);
	}
	if (adapt_tick(&adapt, csr_read(mcycle))) {
		uint32_t level = adapt.level;
		count_rest();
		/* A step among them may have raised it. */
		if (adapt.level == level)
			set_rate();
	}
	tick_set = false;
	if (adapt_ticks(&adapt))
		look_in(adapt.config.window);
}

static void sort(void)
{
	struct table_phase found_phases[4];
	uint32_t heads = 1u << (32 - table.shift);
	unsigned n = table_tidy(&table, (heads + TRACE_SORT_PARTS - 1) / TRACE_SORT_PARTS, TRACE_SORT_DEPTH,
	    TRACE_SORT_FREQUENCY, found_phases, sizeof found_phases / sizeof *found_phases);
	for (unsigned i = 0; i < n && i < sizeof found_phases / sizeof *found_phases; i++, stats.phases++) {
		const struct table_phase *p = &found_phases[i];
		if (stats.phases >= TRACE_PHASES)
			continue;
		phases[stats.phases] = (struct trace_phase){.time = hal_cycles(),
		    .rose = {p->rose->key & ~TABLE_PARTIAL, p->rose->hist, p->rose_count},
		    .sank = {p->sank->key & ~TABLE_PARTIAL, p->sank->hist, p->sank_count}};
	}
	stats.sorts++;
	sort_at = (uint32_t)hal_time() + run.sort;
}

const struct trace_phase *trace_phase(unsigned index)
{
	return &phases[index];
}

/* The timer interrupt of the ways that do not sample by it. */
static int on_timer(struct hal_frame *frame)
{
	if (csr_read(mcause) != (0x80000000u | IRQ_TIMER))
		return hook_before != NULL ? hook_before(frame) : -1;
	uint32_t from = csr_read(mcycle), now = (uint32_t)hal_time();
	adapt.bucket = context()->bucket;
	if (tick_set && now - tick_at < UINT32_MAX / 2)
		tick();
	if (run.sort != 0 && now - sort_at < UINT32_MAX / 2)
		sort();
	set_timer();
	charge(from, TRAP_CYCLES);
	return 0;
}

static void discard(void)
{
	struct record record;
	/* The current pair is handed over in the second cycle after ENABLE went, a repeat record in the third; the
	 * instructions up to here have taken longer than that. */
	while (take(&record) != 0)
		;
}

static bool writes_back(uint32_t wanted, uint32_t got)
{
	return wanted == got;
}

/* The parts of way adapt's configuration that go together. */
static int check_adapt(const struct run_config *config)
{
	uint32_t high = config->hot_period != 0 ? config->hot_period : config->period / 8;
	if (high == 0 || config->period < high || config->threshold < 2 || config->window == 0 ||
	    config->window > UINT32_MAX / 4 || config->share == 0 || config->share > 1000000)
		return TRACE_EPERIOD;
	csr_write(RV_CSR_PERIOD, UINT32_MAX);
	uint32_t largest = csr_read(RV_CSR_PERIOD) / 2;
	struct adapt_config c = {.window = config->window, .share = config->share};
	high_period = high;
	while (c.levels < LEVEL_MAX && high << (c.levels + 1) <= config->period)
		c.levels++;
	c.lowest = c.levels;
	while (c.lowest < LEVEL_MAX && period_of(c.lowest + 1) < largest)
		c.lowest++;
	for (c.step_bits = c.levels; config->threshold >> (c.step_bits - c.levels + 1) != 0 && c.step_bits < 31;)
		c.step_bits++;
	adapt_init(&adapt, &c, csr_read(mcycle));
	return TRACE_OK;
}

/* Whether config can be done with what was found; the CTRL bits of the way are put into *ctrl. */
static int check(const struct run_config *config, uint32_t *ctrl)
{
	const uint32_t extra = TRACE_MASK(CTRL, NO_BACKWARD) | TRACE_MASK(CTRL, NO_INDIRECT) |
			       TRACE_MASK(CTRL, HANDLERS) | TRACE_MASK(CTRL, REPEAT) | TRACE_MASK(CTRL, LIFO);
	uint32_t bits = config->ctrl;

	if (found.hist > 32 || found.xlen64)
		return TRACE_EHIST;
	if ((bits & ~extra) != 0)
		return TRACE_ECTRL;
	switch (config->way) {
	case RUN_EVERY:
		if (!found.freeze)
			return TRACE_EWAY;
		if ((bits & TRACE_MASK(CTRL, HANDLERS)) != 0)
			return TRACE_ECTRL;
		bits |= TRACE_MASK(STATUS, NONEMPTY) << TRACE_LSB(CTRL, IE);
		break;
	case RUN_TIMER:
		if (found.fifo_depth != 0 && !found.lifo)
			return TRACE_EWAY;
		if (config->period < TRACE_PERIOD_MIN ||
		    (config->hot_period != 0 && config->hot_period < TRACE_PERIOD_MIN))
			return TRACE_ETIMER;
		/* A repeat record stays out of the buffer while it grows: the last trace would be an old one. */
		if ((bits & TRACE_MASK(CTRL, REPEAT)) != 0)
			return TRACE_ECTRL;
		if (found.fifo_depth != 0)
			bits |= TRACE_MASK(CTRL, LIFO);
		break;
	case RUN_SAMPLE:
	case RUN_WATERMARK:
	case RUN_FULL:
	case RUN_ADAPT:
		if (!found.sample || (config->dither != 0 && !found.dither))
			return TRACE_EWAY;
		if (config->period == 0 || config->dither > 0xFFFF)
			return TRACE_EPERIOD;
		bits |= TRACE_MASK(CTRL, SAMPLE);
		if (config->way == RUN_SAMPLE) {
			bits |= TRACE_MASK(STATUS, NONEMPTY) << TRACE_LSB(CTRL, IE);
			break;
		}
		if (found.fifo_depth == 0)
			return TRACE_EWAY;
		if (config->way == RUN_FULL) {
			bits |= TRACE_MASK(STATUS, FULL) << TRACE_LSB(CTRL, IE);
			break;
		}
		if (config->watermark == 0 || config->watermark > found.fifo_depth)
			return TRACE_EPERIOD;
		bits |= TRACE_MASK(STATUS, WATERMARK) << TRACE_LSB(CTRL, IE);
		break;
	case RUN_STREAM:
		break;
	default:
		return TRACE_EWAY;
	}
	*ctrl = bits;
	return TRACE_OK;
}

int trace_prepare(const struct run_config *config, void *memory, size_t size)
{
	uint32_t ctrl = 0;

	enable = 0;
	counted = tick_set = waiting = false;
	run = *config;
	/* One look at a time, and the program in between. */
	if (run.sort != 0 && run.sort < TRACE_SORT_MIN)
		run.sort = TRACE_SORT_MIN;
	stats = (struct trace_stats){0};
	if (table_init(&table, memory, size, config->way == RUN_ADAPT ? 0 : config->threshold) < 0)
		return TRACE_EMEMORY;
	int error = trace_probe(&found);
	if (error < 0)
		return error;
	if (config->way == RUN_OFF)
		return TRACE_OK;
	error = check(config, &ctrl);
	if (error < 0)
		return error;

	/* Off, and everything that an earlier run left, away. */
	csr_write(RV_CSR_CTRL, 0);
	if (found.context) {
		csr_write(RV_CSR_CUR_HIST, 0);
		csr_write(RV_CSR_DEPTH, 0);
	}
	discard();
	csr_write(RV_CSR_STATUS, TRACE_MASK(STATUS, SAMPLE));
	csr_write(RV_CSR_LOST, 0);
	csr_write(RV_CSR_WATERMARK, config->way == RUN_WATERMARK || config->way == RUN_ADAPT ? config->watermark : 0);
	if ((ctrl & TRACE_MASK(CTRL, SAMPLE)) != 0) {
		csr_write(RV_CSR_DITHER, config->dither);
		csr_write(RV_CSR_LFSR, config->seed);
		if (config->way == RUN_ADAPT && (error = check_adapt(config)) < 0)
			return error;
		csr_write(RV_CSR_PERIOD, config->hot_period);
		if (!writes_back(config->hot_period, csr_read(RV_CSR_PERIOD)))
			return TRACE_EPERIOD;
		csr_write(RV_CSR_PERIOD, config->period);
		if (!writes_back(config->period, csr_read(RV_CSR_PERIOD)))
			return TRACE_EPERIOD;
		csr_write(RV_CSR_COUNTER, config->period);
		stats.period = config->period + (config->dither + 1) / 2;
		if (config->way == RUN_ADAPT) {
			set_rate();
			stats.period = high_period + (config->dither + 1) / 2;
		}
	} else {
		stats.period = config->way == RUN_TIMER ? 0 : 1;
	}
	/* All modes where there is a filter; the bits that do not exist are checked by what can be read back. */
	csr_write(RV_CSR_CTRL, ctrl | TRACE_MASK(CTRL, MODES));
	uint32_t back = csr_read(RV_CSR_CTRL);
	if (!writes_back(ctrl, back & ~TRACE_MASK(CTRL, MODES))) {
		csr_write(RV_CSR_CTRL, 0);
		return TRACE_ECTRL;
	}
	stats.ctrl = back | TRACE_MASK(CTRL, ENABLE);

	*context() = (struct trace_context){.hash = TABLE_HASH,
	    .shift = table.shift,
	    .heads = table.heads,
	    .period = config->period,
	    .level = config->way == RUN_ADAPT ? adapt.level : 0,
	    .step = UINT32_MAX << adapt.config.step_bits,
	    .bucket = adapt.bucket,
	    .batch = (int32_t)(BATCH_CYCLES + SAMPLE_CYCLES * config->watermark)};
	const uint32_t *vectors = trace_vectors_single;
	if (config->way == RUN_TIMER) {
		vectors = trace_vectors_timer;
	} else if (config->way == RUN_ADAPT) {
		vectors = trace_vectors_adapt;
		counted = true;
	} else if (config->way == RUN_WATERMARK || config->way == RUN_FULL) {
		vectors = trace_vectors_drain;
		counted = true;
	} else if ((ctrl & TRACE_MASK(CTRL, REPEAT)) != 0) {
		vectors = trace_vectors_repeat;
		counted = true;
	}
	csr_write(mtvec, (uint32_t)vectors + 1);
	if (config->way == RUN_TIMER) {
		hal_timer_at(hal_time() + config->period);
		csr_set(mie, 1u << IRQ_TIMER);
	} else if (config->way != RUN_STREAM) {
		hook_before = hal_trap_hook;
		hal_trap_hook = on_timer;
		sort_at = (uint32_t)hal_time() + config->sort;
		set_timer();
		csr_set(mie, 1u << IRQ_TRACE | 1u << IRQ_TIMER);
	}
	csr_set(mstatus, MSTATUS_MIE);
	enable = TRACE_MASK(CTRL, ENABLE);
	return TRACE_OK;
}

/* Not inlined: the traced region begins and ends at the same two instructions, however they are called. Without a unit
 * the register must not be touched. */
__attribute__((noinline)) void trace_start(void)
{
	if (found.hist != 0)
		csr_set(RV_CSR_CTRL, enable);
}

__attribute__((noinline)) void trace_stop(void)
{
	if (found.hist != 0)
		csr_clear(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
	if (enable == 0)
		return;
	enable = 0;
	csr_clear(mstatus, MSTATUS_MIE);
	csr_clear(mie, 1u << IRQ_TRACE | 1u << IRQ_TIMER);
	csr_write(mtvec, (uint32_t)hal_vectors + 1);
	if (run.way != RUN_TIMER && run.way != RUN_STREAM)
		hal_trap_hook = hook_before;

	/* A handler of one record an interrupt has no need to count them; empty ones have been counted apart. Records
	 * of several traces do not come to these handlers. */
	stats.interrupts = counted ? context()->interrupts : table_total(&table) + table.dropped + stats.empty;
	if (run.way == RUN_TIMER || run.way == RUN_STREAM) {
		discard();
	} else {
		/* CTRL.IE does not matter any more, and the pair that was under way is in the buffer by now (see
		 * discard()). */
		count_rest();
		stats.lost = csr_read(RV_CSR_LOST);
	}
	stats.dropped = table.dropped;
	if (stats.adapted && (stats.ctrl & TRACE_MASK(CTRL, SAMPLE)) != 0)
		stats.period = mean_period(stats.period);
	if (run.way == RUN_ADAPT) {
		stats.raised = adapt.raised;
		stats.lowered = adapt.lowered;
		stats.limited = adapt.limited;
	}
}

void trace_stats(struct trace_stats *out)
{
	*out = stats;
}

struct table *trace_table(void)
{
	return &table;
}

const struct trace_features *trace_found(void)
{
	return &found;
}
