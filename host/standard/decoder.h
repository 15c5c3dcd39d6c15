/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_STANDARD_DECODER_H
#define RIVULET_STANDARD_DECODER_H
/*
 * What decoders of the trace standards have in common: bytes go in, instructions that retired come out, damage is told.
 *
 *   ntrace_open() ──┐                    ┌──► standard_sink: retired, trap, broken; standard_run_sink
 *   etrace_open() ──┴─► standard_decoder ┼──► standard_teller: offset of the damage, a sentence
 *                                        └──► standard_counts: what is missing, by its cause
 */
#include "host/standard/code.h"
#include "host/standard/flow.h"

struct standard_counts {
	uint64_t bytes, messages, skipped, other_sources; /* messages: of E-Trace, packets */
	uint64_t before;                                  /* messages before the first full address, or behind damage */
	uint64_t unknown;   /* half-words of code that they say ran; E-Trace does not say it */
	uint64_t overflows; /* the encoder said that it lost messages */
	uint64_t damaged;   /* places where the stream contradicts itself or the program */
	uint64_t dropped;   /* instructions that were walked but not confirmed */
	uint64_t unconfirmed;
	uint64_t outside;    /* half-words of code that the image does not have */
	uint64_t excursions; /* E-Trace: times the program went to such code; how much ran there is not said */
};

/* A damaged place: offset in the stream, what is wrong, as a sentence. */
typedef void standard_teller(void *context, uint64_t offset, const char *text);

struct standard_decoder { /* begins the struct of each decoder */
	void (*feed)(struct standard_decoder *decoder, const uint8_t *bytes, size_t size);
	void (*finish)(struct standard_decoder *decoder);
	void (*move)(struct standard_decoder *decoder, uint64_t offset, bool joins);
	struct standard_code *code;
	struct standard_flow flow;
	standard_teller *teller; /* may be NULL */
	void *context;
	struct standard_counts counts;
	uint64_t ones; /* of the width of addresses */
	/* The address space of which the image is: user mode of other ones is code outside of it. */
	bool chosen;
	uint64_t wanted;
	bool context_known; /* current_context is that of what runs now */
	uint64_t current_context;
	unsigned mode;
	bool foreign;         /* what runs now is not of the image, wherever it is */
	uint16_t sources[16]; /* others that came, up to as many */
	unsigned source_count;
};

/* The image is that of this context alone (scontext; what the encoder calls context). Before the first byte. */
void standard_choose_context(struct standard_decoder *decoder, uint64_t context);

/* Instructions go to this sink, in runs, and all other events to the first one. Before the first byte. */
void standard_take_runs(struct standard_decoder *decoder, standard_run_sink *sink);

/* For decoders: feed and finish are the caller's. -1: out of memory. */
int standard_decoder_open(struct standard_decoder *decoder, const struct image *image, standard_sink *sink,
    standard_teller *teller, void *context);
/* What runs from here on runs in this mode, and in this context (NULL: in the one before). */
void standard_decoder_enter(struct standard_decoder *decoder, unsigned mode, const uint64_t *context);
/* A time of so many bits (0: 64) that came behind the time before; the clock may have begun again in between. */
static inline uint64_t standard_later(uint64_t before, uint64_t time, unsigned bits)
{
	return before + ((time - before) & (UINT64_MAX >> (63 & (64 - bits))));
}
/* Whether the image has what runs at pc now. */
bool standard_has_code(const struct standard_decoder *decoder, uint64_t pc);
/* Counts and tells a damaged place; drops what is held. */
void standard_decoder_lose(struct standard_decoder *decoder, uint64_t offset, const char *why);

/* A message of another source. true: there was none of it, though the stream had begun long ago: such a message begins
 * its source's trace, or one of the wanted source was damaged. */
bool standard_new_source(struct standard_decoder *decoder, unsigned source);
/* So many messages say what is usual in a stream. */
#define STANDARD_USUAL SIZED(64u, 8u)

/* The next byte stands at offset in the file of which damage is told; not joins: bytes are missing before it. */
void standard_move(struct standard_decoder *decoder, uint64_t offset, bool joins);

/* For their users. Both return what the sink returned; not 0: stopped. */
int standard_feed(struct standard_decoder *decoder, const void *bytes, size_t size);
int standard_finish(struct standard_decoder *decoder);
struct standard_counts standard_decoder_counts(const struct standard_decoder *decoder);
void standard_close(struct standard_decoder *decoder); /* NULL: nothing */
#endif
