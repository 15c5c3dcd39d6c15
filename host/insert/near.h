/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_NEAR_H
#define RIVULET_NEAR_H
/*
 * Counters in small data. The linker turns an address near the global pointer into one instruction (R_RISCV_RELAX):
 *
 *   .bss.rivulet    lui t0, %hi(c); lw t1, %lo(c)(t0); addi t1, t1, 1; sw t1, %lo(c)(t0)
 *   .sbss.rivulet   lw t1, c - gp(gp); addi t1, t1, 1; sw t1, c - gp(gp)
 *
 * gp reaches 4 KB in a whole program, which it shares with the program's own small data; what is out of its reach
 * works as if it lay elsewhere. So only counters that are worth it lie there: those whose addresses are expected to be
 * made most often. Counters that code reaches from one another stay together: of an array of paths all those that begin
 * at one vertex (the function's entry, a loop's head). Each such part lies there or not.
 *
 *   with weights     counters that are named at least once for 1/NEAR_SHARE of what the earlier run executed (edges of
 *                    all functions), whichever objects the program is linked from
 *   without          in each object those that are named most often for a call of their function, `near` bytes of them
 *
 * Nothing in the numbers of counters changes. In the profile, counters there are those of an object of their own, whose
 * id is the object's with MAP_NEAR; the map says which numbers they are (map.h). Nothing is near where the code says
 * that gp is another register, where the linker does not relax, with --per-thread, --metric, --cycles and --trace.
 */
#include "host/insert/insert.h"

#define NEAR_BYTES 512 /* of an object, without weights */
#define NEAR_BYTES_WEIGHTED 1536
#define NEAR_SHARE 16384

/* All paths that begin at one vertex of a numbering are a part of the array: r goes from one counter of a part to
 * others of it alone. The part with those that begin at v; 0: there are too many to tell them apart. */
uint32_t near_part(const struct numbering *numbering, uint32_t v);
/* The parts of an array, for near_learn(). OBJECT_OK or OBJECT_ENOMEM. */
int near_parts(struct insert_result *result, const struct numbering *numbering);
/* A function's code was put, from this piece of the edit on; its counters are numbered from job->used on. */
int near_learn(struct insert_job *job, size_t function, uint32_t pieces, struct insert_result *result);
/* When all codes are put, before edit_apply(): chooses, and lets the codes name them. */
int near_choose(struct insert_job *job);
void near_free(struct insert_near *near);
#endif
