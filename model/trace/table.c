/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The hot-trace table. An operation is done at once here, in the cycle in which the RTL reads the set, and what leaves
 * by it comes out two cycles later: that the RTL's pipeline looks like this from outside is what lockstep compares.
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

/* Start, history and context folded to the width of a set's number, the history's bits from the top down, and once more
 * two places further. */
static unsigned set_of(const struct trace_config *c, const struct record *n)
{
	unsigned width = log2_of(c->table_entries / c->table_ways);
	unsigned set = fold(n->start >> 1, width), hist = fold(n->hist, width);
	for (unsigned i = 0; i < width; i++)
		set ^= (hist >> i & 1) << (width - 1 - i) ^ (hist >> i & 1) << (width + 1 - i) % width;
	return set ^ fold(n->context, width);
}

static bool same_key(const struct record *a, const struct record *b)
{
	return a->start == b->start && a->hist == b->hist && a->reason == b->reason && a->insns == b->insns &&
	       a->context == b->context;
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

/* What a record without an entry does where there is no room for it (TABLE_POLICY). */
static int by_lot(const struct trace *trace, uint16_t random)
{
	const uint32_t policy = trace->plain[RV_REG_TABLE_POLICY];
	const unsigned rate = policy & RV_TABLE_POLICY_RATE_MASK;
	const unsigned bits = (1u << rate) - 1;
	if (policy & RV_TABLE_POLICY_HOLD_MASK || random & (bits & 0xF) || random >> 8 & (bits & 0xF0))
		return TABLE_MISSED;
	return rate ? TABLE_DREW : TABLE_THREW_OUT;
}

/* What n does with the entry of its way. */
static int effect(const struct trace *trace, const struct record *entry, const struct record *n, uint16_t random)
{
	const struct trace_config *c = &trace->config;
	if (entry->count == 0)
		return TABLE_ENTERED;
	if (!same_key(entry, n))
		return by_lot(trace, random);
	if (entry->count + n->count > trace_ones(c->table_count_bits))
		return TABLE_FULL_COUNT;
	return c->with_cycles && entry->cycles + n->cycles > trace_ones(c->table_cycle_bits) ? TABLE_FULL_SUM
											     : TABLE_COUNTED;
}

/* A record that comes in now. */
static struct record owned(const struct trace *trace, const struct record *n)
{
	struct record own = *n;
	own.context = (uint8_t)trace->plain[RV_REG_TABLE_CONTEXT];
	return own;
}

/* Counts n. Returns whether *out leaves for it. */
static bool table_count(struct trace *trace, const struct record *n, uint16_t random, struct record *out)
{
	const unsigned ways = trace->config.table_ways, set = set_of(&trace->config, n), first = set * ways;
	const unsigned way = way_for(trace, first, n);
	struct record *entry = &trace->table[first + way];
	trace->table_set = set;
	trace->table_did = effect(trace, entry, n, random);
	if (trace->table_did == TABLE_MISSED) {
		trace->table_late[0].missed = (uint32_t)n->count;
		return false;
	}
	use_way(&trace->table_ranks[first], ways, way);
	if (trace->table_did == TABLE_COUNTED) {
		entry->count += n->count;
		entry->timed += n->timed;
		entry->cycles += n->cycles;
		return false;
	}
	*out = *entry;
	*entry = *n;
	if (trace->table_did == TABLE_DREW) {
		const unsigned rate = trace->plain[RV_REG_TABLE_POLICY] & RV_TABLE_POLICY_RATE_MASK;
		entry->count <<= rate;
		entry->timed <<= rate;
		entry->cycles <<= rate;
	}
	return out->count != 0;
}

bool trace_table_keeps(struct trace *trace, const struct record *one)
{
	const struct record n = owned(trace, one);
	const unsigned first = set_of(&trace->config, &n) * trace->config.table_ways;
	const int did = effect(trace, &trace->table[first + way_for(trace, first, &n)], &n, 0);
	struct record none;
	return (did == TABLE_COUNTED || did == TABLE_ENTERED) && !table_count(trace, &n, 0, &none);
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
	return trace->table_clearing || trace->table_draining || trace->table_take.wanted || trace->table_take.late ||
	       trace->table_late[0].push || trace->table_late[1].push || trace->table_late[0].missed ||
	       trace->table_late[1].missed;
}

static bool operate(struct trace *trace, bool push, const struct record *once, uint16_t random, struct record *out)
{
	const struct record n = owned(trace, once);
	if (push && !trace_table_counts(trace)) {
		trace->table_did = TABLE_PASSED;
		*out = n;
		return true;
	}
	if (push)
		return table_count(trace, &n, random, out);
	trace->table_did = TABLE_IDLE;
	if (trace->table_draining && !(trace->ctrl & RV_CTRL_LIFO_MASK) && trace->count < trace->config.fifo_depth / 2)
		return drain_step(trace, out);
	if (trace->table_take.wanted && !trace->table_clearing) {
		trace->table_take.wanted = false;
		trace->table_take.late = 3;
		trace->table_take.next = trace->table[trace->table_take.index];
	}
	return false;
}

/* A cycle later. */
static void take_step(struct trace *trace)
{
	struct trace_take *take = &trace->table_take;
	if (take->late && --take->late == 0)
		take->copy = take->next;
}

static void miss(struct trace *trace, uint32_t count)
{
	uint32_t *missed = &trace->plain[RV_REG_TABLE_MISSED];
	*missed = *missed > UINT32_MAX - count ? UINT32_MAX : *missed + count;
}

bool trace_table(struct trace *trace, bool push, const struct record *n, uint16_t random, struct record *out)
{
	const struct trace_config *c = &trace->config;
	if (c->table_entries == 0) {
		*out = *n;
		return push;
	}
	const bool clearing = trace->table_clearing;
	const struct trace_late leaves = trace->table_late[1];
	trace->table_late[1] = trace->table_late[0];
	trace->table_late[0].missed = 0;
	trace->table_late[0].push = operate(trace, push, n, random, &trace->table_late[0].rec);
	miss(trace, leaves.missed);
	take_step(trace);
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

void trace_table_take(struct trace *trace)
{
	trace->table_take.wanted = true;
	trace->table_take.index = trace->plain[RV_REG_TABLE_TAKE] & (trace->config.table_entries - 1);
	trace->table_take.late = 0;
}

uint32_t trace_table_word(const struct trace *trace)
{
	const struct record *copy = &trace->table_take.copy;
	if (copy->count == 0)
		return 0;
	switch ((trace->plain[RV_REG_TABLE_TAKE] & RV_TABLE_TAKE_WORD_MASK) >> RV_TABLE_TAKE_WORD_LSB) {
	case 0:
		return (uint32_t)copy->start;
	case 1:
		return (uint32_t)(copy->start >> 32);
	case 2:
		return (uint32_t)copy->hist;
	case 3:
		return (uint32_t)(copy->hist >> 32);
	case 4:
		return copy->insns << RV_REC_INFO_INSNS_LSB | (uint32_t)(copy->count & 0xFF) << RV_REC_INFO_REPEAT_LSB |
		       copy->reason;
	case 5:
		return (uint32_t)copy->cycles;
	case 6:
		return (uint32_t)copy->count;
	default:
		return copy->context;
	}
}
