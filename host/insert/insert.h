/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_H
#define RIVULET_INSERT_H
/*
 * Profilers that put counters into objects. Three layers:
 *
 *   inserter.h   puts abstract code at a place, finds registers, keeps variables, makes stubs
 *   profiler     one file each (profile_paths.c ...): which code where, what its counters mean; a row in profilers.c
 *   here         an object: every function through one profiler; the map, the node, the counters' room
 *
 * What is put into an object besides code: .bss.rivulet (counters) and .sbss.rivulet (those in small data, near.h); for
 * each of them .data.rivulet and .text.rivulet (a node with the counters' address, and a constructor that registers it
 * with the runtime, sw/probe); and .debug_rivulet, which takes no memory on the target: the graph of each function with
 * the addresses of its blocks (host/insert/map.h).
 */
#include "host/insert/inserter.h"
#include "host/insert/map.h"
#include "host/insert/named.h"
#include "host/insert/versions.h"
#include "host/insert/weights.h"

enum insert_mode {
	INSERT_MAP,
	INSERT_PATHS,
	INSERT_EDGES,
	INSERT_BLOCKS,
	INSERT_REGIONS,
	INSERT_CYCLES,
	INSERT_TRACE,
	INSERT_MODES
};
const char *insert_mode_name(unsigned mode); /* "paths", ... */
/* How much of an object's name is the same in each run of a compiler driver: "cc" of ccAb1Cd2.o (gcc), "main" of
 * main-0a1b2c.o (clang); else all of it. An object is known by its bytes and this name. */
size_t insert_lasting_name(const char *name);
#define INSERT_PATHS_MAX                                                                                               \
	4096 /* of a function; from each block at most so many that this is kept: longer paths are cut */
/* With hash tables (EPP section 4) functions with more paths than `array` have one. */
#define INSERT_ARRAY_MAX 4096
#define INSERT_HASHED_MAX (1u << 27) /* the limit then, if none is given; 2^30 for all paths of a function */
struct insert_original;              /* cost.h */
struct insert_options {
	enum insert_mode mode; /* INSERT_MAP: only .debug_rivulet, the code stays as it is */
	uint64_t limit;        /* of a function's paths; 0: INSERT_PATHS_MAX */
	uint32_t metric; /* INSERT_PATHS: number of a CSR whose gain on each path is added up; 0: none. With `wide` */
	bool hash;       /* INSERT_PATHS, INSERT_REGIONS: hash tables, so that paths need not be cut */
	uint64_t array;  /* with hash: more paths than that are hashed; 0: INSERT_ARRAY_MAX */
	struct insert_plan *plan;  /* see insert_twin(); NULL */
	unsigned find;             /* INSERT_REGIONS: enum regions_find; 0: loops */
	const struct named *named; /* INSERT_REGIONS: regions of the user, instead of find (named.h); NULL */
	unsigned embodiment;       /* INSERT_REGIONS: enum insert_embodiment (regions_map.h) */
	const struct insert_original *original; /* INSERT_CYCLES: the unedited program */
	/* INSERT_CYCLES: functions, or "ecall", whose time is that of a class (sw/probe/cycles.h), by a timer */
	const struct insert_wait {
		const char *name;
		unsigned class;
	} * waits;
	size_t wait_count;
	bool wide;                     /* counters of 64 bits on RV32 too */
	bool per_thread;               /* each thread counts for itself: Linux, sw/probe/thread.c */
	bool atomic;                   /* counters by AMOADD; not both on RV32 */
	bool early;                    /* start-up code calls memcpy() before variables have their values */
	uint32_t reserved;             /* integer registers that belong to the program: nothing is kept in them */
	bool switched;                 /* two versions of each function, and a word that chooses (versions.h) */
	unsigned level;                /* of budget.h: 0 to BUDGET_LEVELS */
	uint32_t near;                 /* bytes of small data for counters, of an object (near.h) */
	const struct weights *weights; /* of an earlier profile (weights.h); NULL: estimated from the shape */
};
enum insert_turns { INSERT_TURNS_DIFFERENCE, INSERT_TURNS_REGISTER, INSERT_TURNS_MEMORY, INSERT_TURNS };
#define INSERT_REASONS 24
struct insert_counts {
	uint64_t objects, functions, left;           /* functions with counters; without, though they have code */
	uint64_t registers[INSERTER_KINDS], spilled; /* functions by where their (first) variable is */
	uint64_t apart; /* functions whose paths were cut everywhere, for want of a register: their edges are counted */
	uint64_t counters, counter_bytes, instructions;
	uint64_t chords, cut;             /* cut: edges */
	uint64_t cut_functions;           /* that have such: paths are counted in parts */
	uint64_t lost_lists, lost_frames; /* of debug information, unwind entries: could not be carried over (edit.h) */
	uint64_t hashed;                  /* functions whose paths are counted in a hash table */
	uint64_t chains;                  /* other loops of one path that count their turns in a register (chain.h) */
	uint64_t turns[INSERT_TURNS];     /* self loops by how they are counted */
	/* INSERT_REGIONS: regions, their paths; functions in the global-based embodiment, with push and pop; regions of
	 * one path that count their turns in a register */
	uint64_t unknown; /* objects that the program of `named` does not have */
	uint64_t regions, region_paths, global_functions, stack_functions, turn_regions;
	const char *reasons[INSERT_REASONS]; /* why functions were left, and how many */
	uint64_t reason_counts[INSERT_REASONS];
	void (*on_left)(const char *function, const char *reason); /* told of each; NULL: nobody asks */
};
/* name: of the object, as the profile shall call it. */
int insert_object(struct object *object, const char *name, const struct insert_options *options,
    struct insert_counts *counts, char *detail, size_t detail_size);
/* The same map as insert_object() would give it with these options, but the code stays as it is: for the unedited twin
 * of a program, in which its profile can be read as well. */
int insert_twin(struct object *object, const char *name, const struct insert_options *options,
    struct insert_counts *counts, char *detail, size_t detail_size);

/* Counters in small data (near.h). */
struct insert_near {
	struct near_function { /* with counters, by first */
		uint64_t first, counters, arrays;
		uint64_t *parts; /* as insert_result has them */
		size_t part_count;
		uint32_t pieces; /* of the edit, up to the next function's */
		bool known;      /* its weights are an earlier profile's, not estimates */
	} * functions;
	struct near_run { /* counters that follow one another there too; in the order in which they lie there */
		uint64_t first, count;
	} * runs;
	size_t function_count, function_room, run_count, run_room;
	uint64_t count; /* counters there */
	uint32_t section, symbol;
};

/* ---- for profilers ---- */
struct insert_job { /* one object */
	struct object *object;
	struct edit *edit;
	struct graph *graph;
	const struct insert_options *options;
	struct insert_counts *counts;
	const struct insert_profiler *profiler;
	struct inserter_target target;
	struct inserter_entries entries;
	struct map_writer map;
	uint32_t bss; /* section of the counters */
	struct insert_tables {
		uint32_t section, heads, symbol, heads_symbol; /* 0: none yet */
		uint32_t *functions;                           /* by table: index in the graph, and whether joined */
		size_t count, room;
	} tables;
	struct insert_near near;
	struct versions versions;
	uint32_t *seconds; /* by function of the graph: its second version, as versions_match() has it; NULL: none */
	size_t function_count; /* without second versions */
	uint64_t used;         /* counters so far */
	uint64_t id;
};

/* What a profiler says of a function when it has put its code. */
struct insert_result {
	uint64_t counters; /* that it uses, from the number on that it was given */
	uint64_t arrays; /* of them, from the first on: those that code reaches from one another, so that they must stay
			    together */
	uint64_t *parts; /* where such parts of the arrays begin that code does not reach from other parts; first 0 */
	size_t part_count; /* 0: it is one */
	uint64_t limit;    /* of paths, for the map */
	uint32_t flags;    /* enum map_function_flag, besides MAP_COUNTED */
	/* words for the map, of the profiler's own (map.h): which edges have counters, which regions there are */
	uint32_t *words;
	size_t word_count, word_size;
	const char *reason; /* with OBJECT_EUNSUPPORTED */
};
/* The function of --paths with a metric (profile_metric.c). */
int insert_metric(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result);
int insert_word(struct insert_result *result, uint32_t word);
/* A hash table for a function's paths (tables.c); joined: parts of cut ones are (common/joined.h). */
struct insert_table {
	uint32_t symbol, slots_symbol;
	int64_t offset, slots;     /* from these symbols: its descriptor, its slots */
	uint32_t hook, slot_bytes; /* the function of the runtime that counts in it */
};
int insert_table(struct insert_job *job, size_t function, bool joined, struct insert_table *table);
/* A path is counted; number: of the path, a constant, or a variable and `more`. */
struct inserter_code insert_table_count(
    const struct insert_table *table, struct inserter_argument number, int64_t more);
/* A path's number as its table has it (common/joined.h); it has 32 bits if the number is not less than
 * -JOINED_SLACK_64. */
int64_t insert_key(const struct insert_job *job, int64_t number);
/* Where the first paths of a function have counters (MAP_FIRST), the path register is even if it has the address of one
 * of these, odd if it has a number of the table. Steps are those of addresses in both.
 *
 *	even   address of counter      odd   insert_odd_key() + number * bytes of a counter
 */
int64_t insert_odd_key(unsigned xlen);
/* A path is counted in one or the other; r: the path register, to which `more` counters are added. */
struct inserter_code insert_table_count_either(
    const struct insert_job *job, const struct insert_table *table, uint8_t r, int64_t more);
/* When all functions are done: contents and relocations of the descriptors. */
int insert_tables_finish(struct insert_job *job);
/* What is said of a function of that name, or of "ecall"; NULL. */
const struct insert_wait *insert_waits(const struct insert_options *options, const char *name);
/* The number of a function, by which the map and earlier profiles know it: that of its first version. */
uint32_t insert_function_number(const struct insert_job *job, const struct graph_function *function);
bool insert_is_call(const struct insert_job *job, const struct edit_atom *atom);
/* A call of setjmp(), by any of its names: it may return again, with callee-saved registers as they were, and words of
 * the stack as they have become. */
bool insert_is_setjmp(const struct insert_job *job, const struct edit_atom *atom);
bool insert_calls_setjmp(const struct insert_job *job, const struct graph_function *function);
/* Whether a block has calls or instructions that leave the program for a while, and perhaps for ever (MAP_LEAVES). */
bool insert_leaves(const struct insert_job *job, uint32_t block);
/* The function of --blocks (profile_edges.c). */
int insert_tree_of_blocks(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result);

struct insert_profiler {
	enum insert_mode mode;
	const char *name; /* as the option: "paths" */
	/* Puts code into a function (index in job->graph->functions) whose first counter is number `first`. OBJECT_OK;
	 * OBJECT_EUNSUPPORTED: nothing was put, result->reason says why; other errors are fatal for the object. */
	int (*function)(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result);
	/* Once for each object, before its functions; may be NULL. */
	int (*begin)(struct insert_job *job);
};
const struct insert_profiler *insert_profiler(enum insert_mode mode); /* profilers.c; NULL: INSERT_MAP */
extern const struct insert_profiler insert_profile_paths, insert_profile_edges, insert_profile_blocks,
    insert_profile_regions, insert_profile_cycles, insert_profile_trace;

/* A function as a graph to be numbered. Vertices are its blocks, edges its edges, both counted from its first. */
struct insert_numbered {
	struct numbering numbering;
	uint32_t *first, *to, *depth;
	bool *root;
	uint64_t *weights; /* by edge: estimated, or of an earlier profile */
	bool joined;       /* parts of cut paths are joined (common/joined.h): r is set where a path begins */
	uint64_t *costs;   /* by edge: the weight times what code there costs: for spanning trees */
};
int insert_number(
    const struct insert_job *job, const struct graph_function *f, uint64_t limit, struct insert_numbered *numbered);
void insert_number_free(struct insert_numbered *numbered);

/* A function that code is put into. */
struct insert_work {
	struct insert_job *job;
	const struct graph_function *f;
	struct inserter *in;
	const struct insert_numbered *n;
};

/* Self loops of a function: each has a counter of its own, for its turns (self.c). */
struct insert_selves {
	int shared; /* variable; negative: none yet */
	bool *is;   /* by block: one with a variable */
	struct inserter_code *into;
	struct insert_self_kept { /* by block, where `is`: what holds the turns (pending.h) */
		uint32_t self, x;
		int32_t step;
		uint8_t var;
	} * kept;
	uint32_t count; /* self loops so far */
};
int insert_selves_begin(struct insert_selves *selves, const struct graph_function *f);
/* Edge e of block b (both counted from the function's first) is one, with this counter. */
int insert_self(const struct insert_work *work, uint32_t b, uint32_t e, uint64_t counter, struct insert_selves *selves);
/* When all are put. error: what went wrong before; returned, if it is not OBJECT_OK. */
int insert_selves_end(struct insert_selves *selves, struct inserter *in, const struct graph *g,
    const struct graph_function *f, int error);
void insert_selves_free(struct insert_selves *selves);

/* What each function was given: learned from an object, told to its twin (INSERT_MAP). */
struct insert_plan {
	enum insert_mode mode;
	struct insert_planned {
		bool counted;
		uint64_t first;
		struct insert_result result;
	} * functions;
	size_t count, room;
	uint64_t counters;
	struct insert_near near; /* its runs */
};
#endif
