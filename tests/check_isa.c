/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/isa_bench.h"
#include "tests/suite.h"
#include "isa/isa.h"

START_TEST(rows_decode)
{
	size_t i = (size_t)_i;
	unsigned own = 0;
	if (!rows[i].core)
		return;
	uint32_t width = rows[i].extension == 'C' ? 0xFFFFu : UINT32_MAX;
	ck_assert_uint_eq(rows[i].match & ~rows[i].mask, 0);
	for (int n = 0; n < 5000; n++) {
		struct isa_insn insn;
		uint32_t w = rows[i].match | (noise() & ~rows[i].mask & width);
		decodes_as_row(i, w);
		isa_decode(w, ISA_CORE, &insn);
		own += !strcmp(isa_name(&insn), rows[i].name);
	}
	/* the smallest share is that of c.jr: rd 0 is reserved */
	ck_assert_msg(own > 2000, "%s decodes as itself in only %u of 5000 words", rows[i].name, own);
	/* operands all zero and all one */
	decodes_as_row(i, rows[i].match);
	decodes_as_row(i, rows[i].match | (~rows[i].mask & width));
}
END_TEST

/* The high half of a word that holds a 16-bit instruction is the next one: it is not looked at. */
START_TEST(high_half_ignored)
{
	for (uint32_t half = 0; half < 0x10000; half++) {
		struct isa_insn a, b;
		if ((half & 3) == 3)
			continue;
		isa_decode(half, ISA_CORE, &a);
		isa_decode(half | noise() << 16, ISA_CORE, &b);
		ck_assert_uint_eq(b.word, half);
		ck_assert(a.op == b.op && a.rd == b.rd && a.rs1 == b.rs1 && a.rs2 == b.rs2 && a.imm == b.imm &&
			  a.row == b.row && a.class_bits == b.class_bits && a.length == b.length);
	}
}
END_TEST

/* ---------------------------------------------------------------- legality, written a second time from the manual */

static bool legal16(uint32_t h)
{
	unsigned rd = h >> 7 & 31, rs2 = h >> 2 & 31;
	bool bit12 = h >> 12 & 1;
	switch ((h & 3) << 3 | h >> 13) {
	case 0:
		return (h >> 5 & 0xFF) != 0;
	case 2:
	case 6:
	case 8:
	case 9:
	case 10:
	case 13:
	case 14:
	case 15:
	case 22:
		return true;
	case 11:
		return bit12 || rs2;
	case 12:
		if ((h >> 10 & 3) < 2)
			return !bit12;
		return (h >> 10 & 3) == 2 || !bit12;
	case 16:
		return !bit12;
	case 18:
		return rd != 0;
	case 20:
		return rs2 || rd || bit12;
	default:
		return false;
	}
}

static bool legal32(uint32_t w, bool with_m)
{
	unsigned funct3 = w >> 12 & 7, funct7 = w >> 25;
	switch (w & 0x7F) {
	case 0x37:
	case 0x17:
	case 0x6F:
		return true;
	case 0x67:
		return funct3 == 0;
	case 0x63:
		return funct3 != 2 && funct3 != 3;
	case 0x03:
		return funct3 < 3 || funct3 == 4 || funct3 == 5;
	case 0x23:
		return funct3 < 3;
	case 0x13:
		return funct3 == 1 ? funct7 == 0 : funct3 == 5 ? funct7 == 0 || funct7 == 0x20 : true;
	case 0x33:
		return funct7 == 0 || (funct7 == 1 && with_m) || (funct7 == 0x20 && (funct3 == 0 || funct3 == 5));
	case 0x0F:
		return funct3 < 2;
	case 0x73:
		return funct3 == 0 ? w == 0x73 || w == 0x100073 || w == 0x30200073 || w == 0x10500073 : funct3 != 4;
	default:
		return false;
	}
}

START_TEST(legal_compressed)
{
	unsigned legal = 0;
	for (uint32_t half = 0; half < 0x10000; half++) {
		struct isa_insn insn;
		if ((half & 3) == 3)
			continue;
		isa_decode(half, ISA_CORE, &insn);
		ck_assert_msg((insn.op != ISA_ILLEGAL) == legal16(half), "0x%04x: %s", half, isa_name(&insn));
		legal += insn.op != ISA_ILLEGAL;
		isa_decode(half, ISA_EXT_I | ISA_EXT_M, &insn);
		ck_assert_uint_eq(insn.op, ISA_ILLEGAL);
		ck_assert_uint_eq(insn.length, 2);
		isa_decode(half, ISA_EXT_I | ISA_EXT_C, &insn);
		ck_assert_msg((insn.op != ISA_ILLEGAL) == legal16(half), "0x%04x without M: %s", half, isa_name(&insn));
	}
	ck_assert_uint_gt(legal, 20000);
}
END_TEST

static void check_legal32(uint32_t w)
{
	struct isa_insn insn;
	isa_decode(w, ISA_CORE, &insn);
	ck_assert_msg((insn.op != ISA_ILLEGAL) == legal32(w, true), "0x%08x: %s", w, isa_name(&insn));
	isa_decode(w, ISA_EXT_I | ISA_EXT_C, &insn);
	ck_assert_msg((insn.op != ISA_ILLEGAL) == legal32(w, false), "0x%08x without M: %s", w, isa_name(&insn));
	isa_decode(w, ISA_EXT_I | ISA_EXT_M, &insn);
	ck_assert_msg((insn.op != ISA_ILLEGAL) == legal32(w, true), "0x%08x without C: %s", w, isa_name(&insn));
	ck_assert_uint_eq(insn.length, 4);
}

/* Every opcode, funct3 and funct7; then SYSTEM, whose encodings are whole words; then noise. */
START_TEST(legal_wide)
{
	for (uint32_t low = 3; low < 0x80; low += 4)
		for (uint32_t funct3 = 0; funct3 < 8; funct3++)
			for (uint32_t funct7 = 0; funct7 < 128; funct7++)
				for (int n = 0; n < 4; n++)
					check_legal32(low | funct3 << 12 | funct7 << 25 | (noise() & 0x01FF8F80));
	for (uint32_t high = 0; high < 0x1000; high++)
		check_legal32(0x73 | high << 20);
	static const uint32_t exact[] = {0x73, 0x100073, 0x30200073, 0x10500073};
	for (size_t i = 0; i < 4; i++)
		for (unsigned bit = 2; bit < 32; bit++)
			check_legal32(exact[i] ^ 1u << bit);
	for (int n = 0; n < 500000; n++)
		check_legal32(noise() | 3);
	check_legal32(0x10200073); /* SRET */
	check_legal32(0x12000073); /* SFENCE.VMA */
}
END_TEST

/* ---------------------------------------------------------------- operands */

static const struct known {
	uint32_t word;
	uint8_t op, rd, rs1, rs2;
	int32_t imm;
	const char *text; /* at pc 0x80001000 */
} known[] = {
    {0xfffff537, ISA_LUI, 10, 0, 0, -4096, "lui a0,0xfffff"},
    {0x00001fb7, ISA_LUI, 31, 0, 0, 4096, "lui t6,0x1"},
    {0x80000037, ISA_LUI, 0, 0, 0, INT32_MIN, "lui zero,0x80000"},
    {0x12345097, ISA_AUIPC, 1, 0, 0, 0x12345000, "auipc ra,0x12345"},
    {0xfffffd97, ISA_AUIPC, 27, 0, 0, -4096, "auipc s11,0xfffff"},
    {0x800000ef, ISA_JAL, 1, 0, 0, -1048576, "jal ra,0x7ff01000"},
    {0x7ffff06f, ISA_JAL, 0, 0, 0, 1048574, "jal zero,0x80100ffe"},
    {0x001002ef, ISA_JAL, 5, 0, 0, 2048, "jal t0,0x80001800"},
    {0xffffffef, ISA_JAL, 31, 0, 0, -2, "jal t6,0x80000ffe"},
    {0x800f80e7, ISA_JALR, 1, 31, 0, -2048, "jalr ra,-2048(t6)"},
    {0x7ff08067, ISA_JALR, 0, 1, 0, 2047, "jalr zero,2047(ra)"},
    {0x000282e7, ISA_JALR, 5, 5, 0, 0, "jalr t0,0(t0)"},
    {0x80b50063, ISA_BEQ, 0, 10, 11, -4096, "beq a0,a1,0x80000000"},
    {0x7e0f9fe3, ISA_BNE, 0, 31, 0, 4094, "bne t6,zero,0x80001ffe"},
    {0x009540e3, ISA_BLT, 0, 10, 9, 2048, "blt a0,s1,0x80001800"},
    {0xfe20dfe3, ISA_BGE, 0, 1, 2, -2, "bge ra,sp,0x80000ffe"},
    {0x0041e463, ISA_BLTU, 0, 3, 4, 8, "bltu gp,tp,0x80001008"},
    {0x81bd70e3, ISA_BGEU, 0, 26, 27, -2048, "bgeu s10,s11,0x80000800"},
    {0x80010503, ISA_LB, 10, 2, 0, -2048, "lb a0,-2048(sp)"},
    {0x7ff01f83, ISA_LH, 31, 0, 0, 2047, "lh t6,2047(zero)"},
    {0xfff42783, ISA_LW, 15, 8, 0, -1, "lw a5,-1(s0)"},
    {0x00194883, ISA_LBU, 17, 18, 0, 1, "lbu a7,1(s2)"},
    {0x400fd483, ISA_LHU, 9, 31, 0, 1024, "lhu s1,1024(t6)"},
    {0x80a10023, ISA_SB, 0, 2, 10, -2048, "sb a0,-2048(sp)"},
    {0x7ff01fa3, ISA_SH, 0, 0, 31, 2047, "sh t6,2047(zero)"},
    {0xfe04afa3, ISA_SW, 0, 9, 0, -1, "sw zero,-1(s1)"},
    {0x01ffafa3, ISA_SW, 0, 31, 31, 31, "sw t6,31(t6)"},
    {0x02b62023, ISA_SW, 0, 12, 11, 32, "sw a1,32(a2)"},
    {0x80058513, ISA_ADDI, 10, 11, 0, -2048, "addi a0,a1,-2048"},
    {0x7ff00f93, ISA_ADDI, 31, 0, 0, 2047, "addi t6,zero,2047"},
    {0xfff4a413, ISA_SLTI, 8, 9, 0, -1, "slti s0,s1,-1"},
    {0x0019b913, ISA_SLTIU, 18, 19, 0, 1, "sltiu s2,s3,1"},
    {0xfff54513, ISA_XORI, 10, 10, 0, -1, "xori a0,a0,-1"},
    {0x5558e813, ISA_ORI, 16, 17, 0, 0x555, "ori a6,a7,1365"},
    {0xaaa6f613, ISA_ANDI, 12, 13, 0, -1366, "andi a2,a3,-1366"},
    {0x01f59513, ISA_SLLI, 10, 11, 0, 31, "slli a0,a1,0x1f"},
    {0x001f5f93, ISA_SRLI, 31, 30, 0, 1, "srli t6,t5,0x1"},
    {0x410ada13, ISA_SRAI, 20, 21, 0, 16, "srai s4,s5,0x10"},
    {0x00001013, ISA_SLLI, 0, 0, 0, 0, "slli zero,zero,0x0"},
    {0x00c58533, ISA_ADD, 10, 11, 12, 0, "add a0,a1,a2"},
    {0x41df0fb3, ISA_SUB, 31, 30, 29, 0, "sub t6,t5,t4"},
    {0x003110b3, ISA_SLL, 1, 2, 3, 0, "sll ra,sp,gp"},
    {0x0124a433, ISA_SLT, 8, 9, 18, 0, "slt s0,s1,s2"},
    {0x001fb033, ISA_SLTU, 0, 31, 1, 0, "sltu zero,t6,ra"},
    {0x01f04fb3, ISA_XOR, 31, 0, 31, 0, "xor t6,zero,t6"},
    {0x003150b3, ISA_SRL, 1, 2, 3, 0, "srl ra,sp,gp"},
    {0x4062d233, ISA_SRA, 4, 5, 6, 0, "sra tp,t0,t1"},
    {0x009463b3, ISA_OR, 7, 8, 9, 0, "or t2,s0,s1"},
    {0x00c5f533, ISA_AND, 10, 11, 12, 0, "and a0,a1,a2"},
    {0x02f706b3, ISA_MUL, 13, 14, 15, 0, "mul a3,a4,a5"},
    {0x03289833, ISA_MULH, 16, 17, 18, 0, "mulh a6,a7,s2"},
    {0x035a29b3, ISA_MULHSU, 19, 20, 21, 0, "mulhsu s3,s4,s5"},
    {0x038bbb33, ISA_MULHU, 22, 23, 24, 0, "mulhu s6,s7,s8"},
    {0x03bd4cb3, ISA_DIV, 25, 26, 27, 0, "div s9,s10,s11"},
    {0x03eede33, ISA_DIVU, 28, 29, 30, 0, "divu t3,t4,t5"},
    {0x0220efb3, ISA_REM, 31, 1, 2, 0, "rem t6,ra,sp"},
    {0x025271b3, ISA_REMU, 3, 4, 5, 0, "remu gp,tp,t0"},
    {0x30059573, ISA_CSRRW, 10, 11, 0, 0x300, "csrrw a0,mstatus,a1"},
    {0xfff02ff3, ISA_CSRRS, 31, 0, 0, 0xFFF, "csrrs t6,0xfff,zero"},
    {0x800fb073, ISA_CSRRC, 0, 31, 0, 0x800, "csrrc zero,0x800,t6"},
    {0x340fd573, ISA_CSRRWI, 10, 31, 0, 0x340, "csrrwi a0,mscratch,31"},
    {0x34406073, ISA_CSRRSI, 0, 0, 0, 0x344, "csrrsi zero,mip,0"},
    {0x7c0874f3, ISA_CSRRCI, 9, 16, 0, 0x7C0, "csrrci s1,0x7c0,16"},
    {0x00000073, ISA_ECALL, 0, 0, 0, 0, "ecall"},
    {0x00100073, ISA_EBREAK, 0, 0, 0, 0, "ebreak"},
    {0x30200073, ISA_MRET, 0, 0, 0, 0, "mret"},
    {0x10500073, ISA_WFI, 0, 0, 0, 0, "wfi"},
    {0x0310000f, ISA_FENCE, 0, 0, 0, 0x31, "fence rw,w"},
    {0x0ff0000f, ISA_FENCE, 0, 0, 0, 0xff, "fence iorw,iorw"},
    {0x0000100f, ISA_FENCE_I, 0, 0, 0, 0, "fence.i"},
    {0x1fe8, ISA_ADDI, 10, 2, 0, 1020, "c.addi4spn a0,sp,1020"},
    {0x0040, ISA_ADDI, 8, 2, 0, 4, "c.addi4spn s0,sp,4"},
    {0x041c, ISA_ADDI, 15, 2, 0, 512, "c.addi4spn a5,sp,512"},
    {0x5c7c, ISA_LW, 15, 8, 0, 124, "c.lw a5,124(s0)"},
    {0x43c0, ISA_LW, 8, 15, 0, 4, "c.lw s0,4(a5)"},
    {0xc0a8, ISA_SW, 0, 9, 10, 64, "c.sw a0,64(s1)"},
    {0xc39c, ISA_SW, 0, 15, 15, 0, "c.sw a5,0(a5)"},
    {0x0001, ISA_ADDI, 0, 0, 0, 0, "c.nop"},
    {0x1001, ISA_ADDI, 0, 0, 0, -32, "c.nop -32"},
    {0x1501, ISA_ADDI, 10, 10, 0, -32, "c.addi a0,-32"},
    {0x0ffd, ISA_ADDI, 31, 31, 0, 31, "c.addi t6,31"},
    {0x3001, ISA_JAL, 1, 0, 0, -2048, "c.jal 0x80000800"},
    {0x2ffd, ISA_JAL, 1, 0, 0, 2046, "c.jal 0x800017fe"},
    {0x5001, ISA_ADDI, 0, 0, 0, -32, "c.li zero,-32"},
    {0x4ffd, ISA_ADDI, 31, 0, 0, 31, "c.li t6,31"},
    {0x557d, ISA_ADDI, 10, 0, 0, -1, "c.li a0,-1"},
    {0x7101, ISA_ADDI, 2, 2, 0, -512, "c.addi16sp sp,-512"},
    {0x617d, ISA_ADDI, 2, 2, 0, 496, "c.addi16sp sp,496"},
    {0x6141, ISA_ADDI, 2, 2, 0, 16, "c.addi16sp sp,16"},
    {0x7501, ISA_LUI, 10, 0, 0, -131072, "c.lui a0,0xfffe0"},
    {0x6ffd, ISA_LUI, 31, 0, 0, 0x1F000, "c.lui t6,0x1f"},
    {0x6085, ISA_LUI, 1, 0, 0, 0x1000, "c.lui ra,0x1"},
    {0x807d, ISA_SRLI, 8, 8, 0, 31, "c.srli s0,0x1f"},
    {0x8385, ISA_SRLI, 15, 15, 0, 1, "c.srli a5,0x1"},
    {0x857d, ISA_SRAI, 10, 10, 0, 31, "c.srai a0,0x1f"},
    {0x84c1, ISA_SRAI, 9, 9, 0, 16, "c.srai s1,0x10"},
    {0x9a81, ISA_ANDI, 13, 13, 0, -32, "c.andi a3,-32"},
    {0x887d, ISA_ANDI, 8, 8, 0, 31, "c.andi s0,31"},
    {0x8c1d, ISA_SUB, 8, 8, 15, 0, "c.sub s0,a5"},
    {0x8fa1, ISA_XOR, 15, 15, 8, 0, "c.xor a5,s0"},
    {0x8d4d, ISA_OR, 10, 10, 11, 0, "c.or a0,a1"},
    {0x8f71, ISA_AND, 14, 14, 12, 0, "c.and a4,a2"},
    {0x8d8d, ISA_SUB, 11, 11, 11, 0, "c.sub a1,a1"},
    {0xb001, ISA_JAL, 0, 0, 0, -2048, "c.j 0x80000800"},
    {0xaffd, ISA_JAL, 0, 0, 0, 2046, "c.j 0x800017fe"},
    {0xbffd, ISA_JAL, 0, 0, 0, -2, "c.j 0x80000ffe"},
    {0xd001, ISA_BEQ, 0, 8, 0, -256, "c.beqz s0,0x80000f00"},
    {0xcffd, ISA_BEQ, 0, 15, 0, 254, "c.beqz a5,0x800010fe"},
    {0xfd7d, ISA_BNE, 0, 10, 0, -2, "c.bnez a0,0x80000ffe"},
    {0xe701, ISA_BNE, 0, 14, 0, 8, "c.bnez a4,0x80001008"},
    {0x057e, ISA_SLLI, 10, 10, 0, 31, "c.slli a0,0x1f"},
    {0x0f86, ISA_SLLI, 31, 31, 0, 1, "c.slli t6,0x1"},
    {0x50fe, ISA_LW, 1, 2, 0, 252, "c.lwsp ra,252(sp)"},
    {0x4f82, ISA_LW, 31, 2, 0, 0, "c.lwsp t6,0(sp)"},
    {0x8082, ISA_JALR, 0, 1, 0, 0, "c.jr ra"},
    {0x8782, ISA_JALR, 0, 15, 0, 0, "c.jr a5"},
    {0x857e, ISA_ADD, 10, 0, 31, 0, "c.mv a0,t6"},
    {0x8faa, ISA_ADD, 31, 0, 10, 0, "c.mv t6,a0"},
    {0x9002, ISA_EBREAK, 0, 0, 0, 0, "c.ebreak"},
    {0x9782, ISA_JALR, 1, 15, 0, 0, "c.jalr a5"},
    {0x9282, ISA_JALR, 1, 5, 0, 0, "c.jalr t0"},
    {0x957e, ISA_ADD, 10, 10, 31, 0, "c.add a0,t6"},
    {0x9f86, ISA_ADD, 31, 31, 1, 0, "c.add t6,ra"},
    {0xdf86, ISA_SW, 0, 2, 1, 252, "c.swsp ra,252(sp)"},
    {0xc002, ISA_SW, 0, 2, 0, 0, "c.swsp zero,0(sp)"},
    {0xc0fe, ISA_SW, 0, 2, 31, 64, "c.swsp t6,64(sp)"},
    {0x0000, ISA_ILLEGAL, 0, 0, 0, 0, ".2byte 0x0"},
    {0x8002, ISA_ILLEGAL, 0, 0, 0, 0, ".2byte 0x8002"},
    {0xffffffff, ISA_ILLEGAL, 0, 0, 0, 0, ".4byte 0xffffffff"},
    {0x10200073, ISA_ILLEGAL, 0, 0, 0, 0, ".4byte 0x10200073"},
};
#define KNOWN (sizeof known / sizeof *known)

START_TEST(known_words)
{
	const struct known *k = &known[_i];
	struct isa_insn insn;
	char text[64];
	isa_decode(k->word, ISA_CORE, &insn);
	ck_assert_msg(
	    insn.op == k->op && insn.rd == k->rd && insn.rs1 == k->rs1 && insn.rs2 == k->rs2 && insn.imm == k->imm,
	    "0x%x: op %u rd %u rs1 %u rs2 %u imm %d, expected %u %u %u %u %d", k->word, insn.op, insn.rd, insn.rs1,
	    insn.rs2, insn.imm, k->op, k->rd, k->rs1, k->rs2, k->imm);
	int n = isa_format(&insn, 0x80001000, text, sizeof text);
	ck_assert_str_eq(text, k->text);
	ck_assert_int_eq(n, (int)strlen(k->text));
	if (insn.class_bits & (ISA_BRANCH | ISA_JUMP))
		ck_assert_uint_eq(isa_target(&insn, 0x80001000), 0x80001000 + (uint32_t)k->imm);
}
END_TEST

/* The manual's pictures: immediate bit of each instruction bit from `high` down, -1 where there is none. */
static const struct scramble {
	uint32_t base;
	int high;
	int8_t imm[32];
	int width; /* with sign at width - 1; 0: unsigned */
} scrambles[] = {
    /* C.ADDI4SPN nzuimm[5:4|9:6|2|3] */
    {0x0000, 12, {5, 4, 9, 8, 7, 6, 2, 3, -1, -1, -1, -1, -1}, 0},
    /* C.LW, C.SW uimm[5:3] uimm[2|6] */
    {0x4000, 12, {5, 4, 3, -1, -1, -1, 2, 6, -1, -1, -1, -1, -1}, 0},
    {0xc000, 12, {5, 4, 3, -1, -1, -1, 2, 6, -1, -1, -1, -1, -1}, 0},
    /* C.ADDI, C.LI, C.ANDI imm[5] imm[4:0] */
    {0x0081, 12, {5, -1, -1, -1, -1, -1, 4, 3, 2, 1, 0, -1, -1}, 6},
    {0x4081, 12, {5, -1, -1, -1, -1, -1, 4, 3, 2, 1, 0, -1, -1}, 6},
    {0x8801, 12, {5, -1, -1, -1, -1, -1, 4, 3, 2, 1, 0, -1, -1}, 6},
    /* C.JAL, C.J imm[11|4|9:8|10|6|7|3:1|5] */
    {0x2001, 12, {11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5, -1, -1}, 12},
    {0xa001, 12, {11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5, -1, -1}, 12},
    /* C.ADDI16SP nzimm[9] nzimm[4|6|8:7|5] */
    {0x6101, 12, {9, -1, -1, -1, -1, -1, 4, 6, 8, 7, 5, -1, -1}, 10},
    /* C.LUI nzimm[17] nzimm[16:12] */
    {0x6081, 12, {17, -1, -1, -1, -1, -1, 16, 15, 14, 13, 12, -1, -1}, 18},
    /* C.SRLI, C.SRAI, C.SLLI shamt[4:0] (bit 5 is reserved in RV32) */
    {0x8001, 6, {4, 3, 2, 1, 0, -1, -1}, 0},
    {0x8401, 6, {4, 3, 2, 1, 0, -1, -1}, 0},
    {0x0082, 6, {4, 3, 2, 1, 0, -1, -1}, 0},
    /* C.BEQZ, C.BNEZ imm[8|4:3] imm[7:6|2:1|5] */
    {0xc001, 12, {8, 4, 3, -1, -1, -1, 7, 6, 2, 1, 5, -1, -1}, 9},
    {0xe001, 12, {8, 4, 3, -1, -1, -1, 7, 6, 2, 1, 5, -1, -1}, 9},
    /* C.LWSP uimm[5] uimm[4:2|7:6]; C.SWSP uimm[5:2|7:6] */
    {0x4082, 12, {5, -1, -1, -1, -1, -1, 4, 3, 2, 7, 6, -1, -1}, 0},
    {0xc002, 12, {5, 4, 3, 2, 7, 6, -1, -1, -1, -1, -1, -1, -1}, 0},
    /* J imm[20|10:1|11|19:12], B imm[12|10:5] imm[4:1|11], S imm[11:5] imm[4:0], I, U */
    {0x6f, 31,
	{20, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 11, 19, 18, 17, 16, 15, 14, 13, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	    -1, -1},
	21},
    {0x63, 31,
	{12, 10, 9, 8, 7, 6, 5, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 3, 2, 1, 11, -1, -1, -1, -1, -1,
	    -1, -1},
	13},
    {0x23, 31,
	{11, 10, 9, 8, 7, 6, 5, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1,
	    -1, -1},
	12},
    {0x13, 31,
	{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	    -1, -1},
	12},
    {0x37, 31,
	{31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, -1, -1, -1, -1, -1, -1, -1, -1,
	    -1, -1, -1, -1},
	32},
};
#define SCRAMBLES (sizeof scrambles / sizeof *scrambles)

static int32_t unscramble(const struct scramble *s, uint32_t w)
{
	int64_t value = 0;
	for (int bit = s->high; bit >= 0; bit--) {
		int to = s->imm[s->high - bit];
		if (to >= 0 && w >> bit & 1)
			value += s->width && to == s->width - 1 ? -((int64_t)1 << to) : (int64_t)1 << to;
	}
	return (int32_t)value;
}

START_TEST(scrambled_immediates)
{
	const struct scramble *s = &scrambles[_i];
	uint32_t field = 0;
	struct isa_insn insn;
	for (int bit = s->high; bit >= 0; bit--) {
		if (s->imm[s->high - bit] < 0)
			continue;
		uint32_t w = s->base | 1u << bit;
		field |= 1u << bit;
		isa_decode(w, ISA_CORE, &insn);
		ck_assert_msg(insn.op != ISA_ILLEGAL && insn.imm == unscramble(s, w),
		    "0x%x (%s): immediate %d, expected %d", w, isa_name(&insn), insn.imm, unscramble(s, w));
	}
	ck_assert_uint_ne(field, 0);
	isa_decode(s->base | field, ISA_CORE, &insn);
	ck_assert_int_eq(insn.imm, unscramble(s, s->base | field));
	for (int n = 0; n < 2000; n++) {
		uint32_t w = s->base | (noise() & field);
		isa_decode(w, ISA_CORE, &insn);
		if (insn.op != ISA_ILLEGAL)
			ck_assert_int_eq(insn.imm, unscramble(s, w));
	}
}
END_TEST

/* Every register number, in every field that holds one, where the word allows it. */
START_TEST(register_fields)
{
	struct isa_insn insn;
	for (uint32_t r = 0; r < 32; r++) {
		isa_decode(0x00000033 | r << 7 | (31 - r) << 15 | (r ^ 5) << 20, ISA_CORE, &insn);
		ck_assert(insn.rd == r && insn.rs1 == 31 - r && insn.rs2 == (r ^ 5));
		isa_decode(0x00000023 | r << 15 | (31 - r) << 20, ISA_CORE, &insn);
		ck_assert(insn.rd == 0 && insn.rs1 == r && insn.rs2 == 31 - r);
		isa_decode(0x9002 | r << 7 | 3 << 2, ISA_CORE, &insn);
		ck_assert(insn.rd == r && insn.rs1 == r && insn.rs2 == 3);
		isa_decode(0xc002 | r << 2, ISA_CORE, &insn);
		ck_assert(insn.rs2 == r && insn.rs1 == 2);
	}
	for (uint32_t r = 0; r < 8; r++) {
		isa_decode(0x4000 | r << 2 | (7 - r) << 7, ISA_CORE, &insn);
		ck_assert(insn.rd == 8 + r && insn.rs1 == 15 - r && insn.rs2 == 0);
		isa_decode(0xc000 | r << 2 | (7 - r) << 7, ISA_CORE, &insn);
		ck_assert(insn.rd == 0 && insn.rs2 == 8 + r && insn.rs1 == 15 - r);
		isa_decode(0x8c01 | r << 2 | (7 - r) << 7, ISA_CORE, &insn);
		ck_assert(insn.rd == 15 - r && insn.rs1 == 15 - r && insn.rs2 == 8 + r);
		isa_decode(0xc001 | r << 7, ISA_CORE, &insn);
		ck_assert(insn.rs1 == 8 + r && insn.rs2 == 0 && insn.rd == 0);
	}
}
END_TEST

/* ---------------------------------------------------------------- text */

START_TEST(format_truncation)
{
	for (size_t k = 0; k < KNOWN; k++) {
		struct isa_insn insn;
		char whole[64], part[64];
		isa_decode(known[k].word, ISA_CORE, &insn);
		int length = isa_format(&insn, 0x80001000, whole, sizeof whole);
		ck_assert_int_eq(length, (int)strlen(whole));
		ck_assert_int_eq(isa_format(&insn, 0x80001000, NULL, 0), length);
		for (size_t size = 0; size <= (size_t)length + 2; size++) {
			memset(part, '#', sizeof part);
			ck_assert_int_eq(isa_format(&insn, 0x80001000, part, size), length);
			size_t kept = size == 0 ? 0 : size - 1 < (size_t)length ? size - 1 : (size_t)length;
			ck_assert_msg(!memcmp(part, whole, kept), "%s cut to %zu", whole, size);
			if (size)
				ck_assert_int_eq(part[kept], '\0');
			for (size_t i = size ? kept + 1 : 0; i < sizeof part; i++)
				ck_assert_msg(part[i] == '#', "%s: byte %zu of %zu written", whole, i, size);
		}
	}
}
END_TEST

/* Targets wrap around the address space. */
START_TEST(format_wraps)
{
	struct isa_insn insn;
	char text[64];
	isa_decode(0xffffffef, ISA_CORE, &insn); /* jal t6,.-2 */
	isa_format(&insn, 0, text, sizeof text);
	ck_assert_str_eq(text, "jal t6,0xfffffffe");
	isa_decode(0xaffd, ISA_CORE, &insn); /* c.j .+2046 */
	isa_format(&insn, 0xFFFFF802, text, sizeof text);
	ck_assert_str_eq(text, "c.j 0x0");
}
END_TEST

START_TEST(register_names)
{
	static const char *const names[] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1",
	    "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3",
	    "t4", "t5", "t6"};
	for (size_t i = 0; i < 32; i++)
		ck_assert_str_eq(isa_register_names[i], names[i]);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"rows", rows_decode, (int)ROWS},
	    {"rows", high_half_ignored, 0},
	    {"legality", legal_compressed, 0},
	    {"legality", legal_wide, 0},
	    {"operands", known_words, (int)KNOWN},
	    {"operands", scrambled_immediates, (int)SCRAMBLES},
	    {"operands", register_fields, 0},
	    {"text", format_truncation, 0},
	    {"text", format_wraps, 0},
	    {"text", register_names, 0},
	};
	return SUITE_RUN("isa", cases, NULL, NULL);
}
