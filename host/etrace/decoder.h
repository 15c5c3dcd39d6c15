/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ETRACE_DECODER_H
#define RIVULET_ETRACE_DECODER_H
/*
 * A stream of E-Trace packets becomes the instructions that retired: each packet adds outcomes of branches and names an
 * instruction; the program is walked until it is reached.
 *
 *   bytes ──► etrace_read() ──► etrace_parse() ──► outcomes, address ──► walk ──► standard_flow
 *
 * Branch maps, full and differential addresses, implicit returns (by stack and by counter), sequential jumps, branch
 * prediction, jump cache, traps, qualification, resynchronisation. Modes, contexts and times go along (STANDARD_MODE
 * and so on); data trace is passed over.
 * At damage the decoder tells it with its offset, drops what was not confirmed, and begins anew at the next packet
 * of format 3 with an address.
 *
 * What a decoder cannot know (the standard's own limits): how often a jump to itself ran; with implicit returns, which
 * of two arrivals at one place and depth was meant if no branch is between them.
 */
#include "host/etrace/packet.h"
#include "host/standard/decoder.h"

struct etrace_options { /* how the encoder was set; both sides must agree */
	struct etrace_layout layout;
	unsigned source; /* which of the sources */
	bool full_address, implicit_return, sequential_jump, predictor, cache;
	bool implicit_exception; /* a handler's address is not sent: it is vector */
	uint64_t vector;         /* mtvec; bit 0: interrupts go to 4 times their number */
	bool wrapped;            /* decoders: the stream may begin inside a packet */
	unsigned sync_packets;   /* encoders only: packets between synchronising ones; 0: none */
};

/* Fills in what follows from the image and from other options, where the layout says 0. */
void etrace_complete(struct etrace_options *options, const struct image *image);
/* NULL: out of memory. The image must outlive it. */
struct standard_decoder *etrace_open(const struct image *image, const struct etrace_options *options,
    standard_sink *sink, standard_teller *teller, void *context);
#endif
