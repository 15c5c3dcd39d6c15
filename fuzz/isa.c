/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Decoding and formatting of arbitrary words. */
#include "fuzz/fuzz.h"
#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	unsigned options = (unsigned)take(&in, 1) & (ISA_NO_C | ISA_NO_M);
	uint32_t pc = (uint32_t)take(&in, 4);
	while (in.left > 0) {
		struct isa_insn insn;
		uint32_t word = (uint32_t)take(&in, 4);
		unsigned length = isa_decode(word, options, &insn);
		must(length == insn.length && (length == 2 || length == 4));
		must((length == 4) == ((word & 3) == 3));
		must(insn.op < ISA_OP_COUNT && insn.rd < 32 && insn.rs2 < 32);
		must(insn.word == (length == 2 ? word & 0xFFFF : word));
		must(((insn.class_bits & ISA_TRAPS) != 0) ==
		     (insn.op == ISA_ILLEGAL || insn.op == ISA_ECALL || insn.op == ISA_EBREAK));
		char whole[128];
		int want = isa_format(&insn, pc, whole, sizeof whole);
		must(want > 0 && (size_t)want == strlen(whole));
		touch_text(isa_name(&insn));
		size_t room = word >> 28;
		char *text = malloc(room + 1); /* its end is watched */
		if (text == NULL)
			return 0;
		must(isa_format(&insn, pc, text, room) == want);
		if (room > 0)
			must(strncmp(text, whole, room - 1) == 0 && memchr(text, 0, room) != NULL);
		free(text);
		pc += length;
	}
	return 0;
}
