/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/modes.h"
#include "host/base/decoded.h"
#include "isa/isa.h"

enum { CSR_MSTATUS = 0x300, CSR_MEPC = 0x341 };

static bool is_csr(enum isa_op op)
{
	return op == ISA_CSRRW || op == ISA_CSRRS || op == ISA_CSRRC || op == ISA_CSRRWI || op == ISA_CSRRSI ||
	       op == ISA_CSRRCI;
}

static void look_at_mode(const struct isa_insn *insn, struct modes *m)
{
	m->returns = m->returns || insn->op == ISA_MRET;
	if (!is_csr((enum isa_op)insn->op))
		return;
	const uint32_t csr = (uint32_t)insn->imm & 0xFFF;
	/* the mode in mstatus is out of reach of an immediate, and setting bits does not make it smaller; after
	 * reset it may be user mode, and mepc 0, in which bits are set */
	const bool whole = insn->op == ISA_CSRRW || insn->op == ISA_CSRRWI;
	const bool clears = insn->op == ISA_CSRRC && insn->rs1 != 0;
	m->machine = m->machine || (csr >> 8 & 3) == 3;
	m->sets =
	    m->sets || (csr == CSR_MSTATUS && (whole || clears)) || (csr == CSR_MEPC && (whole || insn->rs1 != 0));
}

void modes_look(const struct edit *edit, struct modes *m)
{
	const unsigned set = edit->object->xlen == 64 ? ISA_ANY64 : ISA_ANY32;
	for (size_t i = 0; i < edit->section_count; i++) {
		const struct edit_section *s = &edit->sections[i];
		for (size_t k = 0; k < s->count; k++) {
			struct isa_insn insn;
			if (s->atoms[k].kind != EDIT_INSN)
				continue;
			decode_again(s->atoms[k].word, set, &insn);
			look_at_mode(&insn, m);
		}
	}
}
