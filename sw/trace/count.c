/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Records into the table, and the rates that follow from what is counted. Runs in the handler, on its stack, but for
 * trace_read() and what trace_stop() calls. */
#include "sw/trace/private.h"

#define CALL_CYCLES 72   /* around trace_slow(), trace_empty() */
#define WAIT_CYCLES 1800 /* what a wait takes itself, at its beginning and its end: there must be enough for it */
#define TIMER_UNIT (1u << TIMER_UNIT_BITS)

/* Inline: the handler's callers use 32 bits of each member, and what they do not use is not stored. */
static inline int take(struct record *record)
{
	if ((trace_get(STATUS) & TRACE_MASK(STATUS, NONEMPTY)) == 0)
		return 0;
	record->start = trace_get(REC_START);
	record->hist = trace_get(REC_HIST);
	uint32_t info = trace_get(REC_INFO);
	record->reason = (uint8_t)TRACE_GET(REC_INFO, REASON, info);
	record->count = trace_driver.found.table != 0 ? trace_get(REC_COUNT) : TRACE_GET(REC_INFO, REPEAT, info);
	record->insns = TRACE_GET(REC_INFO, INSNS, info);
	record->timed = trace_driver.found.cycles ? record->count : 0;
	record->cycles = trace_get(REC_CYCLES);
	trace_put(POP, 0);
	return 1;
}

int trace_read(struct record *record)
{
	return take(record);
}

void trace_discard(void)
{
	struct record record;
	/* The current pair is handed over in the second cycle after ENABLE went, a repeat record in the third; the
	 * instructions up to here have taken longer than that. */
	while (take(&record) != 0)
		;
}

static int add(const struct record *record, uint32_t weight, uint32_t cycles)
{
	return table_add(&trace_driver.table, (uint32_t)record->start, (uint32_t)record->hist, record->reason, weight,
	    cycles, record->insns);
}

uint32_t trace_period_of(unsigned level)
{
	/* The mean with the random part is the mean of level 0, shifted. */
	return (trace_driver.high_period << level) + (trace_driver.run.dither * ((1u << level) - 1)) / 2;
}

void trace_set_rate(void)
{
	unsigned level = trace_driver.adapt.level;
	trace_context()->level = level;
	trace_put(PERIOD, trace_period_of(level));
	trace_put(COUNTER, trace_period_of(level));
}

/* A record counts for all that ran at its rate: 1 << level periods of the high rate. */
static void add_weighted(const struct record *record)
{
	uint32_t level = trace_context()->level;
	add(record, 1u << level, (uint32_t)record->cycles << level);
}

static void count_adapting(const struct record *record)
{
	struct trace_driver *d = &trace_driver;
	uint32_t weight = 1u << trace_context()->level;
	add_weighted(record);
	struct table_entry *entry = d->table.found;
	if (entry == NULL || ((entry->count ^ (entry->count - weight)) >> d->adapt.config.step_bits) == 0)
		return;
	if ((entry->flags & TABLE_HOT) == 0) {
		entry->flags |= TABLE_HOT;
		d->table.hot++;
	}
	if (!adapt_step(&d->adapt, entry, csr_read(mcycle)))
		return;
	/* The records in the buffer were sampled at the old rate. */
	struct record rest;
	while (take(&rest) != 0)
		add_weighted(&rest);
	trace_set_rate();
	trace_look_in(d->adapt.config.window);
}

/* Step 842. The running period ends as it was; the next has the new length. */
static void became_hot(void)
{
	struct trace_driver *d = &trace_driver;
	d->stats.adapted = true;
	d->before_hot = table_total(&d->table) + d->table.dropped;
	if (d->run.way == RUN_TIMER)
		trace_context()->period = d->run.hot_period;
	else if (d->found.sample)
		trace_put(PERIOD, d->run.hot_period);
}

static int count_one(void)
{
	struct trace_driver *d = &trace_driver;
	struct record record;
	if (take(&record) == 0)
		return 0;
	if (d->run.way == RUN_ADAPT) {
		count_adapting(&record);
		return 1;
	}
	if (d->run.way == RUN_FILL) {
		add_weighted(&record);
		return 1;
	}
	uint32_t weight = (uint32_t)record.count, cycles = (uint32_t)record.cycles;
	if (d->first) {
		/* Met with a probability proportional to its cycles (handler.S, COUNT_WEIGHED). */
		cycles = cycles > TRACE_ENTRY_CYCLES ? cycles - TRACE_ENTRY_CYCLES : 1;
		weight = cycles > TIMER_UNIT ? 1 : TIMER_UNIT / cycles;
		cycles *= weight;
	}
	if ((add(&record, weight, cycles) & TABLE_BECAME_HOT) != 0 && !d->stats.adapted && d->run.hot_period != 0)
		became_hot();
	return 1;
}

int trace_count_sample(void)
{
	int counted = count_one();
	if (trace_driver.first)
		trace_discard();
	return counted;
}

void trace_count_rest(void)
{
	while (count_one() != 0)
		;
}

void trace_charge(uint32_t from, uint32_t around)
{
	trace_context()->bucket = trace_driver.adapt.bucket - (int32_t)(csr_read(mcycle) - from + around);
}

/* The same for records of the unit's table, when many are there: what the entry has already is counted here. */
static void count_tabled(void)
{
	struct table *table = &trace_driver.table;
	uint32_t hist;
	while ((hist = trace_get(REC_HIST)) != 0) {
		uint32_t start = trace_get(REC_START), info = trace_get(REC_INFO), more = trace_get(REC_COUNT),
			 cycles = trace_get(REC_CYCLES), reason = TRACE_GET(REC_INFO, REASON, info);
		struct table_entry *entry = table->heads[table_head(table, start, hist)];
		uint32_t key = start | (reason >= 4 ? TABLE_PARTIAL : 0), count = entry->count + more,
			 sum = entry->cycles + cycles;
		if (entry->hist != hist || entry->key != key || count < more || sum < cycles) {
			if (count_one() == 0)
				return;
			continue;
		}
		entry->count = count;
		entry->cycles = sum;
		trace_put(POP, 0);
	}
}

/* Way table: what is in the unit's table comes out of it as fast as it is taken here; the last two are still on their
 * way when DRAIN is 0 again, for less long than the next look takes. */
void trace_drain_table(void)
{
	trace_put(TABLE, TRACE_MASK(TABLE, DRAIN));
	while ((trace_get(TABLE) & TRACE_MASK(TABLE, DRAIN)) != 0)
		count_tabled();
	count_tabled();
}

/* The handler's rare cases (handler.S). */
void trace_slow(void);
void trace_slow(void)
{
	uint32_t from = csr_read(mcycle);
	trace_driver.adapt.bucket = trace_context()->bucket;
	if (count_one() == 0)
		trace_driver.stats.empty++;
	trace_charge(from, CALL_CYCLES);
}

int trace_interrupt(void)
{
	int records = 0;
	trace_context()->interrupts++;
	while (count_one() != 0)
		records++;
	return records;
}

/* The handler's, way adapt: the bucket is empty. */
void trace_empty(void);
void trace_empty(void)
{
	struct adapt *adapt = &trace_driver.adapt;
	uint32_t from = csr_read(mcycle);
	unsigned level = adapt->level;
	adapt->bucket = trace_context()->bucket;
	adapt->bucket -= WAIT_CYCLES;
	uint32_t wait = adapt_empty(adapt, from);
	adapt->bucket += WAIT_CYCLES;
	if (adapt->level != level) {
		trace_count_rest();
		trace_set_rate();
	}
	/* Without a timer nobody would end the wait. */
	if (wait != 0 && !trace_driver.stats.timer_taken) {
		csr_clear(mie, 1u << TRACE_IRQ);
		trace_driver.waiting = true;
		trace_look_in(wait);
	}
	trace_charge(from, CALL_CYCLES);
}

void trace_adapt_tick(void)
{
	struct adapt *adapt = &trace_driver.adapt;
	if (trace_driver.waiting) {
		uint32_t wait = adapt_wait(adapt, csr_read(mcycle));
		if (wait != 0) {
			trace_look_in(wait);
			return;
		}
		trace_driver.waiting = false;
		csr_set(mie, 1u << TRACE_IRQ);
	}
	if (adapt_tick(adapt, csr_read(mcycle))) {
		uint32_t level = adapt->level;
		trace_count_rest();
		/* A step among them may have raised it. */
		if (adapt->level == level)
			trace_set_rate();
	}
	trace_look_never();
	if (adapt_ticks(adapt))
		trace_look_in(adapt->config.window);
}

/*
 * Way fill ([0086]): the rate follows how full the buffer is at each look. More than three quarters: the period is
 * doubled; less than one quarter: it is halved; so a look finds about half a buffer, whatever the program does.
 */
void trace_fill_tick(void)
{
	struct trace_driver *d = &trace_driver;
	uint32_t depth = d->found.fifo_depth, filled = trace_get(COUNT);
	trace_context()->interrupts++;
	trace_count_rest();
	if (filled > depth - depth / 4 && d->adapt.level < d->adapt.config.lowest) {
		d->adapt.level++;
		d->stats.lowered++;
		trace_set_rate();
	} else if (filled < depth / 4 && d->adapt.level > 0) {
		d->adapt.level--;
		d->stats.raised++;
		trace_set_rate();
	}
	trace_look_in(d->run.window);
}
