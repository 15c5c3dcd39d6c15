/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_PLUGIN_H
#define RIVULET_QEMU_PLUGIN_H
/*
 * Inside the plugin: what is used of qemu's interface, and what its files share. Debian's qemu has no header for
 * plugins, so the functions are declared here, as versions 1 (qemu 7.1 to 8.2) and 2 and later (from 9.0 on) have them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"
#include "host/qemu/capture.h"

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
struct qemu_info { /* the beginning of qemu_info_t */
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
};
enum { CALLBACK_READS_NOTHING = 0 };
typedef void plugin_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void plugin_executed(unsigned cpu, void *data);
typedef void plugin_called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
    uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void plugin_returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result);
typedef void plugin_left(qemu_plugin_id_t id, unsigned cpu);
typedef void plugin_ended(qemu_plugin_id_t id, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, plugin_translated *translated);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, plugin_executed *executed, int reads, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *insn, plugin_executed *executed, int reads, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, plugin_called *called);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, plugin_returned *returned);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, plugin_left *left);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_ended *ended, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#define PLUGIN_EXPORT __attribute__((visibility("default")))

struct plugin_state {
	unsigned set; /* of isa_decode() */
	bool whole_system, edges_alone;
	int interface_version;
};
extern struct plugin_state plugin;
/* The shared memory; NULL before it is there. */
extern struct capture_file *capture;
extern char memory_name[256]; /* its file */
/* Tells the command why, and ends the program. */
_Noreturn void capture_give_up(enum capture_failure why);

/* ---------------------------------------------------------------- blocks and processors (plugin.c, plugin_nodes.c) */

/* END_RETURN: from a trap. What goes anywhere is last. */
enum block_end { END_PLAIN, END_SYSTEM_CALL, END_BRANCH, END_JUMP, END_INDIRECT, END_RETURN };

struct block {
	_Atomic(struct capture_node *) root; /* of the traces that begin with it, of any processor; NULL: not yet */
	uint64_t start, last, behind, target;
	uint32_t insns;
	uint8_t end;                 /* enum block_end */
	_Atomic bool check;          /* of a system: it has not run yet, or has begun behind a trap, or may break */
	bool faults;                 /* of a process: something in it can fault before its end */
	bool alone;                  /* of a system, in code that is in no program: a trace of its own */
	uint64_t silent;             /* what it adds to the word of silent blocks; 0: it calls */
	uint32_t number;             /* where there are silent blocks; else 0 */
	struct block *next;          /* of all */
	struct system_block *system; /* plugin_system.c; NULL: of a process */
};

/* What a region begins with: what the command reads of it, then what only the plugin knows. shared.now and `before' are
 * valid while nothing is known by a node: take_state(), give_state(). */
struct processor {
	struct capture_region shared;
	struct block *before; /* the block that began last; NULL: none */
	pthread_t thread;     /* that runs it */
	bool reached;         /* the last instruction of the block before; where blocks break */
	bool returned;        /* the system call that ends the block before */
	uint32_t ended;       /* 1 + key of the trace that ended last; 0: it had no instruction */
	struct capture_key *keys;
	uint32_t *table; /* 1 + key, 0: free; a power of two */
	size_t room;
	_Atomic uint64_t *ring;
	uint64_t ring_full;         /* the number of the entry for which room must be looked for */
	struct capture_node *nodes; /* the first one matches nothing: what is under way is in shared.now */
	struct capture_state *states;
	struct node_root { /* by the block; a power of two */
		const struct block *block;
		struct capture_node *node;
	} * roots;
	size_t root_count, root_room;
};
_Static_assert(sizeof(struct processor) <= CAPTURE_SILENT_AT, "a region begins with it");

enum { PROCESSORS = 4096 };
extern struct processor *processors[PROCESSORS]; /* by qemu's number of the thread; NULL: it has not begun */

/* For each block that begins; data: the block. With order, and for a block of a system. */
void block_begins(unsigned cpu, void *data);
void block_begins_in_order(unsigned cpu, void *data);
void block_begins_checked(unsigned cpu, void *data);
/* The same by the rules, for what no node knows; p->ended is this block's then. True: the block before ended as it
 * must, with one trace at most. */
bool block_begins_anew(struct processor *p, struct block *block);
/* The processor of a thread that begins its first block. */
struct processor *new_processor(unsigned cpu);
/* The trace ends, and has the instructions that are counted for it; what comes begins at `next`. */
void end_trace(struct processor *p, enum trace_reason reason, uint64_t next);
/* The block before is over, and the next one is at `next`. False: it did not end as its last instruction says. */
bool finish_block(struct processor *p, uint64_t next);
/* To be told of each system call, before it is made (action: its second argument): one sets what handles a signal.
 * Whether such a handler begins there (plugin_handlers.c). */
void handler_set(int64_t number, uint64_t action, bool wide);
bool handler_begins(uint64_t address);
/* For each block that is translated (plugin_blocks.c). */
void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
/* An instruction's bytes. */
uint64_t plugin_word(const struct qemu_plugin_insn *insn, size_t size);
/* What is under way, out of the node that knows it, into p->shared.now and p->before. */
void take_state(struct processor *p);
/* The same code, translated again: what is known of the old one holds. */
bool same_code(const struct block *a, const struct block *b);
/* It is there now, and in no node. */
void give_state(struct processor *p);
/* All blocks, for the next: a child knows nothing of its parent's nodes. */
void remember_block(struct block *block);
void forget_roots(void);

/* ---------------------------------------------------------------- order (plugin.c) */

/* The run of equal traces before this one goes into the ring. */
void push_run(struct processor *p, uint32_t key);
/* A trace ended, where order is wanted: equal ones in a row are one entry. */
static inline void push_trace(struct processor *p, uint32_t key)
{
	struct capture_region *r = &p->shared;
	if (r->last == key && r->times - 1 < UINT32_MAX - 1)
		r->times++;
	else
		push_run(p, key);
}

/* ---------------------------------------------------------------- other programs (plugin_exec.c) */

/* The number of this program, and its file without links. */
extern uint32_t program_number;
extern char program_path[CAPTURE_PATH_MAX];
/* What was added to addresses of the program to get those of this process; for code at `host`. */
void exec_learn_base(uint64_t address, const void *host);
/* Of the plugin's arguments, memory=FILE and program=N. False: they cannot be used. */
bool exec_take_arguments(int argc, char **argv, bool wide);
/* Bytes at an address of the program; how many there are: fewer where its memory ends. */
size_t exec_read_bytes(uint64_t address, void *to, size_t size);
/* To be told of each system call, before it is made: behind one that changes the user nothing of the command's can be
 * opened, so what another program needs is opened before. */
void exec_called(int64_t number);
/* The program asks for another one: if it is one of RISC-V, becomes qemu with this plugin and that, and does not
 * return. Else, or if it cannot be, qemu does what it does. path, words and environment: addresses of the program. */
void exec_follow(struct processor *p, int64_t folder, uint64_t path, uint64_t words, uint64_t environment);

/* ---------------------------------------------------------------- which file code comes from (plugin_maps.c) */

/* To be told of each system call, before it is made: mappings may be others behind it. */
void maps_called(int64_t number, uint64_t a3);
/* Whether an object is code that was made at run time. */
bool maps_made(uint64_t object);
/* The number of the object that the code at address belongs to, of `size` bytes at `host` in this process' memory: of a
 * file, if it is as in the file; else of code that was made at run time. 0: nothing is known of it. */
uint64_t maps_object(uint64_t address, const void *host, size_t size);

/* ---------------------------------------------------------------- silent blocks (plugin_silent.c, plugin_edges.c) */

enum { SILENT_BLOCKS = CAPTURE_SILENT_DEPTHS + 3 }; /* of one word, at most: one that called, two behind a signal */
/* In a page of its own: the word; the edges of the block that called last, or 0: the processor has the block before. */
extern uint64_t silent_word[];
#define SILENT_NOBODY ((uint64_t)(CAPTURE_BLOCKS_MAX - 1) << 44) /* a word without a caller */
extern struct processor *silent_processor;                       /* whose it is; NULL: nobody's */
/* There will be some, until there are threads. */
void silent_install(qemu_plugin_id_t id);
/* What the plugin is to be told of; once more when it has been reset (plugin.c). */
void plugin_register(qemu_plugin_id_t id);
/* The word is this processor's from now on. */
void silent_begin(struct processor *p);
/* What a block does that is being translated. False: it is for others to say. */
bool silent_translated(struct qemu_plugin_tb *tb, struct block *block);
/* What silent blocks added to a word that was put there by who called, by its edges; NULL: by nobody. */
static inline uint64_t silent_added(uint64_t word, const struct capture_edges *caller)
{
	return word - (caller != NULL ? caller->leaves : SILENT_NOBODY);
}
/* The blocks that this stands for, in order; the last one has begun. Returns how many; 0: none, or not to be told. */
size_t silent_decode(uint64_t added, struct block **blocks);
/* The block of a number; 0: NULL. */
struct block *silent_block(uint32_t number);
/* A handler of signals begins there, from now on: handler_begins() holds. */
void silent_handler(uint64_t address);
/* The word of all blocks that go on here and nowhere else; 0: there is none. */
uint64_t silent_target(uint64_t address);
/* For each block that calls; edges: its place, by its number, in what edges_open() gave. */
void edge_begins(unsigned cpu, void *edges);
/* The same while blocks are weighed: it counts silent_calls_left down, and at 0 calls silent_weighed(), which chooses
 * anew by how often each block ran. */
void edge_begins_weighed(unsigned cpu, void *edges);
extern uint64_t silent_calls_left;
void silent_weighed(void);
/* The same for one that has no number. */
void edge_begins_rarely(unsigned cpu, void *block);
/* The place of all edges, wherever those of a processor are; NULL: out of memory. */
char *edges_open(void);
/* From now on it is what this processor has. False: no memory is left. */
bool edges_begin(struct processor *p, char *edges);
/* How often each trace was counted until now, by its key; for free(). NULL: out of memory. */
uint64_t *edges_times(struct processor *p);
/* What the word says is counted, and the processor has the block before. */
void edges_settle(struct processor *p);

/* ---------------------------------------------------------------- systems: modes and traps (plugin_system.c) */

/* Of the plugin's arguments, code=FILE and log=FILE. False: they cannot be used. */
bool system_take_arguments(int argc, char **argv);
/* Fills in what is known of a block when it is translated. */
void system_translated(struct block *block, const struct qemu_plugin_tb *tb);
/* For the last instruction of each block, where blocks break. */
void system_reaches(unsigned cpu, void *data);
/* A block begins that has not run yet, or has begun behind a trap, or any where blocks break. TRACE_TRAP: so it does
 * now, and what ran before the trap is counted for the trace under way; TRACE_GAP: the block before broke. */
enum trace_reason system_begins(struct processor *p, struct block *block);
/* The block before did not go on as it says. True: its trace has ended as it must; false: nothing is known. */
bool system_leaves(struct processor *p, uint64_t next);
/* This block began where the one before does not go on. */
void system_entry(struct block *block);
/* The emulator ends. True: all of the block before ran. */
bool system_ends(struct processor *p);
#endif
