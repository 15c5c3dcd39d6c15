/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/private.h"

static uint32_t high(uint64_t product)
{
	return (uint32_t)(product >> 32);
}

static uint32_t divide(uint8_t op, uint32_t a, uint32_t b)
{
	int32_t sa = (int32_t)a, sb = (int32_t)b;
	bool overflow = a == 0x80000000u && b == UINT32_MAX;
	switch (op) {
	case ISA_DIV:
		return b == 0 ? UINT32_MAX : overflow ? a : (uint32_t)(sa / sb);
	case ISA_DIVU:
		return b == 0 ? UINT32_MAX : a / b;
	case ISA_REM:
		return b == 0 ? a : overflow ? 0 : (uint32_t)(sa % sb);
	default:
		return b == 0 ? a : a % b;
	}
}

uint32_t execute_alu(uint8_t op, uint32_t a, uint32_t b)
{
	int64_t sa = (int32_t)a, sb = (int32_t)b;
	switch (op) {
	case ISA_ADD:
	case ISA_ADDI:
		return a + b;
	case ISA_SUB:
		return a - b;
	case ISA_SLL:
	case ISA_SLLI:
		return a << (b & 31);
	case ISA_SLT:
	case ISA_SLTI:
		return sa < sb;
	case ISA_SLTU:
	case ISA_SLTIU:
		return a < b;
	case ISA_XOR:
	case ISA_XORI:
		return a ^ b;
	case ISA_SRL:
	case ISA_SRLI:
		return a >> (b & 31);
	case ISA_SRA:
	case ISA_SRAI:
		return (uint32_t)(sa >> (b & 31));
	case ISA_OR:
	case ISA_ORI:
		return a | b;
	case ISA_AND:
	case ISA_ANDI:
		return a & b;
	case ISA_MUL:
		return a * b;
	case ISA_MULH:
		return high((uint64_t)(sa * sb));
	case ISA_MULHSU:
		return high((uint64_t)(sa * (int64_t)(uint64_t)b));
	case ISA_MULHU:
		return high((uint64_t)a * b);
	default:
		return divide(op, a, b);
	}
}

bool execute_branch(uint8_t op, uint32_t a, uint32_t b)
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

/* A division skips the leading zero bytes of the magnitude of the dividend, three at most; not one by zero, whose
 * quotient is all ones. */
static unsigned skipped_bytes(uint8_t op, uint32_t a, uint32_t b)
{
	uint32_t magnitude = (op == ISA_DIV || op == ISA_REM) && a >> 31 ? 0 - a : a;
	unsigned bytes = 0;
	while (b && bytes < 3 && magnitude >> (24 - 8 * bytes) == 0)
		bytes++;
	return bytes;
}

/* Significant bits of a number, as pairs, rounded down. */
static unsigned bit_pairs(uint32_t a)
{
	return a == 0 ? 0 : (32u - (unsigned)__builtin_clz(a)) / 2;
}

unsigned execute_cycles(const struct model_config *config, uint8_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case ISA_MUL:
		return config->mul_fast ? 3 : 2 + bit_pairs(a);
	case ISA_MULH:
	case ISA_MULHSU:
	case ISA_MULHU:
		return config->mul_fast ? 4 : 18;
	case ISA_DIV:
	case ISA_DIVU:
	case ISA_REM:
	case ISA_REMU:
		return 35 - 7 * skipped_bytes(op, a, b);
	default:
		return 0;
	}
}
