/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RUN_CONFIG_H
#define RIVULET_RUN_CONFIG_H
/*
 * What a loader can change in a program before it starts, without a rebuild: the words at symbol `rivulet_config`.
 * The golden model, the simulation bench (--set name=value) and the serial loader write them; the firmware reads them
 * once. Shared by firmware and host. All words are 32 bits, little endian.
 */
#include <stdint.h>

#define RUN_CONFIG_MAGIC 0x47464352u /* "RCFG"; a loader refuses a program whose first word differs */

enum run_way {         /* ways to collect */
	RUN_OFF,       /* tracing stays off: the run that overhead is measured against */
	RUN_EVERY,     /* interrupt at every trace: the exact profile, by software */
	RUN_TIMER,     /* timer interrupt reads the last trace */
	RUN_SAMPLE,    /* hardware sampling counter, interrupt at each sample */
	RUN_WATERMARK, /* hardware sampling counter, interrupt when the FIFO holds `watermark` samples */
	RUN_STREAM,    /* unit on, no interrupt: all records leave by the record port */
	RUN_FULL,      /* hardware sampling counter, interrupt when the FIFO is full */
	RUN_ADAPT      /* watermark, with a rate that adapts (sw/trace/adapt.h) */
};

/* RUN_WORD(name, default, text): the order is the layout. */
#define RUN_CONFIG_WORDS(RUN_WORD)                                                                                     \
	RUN_WORD(magic, RUN_CONFIG_MAGIC, "identifies the block")                                                      \
	RUN_WORD(input, 0, "input set: 0 train, 1 ref")                                                                \
	RUN_WORD(way, RUN_WATERMARK,                                                                                   \
	    "way to collect: 0 off, 1 every, 2 timer, 3 sample, 4 watermark, 5 stream, 6 full, 7 adapt")               \
	RUN_WORD(period, 384,                                                                                          \
	    "traces per sample, without the random part (ways sample and watermark); cycles per interrupt (timer)")    \
	RUN_WORD(dither, 255, "mask of the random part of the period")                                                 \
	RUN_WORD(watermark, 12, "samples in the FIFO that raise the interrupt (way watermark)")                        \
	RUN_WORD(ctrl, 0, "more bits of the CTRL register: NO_BACKWARD, NO_INDIRECT, HANDLERS, REPEAT, LIFO")          \
	RUN_WORD(threshold, 64, "samples of one trace that make it hot; 0: never (way adapt: active)")                 \
	RUN_WORD(hot_period, 0, "period from the first hot trace on; 0: as before (way adapt: period / 8)")            \
	RUN_WORD(seed, 1, "start of the dither's random generator")                                                    \
	RUN_WORD(window, 1u << 22, "way adapt: cycles in which an active trace is to be seen again")                   \
	RUN_WORD(share, 10000, "way adapt: most that the handler may take, in millionths of all cycles")               \
	RUN_WORD(rounds, 1, "app_main() is called so often, one time after the other")                                 \
	RUN_WORD(sort, 0, "cycles from one look at the table's deep chains to the next; 0: none")

struct run_config {
#define RUN_WORD(name, value, text) uint32_t name;
	RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
};
#endif
