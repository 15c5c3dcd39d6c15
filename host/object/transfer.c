/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Fields of direct transfers. */
#include "host/object/edit_private.h"

static unsigned opcode_of_word(uint32_t word)
{
	return word & 0x7F;
}

int64_t transfer_distance(uint32_t w, unsigned length)
{
	uint32_t v;
	if (length == 4 && opcode_of_word(w) == 0x63) {
		v = (w >> 31 & 1) << 12 | (w >> 7 & 1) << 11 | (w >> 25 & 0x3F) << 5 | (w >> 8 & 0xF) << 1;
		return (int64_t)(v ^ 0x1000) - 0x1000;
	}
	if (length == 4) {
		v = (w >> 31 & 1) << 20 | (w >> 12 & 0xFF) << 12 | (w >> 20 & 1) << 11 | (w >> 21 & 0x3FF) << 1;
		return (int64_t)(v ^ 0x100000) - 0x100000;
	}
	if ((w >> 14 & 3) == 3) {
		v = (w >> 12 & 1) << 8 | (w >> 5 & 3) << 6 | (w >> 2 & 1) << 5 | (w >> 10 & 3) << 3 | (w >> 3 & 3) << 1;
		return (int64_t)(v ^ 0x100) - 0x100;
	}
	v = (w >> 12 & 1) << 11 | (w >> 8 & 1) << 10 | (w >> 9 & 3) << 8 | (w >> 6 & 1) << 7 | (w >> 7 & 1) << 6 |
	    (w >> 2 & 1) << 5 | (w >> 11 & 1) << 4 | (w >> 3 & 7) << 1;
	return (int64_t)(v ^ 0x800) - 0x800;
}

bool transfer_is_branch(uint32_t w, unsigned length)
{
	return length == 4 ? opcode_of_word(w) == 0x63 : (w & 3) == 1 && (w >> 14 & 3) == 3;
}

static int64_t reach_of(uint32_t w, unsigned length)
{
	if (length == 4)
		return transfer_is_branch(w, 4) ? 0x1000 : 0x100000;
	return transfer_is_branch(w, 2) ? 0x100 : 0x800;
}

bool edit_reaches(uint32_t word, unsigned length, int64_t distance)
{
	int64_t reach = reach_of(word, length);
	return distance >= -reach && distance < reach;
}

uint32_t edit_with_distance(uint32_t w, unsigned length, int64_t distance)
{
	uint32_t d = (uint32_t)distance;
	if (length == 4 && opcode_of_word(w) == 0x63)
		return (w & 0x01FFF07Fu) | (d >> 12 & 1) << 31 | (d >> 5 & 0x3F) << 25 | (d >> 1 & 0xF) << 8 |
		       (d >> 11 & 1) << 7;
	if (length == 4)
		return (w & 0xFFFu) | (d >> 20 & 1) << 31 | (d >> 1 & 0x3FF) << 21 | (d >> 11 & 1) << 20 |
		       (d >> 12 & 0xFF) << 12;
	if ((w >> 14 & 3) == 3)
		return (w & 0xE383u) | (d >> 8 & 1) << 12 | (d >> 3 & 3) << 10 | (d >> 6 & 3) << 5 | (d >> 1 & 3) << 3 |
		       (d >> 5 & 1) << 2;
	return (w & 0xE003u) | (d >> 11 & 1) << 12 | (d >> 4 & 1) << 11 | (d >> 8 & 3) << 9 | (d >> 10 & 1) << 8 |
	       (d >> 6 & 1) << 7 | (d >> 7 & 1) << 6 | (d >> 1 & 7) << 3 | (d >> 5 & 1) << 2;
}

/* The full-length form of a compressed transfer. */
uint32_t transfer_full(uint32_t w)
{
	if (transfer_is_branch(w, 2))
		return 0x63u | (w >> 13 & 1) << 12 | (8 + (w >> 7 & 7)) << 15;
	return 0x6Fu | ((w >> 13 & 7) == 1 ? 1u << 7 : 0);
}

uint32_t transfer_inverse(uint32_t w, unsigned length)
{
	return length == 4 ? w ^ 1u << 12 : w ^ 1u << 13;
}

uint32_t transfer_short(uint32_t w)
{
	const uint32_t rs1 = w >> 15 & 31, rs2 = w >> 20 & 31, any = rs1 | rs2, funct = w >> 12 & 7;
	if ((w & 0xFFF) == 0x6F)
		return 0xA001;
	if (opcode_of_word(w) == 0x63 && funct < 2 && (rs1 == 0 || rs2 == 0) && any >= 8 && any < 16)
		return 0xC001u | funct << 13 | (any - 8) << 7;
	return 0;
}
