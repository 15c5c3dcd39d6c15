/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stddef.h>
#include <stdint.h>

/* What the optimiser calls instead of the library's, which the program has, and which may be patched. Words, since it
 * clears and copies structs. */
void *optimise_memset(void *to, int value, size_t size);
void *optimise_memset(void *to, int value, size_t size)
{
	uint8_t *at = to;
	uint32_t word = (uint8_t)value * 0x01010101u;
	for (; size >= 16 && ((uintptr_t)at & 3) == 0; size -= 16, at += 16) {
		volatile uint32_t *words = (volatile uint32_t *)(void *)at;
		words[0] = words[1] = words[2] = words[3] = word;
	}
	for (; size >= 4 && ((uintptr_t)at & 3) == 0; size -= 4, at += 4)
		*(volatile uint32_t *)(void *)at = word;
	for (; size > 0; size--)
		*(volatile uint8_t *)at++ = (uint8_t)value;
	return to;
}

void *optimise_memcpy(void *restrict to, const void *restrict from, size_t size);
void *optimise_memcpy(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *out = to;
	const uint8_t *in = from;
	for (; size >= 4 && (((uintptr_t)out | (uintptr_t)in) & 3) == 0; size -= 4, in += 4, out += 4)
		*(volatile uint32_t *)(void *)out = *(const uint32_t *)(const void *)in;
	for (; size > 0; size--)
		*(volatile uint8_t *)out++ = *in++;
	return to;
}

void *optimise_memmove(void *to, const void *from, size_t size);
void *optimise_memmove(void *to, const void *from, size_t size)
{
	uint8_t *out = to;
	const uint8_t *in = from;
	if ((uintptr_t)out < (uintptr_t)in)
		return optimise_memcpy(to, from, size);
	while (size > 0) {
		size--;
		*(volatile uint8_t *)(out + size) = in[size];
	}
	return to;
}
