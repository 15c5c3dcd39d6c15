/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/stimulus.h"

/* splitmix64 */
static uint32_t next(struct stimulus *s)
{
	uint64_t z = s->state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

void stimulus_init(struct stimulus *s, uint32_t seed, uint32_t bit_cycles)
{
	*s = (struct stimulus){.state = seed, .seed = seed, .bit_cycles = bit_cycles, .rx_frame = 1, .rx = true};
	if (seed) {
		s->irq_left = 1 + next(s) % 2000;
		s->rx_left = 1 + next(s) % 2000;
	}
}

void stimulus_cycle(struct stimulus *s)
{
	if (!s->seed)
		return;
	if (!--s->irq_left) {
		s->irq = !s->irq;
		/* Mostly a pulse that a handler outlives, now and then one that enters it again. */
		if (s->irq)
			s->irq_left = next(s) % 8 ? 1 + next(s) % 40 : 1 + next(s) % 600;
		else
			s->irq_left = next(s) % 8 ? 1 + next(s) % 4000 : 1 + next(s) % 30;
	}
	if (!--s->rx_left) {
		if (s->rx_frame == 1) { /* start bit 0, 8 data bits, stop bit (now and then broken), marker */
			uint32_t stop = next(s) % 16 != 0;

			s->rx_frame = (uint16_t)((next(s) & 0xFF) << 1 | stop << 9 | 1u << 10);
		}
		s->rx = s->rx_frame & 1;
		s->rx_frame >>= 1;
		s->rx_left = s->bit_cycles;
		if (s->rx_frame == 1) { /* that was the stop bit: rest; sometimes the next byte follows at once */
			if (!s->rx)
				s->rx_frame = 3; /* a line held low has to rise before the next start bit */
			else if (next(s) % 4)
				s->rx_left += next(s) % 6000;
		}
	}
}
