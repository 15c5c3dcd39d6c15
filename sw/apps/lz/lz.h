/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef LZ_H
#define LZ_H
/*
 * LZ77 with hash chains and lazy matching. The code is a sequence of groups: a flag byte, then eight items from its
 * lowest bit on; a 0 bit is a literal byte, a 1 bit a match of two or three bytes: offset - 1 in 12 bits, length -
 * LZ_MIN in 4 bits, and a further length byte if these are 15.
 */
#include <stddef.h>
#include <stdint.h>

#define LZ_MIN 3
#define LZ_WINDOW 4096
#define LZ_LONGEST (LZ_MIN + 15 + 255)
#define LZ_BOUND(size) ((size) + (size) / 8 + 16)

/* Returns the length of the code, or 0 if out is too small (LZ_BOUND(size) always fits). */
size_t lz_compress(const uint8_t *in, size_t size, uint8_t *out, size_t room);
/* Returns the number of bytes written, or -1 if the code is damaged or out is too small; never writes behind out +
 * room. */
long lz_decompress(const uint8_t *in, size_t size, uint8_t *out, size_t room);
#endif
