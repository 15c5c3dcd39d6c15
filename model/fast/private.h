/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FAST_PRIVATE_H
#define RIVULET_FAST_PRIVATE_H
/*
 * The engine's state, shared by its parts: block.c (translation), timing.c (cycles of a block), engine.c (execution),
 * state.c (to and from the golden model), paths.c (traces), fast.c (the run).
 *
 * Time. N is the number of the clock cycle behind the one in which the last instruction executed completed in X. A
 * block is entered at N, and knows for each of its instructions in which cycle after N it is first in X, because it is
 * translated for one state of the fetch buffer at its entry. Only a division takes longer than the block knows; what it
 * takes more is added to N when it is executed.
 */
#include "common/sizes.h"
#include "model/fast/fast.h"
#include "model/private.h"

/* What the fetch stage holds in the first cycle of an instruction in X (docs/core.md sections 2 and 3). */
struct fetch_state {
	uint8_t words;    /* of A and B, 0 to 2 */
	uint8_t inflight; /* a word is on its way */
};
/* State at the entry of a block, as a number. 0: the fetch was redirected to it. */
#define ENTRY_REDIRECT 0u
#define ENTRY(fetch, lduse, gap)                                                                                       \
	(1u + ((fetch).words | (unsigned)(fetch).inflight << 2 | (unsigned)(lduse) << 3 | (gap) << 4))

/* A translated instruction. `go` is the place in engine.c that executes it. */
struct op {
	const void *go;
	uint8_t rd, rs1, rs2, x;
	uint32_t imm;
};
/* In front of a block's first op: x = H - 1 less its branches, imm = its cycles at most, info.pc its pc. */

struct op_info { /* of the op with the same index */
	uint32_t pc;
	uint16_t t;     /* first cycle in X, less N at the block's entry */
	uint16_t insns; /* of the block, before it */
	uint8_t bits;   /* conditional branches of the block before it, none of them taken */
	uint8_t words;  /* struct fetch_state */
	uint8_t inflight, lduse;
	uint8_t gap;     /* cycles in which X was empty before it */
	uint8_t entry;   /* in front of a block: the state that it is for */
	uint8_t context; /* in front of a block */
};

struct path {          /* what every record looks at stands first, in one line of a cache mostly */
	uint64_t hist; /* 0: empty */
	uint64_t form; /* path_form() of the records that have its key; 0: it has none */
	uint32_t start;
	uint32_t tag;     /* its cycles, where paths that differ in them alone are told apart */
	uint32_t usual;   /* cycles of the key */
	uint16_t key;     /* of order_records */
	uint8_t variants; /* so many keys it has had for the same form */
	uint8_t reason;
	uint32_t insns;
	uint64_t count, cycles;
};
struct exit {                   /* a way out of a block */
	const struct op *code;  /* where it leads; the op `unlinked` until that is known */
	uint32_t target;        /* its pc */
	uint32_t link;          /* of an indirect jump: what it writes to rd */
	uint16_t cycles, insns; /* of the block up to here */
	uint16_t key;           /* of the record that it ends, or KEY_UNKNOWN and so on */
	uint8_t entry;          /* state at the target */
	uint8_t shift, bit;     /* outcomes since the block's entry: shift of them, the last is bit, the others 0 */
	uint8_t reason;         /* of the end of a trace, or TRACE_NONE */
	uint8_t behind;         /* so many instructions into the trace, where that is known */
	bool early;             /* of a trace's first branch, or of its first EARLY_INSNS instructions */
	uint8_t tries, round;   /* so often its last record was another one, in this round of keys */
};
/* The last record of an exit that ends several traces, if its path was not found. Where each way ends at a place of its
 * own, it is the same each time, however many ways there are. */
struct exit_last {
	uint64_t hist; /* 0: none */
	uint32_t start, cycles, insns;
	uint16_t key; /* if the exit has KEY_LAST */
};

enum leave {           /* why engine_execute() came back; f->op is the op that has not been done */
	LEAVE_SLOW,    /* it is for the golden model */
	LEAVE_MEMORY,  /* its access lies outside of the windows, or in code */
	LEAVE_LINK,    /* f->exit leads to a block that is not linked */
	LEAVE_LIMIT,   /* f->exit was taken and N has reached the limit */
	LEAVE_FULL,    /* f->exit was taken, and the history has no room for the block behind it */
	LEAVE_INDIRECT /* an indirect jump to f->target, which the cache does not have; f->exit was taken */
};

/* Ops of engine.c that are not named as an instruction. */
enum op_kind {
	OP_NONE = ISA_OP_COUNT, /* nothing: its cycles are in the block's */
	OP_SLOW,
	OP_HEAD, /* in front of a block */
	OP_UNLINKED,
	OP_LI,
	OP_MV,
	OP_FALL,
	OP_JUMP,
	/* with traces: */
	OP_T_BEQ,
	OP_T_BNE,
	OP_T_BLT,
	OP_T_BGE,
	OP_T_BLTU,
	OP_T_BGEU,
	OP_T_FALL,
	OP_T_JUMP,
	OP_T_JALR,
	OP_COUNT
};

enum { MEMORY_LOAD, MEMORY_STORE, MEMORY_OTHER, WINDOWS = 2 * MEMORY_OTHER }; /* OTHER: + 0 or 1, beside the RAM */
struct window {               /* offsets in RAM for which accesses need not be looked at */
	uint32_t first, size; /* multiples of 4 */
};

#define OPS_MAX SIZED(1u << 18, 1u << 10)
#define EXITS_MAX SIZED(1u << 17, 1u << 9)
#define BLOCKS_BITS SIZED(16, 6)
#define BLOCK_INSNS 64        /* in one block at most */
#define BLOCK_CYCLES 3000     /* it takes fewer */
#define LINE_BITS 6           /* code is remembered by lines of 64 bytes */
#define JUMPS SIZED(2048, 16) /* indirect jumps remembered, for each context */
#define BREAKS_MAX SIZED(256, 8)
#define WATCHES_MAX 16

/* The key of a record is known where an exit ends the same trace each time, by the way that led to it: blocks are
 * translated apart for the beginning of a trace and for each way from there (a node), as long as they are few or early:
 * of these there are only some times as many as the code has instructions. Others are translated once (NODE_ANY).
 *
 *	1:	bltz	a0, 8f		early: the way to 8,
 *		bltz	a1, 9f		the way to 9,
 *		j	2f		and this one to 2
 *	2:	...			ways from here on: as long as there are fewer than NODES_MAX
 */
#define KEY_UNKNOWN 0xFFFCu /* always the same one, but it has not been looked up */
#define KEY_SEEN 0xFFFDu    /* the same, and there was one */
#define KEY_VARIES 0xFFFEu
#define KEY_LAST 0xFFFFu /* it varies, and the last one is remembered: struct exit_last */
#define NODE_ANY 0u
#define NODE_BEGIN 1u /* the one of the block's address */
#define NODES_MAX SIZED(512u, 12u)
#define NODES_EARLY_MAX SIZED(16384u, 24u) /* with early ones */
#define EARLY_INSNS 3u
#define BEHIND_UNKNOWN UINT8_MAX

/* What a block is translated for, besides its entry and node: mode (1: M) and traced (2). */
#define CONTEXT_MACHINE 1u
#define CONTEXT_TRACED 2u
#define CONTEXTS 4u

struct jump {
	uint32_t pc;
	const struct op *code;
};

enum trace_state { TRACES_NONE, TRACES_FROZEN, TRACES_ON }; /* what code does to the trace unit */

struct fast {
	struct model *model;
	struct fast_options options;
	/* execution */
	uint32_t r[33]; /* [32] takes what is written to x0 */
	uint64_t n;     /* N of the current block */
	uint64_t insns; /* executed by the engine since the model was left, up to the current block */
	uint64_t limit, deadline;
	const struct op *op;
	struct exit *exit;
	uint32_t target;
	struct window window[WINDOWS];
	uint8_t *ram;
	uint32_t ram_base;
	uint8_t *lines; /* 1: translated code lies in it; 2: always for the golden model */
	/* the current trace (trace_state TRACES_ON) */
	uint64_t hist, trace_n, trace_insns, records;
	uint64_t records_to; /* so many, then it is left: the sampling counter takes the next; UINT64_MAX: no limit */
	bool thinned;        /* the sampling counter drops them: they are counted, and that is all */
	bool tabled;         /* the unit's table counts them; those that it throws something out for are the model's */
	bool keeps_newest;   /* LIFO: the last ones are in the buffer when it is left */
	bool plain;          /* none of these four */
	bool counted;        /* in the paths; else the order is all that is wanted */
	uint32_t tag_mask;   /* of cycles: 0 if counted, else all bits */
	bool apart;          /* the next record may not be close behind the last one of the log */
	struct record kept[TRACE_MAX_DEPTH]; /* record i in slot i modulo FIFO_DEPTH */
	uint32_t start, last_start;          /* of the trace before it; if there are records */
	uint64_t cycles_max;
	/* translation */
	const void *const *places; /* of the op kinds in engine.c */
	struct op *ops;
	struct op_info *infos;
	struct exit *exits;
	uint32_t op_count, exit_count, block_count;
	struct block_slot {
		uint64_t key; /* 0: empty */
		uint32_t op;
	} * slots;
	struct op unlinked[2];
	struct jump jumps[CONTEXTS][JUMPS];
	unsigned context;
	uint32_t ctrl;  /* of the trace unit, that the blocks are for */
	struct pmp pmp; /* that they are for */
	bool dirty;     /* code was written */
	unsigned node_count;
	/* paths */
	struct path *paths;
	uint64_t path_mask, path_count;
	bool path_failed;
	enum trace_state traces;
	/* records in order (options.order), order.c: those that have not been given away yet */
	uint16_t *log; /* their keys; NULL: not wanted */
	size_t log_count;
	uint64_t log_begin; /* when the record before them left */
	struct record_odd *odd;
	size_t odd_count;
	uint32_t log_ctrl, ctrl_seen;
	unsigned record_delay;        /* cycles from N to the one in which a record leaves by the record port */
	struct record *order_records; /* the keys, as they are given away */
	size_t key_count, once_count; /* those for one record come first */
	unsigned passed;              /* records that had a key for themselves alone, since the keys were forgotten */
	uint64_t met;                 /* records whose path was found meanwhile, at the first look */
	bool strangers;               /* hardly any was: paths are not looked for */
	uint8_t round;                /* counts how often keys were forgotten */
	bool other_keys;              /* than those of the last batch */
	uint32_t *key_exits;          /* that know their key */
	size_t key_exit_count;
	/* the run */
	uint64_t entered_n;   /* N when the model was left */
	uint64_t stay_until;  /* the model goes on until this cycle */
	unsigned debt;        /* cycles that the unit's cycle counter is still to be held at 0 */
	struct runner runner; /* used while a run lasts */
	struct fast_traced traced;
	struct fast_statistics statistics;
	uint32_t breaks[BREAKS_MAX];
	unsigned break_count;
	struct fast_watch watches[WATCHES_MAX];
	unsigned watch_count;
	bool watch_hit;
	uint32_t watch_address;
	/* translation, for records in order */
	struct exit_last *lasts;             /* of the exit with the same index; NULL: no records in order */
	unsigned nodes_most;                 /* with early ones */
	uint8_t node_insns[NODES_EARLY_MAX]; /* of the trace before it */
};

/* timing.c: the fetch stage while an instruction is in X for `cycles` cycles (the last of which is a request if memory)
 * and D then takes the next one, of next_length bytes at next_pc. Returns the empty cycles of X in between. */
unsigned timing_step(struct fetch_state *fetch, unsigned cycles, bool memory, uint32_t next_pc, unsigned next_length);
/* The same after a redirect; returns first cycle in X less N. */
unsigned timing_redirect(struct fetch_state *fetch, uint32_t pc, unsigned length);

/* block.c */
/* The block at pc for an entry state and node in the current context: its first op, translated if need be. */
const struct op *block_find(struct fast *f, uint32_t pc, unsigned entry, unsigned node);
/* The node of the block that an exit leads to. */
unsigned block_node(struct fast *f, const struct exit *exit);
void block_flush(struct fast *f);
/* The instruction at pc lies in RAM and may be executed in the mode that the model is in. */
bool block_fetchable(struct fast *f, uint32_t pc);
/* An instruction for the golden model alone. */
bool block_is_slow(const struct fast *f, const struct decoded *d, uint32_t pc);

/* engine.c */
const void *const *engine_places(void);
/* Executes from f->op on, in state f, until it leaves. */
enum leave engine_execute(struct fast *f);

/* state.c */
/* May the engine go on where the model is? */
bool state_can_enter(struct fast *f);
/* Takes the state over from the model; f->op is the block to execute. */
void state_enter(struct fast *f);
/* Gives it back: f->op is the op whose instruction is then first in X. */
void state_leave(struct fast *f);
/* The same where no block is: the fetch has been redirected to pc. */
void state_leave_redirect(struct fast *f, uint32_t pc);
/* Completes what is in W, so that all registers are right; of the state that state_drained() is true for. */
bool state_drained(const struct fast *f, bool redirected);
void state_retire(struct fast *f);

/* Goes on at pc, with what is in W as it is. */
void state_redirect(struct fast *f, uint32_t pc);
/* tabled: counts a record of the current trace, which ends with hist at cycle n, behind so many instructions. Returns
 * false, with nothing changed, if the table throws something out for it. */
bool state_count(struct fast *f, uint64_t hist, uint64_t n, uint64_t insns, uint8_t reason);
/* keeps_newest: the record that has just been counted. */
void state_keep(struct fast *f, uint64_t hist, uint64_t cycles, uint64_t insns, uint8_t reason);

/* paths.c */
/* Instructions of a trace and why it ended: the same unless code was changed. */
static inline uint64_t path_form(uint64_t insns, uint8_t reason)
{
	return insns << 8 | reason;
}
/* order.c */
#define LOG_MAX SIZED(1u << 16, 8u)
#define ODD_MAX SIZED(4096u, 4u)
/* So many keys. Where nobody wants the counts of paths, only so many paths are known at once: what a program whose
 * paths hardly recur needs is then no more than the caches of a processor hold. Others have keys for one record, which
 * are those below ORDER_ONCE_MAX; after so many of these all paths are forgotten, for the program may do something else
 * now. */
#define ORDER_KEYS_MAX SIZED(60000u, 32u)
#define ORDER_PATHS_MAX SIZED(2000u, 16u)
#define ORDER_ONCE_MAX SIZED(512u, 4u)
#define ORDER_PASSED_MAX SIZED(1u << 16, 64u)
/* Where hardly a record meets its path until then, none is looked for any more, until so many have passed; then for a
 * quarter of the time it is found out whether that is still so. */
#define ORDER_MET_LEAST (ORDER_PASSED_MAX / 16)
#define ORDER_STRANGERS_MAX SIZED(1u << 17, 128u)
#define VARIANTS_MAX 8
#define LAST_TRIES_MAX 4 /* then an exit's last record is not remembered any more, until keys are forgotten */
#define KEY_EXITS_MAX SIZED(57000u, 8u)
int order_init(struct fast *f);
void order_fini(struct fast *f);
/* Notes a record of the trace that path counts, which exit e has ended at cycle n. */
void order_add(struct fast *f, struct path *path, const struct exit *e, uint64_t insns, uint64_t cycles, uint64_t n);
/* The same where the counts are not wanted, by the exit, which does not say KEY_VARIES, or by a path that was not found
 * at the first look. */
void order_by_exit(struct fast *f, struct exit *e, uint64_t hist, uint64_t insns, uint64_t cycles, uint64_t n);
void order_by_path(struct fast *f, struct exit *e, uint64_t hist, uint64_t insns, uint64_t cycles, uint64_t n);
/* Whether this record is the one that the exit, which has KEY_LAST, remembers. */
bool order_is_last(const struct fast *f, const struct exit *e, uint64_t hist, uint64_t insns, uint64_t cycles);
/* Gives away what is noted. */
void order_flush(struct fast *f);
/* No exit knows its key any more. */
void order_forget_exits(struct fast *f);

int paths_init(struct fast *f);
/* Forgets them all. */
void paths_clear(struct fast *f);
/* Its slot, or the empty one where it would be. */
struct path *paths_seek(const struct fast *f, uint32_t start, uint64_t hist, uint32_t tag);
/* Its slot, made if it is not there; NULL if memory ran out. */
struct path *paths_find(struct fast *f, uint32_t start, uint64_t hist, uint32_t tag, uint32_t insns, uint8_t reason);
static inline uint64_t paths_hash(uint32_t start, uint64_t hist, uint32_t tag)
{
	uint64_t h = (hist ^ (uint64_t)start << 31 ^ (uint64_t)tag << 9) * 0x9E3779B97F4A7C15u;
	return h >> 32;
}
#endif
