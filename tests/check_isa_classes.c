/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* isa: options, and classes of instructions. */
#include "tests/isa_bench.h"
#include "tests/suite.h"
#include "isa/isa.h"

/* ---------------------------------------------------------------- options */

START_TEST(option_no_m)
{
	struct isa_insn insn;
	for (size_t i = 0; i < ROWS; i++) {
		if (!rows[i].core)
			continue;
		isa_decode(rows[i].match, ISA_EXT_I | ISA_EXT_C, &insn);
		if (rows[i].extension == 'M') {
			ck_assert_uint_eq(insn.op, ISA_ILLEGAL);
			ck_assert_str_eq(isa_name(&insn), "illegal");
			ck_assert_uint_eq(insn.class_bits, ISA_TRAPS);
			ck_assert(insn.rd == 0 && insn.rs1 == 0 && insn.rs2 == 0 && insn.imm == 0);
		} else if (rows[i].extension == 'I') {
			ck_assert_str_eq(isa_name(&insn), rows[i].name);
		}
	}
}
END_TEST

START_TEST(option_no_c)
{
	struct isa_insn insn;
	for (size_t i = 0; i < ROWS; i++) {
		if (!rows[i].core)
			continue;
		isa_decode(rows[i].match | (rows[i].extension == 'C' ? ~rows[i].mask & 0x1FFC : 0),
		    ISA_EXT_I | ISA_EXT_M, &insn);
		if (rows[i].extension == 'C')
			ck_assert_uint_eq(insn.op, ISA_ILLEGAL);
		else
			ck_assert_str_eq(isa_name(&insn), rows[i].name);
	}
	isa_decode(0x0001, ISA_EXT_I, &insn);
	ck_assert_uint_eq(insn.op, ISA_ILLEGAL);
	isa_decode(0x02f706b3, ISA_EXT_I, &insn);
	ck_assert_uint_eq(insn.op, ISA_ILLEGAL);
	isa_decode(0x00c58533, ISA_EXT_I, &insn);
	ck_assert_uint_eq(insn.op, ISA_ADD);
}
END_TEST

/* ---------------------------------------------------------------- classes */

START_TEST(classes_of_rows)
{
	static const struct {
		const char *names;
		unsigned bits;
	} classes[] = {{" beq bne blt bge bltu bgeu c.beqz c.bnez ", ISA_BRANCH}, {" c.jal ", ISA_JUMP | ISA_CALL},
	    {" c.j ", ISA_JUMP}, {" c.nop ", ISA_HINT}, {" lb lh lw lbu lhu c.lw c.lwsp ", ISA_LOAD},
	    {" sb sh sw c.sw c.swsp ", ISA_STORE}, {" mret ", ISA_RET}, {" ecall ebreak c.ebreak ", ISA_TRAPS},
	    {" c.jalr ", ISA_INDIRECT | ISA_CALL}};
	for (size_t i = 0; i < ROWS; i++) {
		char word[16];
		struct isa_insn insn;
		unsigned expected = 0;
		if (!rows[i].core)
			continue;
		/* registers and immediates not zero, so that no operand is reserved; rd and rs1 neither x1 nor x5 */
		uint32_t w = rows[i].match | (~rows[i].mask & (rows[i].extension == 'C' ? 0x0378 : 0x00C90300));
		isa_decode(w, ISA_CORE, &insn);
		ck_assert_str_eq(isa_name(&insn), rows[i].name);
		if (insn.op == ISA_JAL && insn.length == 4)
			expected = ISA_JUMP;
		else if (insn.op == ISA_JALR && strcmp(rows[i].name, "c.jalr"))
			expected = ISA_INDIRECT;
		snprintf(word, sizeof word, " %s ", rows[i].name);
		for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
			if (strstr(classes[c].names, word))
				expected = classes[c].bits;
		ck_assert_msg(insn.class_bits == expected, "%s: classes 0x%x, expected 0x%x", rows[i].name,
		    insn.class_bits, expected);
	}
}
END_TEST

/* Calls write x1 or x5; a return is JALR x0 by x1 or x5. */
START_TEST(calls_and_returns)
{
	struct isa_insn insn;
	for (uint32_t rd = 0; rd < 32; rd++) {
		unsigned call = rd == 1 || rd == 5 ? ISA_CALL : 0;
		isa_decode(0x6F | rd << 7, ISA_CORE, &insn);
		ck_assert_uint_eq(insn.class_bits, ISA_JUMP | call);
		for (uint32_t rs1 = 0; rs1 < 32; rs1++) {
			isa_decode(0x67 | rd << 7 | rs1 << 15 | 4 << 20, ISA_CORE, &insn);
			unsigned ret = rd == 0 && (rs1 == 1 || rs1 == 5) ? ISA_RETURN : 0;
			ck_assert_uint_eq(insn.class_bits, ISA_INDIRECT | call | ret);
		}
		if (rd == 0)
			continue;
		isa_decode(0x8002 | rd << 7, ISA_CORE, &insn);
		ck_assert_uint_eq(insn.class_bits, (unsigned)(ISA_INDIRECT | (call ? ISA_RETURN : 0)));
		isa_decode(0x9002 | rd << 7, ISA_CORE, &insn);
		ck_assert_uint_eq(insn.class_bits, ISA_INDIRECT | ISA_CALL);
	}
}
END_TEST

START_TEST(class_of_illegal)
{
	struct isa_insn insn;
	memset(&insn, 0xFF, sizeof insn);
	ck_assert_uint_eq(isa_decode(0xFFFFFFFF, ISA_CORE, &insn), 4);
	ck_assert_uint_eq(insn.class_bits, ISA_TRAPS);
	ck_assert(insn.rd == 0 && insn.rs1 == 0 && insn.rs2 == 0 && insn.imm == 0 && insn.row == 0);
	ck_assert_uint_eq(isa_decode(0xABCD0000, ISA_CORE, &insn), 2);
	ck_assert_uint_eq(insn.class_bits, ISA_TRAPS);
	ck_assert_uint_eq(insn.word, 0);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"options", option_no_m, 0},
	    {"options", option_no_c, 0},
	    {"classes", classes_of_rows, 0},
	    {"classes", calls_and_returns, 0},
	    {"classes", class_of_illegal, 0},
	};
	return SUITE_RUN("isa classes", cases, NULL, NULL);
}
