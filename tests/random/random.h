/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_RANDOM_H
#define RIVULET_TESTS_RANDOM_H
/* Parts of the random program generator: gen.c is the program, code.c its instructions, registers.c what writes CSRs,
 * handlers.c where it starts and how it traps. All write assembler text to standard output. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/rivulet_regs.h"

/* The number of a trace register's CSR, as text. */
#define CSR_TEXT(number) #number
#define CSR_OF(number) CSR_TEXT(number)
#define CSR(name) CSR_OF(RV_CSR_##name)

enum { BLOCKS = 30, FUNCTIONS = 6, ROUNDS = 6, INTERRUPT_LIMIT = 4000 };

struct generator {
	uint64_t state;
	unsigned labels;  /* numbers used up */
	bool in_function; /* ra holds the way back: nothing may write it */
	bool in_sweep;    /* s9 counts: no sweep inside */
	bool with_c;      /* the core has 16-bit instructions */
	bool with_pair;   /* the current pair and LFSR are read and written while traced */
};
extern struct generator gen;

/* gen.c */
uint32_t rnd(void);
unsigned below(unsigned n);
bool chance(unsigned percent);
__attribute__((format(printf, 1, 2))) void emit(const char *format, ...); /* one line, indented */
void rvc(bool on);           /* may the assembler choose 16-bit instructions? never without C */
unsigned any(void);          /* a source register */
unsigned dest(void);         /* one that may be written */
unsigned short_source(void); /* those that 16-bit instructions reach */
unsigned short_dest(void);
uint32_t value(void); /* of a register, often a corner */
#define PICK(array) ((array)[below(sizeof(array) / sizeof((array)[0]))])

/* registers.c */
void timer(void);
void csr(void);
void protection(void);
void trace_register(void);

/* code.c */
void items(unsigned n);

/* functions.c: a file of functions by the calling convention, for editors of object files */
void functions(bool rv64);
/* gotos.c: functions with computed gotos, in C, for the same */
void gotos(void);

/* handlers.c */
void prolog(uint32_t seed);
void handlers(void);
#endif
