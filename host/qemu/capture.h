/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_CAPTURE_H
#define RIVULET_QEMU_CAPTURE_H
/*
 * The memory that the plugin (host/qemu/plugin.c), which runs inside qemu, shares with the command that started qemu.
 * It outlives the program, however that ends: what was counted until then is there. One memory for all: children of
 * fork() take regions of their own in it, and so do programs that a process becomes by exec(): the plugin starts qemu
 * anew for them, with itself.
 *
 *   0              struct capture_file
 *   OBJECTS        struct capture_object[]         files that code was mapped from; append only
 *   PROGRAMS       struct capture_program[]        the command's, and those that processes became by exec();
 *                                                append only
 *   REGIONS        region 0 │ region 1 │ ...       one for each processor of qemu (a thread), each of REGION_SIZE bytes
 *                    │
 *                    ├─ struct capture_region      what is under way
 *                    ├─ SILENT_AT  uint64_t[2]     silent blocks that ran since the last call; edges of who called
 *                    ├─ INSNS_AT  uint32_t[]       instructions of each block that has a number
 *                    ├─ RING_AT  uint64_t[]        traces in order, if that is wanted: key + times * 2^32
 *                    ├─ KEYS_AT  struct capture_key[]   distinct traces with their counts; append only
 *                    ├─ NODES_AT  struct capture_node[] how traces go on, and how often; append only
 *                    ├─ STATES_AT struct capture_state[] what is under way at each node
 *                    ├─ EDGES_AT  struct capture_edges[]  by the number of the block: how it was reached, how often
 *                    └─ MORE_AT  struct capture_more[]   the same, for what has no room there; a hash table
 *
 * The memory is sparse: pages that nobody writes do not exist. Addresses: of a process of Linux bits 63:48 are the
 * number of the object and the rest is the address. Of a system bits 63:62 are the privilege mode, 61:48 the object,
 * and the rest is the address, bit 47 its sign; object 0: it has other bits above, and is no such address.
 */
#include <stdatomic.h>
#include <stdint.h>

#define CAPTURE_MAGIC UINT64_C(0x32465145554d5652)
#define CAPTURE_HIST 64      /* bits of a history: 63 outcomes */
#define CAPTURE_EDGES_HIST 2 /* the same where edges alone are counted: one outcome */

#define CAPTURE_OBJECTS_AT (UINT64_C(1) << 20)
#define CAPTURE_OBJECTS_MAX 65535u
#define CAPTURE_PATH_MAX 496
#define CAPTURE_PROGRAMS_AT (UINT64_C(3) << 24)
#define CAPTURE_PROGRAMS_MAX 4096u
#define CAPTURE_REGIONS_AT (UINT64_C(1) << 26)
#define CAPTURE_REGION_SIZE (UINT64_C(1) << 32)
#define CAPTURE_REGIONS_MAX (1u << 20)
#define CAPTURE_SILENT_AT (UINT64_C(1) << 15)
#define CAPTURE_INSNS_AT (UINT64_C(3) << 22)
#define CAPTURE_RING_AT (UINT64_C(1) << 16)
#define CAPTURE_RING (UINT64_C(1) << 20) /* entries; a power of two */
#define CAPTURE_KEYS_AT (UINT64_C(1) << 24)
#define CAPTURE_KEYS_MAX ((CAPTURE_NODES_AT - CAPTURE_KEYS_AT) / sizeof(struct capture_key))
#define CAPTURE_NODES_AT (UINT64_C(3) << 30)
#define CAPTURE_NODES_MAX (1u << 20)
#define CAPTURE_STATES_AT (UINT64_C(7) << 29)
#define CAPTURE_EDGES_AT (CAPTURE_NODES_AT + (UINT64_C(1) << 28))
#define CAPTURE_MORE_AT (CAPTURE_NODES_AT + (UINT64_C(3) << 27))
#define CAPTURE_SPACE 48 /* bits of an address below the object's number */
#define CAPTURE_ADDRESS(A) ((A)&UINT64_C(0xFFFFFFFFFFFF))

enum capture_failure { /* why the plugin gave up; the program is ended then */
	CAPTURE_GOOD,
	CAPTURE_NO_MEMORY,
	CAPTURE_NO_KEYS,    /* more distinct traces than a region has room for */
	CAPTURE_NO_REGIONS, /* more threads and processes */
	CAPTURE_FAILURES
};

struct capture_file {
	uint64_t magic;
	uint32_t order;                  /* by the command: traces in order are wanted */
	uint32_t edges;                  /* by the command: traces have one outcome at most */
	_Atomic uint32_t installed;      /* the plugin runs: 1 + its interface's version */
	_Atomic uint32_t regions;        /* given out */
	_Atomic uint32_t objects;        /* the same; number 0 is nothing */
	_Atomic uint32_t programs;       /* the same; number 0 is the command's */
	_Atomic uint32_t failure;        /* enum capture_failure */
	_Atomic uint32_t reader_gone;    /* nobody takes what is in the rings any more */
	_Atomic uint32_t unclear;        /* blocks that ran in an order that is not known */
	_Atomic uint32_t uncounted;      /* threads and children without memory to count in, beside lost records */
	_Atomic uint32_t map_unreadable; /* /proc/self/maps could not be read, or too many objects */
	uint32_t reader;                 /* the command's process */
	uint32_t system;                 /* by the command: 32 or 64, the width of a system; 0: a process of Linux */
	uint32_t breaks;                 /* by the command: -icount ends blocks early */
	_Atomic uint32_t other_width;    /* the emulator is of another width */
	_Atomic uint32_t no_system;      /* the emulator has none, where the command wants one */
	_Atomic uint32_t log_read;       /* of a system: its log was there */
	char folder[CAPTURE_PATH_MAX];   /* below which dynamic loaders are (-L of qemu); "": nowhere else */
};

struct capture_program {
	_Atomic uint32_t ready;      /* not 0: the rest is valid */
	char path[CAPTURE_PATH_MAX]; /* its file, without links; the same one may be there twice */
};

enum capture_kind {
	CAPTURE_FILE = 1, /* code of a file, as it is in it */
	CAPTURE_MADE      /* written by the program at run time: no file, or not what the file has */
};
struct capture_object {
	_Atomic uint32_t ready; /* enum capture_kind; the rest is valid */
	uint64_t base;          /* where the first page of the file is mapped */
	char path[CAPTURE_PATH_MAX];
};

enum capture_replaced { CAPTURE_SAME, CAPTURE_REPLACED, CAPTURE_FOLLOWED /* the plugin is in what it became */ };
enum capture_stage { CAPTURE_NEW, CAPTURE_LIVE, CAPTURE_ENDED };

/* The trace under way: what it has up to the block that began last, and that block. */
struct capture_state {
	uint64_t start, hist;
	uint32_t insns, last; /* last: instructions of the block; not counted in insns */
	uint64_t block;       /* its address in the plugin */
};

/* At a block that began, by the trace under way: each of the two ways on, and what it counts (plugin_nodes.c). Times of
 * a key are those in it and those of all ways that have it. */
struct capture_node {
	uint64_t to[2];   /* addresses in the plugin: of the block that begins next */
	uint64_t next[2]; /* ... of the node then */
	uint64_t count[2];
	uint32_t key[2];   /* 1 + that of the trace that ends so; 0: it goes on */
	uint64_t anywhere; /* not 0: all blocks may follow, and each ends the trace of key[0] */
};
_Static_assert(sizeof(struct capture_node) == 64, "one line of a cache");

/* Where edges alone are counted and there is one thread, many blocks are silent: each adds to the word of the region,
 * and the next block that calls finds there how it was reached, and puts its own number (plugin_silent.c).
 *
 *   63          44 43    40 39        20 19         0
 *   │ who called │ how many │ of depth 2 │ of depth 1 │     numbers of blocks; those of silent ones have 18 bits */
#define CAPTURE_SILENT_DEPTHS 2
#define CAPTURE_SILENT_BITS 20
#define CAPTURE_SILENT_MAX (1u << 18)
#define CAPTURE_SILENT_ONE (UINT64_C(1) << 40)
/* Of what was added to the word since: faults in handlers may be more than its 4 bits hold. */
#define CAPTURE_SILENT_COUNT(ADDED) ((unsigned)((ADDED) >> 40))
#define CAPTURE_SILENT_NUMBER(WORD, DEPTH) ((uint32_t)((WORD) >> (CAPTURE_SILENT_BITS * ((DEPTH)-1))) & 0xFFFFF)
#define CAPTURE_BLOCKS_MAX (1u << 20)
#define CAPTURE_CALLER(WORD) ((uint32_t)((WORD) >> 44))
#define CAPTURE_EDGES_NUMBER(PLACE) ((uint32_t)((PLACE) >> 7) & (CAPTURE_BLOCKS_MAX - 1))
#define CAPTURE_EDGES 4
struct capture_edges {
	uint64_t word[CAPTURE_EDGES]; /* 0: free */
	uint64_t count[CAPTURE_EDGES];
	uint32_t key[CAPTURE_EDGES][CAPTURE_SILENT_DEPTHS + 1]; /* 1 + those of the traces that end so; 0: none */
	uint64_t leaves;   /* the word that it puts: its own, or, where it can go one way only, that of this way */
	uint32_t jump_key; /* 1 + that of its own trace, which is counted when it begins, if it puts that of a way */
	uint32_t nothing;
};
_Static_assert(sizeof(struct capture_edges) == 128, "two lines of a cache");
struct capture_more {
	uint64_t word, count; /* word 0: free */
	uint32_t block;       /* its number */
	uint32_t key[CAPTURE_SILENT_DEPTHS + 1];
};
#define CAPTURE_MORE_MAX (1u << 20)

struct capture_region {
	_Atomic uint32_t state; /* enum capture_stage */
	uint32_t process;       /* its number; 0: the first one, else a child of fork() */
	uint32_t pid, cpu;
	uint32_t program;          /* its number */
	uint32_t continues;        /* not 0: the process ran before, as another program */
	_Atomic uint32_t replaced; /* enum capture_replaced: it asked for another program by exec(), and that did not
						 fail */
	uint64_t unknown;          /* instructions that began, in blocks that did not go on as they must */
	struct capture_state now;  /* the trace under way, if no node knows it */
	uint64_t node, nodes; /* addresses in the plugin: of the node that knows it; of the first, which knows none */
	_Atomic uint32_t node_count;
	_Atomic uint32_t blocks;  /* numbers that were given to blocks; 0: what is for silent blocks is not used */
	uint32_t more, more_room; /* edges in the hash table, and how many have room: a power of two, or 0 */
	_Atomic uint32_t keys;    /* that are there */
	uint32_t last, times;     /* key of the trace that ended last and how often; 0 times: none */
	_Alignas(64) _Atomic uint64_t pushed; /* entries of the ring, ever */
	_Alignas(64) _Atomic uint64_t taken;
};

/* Of a system: the code of the programs that it may run, in a memory of its own, so that what else runs at the same
 * addresses is told from them. */
#define CAPTURE_CODE_MAGIC UINT64_C(0x31444f4345564952)
#define CAPTURE_SYSTEM_OBJECT(NUMBER) ((NUMBER)&0x3FFFu)
#define CAPTURE_SYSTEM_OTHER 0x3FFFu /* the object of all code that is of no program */
struct capture_code {
	uint64_t magic, count;
	struct capture_segment {
		uint64_t address, size, object;
		uint64_t bytes; /* where they are in this memory */
	} segments[];
};
enum capture_mode { CAPTURE_USER, CAPTURE_SUPERVISOR, CAPTURE_MODE_UNKNOWN, CAPTURE_MACHINE };

struct capture_key {
	uint64_t start, hist, count;
	uint32_t insns;
	uint32_t reason; /* enum trace_reason */
};
#endif
