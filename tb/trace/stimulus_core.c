/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The core of a stimulus: a program whose instruction at an address is a function of the phase's salt, with traps,
 * interrupts and their returns; encodings of any legal form; and a port that breaks its promise.
 */
#include <string.h>
#include "common/rivulet_regs.h"
#include "tb/trace/stimulus_private.h"

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
void stimulus_core(struct stimulus *s, const struct trace *trace, bool written, struct trace_retire *r)
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
