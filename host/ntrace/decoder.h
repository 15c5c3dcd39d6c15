/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_NTRACE_DECODER_H
#define RIVULET_NTRACE_DECODER_H
/*
 * A stream of N-Trace 1.0 bytes becomes the instructions that retired: each message is walked through the image.
 *
 *   bytes ──► ntrace_read() ──► message ──► walk I-CNT half-words, an outcome of HIST at each branch ──► standard_flow
 *
 * BTM and HTM, sources, RepeatBranch, repeated history, implicit returns, sequential jumps, all jumps, extended
 * addresses. Modes and contexts of Ownership and timestamps go along (STANDARD_MODE and so on); vendors' messages are
 * passed over. At damage the decoder tells it with its offset, drops what was not confirmed, and begins anew at the
 * next message with a full address.
 */
#include "host/ntrace/message.h"
#include "host/standard/decoder.h"

#define NTRACE_STACK_MAX 1024u /* the standard has up to 32; encoders before it had more */

struct ntrace_options { /* how the encoder was set; both sides must agree */
	struct ntrace_layout layout;
	unsigned source;          /* which of the sources */
	bool history;             /* HTM, else BTM */
	bool find_mode;           /* decoders: the first message that says which of both it is decides */
	unsigned implicit_return; /* entries of the return stack, 0 to 32; a decoder needs 0 or not 0 */
	unsigned stack;           /* encoders: 2^stack entries instead, up to NTRACE_STACK_MAX; 0: those */
	bool sequential_jump, all_jumps;
	bool repeat_branch, repeated_history; /* encoders only: decoders take both anyway */
	bool wrapped;                         /* decoders: the stream may begin inside a message */
	bool timestamps;                      /* encoders only */
	unsigned sync_halves; /* encoders only: a synchronising message after so many half-words; 0: none */
	unsigned icnt_limit;  /* encoders only: I-CNT is full; 0: 2^21 */
};

/* NULL: out of memory. The image must outlive it. */
struct standard_decoder *ntrace_open(const struct image *image, const struct ntrace_options *options,
    standard_sink *sink, standard_teller *teller, void *context);
#endif
