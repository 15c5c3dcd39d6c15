/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_DECODED_H
#define RIVULET_BASE_DECODED_H
/*
 * isa_decode() for code that is looked at again and again: a program has few different instructions, and each pass
 * over a function decodes it anew. What was decoded last stands in a table of each thread, 40 KiB, by word and set; the
 * result is that of isa_decode(), always.
 */
#include "isa/isa.h"

unsigned decode_again(uint64_t word, unsigned set, struct isa_insn *insn); /* arguments and result: isa_decode() */

#endif
