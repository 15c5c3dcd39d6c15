/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERTER_H
#define RIVULET_INSERTER_H
/*
 * Puts abstract code into a function: what all profilers share (edges, paths, blocks, regions, cycles).
 *
 *   inserter_open() ──► inserter_variable(), inserter_local() ──► inserter_enter(), _edge(), _block(), _before(),
 *                       _after(), _leave() ──► inserter_commit() ──► inserter_close()
 *
 * A profiler asks for variables, then gives lists of codes to places. Nothing is changed before inserter_commit(); an
 * error before it leaves the function as it was.
 *
 * Places, and who executes what is there
 *
 *   enter(block)      whoever comes from outside: the caller (entry), the unwinder (landing pad). Before all others
 *   edge(edge)        whoever takes the edge of the graph; an edge that leaves is an exit (return, tail call). Code of
 *                     a block's only edge stands before its last instruction
 *   leave()           the same for every edge that leaves and comes back to no one: all but GRAPH_NO_RETURN
 *   block(block)      whoever executes the block; behind the code of enter and edges into it
 *   before(block, at) whoever executes the instruction `at` (an atom of the block), right before it: a call
 *   after(block, at)  right behind it, before the next label: a call that returned. Not behind what ends a block
 *                     otherwise: give the edges instead
 *
 * Several lists at one place are done in the order they were given.
 *
 * Variables hold one word (XLEN bits) each and live as long as one activation of the function: recursion, interrupts,
 * threads and longjmp out of it leave them alone. What they hold before they are set is undefined. Where a variable is:
 *
 *   INSERTER_FREE   a register that is dead over the function
 *   INSERTER_SAVED  a callee-saved register, saved and restored in a frame of the inserter's own, with CFI
 *   INSERTER_SLOT   a word of that frame: every use is a load, every change a store
 *
 * A word of a software stack for nested regions (push, pop) is a variable of its own for each level: INSERTER_MOVE. The
 * nesting of regions in a function is known, so no pointer is needed.
 *
 * Code may use any register that is dead at its place, and saves one on the stack where none is. It must not be put
 * between LR and SC if it stores (inserter_commit() says so).
 */
#include "host/insert/graph.h"

enum inserter_op {
	/* counters: `value` is a number of a counter, counted from the symbol given to inserter_open() */
	INSERTER_COUNT,      /* counter[value]++ */
	INSERTER_COUNT_BY,   /* counter[value] += by */
	INSERTER_COUNT_FROM, /* counter[value] += from */
	/* var = address of counter[value]; symbol: the part of an array that it is in (near.h); 0: not known */
	INSERTER_SET_COUNTER,
	INSERTER_ADD_COUNTERS,  /* var += value counters, an address */
	INSERTER_COUNT_AT,      /* *(var + value counters) += 1 */
	INSERTER_COUNT_AT_BY,   /* *(var + value counters) += by */
	INSERTER_COUNT_AT_FROM, /* *(var + value counters) += from; from must not be negative */
	/* if from: *(var + by counters) += 1; var = address of counter[value]; *(var + by counters) += from - 1. from
	 * is lost; `by` of 8 bits; symbol: as above; not atomic, not wide on RV32 */
	INSERTER_COUNT_TURNS,
	/* variables; `from` may be INSERTER_X(n) */
	INSERTER_SET,        /* var = value, of 32 bits */
	INSERTER_SET_SYMBOL, /* var = address of symbol + value */
	INSERTER_ADD,        /* var += value, of 32 bits */
	INSERTER_MOVE,       /* var = from + value, of 12 bits */
	INSERTER_ADD_FROM,   /* var += from */
	INSERTER_SUB_FROM,   /* var -= from */
	INSERTER_TAKE_FROM,  /* var = from - var */
	INSERTER_SHIFT,      /* var >>= value, logical; a negative one shifts to the left */
	INSERTER_LEND,       /* saves the program's register that is lent for var (inserter_borrow()) */
	INSERTER_GIVE_BACK,  /* loads it */
	INSERTER_READ_CSR,   /* var = CSR number `value`: cycle, instret, hpmcounter3... */
	INSERTER_SINCE_CSR,  /* var = CSR number `value` - var */
	/* memory: a word at symbol + value */
	INSERTER_LOAD,       /* var = word */
	INSERTER_STORE,      /* word = from */
	INSERTER_MEMORY_ADD, /* word += by */
	/* word += from */
	INSERTER_MEMORY_ADD_FROM,
	/* calling contexts (sw/probe/cycles.h); symbol: of the hint. var: the variable of the function's node; from: of
	 * its cycles, to which `by` (12 bits) is added first; INSERTER_NO_VARIABLE: they are `by` */
	/* var = node; arguments: the runtime's hook, the record. value: enum inserter_context; by: of
	 * inserter_entry_bytes() */
	INSERTER_CONTEXT_ENTER,
	INSERTER_CONTEXT_CALL, /* a call from site `value` */
	/* it is left; arguments: the runtime's hook for what is rare, and of a jump to another function its slot, its
	 * edge + 1. value: enum inserter_context */
	INSERTER_CONTEXT_LEAVE,
	INSERTER_CONTEXT_AGAIN, /* var = cycles as of the last call, of the node in `from` */
	/* var += value for each of bits 8, 16 and 24 that INSERTER_X(from), a dividend, reaches; for all of them if the
	 * divisor, INSERTER_X(by), is 0. XLEN 32 */
	INSERTER_ADD_BYTES,
	INSERTER_ADD_BYTES_SIGNED, /* of the dividend's magnitude */
	/* if the word at symbol is not 0: to arguments[0], an address of code, as if it had been called instead. Of the
	 * entry alone, where a register is free (versions.h) */
	INSERTER_SWITCH,
	/* symbol(arguments): a function of the runtime, by the C calling convention. What is live is saved. It must not
	 * use floating-point registers. The result goes to var, unless that is INSERTER_NO_VARIABLE */
	INSERTER_CALL,
	/* the same for a small function in assembler: it is called by t0, has its arguments in t1 to t4, changes t0 to
	 * t5 only, and has its result in t1. ra and sp are the program's (sp: with the inserter's frame, if there is
	 * one) */
	INSERTER_HOOK,
	/* The same of a function that counts in a hash table (sw/probe/probe.h), arguments: number, table. `value` is
	 * added to a number that is a variable. It is called only if the slot of the number has another path. Third
	 * argument, for the code alone: the address of the table's slots; of the slot, if the number is a constant.
	 * Gives no result. `by`: if the variable is even, *(var + value counters) += 1 instead; else its bits above
	 * those of a counter's bytes, and the fourth argument, are the number */
	INSERTER_BUCKET,
	/* ra goes to the stack, which grows by 16 bytes: before a call that does not return (inserter_keep_return()) */
	INSERTER_KEEP_RETURN,
	INSERTER_OPS
};

enum inserter_context {
	INSERTER_CONTEXT_LEAF = 1, /* it calls nobody: `now` and the hint are as they were */
	INSERTER_CONTEXT_JUMP = 2, /* by a jump to another function */
	INSERTER_CONTEXT_SAME = 4  /* all calls take the same: only their number counts */
};

#define INSERTER_NO_VARIABLE 0xFFu
#define INSERTER_X(n) (0x80u + (n)) /* integer register n of the program, to be read; x2 as it is for the program */

enum inserter_argument_kind {
	INSERTER_CONSTANT, /* value, of 32 bits */
	INSERTER_ADDRESS,  /* of symbol + value */
	INSERTER_VARIABLE  /* value: a variable or INSERTER_X(n) */
};
struct inserter_argument {
	uint8_t kind;
	uint32_t symbol;
	int64_t value;
};
#define INSERTER_ARGUMENTS 4
#define INSERTER_SLOTS 256u /* of a hash table: two words each, the path and its count */

struct inserter_code {
	uint8_t op;
	uint8_t var, from; /* variables */
	int64_t value;
	int64_t by;
	uint32_t symbol; /* of the object; inserter_symbol() makes one for a name of the runtime */
	uint8_t argument_count;
	struct inserter_argument arguments[INSERTER_ARGUMENTS];
};

enum inserter_kind { /* what a variable is in */
	INSERTER_NO_REGISTER,
	INSERTER_FREE,
	INSERTER_SAVED,
	INSERTER_SLOT,
	INSERTER_LOCAL, /* a register that is dead over some blocks */
	INSERTER_KINDS
};

/* What edit_apply() makes known: for each object one, zero at first. */
struct inserter_entries {
	struct inserter_entry { /* tables whose entries must name a stub */
		uint32_t section;
		size_t reloc;
		uint32_t piece;
	} * entries;
	size_t count, size;
	uint64_t instructions, spilled; /* put in all; places without enough dead registers */
	/* by section: atoms that nothing falls into, in order, found when the first stub needs a place there */
	const struct graph *quiet_of;
	struct inserter_quiet {
		uint32_t *atoms; /* NULL: not looked for yet */
		size_t count;
	} * quiet;
	size_t quiet_sections;
};

/* edit_word's tag: the address of a counter for variables, which may be another one by as much as the profiler adds */
#define INSERTER_TAG_ARRAY 1u
#define INSERTER_TAG_PARTS 254u /* INSERTER_TAG_ARRAY + n: of part n of the array, n from 1 to this */

struct inserter_target { /* of one object */
	const struct graph *graph;
	uint32_t counters; /* symbol of the counters */
	uint32_t thread;   /* symbol of the thread's distance from there, thread-local; 0: none */
	unsigned width;    /* bytes of a counter: 4 or 8; 8 on RV32: 64 bits, low word first */
	bool even;         /* code comes in multiples of 4 bytes: the object's own has no compressed instructions */
	bool atomic;       /* counters by AMOADD (A extension); not with 8 on RV32 */
	bool in_order; /* no instruction of the program comes between those that are put at one place (schedule.c) */
	struct inserter_entries *entries;
};

struct inserter;
/* For one function (index in graph->functions). */
int inserter_open(struct inserter **inserter, const struct inserter_target *target, size_t function);
void inserter_close(struct inserter *inserter);

#define INSERTER_VARIABLES 16
/* A variable over the whole function: its number (0 ..), OBJECT_ENOMEM, or OBJECT_EUNSUPPORTED with a reason: the stack
 * frame of the function is such that nothing can be put into it. The first ones asked for get the best registers. */
int inserter_variable(struct inserter *inserter, const char **reason);
/* The same, but only if it is in a register. */
int inserter_register(struct inserter *inserter);
/* A word of the inserter's frame, if it has one already: for what is seldom used. OBJECT_EUNSUPPORTED. */
int inserter_word(struct inserter *inserter);
/* Whether there is a call, or an instruction that leaves the program for a while, in a set of blocks. */
bool inserter_calls(const struct inserter *inserter, const bool *inside);
/* A variable that holds from the edges into a set of blocks (by block, counted from the function's first) until the
 * edges out of it, in a register that is dead there: set it by codes on the edges into the set (and enter), use it
 * inside and on the edges out of it. OBJECT_EUNSUPPORTED: there is none, use another way. */
int inserter_local(struct inserter *inserter, const bool *inside);
bool inserter_has_local(const struct inserter *inserter, const bool *inside);
/* The same in a register that is live, but that no instruction there names: its value is on the stack meanwhile. First
 * of all on each edge into the set INSERTER_LEND, last of all on each edge out of it INSERTER_GIVE_BACK. */
int inserter_borrow(struct inserter *inserter, const bool *inside);
bool inserter_borrowed(const struct inserter *inserter, int variable);
/* Bytes by which the stack pointer is lower at the code of enter(entry) than at the entry: behind __riscv_save_N. When
 * all variables are made. */
int64_t inserter_entry_bytes(const struct inserter *inserter);
enum inserter_kind inserter_kind_of(const struct inserter *inserter, int variable);
/* After inserter_commit(): a variable's register; 0: a word, with its displacement from the stack pointer at entry. */
unsigned inserter_place(const struct inserter *inserter, int variable, int64_t *displacement);

int inserter_enter(struct inserter *inserter, uint32_t block, const struct inserter_code *codes, size_t count);
int inserter_edge(struct inserter *inserter, uint32_t edge, const struct inserter_code *codes, size_t count);
/* A call that does not return may be the last thing that a function without a frame does, which then keeps ra nowhere
 * (clang): nobody could say who called it. There it is kept. */
int inserter_keep_return(struct inserter *inserter);
int inserter_block(struct inserter *inserter, uint32_t block, const struct inserter_code *codes, size_t count);
int inserter_before(
    struct inserter *inserter, uint32_t block, uint32_t atom, const struct inserter_code *codes, size_t count);
int inserter_after(
    struct inserter *inserter, uint32_t block, uint32_t atom, const struct inserter_code *codes, size_t count);

/* What an edge is expected to be worth, by edge of the function, so that the colder way gets the extra jump. NULL: all
 * the same. The array must outlive the inserter. */
void inserter_weights(struct inserter *inserter, const uint64_t *weights);
/* Puts all of it into the edit. OBJECT_EUNSUPPORTED with a reason: nothing was put. */
int inserter_commit(struct inserter *inserter, const char **reason);

/* After edit_apply(), for each object once: tables name their stubs. */
int inserter_finish(const struct graph *graph, const struct inserter_entries *entries);
/* Frees the places for stubs. */
void commit_forget_places(struct inserter_entries *entries);
/* A symbol of the runtime, undefined here; the same one for the same name. */
int inserter_symbol(struct object *object, const char *name, uint32_t *symbol);
#endif
