/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OPTIMISE_PRIVATE_H
#define RIVULET_OPTIMISE_PRIVATE_H
/* What the parts of sw/optimise share. */
#include "sw/optimise/optimise.h"

#define OPTIMISE_WALK_MAX 4096u /* instructions of one record that are followed */
#define OPTIMISE_KEPT 0x1Du     /* x0, sp, gp, tp: interrupt handlers use them, so no pass puts others there */
#define OPTIMISE_CALLS 8u       /* calls of one trace that are remembered */
#define OPTIMISE_NOWHERE 1u     /* no instruction has this address */
#define OPTIMISE_OUTCOMES 33u   /* of a record: branches, OPTIMISE_NOWHERE, where a patch is */

/* precise.c: of an instruction of the program; NULL: none */
const struct optimise_patch *optimise_patch_at(const struct optimise *optimise, uint32_t pc);

/* Bits high..low of the word, moved to bit `to`. */
#define FIELD(w, high, low, to) (((w) >> (low) & ((2u << ((high) - (low))) - 1)) << (to))
/* The same with the sign, from bit `high`, in all bits above. */
#define SIGNED(w, high, low, to) ((uint32_t)((int32_t)((w) << (31 - (high))) >> (31 - (high) + (low))) << (to))

/* code.c */
void optimise_decode_word(uint32_t word, uint32_t pc, struct optimise_insn *out); /* the instruction word at pc */
/* The instruction word at pc, 16 or 32 bits; optimise_far_word(): where the code is in pieces. */
uint32_t optimise_far_word(const struct optimise *optimise, uint32_t pc, bool *ok);
static inline uint32_t optimise_bytes(const uint8_t *at)
{
#ifdef __riscv /* code lies on halfwords, and its parcels have the core's order */
	const uint16_t *halves = (const uint16_t *)(const void *)at;
	uint32_t half = halves[0];
	return (half & 3) == 3 ? half | (uint32_t)halves[1] << 16 : half;
#else
	uint32_t half = (uint32_t)at[0] | (uint32_t)at[1] << 8;
	return (half & 3) == 3 ? half | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24 : half;
#endif
}
static inline uint32_t optimise_word(const struct optimise *optimise, uint32_t pc, bool *ok)
{
	const struct optimise_config *c = &optimise->config;
	uint32_t offset = pc - c->code->base;
	if ((c->range_start | c->range_end) != 0 || c->code_count != 1 || c->code->size < 4 ||
	    offset > c->code->size - 4)
		return optimise_far_word(optimise, pc, ok);
	*ok = true;
	return optimise_bytes(c->code->bytes + offset);
}
static inline bool optimise_pure(const struct optimise_insn *insn) /* PLAIN or SET */
{
	return insn->kind <= KIND_SET;
}
/* Registers, a bit each; x0 never. */
static inline uint32_t optimise_reads(const struct optimise_insn *insn)
{
	return insn->kind == KIND_SET || insn->kind == KIND_JUMP ? 0 : (1u << insn->rs1 | 1u << insn->rs2) & ~1u;
}
static inline uint32_t optimise_writes(const struct optimise_insn *insn)
{
	return insn->kind <= KIND_LOAD ? 1u << insn->rd & ~1u : 0;
}

static inline bool optimise_copies(const struct optimise_insn *insn) /* one register to another, or to itself */
{
	return insn->kind == KIND_PLAIN && ((insn->op == ISA_ADD && (insn->rs1 == 0 || insn->rs2 == 0)) ||
					       (insn->op == ISA_ADDI && insn->imm == 0));
}

/* words.c: false if no trace has such an instruction, or if it is rare: isa_decode() decodes it. */
bool optimise_read_word(uint32_t word, struct optimise_insn *insn);
/* The word of an instruction that is no transfer; bits 1..0 say its length. 0: the operands do not fit. */
uint32_t optimise_make_word(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm, bool narrow);

/* May a trace begin at pc? */
static inline bool optimise_may_begin(const struct optimise *optimise, uint32_t pc)
{
	return (optimise->entries[pc >> 6 & 31] >> (pc >> 1 & 31) & 1) != 0;
}

/* Where the instruction at pc is, if it is decoded. */
static inline struct optimise_decoded *optimise_place(const struct optimise *optimise, uint32_t pc)
{
	return &optimise->decoded[(pc >> 1) & (optimise->decoded_room - 1)];
}

/* optimise_decode(), where it stands is looked at here. */
static inline const struct optimise_insn *optimise_decoded(struct optimise *optimise, uint32_t pc)
{
	const struct optimise_decoded *d = optimise_place(optimise, pc);
	return d->insn.pc == pc ? &d->insn : optimise_decode(optimise, pc);
}

/* Has an instruction at pc been seen, or one that shares its bit? */
static inline uint32_t *optimise_seen_word(const struct optimise *optimise, uint32_t pc)
{
	return &optimise->seen[pc >> 6 & (optimise->seen_room - 1)];
}
static inline bool optimise_seen(const struct optimise *optimise, uint32_t pc)
{
	return (*optimise_seen_word(optimise, pc) >> (pc >> 1 & 31) & 1) != 0;
}
static inline void optimise_see(const struct optimise *optimise, uint32_t pc)
{
	*optimise_seen_word(optimise, pc) |= 1u << (pc >> 1 & 31);
}

/* flow.c: sees each instruction of a record, and those behind it to where the program is not known to go. branches:
 * NULL, or the address of each branch of its history; then it ends with the last of them. count: how often it was met,
 * for the divisions on its way, and then it ends at a patch with OPTIMISE_NOWHERE and where that is; 0: they are no
 * matter, and patches are not there. Returns 1, and 1 more for each such division; 0: the code does not bear it out. */
unsigned optimise_walk(
    const struct optimise *optimise, uint32_t pc, uint32_t hist, uint32_t branches[OPTIMISE_OUTCOMES], uint32_t count);

/* weights.c */
void optimise_weigh(struct optimise *optimise, uint32_t pc, bool taken, uint32_t count); /* an outcome of a branch */
struct optimise_weight *optimise_weight(const struct optimise *optimise, uint32_t pc); /* its place, or an empty one */
struct optimise_seed *optimise_seed_at(const struct optimise *optimise, uint32_t pc);  /* NULL: none */
void optimise_seed(struct optimise *optimise, uint32_t pc, uint32_t flow, bool root);

/* links.c: what a trace knows of the link registers, from its beginning (all 0) on. */
#define OPTIMISE_SAVED 8u
struct optimise_links {
	uint32_t link[2];               /* value of x1 and x5 if known, else 0 */
	int32_t offset[OPTIMISE_SAVED]; /* saved ones: on the stack, from sp at the beginning of the trace */
	uint32_t value[OPTIMISE_SAVED];
	unsigned saved;
	int32_t moved; /* sp since then */
};
/* Any instruction but a branch, a jump and a return. */
void optimise_links_follow(struct optimise_links *links, const struct optimise_insn *insn);
/* Where an indirect jump goes to; 0: not known. */
uint32_t optimise_links_return(const struct optimise_links *links, const struct optimise_insn *insn);

/* An exit that no branch of the program is: it asks whether a divisor is the expected one, and leads behind it. */
static inline bool optimise_asks(const struct optimise_insn *exit)
{
	return exit->length == 0;
}

/* trace.c: the trace from pc; false: none was made. */
bool optimise_follow(struct optimise *optimise, uint32_t pc, uint32_t flow, bool lead);

/* Passes over one trace. They change insns[first .. first + count) in place and make it longer by trace->spare at
 * most. */
#define OPTIMISE_SPARE 8u
#define OPTIMISE_SPARE_DIVISION 10u /* more for each division by a value that repeats ... */
#define OPTIMISE_SPARE_MOST 128u    /* ... up to so many */
void optimise_forward(struct optimise *optimise, struct optimise_trace *trace);
void optimise_dead(struct optimise *optimise, struct optimise_trace *trace);
void optimise_stack(struct optimise *optimise, struct optimise_trace *trace);
void optimise_rename(struct optimise *optimise, struct optimise_trace *trace);
void optimise_divide(struct optimise *optimise, struct optimise_trace *trace);
void optimise_reciprocal(struct optimise *optimise, struct optimise_trace *trace);
void optimise_slots(struct optimise *optimise, struct optimise_trace *trace);
void optimise_close_gaps(struct optimise *optimise, struct optimise_trace *trace); /* removes OPTIMISE_GONE */

/* A list of fixes with one more in front; 0 and *ok = false if there is no room. */
uint16_t optimise_fix(struct optimise *optimise, uint16_t next, uint8_t kind, uint8_t reg, int32_t value, bool *ok);

/* cost.c */
/* Of an instruction of the program that goes to next. *loaded: the register that the one before has loaded, a bit. */
uint32_t optimise_cost_in_program(const struct optimise_insn *insn, uint32_t next, uint32_t *loaded);
uint32_t optimise_cost(const struct optimise *optimise, const struct optimise_trace *trace);

/* emit.c: addresses and sizes of all traces. False: they do not fit. */
bool optimise_layout(struct optimise *optimise);
void optimise_find_forms(struct optimise *optimise);
/* What computes rd, for SET: what it is made of. */
uint32_t optimise_alu(uint8_t op, uint32_t a, uint32_t b);
#endif
