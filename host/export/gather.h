/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_GATHER_H
#define RIVULET_EXPORT_GATHER_H
/*
 * What every export is made from: executions and cycles of each instruction in each calling context, outcomes of each
 * branch, executions of each call edge.
 *
 *   profile entries, or records in order ──► walk ──► stack ──► (context, block) ──► cells, branches, calls
 *
 * Cycles are split between instructions by the rules of the core (host/cycles/split.h), record by record; what the core
 * has in hand behind a record is carried to the one that follows it. Where that leaves something open, `shared` says
 * how much.
 *
 * Contexts. From records in order they are exact (host/stack/stack.h); from a profile they begin where each trace
 * begins.
 */
#include "host/cycles/core.h"
#include "host/cycles/split.h"
#include "host/profile/profile.h"
#include "host/stack/stack.h"
#include "host/walk/walk.h"

enum gather_error { GATHER_OK = 0, GATHER_ENOMEM = -1, GATHER_EOVERFLOW = -2 /* a sum passed 64 bits */ };
const char *gather_strerror(int error);

struct gather_cell { /* one instruction in one context */
	uint64_t pc;
	uint32_t node;
	uint64_t count, cycles;
};

/* A block, or the first part of one, in a context. Its instructions are cells; several pieces may have the same one. */
struct gather_piece {
	uint64_t pc, starts; /* starts: bit i for an instruction that begins 2 * i bytes behind pc */
	uint32_t node, count;
	uint64_t visits;        /* executions of each instruction */
	const uint64_t *cycles; /* of each; NULL: none */
};

struct gather_code { /* one instruction that ran, over all contexts; a branch's outcomes */
	uint64_t pc;
	uint64_t count, cycles, taken, not_taken;
};

struct gather_call { /* one edge; from a profile, indirect calls that end a trace have no edge: the target is unknown */
	uint64_t site, target;
	uint64_t count;
};

/* Sorted: cells and pieces by node and pc, code by pc, calls by site and target. Everything is multiplied by scale, but
 * for the cycles of pieces. */
struct gather_result {
	const struct stack_node *nodes; /* `entered` is multiplied too */
	size_t node_count;
	struct gather_cell *cells;
	size_t cell_count;
	struct gather_piece *pieces;
	size_t piece_count;
	struct gather_code *code;
	size_t code_count;
	struct gather_call *calls;
	size_t call_count;
	uint64_t count, cycles; /* sums over all cells */
	uint64_t scale;
	/* traces, not scaled */
	uint64_t traces, unfit, cut; /* all; not walkable, left out; known in part only */
	uint64_t unfit_insns;        /* of the unfit, as far as they say it */
	uint64_t lost_cycles;        /* of the unfit, and of the unknown parts */
	uint64_t shared;             /* of the cycles: those that the rules do not give to one instruction for sure */
	uint64_t breaks;             /* records that should follow the one before, but begin elsewhere */
	struct stack_counts stack;
	bool ordered; /* made from records in order: contexts and calls are complete */
};

struct gather;
int gather_open(struct gather **gather, const struct image *image, const struct walk_config *config);
void gather_close(struct gather *gather); /* the result too */
/* The rules of the core that ran; without this they are those of this project's. Before anything is added. */
void gather_core(struct gather *gather, const struct core *core);
/* The records that follow were collected with this CTRL register. */
int gather_ctrl(struct gather *gather, uint32_t ctrl);
/* Adds a profile's entry. */
int gather_entry(struct gather *gather, const struct record *entry);
/* Adds the next of a series of records. What a record does depends on the record and on the stack that the one before
 * it left; each such pair is walked once and then counted, so that a record costs a look-up. */
int gather_record(struct gather *gather, const struct record *record, enum stack_continuity continuity);

/* Shows what is added, as it is added: the context it ran in, among all contexts so far, its instructions and cycles.
 * Anything but 0 stops with GATHER_ENOMEM. To be asked for before anything is added. */
enum gather_watch {
	GATHER_VISITS,  /* each visit of a block. Each record is walked: slower */
	GATHER_CONTEXTS /* visits one after the other in the same context at once, until it is entered again */
};
struct gather_visit {
	const struct stack_node *nodes; /* `entered` changes with each call */
	uint32_t node, process;         /* process: of the record; 0: the only one */
	uint32_t entered_level;         /* no context of a lower level was entered since the visit before; 0: any */
	uint64_t time;                  /* when the record left the unit, in cycles of the run */
	uint64_t insns, cycles;
	const struct walk_block *block; /* GATHER_VISITS: the block, of which count instructions ran each time */
	uint32_t count;
	const struct split_part *parts; /* GATHER_VISITS: cycles of each of these instructions */
	int outcome; /* GATHER_VISITS: of the conditional branch that ends it: 0, 1; -1: none, or not known */
	bool apart;  /* GATHER_VISITS: it does not go on where the visit before it ended, or it is not known whether */
};
typedef int gather_watcher(void *context, const struct gather_visit *visit);
void gather_watch(struct gather *gather, enum gather_watch watch, gather_watcher *watcher, void *context);
/* The sorted result of what was added; it belongs to gather, and stays until the next call. More can be added
 * behind it, and the result be asked for again. */
int gather_finish(struct gather *gather, uint64_t scale, const struct gather_result **result);

/* Results without cells from now on: for one that needs no more than pieces, and is asked for each second. */
void gather_without_cells(struct gather *gather);

struct gather_sum {
	uint64_t count, cycles;
};
/* What ran in each context itself, by its number. NULL: out of memory; to be freed. */
struct gather_sum *gather_own_sums(const struct gather_result *result);

/* The code entry of pc; NULL: it did not run. */
const struct gather_code *gather_at(const struct gather_result *result, uint64_t pc);
#endif
