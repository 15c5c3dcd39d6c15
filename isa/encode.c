/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Encoding, by the same rows and formats as decoding. */
#include "isa/private.h"

/* Puts value into bits high..low of *word, over what is there. */
static void place_bits(uint32_t *word, unsigned high, unsigned low, uint32_t value)
{
	uint32_t mask = ((2u << (high - low)) - 1) << low;
	*word = (*word & ~mask) | (value << low & mask);
}

/* s0 to s7 as Zcmp numbers them; 8 and more: another register, which decoding back finds. */
static uint32_t saved_number(uint8_t r)
{
	return r == 8 || r == 9 ? r - 8u : r - 16u;
}

static void place_register(uint32_t *word, unsigned place, uint8_t r)
{
	switch (place & ~(unsigned)PLACE_FLOAT) {
	case PLACE_P7:
		place_bits(word, 11, 7, r);
		break;
	case PLACE_P15:
		place_bits(word, 19, 15, r);
		break;
	case PLACE_P20:
		place_bits(word, 24, 20, r);
		break;
	case PLACE_P27:
		place_bits(word, 31, 27, r);
		break;
	case PLACE_P2:
		place_bits(word, 6, 2, r);
		break;
	case PLACE_S7:
		place_bits(word, 9, 7, r);
		break;
	case PLACE_S2:
		place_bits(word, 4, 2, r);
		break;
	case PLACE_M7:
		place_bits(word, 9, 7, saved_number(r));
		break;
	case PLACE_M2:
		place_bits(word, 4, 2, saved_number(r));
		break;
	default:
		break;
	}
}

static void place_immediate(uint32_t *word, const struct isa_immediate *immediate, int32_t imm)
{
	for (unsigned i = 0; i < 8 && immediate->pieces[i].high; i++) {
		const struct isa_piece *p = &immediate->pieces[i];
		place_bits(word, p->high, p->low, (uint32_t)imm >> p->to);
	}
}

static void place_special(uint32_t *word, unsigned flags, const struct isa_insn *insn)
{
	if (flags & RM)
		place_bits(word, 14, 12, insn->rm);
	if (flags & AQRL)
		place_bits(word, 26, 25, insn->rm);
	if (flags & STACK) {
		uint32_t size = insn->imm < 0 ? 0u - (uint32_t)insn->imm : (uint32_t)insn->imm;
		place_bits(word, 7, 4, insn->rm);
		place_bits(word, 3, 2, (size - isa_stack_base(insn->rm & 15u, insn->xlen)) / 16);
	}
}

static bool same_operands(const struct isa_insn *a, const struct isa_insn *b)
{
	return a->op == b->op && a->rd == b->rd && a->rs1 == b->rs1 && a->rs2 == b->rs2 && a->rs3 == b->rs3 &&
	       a->rm == b->rm && a->imm == b->imm;
}

int isa_encode(const struct isa_insn *insn, uint64_t *word)
{
	if (insn->row == 0) { /* what it is, nobody knows: it stays */
		*word = insn->word;
		return ISA_OK;
	}
	if (insn->row >= isa_rows())
		return ISA_EROW;
	const struct isa_row *row = &isa_table[insn->row];
	const struct isa_format *format = &isa_formats[row->format];
	uint32_t w = (uint32_t)insn->word;
	if ((w & row->mask) != row->match)
		w = row->match;
	place_register(&w, format->rd, insn->rd);
	place_register(&w, format->rs1, insn->rs1);
	place_register(&w, format->rs2, insn->rs2);
	place_register(&w, format->rs3, insn->rs3);
	place_immediate(&w, &isa_immediates[format->immediate], insn->imm);
	place_special(&w, format->flags, insn);

	/* An operand that did not fit, or that belongs to another row, does not come back. */
	struct isa_insn back;
	isa_decode(w, row->needs | (insn->xlen == 64 ? ISA_RV64 : 0u), &back);
	if (!same_operands(insn, &back) || isa_table[back.row].format != row->format)
		return ISA_EOPERAND;
	*word = w;
	return ISA_OK;
}

/* Tries the rows of insn's op that have this length. */
static int by_length(const struct isa_insn *insn, unsigned set, bool wide, struct isa_insn *out)
{
	int error = ISA_EROW;
	unsigned rows = isa_rows();
	set = isa_settle(set);
	for (unsigned i = 1; i < rows; i++) {
		const struct isa_row *row = &isa_table[i];
		uint64_t word;
		if (row->op != insn->op || ((row->match & 3) == 3) != wide || !isa_row_fits(row, set))
			continue;
		struct isa_insn made = *insn;
		made.row = (uint16_t)i;
		made.word = row->match;
		made.xlen = set & ISA_RV64 ? 64 : 32;
		error = isa_encode(&made, &word);
		if (error == ISA_OK) {
			isa_decode(word, set, out);
			if (same_operands(out, insn))
				return ISA_OK;
			error = ISA_EOPERAND;
		}
	}
	return error;
}

int isa_make(unsigned set, enum isa_op op, uint8_t rd, uint8_t rs1, uint8_t rs2, int32_t imm, struct isa_insn *insn)
{
	struct isa_insn wanted = {.op = (uint8_t)op, .rd = rd, .rs1 = rs1, .rs2 = rs2, .rm = 7, .imm = imm};
	int error = by_length(&wanted, set, true, insn);
	if (error == ISA_EOPERAND) { /* without a rounding mode */
		wanted.rm = 0;
		error = by_length(&wanted, set, true, insn);
	}
	if (error != ISA_EROW)
		return error;
	wanted.rm = 0;
	return by_length(&wanted, set, false, insn);
}

int isa_expand(const struct isa_insn *insn, unsigned set, struct isa_insn *out)
{
	if (insn->length != 2) {
		*out = *insn;
		return ISA_OK;
	}
	return by_length(insn, set, true, out);
}

/* The same effect with the operands in the order that compressed rows have them: an addition and its like in either
 * order, a branch against x0 by rs1, a copy as an addition to x0. */
static int swapped(const struct isa_insn *insn, unsigned set, struct isa_insn *out)
{
	struct isa_insn other = *insn;
	switch (insn->op) {
	case ISA_ADD:
	case ISA_AND:
	case ISA_OR:
	case ISA_XOR:
	case ISA_ADDW:
	case ISA_MUL:
	case ISA_BEQ:
	case ISA_BNE:
		other.rs1 = insn->rs2;
		other.rs2 = insn->rs1;
		break;
	case ISA_ADDI: /* addi rd,rs1,0 is c.mv */
		if (insn->imm != 0 || insn->rd == 0 || insn->rs1 == 0)
			return ISA_EROW;
		other = (struct isa_insn){.op = ISA_ADD, .rd = insn->rd, .rs2 = insn->rs1};
		break;
	default:
		return ISA_EROW;
	}
	return by_length(&other, set, false, out);
}

int isa_compress(const struct isa_insn *insn, unsigned set, struct isa_insn *out)
{
	if (insn->length == 2) {
		*out = *insn;
		return ISA_OK;
	}
	if (insn->row == 0)
		return ISA_EROW;
	int error = by_length(insn, set, false, out);
	if (error != ISA_OK)
		error = swapped(insn, set, out);
	return error == ISA_OK ? ISA_OK : ISA_EROW;
}
