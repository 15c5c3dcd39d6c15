/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_STACK_H
#define RIVULET_STACK_H
/*
 * Call stacks from walked blocks, by a shadow stack: a call pushes where it returns to, a return pops down to the frame
 * whose return address it went to. The stacks form a tree of contexts; each visited block belongs to one.
 *
 *   block ── call at site ──► push (site, return address) ──► child of the context, found or made
 *   block ── return ────────► the next block's address says which frame it went back to
 *
 * Given every record of a run in order, the contexts are exact from the first call on; frames that were entered before
 * the first record are not known, and a return into one begins a new root. Given single records (a sampled profile),
 * the contexts are exact within each record and begin at the function in which it starts.
 *
 * A tail call (a jump to the start of another function) becomes a frame of its own above the function that jumped, and
 * a return pops both. The same jump once more, made from above its own frame with the same return address, enters that
 * frame again, so functions that jump to each other in turn do not grow the stack, and each jump is counted. A jump of
 * a function to its own start is a loop. `f.cold` is a part of `f`.
 *
 * Recursion makes many contexts. Past STACK_NODES_MAX of them, or STACK_LEVELS_MAX of them one above the other, a call
 * whose site and target are already on the stack goes to the context of that outer call (folded); a new one is made
 * only if there is none.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/image/image.h"
#include "host/walk/walk.h"

enum stack_error { STACK_OK = 0, STACK_ENOMEM = -1 };

#define STACK_NODES_MAX 65536
#define STACK_LEVELS_MAX 1000       /* formats that write each stack whole would grow with the square of it */
#define STACK_FRAMES_MAX (1u << 20) /* deeper: the outermost are forgotten */
#define STACK_NOBODY 0u             /* the context above all roots; it never runs */

enum stack_kind {
	STACK_ROOT, /* below STACK_NOBODY: who called is not known */
	STACK_CALL,
	STACK_TAIL, /* a jump to the start of another function */
	STACK_TRAP  /* a handler; site is where the interrupted code goes on */
};

struct stack_node {
	uint32_t parent;  /* its index is smaller */
	uint64_t site;    /* address of the call or jump; roots: 0 */
	uint64_t entry;   /* address that was called; roots: start of the function, 0 if the image does not know */
	uint64_t entered; /* times; roots: times begun */
	uint32_t level;   /* contexts above it; roots: 0 */
	uint8_t kind;     /* enum stack_kind */
};

enum stack_continuity { /* how a record continues the one before */
	STACK_FOLLOWS,  /* its first instruction is the next one executed */
	STACK_RESUMES, /* something was left out that comes back: keeps the frames down to the one with this function */
	STACK_UNRELATED /* nothing is known: a new root */
};

struct stack;
int stack_open(struct stack **stack, const struct image *image);
void stack_close(struct stack *stack);

/* The walk of a record at pc begins; it stands for `times` executions. */
int stack_begin(struct stack *stack, uint64_t pc, enum stack_continuity continuity, uint64_t times);
/* The next block of the record. *node is the context in which it ran, by index; the block's exit has its effect on the
 * following visit, or on the next record that follows. */
int stack_visit(struct stack *stack, const struct walk_visit *visit, uint32_t *node);

/* The contexts that were entered since this was asked the last time: between two visits there are never more than
 * STACK_ENTERED. Returns how many. */
#define STACK_ENTERED 4u
size_t stack_entered(struct stack *stack, uint32_t nodes[STACK_ENTERED]);

/* Behind the last record the instruction at pc trapped, which no record has: the next one, which follows, begins in the
 * handler. */
int stack_trap(struct stack *stack, uint64_t pc, uint64_t times);
/* Where the frames say that the return goes with which the last record ended; *trapped: a trap return, to this
 * instruction or behind it. STACK_NOWHERE: there was no return, or they cannot say, or the next record's start is where
 * one of them goes. */
#define STACK_NOWHERE 1u
uint64_t stack_return(const struct stack *stack, uint64_t start, bool *trapped);
/* The program went to pc, of which no record has anything. */
int stack_arrive(struct stack *stack, uint64_t pc, uint64_t times);

/* What the stack is between two records, as a number: from equal numbers a record does the same. Valid until
 * stack_forget(), which leaves the stack as it is. With times 0 in stack_begin() a record moves the stack and makes its
 * contexts, but counts nothing: so what a record does can be found out once and counted later. */
int stack_save(struct stack *stack, uint32_t *state);
int stack_load(struct stack *stack, uint32_t state);
void stack_forget(struct stack *stack);

const struct stack_node *stack_nodes(const struct stack *stack, size_t *count);

struct stack_counts {
	uint64_t calls, returns;
	uint64_t unmatched; /* returns to no frame: resolved by the target's function, else a new root begins */
	/* of these, those with a call on the stack, and trap returns to another function than the interrupted one, and
	 * returns past a handler that never returned:
	 * another stack (a task, a coroutine), longjmp(), an exception. Contexts may be wrong from there on. */
	uint64_t astray;
	uint64_t resumed;   /* STACK_RESUMES that found its function on the stack */
	uint64_t folded;    /* calls put to the context of an outer one */
	uint64_t forgotten; /* frames beyond STACK_FRAMES_MAX */
};
const struct stack_counts *stack_counts(const struct stack *stack);
/* sum += times * more, modulo 2^64. */
void stack_counts_add(struct stack_counts *sum, const struct stack_counts *more, uint64_t times);

/* What a record was seen to do may be counted once more without it, so many times: a context that it entered, and what
 * else it counted. */
void stack_enter_again(struct stack *stack, uint32_t node, uint64_t times);
void stack_count_again(struct stack *stack, const struct stack_counts *once, uint64_t times);
#endif
