/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/trace/stimulus.h"
#include <string.h>
#include "common/rivulet_regs.h"

#define MRET 0x30200073u
#define SRET 0x10200073u

/* Steps of walk() */
enum {
	WALK_PAIRS = 32 + 16 + 31,
	WALK_LOST = 6 * WALK_PAIRS,
	WALK_RETURNS = WALK_LOST + 2 * 32,
	WALK_STEPS = WALK_RETURNS + 5 * 31
};

/* splitmix64 */
static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}
static uint64_t next64(struct stimulus *s)
{
	return mix(s->state += 0x9E3779B97F4A7C15u);
}
static uint32_t next(struct stimulus *s)
{
	return (uint32_t)(next64(s) >> 32);
}
static uint32_t below(struct stimulus *s, uint32_t n)
{
	return (uint32_t)((uint64_t)next(s) * n >> 32);
}
static bool one_in(struct stimulus *s, uint32_t n)
{
	return below(s, n) == 0;
}
static uint32_t word_of(uint64_t value, unsigned word)
{
	return (uint32_t)(value >> 32 * word);
}
static uint64_t address(const struct stimulus *s, uint64_t value)
{
	return s->config.xlen == 64 ? value : (uint32_t)value;
}

/* ---------------------------------------------------------------- encodings */

static uint32_t bits(int64_t offset, unsigned high, unsigned low, unsigned at)
{
	return ((uint32_t)((uint64_t)offset >> low) & ((1u << (high - low + 1)) - 1)) << at;
}
static uint32_t branch32(int64_t o)
{
	return 0x63 | bits(o, 12, 12, 31) | bits(o, 10, 5, 25) | bits(o, 4, 1, 8) | bits(o, 11, 11, 7);
}
static uint32_t jal32(int64_t o)
{
	return 0x6F | bits(o, 20, 20, 31) | bits(o, 10, 1, 21) | bits(o, 11, 11, 20) | bits(o, 19, 12, 12);
}
static uint32_t branch16(int64_t o)
{
	return 0xC001 | bits(o, 8, 8, 12) | bits(o, 4, 3, 10) | bits(o, 7, 6, 5) | bits(o, 2, 1, 3) | bits(o, 5, 5, 2);
}
static uint32_t jump16(int64_t o)
{
	return 0xA001 | bits(o, 11, 11, 12) | bits(o, 4, 4, 11) | bits(o, 9, 8, 9) | bits(o, 10, 10, 8) |
	       bits(o, 6, 6, 7) | bits(o, 7, 7, 6) | bits(o, 3, 1, 3) | bits(o, 5, 5, 2);
}

/* One bit beside a trap return, or everything of one but the opcode. */
static uint32_t near_return(uint32_t h)
{
	static const uint8_t others[] = {0x13, 0x33, 0x53, 0x7B, 0x77, 0x6B, 0x0F, 0x03};
	if (!(h >> 9 & 3))
		return ((h >> 8 & 1 ? MRET : SRET) & ~0x7Fu) | others[h & 7];
	unsigned bit = 7 + h % 25;
	return (h >> 8 & 1 ? MRET : SRET) ^ 1u << (bit == 29 ? 31 : bit); /* bit 29 tells the two apart */
}

/* Neither branch, jump nor trap return, but often near one. */
static uint32_t plain(const struct stimulus *s, uint32_t h, bool wide)
{
	static const uint8_t opcodes[] = {0x03, 0x13, 0x17, 0x23, 0x33, 0x37, 0x0F, 0x2F, 0x1B, 0x3B, 0x07, 0x43, 0x6B,
	    0x77, 0x7B, 0x7F, 0x57, 0x5B, 0x0B, 0x2B, 0x5F, 0x1F};
	static const uint32_t system[] = {0x00000073, 0x00100073, 0x10500073, 0x00200073, 0x7B200073, 0x302000F3,
	    0x30201073, 0x30208073, 0x30300073, 0x10600073, 0x12000073, 0x70200073, 0xB0200073, 0x50200073, 0x20200073,
	    0x30000073,
	    /* mtvec and stvec written, or only read; and what is near */
	    0x30529073, 0x10529073, 0x30529073, 0x3052A073, 0x1052B173, 0x3050D073, 0x3050E073, 0x1050F073, 0x30502073,
	    0x10503073, 0x30506073, 0x10507073, 0x30405073, 0x30429073, 0x20529073, 0x70529073};
	if (wide)
		return h & 15        ? (h & ~0x7Fu) | opcodes[h >> 4 & 7 ? (h >> 8) % 7 : (h >> 8) % sizeof opcodes]
		       : h >> 12 & 1 ? system[h >> 13 & 31]
				     : near_return(h >> 13);
	uint32_t rest = h >> 8 & 0x1FFC;
	switch (h & 7) {
	case 0:
		return 0x8002 | (h >> 8 & 1) << 12; /* C.JR and C.JALR without a register */
	case 1:
		return 0x8002 | rest | 4; /* C.MV, C.ADD */
	case 2:
		return (h >> 8 & 7) << 13 | rest; /* quadrant 0 */
	case 3:
		return (h >> 8 & 3) << 13 | rest | 2;
	case 4:
		return 0xA002 | (h >> 8 & 1) << 14 | rest;
	case 5:
		return s->config.xlen == 64 ? 0x2001 | rest : 0x0001; /* C.ADDIW: there is no C.JAL */
	default:
		return ((h >> 8) % 3 == 1 ? 4 : (h >> 8) % 3) << 13 | rest | 1;
	}
}

/* ---------------------------------------------------------------- the program */

/* What stands at pc, and where it goes; the core may change the outcome. */
struct step {
	uint32_t insn;
	uint64_t next, other; /* of a branch, other is the other way; else the same */
};

/* An even offset of at most `reach` bytes in the direction that the phase allows. */
static int64_t offset_of(const struct stimulus *s, uint64_t h, uint32_t reach)
{
	int64_t o = (int64_t)((h & 0xFFFFFFFF) % reach) & ~INT64_C(1);
	if (s->forward)
		return o + 2;
	return h >> 40 & 15 ? (h >> 44 & 1 ? o : -o) : 0; /* now and then to itself */
}

static struct step step_at(struct stimulus *s, uint64_t pc)
{
	uint64_t h = mix(pc * 0x9E3779B97F4A7C15u ^ s->salt);
	bool wide = h & 1;
	uint32_t kind = h >> 1 & 255, noise = (uint32_t)(h >> 32), length = wide ? 4 : 2;
	struct step step = {.next = pc + length};
	uint32_t reach = s->reach;
	bool inside = !s->size || address(s, pc - s->base) < s->size || s->depth;
	if (!inside && h >> 9 & 1)
		kind = 255; /* back to the code */
	if (kind < s->branches) {
		uint32_t limit = wide ? 4094 : 254;
		int64_t o = offset_of(s, mix(h), reach < limit ? reach : limit);
		if (!(h >> 9 & 31) && !s->forward)
			o = length; /* both ways lead to the next instruction */
		else if (!(h >> 9 & 63))
			o = s->forward ? limit : -(int64_t)limit - 2; /* as far as it can */
		else if ((h >> 9 & 63) == 1) {                        /* one bit beside the next instruction */
			uint32_t power = 1 + (uint32_t)(h >> 15 & 15) % (wide ? 12 : 8);
			o = (s->forward || h >> 21 & 1 ? INT64_C(1) : INT64_C(-1)) * (INT64_C(1) << power) + length;
			if (o > (int64_t)limit)
				o = limit;
		}
		static const uint8_t funct3[] = {0, 1, 4, 5, 6, 7, 0, 1};
		step.insn = wide ? branch32(o) | (uint32_t)funct3[noise & 7] << 12 | (noise & 0x1FF8000)
				 : branch16(o) | (noise & 1) << 13 | (noise & 0x380);
		step.other = pc + (uint64_t)o;
		if (h >> 20 & 1) { /* usually taken */
			step.other = step.next;
			step.next = pc + (uint64_t)o;
		}
	} else if (kind < s->branches + s->jumps) {
		uint32_t limit = wide ? 1048574 : 2046;
		int64_t o = offset_of(s, mix(h), reach < limit ? reach : limit);
		if (!(h >> 9 & 31))
			o = s->forward || h >> 14 & 1 ? limit : -(int64_t)limit - 2;
		else if (wide && (h >> 9 & 7) == 1) /* only high bits tell that it is another place */
			o = (s->forward || h >> 14 & 1 ? INT64_C(1) : INT64_C(-1)) *
			    (INT64_C(1) << (13 + (h >> 15 & 15) % 7));
		else if (wide && (h >> 9 & 7) == 2) /* one bit alone */
			o = (s->forward || h >> 14 & 1 ? INT64_C(1) : INT64_C(-1)) *
			    (INT64_C(1) << (2 + (h >> 15 & 15) % 11));
		bool c_jal = s->config.xlen == 32 && noise & 1;
		step.insn = wide ? jal32(o) | (noise & 0xF80) : jump16(o) & ~(c_jal ? 0x8000u : 0u);
		s->call = pc + length;
		step.next = pc + (uint64_t)o;
		step.other = step.next;
	} else if (kind < s->branches + s->jumps + s->plain) {
		step.insn = plain(s, noise, wide);
		step.other = step.next;
	} else {
		step.insn = wide ? 0x67 | (noise & 0xFFFF8F80) : 0x8002 | (noise & 0x1F80);
		if (!wide && !(noise & 0xF80))
			step.insn |= 0x80;
		bool back = noise >> 16 & 1 && s->call;
		step.next = back ? s->call : s->base + (s->size ? noise % s->size & ~UINT64_C(1) : 0);
		step.other = step.next;
	}
	if (!wide) /* the port shows a 16-bit instruction in the low half; what is above does not count */
		step.insn |= noise & 0xFFFF0000;
	step.next = address(s, step.next);
	step.other = address(s, step.other);
	return step;
}

static void enter(struct stimulus *s, uint64_t resume)
{
	s->resume[s->depth] = resume;
	s->mode_before[s->depth++] = s->mode;
	s->mode = one_in(s, 8) ? 1 : 3;
	s->pc = address(s, s->handler + 64 * below(s, 3));
	s->intr = true;
}

/* One of the ways in which a core says something else than it does. */
static void break_promise(struct stimulus *s, const struct trace *trace, struct trace_retire *r)
{
	switch (below(s, 8)) {
	case 0: /* it goes where this instruction cannot, or where nobody expects it */
		r->next_pc = address(s, one_in(s, 2) ? next64(s) : r->next_pc ^ UINT64_C(1) << (1 + below(s, 31)));
		break;
	case 1:
		r->next_pc = trace->resume;
		break;
	case 2: /* it was elsewhere before */
		r->pc = address(s, one_in(s, 2) ? next64(s) : r->pc ^ UINT64_C(1) << (1 + below(s, 31)));
		r->next_pc = address(s, r->pc + ((r->insn & 3) == 3 ? 4 : 2));
		break;
	case 3: /* an interrupt that nobody marks, or a mark without one */
		r->intr = !r->intr;
		break;
	case 4: /* a handler is left, and nobody says so */
		r->mode = s->mode = 0;
		s->depth = 0;
		break;
	case 5: /* the next one is elsewhere */
		s->depth = 0;
		r->next_pc = s->base;
		break;
	case 6: /* a trap that is none */
		r->trap = !r->trap;
		break;
	default: /* handlers one in another, and none returns */
		s->intr = true;
		break;
	}
}

/* written: CTRL is written in this cycle, so that stage S is the first to see its new value. */
static void core(struct stimulus *s, const struct trace *trace, bool written, struct trace_retire *r)
{
	bool event = written && one_in(s, 2); /* what happens just then */
	/* between retirements the port shows anything */
	*r = (struct trace_retire){.trap = next(s) & 1,
	    .intr = next(s) & 1,
	    .mode = (uint8_t)below(s, 4),
	    .insn = one_in(s, 4) ? MRET : next(s),
	    .pc = address(s, next64(s)),
	    .next_pc = address(s, next64(s))};
	if (s->quiet) {
		s->quiet--;
		if (s->walk_return) /* to each bit beside */
			*r = (struct trace_retire){.valid = true,
			    .mode = 3,
			    .insn = MRET,
			    .pc = address(s, s->pc),
			    .next_pc =
				address(s, trace->resume ^ UINT64_C(1) << (1 + (s->walk - WALK_RETURNS) / 5 % 31))};
		s->walk_return = false;
		return;
	}
	if (!event && below(s, 256) < s->stall)
		return;
	bool may_enter = s->depth < STIMULUS_STACK;
	if (may_enter && !s->intr && (below(s, 4096) < s->interrupts || (event && one_in(s, 4))))
		enter(s, s->pc);
	may_enter = s->depth < STIMULUS_STACK;
	struct step step = step_at(s, s->pc);
	*r = (struct trace_retire){
	    .valid = true, .intr = s->intr, .mode = s->mode, .insn = step.insn, .pc = s->pc, .next_pc = step.next};
	s->intr = false;
	if (below(s, 256) < s->bias)
		r->next_pc = step.other;
	/* A unit that believes it is in a handler when the core is not (HANDLERS was changed in one, or DEPTH written)
	 * needs a return. */
	bool lost = !s->depth && trace->depth && one_in(s, 16);
	if (may_enter && (below(s, 4096) < s->traps || (event && one_in(s, 4)))) {
		enter(s, one_in(s, 4) ? address(s, s->pc + 4) : s->pc);
		r->trap = true;
		r->next_pc = s->pc;
		return;
	}
	if (s->depth ? one_in(s, s->traps > 256 ? 40 : 6) : lost || one_in(s, 1000)) {
		r->insn = s->mode == 1 ? SRET : MRET;
		r->next_pc = one_in(s, 2) ? trace->resume : step.next;
		if (s->depth) {
			s->depth--;
			s->mode = s->mode_before[s->depth];
			r->next_pc = s->resume[s->depth];
			if (one_in(s, 4)) /* to another place: the next instruction, a process switch, one bit beside */
				r->next_pc = one_in(s, 5) ? r->next_pc + 4
					     : !one_in(s, 4)
						 ? r->next_pc ^ UINT64_C(1) << (1 + below(s, s->config.xlen - 1))
						 : s->base;
		}
		r->next_pc = address(s, r->next_pc);
	}
	if (s->config.ret_mask && s->depth && one_in(s, 8)) {
		r->insn = (r->insn & ~s->config.ret_mask) | s->config.ret_match;
		s->depth--;
		s->mode = s->mode_before[s->depth];
		r->next_pc = s->resume[s->depth];
	}
	if (below(s, 4096) < s->breaks)
		break_promise(s, trace, r);
	s->pc = r->next_pc;
	if (one_in(s, 500) && !s->depth)
		s->mode = (uint8_t)below(s, 4);
}

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
	const uint32_t select = one_in(s, 3) ? below(s, 8) : SELECT_READ | (one_in(s, 2) ? 4u : 0),
		       on = one_in(s, 16) ? 0 : RV_SINK_ENABLE_MASK;
	const uint32_t size = one_in(s, 6) ? below(s, 32) : 6 + below(s, 3);
	bus->write = true;
	if (trace->sink.select != SELECT_READ || one_in(s, 8)) {
		bus->index = RV_REG_SINK;
		bus->wdata =
		    on | (one_in(s, 2) ? RV_SINK_IE_MASK : 0) | size << RV_SINK_SIZE_LSB | select << RV_SINK_SELECT_LSB;
		if (!one_in(s, 8)) /* and is read by the next writes */
			return;
	}
	const uint32_t value = one_in(s, 8) ? next(s) : trace->sink.write - (one_in(s, 4) ? 4 * below(s, 8) : 0);
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
	core(s, trace, in->bus.write && in->bus.index == RV_REG_CTRL, &in->retire);
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
