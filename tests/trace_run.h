/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_TRACE_RUN_H
#define RIVULET_TESTS_TRACE_RUN_H
/* A random unit and a random run of it, for check_trace_random: what retires, what is written, cycle by cycle. */
#include "tests/trace_bench.h"

#include <inttypes.h>
#include <stdlib.h>

#define CYCLES 2500
#define CODE_BYTES 1024 /* the program: small, so that paths repeat */

static uint64_t seed;
static inline uint32_t random32(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 32);
}
static inline uint32_t below(uint32_t n)
{
	return (uint32_t)((uint64_t)random32() * n >> 32);
}
static inline bool one_in(uint32_t n)
{
	return below(n) == 0;
}
static inline uint64_t address_mask(void)
{
	return config.xlen == 64 ? UINT64_MAX : UINT32_MAX;
}
static inline uint32_t bits32(unsigned bits)
{
	return UINT32_MAX >> (32 - bits);
}

/* ---------------------------------------------------------------- a random unit */

static inline void random_config(void)
{
	static const unsigned depths[] = {0, 2, 4, 16, 128};
	memset(&config, 0, sizeof config);
	config.xlen = one_in(2) ? 32 : 64;
	config.hist = one_in(3) ? 8 + below(4) : 8 + below(57);
	config.fifo_depth = depths[below(5)];
	config.ranges = below(5);
	/* one unit in four has everything, the others half of it */
	bool all = one_in(4);
	config.with_reason = all || one_in(2);
	config.with_cycles = all || one_in(2);
	config.with_insns = all || one_in(2);
	config.with_repeat = config.with_reason && (all || one_in(2));
	config.with_sample = all || one_in(2);
	config.with_dither = config.with_sample && (all || one_in(2));
	config.with_mode = all || one_in(2);
	config.with_freeze = all || one_in(2);
	config.with_lost = all || one_in(2);
	config.with_lifo = config.fifo_depth && (all || one_in(2));
	config.with_context = all || one_in(2);
	config.with_term = all || one_in(2);
	config.cycle_bits = one_in(2) ? 8 : 8 + below(25);
	config.insn_bits = one_in(2) ? 8 : 8 + below(9);
	config.repeat_bits = 2 + below(7);
	config.sample_bits = 8 + below(25);
}

/* ---------------------------------------------------------------- a random run */

struct cycle {
	struct trace_retire port;
	struct trace_bus bus;
};
static struct cycle run[CYCLES];
static uint32_t ctrl_bits; /* CTRL of this run besides ENABLE, as it is kept */
static uint32_t period, dither, counter, lfsr, watermark_level;
static uint64_t lo[TRACE_MAX_RANGES], hi[TRACE_MAX_RANGES];

static inline uint32_t hash(uint32_t x)
{
	x *= 0x9E3779B1;
	x ^= x >> 15;
	x *= 0x85EBCA77;
	return x ^ x >> 13;
}

static inline void random_run(void)
{
	/* somewhere, in the middle of the address space where signs change, or around its end */
	const uint64_t places[] = {
	    (uint64_t)random32() << 32 | random32(), config.xlen == 64 ? INT64_MAX : INT32_MAX, UINT64_MAX - 300, 0};
	const uint64_t base = (places[below(4)] - CODE_BYTES / 2) & ~UINT64_C(1) & address_mask();
	const uint64_t handler = (base + 4 * CODE_BYTES) & address_mask();
	const uint32_t salt = random32(), bias = 1 + below(6), traps = 10 + below(200), stalls = 1 + below(4),
		       pops = 2 + below(60);
	uint64_t stack[32], pc = base;
	unsigned depth = 0;
	bool intr = false, on = false;
	uint8_t program_mode = MODE_M;
	for (unsigned k = 0; k < CYCLES; k++) {
		struct cycle *c = &run[k];
		*c = (struct cycle){0};
		if (one_in(pops)) {
			c->bus = (struct trace_bus){.write = true, .index = RV_REG_POP};
		} else if (one_in(on ? 400 : 20)) {
			on = !on;
			c->bus = (struct trace_bus){.write = true, .index = RV_REG_CTRL, .wdata = on};
		} else if (one_in(200)) {
			c->bus = (struct trace_bus){.write = true, .index = RV_REG_STATUS, .wdata = random32()};
		} else if (one_in(300)) {
			c->bus = (struct trace_bus){
			    .write = true, .index = RV_REG_LOST, .wdata = one_in(2) ? 0 : UINT32_MAX - below(4)};
		}
		/* between the retirements the port shows anything */
		c->port = (struct trace_retire){.trap = one_in(2),
		    .intr = one_in(2),
		    .mode = (uint8_t)below(4),
		    .insn = random32(),
		    .pc = base,
		    .next_pc = handler};
		if (one_in(stalls + 1) || (one_in(100) && k > 5))
			continue;
		if (depth < 20 && one_in(traps * 2)) { /* an interrupt before this instruction */
			stack[depth++] = one_in(8) ? pc + 4 : pc;
			pc = handler + 4 * below(8);
			intr = true;
		}
		uint32_t h = hash((uint32_t)(pc - base) ^ salt);
		uint64_t length = h & 1 ? 4 : 2, target = (base + (h >> 8) % CODE_BYTES) & ~UINT64_C(1),
			 next = pc + length;
		uint32_t insn = length == 4 ? NOP : 0x0001;
		bool trapped = depth < 20 && one_in(traps);
		switch (h >> 1 & 15) {
		case 0:
		case 1:
		case 2:
		case 3:
		case 4: /* a branch, sometimes to the next instruction */
			if (one_in(16))
				target = pc + length;
			insn = length == 4 ? beq((int64_t)(target - pc)) : 0xC391;
			next = below(8) < bias ? target : pc + length;
			break;
		case 5: /* C.JAL is C.ADDIW in a wide unit: it goes straight on */
			insn = length == 4 ? jal((int64_t)(target - pc)) : 0x2095;
			if (length == 4 || config.xlen == 32)
				next = target;
			break;
		case 6:
			insn = length == 4 ? JALR : one_in(2) ? 0x8082 : 0x9782;
			next = (base + 64 * (h >> 28) + (one_in(4) ? 32 : 0)) & address_mask();
			break;
		case 7:
			if (!one_in(4))
				break;
			length = 4;
			insn = one_in(2) ? MRET : SRET;
			next = depth ? stack[depth - 1] : target;
			if (!trapped && depth)
				depth--;
			if (!trapped && !depth)
				program_mode = one_in(2) ? MODE_M : MODE_U;
			break;
		default:
			break;
		}
		if (trapped) {
			stack[depth++] = one_in(8) ? pc + 4 : pc;
			next = handler + 4 * below(8);
		}
		next &= address_mask();
		c->port = (struct trace_retire){.valid = true,
		    .trap = trapped,
		    .intr = intr,
		    .mode = depth ? MODE_M : program_mode,
		    .insn = insn,
		    .pc = pc & address_mask(),
		    .next_pc = next};
		if (length == 2) /* the upper half has no meaning */
			c->port.insn |= random32() << 16;
		intr = trapped;
		pc = next;
	}
	for (unsigned k = 0, stop = 0; k < CYCLES; k++) { /* held off from outside, now and then */
		stop = one_in(stop ? 20 : 1000) ? !stop : stop;
		run[k].port.stop = stop;
	}
	uint32_t kept = RV_CTRL_IE_MASK | (config.with_term ? RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK : 0) |
			(config.with_freeze ? RV_CTRL_HANDLERS_MASK : 0) |
			(config.with_repeat ? RV_CTRL_REPEAT_MASK : 0) |
			(config.with_sample ? RV_CTRL_SAMPLE_MASK : 0) | (config.with_lifo ? RV_CTRL_LIFO_MASK : 0);
	ctrl_bits = random32() & random32() & kept;
	if (config.with_repeat && one_in(2))
		ctrl_bits = (ctrl_bits | RV_CTRL_REPEAT_MASK) & ~(uint32_t)(RV_CTRL_SAMPLE_MASK | RV_CTRL_LIFO_MASK);
	ctrl_bits |= config.with_mode && one_in(2) ? UINT32_C(1) << (RV_CTRL_MODES_LSB + (one_in(2) ? MODE_U : MODE_M))
						   : RV_CTRL_MODES_MASK;
	for (unsigned i = 0; i < config.ranges; i++) {
		lo[i] = (base + below(CODE_BYTES)) & address_mask();
		hi[i] = (lo[i] + below(CODE_BYTES)) & address_mask();
		if (one_in(3))
			ctrl_bits |= UINT32_C(1) << (RV_CTRL_RANGE_EN_LSB + i);
	}
	for (unsigned k = 0; k < CYCLES; k++)
		if (run[k].bus.write && run[k].bus.index == RV_REG_CTRL)
			run[k].bus.wdata |= ctrl_bits;
	period = below(one_in(2) ? 4 : 40) & bits32(config.sample_bits);
	dither = one_in(2) ? 0 : random32() & 0x3F;
	counter = below(10);
	lfsr = 1 + below(0xFFFF);
	watermark_level = below(config.fifo_depth + 3) & (2 * config.fifo_depth - 1);
	if (!config.with_sample)
		period = counter = 0;
	if (!config.with_dither)
		dither = lfsr = 0;
	if (!config.fifo_depth)
		watermark_level = 0;
}
#endif
