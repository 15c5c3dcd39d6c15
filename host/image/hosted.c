/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/image/private.h"

#include "isa/isa.h"

#define CALL_WORD UINT32_C(0x00000073)       /* ecall */
#define EXIT_WORD UINT32_C(0x05D00893)       /* addi a7, zero, 93 */
#define EXIT_GROUP_WORD UINT32_C(0x05E00893) /* ... 94 */

/* Of the SYSTEM opcode: traps' returns, waiting, fences of address spaces, and registers that a user does not have,
 * whose number says so. */
static bool is_privileged(uint32_t word)
{
	const uint32_t kind = word >> 12 & 7, number = word >> 20;
	return kind == 0 ? number > 1 : kind == 4 || (number >> 8 & 3) != 0;
}

/* Linkers mark a program of an operating system only if all of its objects have such a mark, and assemblers make none
 * by themselves. Then the code says it: it calls exit() by Linux' number, and has no instruction that Linux would
 * refuse. Firmware sets mtvec, and is told by that; its first instructions do it, so this ends soon there. */
bool image_calls_linux(const struct image *image)
{
	struct image_text text;
	bool calls = false, exits = false;
	for (size_t i = 0; image_text(image, i, &text); i++) {
		size_t available = 0;
		const uint8_t *code = image_code(image, text.start, &available);
		const size_t size = available < text.size ? available : (size_t)text.size;
		for (size_t at = 0; code != NULL && at + 4 <= size;) {
			const uint32_t word = (uint32_t)code[at] | (uint32_t)code[at + 1] << 8 |
					      (uint32_t)code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;
			if ((word & 0x7F) == (CALL_WORD & 0x7F) && is_privileged(word))
				return false;
			calls = calls || word == CALL_WORD;
			exits = exits || word == EXIT_WORD || word == EXIT_GROUP_WORD;
			const unsigned length = isa_length((uint16_t)word);
			at += length >= 2 ? length : 2;
		}
	}
	return calls && exits;
}
