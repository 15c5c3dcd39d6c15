/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_H
#define RIVULET_COUNTED_H
/*
 * From the counters of inserted code back to what was executed:
 *
 *   profile of counters, .debug_rivulet ──► counts of paths, self loops, edges, blocks ──► stretches as records
 *
 * The program may be the edited one, or its twin (`rivulet insert --map`: the same code, nothing put in). What was put
 * in is no part of any stretch, so that all numbers are those of the program as it was written.
 *
 * A stretch is straight execution without a call, an indirect jump or put-in code in it: a record that ends as if
 * something was left out behind it (TRACE_GAP), with H = 64 and backward transfers that do not end it. All that reads
 * profiles reads these.
 *
 * Counts of edges that have no counter follow from those that have one: what goes into a block comes out of it, but for
 * calls that were active when the program ended (EPP, "early termination"): the runtime of static Linux programs gives
 * their addresses.
 */
#include "host/image/image.h"
#include "host/insert/map.h"
#include "host/profile/profile.h"

enum counted_error {
	COUNTED_OK = 0,
	COUNTED_ENOMEM = -1,
	COUNTED_ENOMAP = -2,  /* the program has no .debug_rivulet */
	COUNTED_EFORMAT = -3, /* ... it is damaged, or of another version */
	COUNTED_EOTHER = -4   /* the profile is of objects that the program does not have */
};
const char *counted_strerror(int error);

#define COUNTED_UNKNOWN UINT64_MAX

struct counted_path { /* blocks and edges: in the map's arrays */
	uint32_t function;
	uint32_t first, last;    /* blocks */
	uint32_t edges, length;  /* in path_edges */
	uint64_t number, metric; /* metric: 0 without */
	uint32_t exit;           /* edge out of the function; GRAPH_NONE: a back edge or cut ends it */
	uint64_t count;
	/* Of functions whose cut paths are joined: the part before it at a cut, index in paths + 1; 0: a path begins
	 * here; COUNTED_LOST: it is not known. Its count has those that went on over a cut. */
	uint32_t before;
};
#define COUNTED_LOST UINT32_MAX

struct counted_stop { /* a call that had not ended when the program did, or was left */
	uint64_t address, count;
	uint32_t function, block; /* GRAPH_NONE: of no function with counters */
	bool back;                /* it is one that returned more than once: so many times more */
	bool out;                 /* nothing lies behind it: it counts as a way out */
};
/* A path that was begun and not ended: as far as the block of a call (counted_stacks.h). */
struct counted_unfinished {
	struct counted_path path; /* last: the block of the call */
	uint64_t stop; /* where it stopped: what is at and behind it was not run; 0: the path ended, as its exit says */
	uint64_t
	    from; /* it begins there, in its first block, behind setjmp() or fork(); 0: where its first block does */
	uint32_t one_of; /* it was counted before it ended: as one of so many paths; 0: it is sure */
};
struct counted_gain {          /* of a function, of a metric */
	uint64_t paths, turns; /* instructions */
	uint64_t gain;
};

/* A path of a region, or a piece of one: its nodes from one to another (regions.h). */
struct counted_nest {
	uint32_t function, region;
	uint64_t number;   /* NUMBERING_NONE: a piece */
	uint32_t from, to; /* nodes of a piece; to REGIONS_NONE: it came to its end */
	uint64_t sum;      /* the values of its edges */
	bool begins;       /* ... with the path */
	/* instructions of the first block that it does not have, and of the last that it has; all ones: all */
	uint32_t skipped, ran;
	uint64_t count;
};

/* Code of a block of the program as it was written. */
struct counted_run {
	uint64_t start, end, reach; /* reach: the highest end of all runs up to this one */
	uint32_t function, block;
};

struct counted {
	struct map *map;
	const struct image *image;
	uint64_t *edges, *blocks; /* by index in the map; COUNTED_UNKNOWN */
	uint64_t *chords;         /* counters of --edges and --blocks, as they came */
	size_t *chord_of;         /* by function: its first in chords */
	struct counted_path *paths;
	uint32_t *path_edges;
	size_t path_count, path_room, edge_count, edge_room;
	struct regions_map *regions; /* --regions, by function */
	/* ... while counts are taken: regions as functions behind all others (counted_nested.h) */
	struct counted_nested {
		uint32_t function, region;
	} * nested;
	uint32_t *nested_first; /* by function: that of its outermost region */
	size_t nested_count, nested_room;
	uint32_t whole_functions, whole_blocks, whole_edges; /* of the map without them */
	struct counted_part {                                /* and then, by block and index: of which a part was run */
		uint32_t block, index;
		uint64_t more; /* executions from that instruction on; less: as a negative number */
	} * parts;
	size_t part_count, part_room;
	struct counted_nest *nests; /* ... and their paths; by region, number and nodes */
	size_t nest_count, nest_room;
	unsigned mode;      /* enum insert_mode */
	bool edited;        /* the program has code put in */
	uint64_t functions; /* that are in the program and have counters */
	uint64_t left;      /* that are in it and have none */
	struct counted_stop *stops;
	size_t stop_count, stop_room;
	struct counted_run *runs; /* by start (counted_places()) */
	size_t run_count, run_room;
	struct counted_unfinished *unfinished; /* --paths */
	size_t unfinished_count, unfinished_room;
	struct counted_unfinished
	    *again; /* to be cut: path.first a block of setjmp(), from behind the call (counted_cuts.h) */
	size_t again_count, again_room;
	uint64_t unknown_prefixes; /* calls that had not ended of which it is not known what was run before */
	uint64_t few_at_most,
	    many_at_most;       /* instructions that are so missing, or too many: at most (counted_bounds.h) */
	uint64_t no_bounds;     /* of these calls: not in those */
	uint64_t begin_at_most; /* instructions missing of what the program's entry called */
	uint32_t begin;         /* that function; GRAPH_NONE: nothing of it is missing */
	uint64_t broken_stacks; /* stacks that could not be followed to where the program begins */
	const char *broken_why;
	uint64_t lost_stacks;       /* that longjmp() left, for which the runtime had no room */
	uint64_t *stopped;          /* by block of the map: how many of them are in it */
	struct counted_gain *gains; /* by function, from counted_profile() on, with a metric */
	uint32_t metric;            /* number of the CSR whose gain paths have; 0: none */
	uint64_t hashed;            /* counts from hash tables */
	uint64_t run_cycles;        /* of the run, with what was put in; 0: not known */
	bool narrow;                /* counters of 32 bits, which start again after 2^32 - 1 */
	uint64_t strange;           /* counts without a place in the program */
	uint64_t elsewhere;         /* counts of other parts of the process: libraries, or the program of a library */
	uint64_t libraries;         /* how many these are */
	uint64_t *salts;            /* of the parts that image has */
	size_t salt_count, salt_room;
	uint64_t unknown; /* executions of branches of which the outcome is not known */
	uint64_t
	    unsure; /* executions of a block of which it is not known behind which of its calls they ended or began */
	uint64_t pads;    /* instructions of padding that may have been executed, and are not in the numbers: at most */
	uint64_t trapped; /* executions of ECALL and EBREAK, which are part of no stretch */
};

/* profile: of PROFILE_COUNTERS. On an error *counted is NULL. */
int counted_open(struct counted **counted, const struct image *image, const struct profile *profile);
void counted_close(struct counted *counted);
/* Reads what the counters of a program and its libraries mean: counted->map, which the caller closes, and ->salts. */
int counted_map(struct counted *counted, const struct image *image);
/* So many times more the path of a number. COUNTED_OK or COUNTED_ENOMEM. */
int counted_take_path(struct counted *counted, uint32_t function, uint64_t number, uint64_t count);
/* Turns of a self loop, by its number in the function. */
void counted_self(struct counted *counted, const struct map_function *function, uint64_t number, uint64_t count);
/* Whether the counters are of edges, of which the others follow. */
bool counted_by_chords(const struct map_object *object);
/* Instructions of a block of the map, without padding behind it. */
uint64_t counted_block_insns(const struct counted *counted, uint32_t block);
/* Everything as records, in an empty profile. Its header and end are those of `from`, but H, CTRL, build.
 * counted_stretches.c */
int counted_profile(struct counted *counted, const struct profile *from, struct profile *profile);
#endif
