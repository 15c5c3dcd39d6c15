/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Runs an application under the trace unit as the configuration block says, and sends what was collected. */
#include "common/frame.h"
#include "sw/run/app.h"
#include "sw/hal/hal.h"
#include "sw/trace/profile.h"
#include "common/run_config.h"
#include "sw/trace/trace.h"

/* In the data segment: the code's check sum, which identifies the build, does not depend on what a loader sets here. */
struct run_config rivulet_config __attribute__((section(".data.rivulet_config"), used)) = {
#define RUN_WORD(name, value, text) value,
    RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
};

extern const uint8_t __text_start[], __text_end[];
extern uint8_t __table_start[], __table_end[];

static void say(const char *what, const char *why)
{
	hal_print(app_name);
	hal_print(": ");
	hal_print(what);
	hal_print(why);
	hal_print("\n");
}

int app_check(const char *what, uint32_t got, uint32_t expected)
{
	if (got == expected)
		return 0;
	hal_print(app_name);
	hal_print(": ");
	hal_print(what);
	hal_print(": got ");
	hal_print_hex(got);
	hal_print(", expected ");
	hal_print_hex(expected);
	hal_print("\n");
	return 1;
}

static void say_trace(uint32_t start, uint32_t hist, uint32_t count)
{
	hal_print_hex(start);
	hal_print(":");
	hal_print_hex(hist);
	hal_print(" (");
	hal_print_decimal(count);
	hal_print(")");
}

static void say_phase(const struct trace_phase *phase)
{
	hal_print("phase: cycle ");
	hal_print_decimal(phase->time);
	hal_print(", ");
	say_trace(phase->rose.start, phase->rose.hist, phase->rose.count);
	hal_print(" passes ");
	say_trace(phase->sank.start, phase->sank.hist, phase->sank.count);
	hal_print("\n");
}

static void put(void *context, const void *bytes, size_t size)
{
	(void)context;
	hal_uart_write(bytes, size);
}

/* Way table: the mask of the random number that decides which trace takes a place. */
static inline uint32_t dither_of(const struct run_config *config, const struct trace_stats *stats)
{
#if TRACE_RATE
	if (config->way == RUN_TABLE && config->rate < RUN_RATE_HOLD)
		return (1u << config->rate) - 1;
#endif
	return stats->ctrl & TRACE_MASK(CTRL, SAMPLE) ? config->dither : 0;
}

int main(void)
{
	/* A loader may have written these words after they were compiled, so they are read as memory. */
	struct run_config config;
	const volatile uint32_t *words = (const volatile uint32_t *)(const void *)&rivulet_config;
	for (size_t i = 0; i < sizeof config / sizeof(uint32_t); i++)
		((uint32_t *)(void *)&config)[i] = words[i];
	if (config.way == RUN_TIMER && config.period == RUN_PERIOD)
		config.period = RUN_PERIOD_TIMER;
	if (config.way == RUN_FILL && config.window == RUN_WINDOW)
		config.window = RUN_WINDOW_FILL;
	int input = config.input == APP_TRAIN ? APP_TRAIN : APP_REF;

	int error = trace_prepare(&config, __table_start, (size_t)(__table_end - __table_start));
	if (error < 0) {
		say("runs with tracing off: ", trace_strerror(error));
		config.way = RUN_OFF;
	}

	uint64_t instructions = hal_instructions();
	uint64_t cycles = hal_cycles();
	trace_start();
	int result = 0;
	for (uint32_t round = 0; round < config.rounds; round++)
		result += app_main(input);
	trace_stop();
	cycles = hal_cycles() - cycles;
	instructions = hal_instructions() - instructions;

	struct trace_stats stats;
	trace_stats(&stats);
	/* The program has ended before the unit's table is emptied. */
	cycles -= stats.drain_cycles;
	instructions -= stats.drain_instructions;
	struct profile_info info = {
	    .xlen = 32,
	    .hist = trace_found()->hist,
	    .ctrl = stats.ctrl,
	    .way = config.way,
	    .period = stats.period,
	    .dither = dither_of(&config, &stats),
	    .build = frame_crc32(0, __text_start, (size_t)(__text_end - __text_start)),
	    .name = app_name,
	    .extras = trace_found()->cycles && trace_found()->insns,
	    .lost = stats.lost,
	    .cycles = cycles,
	    .instructions = instructions,
	    .interrupts = stats.interrupts,
	    .phases = trace_phase(0),
	    .phase_count = stats.phases < TRACE_PHASES ? stats.phases : TRACE_PHASES,
	};
	table_sort(trace_table());
	profile_send(&info, trace_table(), put, NULL);

	for (unsigned i = 0; i < stats.phases && i < TRACE_PHASES; i++) {
		const struct trace_phase *p = trace_phase(i);
		say_phase(p);
	}
	if (stats.vector_taken)
		say("set mtvec while it was traced", ": from there on its traces were not counted");
	if (stats.interrupt_off)
		say("switched the trace interrupt off in mie", ": from there on its traces were not counted");
	if (stats.timer_taken)
		say("uses the timer", ": samples were taken at its interrupts only");
	if (config.way == RUN_ADAPT || config.way == RUN_FILL) {
		hal_print("rate: raised ");
		hal_print_decimal(stats.raised);
		hal_print(", lowered ");
		hal_print_decimal(stats.lowered);
		hal_print(", limited ");
		hal_print_decimal(stats.limited);
		hal_print("\n");
	}
	if (config.way == RUN_TABLE) {
		hal_print("table: ");
		hal_print_decimal(trace_found()->table);
		hal_print(" entries, thrown out ");
		hal_print_decimal(stats.thrown_out);
		hal_print(", emptied in ");
		hal_print_decimal(stats.drain_cycles);
#if TRACE_RATE
		hal_print(" cycles, missed ");
		hal_print_decimal(stats.missed);
		hal_print("\n");
#else
		hal_print(" cycles\n");
#endif
	}
	hal_print("app ");
	hal_print(app_name);
	hal_print(input == APP_TRAIN ? " train: " : " ref: ");
	hal_print(result == 0 ? "pass" : "FAIL");
	hal_print(", cycles ");
	hal_print_decimal(cycles);
	hal_print(", instructions ");
	hal_print_decimal(instructions);
	hal_print("\n");
	/* what was asked for was not done */
	hal_exit(result == 0 && error < 0 ? HAL_EXIT_CONFIG : result);
}
