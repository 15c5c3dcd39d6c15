/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERTER_PRIVATE_H
#define RIVULET_INSERTER_PRIVATE_H
/* Shared by inserter.c (requests), variables.c and frame.c (where variables are), code.c (codes into instructions),
 * schedule.c (their order) and commit.c (instructions at their places) only. */
#include "host/insert/inserter.h"
#include "host/insert/values.h"
#include "isa/isa.h"

struct request {
	struct inserter_code *codes;
	size_t count;
};
struct request_at { /* before or after an instruction */
	uint32_t block, atom;
	bool after;
	struct request request;
};

struct patch { /* a load or store of an argument on the stack, in a function with a larger frame */
	struct edit_atom *atom;
	uint32_t word; /* instead */
};

struct variable {
	uint8_t kind; /* enum inserter_kind */
	uint8_t reg;
	uint32_t
	    at; /* SAVED: of its old value, SLOT: of itself, in the frame; LOCAL: of the register's value if `lent` */
	bool *inside; /* LOCAL: blocks */
	bool lent;    /* LOCAL: live, but not used in these blocks */
};

struct inserter {
	const struct graph *g;
	const struct graph_function *f;
	struct edit *e;
	uint32_t counters, thread;
	unsigned width, set, word; /* word: XLEN / 8 */
	bool compressed, atomic, even, in_order;
	struct variable variables[INSERTER_VARIABLES];
	unsigned variable_count;
	uint32_t held;                           /* registers of variables over the whole function */
	uint32_t spare;                          /* of these, those that are scratch registers (scratch.c) */
	struct request *edges, *enters, *starts; /* by edge, block, block: counted from the function's first */
	struct request_at *instants;
	size_t instant_count;
	const uint64_t *weights;
	uint32_t *inside; /* by block: piece + 1, the label for those inside */
	uint64_t *into;   /* by block: the weights of all edges to it */
	struct inserter_entries *entries;
	uint64_t instructions, spilled;
	const char *reason;
	/* the frame */
	bool frame;       /* there is one */
	bool frame_known; /* frame_find() was done, with this result */
	int frame_error;
	uint32_t frame_words;  /* in use */
	int slots;             /* 1: words of it can be reached everywhere, -1: not, 0: not asked yet */
	struct values *states; /* at the start of each block */
	struct patch *patches;
	size_t patch_count, patch_size;
	int64_t millicode_bytes; /* of -msave-restore, above the frame */
	bool behind;             /* what is for the entry goes behind its first instruction, which saves registers */
};

static inline uint32_t frame_bytes(const struct inserter *in)
{
	return in->frame ? (in->frame_words * in->word + 15u) / 16 * 16 : 0;
}

/* ---- frame.c ---- */
/* Whether a frame can be put between the caller's and the function's; once. */
int frame_find(struct inserter *in);
/* Whether the stack pointer, or a frame pointer, is known wherever code may be. */
int frame_slots(struct inserter *in);
/* The register and displacement by which a word of the frame is reached before an atom of a block (GRAPH_NONE: at its
 * start). */
unsigned frame_base(const struct inserter *in, uint32_t block, uint32_t atom, uint32_t at, int32_t *displacement);
/* Words of the frame that are not in use, when all variables are made. */
unsigned frame_padding(struct inserter *in);
/* The callee-saved registers whose old values are on the stack at a block's start, after frame_slots(). */
uint32_t frame_saved(const struct inserter *in, uint32_t block);
/* Changes loads and stores of arguments on the stack; when it is sure that there will be a frame. */
int frame_patch(struct inserter *in);

/* ---- words.c ---- */
#define WORDS_MAX 512
#define WORDS_NONE 32u /* no register */
#define SCRATCH_MAX 4
#define HOOK_CHANGES 0x700000E0u /* t0 to t2, t3 to t5 */
struct words {
	const struct inserter *in;
	struct edit_word *w;
	size_t count, size;
	uint64_t heat; /* how often it is expected to be executed */
	uint8_t array; /* words that name counters are of an array's address: INSERTER_TAG_ARRAY, with its part; or 0 */
	bool full;     /* too much, or something cannot be encoded */
	uint32_t scratch[SCRATCH_MAX];
	unsigned scratch_count;
	uint32_t block, atom;          /* where it stands, for the frame */
	uint32_t to;                   /* the other block of an edge, or GRAPH_NONE */
	int32_t pushed;                /* bytes that sp is lower meanwhile */
	uint32_t saved_low, saved[32]; /* registers on the stack: mask, displacement */
};
void words_init(struct words *o, const struct inserter *in, uint32_t block, uint32_t atom);
void words_free(struct words *o);
struct edit_word *words_put(struct words *o, enum isa_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm);
/* At full length: its immediate is the linker's. */
struct edit_word *words_open(struct words *o, enum isa_op op, unsigned rd, unsigned rs1, unsigned rs2);
/* To a multiple of 4 bytes, where the object's own code stands on such. */
void words_even(struct words *o);
/* An address, a constant of 32 bits; rd = rs + value, with another register for a large one. */
void words_address(struct words *o, unsigned rd, uint32_t symbol, int64_t addend);
void words_constant(struct words *o, unsigned rd, int64_t value);
void words_add(struct words *o, unsigned rd, unsigned rs, int64_t value, unsigned scratch);
/* The upper part of an address: index of the word. The lower one, in a word that is open. A word at a symbol. */
size_t words_high(struct words *o, unsigned rd, uint32_t symbol, int64_t addend);
void words_low(struct words *o, struct edit_word *w, size_t high, bool store, uint32_t symbol, int64_t addend);
void words_word_at(struct words *o, uint32_t symbol, bool store, unsigned reg, unsigned address);
/* The register of a variable, or scratch with it; the one in which it is computed, and the end of that. Loads or stores
 * the variable's word of the frame. */
unsigned words_get(struct words *o, unsigned v, unsigned scratch);
unsigned words_target(const struct words *o, unsigned v, unsigned scratch);
void words_set(struct words *o, unsigned v, unsigned reg);
void words_slot(struct words *o, unsigned v, bool store, unsigned reg);
/* The stack pointer, for a while; the unwind entry says so. */
void words_stack(struct words *o, int32_t by);
/* A call by a link register; of a hook, for code that makes its own arguments. */
void words_call(struct words *o, unsigned link, uint32_t symbol);
void words_hook(struct words *o, uint32_t symbol);
static inline enum isa_op load_op(const struct inserter *in)
{
	return in->word == 8 ? ISA_LD : ISA_LW;
}

static inline enum isa_op store_op(const struct inserter *in)
{
	return in->word == 8 ? ISA_SD : ISA_SW;
}

static inline bool fits_twelve_bits(int64_t value)
{
	return value >= -2048 && value < 2048;
}

static inline bool in_register(const struct inserter *in, unsigned v)
{
	return v >= INSERTER_X(0) || in->variables[v].kind != INSERTER_SLOT;
}

/* ---- code.c ---- */
/* Scratch registers that a code needs; the value of `from`, if it is not in a register, is in the last of them. */
unsigned words_need(const struct inserter *in, const struct inserter_code *c);
/* Whether an operation (enum inserter_op) reads its `from`. */
bool words_read_from(unsigned op);
/* All codes of a place, where these registers are live. */
void words_codes(struct words *o, const struct inserter_code *codes, size_t count, uint32_t live);
/* ---- scratch.c ---- */
/* Scratch registers of a place, in o->scratch: first those that may be used as they are, then `spilled` ones that are
 * live and have to be saved. read: registers that the codes read by their own names. */
struct scratch_found {
	unsigned found, spilled;
	uint32_t read;
};
void scratch_find(
    struct words *o, const struct inserter_code *codes, size_t count, uint32_t live, struct scratch_found *found);
/*
 * A register of the function's own, where no register is dead at hot places: saved once for each call, instead of a
 * live one at each place.
 *
 *	addi sp, sp, -16            sw s4, 12(sp)      where the function begins
 *	sw   a5, 0(sp)
 *	lw   a5, counter            lw s4, counter     in its loop
 *	addi a5, a5, 1              addi s4, s4, 1
 *	sw   a5, counter            sw s4, counter
 *	lw   a5, 0(sp)
 *	addi sp, sp, 16             lw s4, 12(sp)      where it ends
 *
 * When all codes are known. check: whether a frame may be put. Errors: OBJECT_ENOMEM.
 */
#define SPARES_MAX 2
int scratch_spare(struct inserter *in, int (*check)(struct inserter *));
/* ---- code_counters.c: s: scratch registers ---- */
/* counter[value] += by, or += register `from` (WORDS_NONE: by); by a variable that holds an address. */
void counter_add(struct words *o, int64_t value, int64_t by, unsigned from, const uint32_t *s);
void counter_add_by(struct words *o, unsigned v, int64_t value, int64_t by, unsigned from, const uint32_t *s);
void counter_array(struct words *o, unsigned reg, int64_t bytes, uint32_t part);
void counter_turns(struct words *o, const struct inserter_code *c, unsigned from, const uint32_t *scratch);
void counter_memory(struct words *o, const struct inserter_code *c, unsigned from, const uint32_t *s);
void counter_thread(struct words *o, unsigned reg, unsigned scratch);
/* ---- code_context.c ---- */
unsigned context_needs(const struct inserter *in, const struct inserter_code *c);
void context_put(struct words *o, const struct inserter_code *c, uint32_t live);
/* A function of the runtime is called; what is live is saved. */
void words_runtime_call(struct words *o, const struct inserter_code *c, uint32_t live);
/* ---- code_bucket.c ---- */
void bucket_put(struct words *o, const struct inserter_code *c, uint32_t live);
/* reg has a path's number as the path register has it (INSERTER_BUCKET); to: as the table has it. scratch: for a sum
 * that no instruction has room for. */
void bucket_number(struct words *o, const struct inserter_code *c, unsigned to, unsigned reg, unsigned scratch);
/* Whether both are the same, and in a register. */
bool bucket_at_hand(const struct inserter *in, const struct inserter_code *c);
/* ---- code_switch.c: to the other version of the function ---- */
void switch_put(struct words *o, const struct inserter_code *c);
/* The frame's begin or end. */
void words_frame(struct words *o, bool begin);

/* ---- schedule.c ---- */
/* So that as few as can be wait for what the one before loads: by another order of the words at one place. */
void schedule_words(struct words *o);
/* By an instruction of the program between them: when all words of the function are put. */
int schedule_function(struct inserter *in);

/* ---- variables.c ---- */
/* Registers of local variables that are in use in a block, or on an edge. */
uint32_t inserter_held(const struct inserter *in, uint32_t block, uint32_t to);
#endif
