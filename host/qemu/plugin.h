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

/* ---------------------------------------------------------------- blocks and processors (plugin.c, plugin_edges.c) */

/* END_RETURN: from a trap. What goes anywhere is last. */
enum block_end { END_PLAIN, END_SYSTEM_CALL, END_BRANCH, END_JUMP, END_INDIRECT, END_RETURN };

struct block { /* aligned to BLOCK_ALIGN: what is used for each edge shares a line of the cache */
	/* edges alone: where it goes, not taken and taken; of an indirect jump the last time. NOWHERE: it cannot */
	_Atomic uint64_t goes[2];
	uint64_t start;
	_Atomic uintptr_t edge[2]; /* edges alone: key of the trace that ended so last; EDGE_GOES_ON, EDGE_UNKNOWN */
	uint32_t insns;
	uint8_t end;            /* enum block_end */
	uint8_t reason[2];      /* edges alone: why a trace ends there, TRACE_NONE: it goes on */
	_Atomic bool check;     /* of a system: it has not run yet, or has begun behind a trap, or may break */
	uint8_t hist[2];        /* edges alone: the history of the trace that ends so */
	bool alone;             /* of a system, in code that is in no program: a trace of its own */
	_Atomic uint32_t guess; /* key of the trace that ended with it last, of any thread */
	uint64_t last, behind, target;
	struct block *more_edges;    /* the next of all that have edges */
	struct system_block *system; /* plugin_system.c; NULL: of a process */
};
enum { BLOCK_ALIGN = 64 };

/* What a region begins with: what the command reads of it, then what only the plugin knows. */
struct processor {
	struct capture_region shared;
	struct block *before; /* the block that began last; NULL: none */
	pthread_t thread;     /* that runs it */
	bool reached;         /* the last instruction of the block before; where blocks break */
	uint64_t completed;   /* `executed` when the system call returned that ended the block before */
	struct capture_key *keys;
	uint32_t *table; /* 1 + key, 0: free; a power of two */
	size_t room;
	_Atomic uint64_t *ring;
};
_Static_assert(sizeof(struct processor) <= CAPTURE_RING_AT, "a region begins with it");

#define EDGE_GOES_ON ((uintptr_t)0)
#define EDGE_UNKNOWN UINTPTR_MAX
enum { NOWHERE = 1, PROCESSORS = 4096 };
extern struct processor *processors[PROCESSORS]; /* by qemu's number of the thread; NULL: it has not begun */

/* For each block that begins; data: the block. */
void block_begins(unsigned cpu, void *data);
/* The same where edges alone are counted. A trace has one outcome then, so each block ends the same few. */
void edge_begins(unsigned cpu, void *data);
/* The same for a block of a system. */
void edge_begins_checked(unsigned cpu, void *data);
/* The trace ends, and has the instructions that are counted for it; what comes begins at `next`. */
void end_trace(struct processor *p, enum trace_reason reason, uint64_t next);
/* The block before is over, and the next one is at `next`. False: it did not end as its last instruction says. */
bool finish_block(struct processor *p, uint64_t next);
/* For each block that is translated (plugin_blocks.c). */
void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
/* An instruction's bytes. */
uint64_t plugin_word(const struct qemu_plugin_insn *insn, size_t size);
/* In a child: what is remembered is its parent's. */
void forget_edges(void);
/* Fills in what edge_begins() knows of a block that was translated. */
void note_edges(struct block *block);

/* ---------------------------------------------------------------- other programs (plugin_exec.c) */

/* The number of this program, and its file without links. */
extern uint32_t program_number;
extern char program_path[CAPTURE_PATH_MAX];
/* What was added to addresses of the program to get those of this process; for code at `host`. */
void exec_learn_base(uint64_t address, const void *host);
/* Of the plugin's arguments, memory=FILE and program=N. False: they cannot be used. */
bool exec_take_arguments(int argc, char **argv, bool wide);
/* The program asks for another one: if it is one of RISC-V, becomes qemu with this plugin and that, and does not
 * return. Else, or if it cannot be, qemu does what it does. path, words and environment: addresses of the program. */
void exec_follow(struct processor *p, int64_t folder, uint64_t path, uint64_t words, uint64_t environment);

/* ---------------------------------------------------------------- which file code comes from (plugin_maps.c) */

/* To be told of each system call, before it is made: mappings may be others behind it. */
void maps_called(int64_t number, uint64_t a3);
/* The number of the object that the code at address belongs to, of `size` bytes at `host` in this process' memory: of a
 * file, if it is as in the file; else of code that was made at run time. 0: nothing is known of it. */
uint64_t maps_object(uint64_t address, const void *host, size_t size);

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
