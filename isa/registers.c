/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Registers that an instruction reads and writes, and how much memory it moves. */
#include "isa/private.h"

#define ALL UINT32_MAX

static void add(unsigned place, uint8_t r, uint32_t *x, uint32_t *f)
{
	if (place == PLACE_NO)
		return;
	*(place & PLACE_FLOAT ? f : x) |= UINT32_C(1) << (r & 31);
}

/* ra and the saved registers of Zcmp's list. */
static uint32_t list_of(unsigned list)
{
	uint32_t x = 1 << 1;
	unsigned saved = list == 15 ? 12 : list - 4;
	for (unsigned n = 0; n < saved; n++)
		x |= UINT32_C(1) << isa_saved(n);
	return x;
}

static void special(const struct isa_insn *insn, struct isa_registers *r)
{
	switch (insn->op) {
	case ISA_CM_PUSH:
		r->x_read |= list_of(insn->rm);
		break;
	case ISA_CM_POPRETZ:
		r->x_written |= 1 << 10;
		/* fall through */
	case ISA_CM_POP:
	case ISA_CM_POPRET:
		r->x_written |= list_of(insn->rm);
		break;
	case ISA_CM_MVSA01: /* its two register fields are written */
		r->x_written |= r->x_read;
		r->x_read = 3 << 10;
		break;
	case ISA_CM_MVA01S:
		r->x_written |= 3 << 10;
		break;
	case ISA_CM_JALT:
		r->x_written |= 1 << 1;
		break;
	case ISA_OTHER:
		*r = (struct isa_registers){ALL, ALL, ALL, ALL};
		break;
	default:
		break;
	}
}

void isa_registers(const struct isa_insn *insn, struct isa_registers *r)
{
	const struct isa_format *format = &isa_formats[isa_table[insn->row < isa_rows() ? insn->row : 0].format];
	*r = (struct isa_registers){0};
	add(format->rd, insn->rd, &r->x_written, &r->f_written);
	if (!(format->flags & RS1_NUMBER))
		add(format->rs1, insn->rs1, &r->x_read, &r->f_read);
	add(format->rs2, insn->rs2, &r->x_read, &r->f_read);
	add(format->rs3, insn->rs3, &r->x_read, &r->f_read);
	special(insn, r);
	r->x_read &= ~UINT32_C(1);
	r->x_written &= ~UINT32_C(1);
}

unsigned isa_access_bytes(const struct isa_insn *insn)
{
	switch (insn->op) {
	case ISA_LB:
	case ISA_LBU:
	case ISA_SB:
		return 1;
	case ISA_LH:
	case ISA_LHU:
	case ISA_SH:
		return 2;
	case ISA_LD:
	case ISA_SD:
	case ISA_FLD:
	case ISA_FSD:
		return 8;
	case ISA_CM_PUSH:
	case ISA_CM_POP:
	case ISA_CM_POPRET:
	case ISA_CM_POPRETZ:
		return insn->xlen / 8;
	default:
		if (!(insn->class_bits & (ISA_LOAD | ISA_STORE)))
			return 0;
		return insn->op >= ISA_LR_D && insn->op <= ISA_AMOMAXU_D ? 8 : 4;
	}
}
