/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_KERNEL_H
#define RIVULET_KERNEL_H
/*
 * A small preemptive kernel (docs/kernel.md): processes in U mode, each alone in its slot of memory, round robin on the
 * timer.
 *
 *	entry.S		trap entry and return
 *	kernel.c	processes, scheduler, system calls, the end
 *	image.c		what the head of a program may say
 *	work.c		what takes longer than a trap may, in the time of the process that it is for
 *	collect.c	the trace unit for processes
 *	account.c	who had the core, when
 *	optimise.c	the optimiser for processes; only in images that are linked with it (KERNEL_OPTIMISE)
 *	console.c	what processes print, such that it is no frame
 *	slots.S		the programs of an image and what is done with them; slots.sh makes it for each image
 *
 * The kernel runs in M mode with interrupts off, on one stack, to the end of each trap, but for the work of work.c. The
 * trace interrupt alone does not come to it: sw/trace/handler.S counts into the table of the process that mscratch
 * points to.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sw/hal/area.h"
#include "sw/hal/hal.h"
#include "sw/kernel/abi.h"
#include "common/run_config.h"
#include "sw/trace/table.h"

#ifndef KERNEL_PROCESSES
#define KERNEL_PROCESSES 8 /* slots of an image, at most */
#endif
#define KERNEL_NAME 33 /* bytes of a program's name, with its zero */

/* One slot of the image (slots.S). */
struct slot {
	uint32_t base, flags;
	uint32_t rounds; /* the process is started that often, one time after the other */
};
#define SLOT_PROFILE 1u   /* may be profiled */
#define SLOT_OPTIMISE 4u  /* ... and optimised while it is profiled, if the kernel has the optimiser */
#define SLOT_SAVE_LAST 2u /* way timer: the last trace is kept over a switch ([0076]); else none is there after it */
extern const struct slot kernel_slots[];
extern const uint32_t kernel_slot_count, kernel_slot_size, kernel_slice; /* slice: cycles of a time slice */

/* The head of a program (abi.h). */
struct program {
	uint32_t magic, entry;
	uint32_t text_end; /* the build is the check sum of the slot up to here */
	uint32_t code_end; /* read and execute up to here, read and write from here */
	uint32_t memory_end, stack;
	uint32_t name;  /* address of its zero-ended name, below text_end */
	uint32_t cache; /* room for a code cache, up to code_end */
};

/* The part of the trace unit's state that belongs to a process: TSH (docs/glossary.md) [0076]. */
struct trace_state {
	uint32_t start, hist, info, cycles; /* the current pair; hist 0: none */
	uint32_t resume, counter, lfsr;
	uint32_t last_start, last_hist, last_info, last_cycles, last_count, last_context; /* last_hist 0: none */
};

enum process_state { PROCESS_NONE, PROCESS_READY, PROCESS_SLEEPS, PROCESS_ENDED };

struct process {
	uint8_t stack[AREA_STACK]; /* of the trace handler's rare cases; below the area, where it expects it */
	union {
		struct hal_frame frame; /* its registers while it does not run */
		uint8_t bytes[AREA_SIZE];
	} area;
	enum process_state state;
	const struct slot *slot;
	const struct program *program; /* null: there is none, or none that the kernel can take */
	char name[KERNEL_NAME];        /* its own copy */
	uint32_t round;
	uint64_t wakes; /* mtime; PROCESS_SLEEPS */
	bool exits;     /* it ends by SYS_EXIT with that code */
	uint32_t code;

	/* account.c */
	uint64_t ran; /* cycles */
	uint32_t slices, preempted, failures;
	uint32_t waits_from, longest_wait; /* low half of mcycle since when it could run; cycles until it did */

	/* work.c */
	struct hal_frame work;                    /* registers of its work while that does not run */
	void (*working)(struct process *process); /* null: it runs itself */
	uint32_t text, text_left;                 /* SYS_WRITE: what is still to be printed */

	/* of collect.c; the rest of the kernel reads only `collecting`, and only on a switch */
	bool collecting;
	bool cut; /* its trace was ended: it begins a new one where it goes on */
	struct trace_state trace;
	struct table table;
	uint8_t *memory; /* of the table; null: not yet given */
	uint64_t lost, cycles, instructions;
	uint64_t cycles_from, instructions_from; /* counters when it last began to run */
	uint32_t samples_empty;

	/* optimise.c */
	bool optimising;
	uint32_t execute_only; /* code up to here can be executed, not read; 0: all of it can be read */
};

extern struct process *kernel_current;
extern struct process kernel_processes[]; /* by slot */
extern struct run_config rivulet_config;

/* ---- image.c ---- */
/* Looks at each word of the head in the process's slot, and sets program and name. Returns NULL, or which word says
 * what no program of this slot may have. */
const char *image_open(struct process *process);

/* ---- console.c ---- */
/* Before the first text. */
void console_init(void);
/* Behind the last of several frames: text may follow. */
void console_frames_end(void);
/* What a process prints. */
void console_write(const uint8_t *bytes, size_t size);
/* A frame. */
void console_frame(const void *bytes, size_t size);
/* Before text of the kernel's own. */
void console_text(void);

/* ---- account.c ---- */
#define ACCOUNT_LOG 256         /* slices that are kept one by one */
extern uint32_t account_border; /* low half of mcycle when the kernel was entered, or left */
extern uint32_t account_begin;  /* ... when the process that runs got the core */
/* The process could run from then on, by the low half of mcycle. */
static inline void account_ready(struct process *process, uint32_t when)
{
	process->waits_from = when;
}
/* It runs now. */
static inline void account_run(struct process *process)
{
	uint32_t waited = csr_read(mcycle) - process->waits_from;
	if (waited > process->longest_wait)
		process->longest_wait = waited;
}
/* Cycles of the process that runs, by its work. */
uint64_t account_own(const struct process *process);
/* The kernel has been entered: what has passed since it was left was the process's. */
static inline void account_enter(struct process *process)
{
	uint32_t now = csr_read(mcycle);
	process->ran += now - account_border;
	account_border = now;
}
static inline void account_leave(void)
{
	account_border = csr_read(mcycle);
}
/* The process has given the core to another, which gets it now. */
void account_switch(struct process *process, uint32_t slot);
void account_init(void);
/* Waiting, from the first to the second. */
void account_wait(void);
void account_waited(void);
void account_send(const struct process *processes, uint32_t count);

/* ---- collect.c ---- */
/* Reads the run configuration and sets the unit up; false: there is none, or not one that can do it. */
bool collect_init(void);
/* The vector table to use. */
const uint32_t *collect_vectors(void);
/* Profile of the process that runs: from here on. Returns 0 or SYS_EDENIED. */
int collect_on(struct process *process);
/* ... up to here: in a trap. False: there is none. */
bool collect_stop(struct process *process);
/* Sends it: work. */
void collect_send(struct process *process);
/* Context switch: the process's trace state leaves the unit, or comes back. Only where process->collecting. */
void collect_save(struct process *process);
void collect_restore(struct process *process);
/* Way timer: takes a sample. Only where process->collecting. */
void collect_tick(struct process *process);
/* The trace that was saved ends where the process is, and is counted; it goes on with a new one. Only where
 * process->collecting. */
void collect_cut(struct process *process);
/* Width of the unit's history. */
unsigned collect_bits(void);

/* What the process that runs can reach, again: process->execute_only has changed. */
void kernel_set_memory(const struct process *process);

/* ---- work.c ---- */
enum work_call { WORK_DONE, WORK_YIELD, WORK_CUT }; /* a7 of the work's ECALL */
#define WORK_TEXT 128u                              /* bytes of a text that are printed at once */
/* The process goes on with this work, and where it is when that is done. Its trace is saved or stopped. */
void work_begin(struct process *process, void (*work)(struct process *process));
/* For work: lets the others run; collect_cut(). */
void work_yield(void);
void work_cut(void);
/* No interrupt between these two. The second gets what the first gave. */
uint32_t work_quiet(void);
void work_loud(uint32_t before);

/* ---- optimise.c: docs/kernel.md, section 8 ---- */
#ifndef KERNEL_OPTIMISE
#define KERNEL_OPTIMISE 0
#endif
#if KERNEL_OPTIMISE
/* The process has begun to be profiled; ends to be. */
void optimise_on(struct process *process);
void optimise_off(struct process *process);
/* At the end of a time slice: whether there is work to do (optimise_look()). Only where process->optimising. */
bool optimise_due(const struct process *process);
void optimise_look(struct process *process);
/* The process that runs has trapped. True: it has read code that is patched: optimise_release() is to be done, and it
 * reads it again. False: its frame is the program's now, with the program's pc. */
bool optimise_fault(struct process *process, uint32_t cause, uint32_t address);
/* Is something there patched? Then the kernel must not read it before optimise_release(). */
bool optimise_hides(const struct process *process, uint32_t address, uint32_t size);
/* Work: everything as it was. */
void optimise_release(struct process *process);
#else
static inline void optimise_on(struct process *process)
{
	(void)process;
}
static inline void optimise_off(struct process *process)
{
	(void)process;
}
static inline bool optimise_due(const struct process *process)
{
	(void)process;
	return false;
}
static inline void optimise_look(struct process *process)
{
	(void)process;
}
static inline bool optimise_fault(struct process *process, uint32_t cause, uint32_t address)
{
	(void)process, (void)cause, (void)address;
	return false;
}
static inline bool optimise_hides(const struct process *process, uint32_t address, uint32_t size)
{
	(void)process, (void)address, (void)size;
	return false;
}
static inline void optimise_release(struct process *process)
{
	(void)process;
}
#endif
#endif
