/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The driver: every way to collect, held against counts that are known; its errors; its cost. */
#include "sw/apps/selftest/unit.h"
#include "common/run_config.h"

#define ON TRACE_MASK(CTRL, ENABLE)
#define MEMORY 8192
static uint32_t memory[MEMORY / 4], other_memory[MEMORY / 4];
static struct run_config config;
static struct trace_stats stats;

static const struct run_config normal = {
#define RUN_WORD(name, value, text) .name = value,
    RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
};

/* Branches, calls and loops, always the same. */
static volatile uint32_t sink;
__attribute__((noinline)) static uint32_t collatz(uint32_t n)
{
	uint32_t steps = 0;
	while (n != 1) {
		n = n % 2 == 0 ? n / 2 : 3 * n + 1;
		steps++;
	}
	return steps;
}

static void work(void)
{
	struct app_random random;
	app_random_init(&random, 99);
	for (int i = 0; i < 60; i++)
		sink += collatz(1 + app_random_below(&random, 1000));
}

__attribute__((noinline)) static int collect(const char *what)
{
	int errors = expect(what, (uint32_t)trace_prepare(&config, memory, sizeof memory), TRACE_OK);
	trace_start();
	work();
	trace_stop();
	trace_stats(&stats);
	return errors;
}

/* rounds of the loop of known counts; cycles it took. */
__attribute__((noinline)) static uint32_t loop(uint32_t rounds)
{
	trace_prepare(&config, memory, sizeof memory);
	uint32_t enable = ON & (0u - (config.way != RUN_OFF));
	__asm__ volatile("" : "+r"(enable)); /* decided before the clock is read */
	uint32_t before = csr_read(mcycle);
	path_loop(rounds, enable);
	uint32_t cycles = csr_read(mcycle) - before;
	trace_stop();
	trace_stats(&stats);
	return cycles;
}

static uint32_t count_of(const uint32_t *start, uint32_t hist)
{
	for (uint32_t i = 0; i < trace_table()->used; i++) {
		struct record count;
		table_get(trace_table(), i, &count);
		if (count.start == (uint32_t)start && count.hist == hist)
			return (uint32_t)count.count;
	}
	return 0;
}

static int expect_error(const char *what, int error)
{
	int errors = expect(what, (uint32_t)trace_prepare(&config, memory, sizeof memory), (uint32_t)error);
	trace_start();
	errors += expect(what, csr_read(RV_CSR_CTRL) & ON, 0);
	trace_stop();
	config = normal;
	return errors;
}

/* Hundredths of a cycle that one sample costs, from the same loop with and without. */
static uint32_t cost(const char *what, uint32_t with, uint32_t without, uint32_t samples)
{
	uint32_t hundredths = (with - without) * 100 / samples;
	hal_print("selftest: cycles per sample, ");
	hal_print(what);
	hal_print(": ");
	hal_print_decimal(hundredths / 100);
	hal_print(".");
	hal_print_decimal(hundredths / 10 % 10);
	hal_print_decimal(hundredths % 10);
	hal_print("\n");
	return hundredths;
}

/* The rate that adapts. off: cycles of 1000 rounds of the loop with tracing off. */
static int test_adapt(uint32_t off)
{
	int errors = 0;
	uint32_t long_loop = (off - 3 * 1000) + 3 * 200001;
	config = normal;
	config.way = RUN_ADAPT;
	config.period = 40;
	config.hot_period = 5;
	config.dither = 0;
	config.watermark = 4;
	config.threshold = 4;
	config.window = 100000;
	config.share = 1000000;

	/* Low, then high, then low when nothing runs; whatever the rate was, a count is five traces. */
	errors += expect("adapt", (uint32_t)trace_prepare(&config, memory, sizeof memory), TRACE_OK);
	errors += expect("adapt: low", csr_read(RV_CSR_PERIOD), 40);
	path_loop(20001, ON);
	errors += expect("adapt: high", csr_read(RV_CSR_PERIOD), 5);
	uint32_t waits = 0;
	while (csr_read(RV_CSR_PERIOD) != 40 && waits++ < 10)
		__asm__ volatile("wfi");
	errors += expect("adapt: low again", csr_read(RV_CSR_PERIOD), 40);
	trace_stop();
	trace_stats(&stats);
	errors += expect("adapt: raised", stats.raised, 1);
	errors += expect("adapt: lowered", stats.lowered, 1);
	errors += expect("adapt: limited", stats.limited, 0);
	errors += expect_range("adapt: total", (uint32_t)table_total(trace_table()), 3900, 4100);
	errors += expect_range("adapt: samples", (uint32_t)stats.interrupts, 3900 / 4, 4100 / 4);
	errors += expect("adapt: period", stats.period, 5);
	errors += expect("adapt: entries", trace_table()->hot, 1);

	/* The cycles that a sample costs. */
	config.watermark = 12;
	config.period = 10;
	config.hot_period = 10;
	config.threshold = 64;
	uint32_t cycles = loop(200001);
	errors += expect("adapt, one rate: total", (uint32_t)table_total(trace_table()), 20000);
	errors += expect_range("adapt: cost", cost("adapt", cycles, long_loop, 20000), 3000, 5200);

	/* The bound: without it one sample in 5 traces of 3 cycles. */
	config.hot_period = 5;
	config.period = 160;
	config.window = 100000;
	for (config.share = 20000; config.share <= 160000; config.share *= 8) {
		cycles = loop(200001);
		uint32_t most = (uint32_t)((uint64_t)(cycles + config.window) * config.share / 1000000) + 2000;
		errors += expect_range("adapt: share", cycles - long_loop, most / 4, most);
		errors += expect_range("adapt: limited", stats.limited, 1, 1000);
		errors += expect_range("adapt: total", (uint32_t)table_total(trace_table()), 2000, 41000);
	}
	config = normal;
	return errors;
}

/* The rate that follows the FIFO's fill level: a loop of three cycles, of which a look in 8192 cycles is to find about
 * half a FIFO, whatever the period is at first. off: cycles of 1000 rounds with tracing off. */
static int test_fill(const struct trace_features *features, uint32_t off)
{
	int errors = 0;
	const uint32_t rounds = 200001, traces = 8192 / 3;
	for (uint32_t period = 8; period <= 8192; period *= 32) {
		config = normal;
		config.way = RUN_FILL;
		config.dither = 0;
		config.window = 8192;
		config.hot_period = 2;
		config.period = period;
		uint32_t cycles = loop(rounds);
		/* the mean fill in the long run: between a quarter and all but a quarter, at powers of two */
		uint32_t rate = csr_read(RV_CSR_PERIOD);
		errors +=
		    expect_range("fill: samples a look", traces / rate, features->fifo_depth / 4, features->fifo_depth);
		/* A count is two traces; what was lost while the rate was too high is in LOST. */
		if (period > traces / features->fifo_depth)
			errors += expect_range("fill: total", (uint32_t)table_total(trace_table()),
			    rounds / 2 - rounds / 8, rounds / 2 + rounds / 8);
		errors += expect(
		    period < rate ? "fill: lowered" : "fill: raised", stats.raised > stats.lowered, period > rate);
		errors += expect_range("fill: looks", (uint32_t)stats.interrupts, cycles / 10500, cycles / 8192);
		errors += expect("fill: period", stats.period, 2);
	}
	(void)off;
	config = normal;
	return errors;
}

/* Only what is in the range; only traces that start in it. */
static int test_range(void)
{
	int errors = 0;
	config = normal;
	config.way = RUN_EVERY;
	config.range_lo = (uint32_t)path_loop_body;
	config.range_hi = (uint32_t)path_loop_off;
	loop(100);
	errors += expect("range: before it", count_of(path_loop_on, 3), 0);
	errors += expect("range: in it", count_of(path_loop_body, 3), 99);
	errors += expect("range: CTRL", stats.ctrl >> TRACE_LSB(CTRL, RANGE_EN) & 15, 1);
	if (trace_found()->range_start) {
		config.range_start = 1;
		loop(100);
		errors += expect("range of starts: before it", count_of(path_loop_on, 3), 0);
		errors += expect("range of starts: in it", count_of(path_loop_body, 3), 98);
	}
	config = normal;
	config.way = RUN_EVERY;
	loop(100);
	errors += expect("no range any more", count_of(path_loop_on, 3), 1);
	return errors;
}

int test_ways(const struct trace_features *features)
{
	int errors = 0;
	(void)features;

	/* A loop of three cycles, the fastest that records can come. */
	config = normal;
	config.threshold = 0;
	config.way = RUN_OFF;
	uint32_t off = loop(1000);
	config.way = RUN_EVERY;
	for (int repeat = 0; repeat <= 1; repeat++) {
		config.ctrl = repeat != 0 ? TRACE_MASK(CTRL, REPEAT) : 0;
		uint32_t every = loop(1000);
		errors += expect("every: first", count_of(path_loop_on, 3), 1);
		errors += expect("every: loop", count_of(path_loop_body, 3), 998);
		errors += expect("every: last", count_of(path_loop_body, 2), 1);
		errors += expect("every: entries", trace_table()->used, 3);
		errors += expect("every: lost", (uint32_t)stats.lost, 0);
		if (repeat == 0)
			errors += expect_range("every: cost", cost("every", every, off, 1000), 4000, 6000);
		else
			errors +=
			    expect_range("every, repeat: cost", cost("every with repeat", every, off, 1000), 1, 300);
	}
	config.ctrl = 0;

	/* One in ten. */
	config.period = 10;
	config.dither = 0;
	config.way = RUN_SAMPLE;
	uint32_t cycles = loop(10001);
	uint32_t off_long = (off - 3 * 1000) + 3 * 10001;
	errors += expect("sample: total", (uint32_t)table_total(trace_table()), 1000);
	errors += expect("sample: interrupts", (uint32_t)stats.interrupts, 1000);
	errors += expect_range("sample: cost", cost("sample", cycles, off_long, 1000), 4000, 6000);
	config.way = RUN_WATERMARK;
	config.watermark = 12;
	cycles = loop(10001);
	errors += expect("watermark: total", (uint32_t)table_total(trace_table()), 1000);
	errors += expect("watermark: interrupts", (uint32_t)stats.interrupts, 1000 / 12);
	errors += expect("watermark: lost", (uint32_t)stats.lost, 0);
	errors += expect_range("watermark: cost", cost("watermark of 12", cycles, off_long, 1000), 3000, 4500);

	/* Timer: one record to an interrupt, of the loop; it counts as many as there are in 2^14 cycles. */
	config.way = RUN_TIMER;
	config.period = 1000;
	cycles = loop(50000);
	off_long = (off - 3 * 1000) + 3 * 50000;
	/* The next is set from the time it was handled at: a period and a few cycles apart. */
	errors += expect_range("timer: interrupts", (uint32_t)stats.interrupts, cycles / 1030, cycles / 1000);
	errors += expect_range("timer: total", (uint32_t)table_total(trace_table()),
	    ((uint32_t)stats.interrupts - 1) * (16384 / 4), (uint32_t)stats.interrupts * (16384 / 3) + 16384);
	errors += expect_range("timer: loop", count_of(path_loop_body, 3),
	    ((uint32_t)stats.interrupts - 1) * (16384 / 4), (uint32_t)stats.interrupts * (16384 / 3));
	errors +=
	    expect_range("timer: cost", cost("timer", cycles, off_long, (uint32_t)stats.interrupts), 10000, 18000);
	/* In LIFO mode the trace that ended last, which counts 1. */
	config.ctrl = TRACE_MASK(CTRL, LIFO);
	cycles = loop(50000);
	errors += expect("timer, last: total", (uint32_t)table_total(trace_table()), (uint32_t)stats.interrupts);
	errors += expect_range("timer, last: loop", count_of(path_loop_body, 3), (uint32_t)stats.interrupts - 1,
	    (uint32_t)stats.interrupts);
	config.ctrl = 0;

	config.way = RUN_STREAM;
	cycles = loop(1000);
	errors += expect("stream: no cost", cycles, off);
	errors += expect("stream: table", trace_table()->used, 0);

	/* Real work: with repeat and without the same counts; sampled with period 1 too, whatever the threshold. */
	config = normal;
	config.way = RUN_EVERY;
	errors += collect("work: every");
	table_sort(trace_table());
	struct table exact = *trace_table();
	uint32_t total = (uint32_t)table_total(&exact);
	for (unsigned i = 0; i < MEMORY / 4; i++)
		other_memory[i] = memory[i];
	exact.entries =
	    (struct table_entry *)(void *)((uint8_t *)other_memory + ((uint8_t *)exact.entries - (uint8_t *)memory));
	errors += expect("work: lost", (uint32_t)stats.lost, 0);
	errors += expect("work: dropped", (uint32_t)stats.dropped, 0);
	errors += expect_range("work: total", total, 3000, 100000);
	for (int variant = 0; variant < 3; variant++) {
		config = normal;
		config.way = variant == 2 ? RUN_WATERMARK : variant == 1 ? RUN_SAMPLE : RUN_EVERY;
		config.ctrl = variant == 0 ? TRACE_MASK(CTRL, REPEAT) : 0;
		config.period = 1;
		config.dither = 0;
		config.watermark = 2;
		config.threshold = variant == 1 ? 0 : 100;
		errors += collect("work: again");
		table_sort(trace_table());
		errors += expect("work: lost", (uint32_t)stats.lost, 0);
		errors += expect("work: entries", trace_table()->used, exact.used);
		for (uint32_t i = 0; i < exact.used && i < trace_table()->used; i++) {
			struct record a, b;
			table_get(&exact, i, &a);
			table_get(trace_table(), i, &b);
			errors += expect("work: start", b.start, a.start);
			errors += expect("work: history", b.hist, a.hist);
			errors += expect("work: count", (uint32_t)b.count, (uint32_t)a.count);
			errors += expect("work: reason", b.reason, a.reason);
			errors += expect("work: insns", b.insns, a.insns);
		}
	}

	/* Too small a table: nothing vanishes. */
	config = normal;
	config.way = RUN_EVERY;
	errors += expect("full table", (uint32_t)trace_prepare(&config, memory, 200), TRACE_OK);
	trace_start();
	work();
	trace_stop();
	trace_stats(&stats);
	errors += expect("full table: total", (uint32_t)(table_total(trace_table()) + stats.dropped), total);
	errors += expect("full table: entries", trace_table()->used, trace_table()->capacity);
	errors += expect_range("full table: dropped", (uint32_t)stats.dropped, 1, total);

	/* The first hot trace changes the rate. */
	config = normal;
	config.way = RUN_SAMPLE;
	config.period = 20;
	config.dither = 0;
	config.threshold = 10;
	config.hot_period = 5;
	loop(1001);
	/* 11 samples of 20 traces, the last of which was begun before the change; the rest by fives. */
	errors += expect("hot: period", csr_read(RV_CSR_PERIOD), 5);
	errors += expect("hot: adapted", stats.adapted, 1);
	errors += expect("hot: samples", (uint32_t)table_total(trace_table()), 11 + (1001 - 220) / 5);
	errors += expect("hot: mean of the periods", stats.period, 6); /* 167 samples of 1001 traces */
	errors += expect("hot: entries", trace_table()->hot, 1);
	config.threshold = 0;
	loop(1001);
	errors += expect("never hot", stats.adapted, 0);
	errors += expect("never hot: samples", (uint32_t)table_total(trace_table()), 50);

	/* A full buffer. */
	config = normal;
	config.threshold = 0;
	config.way = RUN_FULL;
	config.period = 10;
	config.dither = 0;
	loop(10001);
	errors += expect("full: total", (uint32_t)table_total(trace_table()), 1000);
	errors += expect("full: interrupts", (uint32_t)stats.interrupts, 1000 / features->fifo_depth);
	errors += expect_range("full: lost", (uint32_t)stats.lost, 0, 1000 / features->fifo_depth);
	errors += test_adapt(off);
	errors += test_fill(features, off);
	errors += test_range();

	/* An impossible configuration is refused, and nothing is switched on. */
	config = normal;
	config.way = RUN_WAYS;
	errors += expect_error("no such way", TRACE_EWAY);
	config.watermark = features->fifo_depth + 1;
	errors += expect_error("watermark too high", TRACE_EPERIOD);
	config.watermark = 0;
	errors += expect_error("watermark 0", TRACE_EPERIOD);
	config.period = 0;
	errors += expect_error("period 0", TRACE_EPERIOD);
	config.period = UINT32_MAX;
	errors += expect_error("period too long", TRACE_EPERIOD);
	config.hot_period = UINT32_MAX;
	errors += expect_error("hot period too long", TRACE_EPERIOD);
	config.dither = 0x10000;
	errors += expect_error("dither too wide", TRACE_EPERIOD);
	config.ctrl = TRACE_MASK(CTRL, MODES);
	errors += expect_error("CTRL bits of the driver's", TRACE_ECTRL);
	config.way = RUN_EVERY;
	config.ctrl = TRACE_MASK(CTRL, HANDLERS);
	errors += expect_error("every trace of the handler", TRACE_ECTRL);
	config.way = RUN_TIMER;
	config.period = TRACE_PERIOD_MIN - 1;
	errors += expect_error("timer too fast", TRACE_ETIMER);
	config.way = RUN_FILL;
	config.window = TRACE_WINDOW_MIN - 1;
	errors += expect_error("looks too often", TRACE_EWINDOW);
	config.way = RUN_EVERY;
	config.range_lo = config.range_hi = 0x80000000;
	errors += expect_error("empty range", TRACE_ERANGE);
	config.way = RUN_EVERY;
	errors += expect("memory too small", (uint32_t)trace_prepare(&config, memory, 16), (uint32_t)TRACE_EMEMORY);

	config.way = RUN_OFF;
	trace_prepare(&config, memory, sizeof memory);
	return errors;
}
