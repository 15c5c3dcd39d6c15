/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OPTIMISE_H
#define RIVULET_OPTIMISE_H
/*
 * Hot traces made into faster code beside the program (TSH FIG. 8 steps 850 to 858, FIG. 9, claims 7 to 9).
 * Freestanding C11, no allocation: firmware and host use it unchanged.
 *
 *   records ──► weights of branches ──► traces ──► passes ──► code in the cache ──► patches in the program
 *   850         (weights.c)             (trace.c)  852         854 (emit.c)          856, undone by 858 (patch.c)
 *
 * A trace follows the likely way from its first instruction: through direct jumps, direct calls, and returns whose
 * address the trace itself has set. It is straight; every branch of it falls through on the likely way, and leaves to
 * an exit on the other. Loops are followed again and again up to `length` instructions, so they are unrolled, with the
 * test kept. An exit goes to another trace that begins there, or back to the program.
 *
 * What the program sees is what it saw before: registers, memory, return addresses. An exit first does what the trace
 * has put off (struct optimise_fix). Loads and stores keep their order and number, so devices notice nothing.
 * Instructions that trap on purpose, CSRs and fences are not taken into traces.
 *
 * A patch is one instruction of 4 bytes, a JAL, in the place of one instruction of 4 bytes: nothing is ever written
 * over two instructions, so no jump can land behind the first of them. A trace that begins with a 16-bit instruction is
 * entered from the first 32-bit instruction behind it, by a trace that leads into it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"
#include "isa/isa.h"

enum optimise_error {
	OPTIMISE_OK = 0,
	OPTIMISE_EMEMORY = -1, /* the working memory is too small for the configuration */
	OPTIMISE_ECONFIG = -2, /* cache not word aligned, or too far from the program; a length of 0 */
	OPTIMISE_ECHANGED = -3 /* the program's code is not what it was when the trace was made */
};
const char *optimise_strerror(int error);

/* Passes, each of which can be switched off. Straight layout is what a trace is; without it there is none. */
enum optimise_pass {
	OPTIMISE_UNROLL = 1 << 0,  /* follow a loop again, up to the configured length */
	OPTIMISE_INLINE = 1 << 1,  /* follow direct calls, and returns whose address is known */
	OPTIMISE_FORWARD = 1 << 2, /* additions of constants put off into offsets; constants made where they are used */
	OPTIMISE_DEAD = 1 << 3,    /* what computes nothing, or what is overwritten before it is used */
	OPTIMISE_STACK = 1 << 4,   /* loads of what this trace has just stored to or loaded from the stack */
	OPTIMISE_DIVIDE = 1 << 5,  /* a remainder beside its quotient; divisions by known powers of two */
	OPTIMISE_SLOTS = 1 << 6,   /* load-use slots filled */
	OPTIMISE_ALIGN = 1 << 7,   /* entries of traces on words */
	OPTIMISE_COMPRESS = 1 << 8,    /* 16-bit forms, also for exits that are rarely taken */
	OPTIMISE_LINK = 1 << 9,        /* exits go to other traces */
	OPTIMISE_RENAME = 1 << 10,     /* copies: one more name for the same register */
	OPTIMISE_RECIPROCAL = 1 << 11, /* divisions by a value that repeats are multiplications */
	OPTIMISE_ALL = (1 << 12) - 1
};
#define OPTIMISE_PASSES 12
extern const char *const optimise_pass_names[OPTIMISE_PASSES];

/* A piece of the program: code can be read at [base, base + size). */
struct optimise_code {
	uint32_t base, size;
	const uint8_t *bytes;
};

/* A division of the program, and the divisor that it was seen with. Places in an array, found by pc; all 0: empty. */
struct optimise_divisor {
	uint32_t pc;
	uint32_t flow;  /* how often it was met, in the profile's counts */
	uint32_t value; /* the divisor that most looks saw, if any did */
	uint32_t wrong; /* one that most divisions did not have, although it was seen: looks at it do not count */
	uint8_t asked;  /* how often it was asked for */
	uint8_t seen;   /* how often it was seen, 255: or more */
	uint8_t same;   /* how often it was, less how often others were since (Boyer and Moore's vote) */
};

struct optimise_config {
	unsigned passes;       /* enum optimise_pass */
	uint32_t cache;        /* address of the code cache, word aligned */
	uint32_t cache_size;   /* bytes */
	uint32_t length;       /* instructions after which a trace ends where another begins */
	uint32_t hot_share;    /* a trace must be met at least once in so many of the profile's traces */
	uint32_t gain_percent; /* ... and save so many percent of its cycles (cost.c), or it is left alone */
	uint32_t worth;        /* ... and its layout at least one cycle in so many counts of the profile; 0: any */
	uint32_t least_flow;   /* ... and have been met so often */
	uint32_t build_cycles; /* ... and save as many cycles for each of its instructions, all counts together */
	uint64_t least_saved;  /* cycles: if the layout of all new traces saves less, none is made */
	bool leads_pay;        /* a lead that never reaches its trace has to pay for itself: else its trace pays */
	const uint32_t *avoid; /* no trace begins at these, which did not pay (paid.h) */
	unsigned avoid_count;
	struct optimise_divisor *divisors; /* those of the profile are found here */
	uint32_t divisor_room;
	uint32_t range_start, range_end; /* code from here to below there only; both 0: everything */
	const struct optimise_code *code;
	unsigned code_count;
};

/* Of an op: it computes from rs1 and the immediate; a division; a multiplication or division. */
static inline bool optimise_immediate(unsigned op)
{
	switch (op) {
	case ISA_ADDI:
	case ISA_SLTI:
	case ISA_SLTIU:
	case ISA_XORI:
	case ISA_ORI:
	case ISA_ANDI:
	case ISA_SLLI:
	case ISA_SRLI:
	case ISA_SRAI:
		return true;
	default:
		return false;
	}
}
static inline bool optimise_division(unsigned op)
{
	return op == ISA_DIV || op == ISA_DIVU || op == ISA_REM || op == ISA_REMU;
}
static inline bool optimise_division_word(uint32_t word)
{
	return (word & 0xFE00407Fu) == 0x02004033u; /* DIV, DIVU, REM, REMU */
}
static inline bool optimise_product(unsigned op)
{
	return op == ISA_MUL || op == ISA_MULH || op == ISA_MULHSU || op == ISA_MULHU || optimise_division(op);
}

/* What is put off: done by an exit before it goes on, and by whoever shows a fault's registers to the program. */
enum optimise_fix_kind {
	FIX_ADD,  /* x[reg] += value */
	FIX_SET,  /* x[reg] = value */
	FIX_COPY, /* x[reg] = x[value] */
	FIX_SWAP, /* x[reg] and x[value] are exchanged */
	FIX_WORD, /* the division whose word is value */
	FIX_INSN  /* the program's instruction at address value, on the registers (faults only: no exit has it) */
};
struct optimise_fix {
	uint8_t kind, reg;
	uint16_t next; /* index of the next of this list; 0: the last */
	int32_t value;
};

/* An instruction of a trace. What it does is that of isa_decode() on its row, with the operands here. */
struct optimise_insn {
	uint32_t pc;     /* of the program's instruction that it stands for */
	uint32_t target; /* of an exit or a jump: the program's pc */
	uint32_t flow;   /* how often the exit is taken, in the profile's counts */
	uint32_t word;   /* as the program has it, without OPTIMISE_EDITED; of an exit: where its stub lies, bytes */
	int32_t imm;
	uint16_t fix;  /* list of fixes at its exit or fault; 0: none */
	uint16_t link; /* exits and jumps: the trace that they go to, + 1; 0: the program (see OPTIMISE_AGAIN) */
	uint16_t at;   /* emitted: offset in the cache, halfwords */
	uint8_t op, rd, rs1, rs2;
	uint8_t length;            /* bytes: of the program's, then as emitted */
	uint8_t kind, flags, size; /* enum optimise_kind; enum optimise_flag; bytes emitted */
};
enum optimise_kind {
	KIND_PLAIN, /* computes rd from rs1, rs2, imm */
	KIND_SET,   /* rd = imm: LUI, AUIPC, a link register */
	KIND_LOAD,
	KIND_STORE,
	KIND_EXIT,     /* conditional branch to target, which leaves */
	KIND_JUMP,     /* to target, the end of the trace */
	KIND_INDIRECT, /* JALR x0, the end of the trace */
	KIND_CALL,     /* these two only from decoding: a JAL that links */
	KIND_STOP      /* no trace has such an instruction */
};
enum optimise_flag {
	OPTIMISE_EDITED = 1, /* not as the program has it */
	OPTIMISE_SHORT = 2,  /* exit: 2 bytes */
	OPTIMISE_DIRECT = 4, /* exit: without a stub */
	OPTIMISE_FAR = 8,    /* exit: its target is out of reach, so it has a stub */
	OPTIMISE_LOST = 16,  /* exit: no form of it reaches its target */
	OPTIMISE_GONE = 32,  /* removed by a pass */
	OPTIMISE_START = 64, /* a record of the program begins here */
	OPTIMISE_AGAIN = 128 /* of an earlier build: its jump to the program leads to a trace of the last one */
};

/* What an instruction is, or what a trace has, that is looked for later. */
enum optimise_trait {
	TRAIT_SPECIAL =
	    1,          /* for trace.c: a transfer, a division, what writes a link register or sp, or stores a link */
	TRAIT_COPY = 2, /* of a register: rename.c */
	TRAIT_PRODUCT = 4, /* a multiplication or division */
	TRAIT_STACK = 8,   /* a load from the stack */
	TRAIT_STORE = 16
};

struct optimise_trace {
	uint32_t pc;           /* where it begins in the program */
	uint32_t flow;         /* how often it is entered, in the profile's counts */
	uint32_t first, count; /* of insns */
	uint32_t before,
	    after; /* cycles from its first to its last instruction, once, in the program and in the cache (cost.c) */
	uint32_t outside;       /* how often the program enters it, not another trace */
	uint32_t asked, failed; /* its questions for divisors since it was made, and those that another one answered */
	uint32_t end_flow;      /* how often it is left at its end */
	uint64_t saved;         /* cycles that its straight layout saves, all entries together */
	uint16_t at, size;      /* in the cache, halfwords */
	uint16_t main;          /* lead: the trace that it was made for, + 1 */
	uint16_t next;          /* the trace that lies behind it in the cache, + 1; 0: none */
	uint16_t epoch;         /* since when it is there */
	uint16_t before_it;     /* the trace from the same pc that it replaces, + 1 */
	bool root;              /* the program enters it by a patch */
	bool lead;              /* it only leads into another */
	bool old;               /* its questions fail: the program enters it no more, and another may replace it */
	bool placed;            /* it has its place in the cache's order */
	uint8_t traits;         /* enum optimise_trait of its instructions */
	uint8_t spare;          /* free instructions behind the trace, for passes that need more than there were */
};

struct optimise_patch {
	uint32_t pc, before, after; /* the instruction's word */
	uint32_t trace;
	uint16_t from, until; /* epochs: it is there from this one on, and no more from that one on; 0: there it is */
};

struct optimise_weight { /* of a conditional branch; pc == 1: empty */
	uint32_t pc, taken, fall;
};
struct optimise_seed { /* where a trace may begin */
	uint32_t pc;
	uint32_t flow;   /* how often the program came here otherwise than along a trace that there is */
	uint32_t led;    /* how often exits of traces led here */
	bool root;       /* records begin here */
	bool done;       /* a trace begins here, or cannot */
	bool divides;    /* one of these records has a division */
	uint32_t wanted; /* a trace was not worth its cost: it will be with this flow; 0: was not tried */
};
struct optimise_decoded {
	uint32_t traits;           /* enum optimise_trait */
	struct optimise_insn insn; /* pc 1: empty */
};

/* The state of one program's optimiser. Arrays lie in the memory given to optimise_init(). */
struct optimise {
	struct optimise_config config;
	struct optimise_weight *weights;
	struct optimise_seed *seeds; /* in the order in which they were met ... */
	uint16_t *seed_places;       /* ... found by pc: number + 1, 0: empty; a power of two of places */
	struct optimise_decoded *decoded;
	struct optimise_insn *insns;
	struct optimise_trace *traces;
	struct optimise_patch *patches;
	struct optimise_fix *fixes;
	uint32_t *seen; /* bit pc / 2 modulo 32 * seen_room: an instruction may have been executed there */
	uint32_t seen_room, weight_room, seed_room, seed_place_room, decoded_room, insn_room, trace_room, patch_room,
	    fix_room; /* weight_room, seed_place_room and decoded_room are powers of two */
	uint32_t weight_count, seed_count, insn_count, trace_count, patch_count, fix_count;
	uint64_t total;      /* counts of the profile */
	uint64_t promised;   /* cycles that the layout of the last build's traces saves, times the profile's counts */
	uint32_t cache_used; /* bytes */
	uint16_t head;       /* the first trace of the last build in the cache, + 1 */
	uint32_t built_traces, built_insns, built_patches,
	    built_bytes;      /* what earlier builds made: it stays as it is */
	uint32_t entries[32]; /* bit pc / 2 modulo 1024: 0: no trace begins at that pc */
	uint16_t epoch;       /* of patches and links: one more with each build and each optimise_withdraw() */
	uint16_t then;        /* optimise_translate(): in which epoch its record was made; 0: in this one */
	uint32_t walked;      /* optimise_translate() */
	uint32_t refused;     /* records that the code does not bear out */
	uint32_t unpaid;      /* traces left alone because they would not pay */
	uint32_t full;        /* traces left out because memory or cache was full */
};

/* Splits size bytes at memory among the arrays. OPTIMISE_EMEMORY: not even a trace fits. */
int optimise_init(struct optimise *optimise, const struct optimise_config *config, void *memory, size_t size);

/* One record of the profile (850): its branches are weighted, its start is a place where a trace may begin. Any start,
 * any history: what the code does not bear out is refused, which is counted. If it goes by a patch into the cache,
 * whose branches are turned or gone, it tells what the program's would have done. */
void optimise_record(struct optimise *optimise, uint32_t start, uint32_t hist, uint32_t count);
/* One that begins in the cache. */
void optimise_record_inside(struct optimise *optimise, uint32_t start, uint32_t hist, uint32_t count);

/* A division that was met so often more: its place, NULL if there is no room; one whose divisor was seen. */
struct optimise_divisor *optimise_divisor_met(const struct optimise *optimise, uint32_t pc, uint32_t count);
void optimise_divisor_seen(struct optimise_divisor *divisor, uint32_t value);
/* Is there more to see of it? Not after so many looks; but if they have told nothing they are forgotten: the program
 * may have come to something else. */
bool optimise_divisor_open(struct optimise_divisor *divisor, unsigned looks);
/* Has the division at pc one divisor that is left over from an eighth of the looks or more, when others are set off? */
bool optimise_divisor_repeats(const struct optimise *optimise, uint32_t pc, uint32_t *value);

/* Translates a record of the patched program into the records that the program without patches would have made: put()
 * gets them in order, with cycles; it may be NULL. ctrl: the CTRL register with which the record was made; bits: the
 * width of its history. Where the unit ended the record and would not have done so in the program, a part is partial
 * (reason GAP). Returns how many parts there were, at least 1 (also if the cache has not done anything of the program
 * yet); 0: the record came by no patch and not from the cache, so it is the program's already; OPTIMISE_ECHANGED: it is
 * no record of these traces. In each case optimise->walked is the cycles that the same way takes in the program, by the
 * cost model (cost.c). */
typedef void optimise_put(void *context, const struct record *part);
int optimise_translate(struct optimise *optimise, const struct record *record, uint32_t ctrl, unsigned bits,
    optimise_put *put, void *context);
/* The instructions that a trace with this start and history has in the program without patches; of one that was cut off
 * as many as it can have. 0: the program has no such trace. */
uint32_t optimise_own_insns(struct optimise *optimise, const struct record *record, uint32_t ctrl, unsigned bits);

/* The trace from pc does not pay: the patches that lead into it are no longer there, their words are the caller's to
 * put back (until == epoch). Traces that lead to it still do. Returns how many patches. */
unsigned optimise_withdraw(struct optimise *optimise, uint32_t pc);

/* Traces most of whose questions for divisors fail: how many there are, and the same with their patches taken back as
 * by optimise_withdraw(). They stay for those that lead to them, until a build replaces them. */
unsigned optimise_cooled(const struct optimise *optimise);
void optimise_cool(struct optimise *optimise);

/* The word of a patch: JAL x0 over a distance in bytes. */
uint32_t optimise_jump_word(int32_t distance);
/* Forgets which places were hot: records from here on decide that. The weights of branches and the traces stay. */
void optimise_forget(struct optimise *optimise);
/* Places that were tried, and have no trace, are to be tried again. */
void optimise_again(struct optimise *optimise);

/* Traces, passes and addresses from the records so far (850, 852). Returns how many traces there are. May be called
 * again after more records: traces are added, those that are there stay. */
int optimise_build(struct optimise *optimise);
/* What else the program has been seen to execute, before a build: a record, rare ones and those that were cut off too.
 * No patch is made where an instruction on its way begins in the middle of the patched one, or ends there: what a patch
 * overwrites is one instruction. With 1 for the history only the way to the first branch is looked at, which takes a
 * tenth of the time. */
void optimise_witness(struct optimise *optimise, uint32_t start, uint32_t hist);
/* The code that the last build made into bytes, which stand for config.cache (854). Of earlier builds only jumps to the
 * program change, where a new trace begins at their targets. */
int optimise_emit(const struct optimise *optimise, uint8_t *bytes);

/* The program's pc at an address in the cache: of the instruction that is about to execute there. 0: none. *insn may
 * be NULL; else what the fault of that instruction needs (fix). */
uint32_t optimise_pc(const struct optimise *optimise, uint32_t address, const struct optimise_insn **insn);
/* Brings the registers to what the program expects at the pc that optimise_pc() gives. */
void optimise_restore(const struct optimise *optimise, const struct optimise_insn *insn, uint32_t x[32]);

/* Takes a program that was interrupted in front of the instruction at an address of the cache out of it: the registers
 * become those that the program has at *pc. bytes: of the cache, as optimise_emit() has made them. False: no
 * program can have come there by its patches; registers and *pc are as they were. */
bool optimise_leave(
    const struct optimise *optimise, const uint8_t *bytes, uint32_t address, uint32_t x[32], uint32_t *pc);

/* The program's instruction at pc, or NULL where there is no code. Valid until the next call. */
const struct optimise_insn *optimise_decode(struct optimise *optimise, uint32_t pc);
/* Has a build decided about a trace from pc? */
bool optimise_considered(const struct optimise *optimise, uint32_t pc);
/* The trace that begins at pc, the last one of those, or NULL. */
const struct optimise_trace *optimise_trace_at(const struct optimise *optimise, uint32_t pc);
static inline uint32_t optimise_address(const struct optimise *optimise, const struct optimise_trace *trace)
{
	return optimise->config.cache + 2u * trace->at;
}
#endif
