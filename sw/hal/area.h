/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_AREA_H
#define RIVULET_AREA_H
/*
 * The interrupt area: where trap handlers save registers. mscratch points to it. All of it is within reach of the
 * compressed stack-pointer loads and stores (offset below 256), which is what makes the trace handler's entry and exit
 * short. For C and assembler.
 */
#define AREA_REG(n) (4 * (n)) /* register x1 to x31 */
#define AREA_PC 128           /* mepc, general trap entry only */
#define AREA_FAST 144         /* words of a fast handler's own: here to the end */
#define AREA_SIZE 256
#define AREA_STACK 1024 /* bytes below the area, for handlers in C */
#endif
