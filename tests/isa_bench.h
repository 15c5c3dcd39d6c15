/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_ISA_BENCH_H
#define RIVULET_TESTS_ISA_BENCH_H
/* What the check_isa suites share: the instruction table as this project's core has it (ISA_CORE): rows, operands,
 * legality, classes, text. Known words are from the assembler. The rest of the table: check_isa_sets.c. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

static uint32_t seed = 1;
static inline uint32_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* ---------------------------------------------------------------- rows */

static const struct row {
	const char *name;
	char extension;
	bool core; /* of RV32IMC */
	uint32_t match, mask;
	uint8_t op;
} rows[] = {
#define GROUP(key)
#define INSN(name, width, needs, match, mask, op, format)                                                              \
	{name, #needs[0],                                                                                              \
	    #needs[1] == '\0' && (#needs[0] == 'I' || #needs[0] == 'M' || #needs[0] == 'C') && width != 64, match,     \
	    mask, ISA_##op},
#include "isa/insns.def"
#undef INSN
#undef GROUP
};
#define ROWS (sizeof rows / sizeof *rows)

/* Operands that a compressed row does not allow (the C extension's listing: RES, NSE, and "nonzero" fields). */
static inline bool reserved(const char *name, uint32_t w)
{
	unsigned rd = w >> 7 & 31, rs2 = w >> 2 & 31, imm6 = (w >> 7 & 32) | rs2;
	if (!strcmp(name, "c.addi4spn"))
		return (w >> 5 & 0xFF) == 0;
	if (!strcmp(name, "c.addi16sp"))
		return imm6 == 0;
	if (!strcmp(name, "c.lui"))
		return imm6 == 0 || rd == 2;
	if (!strcmp(name, "c.srli") || !strcmp(name, "c.srai") || !strcmp(name, "c.slli"))
		return imm6 >= 32;
	if (!strcmp(name, "c.lwsp") || !strcmp(name, "c.jr") || !strcmp(name, "c.jalr"))
		return rd == 0;
	if (!strcmp(name, "c.mv") || !strcmp(name, "c.add"))
		return rs2 == 0;
	return false;
}

static inline bool applies(const struct row *row, uint32_t w)
{
	return row->core && (w & row->mask) == row->match && !(row->extension == 'C' && reserved(row->name, w));
}

static inline void decodes_as_row(size_t i, uint32_t w)
{
	struct isa_insn insn;
	size_t first = 0;
	while (first < ROWS && !(((w & 3) == 3) == (rows[first].extension != 'C') && applies(&rows[first], w)))
		first++;
	const char *name = first < ROWS ? rows[first].name : "illegal";
	unsigned length = isa_decode(w, ISA_CORE, &insn);
	ck_assert_msg(
	    !strcmp(isa_name(&insn), name), "0x%x, of row %s: %s, expected %s", w, rows[i].name, isa_name(&insn), name);
	ck_assert_uint_eq(length, (w & 3) == 3 ? 4 : 2);
	ck_assert_uint_eq(insn.length, length);
	ck_assert_uint_eq(insn.op, first < ROWS ? rows[first].op : ISA_ILLEGAL);
	ck_assert_uint_eq(insn.word, w);
}
#endif
