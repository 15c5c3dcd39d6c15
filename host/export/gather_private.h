/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_GATHER_PRIVATE_H
#define RIVULET_EXPORT_GATHER_PRIVATE_H
/*
 * gather.c adds one record with a number of times, gather_steps.c finds out how often each record is taken from which
 * stack, gather_tables.c has the tables that are added to, gather_result.c makes the sorted result.
 *
 *   record ──► key ──► step (state, key) ──► count, cycles      a look-up; the record moves no stack
 *                                    └────► settled: taken once, count times
 */
#include "host/base/array.h"
#include "host/base/hash.h"
#include "host/base/record_keys.h"
#include "host/base/steps.h"
#include "host/cycles/split.h"
#include "host/cycles/trace.h"
#include "host/export/gather.h"
#include "host/profile/profile.h"
#include "host/walk/cache.h"

struct unit { /* a block, or the first part of one, in a context */
	const struct walk_block *block;
	uint32_t node, count;
	uint64_t visits, taken, not_taken;
	uint64_t *cycles; /* of each instruction */
	uint32_t part;    /* of the same block with as many instructions, in any context */
};

struct unit_part { /* what units of several contexts share */
	const struct walk_block *block;
	uint32_t count;
	size_t at;                         /* its first instruction in the code that a result is made of, */
	uint64_t visits, taken, not_taken; /* and sums over its units for it */
};

/* Units or parts, in an order that is kept: what came since the last result is sorted, and merged into it. */
struct unit_place {
	uint64_t first, second; /* by these, */
	uint32_t count, number; /* and by this one */
};
struct unit_order {
	struct unit_place *places;
	size_t count, room;
};

struct mode { /* records that were formed alike: by NO_INDIRECT, NO_BACKWARD of CTRL; made when needed */
	struct walk *walk;
	struct walk_cache *cache;
};

struct state {          /* between two records */
	uint32_t stack; /* of stack_save() */
	bool waiting, broken;
	uint64_t waiting_site, next; /* waiting_site: 0 if not waiting */
	struct core_state core;
	bool core_known;
};

struct run { /* part of a step: what ran in one context, one visit after the other */
	struct split_sum sum;
	uint32_t node, times; /* times: so many repetitions of the record, each of which is this run alone */
	uint8_t entered;      /* contexts that were entered before it: so many, */
	bool begins;          /* a repetition */
	size_t first;         /* of gather->entered from here on */
	uint64_t insns;       /* 0: nothing ran; contexts were entered */
};

struct shown_step { /* of the steps that are watched: runs of it are those from the first on, up to the next step's */
	size_t first;
	bool split; /* its runs have their cycles, of so many in all, of which so many are shared */
	uint64_t cycles, shared;
};

/* gather_replay.c: what steps count */
struct replay_entry {         /* `times` more in each execution */
	uint32_t what, times; /* what: a unit, call or context, and which of its counts */
};
struct replay_step {
	size_t first; /* of its entries */
	uint32_t count, sums;
	bool known;
};
#define REPLAY_OWN 6 /* traces, unfit, unfit_insns, cut, breaks, instructions */
struct replay_sums {
	uint64_t own[REPLAY_OWN];
	struct stack_counts stack;
};
struct replay_sum { /* of all steps with these sums */
	struct replay_sums once;
	uint64_t times;
};
struct gather_replay {
	bool wanted, writing, failed; /* writing: a step; failed: it cannot be written */
	struct replay_step *steps;    /* by step */
	size_t step_count, step_room;
	struct replay_entry *entries;
	size_t entry_count, entry_room;
	struct replay_sum *sums;
	size_t sums_count, sums_room;
	struct hash sums_table;    /* of sums, by what they are */
	struct replay_sums before; /* the step at hand */
};

struct gather {
	const struct image *image;
	struct walk_config config;
	struct mode modes[8]; /* backward transfers do not end traces, indirect jumps do not, handlers are traced */
	struct mode *mode;    /* of the records at hand */
	struct stack *stack;
	struct unit *units;
	size_t unit_count, unit_room;
	struct hash unit_table; /* of units, by block, context and length */
	struct unit_part *parts;
	size_t part_count, part_room;
	struct hash part_table;                  /* of parts, by block and length */
	struct unit_order units_order;           /* by context, and address */
	struct unit_order parts_order;           /* by address, block, and length */
	size_t cell_room, piece_room, code_room; /* of the result */
	bool no_cells;
	struct gather_call *calls;
	size_t call_count, call_room;
	struct hash call_table;      /* of calls, by site and target */
	const struct walked *walked; /* the trace at hand */
	struct split_part *steps;    /* its instructions: weights, cycles */
	size_t step_count, step_room;
	struct trace_costs costs;
	/* how the records go on */
	bool waiting; /* an indirect call ended the last record: its target is the next record's start */
	uint64_t waiting_site;
	bool broken;      /* the last record was not followed to its end: what follows it is not known to */
	uint64_t next;    /* where the program goes on behind the last record; odd: not known */
	uint64_t stopped; /* the same, and where an interrupt took its place */
	bool apart;       /* the next visit does not go on where the last one ended */
	struct core core;
	struct core_state core_state; /* what the core has in hand behind the last record, */
	bool core_known;              /* if this is known */
	bool entries;                 /* of a profile are added */
	bool untimed;                 /* no record has cycles: the rules of the core are not asked */
	uint64_t least, room;         /* cycles of the record that was taken last, by the rules */
	/* steps not settled yet */
	struct record_keys keys; /* mode: index of modes */
	struct state *states;
	size_t state_count, state_room;
	struct hash state_table;
	struct steps_taken taken;
	struct run *runs; /* of the steps, one after the other, if they are watched */
	size_t run_count, run_room;
	size_t run_start;  /* of the repetition at hand */
	uint32_t *entered; /* contexts that were entered, for runs */
	size_t entered_count, entered_room;
	struct stack_node *live; /* the contexts as those who watch see them: `entered` is up to date */
	size_t live_count, live_room;
	struct gather_replay replay;
	struct shown_step *shown; /* by step */
	size_t shown_room;
	struct gather_visit pending; /* not shown yet: what follows may be more of it; insns 0: none */
	enum gather_watch watch;
	gather_watcher *watcher;
	void *watcher_context;
	uint32_t process;
	uint64_t time;            /* of the record at hand */
	uint64_t count, cycles;   /* of what was added: the result has them scaled */
	struct stack_node *nodes; /* scaled copy */
	struct gather_result result;
};

/* gather.c: takes a record, with all its repetitions, `times` times with these cycles in all. times 0: moves the stack,
 * adds nothing. */
int gather_take(struct gather *gather, const struct record_key *key, enum stack_continuity continuity, uint64_t times,
    uint64_t cycles);
/* What of a record's cycles belongs to the part of it that is known: so many instructions, or all. */
uint64_t gather_known(const struct record *record, size_t steps, bool whole, uint64_t cycles);

/* gather_steps.c: takes what the steps have counted. They stay, for what is added later. */
int gather_settle(struct gather *gather);
/* Records one after the other. A step's key: GATHER_WAYS times the number of the record's key, and the continuity. */
#define GATHER_SOME 1024u
#define GATHER_CONTINUITIES 4u
#define GATHER_WAYS 8u
struct gather_some {
	uint32_t count; /* at most GATHER_SOME */
	const uint32_t *keys, *cycles, *process;
	const uint64_t *time; /* NULL if nobody watches */
};
int gather_some(struct gather *gather, const struct gather_some *some);
/* The number of a record without its cycles, under the present CTRL. */
int gather_key(struct gather *gather, const struct record *record, uint32_t *number);
void gather_steps_free(struct gather *gather);
/* gather_runs.c: another visit of the repetition at hand; its end, as it is repeated `times` times in all. */
int gather_add_run(struct gather *gather, uint32_t node, const struct split_part *parts, uint32_t count);
int gather_repeat_runs(struct gather *gather, uint64_t times);
/* Shows a step; steps one after the other, of the records from `from` to `to`. The last run is kept back, as what
 * follows may go on in its context. */
int gather_show_step(struct gather *gather, uint32_t step, const struct record_key *key, uint64_t cycles);
int gather_show_steps(
    struct gather *gather, const struct gather_some *some, const uint32_t *steps, uint32_t from, uint32_t to);
int gather_show_pending(struct gather *gather); /* shows it */

/* gather_replay.c: the step that is taken next is written down, unless false; its end; a unit that it added to, a call,
 * and the contexts that it entered since the last time. */
bool gather_replay_begins(struct gather *gather, struct step_taken *step);
void gather_replay_ends(struct gather *gather, struct step_taken *step);
void gather_replay_unit(struct gather *gather, uint32_t unit, int outcome, uint64_t times);
void gather_replay_call(struct gather *gather, uint32_t call, uint64_t times);
void gather_replay_entered(struct gather *gather, uint64_t times);
/* Counts a step once more, `count` times; false: it has to be taken. Behind the last one its sums are added. */
bool gather_replay_step(struct gather *gather, size_t number, uint64_t count);
int gather_replay_sums(struct gather *gather);
void gather_replay_forget(struct gather_replay *replay);
void gather_replay_free(struct gather_replay *replay);

/* gather_result.c: frees the result, and the orders. */
void gather_result_free(struct gather *gather);

/* gather_tables.c */
int gather_unit(struct gather *gather, const struct walk_visit *visit, uint32_t node, struct unit **found);
int gather_add_call(struct gather *gather, uint64_t site, uint64_t target, uint64_t times);

#endif
