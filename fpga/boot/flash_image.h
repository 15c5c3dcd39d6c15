/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_FLASH_IMAGE_H
#define RIVULET_FLASH_IMAGE_H
/*
 * Firmware as the boot ROM takes it, from the flash or over the UART: this header, then size bytes for RAM at
 * 0x80000000, where the program also starts. Little endian. For boot ROM and host.
 */
#include <stdint.h>

#define FLASH_IMAGE_MAGIC 0x54425652u /* "RVBT" */
#define FLASH_IMAGE_OFFSET 0x100000u  /* in the flash: behind the bitstream, as iCEBreaker's examples have it */
#define FLASH_IMAGE_LOAD 0x80000000u

struct flash_image {
	uint32_t magic;
	uint32_t size; /* bytes, a multiple of 4 */
	uint32_t sum;  /* flash_image_add() over the words, from 0 */
};

/* Position counts: exchanged words give another sum. */
static inline uint32_t flash_image_add(uint32_t sum, uint32_t word)
{
	return (sum << 5 | sum >> 27) + word;
}
#endif
