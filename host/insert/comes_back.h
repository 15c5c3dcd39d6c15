/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_COMES_BACK_H
#define RIVULET_INSERT_COMES_BACK_H
/*
 * A function ends in a jump to code without counters. If its caller calls from the same place again, has that code
 * returned, or is it the one that entered the next function? The code of the original program tells, as far as it can
 * be followed.
 *
 *   f ── jump ──► code of no object with counters ──► only direct branches and jumps to more of it ──► return
 */
#include "host/insert/cost.h"

enum comes_back {
	COMES_BACK_UNKNOWN, /* it goes by a pointer, or to an object that has counters */
	COMES_BACK,         /* it returns, or is of a shared library; what it calls is entered before that */
	COMES_BACK_ALONE    /* it returns, and calls nobody */
};
/* at: of the jump, in the original; a far one is AUIPC and JALR. */
enum comes_back comes_back(const struct insert_original *original, uint64_t at);
#endif
