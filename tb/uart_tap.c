/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/uart_tap.h"

void uart_tap_init(struct uart_tap *tap, uint32_t bit_cycles)
{
	*tap = (struct uart_tap){.bit_cycles = bit_cycles};
}

int uart_tap_cycle(struct uart_tap *tap, bool line)
{
	if (!tap->left) {
		if (!line) { /* first cycle of the start bit: the middle of it is half a bit away */
			tap->left = tap->bit_cycles / 2 + 1;
			tap->bit = 0;
			tap->byte = 0;
		} else {
			return -1;
		}
	}
	if (--tap->left)
		return -1;
	if (tap->bit == 9) {
		if (line)
			return (int)tap->byte;
		tap->broken++;
		return -1;
	}
	if (tap->bit == 0 && line)
		return -1; /* a glitch */
	if (tap->bit)
		tap->byte |= (uint32_t)line << (tap->bit - 1);
	tap->bit++;
	tap->left = tap->bit_cycles;
	return -1;
}
