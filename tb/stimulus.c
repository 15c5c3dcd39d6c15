/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/stimulus.h"

/* splitmix64 */
static uint32_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

static uint32_t next(struct stimulus *s)
{
	return splitmix(&s->state);
}

void stimulus_init(struct stimulus *s, struct stimulus_seeds seeds, uint32_t bit_cycles)
{
	*s = (struct stimulus){.state = seeds.irq,
	    .wait_state = seeds.wait,
	    .seeds = seeds,
	    .bit_cycles = bit_cycles,
	    .rx_frame = 1,
	    .wait_left = 1,
	    .rx = true};
	if (seeds.irq) {
		s->irq_left = 1 + next(s) % 2000;
		s->rx_left = 1 + next(s) % 2000;
	}
	if (seeds.reset) {
		uint64_t state = seeds.reset;
		unsigned resets = 1 + splitmix(&state) % STIMULUS_RESETS;

		for (unsigned i = 0; i < resets; i++) { /* from the first cycles on, up to the end of a usual program */
			s->reset_from[i] = 1 + (splitmix(&state) >> (11 + splitmix(&state) % 18));
			s->reset_to[i] = s->reset_from[i] + 1 + (splitmix(&state) % 4 ? 0 : splitmix(&state) % 4);
		}
	}
}

static void wait_cycle(struct stimulus *s)
{
	static const uint16_t shares[] = {0, 16, 64, 128, 192, 240, 256, 128};

	if (!--s->wait_left) {
		s->wait_share = shares[splitmix(&s->wait_state) % 8];
		s->wait_left = 1 + splitmix(&s->wait_state) % (s->wait_share == 256 ? 40 : 1000);
	}
	s->wait = splitmix(&s->wait_state) % 256 < s->wait_share;
}

void stimulus_cycle(struct stimulus *s)
{
	if (s->seeds.wait)
		wait_cycle(s);
	if (s->seeds.reset) {
		s->rst = false;
		for (unsigned i = 0; i < STIMULUS_RESETS; i++)
			s->rst |= s->cycle >= s->reset_from[i] && s->cycle < s->reset_to[i];
		s->cycle += s->cycle < UINT32_MAX;
	}
	if (!s->seeds.irq)
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
