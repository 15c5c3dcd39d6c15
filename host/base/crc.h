/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_CRC_H
#define RIVULET_BASE_CRC_H
/* CRC-32 (IEEE 802.3) by zlib. Firmware has frame_crc32() (common/frame.h) instead: the same sum, without a library. */
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Goes on from crc, 0 at first. */
static inline uint32_t base_crc32(uint32_t crc, const void *bytes, size_t size)
{
	return size == 0 ? crc : (uint32_t)crc32_z(crc, bytes, size);
}
#endif
