// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// rivulet_muldiv alone, with the multiplier that it was built with (FAST), against the golden model: each result, and
// its cycles. Operands of every size and at their corners; operations follow each other at once or later, and some are
// dropped on the way, as by an interrupt.
// Usage: judge SEED OPERATIONS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include "Vmuldiv.h"
extern "C" {
#include "model/private.h"
}

static uint64_t state;
static uint32_t random_word()
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return static_cast<uint32_t>(state >> 16);
}

static uint32_t random_operand()
{
	static const uint32_t corners[] = {
	    0, 1, 2, 3, 0x55555555, 0x7FFFFFFF, 0x80000000, 0xAAAAAAAA, 0xAAAAAAAB, 0xFFFFFFFF};
	const uint32_t word = random_word() >> random_word() % 32;
	switch (random_word() % 4) {
	case 0:
		return word;
	case 1:
		return 0 - word;
	case 2:
		return 1u << random_word() % 32;
	default:
		return corners[random_word() % (sizeof corners / sizeof *corners)];
	}
}

static void clock_edge(Vmuldiv &unit)
{
	unit.clk_i = 0;
	unit.eval();
	unit.clk_i = 1;
	unit.eval();
}

// Cycles of one operation; 0: it was dropped behind cycle `most`
static unsigned run_operation(Vmuldiv &unit, unsigned most, uint32_t &result)
{
	unit.run_i = 1;
	for (unsigned cycle = 1;; cycle++) {
		unit.clk_i = 0;
		unit.eval();
		const bool done = unit.done_o;
		result = unit.result_o;
		clock_edge(unit);
		if (done)
			return cycle;
		if (cycle == most)
			break;
	}
	unit.run_i = 0;
	clock_edge(unit);
	return 0;
}

int main(int argc, char **argv)
{
	static const uint8_t ops[] = {ISA_MUL, ISA_MULH, ISA_MULHSU, ISA_MULHU, ISA_DIV, ISA_DIVU, ISA_REM, ISA_REMU};
	const unsigned hang = 100;
	struct model_config config = {};
	config.mul_fast = FAST;
	if (argc != 3)
		return 2;
	state = 88172645463325252u + strtoull(argv[1], nullptr, 0);
	const unsigned long operations = strtoul(argv[2], nullptr, 0);
	unsigned long dropped = 0;
	Vmuldiv unit;
	unit.run_i = 0;
	unit.rst_i = 1;
	clock_edge(unit);
	unit.rst_i = 0;
	for (unsigned long i = 0; i < operations; i++) {
		const unsigned kind = random_word() % 8;
		unit.op_i = static_cast<uint8_t>(kind);
		unit.a_i = random_operand();
		unit.b_i = random_operand();
		const bool drop = random_word() % 16 == 0;
		uint32_t result;
		const unsigned cycles = run_operation(unit, drop ? 1 + random_word() % 34 : hang, result);
		const uint32_t expected = execute_alu(ops[kind], unit.a_i, unit.b_i);
		const unsigned due = execute_cycles(&config, ops[kind], unit.a_i, unit.b_i);
		dropped += cycles == 0;
		if ((cycles == 0 && !drop) || (cycles != 0 && (cycles != due || result != expected))) {
			printf("muldiv: FAST %d, funct3 %u of 0x%08x, 0x%08x: 0x%08x in %u cycles, expected 0x%08x in "
			       "%u\n",
			    FAST, kind, unit.a_i, unit.b_i, result, cycles, expected, due);
			return 1;
		}
		unit.run_i = 0;
		if (cycles != 0 && random_word() % 2)
			clock_edge(unit);
	}
	printf("muldiv: FAST %d: %lu operations as in the model, %lu of them dropped on the way\n", FAST, operations,
	    dropped);
	return 0;
}
