/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_TRACE_STIMULUS_H
#define RIVULET_TB_TRACE_STIMULUS_H
/*
 * A core and a driver for the trace unit, pseudo-random and made of a seed alone: a program whose instruction at an
 * address stays the same for a phase (some hundred to some thousand cycles), so that paths repeat, with traps,
 * interrupts, nested handlers and their returns; and register writes between. A phase chooses the kind of program, its
 * place in the address space, and how the unit is set up.
 */
#include "tb/trace/rtl.h"

enum { STIMULUS_STACK = 24, STIMULUS_QUEUE = 32 };

struct stimulus {
	struct trace_config config;
	uint64_t state;                                  /* of the random generator */
	uint64_t stop_state, recorder_state, sink_state; /* of their own, so that all else stays the same */
	bool stop;                                       /* tracing is held off */
	bool held;                                       /* two slots: retire_ready_o was 0 in the cycle before */
	/* this phase */
	uint32_t left; /* cycles */
	uint32_t salt;
	uint64_t base, size, handler; /* of the code; size 0: it goes on without end */
	uint32_t branches, jumps,
	    plain;                     /* of 256 instructions, so many are of this kind; the rest are indirect jumps */
	uint32_t reach, forward, bias; /* of branches: bytes; backward ones do not occur; changed outcomes of 256 */
	uint32_t stall, traps, interrupts; /* of 256, of 4096, of 4096 */
	uint32_t writes, pops;             /* of 4096, of 256 */
	uint32_t pairs;                    /* two slots: of 256 cycles, the second has an instruction too */
	bool deaf;                         /* and ready is not heeded */
	uint32_t breaks;                   /* of 4096: the port breaks its promise (with_check) */
	uint32_t ctrl;
	uint32_t quiet;            /* cycles in which nothing retires */
	uint32_t walk, walk_start; /* step of a walk over single bits, from 1 on; 0: none */
	bool walk_return;          /* it makes a trap return retire in this cycle */
	/* the core */
	uint64_t pc, call, resume[STIMULUS_STACK]; /* call: where the last one returns to */
	uint8_t mode, mode_before[STIMULUS_STACK];
	unsigned depth; /* of handlers; 0: the program runs */
	bool intr;      /* the next instruction is the first of a handler */
	/* register writes that set up the phase */
	struct trace_bus queue[STIMULUS_QUEUE];
	unsigned queued, sent;
};

void stimulus_init(struct stimulus *s, const struct trace_config *config, uint64_t seed);
/* The inputs of the next cycle. *trace is the model before it: software reads COUNT and DEPTH before it changes what
 * they forbid. */
void stimulus_cycle(struct stimulus *s, const struct trace *trace, struct trace_stimulus *in);
#endif
