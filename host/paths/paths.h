/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATHS_H
#define RIVULET_PATHS_H
/*
 * Path profiles (EPP): how often each acyclic path of each function was executed, from walked blocks in order of
 * execution.
 *
 *   records ──► walk_record() ──► paths_visit() ──► frames: function, block, sum of edge values ──► counts
 *
 * A call does not end a path of the caller: the caller's path waits in its frame and goes on where the callee returns
 * to. A path begins at the entry of a function or behind a back edge (or cut, see numbering.h), and ends at a back edge
 * (or cut) or with the function: return, tail call, a call that does not return.
 *
 * What is not known stays visible as a piece: a part of a path of which the beginning (execution was not seen from
 * there), the end, or both are missing. Given the complete record stream of a run, there are pieces only of the
 * functions that were active when it began and when it ended. Given single records (a sampled profile), a piece lasts
 * from the start of a record to its end, and only some are known to be whole paths; calls within a record are followed
 * all the same.
 *
 * Self loops take no part in paths; their executions are counted by edge, as are those of back edges, of which a block
 * may have several.
 *
 * Cycles. Each visit may come with the cycles of its instructions. A path is open from its first block until the next
 * one begins, and has what its function's own instructions took in that time; callees and handlers have theirs. Turns
 * of a self loop are its edge's, but for the pass that led to it:
 *
 *   path of f:   B0 B1 (call) ........ B2 (turn) (turn) B3       its cycles: B0 B1 B2 B3
 *                        └ path of g ┘    └ edge B2 -> B2
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/cfg/cfg.h"
#include "host/paths/numbering.h"
#include "host/walk/walk.h"

enum paths_error { PATHS_OK = 0, PATHS_ENOMEM = -1 };

#define PATHS_FRAMES_MAX (1u << 20) /* deeper: the outermost are forgotten, their paths are pieces */
#define PATHS_ARRAY_MAX 4096 /* functions with up to this many paths have an array of counters, others a hash table */

struct paths;
/* limit: of paths from a vertex (numbering.h), 0: as many as 64 bits hold. */
int paths_open(struct paths **paths, const struct cfg *cfg, uint64_t limit);
/* The same with the numbers that somebody else gave: by function, those without blocks zero; they become the paths'. A
 * self loop may lead back over several blocks, one behind the other, from the last to the first; blocks may have no
 * instructions. Nothing can be visited on such graphs, only given by number. */
int paths_open_numbered(struct paths **paths, const struct cfg *cfg, struct numbering *numberings);
void paths_close(struct paths *paths);
const struct cfg *paths_graph(const struct paths *paths);
/* Whoever keeps more of a frame than its path: what happens in it, and one word of it, 0 at first. Frames with equal
 * words are equal: what is kept is to be known by its number. Each returns PATHS_OK or PATHS_ENOMEM. times: as of
 * paths_begin(). */
struct paths_observer {
	void *context;
	/* execution is at the beginning of a block; begins: the function's, as far as is known, or a path's */
	int (*enter)(void *context, uint32_t block, bool begins, uint64_t times, uint32_t *word);
	/* it goes over an edge of block `from`, inside the function or out of it */
	int (*edge)(void *context, uint32_t edge, uint32_t from, uint64_t times, uint32_t *word);
	/* its present block has taken so many cycles more, one time; only if they are known */
	int (*spend)(void *context, uint64_t cycles, uint32_t *word);
	/* the frame ends, and it is not known how it goes on */
	int (*lost)(void *context, uint64_t times, uint32_t *word);
	/* states are forgotten: words are still in use only if kept() gets them, behind forget() */
	void (*forget)(void *context);
	int (*kept)(void *context, uint32_t *word);
};
/* At most one, before anything is fed. */
void paths_observe(struct paths *paths, const struct paths_observer *observer);
/* The numbering of a function; its blocks are vertices, counted from its first. NULL: it has no blocks. */
const struct numbering *paths_numbering(const struct paths *paths, uint32_t function);

enum paths_continuity {
	PATHS_FOLLOWS,    /* the first block is what runs next */
	PATHS_RESUMES,    /* something was left out: a handler, or code out of the traced range */
	PATHS_INTERRUPTS, /* a trap handler begins; what it interrupts goes on after its trap return */
	PATHS_UNRELATED   /* nothing is known about what went before: all frames end as pieces */
};
/* Before the blocks of a record. times: what a path that ends within it counts (sampled profiles). */
int paths_begin(struct paths *paths, enum paths_continuity continuity, uint64_t times);
/* The next block, of walk_record() or made from pcs: walk_block's start, next, last, exit, link, target count. */
int paths_visit(struct paths *paths, const struct walk_visit *visit);
/* The same, with the cycles of each of its instructions, one execution; NULL: not known. */
int paths_visit_spent(struct paths *paths, const struct walk_visit *visit, const uint64_t *spent);
/* A record whose successor is unknown is over: what its last transfer shows is taken, the rest ends as pieces. */
int paths_record_end(struct paths *paths);
/* Ends all frames as pieces. */
int paths_finish(struct paths *paths);

/* A path with its count, instead of visits: blocks of one function in order. begins: a path begins with the first; the
 * end is a way out of this kind, a back edge or cut, or not known. Where the graph has no edge, pieces are counted. */
enum paths_given_end { PATHS_GIVEN_EXIT, PATHS_GIVEN_BACK, PATHS_GIVEN_PIECE };
struct paths_given {
	const uint32_t *blocks;
	size_t count;
	bool begins;
	enum paths_given_end end;
	unsigned kind; /* enum cfg_edge_kind, to choose among several ways out */
	uint64_t times;
};
int paths_give(struct paths *paths, const struct paths_given *given);
/* Executions of a self loop, back edge or cut between two blocks; the paths that end there are given by themselves. */
int paths_give_edge(struct paths *paths, uint32_t from, uint32_t to, uint64_t times);
/* Executions of a path by its number; of a self loop, back edge or cut of block `from` by its index in cfg->edges. */
int paths_give_number(struct paths *paths, uint32_t function, uint64_t number, uint64_t times);
void paths_give_turns(struct paths *paths, uint32_t from, uint32_t edge, uint64_t times);
/* Executions of a path that was cut and joined again: the numbers of its parts in order. begins: the first part is
 * where a path begins, else what came before is not known. From then on it is known of each path of the function
 * whether it is a part. */
int paths_give_joined(
    struct paths *paths, uint32_t function, const uint64_t *numbers, size_t count, bool begins, uint64_t times);
/* It is not known how often such an edge was taken. */
void paths_give_unknown(struct paths *paths, uint32_t edge);
/* A piece by its sum of values; from CFG_NONE: it has no whole block, and counts by its instructions only. */
struct paths_piece {
	uint32_t from, to;
	bool begins;
	uint64_t sum, insns, times; /* insns: of one execution */
};
int paths_give_piece(struct paths *paths, const struct paths_piece *piece);

#define PATHS_LOST UINT32_MAX
struct paths_entry {
	uint32_t function;
	uint32_t from, to; /* blocks: first, and last or CFG_NONE: to a way out of the function or a back edge */
	bool begins;       /* the path begins at `from`, else the piece */
	uint64_t sum;      /* of values behind `from` */
	uint64_t number;   /* of the path: begins, and to is CFG_NONE; else NUMBERING_NONE; of several parts the last */
	uint32_t joined, tail; /* joined: the parts before the last one, which begins at `tail`; 0: there are none;
				  PATHS_LOST: they are not known */
	uint64_t key;          /* the same for equal parts before, in any run; 0: none */
	uint64_t count;
	uint64_t spent; /* cycles of all executions, without callees and self loops */
};
static inline bool paths_whole(const struct paths_entry *entry)
{
	return entry->number != NUMBERING_NONE;
}
/* All with a count, by function, pieces last, then by number. To be freed. */
int paths_list(const struct paths *paths, struct paths_entry **entries, size_t *count);
/* The edges of an entry in order (indexes in cfg->edges, without a back edge or cut at its end); at most max are
 * stored, *length is how many there are. *exit: the edge it leaves the function by, or CFG_NONE. */
int paths_edges(const struct paths *paths, const struct paths_entry *entry, uint32_t *edges, size_t max, size_t *length,
    uint32_t *exit);

/* Executions of a back edge, self loop or cut by index in cfg->edges (others: 0). */
uint64_t paths_edge_count(const struct paths *paths, uint32_t edge);
/* Cycles of the turns of a self loop by index in cfg->edges (others: 0); of a block, in paths, pieces and turns. */
uint64_t paths_edge_spent(const struct paths *paths, uint32_t edge);
uint64_t paths_block_spent(const struct paths *paths, uint32_t block);

/* The numbers of an entry's parts in order, of joined ones; at most max are stored. How many there are. */
size_t paths_numbers(const struct paths *paths, const struct paths_entry *entry, uint64_t *numbers, size_t max);
/* Whether cut paths of a function were joined: an entry is a part if it is lost, or ends where only cuts end paths. */
bool paths_joined(const struct paths *paths, uint32_t function);

/* How often cuts were taken that lead out of a block, or into it: what ends or begins there is so often a part of a
 * path. UINT64_MAX: it is not known. After paths_list(). */
uint64_t paths_cut_behind(const struct paths *paths, uint32_t block);
uint64_t paths_cut_before(const struct paths *paths, uint32_t block);

struct paths_counts {
	uint64_t whole, pieces; /* ended, with times */
	uint64_t self;          /* executions of self loops */
	uint64_t insns;         /* instructions of all visits */
	uint64_t spent;         /* cycles of all visits that came with them */
	uint64_t skipped;       /* instructions of blocks that were entered or left in the middle, not executed */
	uint64_t
	    again; /* instructions of blocks that were counted once and executed twice: at most one for each time */
	uint64_t irregular;      /* transfers that the graph does not have, without those below */
	uint64_t unresolved;     /* jumps that cfg could not resolve */
	uint64_t unmatched;      /* returns to no frame */
	uint64_t dropped_frames; /* frames that a longjmp or the like left behind */
	uint64_t outside;        /* visits of code that no block covers */
	uint64_t forgotten;      /* frames beyond PATHS_FRAMES_MAX */
};
const struct paths_counts *paths_counts(const struct paths *paths);

/* Block and edge profile as sums over the entries and self loops: counts[] has room for all blocks, or edges. */
int paths_block_profile(
    const struct paths *paths, const struct paths_entry *entries, size_t count, uint64_t *blocks, uint64_t *edges);
#endif
