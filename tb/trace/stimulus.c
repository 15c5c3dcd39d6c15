/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The driver of a stimulus: register writes between retirements, and phases that set up a program and the unit. */
#include "tb/trace/stimulus.h"
#include <string.h>
#include "common/rivulet_regs.h"
#include "tb/trace/stimulus_private.h"

/* ---------------------------------------------------------------- registers */

static void put(struct stimulus *s, unsigned index, uint32_t value)
{
	if (s->queued < STIMULUS_QUEUE)
		s->queue[s->queued++] = (struct trace_bus){.write = true, .index = (uint8_t)index, .wdata = value};
}

/* An address near the code, or anywhere; often the one that is next, which a loop comes back to. */
static uint64_t near(struct stimulus *s)
{
	if (one_in(s, 4))
		return s->pc;
	if (one_in(s, 8))
		return next64(s);
	uint64_t span = s->size ? s->size : 4096;
	return s->base + below(s, (uint32_t)span + 256) - 128;
}

static uint32_t small_or_any(struct stimulus *s, uint32_t most)
{
	return one_in(s, 6) ? next(s) : below(s, most + 1);
}

static uint32_t some_ctrl(struct stimulus *s)
{
	uint32_t ctrl = next(s) & (RV_CTRL_IE_MASK | 0xFFF0E0A0u);
	ctrl |= RV_CTRL_ENABLE_MASK;
	if (one_in(s, 3))
		ctrl |= RV_CTRL_NO_BACKWARD_MASK;
	if (one_in(s, 3))
		ctrl |= RV_CTRL_NO_INDIRECT_MASK;
	if (one_in(s, 3))
		ctrl |= RV_CTRL_HANDLERS_MASK;
	if (!one_in(s, 3))
		ctrl |= RV_CTRL_REPEAT_MASK;
	if (one_in(s, 3))
		ctrl |= RV_CTRL_SAMPLE_MASK;
	if (one_in(s, 3))
		ctrl |= RV_CTRL_LIFO_MASK;
	ctrl |= (one_in(s, 2) ? 15u : below(s, 16)) << RV_CTRL_MODES_LSB;
	if (one_in(s, 2))
		ctrl &= ~(uint32_t)RV_CTRL_RANGE_EN_MASK;
	return ctrl;
}

/* The table's registers. */
static void table_write(struct stimulus *s, struct trace_bus *bus, uint32_t value)
{
	bus->index = RV_REG_TABLE;
	bus->wdata = one_in(s, 6) ? value & ~1u : value | 1;
	if (s->config.table_context_bits && one_in(s, 2)) {
		bus->index = RV_REG_TABLE_CONTEXT;
		bus->wdata = one_in(s, 2) ? value : below(s, 2);
	} else if (s->config.table_rate && one_in(s, 2)) {
		bus->index = one_in(s, 4) ? RV_REG_TABLE_MISSED : RV_REG_TABLE_POLICY;
		bus->wdata = bus->index == RV_REG_TABLE_MISSED ? (one_in(s, 2) ? 0 : UINT32_MAX - below(s, 6))
							       : below(s, one_in(s, 6) ? 16 : 8);
	} else if (s->config.table_index && !one_in(s, 3)) {
		bus->index = RV_REG_TABLE_TAKE;
		bus->wdata = value | (one_in(s, 4) ? 0 : RV_TABLE_TAKE_TAKE_MASK);
	}
}

/* Frozen or thawed by software, and what freezes it. */
static uint32_t some_recorder(struct stimulus *s)
{
	const uint32_t arm = one_in(s, 2) ? 1u << below(s, 6) : next(s) & 0x3F;
	return (next(s) & 0x000F7E00) | arm | (one_in(s, 4) ? RV_RECORDER_FROZEN_MASK : 0);
}

static void recorder_write(struct stimulus *s, struct trace_bus *bus)
{
	const uint8_t index = (uint8_t)(RV_REG_RECORDER_TRAPS + below(s, 9));
	uint32_t value = next(s);
	if (index == RV_REG_RECORDER_LIMIT)
		value = one_in(s, 8) ? value : below(s, 60);
	else if (index >= RV_REG_RECORDER_FROM && index <= RV_REG_RECORDER_TO_HI)
		value = word_of(near(s), (index - RV_REG_RECORDER_FROM) & 1);
	*bus = (struct trace_bus){.write = true, .index = index, .wdata = value};
	if (index > RV_REG_RECORDER_PC)
		*bus = (struct trace_bus){.write = true, .index = RV_REG_RECORDER, .wdata = some_recorder(s)};
}

/* The recorder is armed for a phase, and the buffer is a ring: addresses of the code, mostly. */
static void recorder_phase(struct stimulus *s)
{
	if (!s->config.with_recorder || one_in(s, 4))
		return;
	const uint64_t from = s->base + (below(s, 16) & ~1u), to = one_in(s, 2) ? from : s->base + (below(s, 16) & ~1u);
	put(s, RV_REG_RECORDER_FROM, word_of(address(s, from), 0));
	put(s, RV_REG_RECORDER_FROM_HI, word_of(address(s, from), 1));
	put(s, RV_REG_RECORDER_TO, word_of(address(s, to), 0));
	put(s, RV_REG_RECORDER_TO_HI, word_of(address(s, to), 1));
	put(s, RV_REG_RECORDER_LIMIT, one_in(s, 3) ? below(s, 400) : below(s, 30));
	put(s, RV_REG_RECORDER_TRAPS, next(s) & next(s));
	put(s, RV_REG_RECORDER, one_in(s, 2) ? 1u << below(s, 6) : below(s, 64));
	if (!one_in(s, 3)) {
		s->ctrl |= RV_CTRL_RING_MASK;
		s->ctrl &= ~(uint32_t)RV_CTRL_LIFO_MASK;
	}
}

/* The sink: what SINK selects, then its value. A reader takes what was written, seldom something else. */
static void sink_write(struct stimulus *s, const struct trace *trace, struct trace_bus *bus)
{
	enum { SELECT_READ = 3 };
	uint32_t select = one_in(s, 2) ? 4u + SELECT_READ : SELECT_READ; /* and is shown */
	if (one_in(s, 3))
		select = below(s, 8);
	const uint32_t on = one_in(s, 16) ? 0 : RV_SINK_ENABLE_MASK;
	const uint32_t size = one_in(s, 6) ? below(s, 32) : 6 + below(s, 3);
	bus->write = true;
	if (trace->sink.select != SELECT_READ || one_in(s, 8)) {
		bus->index = RV_REG_SINK;
		bus->wdata =
		    on | (one_in(s, 2) ? RV_SINK_IE_MASK : 0) | size << RV_SINK_SIZE_LSB | select << RV_SINK_SELECT_LSB;
		if (!one_in(s, 8)) /* and is read by the next writes */
			return;
	}
	uint32_t value = trace->sink.write - (one_in(s, 4) ? 4 * below(s, 8) : 0);
	if (one_in(s, 8))
		value = next(s);
	bus->index = RV_REG_SINK;
	bus->wdata = RV_SINK_PRESENT_MASK | value >> 1;
}

/* The sink is set up for a phase: a base anywhere, a ring of any size, mostly a small one. */
static void sink_phase(struct stimulus *s)
{
	if (!s->config.with_sink || one_in(s, 4))
		return;
	put(s, RV_REG_SINK, 0);
	put(s, RV_REG_SINK, RV_SINK_PRESENT_MASK | next(s));
	put(s, RV_REG_SINK, 1u << RV_SINK_SELECT_LSB);
	put(s, RV_REG_SINK, RV_SINK_PRESENT_MASK | next(s));
	const uint32_t size = one_in(s, 6) ? below(s, 32) : 6 + below(s, 5);
	put(s, RV_REG_SINK,
	    3u << RV_SINK_SELECT_LSB | RV_SINK_ENABLE_MASK | (one_in(s, 2) ? RV_SINK_IE_MASK : 0) |
		size << RV_SINK_SIZE_LSB);
}

static void some_write(struct stimulus *s, const struct trace *trace, struct trace_bus *bus)
{
	static const uint8_t context[] = {RV_REG_CUR_START, RV_REG_CUR_START_HI, RV_REG_CUR_HIST, RV_REG_CUR_HIST_HI,
	    RV_REG_CUR_INFO, RV_REG_CUR_CYCLES, RV_REG_RESUME, RV_REG_RESUME_HI};
	uint32_t value = next(s);
	bus->write = true;
	if (s->config.table_entries && one_in(s, 8)) {
		table_write(s, bus, value);
		return;
	}
	if (s->config.with_recorder && one_in(s, 6)) {
		recorder_write(s, bus);
		return;
	}
	if (s->config.with_sink && one_in(s, 4)) {
		sink_write(s, trace, bus);
		return;
	}
	switch (below(s, 16)) {
	case 0:
		bus->index = RV_REG_CTRL; /* off and on again, or everything else */
		value = one_in(s, 4) ? s->ctrl = some_ctrl(s) : s->ctrl ^ (one_in(s, 2) ? RV_CTRL_ENABLE_MASK : 0);
		break;
	case 1:
		bus->index = RV_REG_STATUS;
		break;
	case 2:
		bus->index = RV_REG_LOST;
		value = one_in(s, 2) ? 0 : one_in(s, 2) ? 1u << below(s, 32) : UINT32_MAX - below(s, 6);
		break;
	case 3:
		bus->index = RV_REG_WATERMARK;
		value = small_or_any(s, s->config.fifo_depth + 1);
		break;
	case 4:
	case 5:
		bus->index = (uint8_t)(RV_REG_PERIOD + below(s, 3));
		value = one_in(s, 8) ? ~below(s, 4) : one_in(s, 4) ? 1u << below(s, 32) : small_or_any(s, 8);
		break;
	case 6:
		if (one_in(s, 3)) {
			bus->index = RV_REG_PORT;
			value = one_in(s, 2) ? 0 : value | (one_in(s, 2) ? 0xFFF0 : 0xFFF00000);
			break;
		}
		bus->index = RV_REG_LFSR;
		value = one_in(s, 4) ? 0 : one_in(s, 2) ? 1u << below(s, 32) : value;
		break;
	case 7:
		bus->index = RV_REG_DEPTH;
		value = one_in(s, 3) ? value : s->depth < 15 ? s->depth : 15;
		break;
	case 8: { /* a bound of a range */
		unsigned word = below(s, 4 * TRACE_MAX_RANGES);
		bus->index = (uint8_t)(RV_REG_RANGE0_LO + word);
		value = word_of(near(s), word & 1);
		break;
	}
	case 9: /* what cannot be written, or is not there */
		bus->index = (uint8_t)below(s, 64);
		if (bus->index == RV_REG_CTRL)
			bus->index = RV_REG_ID;
		break;
	default:
		bus->index = context[below(s, sizeof context)];
		if (bus->index == RV_REG_CUR_HIST || bus->index == RV_REG_CUR_HIST_HI)
			value = one_in(s, 3) ? 0 : value >> below(s, 32);
		else if (bus->index == RV_REG_CUR_CYCLES || bus->index == RV_REG_CUR_INFO)
			value = one_in(s, 2) ? ~(below(s, 8) << (bus->index == RV_REG_CUR_INFO ? 16 : 0)) : value;
		else
			value =
			    word_of(bus->index >= RV_REG_RESUME && s->depth ? s->resume[0] : near(s), bus->index & 1);
		break;
	}
	bus->wdata = value;
}

/* A second bit to invert, so that the set of the table stays the same: a number of sets' width away from bit n of so
 * many. 0: not needed. */
static uint32_t in_one_set(const struct stimulus *s, uint32_t n, uint32_t bits)
{
	uint32_t width = 0;
	for (uint32_t sets = s->config.table_ways ? s->config.table_entries / s->config.table_ways : 0; sets > 1;
	     sets /= 2)
		width++;
	return width == 0 || n >= bits ? 0 : 1u << (n + width < bits ? n + width : n - width);
}

/*
 * While nothing else retires, a walk over single bits: records one after the other that differ in one bit (of start,
 * instructions, history), LOST with one bit, and returns from a handler to one bit beside the place where it came from.
 */
static void walk(struct stimulus *s, struct trace_bus *bus)
{
	uint32_t step = s->walk++ - 1, full = 1u << (s->config.hist - 1) % 32;
	uint8_t hist = s->config.hist > 32 ? RV_REG_CUR_HIST_HI : RV_REG_CUR_HIST;

	if (step < WALK_LOST) {
		uint32_t n = step / 6;
		bool flip = step / 3 & 1;
		uint32_t start = n < 32 && flip ? 1u << n | in_one_set(s, n - 1, 31) << 1 : 0,
			 insns = n >= 32 && n < 48 && flip ? 1u << (n - 16) : 0,
			 outcomes = n >= 48 && flip ? (1u << (n - 48) | in_one_set(s, n - 48, 31)) & (full - 1) : 0;
		const struct trace_bus writes[] = {
		    {.write = true, .index = RV_REG_CUR_START, .wdata = s->walk_start ^ start},
		    {.write = true, .index = RV_REG_CUR_INFO, .wdata = (s->walk_start & 0xFFFF0000) ^ insns},
		    {.write = true, .index = hist, .wdata = full | outcomes}};

		*bus = writes[step % 3];
	} else if (step < WALK_RETURNS) {
		uint32_t n = (step - WALK_LOST) / 2;

		*bus = step & 1 ? (struct trace_bus){.index = RV_REG_STATUS}
				: (struct trace_bus){.write = true, .index = RV_REG_LOST, .wdata = 1u << n};
	} else if (step < WALK_STEPS) {
		const struct trace_bus writes[] = {{.write = true, .index = RV_REG_DEPTH, .wdata = 1},
		    {.write = true, .index = RV_REG_CUR_START, .wdata = s->walk_start},
		    {.write = true, .index = hist, .wdata = 3},
		    {.write = true, .index = RV_REG_RESUME, .wdata = s->walk_start & ~1u}, {.index = RV_REG_STATUS}};

		*bus = writes[(step - WALK_RETURNS) % 5];
		s->walk_return = (step - WALK_RETURNS) % 5 == 4;
	} else {
		s->walk = 0;
	}
}

static void driver(struct stimulus *s, const struct trace *trace, struct trace_bus *bus)
{
	*bus = (struct trace_bus){.index = (uint8_t)below(s, 64), .wdata = next(s)};
	if (one_in(s, 3)) /* what changes in every cycle, and what must agree within one */
		bus->index = (uint8_t)(RV_REG_STATUS + below(s, 22));
	else if ((s->config.table_context_bits || s->config.table_rate || s->config.table_index) && one_in(s, 3))
		bus->index = (uint8_t)(RV_REG_TABLE_POLICY + below(s, 5));
	if (s->sent < s->queued)
		*bus = s->queue[s->sent++];
	else if (s->walk && s->quiet)
		walk(s, bus);
	else if (below(s, 256) < s->pops)
		*bus = (struct trace_bus){.write = true, .index = RV_REG_POP, .wdata = next(s)};
	else if (below(s, 4096) < s->writes)
		some_write(s, trace, bus);
	/* Software empties the buffer before it changes LIFO. */
	uint32_t change = trace->ctrl ^ bus->wdata;
	if (bus->write && bus->index == RV_REG_CTRL && trace->count && change & RV_CTRL_LIFO_MASK)
		bus->wdata ^= RV_CTRL_LIFO_MASK;
}

/* ---------------------------------------------------------------- phases */

static void phase(struct stimulus *s)
{
	const uint64_t places[] = {0, UINT32_MAX, UINT64_MAX, INT32_MAX, INT64_MAX, next64(s), next64(s), 0x80000000};
	s->left = 200 + below(s, 3000);
	s->salt = next(s);
	s->size = UINT64_C(16) << below(s, 9);
	s->base = address(s, (places[below(s, 8)] - below(s, (uint32_t)s->size)) & ~UINT64_C(1));
	s->handler = address(s, one_in(s, 2) ? s->base + s->size / 2 : s->base + 0x10000);
	s->forward = false;
	s->branches = 20 + below(s, 100);
	s->jumps = below(s, 40);
	s->plain = below(s, 256 - s->branches - s->jumps);
	s->reach = 8u << below(s, 8);
	s->bias = one_in(s, 3) ? 0 : 1u << below(s, 8);
	s->stall = one_in(s, 3) ? 0 : below(s, 200);
	s->breaks = !s->config.with_check || one_in(s, 3) ? 0 : one_in(s, 2) ? 40 : 800;
	s->traps = one_in(s, 3) ? 0 : 4u << below(s, 6);
	s->interrupts = one_in(s, 3) ? 0 : 4u << below(s, 6);
	s->writes = one_in(s, 2) ? 0 : 1u << below(s, 11);
	if (s->config.retire == 2) {
		s->pairs = one_in(s, 2) ? 256 : below(s, 256);
		s->deaf = one_in(s, 4);
	}
	s->pops = one_in(s, 4) ? 0 : 1u << below(s, 8);
	switch (below(s, 8)) {
	case 0: /* branches forward only: long histories */
		s->forward = true;
		s->size = 0;
		s->branches = 100 + below(s, 156);
		s->jumps = 0;
		s->plain = 256 - s->branches;
		s->traps = s->interrupts = 0;
		s->left += 1000;
		break;
	case 1: /* hardly a branch: long traces */
		s->branches = below(s, 2);
		s->jumps = 0;
		s->size = 0;
		s->plain = 256 - s->branches;
		s->traps = s->interrupts = below(s, 2);
		s->forward = true;
		break;
	case 2: /* a tight loop: the same pair again and again */
		s->size = 16;
		s->reach = 8;
		s->bias = 0;
		s->branches = 90;
		s->jumps = 90;
		s->plain = 70;
		s->stall = one_in(s, 2) ? 0 : 32;
		s->traps = s->interrupts = 0;
		s->writes = one_in(s, 2) ? 0 : 256;
		break;
	case 3: /* a storm of traps */
		s->traps = 1024;
		s->interrupts = 512;
		break;
	default:
		break;
	}
	bool fill = one_in(s, 12);
	if (fill) { /* nobody reads: a buffer of any size fills up */
		s->left *= 8;
		s->pops = s->writes = 0;
	}
	if (one_in(s, 2))
		s->pc = s->base;
	/* the unit */
	s->queued = s->sent = 0;
	if (!fill && one_in(s, 4))
		return;
	for (unsigned word = 0; word < 4 * s->config.ranges; word += 2) {
		uint64_t bound = one_in(s, 3) ? near(s) : word & 2 ? s->base + s->size : s->base;
		put(s, RV_REG_RANGE0_LO + word, word_of(bound, 0));
		put(s, RV_REG_RANGE0_LO + word + 1, word_of(address(s, bound), 1));
	}
	put(s, RV_REG_PERIOD, one_in(s, 8) ? next(s) : below(s, 6));
	put(s, RV_REG_COUNTER, below(s, 8));
	put(s, RV_REG_DITHER, one_in(s, 8) ? next(s) : (1u << below(s, 4)) - 1);
	put(s, RV_REG_WATERMARK, below(s, s->config.fifo_depth + 2));
	put(s, RV_REG_LOST, 0);
	s->ctrl = some_ctrl(s);
	if (s->bias == 0 && one_in(s, 2)) {
		s->ctrl |= RV_CTRL_REPEAT_MASK;
		s->ctrl &= ~(uint32_t)(RV_CTRL_SAMPLE_MASK | RV_CTRL_LIFO_MASK);
	}
	if (s->config.table_rate) /* sample and hold, now and then exact or nothing new */
		put(s, RV_REG_TABLE_POLICY, below(s, one_in(s, 6) ? 16 : 8));
	if (s->config.table_entries && one_in(s, 2)) { /* counted, and read */
		s->ctrl |= RV_CTRL_TABLE_MASK | RV_CTRL_MODES_MASK;
		s->ctrl &= ~(uint32_t)(RV_CTRL_SAMPLE_MASK | RV_CTRL_LIFO_MASK);
		s->pops = 64;
	}
	if (fill) {
		s->ctrl |= RV_CTRL_MODES_MASK;
		s->ctrl &= ~(uint32_t)(RV_CTRL_SAMPLE_MASK | RV_CTRL_REPEAT_MASK | RV_CTRL_RANGE_EN_MASK);
	}
	recorder_phase(s);
	sink_phase(s);
	put(s, RV_REG_CTRL, s->ctrl);
	s->walk = one_in(s, 12);
	if (s->walk) {
		s->walk_start = (uint32_t)near(s) | one_in(s, 2);
		s->quiet = s->queued + WALK_STEPS;
		s->left += s->quiet;
	}
}

/* What holds tracing off from outside: seldom, and not for long. By numbers of its own, so that all else stays the
 * same. */
static bool stopped(struct stimulus *s)
{
	s->stop_state = s->stop_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	const unsigned number = (unsigned)(s->stop_state >> 54); /* 0 to 1023 */
	s->stop = s->stop ? number >= 128 : number < 2;
	return s->stop;
}

/* The pin that freezes: seldom; the cause of a trap: any; a reset in eight is that of power. */
static void recorder_pins(struct stimulus *s, struct trace_stimulus *in)
{
	if (!s->config.with_recorder)
		return;
	s->recorder_state = s->recorder_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	const uint32_t number = (uint32_t)(s->recorder_state >> 32);
	in->retire.freeze = (number & 0x1FF) == 0;
	in->retire.cause = (uint8_t)(number >> 9 & 0x3F);
	in->power_on = (number >> 15 & 7) == 0;
}

/* Memory that takes no word: never in a phase, or often. */
static void sink_pins(struct stimulus *s, struct trace_stimulus *in)
{
	if (!s->config.with_sink)
		return;
	s->sink_state = s->sink_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	in->bus.sink_wait = s->salt & 1 && s->sink_state >> 62 != 0;
}

/* The second slot, seldom without the first; and what ready says, from which a core retires nothing a cycle later. */
static void second_slot(struct stimulus *s, const struct trace *trace, struct trace_stimulus *in)
{
	in->second = (struct trace_retire){.valid = false};
	if (s->config.retire != 2)
		return;
	if (s->quiet == 0 && in->retire.valid && below(s, 256) < s->pairs)
		stimulus_core(s, trace, false, &in->second);
	if (s->deaf && one_in(s, 500) && in->second.valid)
		in->retire.valid = false;
}

void stimulus_init(struct stimulus *s, const struct trace_config *config, uint64_t seed)
{
	memset(s, 0, sizeof *s);
	s->config = *config;
	s->state = s->stop_state = s->recorder_state = s->sink_state = seed;
	s->mode = 3;
}

void stimulus_cycle(struct stimulus *s, const struct trace *trace, struct trace_stimulus *in)
{
	if (!s->left--)
		phase(s);
	in->rst = one_in(s, 3000);
	driver(s, trace, &in->bus);
	const bool written = in->bus.write && in->bus.index == RV_REG_CTRL;
	if (s->config.retire == 2 && s->held && !s->deaf)
		in->retire = (struct trace_retire){.valid = false};
	else
		stimulus_core(s, trace, written, &in->retire);
	second_slot(s, trace, in);
	s->held = trace->waiting != 0;
	in->retire.stop = stopped(s);
	recorder_pins(s, in);
	sink_pins(s, in);
	if (in->rst) { /* what was set up is gone */
		s->left = 0;
		if (one_in(s, 2)) {
			s->depth = 0;
			s->mode = 3;
		}
		if (one_in(s, 2)) /* set up again before anything retires */
			s->quiet = 24;
	}
}
