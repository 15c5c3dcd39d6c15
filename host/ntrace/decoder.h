/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_NTRACE_DECODER_H
#define RIVULET_NTRACE_DECODER_H
/*
 * A stream of N-Trace 1.0 bytes becomes the instructions that retired: each message is walked through the image.
 *
 *   bytes ──► ntrace_read() ──► message ──► walk I-CNT half-words, an outcome of HIST at each branch ──► standard_flow
 *
 * BTM and HTM, sources, RepeatBranch, repeated history, implicit returns, sequential jumps, all jumps, extended addresses.
 * Ownership, timestamps and vendors' messages are read and passed over. At damage the decoder tells it with its offset,
 * drops what was not confirmed, and begins anew at the next message with a full address.
 */
#include "host/ntrace/message.h"
#include "host/standard/code.h"
#include "host/standard/flow.h"

struct ntrace_options { /* how the encoder was set; both sides must agree */
	struct ntrace_layout layout;
	unsigned source;          /* which of the sources */
	bool history;             /* HTM, else BTM */
	unsigned implicit_return; /* entries of the return stack, 0 to 32; a decoder needs 0 or not 0 */
	bool sequential_jump, all_jumps;
	bool repeat_branch, repeated_history; /* encoders only: decoders take both anyway */
	bool wrapped;                         /* decoders: the stream may begin inside a message */
	bool timestamps;                      /* encoders only */
	unsigned sync_halves; /* encoders only: a synchronising message after so many half-words; 0: none */
	unsigned icnt_limit;  /* encoders only: I-CNT is full; 0: 2^21 */
};

struct ntrace_counts {
	uint64_t bytes, messages, skipped, other_sources;
	uint64_t before;    /* messages before the first full address, or the first behind damage */
	uint64_t unknown;   /* half-words of code that they say ran */
	uint64_t overflows; /* the encoder said that it lost messages */
	uint64_t damaged;   /* places where the stream contradicts itself or the program */
	uint64_t dropped;   /* instructions that were walked but not confirmed */
	uint64_t unconfirmed;
	uint64_t outside; /* half-words of code that the image does not have */
};

/* A damaged place: offset in the stream, what is wrong, as a sentence. */
typedef void ntrace_teller(void *context, uint64_t offset, const char *text);

struct ntrace_decoder;
struct ntrace_decoder *ntrace_open(const struct image *image, const struct ntrace_options *options, standard_sink *sink,
    ntrace_teller *teller, void *context); /* NULL: out of memory */
void ntrace_close(struct ntrace_decoder *decoder);
/* Returns what the sink returned; not 0: stopped. */
int ntrace_feed(struct ntrace_decoder *decoder, const void *bytes, size_t size);
int ntrace_finish(struct ntrace_decoder *decoder);
struct ntrace_counts ntrace_counts(const struct ntrace_decoder *decoder);
#endif
