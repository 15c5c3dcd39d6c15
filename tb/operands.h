/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_OPERANDS_H
#define RIVULET_TB_OPERANDS_H
/*
 * Which corner values the instructions of a program met: for each row of the instruction table, how often each of its
 * points was retired. Values fall into seven classes: 0, 1, -1, the largest and the smallest signed number, the other
 * positive and the other negative ones. The points are
 *   32-bit, two registers      each pair of classes; of a branch also taken and not, forward and backward
 *   32-bit, immediate          each class of the register with 0, 1, -1, 2047, -2048 and other immediates; amounts of
 *                              shifts 0, 1, 31 and others
 *   loads, stores              each alignment with a negative, a zero and a positive offset; both signs of what is
 * loaded CSR                        with and without a destination, writing and not jumps                      forward
 * and backward, with and without a link 16-bit                     each class of each register that it reads; jumps and
 * branches as above
 */
#include <stdio.h>
#include "model/model.h"

struct operands;
struct operands *operands_open(void); /* NULL: no memory */
void operands_close(struct operands *o);
void operands_count(struct operands *o, const struct model_out *out); /* after model_cycle() */
/* A line for each point, also for those never met: count, tabulator, instruction, colon, point. Returns 0, or -1. */
int operands_write(const struct operands *o, FILE *file);
#endif
