/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BYTES_H
#define RIVULET_BYTES_H
/* Numbers in files and packets: little-endian, at any address. */
#include <stdint.h>

static inline void bytes_put32(uint8_t *bytes, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
}

static inline void bytes_put64(uint8_t *bytes, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
}

static inline uint32_t bytes_get32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint64_t bytes_get64(const uint8_t *bytes)
{
	return bytes_get32(bytes) | (uint64_t)bytes_get32(bytes + 4) << 32;
}
#endif
