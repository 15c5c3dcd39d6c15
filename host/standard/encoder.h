/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_STANDARD_ENCODER_H
#define RIVULET_STANDARD_ENCODER_H
/*
 * What the models of encoders have in common: instructions that retired go in, the bytes of a trace standard come out.
 *
 *   standard_start() ──► standard_retire() ... standard_trap() ... ──► standard_stop()
 */
#include "host/standard/code.h"

/* Takes the bytes of one message or packet. */
typedef void standard_bytes(void *context, const uint8_t *bytes, size_t size);

struct standard_encoder { /* begins the struct of each encoder */
	void (*start)(struct standard_encoder *encoder, uint64_t pc);
	void (*retire)(struct standard_encoder *encoder, const struct standard_insn *insn, uint64_t next);
	void (*trap)(struct standard_encoder *encoder, uint64_t epc, uint64_t handler);
	void (*stop)(struct standard_encoder *encoder);
	standard_bytes *sink;
	void *context;
	/* NULL, or takes the cycles of the instruction that retires next, as the rules of the core split those of its
	 * record; 0: not known. */
	void (*spend)(struct standard_encoder *encoder, uint64_t cycles);
	bool calls_retire; /* an ECALL that its host serves is an instruction like any other, and no end */
};

/* Tracing begins at pc. */
static inline void standard_start(struct standard_encoder *encoder, uint64_t pc)
{
	encoder->start(encoder, pc);
}
/* insn retired and the program goes on at next, which a trap may keep from retiring. */
static inline void standard_retire(struct standard_encoder *encoder, const struct standard_insn *insn, uint64_t next)
{
	encoder->retire(encoder, insn, next);
}
/* A trap, of which is not known whether it was an interrupt, before the instruction at epc. */
static inline void standard_trap(struct standard_encoder *encoder, uint64_t epc, uint64_t handler)
{
	encoder->trap(encoder, epc, handler);
}
static inline void standard_stop(struct standard_encoder *encoder)
{
	encoder->stop(encoder);
}
#endif
