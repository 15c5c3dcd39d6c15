/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The hot-trace table. An operation is done at once here, in the cycle in which the RTL reads the set, and what leaves by
 * it comes out two cycles later: that the RTL's pipeline looks like this from outside is what lockstep compares.
 */
#include "model/trace/private.h"

static unsigned log2_of(unsigned n)
{
	unsigned bits = 0;
	while (n >> (bits + 1))
		bits++;
	return bits;
}

static unsigned fold(uint64_t value, unsigned width)
{
	unsigned folded = 0;
	for (; value; value >>= width)
		folded ^= (unsigned)(value & trace_ones(width));
	return folded;
}

/* Start and history folded to the width of a set's number, the history's bits from the top down. */
static unsigned set_of(const struct trace_config *c, const struct record *n)
{
	unsigned width = log2_of(c->table_entries / c->table_ways);
	unsigned set = fold(n->start >> 1, width), hist = fold(n->hist, width);
	for (unsigned i = 0; i < width; i++)
		set ^= (hist >> i & 1) << (width - 1 - i);
	return set;
}

static bool same_key(const struct record *a, const struct record *b)
{
	return a->start == b->start && a->hist == b->hist && a->reason == b->reason && a->insns == b->insns;
}

/* The ways of a set in the order of their last use: ranks, 0 the latest. */
static unsigned oldest_way(const uint8_t *ranks, unsigned ways)
{
	unsigned way = 0;
	for (unsigned i = 1; i < ways; i++)
		if (ranks[i] > ranks[way])
			way = i;
	return way;
}

static void use_way(uint8_t *ranks, unsigned ways, unsigned way)
{
	for (unsigned i = 0; i < ways; i++)
		if (ranks[i] < ranks[way])
			ranks[i]++;
	ranks[way] = 0;
}

/* The way that takes n: the one that it is in, else the one that was not used for the longest time. */
static unsigned way_for(const struct trace *trace, unsigned first, const struct record *n)
{
	for (unsigned way = 0; way < trace->config.table_ways; way++)
		if (trace->table[first + way].count && same_key(&trace->table[first + way], n))
			return way;
	return oldest_way(&trace->table_ranks[first], trace->config.table_ways);
}

/* What n does with the entry of its way. */
static int effect(const struct trace_config *c, const struct record *entry, const struct record *n)
{
	if (entry->count == 0)
		return TABLE_ENTERED;
	if (!same_key(entry, n))
		return TABLE_THREW_OUT;
	if (entry->count + n->count > trace_ones(c->table_count_bits))
		return TABLE_FULL_COUNT;
	return c->with_cycles && entry->cycles + n->cycles > trace_ones(c->table_cycle_bits) ? TABLE_FULL_SUM
											     : TABLE_COUNTED;
}

/* Counts n. Returns whether *out leaves for it. */
static bool table_count(struct trace *trace, const struct record *n, struct record *out)
{
	const unsigned ways = trace->config.table_ways, set = set_of(&trace->config, n), first = set * ways;
	const unsigned way = way_for(trace, first, n);
	struct record *entry = &trace->table[first + way];
	use_way(&trace->table_ranks[first], ways, way);
	trace->table_set = set;
	trace->table_did = effect(&trace->config, entry, n);
	if (trace->table_did == TABLE_COUNTED) {
		entry->count += n->count;
		entry->timed += n->timed;
		entry->cycles += n->cycles;
		return false;
	}
	*out = *entry;
	*entry = *n;
	return out->count != 0;
}

bool trace_table_keeps(struct trace *trace, const struct record *n)
{
	const unsigned first = set_of(&trace->config, n) * trace->config.table_ways;
	const int did = effect(&trace->config, &trace->table[first + way_for(trace, first, n)], n);
	struct record none;
	return (did == TABLE_COUNTED || did == TABLE_ENTERED) && !table_count(trace, n, &none);
}

void trace_table_reset(struct trace *trace)
{
	const unsigned ways = trace->config.table_ways;
	for (unsigned i = 0; i < trace->config.table_entries; i++)
		trace->table_ranks[i] = (uint8_t)(ways - 1 - i % ways);
	trace->table_clearing = trace->config.table_entries != 0;
}

/* The entry that the walk has come to leaves, if there is one. */
static bool drain_step(struct trace *trace, struct record *out)
{
	struct record *entry = &trace->table[trace->table_walk++];
	*out = *entry;
	*entry = (struct record){0};
	if (trace->table_walk == trace->config.table_entries) {
		trace->table_walk = 0;
		trace->table_draining = false;
	}
	return out->count != 0;
}

bool trace_table_counts(const struct trace *trace)
{
	const uint32_t mode = trace->ctrl & (RV_CTRL_TABLE_MASK | RV_CTRL_LIFO_MASK);
	return trace->config.table_entries && mode == RV_CTRL_TABLE_MASK && !trace->table_clearing;
}

bool trace_table_busy(const struct trace *trace)
{
	return trace->table_clearing || trace->table_draining || trace->table_late[0].push || trace->table_late[1].push;
}

static bool operate(struct trace *trace, bool push, const struct record *n, struct record *out)
{
	if (push && !trace_table_counts(trace)) {
		trace->table_did = TABLE_PASSED;
		*out = *n;
		return true;
	}
	if (push)
		return table_count(trace, n, out);
	trace->table_did = TABLE_IDLE;
	if (trace->table_draining && !(trace->ctrl & RV_CTRL_LIFO_MASK) && trace->count < trace->config.fifo_depth / 2)
		return drain_step(trace, out);
	return false;
}

bool trace_table(struct trace *trace, bool push, const struct record *n, struct record *out)
{
	const struct trace_config *c = &trace->config;
	if (c->table_entries == 0) {
		*out = *n;
		return push;
	}
	const bool clearing = trace->table_clearing;
	const struct trace_late leaves = trace->table_late[1];
	trace->table_late[1] = trace->table_late[0];
	trace->table_late[0].push = operate(trace, push, n, &trace->table_late[0].rec);
	if (clearing && ++trace->table_walk == c->table_entries / c->table_ways) {
		trace->table_walk = 0;
		trace->table_clearing = false;
	}
	*out = leaves.rec;
	return leaves.push;
}

void trace_table_drain(struct trace *trace, bool on)
{
	trace->table_draining = on;
	trace->table_walk = 0;
}
