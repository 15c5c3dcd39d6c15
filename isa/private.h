/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ISA_PRIVATE_H
#define RIVULET_ISA_PRIVATE_H
/* The table as the parts of isa/ share it. */
#include "isa/isa.h"

enum place { /* of a register in the word, isa/formats.def */
	PLACE_NO,
	PLACE_P7,
	PLACE_P15,
	PLACE_P20,
	PLACE_P27,
	PLACE_P2,
	PLACE_S7,
	PLACE_S2,
	PLACE_M7,
	PLACE_M2,
	PLACE_RA,
	PLACE_SP,
	PLACE_FLOAT = 16,
	PLACE_FP7 = PLACE_FLOAT | PLACE_P7,
	PLACE_FP15 = PLACE_FLOAT | PLACE_P15,
	PLACE_FP20 = PLACE_FLOAT | PLACE_P20,
	PLACE_FP27 = PLACE_FLOAT | PLACE_P27,
	PLACE_FP2 = PLACE_FLOAT | PLACE_P2,
	PLACE_FS2 = PLACE_FLOAT | PLACE_S2
};

enum flag {
	IMM_NONZERO = 1, /* an immediate of 0 is reserved */
	RD_NONZERO = 2,
	RD_NOT_SP = 4,
	RS1_NONZERO = 8,
	RS2_NONZERO = 16,
	RS1_NUMBER = 32,    /* rs1 is a number, no register */
	RM = 64,            /* rounding mode in bits 14..12; 5 and 6 are reserved */
	AQRL = 128,         /* aq and rl in bits 26 and 25 */
	STACK = 256,        /* register list in bits 7..4 and adjustment of Zcmp */
	DIFFERENT = 512,    /* rs1 and rs2 must differ */
	IMM_255 = 1024,     /* the immediate is always 255 */
	IMM_MINUS_1 = 2048, /* always -1 */
	IMM_CONSTANT = IMM_255 | IMM_MINUS_1
};

struct isa_piece {
	uint8_t high, low, to;
};
struct isa_immediate {
	uint8_t width;              /* with sign; 0: without */
	struct isa_piece pieces[8]; /* up to the first with high 0 */
};
struct isa_format {
	uint8_t rd, rs1, rs2, rs3; /* enum place */
	uint8_t immediate;
	uint16_t flags; /* enum flag */
	char text[9];
};
struct isa_row {
	uint32_t match, mask, needs;
	char name[11];
	uint8_t width, op, format;
};

extern const struct isa_row isa_table[];
extern const struct isa_format isa_formats[];
extern const struct isa_immediate isa_immediates[];

/* Bytes that Zcmp's register list takes on the stack, rounded up to 16. */
unsigned isa_stack_base(unsigned list, unsigned xlen);
/* x8, x9, x18 to x27: s0 to s11. */
static inline uint8_t isa_saved(unsigned n)
{
	return (uint8_t)(n < 2 ? 8 + n : 16 + n);
}
static inline bool isa_row_fits(const struct isa_row *row, unsigned set)
{
	return (row->needs & ~set) == 0 && (row->width == 0 || row->width == (set & ISA_RV64 ? 64 : 32));
}
/* Zcmp and Zcmt have the encodings of compressed D loads and stores: those leave the set. */
static inline unsigned isa_settle(unsigned set)
{
	return set & (ISA_EXT_ZCMP | ISA_EXT_ZCMT) ? set & ~(1u << 6) : set;
}
#endif
