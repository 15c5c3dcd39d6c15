/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* CRC-32 (IEEE 802.3) eight bytes a step: a table for each byte position. frame_crc32() is the small one, for
 * firmware. */
#include "host/records/private.h"

#define POLYNOMIAL 0xEDB88320u

static uint32_t table[8][256];
static bool ready;

static void fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? POLYNOMIAL : 0);
		table[0][i] = crc;
	}
	for (uint32_t i = 0; i < 256; i++) {
		for (unsigned k = 1; k < 8; k++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xFF];
	}
	ready = true;
}

uint32_t records_crc32(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	if (!ready)
		fill();
	crc = ~crc;
	for (; size >= 8; size -= 8, at += 8) {
		uint32_t low = crc ^ get32(at), high = get32(at + 4);
		crc = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^ table[5][low >> 16 & 0xFF] ^
		      table[4][low >> 24] ^ table[3][high & 0xFF] ^ table[2][high >> 8 & 0xFF] ^
		      table[1][high >> 16 & 0xFF] ^ table[0][high >> 24];
	}
	while (size-- > 0)
		crc = crc >> 8 ^ table[0][(crc ^ *at++) & 0xFF];
	return ~crc;
}
