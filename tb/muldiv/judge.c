/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet_muldiv alone, with the multiplier that it was built with, against the golden model: each result, and its
 * cycles. Operands of every size and at their corners; operations follow each other at once or later, and some are
 * dropped on the way, as by an interrupt.
 * Usage: judge FAST SEED OPERATIONS     FAST: 1, or 0 for the small multiplier, as the unit was built */
#include <stdio.h>
#include <stdlib.h>
#include "model/private.h"
#include "tb/muldiv/rtl.h"

#define HANG 100u /* cycles that no operation takes */

static uint64_t random_state;
static uint32_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16);
}

static uint32_t random_operand(void)
{
	static const uint32_t corners[] = {
	    0, 1, 2, 3, 0x55555555, 0x7FFFFFFF, 0x80000000, 0xAAAAAAAA, 0xAAAAAAAB, 0xFFFFFFFF};
	const uint32_t bits = random_word();
	const uint32_t word = bits >> random_word() % 32;
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

/* Cycles of one operation; 0: it was dropped behind cycle `most`. */
static unsigned run_operation(struct muldiv_ports *ports, unsigned most)
{
	ports->run = true;
	for (unsigned cycle = 1; cycle <= most; cycle++) {
		muldiv_rtl_cycle(ports);
		if (ports->done)
			return cycle;
	}
	ports->run = false;
	muldiv_rtl_cycle(ports);
	return 0;
}

/* One operation, and whether it is what the model says. */
static bool judge_operation(const struct model_config *config, struct muldiv_ports *ports, unsigned long *dropped)
{
	static const uint8_t ops[] = {ISA_MUL, ISA_MULH, ISA_MULHSU, ISA_MULHU, ISA_DIV, ISA_DIVU, ISA_REM, ISA_REMU};
	ports->op = random_word() % 8;
	ports->a = random_operand();
	ports->b = random_operand();
	const bool drop = random_word() % 16 == 0;
	const unsigned cycles = run_operation(ports, drop ? 1 + random_word() % 34 : HANG);
	const uint32_t result = ports->result, expected = execute_alu(ops[ports->op], ports->a, ports->b);
	const unsigned due = execute_cycles(config, ops[ports->op], ports->a, ports->b);
	*dropped += cycles == 0;
	if ((cycles == 0 && !drop) || (cycles != 0 && (cycles != due || result != expected))) {
		printf("muldiv: FAST %d, funct3 %u of 0x%08x, 0x%08x: 0x%08x in %u cycles, expected 0x%08x in %u\n",
		    config->mul_fast, ports->op, ports->a, ports->b, result, cycles, expected, due);
		return false;
	}
	ports->run = false;
	if (cycles != 0 && random_word() % 2)
		muldiv_rtl_cycle(ports);
	return true;
}

int muldiv_judge(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	const struct model_config config = {.mul_fast = argv[1][0] == '1'};
	const unsigned long operations = strtoul(argv[3], NULL, 0);
	struct muldiv_ports ports = {.rst = true};
	unsigned long dropped = 0;
	random_state = 88172645463325252u + strtoull(argv[2], NULL, 0);
	muldiv_rtl_cycle(&ports);
	ports.rst = false;
	for (unsigned long i = 0; i < operations; i++)
		if (!judge_operation(&config, &ports, &dropped))
			return 1;
	printf("muldiv: FAST %d: %lu operations as in the model, %lu of them dropped on the way\n", config.mul_fast,
	    operations, dropped);
	return 0;
}
