/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The instruction table beyond this project's core: sets and widths, what the installed objdump does not know (Zcb,
 * Zicond, Zcmp, Zcmt; words from their specifications), lengths, registers, encoding, ISA strings. All else is held
 * against objdump by check-isa-objdump.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "tests/suite.h"

#define ZC (ISA_EXT_I | ISA_EXT_C | ISA_EXT_ZCB | ISA_EXT_ZCMP | ISA_EXT_ZCMT | ISA_EXT_M | ISA_EXT_ZBB | ISA_EXT_ZBA)

static const struct known {
	uint32_t word;
	unsigned set, op, class_bits;
	const char *text;
	uint32_t x_read, x_written;
} known[] = {
#define X(n) (1u << (n))
#define S0 X(8)
#define S1 X(9)
    {0x833c, ZC, ISA_LBU, ISA_LOAD, "c.lbu a5,2(a4)", X(14), X(15)},
    {0x873c, ZC, ISA_LHU, ISA_LOAD, "c.lhu a5,2(a4)", X(14), X(15)},
    {0x877c, ZC, ISA_LH, ISA_LOAD, "c.lh a5,2(a4)", X(14), X(15)},
    {0x8b3c, ZC, ISA_SB, ISA_STORE, "c.sb a5,2(a4)", X(14) | X(15), 0},
    {0x8f3c, ZC, ISA_SH, ISA_STORE, "c.sh a5,2(a4)", X(14) | X(15), 0},
    {0x9c61, ZC, ISA_ANDI, 0, "c.zext.b s0", S0, S0}, {0x9c65, ZC, ISA_SEXT_B, 0, "c.sext.b s0", S0, S0},
    {0x9c69, ZC, ISA_ZEXT_H, 0, "c.zext.h s0", S0, S0}, {0x9c6d, ZC, ISA_SEXT_H, 0, "c.sext.h s0", S0, S0},
    {0x9c71, ZC | ISA_RV64, ISA_ADD_UW, 0, "c.zext.w s0", S0, S0},
    {0x9c71, ZC, ISA_ILLEGAL, ISA_TRAPS, ".2byte 0x9c71", 0, 0}, {0x9c75, ZC, ISA_XORI, 0, "c.not s0", S0, S0},
    {0x9c45, ZC, ISA_MUL, 0, "c.mul s0,s1", S0 | S1, S0},
    {0xb842, ZC, ISA_CM_PUSH, ISA_STORE, "cm.push {ra},-16", X(1) | X(2), X(2)},
    {0xb856, ZC, ISA_CM_PUSH, ISA_STORE, "cm.push {ra,s0},-32", X(1) | X(2) | S0, X(2)},
    {0xb8fe, ZC, ISA_CM_PUSH, ISA_STORE, "cm.push {ra,s0-s11},-112", X(1) | X(2) | S0 | S1 | 0x0FFC0000, X(2)},
    {0xb8fe, ZC | ISA_RV64, ISA_CM_PUSH, ISA_STORE, "cm.push {ra,s0-s11},-160", X(1) | X(2) | S0 | S1 | 0x0FFC0000,
	X(2)},
    {0xba62, ZC | ISA_RV64, ISA_CM_POP, ISA_LOAD, "cm.pop {ra,s0-s1},32", X(2), X(1) | X(2) | S0 | S1},
    {0xbe5e, ZC, ISA_CM_POPRET, ISA_LOAD | ISA_INDIRECT | ISA_RETURN, "cm.popret {ra,s0},64", X(2), X(1) | X(2) | S0},
    {0xbc46, ZC, ISA_CM_POPRETZ, ISA_LOAD | ISA_INDIRECT | ISA_RETURN, "cm.popretz {ra},32", X(2), X(1) | X(2) | X(10)},
    {0xbee2, ZC, ISA_CM_POPRET, ISA_LOAD | ISA_INDIRECT | ISA_RETURN, "cm.popret {ra,s0-s9},48", X(2),
	X(1) | X(2) | S0 | S1 | 0x03FC0000},
    {0xb832, ZC, ISA_ILLEGAL, ISA_TRAPS, ".2byte 0xb832", 0, 0}, /* a list of 3 is reserved */
    {0xaca2, ZC, ISA_CM_MVSA01, 0, "cm.mvsa01 s1,s0", X(10) | X(11), S0 | S1},
    {0xac22, ZC, ISA_ILLEGAL, ISA_TRAPS, ".2byte 0xac22", 0, 0}, /* both the same */
    {0xace2, ZC, ISA_CM_MVA01S, 0, "cm.mva01s s1,s0", S0 | S1, X(10) | X(11)},
    {0xac7e, ZC, ISA_CM_MVA01S, 0, "cm.mva01s s0,s7", S0 | X(23), X(10) | X(11)},
    {0xa006, ZC, ISA_CM_JT, ISA_INDIRECT, "cm.jt 1", 0, 0}, {0xa07e, ZC, ISA_CM_JT, ISA_INDIRECT, "cm.jt 31", 0, 0},
    {0xa082, ZC, ISA_CM_JALT, ISA_INDIRECT | ISA_CALL, "cm.jalt 32", 0, X(1)},
    {0xa3fe, ZC, ISA_CM_JALT, ISA_INDIRECT | ISA_CALL, "cm.jalt 255", 0, X(1)},
    /* the same encodings in a set with D and without Zcmp, Zcmt */
    {0xa082, ISA_ANY32, ISA_FSD, ISA_STORE, "c.fsdsp ft0,64(sp)", X(2), 0},
    {0x2402, ISA_ANY32 | ISA_EXT_ZCMP, ISA_OTHER, 0, ".insn 2, 0x2402", ~0u - 1, ~0u - 1},
    {0x0ec5d533, ISA_ANY64, ISA_CZERO_EQZ, 0, "czero.eqz a0,a1,a2", X(11) | X(12), X(10)},
    {0x0ec5f533, ISA_ANY32, ISA_CZERO_NEZ, 0, "czero.nez a0,a1,a2", X(11) | X(12), X(10)},
    {0x10200073, ISA_ANY32, ISA_SRET, ISA_RET, "sret", 0, 0},
    {0x70200073, ISA_ANY64, ISA_MNRET, ISA_RET, "mnret", 0, 0},
    /* registers of every kind */
    {0x3000f073, ISA_ANY32, ISA_CSRRCI, 0, "csrrci zero,mstatus,1", 0, 0},
    {0x02c58053, ISA_ANY64, ISA_FADD_D, 0, "fadd.d ft0,fa1,fa2,rne", 0, 0},
    {0xd20585d3, ISA_ANY64, ISA_FCVT_D_W, 0, "fcvt.d.w fa1,a1,rne", X(11), 0},
    {0xa2c5a553, ISA_ANY64, ISA_FEQ_D, 0, "feq.d a0,fa1,fa2", 0, X(10)},
    {0x06c5b52f, ISA_ANY64, ISA_AMOADD_D, ISA_LOAD | ISA_STORE | ISA_ATOMIC, "amoadd.d.aqrl a0,a2,(a1)", X(11) | X(12),
	X(10)},
    {0x1405a52f, ISA_ANY32, ISA_LR_W, ISA_LOAD | ISA_ATOMIC, "lr.w.aq a0,(a1)", X(11), X(10)},
    {0x02b57557, ISA_ANY64, ISA_OTHER, 0, ".insn 4, 0x2b57557", ~0u - 1, ~0u - 1}, /* of V */
    {0x00005013, ISA_ANY64, ISA_SRLI, ISA_HINT, "srli zero,zero,0x0", 0, 0},
    {0x00000013, ISA_ANY64, ISA_ADDI, 0, "addi zero,zero,0", 0, 0},
    {0x00b50033, ISA_ANY64, ISA_ADD, ISA_HINT, "add zero,a0,a1", X(10) | X(11), 0},
    /* never an instruction */
    {0x00000000, ISA_ANY64, ISA_ILLEGAL, ISA_TRAPS, ".2byte 0x0", 0, 0},
    {0xffffffff, ISA_ANY64, ISA_ILLEGAL, ISA_TRAPS, ".2byte 0xffff", 0, 0},
    {0x00b52063, ISA_ANY64, ISA_ILLEGAL, ISA_TRAPS, ".4byte 0xb52063", 0, 0}, /* beside the branches */
    {0x00051067, ISA_ANY64, ISA_ILLEGAL, ISA_TRAPS, ".4byte 0x51067", 0, 0},  /* beside JALR */
};

START_TEST(known_words)
{
	const struct known *k = &known[_i];
	struct isa_insn insn;
	struct isa_registers registers;
	char text[64];
	uint64_t word;
	isa_decode(k->word, k->set, &insn);
	isa_format(&insn, 0x80001000, text, sizeof text);
	isa_registers(&insn, &registers);
	ck_assert_str_eq(text, k->text);
	ck_assert_msg(insn.op == k->op && insn.class_bits == k->class_bits, "%s: op %u, class 0x%x", text, insn.op,
	    insn.class_bits);
	ck_assert_msg(registers.x_read == k->x_read && registers.x_written == k->x_written,
	    "%s: reads 0x%x, writes 0x%x", text, registers.x_read, registers.x_written);
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_OK);
	ck_assert_uint_eq(word, insn.word);
}
END_TEST

START_TEST(float_registers)
{
	static const struct {
		uint32_t word, read, written, x_read;
	} words[] = {
	    {0x02c5f553, X(11) | X(12), X(10), 0},         /* fadd.d fa0,fa1,fa2 */
	    {0x6ac5f543, X(11) | X(12) | X(13), X(10), 0}, /* fmadd.d fa0,fa1,fa2,fa3 */
	    {0x0005b507, 0, X(10), X(11)},                 /* fld fa0,0(a1) */
	    {0x00a5b027, X(10), 0, X(11)},                 /* fsd fa0,0(a1) */
	    {0xf2058553, 0, X(10), X(11)},                 /* fmv.d.x fa0,a1 */
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct isa_insn insn;
		struct isa_registers r;
		isa_decode(words[i].word, ISA_ANY64, &insn);
		isa_registers(&insn, &r);
		ck_assert_msg(r.f_read == words[i].read && r.f_written == words[i].written &&
				  r.x_read == words[i].x_read && r.x_written == 0,
		    "%s", isa_name(&insn));
	}
	struct isa_insn other;
	struct isa_registers r;
	isa_decode(0x0000000b, ISA_ANY64, &other); /* custom-0: all that there is */
	isa_registers(&other, &r);
	ck_assert(r.x_read == ~1u && r.x_written == ~1u && r.f_read == ~0u && r.f_written == ~0u);
}
END_TEST

/* ---------------------------------------------------------------- lengths */

START_TEST(lengths)
{
	static const struct {
		uint16_t first;
		unsigned length;
	} known_lengths[] = {{0x0001, 2}, {0xFFFC, 2}, {0x0013, 4}, {0x001B, 4}, {0x001F, 6}, {0xFFDF, 6}, {0x003F, 8},
	    {0xFFBF, 8}, {0x007F, 10}, {0x107F, 12}, {0x607F, 22}, {0x707F, 2}, {0xFFFF, 2}};
	for (size_t i = 0; i < sizeof known_lengths / sizeof *known_lengths; i++) {
		struct isa_insn insn;
		uint16_t first = known_lengths[i].first;
		ck_assert_uint_eq(isa_length(first), known_lengths[i].length);
		ck_assert_uint_eq(isa_decode(first, ISA_ANY64, &insn), known_lengths[i].length);
		/* this project's core takes its trap at the first four bytes */
		ck_assert_uint_eq(isa_decode(first, ISA_CORE, &insn), (first & 3) == 3 ? 4 : 2);
	}
	struct isa_insn insn;
	char text[64];
	isa_decode(0x123456789ABCDE1F, ISA_ANY64, &insn);
	isa_format(&insn, 0, text, sizeof text);
	ck_assert_str_eq(text, ".insn 6, 0x56789abcde1f");
	isa_decode(0x123456789ABCDE3F, ISA_ANY64, &insn);
	isa_format(&insn, 0, text, sizeof text);
	ck_assert_str_eq(text, ".insn 8, 0x123456789abcde3f");
}
END_TEST

/* Targets are 64 bits wide, and wrap as the width does. */
START_TEST(targets)
{
	struct isa_insn insn;
	char text[64];
	isa_decode(0xffffffef, ISA_ANY64, &insn); /* jal t6,.-2 */
	isa_format(&insn, 0, text, sizeof text);
	ck_assert_str_eq(text, "jal t6,0xfffffffffffffffe");
	isa_format(&insn, 0x123456789A, text, sizeof text);
	ck_assert_str_eq(text, "jal t6,0x1234567898");
	isa_decode(0xffffffef, ISA_ANY32, &insn);
	isa_format(&insn, 0, text, sizeof text);
	ck_assert_str_eq(text, "jal t6,0xfffffffe");
}
END_TEST

/* ---------------------------------------------------------------- encoding */

static void makes(unsigned set, enum isa_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm, const char *full,
    const char *compressed)
{
	struct isa_insn insn, small, back;
	char text[64];
	int error = isa_make(set, op, (uint8_t)rd, (uint8_t)rs1, (uint8_t)rs2, imm, &insn);
	if (full == NULL) {
		ck_assert_int_eq(error, ISA_EOPERAND);
		return;
	}
	ck_assert_msg(error == ISA_OK, "%s: %s", full, isa_strerror(error));
	isa_format(&insn, 0, text, sizeof text);
	ck_assert_str_eq(text, full);
	error = isa_compress(&insn, set, &small);
	if (compressed == NULL) {
		ck_assert_msg(error == ISA_EROW, "%s compresses", full);
		return;
	}
	ck_assert_msg(error == ISA_OK, "%s: no %s", full, compressed);
	isa_format(&small, 0, text, sizeof text);
	ck_assert_str_eq(text, compressed);
	ck_assert_int_eq(isa_expand(&small, set, &back), ISA_OK);
	ck_assert_uint_eq(back.length, 4);
}

START_TEST(make_and_compress)
{
	makes(ISA_ANY32, ISA_ADDI, 2, 2, 0, -64, "addi sp,sp,-64", "c.addi16sp sp,-64");
	makes(ISA_ANY32, ISA_ADDI, 2, 2, 0, -16, "addi sp,sp,-16", "c.addi sp,-16");
	makes(ISA_ANY32, ISA_ADDI, 10, 0, 0, 5, "addi a0,zero,5", "c.li a0,5");
	makes(ISA_ANY32, ISA_ADDI, 10, 0, 0, 32, "addi a0,zero,32", NULL);
	makes(ISA_ANY32, ISA_ADDI, 10, 11, 0, 0, "addi a0,a1,0", "c.mv a0,a1");
	makes(ISA_ANY32, ISA_ADDI, 10, 11, 0, 2048, NULL, NULL);
	makes(ISA_ANY32, ISA_ADD, 10, 11, 10, 0, "add a0,a1,a0", "c.add a0,a1");
	makes(ISA_ANY32, ISA_BEQ, 0, 0, 8, 254, "beq zero,s0,0xfe", "c.beqz s0,0xfe");
	makes(ISA_ANY32, ISA_BEQ, 0, 8, 0, 256, "beq s0,zero,0x100", NULL);
	makes(ISA_ANY32, ISA_BEQ, 0, 8, 0, 3, NULL, NULL);
	makes(ISA_ANY32, ISA_BEQ, 0, 8, 0, 4096, NULL, NULL);
	makes(ISA_ANY32, ISA_JAL, 1, 0, 0, 2046, "jal ra,0x7fe", "c.jal 0x7fe");
	makes(ISA_ANY64, ISA_JAL, 1, 0, 0, 2046, "jal ra,0x7fe", NULL);
	makes(ISA_ANY64, ISA_JALR, 0, 1, 0, 0, "jalr zero,0(ra)", "c.jr ra");
	makes(ISA_ANY64, ISA_LD, 8, 2, 0, 504, "ld s0,504(sp)", "c.ldsp s0,504(sp)");
	makes(ISA_ANY64, ISA_SD, 0, 2, 31, 8, "sd t6,8(sp)", "c.sdsp t6,8(sp)");
	makes(ISA_ANY64, ISA_FADD_D, 1, 2, 3, 0, "fadd.d ft1,ft2,ft3", NULL);
	makes(ISA_ANY64, ISA_AMOADD_W, 0, 10, 11, 0, "amoadd.w zero,a1,(a0)", NULL);
	makes(ISA_ANY64, ISA_LUI, 10, 0, 0, 0x1000, "lui a0,0x1", "c.lui a0,0x1");
	makes(ISA_ANY64, ISA_LUI, 10, 0, 0, 0x1001, NULL, NULL);
	makes(ISA_ANY64, ISA_SLLI, 10, 10, 0, 63, "slli a0,a0,0x3f", "c.slli a0,0x3f");
	makes(ISA_ANY32, ISA_SLLI, 10, 10, 0, 63, NULL, NULL);
	makes(ISA_ANY32, ISA_FENCE, 0, 0, 0, 0x31, "fence rw,w", NULL);
	makes(ISA_ANY32, ISA_CSRRS, 10, 0, 0, 0xC00, "csrrs a0,cycle,zero", NULL);
	struct isa_insn insn;
	ck_assert_int_eq(isa_make(ISA_ANY32, ISA_LD, 1, 2, 0, 0, &insn), ISA_EROW);
	ck_assert_int_eq(isa_make(ISA_CORE, ISA_FADD_S, 1, 2, 3, 0, &insn), ISA_EROW);
	ck_assert_int_eq(isa_make(ISA_CORE, ISA_ADD, 1, 2, 3, 1, &insn), ISA_EOPERAND);
	ck_assert_int_eq(isa_make(ISA_CORE, ISA_ADD, 1, 32, 3, 0, &insn), ISA_EOPERAND);
}
END_TEST

/* A decoded instruction is edited: another offset, in place. */
START_TEST(edit)
{
	struct isa_insn insn;
	uint64_t word;
	isa_decode(0xc001, ISA_ANY64, &insn); /* c.beqz s0 */
	insn.imm = -256;
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_OK);
	ck_assert_uint_eq(word, 0xd001);
	insn.imm = 256;
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_EOPERAND);
	insn.imm = 1;
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_EOPERAND);
	insn.imm = 0;
	insn.rs1 = 16;
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_EOPERAND);
	insn.row = 60000;
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_EROW);
	isa_decode(0xbe5e, ZC, &insn); /* cm.popret {ra,s0},64: another list, other bytes */
	insn.rm = 15;
	insn.imm = 80;
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_OK);
	ck_assert_uint_eq(word, 0xbef6);
	insn.imm = 48;
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_EOPERAND);
}
END_TEST

/* Every row encodes what it decodes, at every width, alone in its set. */
START_TEST(rows_round_trip)
{
	unsigned sets[] = {ISA_ANY32, ISA_ANY64, ZC, ZC | ISA_RV64};
	for (uint32_t half = 0; half < 0x10000; half++)
		for (size_t s = 0; s < 4; s++) {
			struct isa_insn insn;
			uint64_t word;
			isa_decode(half, sets[s], &insn);
			ck_assert_msg(isa_encode(&insn, &word) == ISA_OK && word == half, "0x%04x (%s): 0x%04x", half,
			    isa_name(&insn), (unsigned)word);
		}
	unsigned core = 0, all = 0;
	for (unsigned row = 0; row < isa_rows() + 5; row++) {
		core += isa_row_in(row, ISA_CORE);
		all += isa_row_in(row, ISA_ANY64 | ISA_EXT_ZCMP | ISA_EXT_ZCMT) || isa_row_in(row, ISA_ANY32);
	}
	ck_assert_uint_eq(core, 84);
	ck_assert_uint_eq(all, isa_rows() - 1);
}
END_TEST

/* ---------------------------------------------------------------- ISA strings */

START_TEST(strings)
{
	static const struct {
		const char *arch;
		unsigned set;
	} good[] = {{"rv32i", ISA_EXT_I}, {"rv32imc", ISA_CORE}, {"rv32i2p1_m2p0_c2p0_zicsr2p0", ISA_CORE},
	    {"rv64gc", ISA_RV64 | ISA_EXT_I | ISA_EXT_M | ISA_EXT_A | ISA_EXT_F | ISA_EXT_D | ISA_EXT_C},
	    {"rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zifencei2p0",
		ISA_RV64 | ISA_EXT_I | ISA_EXT_M | ISA_EXT_A | ISA_EXT_F | ISA_EXT_D | ISA_EXT_C},
	    {"rv32i2_m2_zba1p0_zcb_zcmp1p0",
		ISA_EXT_I | ISA_EXT_M | ISA_EXT_ZBA | ISA_EXT_C | ISA_EXT_ZCB | ISA_EXT_ZCMP},
	    {"rv32imc_xcvhwlp1p0", ISA_CORE | ISA_EXT_OTHER},
	    {"rv64iv_zvl128b1p0", ISA_RV64 | ISA_EXT_I | ISA_EXT_OTHER}, {"rv32emc", ISA_CORE},
	    {"rv32imc_zbkb", ISA_CORE | ISA_EXT_ZBKB}, {"rv64i_svinval", ISA_RV64 | ISA_EXT_I | ISA_EXT_OTHER}};
	static const char *const bad[] = {"", "rv", "rv32", "rv128i", "rv32mc", "rv32i!", "RV32I", "arm", "rv32i zba"};
	unsigned set;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		ck_assert_msg(isa_parse(good[i].arch, &set) == ISA_OK, "%s", good[i].arch);
		ck_assert_msg(set == good[i].set, "%s: 0x%x, expected 0x%x", good[i].arch, set, good[i].set);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(isa_parse(bad[i], &set) == ISA_EARCH, "\"%s\"", bad[i]);
}
END_TEST

START_TEST(access_bytes)
{
	static const struct {
		uint32_t word;
		unsigned bytes;
	} words[] = {{0x00050503, 1}, {0x00051503, 2}, {0x00052503, 4}, {0x00053503, 8}, {0x00b53023, 8},
	    {0x06c5b52f, 8}, {0x1405a52f, 4}, {0x0005b507, 8}, {0x0005a507, 4}, {0x00b50533, 0}, {0x00008067, 0}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct isa_insn insn;
		isa_decode(words[i].word, ISA_ANY64, &insn);
		ck_assert_msg(
		    isa_access_bytes(&insn) == words[i].bytes, "%s: %u", isa_name(&insn), isa_access_bytes(&insn));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa sets");
	TCase *c = tcase_create("decode");
	tcase_add_loop_test(c, known_words, 0, (int)(sizeof known / sizeof *known));
	tcase_add_test(c, float_registers);
	tcase_add_test(c, lengths);
	tcase_add_test(c, targets);
	tcase_add_test(c, access_bytes);
	suite_add_tcase(suite, c);
	c = tcase_create("encode");
	tcase_add_test(c, make_and_compress);
	tcase_add_test(c, edit);
	tcase_add_test(c, rows_round_trip);
	suite_add_tcase(suite, c);
	c = tcase_create("strings");
	tcase_add_test(c, strings);
	suite_add_tcase(suite, c);
	return suite_finish(suite);
}
