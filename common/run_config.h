/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RUN_CONFIG_H
#define RIVULET_RUN_CONFIG_H
/*
 * What a loader can change in a program before it starts, without a rebuild: the words at symbol `rivulet_config`.
 * The golden model, the simulation bench (--set name=value) and the serial loader write them; the firmware reads them
 * once. Shared by firmware and host. All words are 32 bits, little endian.
 */
#include <stddef.h>
#include <stdint.h>

#define RUN_CONFIG_MAGIC 0x47464352u /* "RCFG"; a loader refuses a program whose first word differs */

/*
 * Ways to collect: RUN_WAY(NAME, word of --set, number in the header of a profile, text for its readers). The order
 * is the number in the run configuration.
 *
 *   OFF        tracing stays off: the run that overhead is measured against
 *   EVERY      interrupt at every trace: the exact profile, by software
 *   TIMER      timer interrupt reads the last trace
 *   SAMPLE     hardware sampling counter, interrupt at each sample
 *   WATERMARK  hardware sampling counter, interrupt when the FIFO holds `watermark` samples
 *   STREAM     unit on, no interrupt: all records leave by the record port
 *   FULL       hardware sampling counter, interrupt when the FIFO is full
 *   ADAPT      watermark, with a rate that adapts (sw/trace/adapt.h)
 *   TABLE      the unit counts equal traces in its table; what that throws out is counted by an interrupt at
 *              `watermark`
 *   FILL       hardware sampling counter, whose rate follows how full the FIFO is at each look (TSH [0086])
 */
#define RUN_WAY_LIST(RUN_WAY)                                                                                          \
	RUN_WAY(OFF, "off", 5, "off")                                                                                  \
	RUN_WAY(EVERY, "every", 0, "every trace")                                                                      \
	RUN_WAY(TIMER, "timer", 1, "timer")                                                                            \
	RUN_WAY(SAMPLE, "sample", 2, "sampling counter")                                                               \
	RUN_WAY(WATERMARK, "watermark", 3, "watermark")                                                                \
	RUN_WAY(STREAM, "stream", 4, "stream")                                                                         \
	RUN_WAY(FULL, "full", 6, "full")                                                                               \
	RUN_WAY(ADAPT, "adapt", 7, "adapting")                                                                         \
	RUN_WAY(FILL, "fill", 8, "following the fill level")                                                           \
	RUN_WAY(TABLE, "table", 9, "hot-trace table")

enum run_way {
#define RUN_WAY(name, word, header, text) RUN_##name,
	RUN_WAY_LIST(RUN_WAY)
#undef RUN_WAY
	    RUN_WAYS
};

/* The number of a way in a profile's header (docs/profile-format.md), and back: RUN_WAYS if there is none. */
static inline uint32_t run_way_header(uint32_t way)
{
	switch (way) {
#define RUN_WAY(name, word, header, text)                                                                              \
	case RUN_##name:                                                                                               \
		return header;
		RUN_WAY_LIST(RUN_WAY)
#undef RUN_WAY
	default:
		return RUN_WAYS;
	}
}
static inline uint32_t run_way_of_header(uint64_t header)
{
	uint32_t way = 0;
	while (way < RUN_WAYS && run_way_header(way) != header)
		way++;
	return way;
}

#define RUN_RATE_HOLD 8u       /* rate: none */
#define RUN_PERIOD 384u        /* the default, in traces; way timer takes it for ... */
#define RUN_PERIOD_TIMER 8192u /* its own, in cycles */
#define RUN_WINDOW (1u << 22)  /* the default, in cycles; way fill takes it for ... */
#define RUN_WINDOW_FILL 16384u /* its own */

/* RUN_WORD(name, default, text): the order is the layout. */
#define RUN_CONFIG_WORDS(RUN_WORD)                                                                                     \
	RUN_WORD(magic, RUN_CONFIG_MAGIC, "identifies the block")                                                      \
	RUN_WORD(input, 0, "input set: 0 train, 1 ref")                                                                \
	RUN_WORD(way, RUN_WATERMARK,                                                                                   \
	    "way to collect: 0 off, 1 every, 2 timer, 3 sample, 4 watermark, 5 stream, 6 full, 7 adapt, 8 fill, 9 "    \
	    "table")                                                                                                   \
	RUN_WORD(period, RUN_PERIOD,                                                                                   \
	    "traces per sample, without the random part (ways sample and watermark); cycles per interrupt (timer; "    \
	    "the default is 8192 there)")                                                                              \
	RUN_WORD(dither, 255, "mask of the random part of the period")                                                 \
	RUN_WORD(watermark, 12, "samples in the FIFO that raise the interrupt (way watermark)")                        \
	RUN_WORD(ctrl, 0, "more bits of the CTRL register: NO_BACKWARD, NO_INDIRECT, HANDLERS, REPEAT, LIFO, LIMIT")   \
	RUN_WORD(threshold, 64, "samples of one trace that make it hot; 0: never (way adapt: active)")                 \
	RUN_WORD(hot_period, 0,                                                                                        \
	    "period from the first hot trace on; 0: as before (way adapt: the smallest, 0: period / 8; fill: 0: 8)")   \
	RUN_WORD(seed, 1, "start of the dither's random generator")                                                    \
	RUN_WORD(window, RUN_WINDOW,                                                                                   \
	    "way adapt: cycles in which an active trace is to be seen again; way fill: from one look at the FIFO to "  \
	    "the next (the default is 16384 there)")                                                                   \
	RUN_WORD(share, 10000, "way adapt: most that the handler may take, in millionths of all cycles")               \
	RUN_WORD(rounds, 1, "app_main() is called so often, one time after the other")                                 \
	RUN_WORD(sort, 0, "cycles from one look at the table's deep chains to the next; 0: none")                      \
	RUN_WORD(range_lo, 0, "first address of the range to trace; with range_hi 0 everything is traced")             \
	RUN_WORD(range_hi, 0, "address behind the range to trace; 0: no range")                                        \
	RUN_WORD(                                                                                                      \
	    range_start, 0, "1: a trace is kept if it starts in the range, wherever it goes; 0: instructions in it")   \
	RUN_OPTIMISER_WORDS(RUN_WORD)

/* With the optimiser `threshold` is what makes a trace hot.
 * Firmware without the optimiser (docs/optimise.md) is built with RUN_CONFIG_SHORT, and does not have these: a loader
 * then writes them into the padding behind the block. */
#ifdef RUN_CONFIG_SHORT
#define RUN_OPTIMISER_WORDS(RUN_WORD)
#else
#define RUN_OPTIMISER_WORDS(RUN_WORD)                                                                                  \
	RUN_WORD(optimise, 1u << 20, "cycles for which hot traces are looked for; 0: they are never optimised")        \
	RUN_WORD(cache, 0, "bytes of the code cache; 0: all there is")                                                 \
	RUN_WORD(rate, 0,                                                                                              \
	    "way table of firmware made with SW_RATE=1: one in 2^rate of the traces without a place takes one, 0 to "  \
	    "7, "                                                                                                      \
	    "and counts 2^rate times; 8: none does")
#endif

/* For hosts (run_config.c). "every trace", ...; "unknown way" */
const char *run_way_name(uint64_t way);
/* Reads "NAME=VALUE": numbers as C writes them; for way and input also names. Returns the index of the word (never 0,
 * that is the magic), or -1 with the sentence for the user in detail. */
int run_config_parse(const char *assignment, uint32_t *value, char *detail, size_t size);
/* Whether a program whose block has so many bytes (0: not known) has that word; if not, what to say of it. A word that
 * is 0 is nowhere missed: nothing is to be written then. */
enum run_config_room { RUN_CONFIG_WRITE, RUN_CONFIG_SKIP, RUN_CONFIG_MISSING };
enum run_config_room run_config_room(uint32_t bytes, int index, uint32_t value, char *detail, size_t size);

struct run_config {
#define RUN_WORD(name, value, text) uint32_t name;
	RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
};
#endif
