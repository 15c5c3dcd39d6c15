/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Decoding and formatting of arbitrary words. */
#include "fuzz/fuzz.h"
#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	unsigned set = (unsigned)take(&in, 3);
	uint64_t pc = take(&in, 8);
	while (in.left > 0) {
		struct isa_insn insn, other;
		struct isa_registers registers;
		uint64_t word = take(&in, 8), back;
		unsigned length = isa_decode(word, set, &insn);
		must(length == insn.length);
		must(length == ((word & 3) != 3 ? 2 : (set & ISA_EXT_LONG) != 0 ? isa_length((uint16_t)word) : 4));
		must(insn.op < ISA_OP_COUNT && insn.rd < 32 && insn.rs1 < 32 && insn.rs2 < 32 && insn.rs3 < 32);
		must(insn.word == (length < 8 ? word & ((UINT64_C(1) << 8 * length) - 1) : word));
		must(((insn.class_bits & ISA_TRAPS) != 0) ==
		     (insn.op == ISA_ILLEGAL || insn.op == ISA_ECALL || insn.op == ISA_EBREAK));
		must((insn.row == 0) == (insn.op == ISA_ILLEGAL || insn.op == ISA_OTHER));
		must(insn.row == 0 || isa_row_in(insn.row, set));
		must(isa_encode(&insn, &back) == ISA_OK && back == insn.word);
		if (isa_compress(&insn, set, &other) == ISA_OK && insn.length == 4)
			must(other.length == 2 && isa_expand(&other, set, &other) == ISA_OK && other.imm == insn.imm);
		isa_registers(&insn, &registers);
		must(((registers.x_read | registers.x_written) & 1) == 0);
		struct isa_insn wild = insn; /* any operands: encoded as they are, or refused */
		wild.rd = (uint8_t)take(&in, 1);
		wild.rs1 = (uint8_t)take(&in, 1);
		wild.rm = (uint8_t)take(&in, 1);
		wild.imm = (int32_t)take(&in, 4);
		if (isa_encode(&wild, &back) == ISA_OK && wild.row != 0) {
			isa_decode(back, set, &other);
			must(other.op != insn.op || (other.rd == wild.rd && other.imm == wild.imm));
		}
		char whole[128];
		int want = isa_format(&insn, pc, whole, sizeof whole);
		must(want > 0 && (size_t)want == strlen(whole));
		touch_text(isa_name(&insn));
		size_t room = (size_t)(word >> 28 & 15);
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
