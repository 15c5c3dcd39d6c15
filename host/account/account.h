/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ACCOUNT_H
#define RIVULET_ACCOUNT_H
/*
 * From a profile to accounts: how often each executed instruction ran and how many cycles it took, and the same by
 * basic block, function, inlined function, source line, conditional branch and call.
 *
 *   image, walk, profile ──► account_make() ──► tables, each sorted by its key, all numbers integers
 *
 * Everything is in units of what the profile counted: a sampled profile with period P stands for P times as much.
 * What cannot be followed is no part of any table but is counted in `unaccounted`, so that always
 *
 *   all.count  = accounted.count  + unaccounted.count            (traces)
 *   all.cycles = accounted.cycles + unaccounted.cycles
 *   accounted.cycles = sum of insns[].cycles = of blocks[] = of functions[].self = of lines[] = of inlined[]
 *   accounted.insns  = the same sums of instructions
 *
 * Cycles. An entry gives the cycles of `timed` of its `count` traces. Its cycles are that sum times count / timed,
 * rounded to the nearest integer once. They are split between the instructions of the path by the rules of the core
 * (host/cycles/split.h): exact where these leave nothing open. A trace of which a part is unknown (an unknown jump
 * target) has its cycles shared with the unknown part by instructions; if its length is unknown too, its instructions
 * are counted and its cycles are unaccounted.
 *
 * Calls are seen within a trace only. What a call cost, and the inclusive numbers of a function, are therefore "at
 * least": what the same trace shows between the call and the return or the end of the trace. From a record stream in
 * order they are exact: calls_take() of host/export/calls.h puts those numbers here.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/image/image.h"
#include "host/profile/profile.h"
#include "host/walk/walk.h"

struct core; /* host/cycles/core.h */

enum account_error { ACCOUNT_OK = 0, ACCOUNT_ENOMEM = -1, ACCOUNT_EOVERFLOW = -2 /* a sum passes 64 bits */ };
const char *account_strerror(int error);

enum account_weights {
	ACCOUNT_BY_COST, /* the rules of the core */
	ACCOUNT_EQUAL    /* each instruction the same */
};

#define ACCOUNT_NONE UINT32_MAX    /* no row */
#define ACCOUNT_NOWHERE UINT64_MAX /* no address */

struct account_sum {
	uint64_t count;           /* executions: what that is, each table says */
	uint64_t insns, cycles;   /* instructions executed in it, their cycles */
	double squares, products; /* over the traces, for the errors: sum of x * x, of x * y; x of this row, y of all */
};

struct account_insn { /* an instruction that was executed; by pc */
	uint64_t pc;
	uint16_t class_bits; /* enum isa_class */
	uint8_t length;
	uint32_t function, block, line, inlined; /* rows; line and inlined may be ACCOUNT_NONE */
	uint64_t count, cycles;
	uint64_t taken;   /* conditional branch: of the count, so often it was taken */
	uint64_t unknown; /* ... so often it is not known which way it went */
};

struct account_branch { /* a conditional branch that was executed; by pc */
	uint64_t pc, target;
	uint32_t function;
	uint64_t taken, not_taken;
};

enum account_call_kind {
	ACCOUNT_CALL,      /* JAL or JALR with link */
	ACCOUNT_TAIL_CALL, /* jump or branch from one function to the first instruction of another */
	ACCOUNT_TRAP_CALL  /* a handler, where the interrupted code goes on: exact calls only */
};
struct account_call { /* by pc; a call whose target is not in the code has one row, without callee */
	uint64_t pc;
	uint32_t function;   /* of the caller */
	uint64_t callee;     /* address of its first instruction; ACCOUNT_NOWHERE: not known (indirect) */
	uint32_t callee_row; /* in functions; ACCOUNT_NONE: no execution of it was seen */
	uint8_t kind;
	uint64_t count;
	uint64_t insns, cycles; /* in the callee and what it calls: at least (see above); recursion counts once */
	uint64_t least, most;   /* account->extremes: cycles of one call, with what it calls */
};

enum account_exit { /* how a block ends */
	ACCOUNT_FALLS,
	ACCOUNT_BRANCHES,
	ACCOUNT_JUMPS,
	ACCOUNT_CALLS,
	ACCOUNT_RETURNS,
	ACCOUNT_GOES_INDIRECT, /* indirect jump that is no return, trap return */
};
struct account_block {              /* executed code without a way in or out inside; by start */
	uint64_t start, next, last; /* first address, the one behind it, address of the last instruction */
	uint32_t insn, insn_count;  /* rows in insns */
	uint32_t function;
	uint8_t exit;
	struct account_sum sum; /* count: executions of its first instruction */
};

struct account_function { /* what the symbol table calls a function; by start */
	const char *name; /* NULL: no symbol, start is then that of the first executed instruction of its gap */
	uint64_t start;
	const char *file; /* of its lowest executed instruction with a line that is not inlined; may be NULL, 0 */
	unsigned line;
	struct account_sum self; /* code inlined into it included; count: executions of the instruction at start */
	uint64_t inclusive_insns, inclusive_cycles; /* with what it calls: at least */
	uint64_t callers;                           /* calls and tail calls to it that were seen */
	uint64_t begun;                             /* counted_calls: how often it was called, also by a register */
	/* exact_calls: */
	uint64_t calls, recursive; /* calls of it; of these, while it was on the stack */
	uint64_t least, most;      /* account->extremes: own cycles of one call */
	uint32_t depth;            /* most of its frames on the stack at a time */
};

struct account_line { /* by file, line */
	const char *file;
	unsigned line;
	uint32_t function;      /* of its instruction with the lowest address */
	struct account_sum sum; /* count: that of its most executed instruction */
};

struct account_inlined { /* code by the function that it was written in; by name, function */
	const char *name;
	uint32_t function;      /* row of the function that it stands in */
	bool inlined;           /* false: the function's own code */
	struct account_sum sum; /* count: that of its most executed instruction */
};

struct account_path { /* what one activation of a function ran in a trace (paths.c); in order of appearance */
	uint32_t function;
	uint32_t at, length;    /* instructions: rows in insns are path_insns[at ..] */
	struct account_sum sum; /* count: times */
};

struct account_unaccounted {
	uint64_t paths, count, cycles; /* entries, their traces; cycles of the part that is not accounted */
	uint64_t insns;                /* of the traces that cannot be followed, as far as they say it */
};

struct account {
	bool timed; /* there are cycles; the measure of the errors is then cycles, else instructions */
	struct account_sum all, accounted;      /* count: traces */
	struct account_unaccounted unaccounted; /* cannot be followed: count, cycles; and cycles of the next */
	struct account_unaccounted cut;         /* known in part: the traces count as accounted */
	uint64_t errors[16];                    /* unaccounted.count by - enum walk_error */
	uint64_t untimed;                       /* traces whose cycles are those of others on their path */
	uint64_t unmeasured;                    /* traces of paths without any cycles: they count as 0 */
	size_t entries;                         /* of the profile */
	struct account_insn *insns;
	size_t insn_count;
	struct account_branch *branches;
	size_t branch_count;
	struct account_call *calls;
	size_t call_count;
	struct account_block *blocks;
	size_t block_count;
	struct account_function *functions;
	size_t function_count;
	struct account_line *lines; /* empty without image_debug() */
	size_t line_count;
	struct account_inlined *inlined;
	size_t inlined_count;
	struct account_path *paths;
	size_t path_count;
	uint32_t *path_insns;
	struct account_sum lineless; /* instructions without a line, so that lines[] and this make the whole */
	/* sampling */
	uint64_t shared_cycles; /* exact_calls: of the accounted, those that the core's rules leave open (gather.h) */
	bool extremes;          /* calls have their least and most cycles */
	bool exact_calls;       /* calls and inclusive numbers are exact (host/export/calls.h), not "at least" */
	bool counted_calls;     /* inclusive numbers and costs of calls follow from counted calls (inclusive.h) */
	bool sampled;           /* the profile is a sample: errors are not 0 */
	double weight;          /* what one sample counts, on average: more than 1 for way timer, which weighs them
				   (docs/firmware.md) */
	double period; /* what one trace of the profile stands for: 1 for a complete profile, and if not known */
};

/* How the walk for this profile is opened. Without header: 32 bits of history, all ends on. */
void account_walk_config(const struct profile *profile, struct walk_config *config);
/* Makes all tables. walk: for image and profile. core: NULL is the one of this project. Names and files belong to the
 * image. On an error *account is NULL. */
int account_make(struct account **account, const struct image *image, struct walk *walk, const struct profile *profile,
    enum account_weights weights, const struct core *core);
void account_free(struct account *account);

/* The place in insns of the first instruction from pc on that was executed; insn_count: there is none. */
size_t account_from(const struct account *account, uint64_t pc);
/* The row of the instruction at pc in insns, or NULL: it was not executed. */
const struct account_insn *account_find(const struct account *account, uint64_t pc);

/* The measure (cycles, or instructions without them) of a sum, and its share of all, 0 to 1. */
uint64_t account_measure(const struct account *account, const struct account_sum *sum);
double account_share(const struct account *account, const struct account_sum *sum);
/* Standard error of account_share(), 0 if the profile is complete, 1 if one sample says nothing. The traces are taken
 * as drawn at random: a ratio of two sums over n samples, var = (1 - 1/P) n / (n-1) sum((x - R y)^2) / sum(y)^2. What
 * the cycles of one path vary by is not in it: the profile has their mean only. */
double account_share_error(const struct account *account, const struct account_sum *sum);
/* The measure of the whole run: times the period, and its standard error. */
double account_total(const struct account *account, const struct account_sum *sum);
double account_total_error(const struct account *account, const struct account_sum *sum);
/* Standard error of count of all traces, as a share (for paths): sqrt((1 - 1/P) p (1 - p) / (n - 1)). */
double account_count_error(const struct account *account, uint64_t count);
#endif
