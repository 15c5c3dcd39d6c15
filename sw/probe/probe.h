/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_H
#define RIVULET_PROBE_H
/*
 * The runtime of inserted counters (`rivulet insert`). Freestanding C11 for RV32 and RV64; it needs nothing of a C
 * library. Each edited object registers its counters before main(), by a constructor (.init_array).
 *
 * The profile leaves as frames (docs/profile-format.md): source "inserted", one entry for each counter that is not 0:
 * the object's id as start, the counter's number + 1 as history. `rivulet` reads it with the program that ran.
 *
 * Bare metal: call rivulet_probe_write() at the end, or link with -Wl,--wrap=_exit, which does. Define
 * rivulet_probe_put() for your board: the weak one sends nothing, and the counters stay in memory.
 * Linux: a file at exit, _exit, abort and fatal signals; its name is RIVULET_PROFILE from the environment, %p in it
 * stands for the process number, or rivulet.prof.
 */
#include <stddef.h>
#include <stdint.h>

struct rivulet_probe_node { /* as host/insert/insert.c lays it out */
	struct rivulet_probe_node *next;
	uint32_t id[2];
	void *counters;
	uint32_t count;
	uint16_t width, mode; /* bytes of a counter: 4, 8; enum insert_mode */
};

/*
 * Paths of functions that have too many of them for an array (EPP section 4): buckets of all functions in one pool, in
 * chains by the low bits of the path's number. A bucket stays where it is. Its count has 64 bits. Inserted code counts
 * in the slot of the path's low bits, which belongs to the first path that came to it, for good: then nobody who is
 * interrupted between two instructions counts for another path. A bucket's count is what it has and what its slot has.
 *
 *   the path's slot, or ──► rivulet_probe_slot (hash_hook.S) ──► a chain ──► rivulet_probe_new(): a new bucket, and the
 *   slot, if it is nobody's
 *
 * The pool has RIVULET_PROBE_BUCKETS buckets; a program that needs more defines rivulet_probe_pool and
 * rivulet_probe_buckets itself. On Linux it has 2^20, which take memory as they are used, unless the program defines it
 * (rivulet_probe_room()). Counts that find no room are in the profile as dropped.
 */
#define RIVULET_PROBE_HEADS (sizeof(void *) == 8 ? 1024 : 128) /* of a function; powers of two */
#define RIVULET_PROBE_BUCKETS 2048
struct rivulet_probe_bucket {
	struct rivulet_probe_bucket *next;
	const struct rivulet_probe_table *table;
	uintptr_t path; /* the number; above it the context, where parts of paths are joined (common/joined.h) */
#if UINTPTR_MAX == UINT32_MAX
	uint32_t joined; /* what the path register is when the next part begins (hash_hook.S) */
#endif
	uint64_t count; /* and RIVULET_PROBE_OWNS: the slot is this one's, not that of another bucket of the path */
};
#define RIVULET_PROBE_OWNS (UINT64_C(1) << 63)
struct rivulet_probe_slot {
	uintptr_t path;  /* 0: it is nobody's; no path is 0 */
	uintptr_t count; /* RV32: below 2^31, when no path is being counted */
};
#define RIVULET_PROBE_SLOTS 256
struct rivulet_probe_table { /* as host/insert/tables.c lays it out */
	uint32_t id[2], function, joined;
	struct rivulet_probe_bucket **heads;
	struct rivulet_probe_slot *slots;
};
extern struct rivulet_probe_bucket rivulet_probe_pool[] __attribute__((weak));
extern const uint32_t rivulet_probe_buckets; /* in it */
/* Chooses the pool: before the first bucket is taken, and when the first object registers. Weak, of hash.c. */
void rivulet_probe_open_pool(void) __attribute__((weak));
/* Memory for *buckets buckets, all 0; NULL: there is none. Weak, of linux.c. */
struct rivulet_probe_bucket *rivulet_probe_room(uintptr_t *buckets) __attribute__((weak));
/* RIVULET_PROBE_READY once .bss and .data have their initial values, so that tables may be used: set by the first
 * rivulet_probe_register(), or from the beginning where a loader fills memory. */
extern uint32_t rivulet_probe_ready;
#define RIVULET_PROBE_READY 0x52564000u
/* Weak, of thread.c (--per-thread): how many other threads have had counters, where those of a thread are, counted from
 * the main thread's, and all of them to 0. */
unsigned rivulet_probe_threads(void) __attribute__((weak));
intptr_t rivulet_probe_distance(unsigned thread) __attribute__((weak));
void rivulet_probe_clear_threads(void) __attribute__((weak));
intptr_t rivulet_probe_own(void) __attribute__((weak)); /* of the calling thread */
/*
 * Calls that had not ended (EPP, "early termination"): registers and the words of the stack go into the profile, and
 * the host finds the calls in them (host/insert/unwind.h). stack.c gives those of the moment when the profile is sent,
 * left.c those that longjmp() left before; both are weak.
 */
struct rivulet_probe_stack {
	uintptr_t kind, count, pc, back_pc, back_sp; /* as host/profile/stack.h has them */
	uintptr_t x[32];                             /* x[0]: 0 */
	uint32_t sums;                               /* registers that are sums */
	const volatile uintptr_t *words;             /* of the stack from x[2] on */
	const volatile uint8_t *sum;                 /* by word: whether it is a sum; NULL: none is */
	size_t word_count;
};
/* Number `index`, 0 on; NULL: there are no more. */
const struct rivulet_probe_stack *rivulet_probe_stack(unsigned index) __attribute__((weak));
const struct rivulet_probe_stack *rivulet_probe_left(unsigned index) __attribute__((weak));
/* stack.c: where the stack ends that begins at sp; weak, from symbols that linker scripts define. At most
 * RIVULET_PROBE_STACK_BYTES are sent. */
uintptr_t rivulet_probe_stack_top(uintptr_t sp);
#define RIVULET_PROBE_STACK_BYTES 65536
/* stack.c: the program ends because of a trap: x1 to x31 (x[1] ...) and pc of what was interrupted. To be called by a
 * handler that does not return; NULL: it returns after all. The registers must stay as they are. */
void rivulet_probe_trap(const uintptr_t *x, uintptr_t pc) __attribute__((weak));
/* stack.c, Linux: in a child of fork(), the calls that are open there; its parent ran what their paths had run
 * through. */
#define RIVULET_PROBE_FORKED 3 /* as enum profile_stack_kind */
void rivulet_probe_forked(const uintptr_t *x, uintptr_t pc) __attribute__((weak));
/* Weak, of left.c: how many stacks found no room; none from now on. */
extern uint32_t rivulet_probe_left_lost __attribute__((weak));
void rivulet_probe_left_clear(void) __attribute__((weak));
/* The words themselves, or a copy of them; NULL: they cannot be read. */
const volatile uintptr_t *rivulet_probe_stack_copy(const volatile uintptr_t *words, size_t number);
/* By rivulet_probe_write(): the registers of its caller. */
void rivulet_probe_here(const uintptr_t *x, uintptr_t pc) __attribute__((weak));
/* Where everything is, for a debugger that dumps it (host/profile/memory.h); words of XLEN bits. */
struct rivulet_probe_root {
	uintptr_t ready; /* RIVULET_PROBE_READY */
	struct rivulet_probe_node *nodes;
	struct rivulet_probe_bucket *pool;
	uintptr_t buckets, dropped;
	uintptr_t low, high;               /* path registers lie in between */
	const volatile uint32_t *switched; /* the word of switch.h; NULL: none */
};
extern struct rivulet_probe_root rivulet_probe_root;
/* What hash_hook.S calls for a path that has no bucket; part: gives the path register behind a cut. */
void rivulet_probe_new(uintptr_t path, const struct rivulet_probe_table *table);
uintptr_t rivulet_probe_new_part(uintptr_t path, const struct rivulet_probe_table *table);

/*
 * Dynamic programs and shared libraries (Linux): each has a copy of this runtime, and all are found through the one
 * variable that the copies share (process.c). In a library all other names are hidden. A library's counters have its
 * salt in their ids (salt.S): the same object may be part of several. What a library counted until dlclose() is kept.
 *
 *   rivulet_probe_process ──► part: program, libraries ──► root ──► nodes     the part that ends the process writes all
 *                                                                             of them
 *                        └──► kept: counters of libraries that are gone
 */
struct rivulet_probe_part {
	struct rivulet_probe_part *next;
	struct rivulet_probe_root *root;
	uint32_t salt[2];                                  /* of the program: 0 */
	uint32_t (*used)(unsigned level, uint32_t *first); /* of hash.c */
	uint64_t (*read)(const struct rivulet_probe_node *node, uint32_t counter);
};
struct rivulet_probe_kept {
	struct rivulet_probe_kept *next;
	uint64_t id; /* with the salt */
	uint32_t salt[2];
	uint32_t count, mode;
	uint64_t counters[];
};
struct rivulet_probe_process {
	struct rivulet_probe_part *parts;
	struct rivulet_probe_kept *kept;
	long owner;         /* process that the counters belong to; 0: not known yet */
	int forked;         /* it is a child */
	int writing;        /* a lock */
	int watching;       /* some copy handles signals */
	int program, ended; /* the program itself has counters; its destructors have run */
};
extern struct rivulet_probe_process rivulet_probe_process __attribute__((visibility("default")));
/* One entry for each part of several: this id, its salt as number, the sum of its counts as count. */
#define RIVULET_PROBE_LIBRARY_ID 0x2C79726172626902u
/* Weak, of process.c: makes this copy's part known. */
void rivulet_probe_join(void) __attribute__((weak));
/* Of all threads. */
uint64_t rivulet_probe_read(const struct rivulet_probe_node *node, uint32_t counter);

/* An object's counters begin. Called twice for each on bare metal, by early.c and by its constructor: the second time
 * does nothing. */
void rivulet_probe_register(struct rivulet_probe_node *node);
/* Weak, of early.c, for bare metal: all objects register, before any constructor of the program. */
void rivulet_probe_early(void) __attribute__((weak));
/* The program's number, as profile_program() of the host has it: of all objects, whatever their order; weak. */
uint64_t rivulet_probe_program(void) __attribute__((weak));
/* Sends everything counted so far, as one profile. */
void rivulet_probe_write(void);
/* Called before a profile is sent; weak, does nothing (the runtime of --cycles, cycles.c, has one). */
void rivulet_probe_before(void);
/* All counters to 0; those of one object. */
void rivulet_probe_reset(void);
void rivulet_probe_clear(struct rivulet_probe_node *node);
/* Called by rivulet_probe_reset(); weak, does nothing (cycles.c). */
void rivulet_probe_cleared(void);
/* When an object registers; weak, does nothing. On bare metal it clears: the memory of the counters may have been
 * anything before start-up code cleared it, and an edited memset() counts while it clears them. */
void rivulet_probe_begin(struct rivulet_probe_node *node);
/* Called before the first bytes of a trace (trace_buffer.h), which come while the program runs; weak, does nothing. */
void rivulet_probe_open(void);
/* A clock with 64 bits that ticks no faster than the program can count twice in one counter: cycles. It goes into the
 * profile, so that reports can say whether a counter of 32 bits may have started again. It may be missing, or be 0:
 * exit.c and semihosting.c have one if RIVULET_PROBE_CLOCK says which CSR may be read (cycle.h). */
uint64_t rivulet_probe_cycles(void) __attribute__((weak));
/* Where frames go; to be defined by a board. */
void rivulet_probe_put(const void *bytes, size_t size);
/* The program's name in the header; weak, "program". */
extern const char rivulet_probe_name[];
#endif
