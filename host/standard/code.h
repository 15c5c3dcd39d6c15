/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_STANDARD_CODE_H
#define RIVULET_STANDARD_CODE_H
/*
 * Instructions as the trace standards see them: which class, how long, where to. N-Trace 1.0 and E-Trace 2.0 share the
 * classes of the ingress port (their tables of itype); "link" is x1 or x5.
 *
 *   pc ──► image_insn() ──► standard_insn ──► standard_block, each kept in a direct-mapped table
 */
#include <stdbool.h>
#include <stdint.h>
#include "common/sizes.h"
#include "host/image/image.h"

enum standard_class {
	STANDARD_PLAIN,
	STANDARD_BRANCH,        /* conditional, direct */
	STANDARD_JUMP,          /* direct, no link: itype 11, 15 */
	STANDARD_CALL,          /* direct, link: itype 9 */
	STANDARD_CALL_INDIRECT, /* itype 8 */
	STANDARD_SWAP,          /* link to the other link: itype 12 */
	STANDARD_RETURN,        /* itype 13 */
	STANDARD_INDIRECT,      /* itype 10, 14; CM.JT and CM.JALT too, as nobody says where their table is */
	STANDARD_TRAP_RETURN,   /* itype 3 */
	STANDARD_TRAPS          /* ECALL, EBREAK, illegal: does not retire */
};

struct standard_insn {
	uint64_t pc, target; /* target: of branch, jump, call */
	uint32_t word;
	int32_t imm;
	uint8_t length; /* bytes; 0: the image has no code there */
	uint8_t class;  /* enum standard_class */
	uint8_t rd, rs1;
	bool constant; /* LUI, C.LUI, AUIPC: rd becomes value */
	uint64_t value;
};

/* Instructions in a straight line, up to and with the first that may do more than go on. */
struct standard_block {
	uint64_t pc, last; /* of the first and of the last instruction */
	uint64_t behind;   /* the address behind the last one */
	uint64_t target;   /* of the last one: branch, jump, call */
	uint16_t count;    /* instructions; 0: the first one is not in the image, or cannot retire */
	uint16_t halves;   /* half-words */
	uint8_t class;     /* of the last one; STANDARD_PLAIN: long code is cut, or the next one cannot retire */
};

#define STANDARD_INSNS SIZED(65536u, 256u) /* powers of two; 3 MB */
#define STANDARD_BLOCKS SIZED(16384u, 64u) /* 0.7 MB */

struct standard_code {
	const struct image *image;
	uint64_t ones; /* of the width */
	struct standard_insn insns[STANDARD_INSNS];
	struct standard_block blocks[STANDARD_BLOCKS];
};

/* NULL: out of memory. The image must outlive it. */
struct standard_code *standard_code_open(const struct image *image);
void standard_code_close(struct standard_code *code);
/* What the next two do if the table has something else there. */
const struct standard_insn *standard_code_decode(struct standard_code *code, uint64_t pc);
const struct standard_block *standard_code_measure(struct standard_code *code, uint64_t pc);

/* The instruction at pc; never NULL. Valid until the next call. */
static inline const struct standard_insn *standard_code_at(struct standard_code *code, uint64_t pc)
{
	const struct standard_insn *insn = &code->insns[pc >> 1 & (STANDARD_INSNS - 1)];
	return insn->pc == pc ? insn : standard_code_decode(code, pc);
}
/* The block that begins at pc; never NULL. Valid until the next call. */
static inline const struct standard_block *standard_code_block(struct standard_code *code, uint64_t pc)
{
	const struct standard_block *block = &code->blocks[pc >> 1 & (STANDARD_BLOCKS - 1)];
	return block->pc == pc ? block : standard_code_measure(code, pc);
}

static inline bool standard_pushes(const struct standard_insn *insn)
{
	return insn->class == STANDARD_CALL || insn->class == STANDARD_CALL_INDIRECT || insn->class == STANDARD_SWAP;
}
static inline bool standard_pops(const struct standard_insn *insn)
{
	return insn->class == STANDARD_RETURN || insn->class == STANDARD_SWAP;
}
/* Its target is not in its own word. */
static inline bool standard_uninferable(const struct standard_insn *insn)
{
	return insn->class >= STANDARD_CALL_INDIRECT && insn->class <= STANDARD_TRAP_RETURN;
}
/* It retired, and did not go on behind itself. */
static inline bool standard_jumps(const struct standard_insn *insn, uint64_t next)
{
	bool always = insn->class >= STANDARD_JUMP && insn->class < STANDARD_TRAPS;
	return always || next != insn->pc + insn->length;
}
/* Sequentially inferable (N-Trace 10.4, E-Trace sijump): insn jumps by the register that before has set. *target. */
bool standard_sequential(const struct standard_insn *before, const struct standard_insn *insn, uint64_t *target);
#endif
