/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/hub.h"

#include "common/run_config.h"
#include "sw/trace/ring.h"
#include "sw/trace/trace.h"

#define ORIGIN_MISSED_LSB 8 /* ORIGIN: the number of the unit, and behind it what was lost before */
#define ORIGIN_UNIT 0xFFu

enum { HUB_SINK, HUB_STATE, HUB_TABLE, HUB_LOST = 8 };
enum { STATE_WAITS = 1 };
enum { TABLE_DRAIN = 1, TABLE_COUNTS = 2 };

static uint32_t control_word(const struct trace_hub *hub, unsigned select)
{
	return ring_control(hub->size_bits, hub->interrupt, select);
}

static void set_pointer(struct trace_hub *hub, unsigned select, uint32_t value)
{
	hub->registers[HUB_SINK] = control_word(hub, select);
	hub->registers[HUB_SINK] = ring_value(value);
}

static uint32_t written_bytes(struct trace_hub *hub, uint32_t enable)
{
	hub->registers[HUB_SINK] = control_word(hub, RING_SHOWS | RING_WRITE) | enable;
	return hub->registers[HUB_SINK];
}

static bool is_busy(const struct trace_hub *hub)
{
	return (hub->registers[HUB_STATE] & STATE_WAITS) != 0 ||
	       (hub->registers[HUB_SINK] & TRACE_MASK(SINK, BUSY)) != 0;
}

/* START, HIST, REC_INFO; cycles; ORIGIN, or count and number of the unit; time */
static uint32_t words_of(const struct trace_hub *hub)
{
	const uint32_t behind = hub->table ? 2u : 1u + hub->time;
	return 3u + hub->cycles + behind;
}

/* Traces of a hart that the hub itself counts as lost: those that no later record tells of, or all with a table. */
static uint32_t lost_of(const struct trace_hub *hub, unsigned hart)
{
	return hub->registers[HUB_LOST + hart];
}

int trace_hub_start(struct trace_hub *hub)
{
	if (hub->harts < 2 || hub->harts > TRACE_HUB_HARTS || (hub->table && hub->time))
		return TRACE_EWAY;
	if (!ring_fits(hub->memory, hub->size_bits))
		return TRACE_EMEMORY;
	hub->registers[HUB_SINK] = 0;
	while ((hub->registers[HUB_SINK] & TRACE_MASK(SINK, BUSY)) != 0)
		;
	if (TRACE_GET(SINK, WORDS, hub->registers[HUB_SINK]) != words_of(hub))
		return TRACE_EWAY;
	set_pointer(hub, RING_WRITE, UINT32_MAX);
	if (written_bytes(hub, 0) >> (hub->size_bits - 1) == 0) /* the hub's pointers have fewer bits */
		return TRACE_EMEMORY;
	hub->read = 0;
	hub->strange = 0;
	set_pointer(hub, RING_BASE, (uint32_t)(uintptr_t)hub->memory);
	set_pointer(hub, RING_WRITE, 0);
	set_pointer(hub, RING_READ, 0);
	if (hub->table)
		hub->registers[HUB_TABLE] = TABLE_COUNTS;
	hub->registers[HUB_SINK] = control_word(hub, RING_READ) | TRACE_MASK(SINK, ENABLE);
	for (unsigned h = 0; h < hub->harts; h++) {
		hub->lost[h] = 0;
		hub->before[h] = lost_of(hub, h);
	}
	return TRACE_OK;
}

static uint32_t hub_word(struct trace_hub *hub)
{
	return ring_word(hub->memory, hub->size_bits, &hub->read);
}

static void take_record(struct trace_hub *hub, struct table tables[])
{
	const uint32_t start = hub_word(hub), hist = hub_word(hub), info = hub_word(hub);
	const uint32_t cycles = hub->cycles ? hub_word(hub) : 0;
	uint32_t count = TRACE_GET(REC_INFO, REPEAT, info);
	if (hub->table)
		count = hub_word(hub);
	const uint32_t origin = hub_word(hub), hart = origin & ORIGIN_UNIT;
	if (hub->time)
		hub_word(hub);
	if (hart >= hub->harts) {
		hub->strange += count;
		return;
	}
	const uint32_t missed = hub->table ? 0 : origin >> ORIGIN_MISSED_LSB;
	if (missed >= hub->before[hart]) { /* the first one tells of those before the start too */
		hub->lost[hart] += missed - hub->before[hart];
		hub->before[hart] = 0;
	} /* else it has waited since before the start, and one that tells of them is still to come */
	table_add(&tables[hart], start, hist, TRACE_GET(REC_INFO, REASON, info), count, cycles,
	    TRACE_GET(REC_INFO, INSNS, info));
}

uint32_t trace_hub_take(struct trace_hub *hub, struct table tables[])
{
	const uint32_t enable = TRACE_MASK(SINK, ENABLE), places = (1u << hub->size_bits) - 1;
	/* A record that is being written is not whole yet. */
	const uint32_t whole = ((written_bytes(hub, enable) - hub->read) & places) / (4 * words_of(hub));
	for (uint32_t i = 0; i < whole; i++)
		take_record(hub, tables);
	hub->registers[HUB_SINK] = control_word(hub, RING_READ) | enable;
	hub->registers[HUB_SINK] = ring_value(hub->read);
	return whole;
}

void trace_hub_stop(struct trace_hub *hub, struct table tables[])
{
	do {
		trace_hub_take(hub, tables);
	} while (is_busy(hub));
	if (hub->table)
		hub->registers[HUB_TABLE] = TABLE_COUNTS | TABLE_DRAIN;
	do {
		trace_hub_take(hub, tables);
	} while (is_busy(hub));
	trace_hub_take(hub, tables);
	for (unsigned h = 0; h < hub->harts; h++)
		hub->lost[h] += lost_of(hub, h) - hub->before[h];
	hub->registers[HUB_SINK] = 0;
}

void trace_hub_send(const struct trace_hub *hub, const struct table tables[], struct profile_info infos[],
    void (*put)(void *context, const void *bytes, size_t size), void *context)
{
	for (unsigned h = 0; h < hub->harts; h++) {
		infos[h].hart = h;
		infos[h].harts = hub->harts;
		infos[h].lost = hub->lost[h];
		if (h == 0) /* whosever they are, they are in the sum once */
			infos[h].lost += hub->strange;
		infos[h].way = hub->table ? RUN_TABLE : RUN_STREAM;
		profile_send(&infos[h], &tables[h], put, context);
	}
}
