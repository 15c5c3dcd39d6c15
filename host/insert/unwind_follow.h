/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_UNWIND_FOLLOW_H
#define RIVULET_INSERT_UNWIND_FOLLOW_H
/* What registers and words of the stack hold at a place of a function, in terms of what they held at its entry. */
#include "host/image/image.h"

#define UNWIND_SLOTS_MAX 64
enum unwind_kind {
	UNWIND_UNKNOWN,
	UNWIND_CONSTANT,
	UNWIND_ENTRY
}; /* UNWIND_ENTRY: what register `of` held at the entry, + c */
struct unwind_value {
	uint8_t kind, of;
	int64_t c;
};
struct unwind_slot { /* a word at base + at: of the stack pointer at the entry, or of 0 */
	uint8_t base;
	int64_t at;
	struct unwind_value value;
};
struct unwind_state {
	uint64_t pc;
	struct unwind_value r[32];
	struct unwind_slot slots[UNWIND_SLOTS_MAX];
	unsigned slot_count;
};

/* What the function that begins at `start` holds when it comes to `goal`; behind: goal is what lies behind the call
 * that is looked for. UNWIND_OK, UNWIND_ENOMEM, UNWIND_ELOST. */
int unwind_follow(const struct image *image, uint64_t start, uint64_t goal, bool behind, struct unwind_state *found);
#endif
