/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_STIMULUS_H
#define RIVULET_TB_STIMULUS_H
/* Pseudo-random pins, a pure function of the seeds and the cycle: external interrupts and bytes on the UART, wait
 * states of the bus, resets. Each of the three has a seed of its own; 0: it rests. */
#include <stdbool.h>
#include <stdint.h>

enum { STIMULUS_RESETS = 4 };

struct stimulus_seeds {
	uint32_t irq, wait, reset;
};

/* Invariant: irq_left, rx_left and wait_left are the cycles until the next change, at least 1. */
struct stimulus {
	uint64_t state, wait_state;
	struct stimulus_seeds seeds;
	uint32_t irq_left, rx_left, bit_cycles;
	uint16_t rx_frame;              /* bits still to send, least significant first, with a marker above; 1: none */
	uint32_t wait_left, wait_share; /* how many of 256 cycles wait until then */
	uint32_t reset_from[STIMULUS_RESETS], reset_to[STIMULUS_RESETS];
	uint32_t cycle;
	bool irq, rx, wait, rst; /* the pins of this cycle */
};

void stimulus_init(struct stimulus *stimulus, struct stimulus_seeds seeds, uint32_t bit_cycles);
void stimulus_cycle(struct stimulus *stimulus);
#endif
