/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Text of an instruction, as objdump writes it. */
#include "isa/private.h"

const char *const isa_register_names[32] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1",
    "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5",
    "t6"};
const char *const isa_float_register_names[32] = {"ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1",
    "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
    "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

static const struct {
	uint16_t number;
	const char *name;
} csr_names[] = {{0x300, "mstatus"}, {0x301, "misa"}, {0x304, "mie"}, {0x305, "mtvec"}, {0x306, "mcounteren"},
    {0x30A, "menvcfg"}, {0x310, "mstatush"}, {0x31A, "menvcfgh"}, {0x320, "mcountinhibit"}, {0x340, "mscratch"},
    {0x341, "mepc"}, {0x342, "mcause"}, {0x343, "mtval"}, {0x344, "mip"}, {0x7A0, "tselect"}, {0x7A1, "tdata1"},
    {0xB00, "mcycle"}, {0xB02, "minstret"}, {0xB80, "mcycleh"}, {0xB82, "minstreth"}, {0xC00, "cycle"}, {0xC01, "time"},
    {0xC02, "instret"}, {0xC80, "cycleh"}, {0xC81, "timeh"}, {0xC82, "instreth"}, {0xF11, "mvendorid"},
    {0xF12, "marchid"}, {0xF13, "mimpid"}, {0xF14, "mhartid"}, {0xF15, "mconfigptr"}};

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
static void put_hex(struct text *t, uint64_t value)
{
	put(t, "0x");
	unsigned shift = 60;
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

static const char *const orderings[4] = {"", ".rl", ".aq", ".aqrl"};
static const char *const rounding_modes[8] = {"rne", "rtz", "rdn", "rup", "rmm", "unknown", "unknown", "dyn"};

/* "{ra,s0-s2}" */
static void put_list(struct text *t, unsigned list)
{
	put(t, "{ra");
	if (list > 4)
		put(t, ",s0");
	if (list > 5) {
		put(t, "-");
		put_register(t, isa_saved(list == 15 ? 11 : list - 5));
	}
	put_char(t, '}');
}

static void put_operand(struct text *t, const struct isa_insn *insn, uint64_t pc, char what)
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
	case 'D':
		put(t, isa_float_register_names[insn->rd & 31]);
		break;
	case 'S':
		put(t, isa_float_register_names[insn->rs1 & 31]);
		break;
	case 'T':
		put(t, isa_float_register_names[insn->rs2 & 31]);
		break;
	case 'R':
		put(t, isa_float_register_names[insn->rs3 & 31]);
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
		put_fence(t, (uint32_t)insn->imm >> 4 & 15);
		put_char(t, ',');
		put_fence(t, (uint32_t)insn->imm & 15);
		break;
	case 'a':
		put_char(t, '(');
		put_register(t, insn->rs1);
		put_char(t, ')');
		break;
	case 'r':
		if (insn->rm != 7) {
			put_char(t, ',');
			put(t, rounding_modes[insn->rm & 7]);
		}
		break;
	case 'l':
		put_list(t, insn->rm);
		break;
	default:
		put_char(t, what);
	}
}

static void put_operands(struct text *t, const struct isa_insn *insn, uint64_t pc)
{
	const struct isa_format *format = &isa_formats[isa_table[insn->row < isa_rows() ? insn->row : 0].format];
	const char *what = format->text;
	put(t, isa_name(insn));
	if (format->flags & AQRL)
		put(t, orderings[insn->rm & 3]);
	if (*what && !(*what == 'n' && !insn->imm))
		put_char(t, ' ');
	for (; *what; what++)
		put_operand(t, insn, pc, *what);
}

int isa_format(const struct isa_insn *insn, uint64_t pc, char *text, size_t size)
{
	struct text t = {text, size, 0};
	if (insn->op == ISA_ILLEGAL) {
		put(&t, insn->length == 2 ? ".2byte " : ".4byte ");
		put_hex(&t, insn->length == 2 ? insn->word : (uint32_t)insn->word);
	} else if (insn->op == ISA_OTHER) {
		put(&t, ".insn ");
		put_decimal(&t, insn->length);
		put(&t, ", ");
		put_hex(&t, insn->word);
	} else {
		put_operands(&t, insn, pc);
	}
	if (size)
		text[t.length < size ? t.length : size - 1] = '\0';
	return (int)t.length;
}
