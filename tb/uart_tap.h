/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_UART_TAP_H
#define RIVULET_TB_UART_TAP_H
/* Decodes the bytes on the transmit line, 8N1, one call a clock cycle. */
#include <stdbool.h>
#include <stdint.h>

struct uart_tap {
	uint32_t bit_cycles;
	uint32_t left; /* cycles until the next bit is sampled; 0: idle */
	uint32_t bit;  /* 0: start bit, 1..8: data, 9: stop */
	uint32_t byte;
	uint64_t broken; /* frames without a stop bit */
};

void uart_tap_init(struct uart_tap *tap, uint32_t bit_cycles);
int uart_tap_cycle(struct uart_tap *tap, bool line); /* the byte that is complete in this cycle, or -1 */
#endif
