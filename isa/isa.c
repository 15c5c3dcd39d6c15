/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "isa/isa.h"

enum format {
	U,
	J,
	JALR,
	B,
	LOAD,
	STORE,
	I,
	SHIFT,
	R,
	CSR,
	CSRI,
	NONE,
	FENCE,
	CIW,
	CL,
	CS,
	C_NOP,
	CI,
	CJAL,
	C_LI,
	C_ADDI16SP,
	C_LUI,
	CB_SHIFT,
	CB_ANDI,
	CA,
	CJ,
	CB,
	C_SLLI,
	C_LWSP,
	C_JR,
	C_MV,
	C_JALR,
	C_ADD,
	C_SWSP
};
enum extension { EXT_I, EXT_M, EXT_C };

struct row {
	uint32_t match, mask;
	char name[11];
	uint8_t extension, op, format;
};
static const struct row rows[] = {
    {0, 0, "illegal", EXT_I, ISA_ILLEGAL, NONE},
#define INSN(name, extension, match, mask, op, format) {match, mask, name, EXT_##extension, ISA_##op, format},
#include "isa/insns.def"
#undef INSN
};
#define ROWS (sizeof rows / sizeof *rows)

const char *const isa_register_names[32] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1",
    "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5",
    "t6"};

/* Bits high..low of word, moved to bit 0. */
static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
	return word >> low & ((2u << (high - low)) - 1);
}
/* Bits high..low of word, moved to bit `to`: the pieces of scrambled immediates. */
static uint32_t piece(uint32_t word, unsigned high, unsigned low, unsigned to)
{
	return bits(word, high, low) << to;
}
static int32_t sign(uint32_t value, unsigned width)
{
	return (int32_t)(value << (32 - width)) >> (32 - width);
}

static int32_t imm6(uint32_t w)
{
	return sign(piece(w, 12, 12, 5) | bits(w, 6, 2), 6);
}
static int32_t imm_cj(uint32_t w)
{
	return sign(piece(w, 12, 12, 11) | piece(w, 8, 8, 10) | piece(w, 10, 9, 8) | piece(w, 6, 6, 7) |
			piece(w, 7, 7, 6) | piece(w, 2, 2, 5) | piece(w, 11, 11, 4) | piece(w, 5, 3, 1),
	    12);
}
static int32_t imm_cb(uint32_t w)
{
	return sign(
	    piece(w, 12, 12, 8) | piece(w, 6, 5, 6) | piece(w, 2, 2, 5) | piece(w, 11, 10, 3) | piece(w, 4, 3, 1), 9);
}
static int32_t imm_cl(uint32_t w)
{
	return (int32_t)(piece(w, 5, 5, 6) | piece(w, 12, 10, 3) | piece(w, 6, 6, 2));
}

/* Operands of a 32-bit instruction. */
static void operands32(uint8_t format, uint32_t w, struct isa_insn *insn)
{
	uint8_t rd = (uint8_t)bits(w, 11, 7), rs1 = (uint8_t)bits(w, 19, 15), rs2 = (uint8_t)bits(w, 24, 20);
	switch (format) {
	case U:
		insn->rd = rd;
		insn->imm = (int32_t)(w & 0xFFFFF000u);
		break;
	case J:
		insn->rd = rd;
		insn->imm =
		    sign(piece(w, 31, 31, 20) | piece(w, 19, 12, 12) | piece(w, 20, 20, 11) | piece(w, 30, 21, 1), 21);
		break;
	case B:
		insn->rs1 = rs1;
		insn->rs2 = rs2;
		insn->imm =
		    sign(piece(w, 31, 31, 12) | piece(w, 7, 7, 11) | piece(w, 30, 25, 5) | piece(w, 11, 8, 1), 13);
		break;
	case STORE:
		insn->rs1 = rs1;
		insn->rs2 = rs2;
		insn->imm = sign(piece(w, 31, 25, 5) | bits(w, 11, 7), 12);
		break;
	case R:
		insn->rs2 = rs2;
		insn->rd = rd;
		insn->rs1 = rs1;
		break;
	case SHIFT:
		insn->rd = rd;
		insn->rs1 = rs1;
		insn->imm = rs2;
		break;
	case CSR:
	case CSRI:
		insn->rd = rd;
		insn->rs1 = rs1;
		insn->imm = (int32_t)bits(w, 31, 20);
		break;
	case LOAD:
	case JALR:
	case I:
		insn->rd = rd;
		insn->rs1 = rs1;
		insn->imm = sign(bits(w, 31, 20), 12);
		break;
	default:
		break;
	}
}

/* Operands of the expansion of a 16-bit instruction; false if one of them is reserved. */
static bool operands16(uint8_t format, uint32_t w, struct isa_insn *insn)
{
	uint8_t rd = (uint8_t)bits(w, 11, 7), rs2 = (uint8_t)bits(w, 6, 2);
	uint8_t low = (uint8_t)(8 + bits(w, 4, 2)), high = (uint8_t)(8 + bits(w, 9, 7)); /* the three-bit fields */
	switch (format) {
	case CIW:
		insn->rd = low;
		insn->rs1 = 2;
		insn->imm = (int32_t)(piece(w, 10, 7, 6) | piece(w, 12, 11, 4) | piece(w, 5, 5, 3) | piece(w, 6, 6, 2));
		return insn->imm != 0;
	case CL:
		insn->rd = low;
		insn->rs1 = high;
		insn->imm = imm_cl(w);
		return true;
	case CS:
		insn->rs2 = low;
		insn->rs1 = high;
		insn->imm = imm_cl(w);
		return true;
	case C_NOP:
	case CI:
		insn->rd = insn->rs1 = rd;
		insn->imm = imm6(w);
		return true;
	case CJAL:
		insn->rd = 1;
		insn->imm = imm_cj(w);
		return true;
	case CJ:
		insn->imm = imm_cj(w);
		return true;
	case C_LI:
		insn->rd = rd;
		insn->imm = imm6(w);
		return true;
	case C_ADDI16SP:
		insn->rd = insn->rs1 = 2;
		insn->imm = sign(
		    piece(w, 12, 12, 9) | piece(w, 4, 3, 7) | piece(w, 5, 5, 6) | piece(w, 2, 2, 5) | piece(w, 6, 6, 4),
		    10);
		return insn->imm != 0;
	case C_LUI:
		insn->rd = rd;
		insn->imm = (int32_t)((uint32_t)imm6(w) << 12);
		return rd != 2 && insn->imm != 0;
	case CB_SHIFT:
		insn->rd = insn->rs1 = high;
		insn->imm = rs2;
		return !bits(w, 12, 12);
	case CB_ANDI:
		insn->rd = insn->rs1 = high;
		insn->imm = imm6(w);
		return true;
	case CA:
		insn->rd = insn->rs1 = high;
		insn->rs2 = low;
		return true;
	case CB:
		insn->rs1 = high;
		insn->imm = imm_cb(w);
		return true;
	case C_SLLI:
		insn->rd = insn->rs1 = rd;
		insn->imm = rs2;
		return !bits(w, 12, 12);
	case C_LWSP:
		insn->rd = rd;
		insn->rs1 = 2;
		insn->imm = (int32_t)(piece(w, 3, 2, 6) | piece(w, 12, 12, 5) | piece(w, 6, 4, 2));
		return rd != 0;
	case C_SWSP:
		insn->rs1 = 2;
		insn->rs2 = rs2;
		insn->imm = (int32_t)(piece(w, 8, 7, 6) | piece(w, 12, 9, 2));
		return true;
	case C_JR:
		insn->rs1 = rd;
		return rd != 0;
	case C_JALR:
		insn->rd = 1;
		insn->rs1 = rd;
		return rd != 0;
	case C_MV:
		insn->rd = rd;
		insn->rs2 = rs2;
		return rs2 != 0;
	case C_ADD:
		insn->rd = insn->rs1 = rd;
		insn->rs2 = rs2;
		return rs2 != 0;
	default:
		return true;
	}
}

static bool link_register(uint8_t r)
{
	return r == 1 || r == 5;
}

static uint16_t classify(const struct isa_insn *insn)
{
	switch (insn->op) {
	case ISA_BEQ:
	case ISA_BNE:
	case ISA_BLT:
	case ISA_BGE:
	case ISA_BLTU:
	case ISA_BGEU:
		return ISA_BRANCH;
	case ISA_JAL:
		return (uint16_t)(ISA_JUMP | (link_register(insn->rd) ? ISA_CALL : 0));
	case ISA_JALR:
		return (uint16_t)(ISA_INDIRECT | (link_register(insn->rd)                        ? ISA_CALL
						     : insn->rd == 0 && link_register(insn->rs1) ? ISA_RETURN
												 : 0));
	case ISA_MRET:
		return ISA_RET;
	case ISA_ECALL:
	case ISA_EBREAK:
	case ISA_ILLEGAL:
		return ISA_TRAPS;
	case ISA_LB:
	case ISA_LH:
	case ISA_LW:
	case ISA_LBU:
	case ISA_LHU:
		return ISA_LOAD;
	case ISA_SB:
	case ISA_SH:
	case ISA_SW:
		return ISA_STORE;
	default:
		return 0;
	}
}

unsigned isa_decode(uint32_t word, unsigned options, struct isa_insn *insn)
{
	bool wide = (word & 3) == 3;
	uint32_t w = wide ? word : word & 0xFFFF;
	for (size_t i = 1; i < ROWS; i++) {
		const struct row *row = &rows[i];
		if ((w & row->mask) != row->match || wide != (row->extension != EXT_C))
			continue;
		if ((row->extension == EXT_C && options & ISA_NO_C) || (row->extension == EXT_M && options & ISA_NO_M))
			continue;
		*insn = (struct isa_insn){.word = w, .length = wide ? 4 : 2, .op = row->op, .row = (uint16_t)i};
		if (wide)
			operands32(row->format, w, insn);
		else if (!operands16(row->format, w, insn))
			continue;
		insn->class_bits = classify(insn);
		return insn->length;
	}
	*insn = (struct isa_insn){.word = w, .length = wide ? 4 : 2, .op = ISA_ILLEGAL, .class_bits = ISA_TRAPS};
	return insn->length;
}

const char *isa_name(const struct isa_insn *insn)
{
	return insn->row < ROWS ? rows[insn->row].name : rows[0].name;
}

/* ---------------------------------------------------------------- text */

static const struct {
	uint16_t number;
	const char *name;
} csr_names[] = {{0x300, "mstatus"}, {0x301, "misa"}, {0x304, "mie"}, {0x305, "mtvec"}, {0x306, "mcounteren"},
    {0x30A, "menvcfg"}, {0x310, "mstatush"}, {0x31A, "menvcfgh"}, {0x320, "mcountinhibit"}, {0x340, "mscratch"},
    {0x341, "mepc"}, {0x342, "mcause"}, {0x343, "mtval"}, {0x344, "mip"}, {0xB00, "mcycle"}, {0xB02, "minstret"},
    {0xB80, "mcycleh"}, {0xB82, "minstreth"}, {0xC00, "cycle"}, {0xC01, "time"}, {0xC02, "instret"}, {0xC80, "cycleh"},
    {0xC81, "timeh"}, {0xC82, "instreth"}, {0xF11, "mvendorid"}, {0xF12, "marchid"}, {0xF13, "mimpid"},
    {0xF14, "mhartid"}, {0xF15, "mconfigptr"}};

/* A text being written; length counts what was needed, also past the end. Freestanding, so no snprintf. */
struct text {
	char *at;
	size_t size, length;
};
static void put_char(struct text *t, char c)
{
	if (t->length + 1 < t->size)
		t->at[t->length] = c;
	t->length++;
}
static void put(struct text *t, const char *s)
{
	while (*s)
		put_char(t, *s++);
}
static void put_hex(struct text *t, uint32_t value)
{
	put(t, "0x");
	unsigned shift = 28;
	while (shift && !(value >> shift & 15))
		shift -= 4;
	for (;; shift -= 4) {
		put_char(t, "0123456789abcdef"[value >> shift & 15]);
		if (!shift)
			break;
	}
}
static void put_decimal(struct text *t, int32_t value)
{
	char digits[12];
	unsigned n = 0;
	uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
	if (value < 0)
		put_char(t, '-');
	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	while (n)
		put_char(t, digits[--n]);
}
static void put_register(struct text *t, uint8_t r)
{
	put(t, isa_register_names[r & 31]);
}
static void put_memory(struct text *t, int32_t offset, uint8_t base)
{
	put_decimal(t, offset);
	put_char(t, '(');
	put_register(t, base);
	put_char(t, ')');
}
static void put_csr(struct text *t, uint32_t number)
{
	for (size_t i = 0; i < sizeof csr_names / sizeof *csr_names; i++)
		if (csr_names[i].number == number) {
			put(t, csr_names[i].name);
			return;
		}
	put_hex(t, number);
}
static void put_fence(struct text *t, uint32_t set)
{
	if (!set)
		put(t, "unknown");
	for (unsigned i = 0; i < 4; i++)
		if (set >> (3 - i) & 1)
			put_char(t, "iorw"[i]);
}

/* Operand order of each format: d s t registers, i decimal immediate, h hexadecimal immediate, m memory by rs1, p
 * pc-relative target, u upper immediate, c CSR, z CSR immediate, f fence sets; other characters stand for themselves.
 */
static const char *const operand_text[] = {[U] = "d,u",
    [J] = "d,p",
    [JALR] = "d,m",
    [B] = "s,t,p",
    [LOAD] = "d,m",
    [STORE] = "t,m",
    [I] = "d,s,i",
    [SHIFT] = "d,s,h",
    [R] = "d,s,t",
    [CSR] = "d,c,s",
    [CSRI] = "d,c,z",
    [NONE] = "",
    [FENCE] = "f",
    [CIW] = "d,s,i",
    [CL] = "d,m",
    [CS] = "t,m",
    [C_NOP] = "n",
    [CI] = "d,i",
    [CJAL] = "p",
    [C_LI] = "d,i",
    [C_ADDI16SP] = "d,i",
    [C_LUI] = "d,u",
    [CB_SHIFT] = "d,h",
    [CB_ANDI] = "d,i",
    [CA] = "d,t",
    [CJ] = "p",
    [CB] = "s,p",
    [C_SLLI] = "d,h",
    [C_LWSP] = "d,m",
    [C_JR] = "s",
    [C_MV] = "d,t",
    [C_JALR] = "s",
    [C_ADD] = "d,t",
    [C_SWSP] = "t,m"};

static void put_operand(struct text *t, const struct isa_insn *insn, uint32_t pc, char what)
{
	switch (what) {
	case 'd':
		put_register(t, insn->rd);
		break;
	case 's':
		put_register(t, insn->rs1);
		break;
	case 't':
		put_register(t, insn->rs2);
		break;
	case 'i':
		put_decimal(t, insn->imm);
		break;
	case 'n':
		if (insn->imm)
			put_decimal(t, insn->imm);
		break;
	case 'h':
		put_hex(t, (uint32_t)insn->imm);
		break;
	case 'm':
		put_memory(t, insn->imm, insn->rs1);
		break;
	case 'p':
		put_hex(t, isa_target(insn, pc));
		break;
	case 'u':
		put_hex(t, (uint32_t)insn->imm >> 12);
		break;
	case 'c':
		put_csr(t, (uint32_t)insn->imm);
		break;
	case 'z':
		put_decimal(t, insn->rs1);
		break;
	case 'f':
		put_fence(t, insn->word >> 24 & 15);
		put_char(t, ',');
		put_fence(t, insn->word >> 20 & 15);
		break;
	default:
		put_char(t, what);
	}
}

int isa_format(const struct isa_insn *insn, uint32_t pc, char *text, size_t size)
{
	struct text t = {text, size, 0};
	if (insn->op == ISA_ILLEGAL) {
		put(&t, insn->length == 2 ? ".2byte " : ".4byte ");
		put_hex(&t, insn->word);
	} else {
		put(&t, isa_name(insn));
		const char *operands = operand_text[rows[insn->row].format];
		if (*operands && !(rows[insn->row].format == C_NOP && !insn->imm))
			put_char(&t, ' ');
		for (; *operands; operands++)
			put_operand(&t, insn, pc, *operands);
	}
	if (size)
		text[t.length < size ? t.length : size - 1] = '\0';
	return (int)t.length;
}
