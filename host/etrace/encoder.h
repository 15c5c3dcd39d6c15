/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ETRACE_ENCODER_H
#define RIVULET_ETRACE_ENCODER_H
/*
 * A model of an E-Trace 2.0 encoder: what a hart retires becomes packets, so that decoders can be tried without a chip.
 * It looks at three steps, the standard's "previous, current, next"; a step is an instruction that retired, or a trap.
 *
 *   etrace_start() ──► etrace_retire() ... etrace_trap() ... ──► etrace_stop()
 *
 * Where the standard leaves an order open it takes the one that every decoder reads: an address that is no jump's
 * target goes out only directly before a packet of format 3.
 */
#include "host/etrace/decoder.h"
#include "host/etrace/state.h"
#include "host/standard/encoder.h"

struct etrace_step {
	struct standard_insn insn; /* of a trap: pc alone, the EPC */
	bool taken;
	bool trap, interrupt;
	unsigned cause, privilege;
	uint64_t time; /* at which it retired */
};

struct etrace_encoder {
	struct standard_encoder base;
	struct etrace_options options;
	struct etrace_state state;
	struct etrace_step previous, current;
	unsigned steps;    /* of both that are there */
	uint64_t address;  /* sent last */
	uint32_t map;      /* outcomes since the last packet; oldest in bit 0, 1: not taken */
	unsigned branches; /* in map */
	uint64_t right;    /* predictions that came true, from 31 on; else 0 */
	bool missed;       /* one of map was not predicted */
	bool last_missed;  /* the branch of the current step was not, while right counts */
	bool jumped;       /* the previous step went to a target that must be told */
	bool wrong_return; /* it was a return, and not to where the stack says */
	bool returned;     /* an inferred return, and no call or branch since */
	bool inferred;     /* an inferred return since the last packet */
	bool told;         /* the previous step, a trap, was told */
	bool due;          /* the current step is to be a synchronising packet */
	bool open;         /* the last packet told a target with updiscon clear */
	bool reported;     /* the last packet is of the current step */
	unsigned since;    /* packets since the last synchronising one */
	uint64_t packets;
	uint64_t now; /* cycles up to the instruction that retires next */
};

void etrace_encoder_init(
    struct etrace_encoder *encoder, const struct etrace_options *options, standard_bytes *sink, void *context);
void etrace_start(struct etrace_encoder *encoder);
/* insn retired and the program went on at next, which a trap may keep from retiring. */
void etrace_retire(struct etrace_encoder *encoder, const struct standard_insn *insn, uint64_t next, unsigned privilege);
/* The one at epc does not retire; the handler's first instruction follows. privilege: before the trap. */
void etrace_trap(struct etrace_encoder *encoder, uint64_t epc, bool interrupt, unsigned cause, unsigned privilege);
void etrace_stop(struct etrace_encoder *encoder);
#endif
