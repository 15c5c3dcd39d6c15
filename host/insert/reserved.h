/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RESERVED_H
#define RIVULET_RESERVED_H
/*
 * Registers that a program has taken out of the calling convention: global register variables (`register long *sp
 * asm("s5")', -ffixed-s5), compilers whose calls keep nothing. By the convention a function saves a callee-saved
 * register before it uses it, and has it back when it returns. One that reads what its caller left there, or returns
 * with another value, says that the register belongs to the whole program: nothing may be kept in it.
 *
 *   addi s5, s5, 8        read, and not saved before: reserved        sd   s5, 8(sp)     saved first: an
 *   sd   a0, -8(s5)                                                   ...                ordinary function
 *   ret                   another value than at entry: reserved       ld   s5, 8(sp)
 *
 * setjmp(), longjmp() and switches of tasks store and load all such registers, and compute nothing with them: they say
 * nothing about whose they are.
 */
#include "host/insert/graph.h"
#include "host/insert/modes.h"

#define RESERVED_KEPT GRAPH_CALLEE_SAVED

/* Sets `reserves` of the functions, and adds to the graph's `reserved`. False: out of memory. */
bool reserved_find(struct graph *graph);

/* The same of an object, or of all objects of an archive, which stay as they are. */
struct reserved_by {
	uint32_t registers;
	struct modes modes; /* what else its code says: the files are read once */
	char who[160];      /* the first function that says so: "push in engine.o"; "" */
};
int reserved_of_object(struct object *object, const char *name, struct reserved_by *by, char *detail, size_t size);
int reserved_of_file(const char *path, struct reserved_by *by, char *detail, size_t size);
/* "s5,s6" */
void reserved_names(uint32_t registers, char *text, size_t size);
/* "s5,x22": bits of the registers; 0: it names none, or one that cannot be (zero, ra, sp). */
uint32_t reserved_parse(const char *text);
#endif
