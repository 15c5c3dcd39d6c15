/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OPTIMISE_JUDGE_H
#define RIVULET_OPTIMISE_JUDGE_H
/*
 * Holds optimised traces against the program: both are interpreted from the same random state, the trace from its first
 * instruction in the cache until it leaves, the program from the trace's pc until it stands in the same state at the
 * pc where the trace left. The state is all registers, and every store and load so far, in order, with address and
 * value, but for words loaded from the stack. The interpreter is this file's own: it shares nothing with the optimiser
 * but the instruction table.
 *
 * On the way the trace is stopped in front of random instructions as a fault stops it: the pc and the registers that
 * optimise_pc() and optimise_restore() give must be a state of the program too.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "sw/optimise/optimise.h"

#define JUDGE_STEPS 3000u
#define JUDGE_LOG 2048u
#define JUDGE_BYTES 8192u

struct judge_memory { /* bytes that were written; others are a function of their address */
	uint32_t address[JUDGE_BYTES];
	uint8_t value[JUDGE_BYTES];
	uint32_t round[JUDGE_BYTES], now, used;
};
struct judge_machine {
	uint32_t x[32], pc, seed;
	uint32_t accesses; /* so far */
	uint64_t hash;     /* of them, in order */
	struct judge_memory *memory;
};

static inline uint32_t judge_mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7FEB352Du;
	x ^= x >> 15;
	x *= 0x846CA68Bu;
	return x ^ x >> 16;
}

static inline uint32_t judge_slot(const struct judge_memory *m, uint32_t address)
{
	uint32_t at = judge_mix(address) % JUDGE_BYTES;
	while (m->round[at] == m->now && m->address[at] != address)
		at = (at + 1) % JUDGE_BYTES;
	return at;
}

static inline uint8_t judge_byte(const struct judge_machine *m, uint32_t address)
{
	uint32_t at = judge_slot(m->memory, address);
	if (m->memory->round[at] == m->memory->now)
		return m->memory->value[at];
	/* words that programs like: small ones, addresses, anything */
	uint32_t word = judge_mix((address & ~3u) ^ m->seed);
	word = word % 3 == 0 ? word >> 28 : word % 3 == 1 ? word : 0x80040000u | (word & 0xFFFC);
	return (uint8_t)(word >> 8 * (address & 3));
}

static inline bool judge_write(struct judge_machine *m, uint32_t address, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		uint32_t at = judge_slot(m->memory, address + i);
		if (m->memory->round[at] != m->memory->now && ++m->memory->used > JUDGE_BYTES / 2)
			return false;
		m->memory->round[at] = m->memory->now;
		m->memory->address[at] = address + i;
		m->memory->value[at] = (uint8_t)(value >> 8 * i);
	}
	return true;
}

static inline void judge_note(struct judge_machine *m, uint32_t kind, uint32_t address, uint32_t value)
{
	m->accesses++;
	m->hash = (m->hash ^ kind) * 0x100000001B3u;
	m->hash = (m->hash ^ address) * 0x100000001B3u;
	m->hash = (m->hash ^ value) * 0x100000001B3u;
}

static inline uint32_t judge_divide(unsigned op, uint32_t a, uint32_t b)
{
	bool is_signed = op == ISA_DIV || op == ISA_REM, rest = op == ISA_REM || op == ISA_REMU;
	if (b == 0)
		return rest ? a : UINT32_MAX;
	if (!is_signed)
		return rest ? a % b : a / b;
	if (a == 0x80000000u && b == UINT32_MAX)
		return rest ? 0 : a;
	return (uint32_t)(rest ? (int32_t)a % (int32_t)b : (int32_t)a / (int32_t)b);
}

static inline bool judge_compute(const struct isa_insn *i, uint32_t pc, uint32_t a, uint32_t b, uint32_t *result)
{
	bool immediate = optimise_immediate(i->op);
	b = immediate ? (uint32_t)i->imm : b;
	switch (i->op) {
	case ISA_LUI:
		*result = (uint32_t)i->imm;
		return true;
	case ISA_AUIPC:
		*result = pc + (uint32_t)i->imm;
		return true;
	case ISA_ADD:
	case ISA_ADDI:
		*result = a + b;
		return true;
	case ISA_SUB:
		*result = a - b;
		return true;
	case ISA_XOR:
	case ISA_XORI:
		*result = a ^ b;
		return true;
	case ISA_OR:
	case ISA_ORI:
		*result = a | b;
		return true;
	case ISA_AND:
	case ISA_ANDI:
		*result = a & b;
		return true;
	case ISA_SLL:
	case ISA_SLLI:
		*result = a << (b & 31);
		return true;
	case ISA_SRL:
	case ISA_SRLI:
		*result = a >> (b & 31);
		return true;
	case ISA_SRA:
	case ISA_SRAI:
		*result = (uint32_t)((int64_t)(int32_t)a >> (b & 31));
		return true;
	case ISA_SLT:
	case ISA_SLTI:
		*result = (int32_t)a < (int32_t)b;
		return true;
	case ISA_SLTU:
	case ISA_SLTIU:
		*result = a < b;
		return true;
	case ISA_MUL:
		*result = a * b;
		return true;
	case ISA_MULHU:
		*result = (uint32_t)((uint64_t)a * b >> 32);
		return true;
	case ISA_MULH:
		*result = (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
		return true;
	case ISA_MULHSU:
		*result = (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int64_t)b) >> 32);
		return true;
	case ISA_DIV:
	case ISA_DIVU:
	case ISA_REM:
	case ISA_REMU:
		*result = judge_divide(i->op, a, b);
		return true;
	default:
		return false;
	}
}

static inline bool judge_taken(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case ISA_BEQ:
		return a == b;
	case ISA_BNE:
		return a != b;
	case ISA_BLT:
		return (int32_t)a < (int32_t)b;
	case ISA_BGE:
		return (int32_t)a >= (int32_t)b;
	case ISA_BLTU:
		return a < b;
	default:
		return a >= b;
	}
}

/* One instruction; false: it cannot be executed here (a trap, no code, memory full). */
static inline bool judge_step(struct judge_machine *m, const struct isa_insn *i)
{
	uint32_t a = m->x[i->rs1], b = m->x[i->rs2], next = m->pc + i->length, result = 0;
	unsigned bytes = isa_access_bytes(i);
	if (i->class_bits & ISA_BRANCH) {
		if (judge_taken(i->op, a, b))
			next = (uint32_t)isa_target(i, m->pc);
	} else if (i->op == ISA_JAL || i->op == ISA_JALR) {
		uint32_t target = i->op == ISA_JAL ? (uint32_t)isa_target(i, m->pc) : (a + (uint32_t)i->imm) & ~1u;
		result = next;
		next = target;
		m->x[i->rd] = result;
	} else if (i->class_bits & (ISA_LOAD | ISA_STORE)) {
		uint32_t address = a + (uint32_t)i->imm;
		if (i->class_bits & ISA_LOAD) {
			for (unsigned k = 0; k < bytes; k++)
				result |= (uint32_t)judge_byte(m, address + k) << 8 * k;
			/* loads from the stack may vanish */
			if (i->op != ISA_LW || i->rs1 != 2)
				judge_note(m, bytes, address, result);
			if (i->op == ISA_LB)
				result = (uint32_t)(int32_t)(int8_t)result;
			if (i->op == ISA_LH)
				result = (uint32_t)(int32_t)(int16_t)result;
			m->x[i->rd] = result;
		} else {
			if (!judge_write(m, address, b, bytes))
				return false;
			judge_note(m, 8 + bytes, address, bytes == 4 ? b : b & ((1u << 8 * bytes) - 1));
		}
	} else if (judge_compute(i, m->pc, a, b, &result)) {
		m->x[i->rd] = result;
	} else {
		return false;
	}
	m->x[0] = 0;
	m->pc = next;
	return true;
}

struct judge {
	const struct optimise *optimise;
	const uint8_t *cache;
	struct judge_memory memory[2];
	uint64_t pairs, undecided, stops; /* states compared; runs that did not leave in JUDGE_STEPS; stops compared */
	char text[256];                   /* of a difference */
	uint8_t reg;                      /* 0, or a register that begins with value in every second state */
	uint32_t value;
};

static inline bool judge_fetch(const struct judge *judge, uint32_t pc, struct isa_insn *insn)
{
	const struct optimise_config *c = &judge->optimise->config;
	uint32_t word = 0;
	for (unsigned half = 0; half < 2; half++) {
		uint32_t at = pc + 2 * half;
		const uint8_t *bytes = NULL;
		if (at - c->cache < judge->optimise->cache_used)
			bytes = judge->cache + (at - c->cache);
		for (unsigned k = 0; bytes == NULL && k < c->code_count; k++)
			if (at - c->code[k].base < c->code[k].size && at - c->code[k].base + 2 <= c->code[k].size)
				bytes = c->code[k].bytes + (at - c->code[k].base);
		if (bytes == NULL && (half == 0 || (word & 3) == 3))
			return false;
		if (bytes != NULL)
			word |= ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8) << 16 * half;
	}
	isa_decode(word, ISA_CORE, insn);
	return insn->op != ISA_ILLEGAL;
}

static inline uint32_t judge_random(uint32_t *seed)
{
	*seed += 0x9E3779B9u;
	return judge_mix(*seed);
}

/* Corner values, values near each other, addresses, anything. */
static inline uint32_t judge_value(uint32_t *seed)
{
	static const uint32_t corners[] = {0, 1, 2, 3, 4, 7, 8, 10, 31, 32, 0x7FF, 0x800, 0xFFF, 0x7FFFFFFF, 0x80000000,
	    0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFF800, 0xFFFF, 0x10000, 0x80, 0xFF, 0xFFFFFF80};
	uint32_t r = judge_random(seed), kind = r & 7;
	if (kind < 4)
		return corners[(r >> 3) % (sizeof corners / sizeof *corners)];
	if (kind < 6)
		return 0x80040000u + (r >> 3) % 64 * 4;
	return judge_random(seed);
}

static inline bool judge_same(
    const struct judge_machine *a, const uint32_t x[32], uint32_t pc, uint32_t accesses, uint64_t hash)
{
	return a->pc == pc && a->accesses == accesses && a->hash == hash && memcmp(a->x, x, sizeof a->x) == 0;
}

/* Runs the program from the state of start until it is in the wanted state. */
static inline bool judge_reaches(struct judge *judge, const struct judge_machine *start, const uint32_t x[32],
    uint32_t pc, uint32_t accesses, uint64_t hash)
{
	struct judge_machine m = *start;
	struct isa_insn insn;
	m.memory = &judge->memory[1];
	m.memory->now++;
	m.memory->used = 0;
	for (unsigned n = 0; n < 4 * JUDGE_STEPS; n++) {
#ifdef JUDGE_DEBUG
		if (m.pc == pc && m.accesses == accesses) {
			printf("step %u at %08x hash %d:", n, pc, m.hash == hash);
			for (int r = 0; r < 32; r++)
				if (m.x[r] != x[r])
					printf(" x%d program %08x trace %08x", r, m.x[r], x[r]);
			printf("\n");
		}
#endif
		if (judge_same(&m, x, pc, accesses, hash))
			return true;
		if (m.accesses > accesses || !judge_fetch(judge, m.pc, &insn) || !judge_step(&m, &insn))
			return false;
	}
	return false;
}

/* One random state through one trace. 0: equal, or the trace did not leave; -1: different, see text. */
static inline int judge_trace(struct judge *judge, uint32_t index, uint32_t seed)
{
	const struct optimise *o = judge->optimise;
	const struct optimise_trace *trace = &o->traces[index];
	struct judge_machine start = {.pc = trace->pc, .seed = judge_random(&seed), .hash = 1}, m;
	struct isa_insn insn;
	for (unsigned r = 1; r < 32; r++)
		start.x[r] = judge_value(&seed);
	if (judge->reg != 0 && (judge_random(&seed) & 1) != 0)
		start.x[judge->reg] = judge->value;
	m = start;
	m.pc = optimise_address(o, trace);
	m.memory = &judge->memory[0];
	m.memory->now++;
	m.memory->used = 0;
	uint32_t stop = judge_random(&seed) % 64;
	for (unsigned n = 0; n < JUDGE_STEPS; n++) {
		if (m.pc - o->config.cache >= o->cache_used) {
			judge->pairs++;
			if (judge_reaches(judge, &start, m.x, m.pc, m.accesses, m.hash))
				return 0;
			snprintf(judge->text, sizeof judge->text,
			    "trace %u from 0x%08x, seed %u: leaves to 0x%08x in a state "
			    "that the program does not have",
			    index, trace->pc, seed, m.pc);
			return -1;
		}
		if (!judge_fetch(judge, m.pc, &insn))
			break;
		bool access = (insn.class_bits & (ISA_LOAD | ISA_STORE)) != 0;
		/* a fault of a load or store, or an interrupt anywhere */
		if (n == stop && m.pc - o->config.cache < o->cache_used) {
			const struct optimise_insn *at = NULL;
			uint32_t x[32], pc = optimise_pc(o, m.pc, &at);
			memcpy(x, m.x, sizeof x);
			if (access && at != NULL)
				optimise_restore(o, at, x);
			uint32_t y[32], leaves = 0;
			memcpy(y, m.x, sizeof y);
			if (!optimise_leave(o, judge->cache, m.pc, y, &leaves) ||
			    (access && (leaves != pc || memcmp(x, y, sizeof x) != 0))) {
				snprintf(judge->text, sizeof judge->text,
				    "trace %u from 0x%08x, seed %u: an interrupt at 0x%08x cannot leave to 0x%08x",
				    index, trace->pc, seed, m.pc, leaves);
				return -1;
			}
			if (!access) {
				memcpy(x, y, sizeof x);
				pc = leaves;
				at = o->insns;
			}
			judge->stops++;
			if (at == NULL || !judge_reaches(judge, &start, x, pc, m.accesses, m.hash)) {
				snprintf(judge->text, sizeof judge->text,
				    "trace %u from 0x%08x, seed %u: a fault at 0x%08x shows "
				    "a state that the program does not have at 0x%08x",
				    index, trace->pc, seed, m.pc, pc);
				return -1;
			}
		}
		if (!judge_step(&m, &insn))
			break;
		/* a random value that is an address of the cache: no program has it, and it is no link */
		if (insn.op == ISA_JALR && m.pc - o->config.cache < o->cache_used)
			break;
	}
	judge->undecided++;
	return 0;
}
#endif
