/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A table without chains: a word that has the place of another one replaces it. */
#include "host/base/decoded.h"

enum { DECODED_BITS = 10 };

static _Thread_local struct {
	uint64_t word;
	unsigned set;
	bool used;
	struct isa_insn insn;
} decoded[1 << DECODED_BITS];

unsigned decode_again(uint64_t word, unsigned set, struct isa_insn *insn)
{
	const size_t i = (size_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> (64 - DECODED_BITS));
	if (!decoded[i].used || decoded[i].word != word || decoded[i].set != set) {
		isa_decode(word, set, &decoded[i].insn);
		decoded[i].word = word;
		decoded[i].set = set;
		decoded[i].used = true;
	}
	*insn = decoded[i].insn;
	return insn->length;
}
