/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FRAMES_PRIVATE_H
#define RIVULET_FRAMES_PRIVATE_H
/* Shared by frames.c (entries) and frames_rows.c (those of edited code) only. */
#include "host/object/anew.h"

enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0A,
	CFA_RESTORE_STATE = 0x0B,
	CFA_DEF_CFA = 0x0C,
	CFA_DEF_CFA_REGISTER = 0x0D,
	CFA_DEF_CFA_OFFSET = 0x0E,
	CFA_DEF_CFA_EXPRESSION = 0x0F,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2E,
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xC0
};

/* Bytes behind the opcode of an advance: for so many steps; of an opcode that is one. */
static inline unsigned frames_advance_for(uint64_t steps)
{
	if (steps < 0x40)
		return 0;
	if (steps < 0x100)
		return 1;
	return steps < 0x10000 ? 2 : 4;
}
static inline unsigned frames_advance_bytes(unsigned op)
{
	if ((op & 0xC0) == CFA_ADVANCE)
		return 0;
	if (op == CFA_ADVANCE1)
		return 1;
	return op == CFA_ADVANCE2 ? 2 : 4;
}
/* An advance of `need` bytes behind its opcode, or in it. steps 0: relocations say how many. */
static inline void frames_put_advance(struct anew *o, unsigned need, uint64_t steps)
{
	static const unsigned codes[] = {CFA_ADVANCE, CFA_ADVANCE1, CFA_ADVANCE2, 0, CFA_ADVANCE4};
	anew_byte(o, codes[need] | (need == 0 ? (unsigned)(steps & 0x3F) : 0));
	for (unsigned i = 0; i < need; i++)
		anew_byte(o, (unsigned)(steps >> 8 * i & 0xFF));
}

struct cie {
	uint64_t offset;
	uint64_t code_align;
	int64_t data_align;
	unsigned address_bytes; /* of initial location and range */
	bool augmented;
	bool plain; /* entries begin with CFA = sp, and no register saved */
};

struct program { /* a row of call frame instructions being copied */
	struct anew *out;
	const struct cie *cie;
	const struct edit_section *code; /* NULL: not edited */
	uint64_t loc;                    /* old offset of the present row in the code */
	const struct edit_frame_change *change;
};

struct frames_part { /* places in the order of a section, the second is behind the last */
	size_t from, to;
};
struct frames_entry {
	uint64_t start, end, out_start; /* in the old section; where it begins now */
	uint64_t cie;                   /* offset of its CIE in the old section */
	bool symbolic, eh;              /* symbolic: a relocation names the CIE; eh: of .eh_frame */
};
/* frames.c: padding, length and CIE of the entry that has been written. */
void frames_end_entry(struct anew *o, const struct frames_entry *entry);
bool frames_copy_program(struct program *p, uint64_t end);
/* frames_order.c: the entry, from its initial location on, of code in another order: one for each part that follows
 * one another. at: its program; range: old bytes of code. false: it cannot be. */
bool frames_ordered(struct program *p, struct frames_entry *entry, uint64_t at, uint64_t range);
/* frames_sort.c: entries by the new place of their code. */
int frames_sort(struct anew *o, uint32_t number, uint64_t old_size);
/* frames_rows.c: the program of an entry for a part; it is at `from` in the old section. false: it cannot be; nothing
 * was put. */
bool frames_part_program(struct program *p, uint64_t from, uint64_t end, const struct frames_part *part);
/* frames_rows.c: the whole program of an entry for the code from p->loc on. false: it cannot be; nothing was put. */
bool frames_new_program(struct program *p, uint64_t end, uint64_t range);
#endif
