/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The table: rows, formats, immediates, as the .def files have them. */
#include "isa/private.h"

enum format {
#define FORMAT(name, rd, rs1, rs2, rs3, immediate, flags, text) FORMAT_##name,
#include "isa/formats.def"
#undef FORMAT
};
enum immediate {
#define PIECE(high, low, to)
#define IMMEDIATE(name, width, pieces) IMMEDIATE_##name,
#include "isa/formats.def"
#undef IMMEDIATE
#undef PIECE
};

const struct isa_immediate isa_immediates[] = {
#define PIECE(high, low, to) {high, low, to},
#define IMMEDIATE(name, width, pieces) {width, {pieces}},
#include "isa/formats.def"
#undef IMMEDIATE
#undef PIECE
};

const struct isa_format isa_formats[] = {
#define FORMAT(name, rd, rs1, rs2, rs3, immediate, flags, text)                                                        \
	{PLACE_##rd, PLACE_##rs1, PLACE_##rs2, PLACE_##rs3, IMMEDIATE_##immediate, flags, text},
#include "isa/formats.def"
#undef FORMAT
};

/* What a row needs, by the token in its line. Bits 6, 10: isa.h. */
enum needs {
	NEEDS_I = ISA_EXT_I,
	NEEDS_M = ISA_EXT_M,
	NEEDS_A = ISA_EXT_A,
	NEEDS_F = ISA_EXT_F,
	NEEDS_D = 1 << 5,
	NEEDS_C = ISA_EXT_C,
	NEEDS_C_F = ISA_EXT_C | ISA_EXT_F,
	NEEDS_C_D = ISA_EXT_C | 1 << 6,
	NEEDS_ZBA = ISA_EXT_ZBA,
	NEEDS_ZBB = 1 << 9,
	NEEDS_ZB_BOTH = 1 << 10,
	NEEDS_ZBKB = 1 << 11,
	NEEDS_ZBS = ISA_EXT_ZBS,
	NEEDS_ZICOND = ISA_EXT_ZICOND,
	NEEDS_ZCB = ISA_EXT_ZCB,
	NEEDS_ZCB_M = ISA_EXT_ZCB | ISA_EXT_M,
	NEEDS_ZCB_ZBA = ISA_EXT_ZCB | ISA_EXT_ZBA,
	NEEDS_ZCB_ZBB = ISA_EXT_ZCB | 1 << 9,
	NEEDS_ZCMP = ISA_EXT_ZCMP,
	NEEDS_ZCMT = ISA_EXT_ZCMT,
	NEEDS_S = ISA_EXT_S
};

const struct isa_row isa_table[] = {
    {0, 0, 0, "illegal", 0, ISA_ILLEGAL, FORMAT_NONE},
#define GROUP(key)
#define INSN(name, width, needs, match, mask, op, format)                                                              \
	{match, mask, NEEDS_##needs, name, width, ISA_##op, FORMAT_##format},
#include "isa/insns.def"
#undef INSN
#undef GROUP
};

unsigned isa_rows(void)
{
	return sizeof isa_table / sizeof *isa_table;
}

bool isa_row_in(unsigned row, unsigned set)
{
	return row > 0 && row < isa_rows() && isa_row_fits(&isa_table[row], isa_settle(set));
}
