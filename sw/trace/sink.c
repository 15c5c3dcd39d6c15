/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/sink.h"

#include "sw/trace/private.h"
#include "sw/trace/ring.h"

/* Reads of a register, two cycles or more each: what was under way is in the table by then. */
#define SETTLE_READS 4

static uint32_t sink_control(const struct trace_sink *sink, unsigned select)
{
	return ring_control(sink->size_bits, sink->interrupt, select);
}

/* What SELECT names becomes a value, which is a multiple of 4. */
static void put_value(uint32_t value)
{
	trace_put(SINK, ring_value(value));
}

/* Whether the unit's pointers have as many bits: a smaller ring than the driver's would be read at wrong places. */
static bool fits_pointers(const struct trace_sink *sink)
{
	trace_put(SINK, sink_control(sink, RING_SHOWS | RING_WRITE));
	put_value(UINT32_MAX);
	const uint32_t largest = trace_get(SINK);
	return largest >> (sink->size_bits - 1) != 0;
}

int trace_sink_start(struct trace_sink *sink)
{
	struct trace_features features;
	if (trace_probe(&features) != TRACE_OK)
		return TRACE_EABSENT;
	if ((trace_get(SINK) & TRACE_MASK(SINK, PRESENT)) == 0 || features.table == 0)
		return TRACE_EWAY;
	if (features.hist > 32 || features.xlen64)
		return TRACE_EHIST;
	if (!ring_fits(sink->memory, sink->size_bits))
		return TRACE_EMEMORY;
	trace_put(CTRL, 0);
	trace_put(SINK, 0);
	while ((trace_get(SINK) & TRACE_MASK(SINK, BUSY)) != 0)
		;
	if (!fits_pointers(sink))
		return TRACE_EMEMORY;
	while ((trace_get(STATUS) & TRACE_MASK(STATUS, NONEMPTY)) != 0)
		trace_put(POP, 0);
	trace_put(LOST, 0);
	sink->read = 0;
	trace_put(SINK, sink_control(sink, RING_BASE));
	put_value((uintptr_t)sink->memory);
	trace_put(SINK, sink_control(sink, RING_WRITE));
	put_value(0);
	trace_put(SINK, sink_control(sink, RING_READ));
	put_value(0);
	trace_put(SINK, sink_control(sink, RING_READ) | TRACE_MASK(SINK, ENABLE));
	trace_put(CTRL, TRACE_MASK(CTRL, ENABLE) | TRACE_MASK(CTRL, TABLE) | TRACE_MASK(CTRL, MODES));
	return TRACE_OK;
}

static uint32_t next_word(struct trace_sink *sink)
{
	return ring_word(sink->memory, sink->size_bits, &sink->read);
}

/* One record: the words of REC_START to REC_CONTEXT that the unit has. */
static void add_next(struct trace_sink *sink, struct table *table, uint32_t words)
{
	const uint32_t end = sink->read + words * (uint32_t)sizeof(uint32_t);
	const uint32_t start = next_word(sink), hist = next_word(sink), info = next_word(sink);
	const uint32_t has_cycles = TRACE_GET(CAPS, CYCLES, trace_get(CAPS));
	const uint32_t cycles = has_cycles != 0 ? next_word(sink) : 0, count = next_word(sink);
	table_add(
	    table, start, hist, TRACE_GET(REC_INFO, REASON, info), count, cycles, TRACE_GET(REC_INFO, INSNS, info));
	sink->read = end;
}

uint32_t trace_sink_take(struct trace_sink *sink, struct table *table)
{
	const uint32_t words = TRACE_GET(SINK, WORDS, trace_get(SINK));
	const uint32_t places = (1u << sink->size_bits) - 1;
	uint32_t records = 0;
	trace_put(SINK, sink_control(sink, RING_SHOWS | RING_WRITE) | TRACE_MASK(SINK, ENABLE));
	/* A record that is being written is not whole yet. */
	uint32_t whole = ((trace_get(SINK) - sink->read) & places) / (words * (uint32_t)sizeof(uint32_t));
	for (; records < whole; records++)
		add_next(sink, table, words);
	trace_put(SINK, sink_control(sink, RING_READ) | TRACE_MASK(SINK, ENABLE));
	put_value(sink->read);
	return records;
}

void trace_sink_stop(struct trace_sink *sink, struct table *table)
{
	trace_clear_bits(CTRL, TRACE_MASK(CTRL, ENABLE));
	uint32_t count = 0;
	for (unsigned i = 0; i < SETTLE_READS; i++)
		count = trace_get(COUNT);
	trace_put(TABLE, TRACE_MASK(TABLE, DRAIN));
	do {
		trace_sink_take(sink, table);
		count = trace_get(COUNT);
	} while ((trace_get(TABLE) & TRACE_MASK(TABLE, DRAIN)) != 0 || count != 0 ||
		 (trace_get(SINK) & TRACE_MASK(SINK, BUSY)) != 0);
	/* What left the table last is in the buffer two cycles behind DRAIN. */
	do {
		trace_sink_take(sink, table);
	} while (trace_get(COUNT) != 0 || (trace_get(SINK) & TRACE_MASK(SINK, BUSY)) != 0);
	trace_sink_take(sink, table);
	trace_put(SINK, 0);
}
