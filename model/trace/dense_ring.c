/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/dense_ring.h"

#include <string.h>

enum { RING_BUFFER = 16, RING_START_BITS = 31 };

void dense_ring_reset(struct dense_ring *ring, const struct dense_ring_config *config)
{
	struct dense_ring_config own = *config;
	memset(ring, 0, sizeof *ring);
	own.coder.buffer = RING_BUFFER;
	own.coder.start_bits = RING_START_BITS;
	ring->config = own;
	dense_reset(&ring->coder, &own.coder);
}

/* What the bus asked for in the cycle before. */
static uint32_t ring_rdata(const struct dense_ring *ring, bool busy)
{
	if (ring->read_state)
		return (uint32_t)busy << 31 | (uint32_t)ring->full << 30 | ring->next;
	return ring->read_byte ? ring->read : 0;
}

static void ring_take(struct dense_ring *ring, uint8_t byte)
{
	ring->bytes[ring->next] = byte;
	ring->next = (ring->next + 1) % ring->config.bytes;
	ring->full |= ring->next == 0;
}

uint32_t dense_ring_cycle(struct dense_ring *ring, const struct dense_ring_in *in)
{
	const bool clears = in->rst && in->power_on, empties = in->sel && in->write;
	const uint32_t word = in->addr / 4;
	struct dense_in record = in->record;
	struct dense_out out;

	record.begin = ring->begin;
	record.byte_ready = true;
	dense_cycle(&ring->coder, &record, &out);
	const uint32_t rdata = ring_rdata(ring, out.busy);
	ring->read = ring->bytes[word % ring->config.bytes];
	ring->read_byte = in->sel && (word / ring->config.bytes & 1) == 0;
	ring->read_state = in->sel && !ring->read_byte;

	if (clears)
		dense_reset(&ring->coder, &ring->config.coder);
	const bool takes = out.byte_valid && !clears, due = takes && ring->since == ring->config.start_bytes - 1;
	if (takes)
		ring_take(ring, out.byte);
	ring->begin = (due || empties) && !clears;
	ring->since = due || empties || clears ? 0 : ring->since + takes;
	if (empties || clears) {
		ring->next = 0;
		ring->full = false;
	}
	return rdata;
}
