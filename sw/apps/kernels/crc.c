/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include <string.h>
#include "kernels.h"

#define POLYNOMIAL 0xEDB88320u /* least significant bit first */

/* The CRC of a message with its own CRC behind it, whatever the message. */
#define RESIDUE 0x2144DF1Cu

static uint32_t table[256];

static uint32_t shift_byte(uint32_t crc)
{
	for (int bit = 0; bit < 8; bit++)
		crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
	return crc;
}

void crc_init(void)
{
	for (uint32_t byte = 0; byte < 256; byte++)
		table[byte] = shift_byte(byte);
}

uint32_t crc_bitwise(uint32_t crc, const uint8_t *data, size_t size)
{
	crc = ~crc;
	while (size-- > 0)
		crc = shift_byte(crc ^ *data++);
	return ~crc;
}

uint32_t crc_table(uint32_t crc, const uint8_t *data, size_t size)
{
	crc = ~crc;
	while (size-- > 0)
		crc = crc >> 8 ^ table[(crc ^ *data++) & 0xFF];
	return ~crc;
}

/* The message in pieces of random length. */
static uint32_t crc_in_pieces(const uint8_t *data, size_t size, struct app_random *random)
{
	uint32_t crc = 0;
	while (size > 0) {
		size_t piece = 1 + app_random_below(random, (uint32_t)size);
		crc = crc_table(crc, data, piece);
		data += piece;
		size -= piece;
	}
	return crc;
}

int check_crc(size_t size, struct app_random *random)
{
	int failed = app_check("check value of CRC-32", crc_table(0, (const uint8_t *)"123456789", 9), 0xCBF43926u);
	uint8_t *message = calloc(size + 4, 1);
	if (message == NULL)
		return app_check("memory for a message", 0, (uint32_t)size);
	for (size_t i = 0; i < size; i++)
		message[i] = (uint8_t)(app_random(random) >> 24);
	uint32_t crc = crc_bitwise(0, message, size);
	failed += app_check("CRC by table", crc_table(0, message, size), crc);
	failed += app_check("CRC in pieces", crc_in_pieces(message, size, random), crc);
	for (unsigned i = 0; i < 4; i++)
		message[size + i] = (uint8_t)(crc >> 8 * i);
	failed += app_check("residue", crc_table(0, message, size + 4), RESIDUE);

	/* One wrong bit never goes unseen. */
	uint32_t bit = app_random_below(random, 8 * (uint32_t)(size + 4));
	message[bit / 8] ^= (uint8_t)(1 << bit % 8);
	failed += app_check("wrong bit unseen", crc_table(0, message, size + 4) == RESIDUE, false);
	free(message);
	return failed;
}
