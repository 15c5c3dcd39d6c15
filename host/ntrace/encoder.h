/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_NTRACE_ENCODER_H
#define RIVULET_NTRACE_ENCODER_H
/*
 * A model of an N-Trace 1.0 encoder: what a hart retires becomes bytes, so that decoders can be tried without a chip.
 * Options as of the decoder; a repeated message is counted only if it is equal byte by byte.
 *
 *   ntrace_start() ──► ntrace_retire() ... ntrace_trap() ... ──► ntrace_stop()
 */
#include "host/ntrace/decoder.h"
#include "host/standard/encoder.h"

struct ntrace_encoder {
	struct standard_encoder base;
	struct ntrace_options options;
	uint64_t icnt, hist, reference, halves; /* halves: since the last full address */
	uint64_t held, held_count;              /* repeated history: a full register, and how often */
	uint64_t repeats;                       /* of the message in last */
	uint8_t last[NTRACE_MESSAGE_MAX];
	size_t last_size; /* 0: nothing may be repeated */
	uint64_t stack[NTRACE_STACK_MAX];
	unsigned top, depth;
	struct standard_insn before;
	uint64_t now, told; /* with timestamps: cycles so far, and those that the last message said */
	uint64_t messages;
};

void ntrace_encoder_init(
    struct ntrace_encoder *encoder, const struct ntrace_options *options, standard_bytes *sink, void *context);
/* Tracing begins at pc; sync: 5 enabled, 3 debug mode left, 7 behind an overflow, 1 reset. */
void ntrace_start(struct ntrace_encoder *encoder, uint64_t pc, unsigned sync);
/* insn retired and the program goes on at next, which a trap may keep from retiring. */
void ntrace_retire(struct ntrace_encoder *encoder, const struct standard_insn *insn, uint64_t next);
/* btype: 1 a trap, 2 an exception, 3 an interrupt. */
void ntrace_trap(struct ntrace_encoder *encoder, unsigned btype, uint64_t handler);
void ntrace_stop(struct ntrace_encoder *encoder, unsigned evcode);
#endif
