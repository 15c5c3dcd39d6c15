/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_VALUES_H
#define RIVULET_INSERT_VALUES_H
/* What the registers of a function hold relative to its stack pointer at entry, instruction by instruction: for the
 * frame (frame.c), and for telling a computed goto from a tail call (jumps.c). */
#include "host/insert/graph.h"

enum value_kind { VALUE_NOT_YET, VALUE_UNKNOWN, VALUE_CONSTANT, VALUE_STACK };
struct value { /* STACK: on top of the stack pointer at entry */
	uint8_t kind;
	int64_t c;
};
struct values {
	struct value r[32];
	bool system;    /* behind a system call: clone() returns twice, once with another stack */
	uint32_t saved; /* callee-saved registers whose old value is on the stack */
};

/* What an atom changes. A call leaves what the calling convention keeps. */
void values_step(const struct graph *graph, const struct edit_atom *atom, struct values *values);
/* What is the same in both; whether that is less than `to` was. */
bool values_meet(struct values *to, const struct values *from);
/* -msave-restore. N of a call of __riscv_save_N (which: up to the number); -1: it is none. */
int values_millicode(const struct graph *graph, const struct edit_atom *atom, const char *which);
/* Registers that it saves: s0 to s(n - 1); bytes by which the stack pointer is lower behind it. */
int values_saved_by(const struct graph *graph, int n);
int64_t values_save_bytes(const struct graph *graph, int n);
#endif
