/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_STANDARD_FLOW_H
#define RIVULET_STANDARD_FLOW_H
/*
 * What a decoder of a trace standard finds, in order, and held back until it is confirmed. Addresses between two full
 * ones are differences, so a message that was lost without a word makes everything behind it wrong; the next full
 * address shows it. Until then nothing leaves:
 *
 *   walk ──► held: run, run, trap, run, ... ──► a full address agrees: to the sink
 *                                          └──► it does not: dropped and counted, STANDARD_BROKEN to the sink
 *
 * A run is instructions in a straight line. Memory is bounded: beyond STANDARD_HELD_MAX steps the older half leaves
 * unconfirmed, and is counted.
 */
#include <stddef.h>
#include <stdint.h>
#include "common/sizes.h"
#include "host/standard/code.h"

#define STANDARD_HELD_MAX SIZED(1u << 20, 1u << 8) /* steps of 16 bytes */

enum standard_event {
	STANDARD_RETIRED,   /* the instruction at pc */
	STANDARD_EXCEPTION, /* the one at pc did not retire; its handler follows */
	STANDARD_INTERRUPT, /* before the one at pc; the handler follows. Also a trap of either kind, not told apart */
	STANDARD_BROKEN,    /* what follows does not join what came before, which went on at pc; STANDARD_NOWHERE: not
				known */
	/* What holds from here on; pc is its value. Never dropped. */
	STANDARD_MODE,    /* privilege mode: 0 U, 1 S, 3 M */
	STANDARD_CONTEXT, /* of the address space: scontext, or what the encoder calls its context */
	STANDARD_TIME     /* ticks of the encoder's clock, when all that came before had retired */
};
#define STANDARD_NOWHERE 1 /* no address: it is odd */
/* Returns 0 to go on. */
typedef int standard_sink(void *context, enum standard_event event, uint64_t pc);
/* For one that takes runs: so many instructions retired, in a straight line from pc on. All but the last are plain. */
typedef int standard_run_sink(void *context, uint64_t pc, uint32_t count);

struct standard_flow {
	standard_sink *sink;
	standard_run_sink *run_sink; /* NULL: the sink gets each instruction */
	struct standard_code *code;
	void *context;
	struct standard_step {
		uint64_t pc;
		uint32_t count; /* instructions of a run */
		enum standard_event event;
	} * held;
	size_t count;
	uint64_t joins;       /* a run that begins here goes on with the last step; odd: none does */
	uint64_t last;        /* pc of the instruction that was put last */
	uint64_t dropped;     /* instructions that were held and did not leave */
	uint64_t unconfirmed; /* instructions that left because of STANDARD_HELD_MAX */
	int stopped;          /* what the sink returned */
};

/* -1: out of memory. */
int standard_flow_open(struct standard_flow *flow, struct standard_code *code, standard_sink *sink, void *context);
void standard_flow_close(struct standard_flow *flow);
/* All return what the sink returned last; not 0: nothing is taken any more. */
int standard_flow_put(struct standard_flow *flow, enum standard_event event, uint64_t pc);
/* All of a block retired, or one instruction. */
int standard_flow_run(struct standard_flow *flow, const struct standard_block *block);
int standard_flow_retire(struct standard_flow *flow, const struct standard_insn *insn);
int standard_flow_confirm(struct standard_flow *flow);
/* STANDARD_MODE, STANDARD_CONTEXT, STANDARD_TIME stay and follow STANDARD_BROKEN. */
int standard_flow_drop(struct standard_flow *flow);
/* The step that was put last did not happen, if it is still held. */
void standard_flow_take_back(struct standard_flow *flow);
/* Puts one of these before the step that was put last, if that one is still held; else behind. */
int standard_flow_put_before(struct standard_flow *flow, enum standard_event event, uint64_t value);
#endif
