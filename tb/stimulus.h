/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_STIMULUS_H
#define RIVULET_TB_STIMULUS_H
/* Pseudo-random pins: external interrupts and bytes on the UART, a pure function of the seed and the cycle. */
#include <stdbool.h>
#include <stdint.h>

/* seed 0: the pins rest. Invariant: irq_left and rx_left are the cycles until the next change, at least 1. */
struct stimulus {
	uint64_t state;
	uint32_t seed, irq_left, rx_left, bit_cycles;
	uint16_t rx_frame; /* bits still to send, least significant first, with a marker above; 1: none */
	bool irq, rx;
};

void stimulus_init(struct stimulus *stimulus, uint32_t seed, uint32_t bit_cycles);
void stimulus_cycle(struct stimulus *stimulus); /* irq and rx are the pins of this cycle */
#endif
