/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ETRACE_STEPS_H
#define RIVULET_ETRACE_STEPS_H
/*
 * Inside the decoder: from one packet's outcomes and address, instruction by instruction, to the place where it ends.
 * decoder.c reads the packets and tells what else they say.
 *
 * An example: a packet with three outcomes in its map, 0 1 0 from the oldest on, and the address T.
 *
 *   pc ─ straight ─► branch, 0: taken ─► branch, 1: not ─► branch, 0: taken ─ straight ─► T
 *                    left: 1 0           left: 0           none is left                   reached: the packet is done
 *
 * With the predictor a packet may say instead that so many branches went as predicted.
 */
#include "host/etrace/decoder.h"
#include "host/etrace/state.h"

enum etrace_place_kind {
	PLACE_LOST,    /* no full address yet, or none since damage */
	PLACE_OUTSIDE, /* in code that the image does not have */
	PLACE_KNOWN
};

struct etrace_outcomes { /* of branches that were not walked yet: first map, then predictions */
	uint64_t map;    /* oldest in bit 0; 0: taken */
	unsigned count;
	uint64_t right; /* so many went as predicted, */
	bool wrong;     /* then one did not */
};

struct etrace_decoder {
	struct standard_decoder base;
	struct etrace_options options;
	struct etrace_reader reader;
	struct etrace_state state;
	enum etrace_place_kind place;
	uint64_t pc;      /* retired last */
	uint64_t behind;  /* the address behind that instruction */
	uint64_t address; /* sent last */
	struct standard_insn before;
	struct etrace_outcomes outcomes;
	unsigned privilege;
	bool untrained;  /* the branch at pc is left out of the predictor: a synchronising packet named it */
	bool stop_last;  /* the packet ends at the branch of its last outcome */
	bool trapped;    /* a trap was told, its handler was not */
	bool stamped;    /* packets have times of the transport */
	bool time_waits; /* for the next packet, which says whether pc was meant when it was reached first */
	uint64_t waiting_time;
	bool inferred; /* pc was reached straight on; the packet may have meant a jump to it that comes later */
	struct etrace_packet meant; /* that packet */
	unsigned straight;
	bool before_sync;      /* the packet before has updiscon set: one of format 3 follows */
	bool told;             /* the packet before named the instruction that retired last */
	uint64_t plain_depths; /* packets without irreport whose irdepth was as it has to be; UINT64_MAX: one was not */
	unsigned nulls;        /* between the packet before and the next */
	bool has_nulls, has_data;
	const char *wrong;
};

/* Why the packet cannot be followed. Returns false. */
bool etrace_fail(struct etrace_decoder *decoder, const char *why);

void etrace_add_outcomes(struct etrace_decoder *decoder, uint64_t map, unsigned count);
void etrace_empty_outcomes(struct etrace_decoder *decoder);
uint64_t etrace_outcomes_left(const struct etrace_decoder *decoder);
/* The next outcome, of the branch at pc: whether it was taken. It stays. */
bool etrace_next_outcome(const struct etrace_decoder *decoder);
/* A prediction that is left is of the branch at pc: the next packet's outcomes come behind it. */
void etrace_settle_prediction(struct etrace_decoder *decoder);

bool etrace_is_branch(const struct etrace_decoder *decoder, uint64_t pc);
/* Whether insn and the one before it make a jump whose target the code tells: to *target. */
bool etrace_expects_jump(const struct etrace_decoder *decoder, const struct standard_insn *insn, uint64_t *target);
void etrace_decoder_retire(struct etrace_decoder *decoder, const struct standard_insn *insn);
/* pc is not in the image: how many instructions run there is not known. */
void etrace_leave_image(struct etrace_decoder *decoder, uint64_t pc);
/* Walks until the packet is spent; *stop: its address was the target of a jump. */
bool etrace_follow_packet(struct etrace_decoder *decoder, const struct etrace_packet *packet, bool *stop);
/* The packet before meant a jump to pc, not the arrival that came first: goes round once more. */
bool etrace_settle_arrival(struct etrace_decoder *decoder);
#endif
