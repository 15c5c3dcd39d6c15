/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_WALK_H
#define RIVULET_WALK_H
/*
 * From a record back to the instructions that were executed (docs/trace-unit.md sections 3 to 6): the walk starts at
 * the record's start and takes at each conditional branch the next outcome of the history, from the bit below the
 * marker down to bit 0.
 *
 *   start ──► block ──► block ──► ... ──► the instruction that ended the trace
 *             history 1 o o o o           backward transfer, indirect jump, trap return, or the branch that filled the
 * history: ▲ marker            the walk knows it when it sees it, and all outcomes must be used up by then
 *
 * A record that a discontinuity ended (trap, left, off) ends between instructions: only its instruction count says
 * where. Without it, or with a saturated one, the walk gives what is certain, up to the last branch whose outcome is
 * known, and returns WALK_UNKNOWN_END.
 *
 * Speed: basic blocks are decoded once and kept in a table keyed by address; a visit is a call for a block, not for an
 * instruction.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"
#include "common/sizes.h"
#include "host/image/image.h"

enum walk_error {
	WALK_UNKNOWN_END = 1, /* not an error: the record goes on, but nobody knows how far */
	WALK_OK = 0,
	WALK_EODD = -1,     /* the start address is odd (docs/trace-unit.md: a pc never is) */
	WALK_EOUTSIDE = -2, /* the walk left the image's code */
	WALK_EILLEGAL =
	    -3, /* met an instruction that cannot complete: illegal, EBREAK (no semihosting call), ECALL (not of a
		hosted image) */
	WALK_EHISTORY = -4, /* the history is no history of this code: 0, wider than H bits, used up at a branch, or not
			       used up at the end */
	WALK_EREASON = -5,  /* the trace must have ended here, but for another reason than the record says */
	WALK_EINSNS = -6,   /* the record's instruction count is not that of its path */
	WALK_ETARGET = -7,  /* unknown target: an indirect jump that no call of this trace accounts for (NO_INDIRECT) */
	WALK_EENDLESS = -8, /* more than WALK_STRAIGHT_MAX instructions without a conditional branch (NO_BACKWARD) */
	WALK_ESTOPPED = -9, /* the visitor asked to stop */
	WALK_ENOMEM = -10,
	WALK_EWRITTEN = -11 /* as WALK_EOUTSIDE, in the data of the program or behind them: it wrote this code itself */
};
const char *walk_strerror(int error); /* "the history does not fit the code", ... */

#define WALK_STRAIGHT_MAX SIZED(1u << 20, 1u << 10)
#define WALK_CALLS_MAX 1024  /* calls remembered in one trace, a power of two */
#define WALK_BLOCK_HALVES 64 /* a block covers at most 128 bytes */

/* How the records were collected. */
struct walk_config {
	unsigned hist;      /* H, 8 to 64; 2 where edges alone were counted */
	uint32_t ctrl;      /* CTRL register: NO_BACKWARD, NO_INDIRECT count here */
	unsigned insn_bits; /* width of the instruction count: all ones means "that many or more"; 0: there is none */
	unsigned isa_set;   /* of isa_decode(); 0: ISA_CORE */
};

enum walk_exit {   /* how a block is left */
	WALK_FALL, /* the next block follows in memory */
	WALK_BRANCH,
	WALK_JUMP,
	WALK_INDIRECT,
	WALK_RET,
	WALK_STUCK /* before an instruction that cannot be executed; count may be 0 */
};

/* Straight code. The instruction at start + 2i begins there if bit i of starts is set. */
struct walk_block {
	uint64_t start, next; /* first address, first address behind it */
	uint64_t last;        /* address of its last instruction */
	uint64_t target;      /* WALK_BRANCH, WALK_JUMP */
	uint64_t starts;
	uint16_t count;                  /* instructions */
	uint8_t exit;                    /* enum walk_exit */
	uint8_t link;                    /* register that a call writes its return address to (1 or 5), else 0 */
	uint8_t through;                 /* WALK_INDIRECT: register of a plain return (1 or 5), else 0 */
	int8_t stuck;                    /* WALK_STUCK: the error */
	void *user;                      /* for the caller, NULL at first */
	struct walk_block *fall, *taken; /* the blocks behind it, once they have been walked to: the walker's */
};

/* One visited block, or the first part of one (count < block->count: the trace ended inside). */
struct walk_visit {
	struct walk_block *block;
	uint32_t count; /* instructions executed of it, > 0 */
	int outcome;    /* of the conditional branch that ends it: 0, 1; -1: none */
	bool last;      /* nothing follows */
	uint8_t reason; /* if last: how the trace ended, enum trace_reason; 0: unknown end */
};
/* Returns 0 to go on, anything else to stop the walk (WALK_ESTOPPED). */
typedef int walk_visitor(void *context, const struct walk_visit *visit);

struct walk;
int walk_open(struct walk **walk, const struct image *image, const struct walk_config *config);
void walk_close(struct walk *walk);
/* Whether a walk opened with this config does the same. */
bool walk_same(const struct walk *walk, const struct walk_config *config);

/* Walks one trace of a record: its start, history, reason, insns. With the reason TRACE_NONE a natural end is assumed.
 * visit may be NULL. On an error *at (may be NULL) is the address of the instruction that it is about. Visits made
 * before an error were shown: what is certain first. */
int walk_record(struct walk *walk, const struct record *record, walk_visitor *visit, void *context, uint64_t *at);
/* The same, as addresses of instructions: at most max are stored, *count is how many there are. */
int walk_pcs(struct walk *walk, const struct record *record, uint64_t *pcs, size_t max, size_t *count, uint64_t *at);
/* Stores the addresses of the first count instructions of block in pcs. */
void walk_block_pcs(const struct walk_block *block, uint32_t count, uint64_t *pcs);
#endif
