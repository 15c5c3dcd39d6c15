/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CYCLES_CORE_H
#define RIVULET_CYCLES_CORE_H
/*
 * The cycle rules of a core, as data (QTY section I.B: "detailed information regarding the computer system on which the
 * profiled program is to be run"), and what they give for a sequence of instructions.
 *
 *   text (docs/cycles.md) ──► core_read() ──► struct core
 *   instruction, pc       ──► core_facts() ──► struct core_insn          once for each instruction of a program
 *   core, state, facts    ──► core_next()  ──► cycles, new state         once for each that is executed
 *
 * The cycles of an instruction are those from the completion of the one before it to its own, which is how a record's
 * cycles are made up. So the refill behind a taken transfer falls to the instruction that it went to, and the wait for
 * a load to the instruction that reads it.
 *
 * QTY's three kinds of instructions:
 *   determinate            cycles known from the sequence alone
 *   variably determinate   base + step * a measure of its operands: at least `least`, at most `most`
 *   indeterminate          at least `least`; nobody knows the most (WFI)
 *
 * What comes before enters through struct core_state. It is small on purpose: behind a transfer it is always the same,
 * so the cycles of a block are known but for what it was fallen into from.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_insn; /* isa/isa.h */

enum core_error {
	CORE_OK = 0,
	CORE_ENOMEM = -1,
	CORE_EOPEN = -2,
	CORE_ETEXT = -3 /* the detail says which line, and what is wrong with it */
};

enum core_measure { /* of the operands of an instruction with variable cycles */
	CORE_FIXED,
	CORE_ZERO_BYTES, /* leading zero bytes of the dividend's magnitude, 3 at most; 0 if the divisor is 0 */
	CORE_BITS,       /* significant bits of rs2 */
	CORE_BIT_PAIRS   /* half as many as rs1 has significant bits, rounded down */
};

struct core_rule { /* cycles = base + step * measure */
	uint16_t base;
	int16_t step;
	uint8_t measure; /* enum core_measure */
	bool waits;      /* `base` or more */
};

#define CORE_OPS 256 /* room for ISA_OP_COUNT */
struct core {
	char name[32];
	bool buffered;     /* fetch and data share a port: starving is simulated, as docs/core.md section 3 has it */
	uint8_t words;     /* of the buffer */
	uint8_t load_use;  /* more if the next instruction reads the register that a load writes */
	uint8_t taken;     /* more behind a taken transfer */
	bool store_late;   /* a store needs what it stores so late that it does not wait for a load of it */
	uint8_t unaligned; /* simple fetch: more if its target is a 32-bit instruction that is not on a word */
	struct core_rule rules[CORE_OPS]; /* by enum isa_op */
	uint8_t more[CORE_OPS];           /* of a transfer that is taken: its own, besides `taken` */
};

/* Names of the built-in ones, ended by NULL; as a list for people. */
#define CORE_NAMES "rivulet, rivulet-small, generic, hazard3, ibex, picorv32"
extern const char *const core_names[];
/* The core of this project. */
void core_default(struct core *core);
/* A description; name: of its file, for the detail, which is a sentence for the user. */
int core_read(struct core *core, const char *text, const char *name, char *detail, size_t size);
/* The built-in one of that name, else that of a file. */
int core_open(struct core *core, const char *name, char *detail, size_t size);

struct core_insn {            /* what is known of an instruction at its address */
	uint16_t least, most; /* cycles in execution, without any wait for what came before; CORE_UNBOUNDED */
	uint8_t op, length;
	uint8_t more;     /* cycles, if it is taken */
	bool transfer;    /* goes elsewhere if it is taken */
	bool conditional; /* it may not be */
	bool memory;      /* takes the port */
	bool half;        /* of 32 bits, and not on a word */
	bool upper;       /* in the upper half of a word */
	uint8_t load;     /* register that a load writes, else 0 */
	uint8_t reads[2]; /* registers that it reads, 0: none */
};
#define CORE_UNBOUNDED UINT16_MAX
void core_facts(const struct core *core, const struct isa_insn *insn, uint64_t pc, struct core_insn *facts);
unsigned core_largest_measure(unsigned measure); /* enum core_measure, not CORE_FIXED */
/* Cycles in execution with these operands. */
unsigned core_cycles(const struct core *core, const struct isa_insn *insn, uint32_t rs1, uint32_t rs2);

/* What the core has in hand behind an instruction. */
struct core_state {
	uint8_t words, inflight; /* buffered fetch, in the last cycle of the instruction */
	uint8_t load;            /* register that it loads */
	bool memory, redirect;   /* it takes the port; the next comes from elsewhere */
};
/* The state behind a transfer. Also used where the state is not known, because most traces begin behind a transfer. */
#define CORE_START ((struct core_state){.redirect = true})
/* The cycles of the next instruction, if it takes `extra` more than the least. taken: if it is a transfer, it is one
 * here. The instructions behind it take the same however large `extra` is, except that the buffer may be filled
 * meanwhile (a MUL of rivulet-small whose rs1 is 0 or 1). */
unsigned core_next(
    const struct core *core, struct core_state *state, const struct core_insn *insn, bool taken, unsigned extra);
/* A number below CORE_STATES for each state, 0 for CORE_START. */
#define CORE_STATES 513
unsigned core_state_number(const struct core_state *state);
#endif
