/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ACCOUNT_WEIGHTS_H
#define RIVULET_ACCOUNT_WEIGHTS_H
/*
 * How the cycles of a path are shared out to its instructions. A record knows how long the path took, not which of its
 * instructions waited; what each takes without waiting for the bus is known for the core of this project (docs/core.md
 * sections 4 and 5), and is a good guess for other small cores: a divide costs more than an addition anywhere.
 *
 * An instruction's cycles are those from the retirement of the one before it to its own. That is how a record's cycles
 * are made up too: the refill behind a taken transfer falls to the instruction that it went to, also behind the
 * transfer that ended the trace before; the wait for a load falls to the instruction that reads it.
 */
#include "isa/isa.h"

struct cost {             /* of an instruction */
	uint8_t weight;   /* cycles if it need not wait */
	uint8_t refill;   /* more, as the target of a transfer */
	bool transfer;    /* the next may have to be fetched anew */
	uint8_t load;     /* register that a load writes, else 0 */
	uint8_t reads[2]; /* registers that it reads, 0: none */
};
void account_cost(const struct isa_insn *insn, uint64_t pc, struct cost *cost);

struct weigher { /* goes through a path; start with WEIGHER_START at each trace */
	bool refill;
	uint8_t load;
};
#define WEIGHER_START ((struct weigher){.refill = true}) /* a trace mostly begins where a transfer went to */
/* The weight of the next instruction. goes: if it is a transfer, it is one here (a conditional branch was taken). */
unsigned account_weigh(struct weigher *weigher, const struct cost *cost, bool goes);
#endif
