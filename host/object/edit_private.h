/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EDIT_PRIVATE_H
#define RIVULET_EDIT_PRIVATE_H
/* Shared by edit.c (atoms), edit_put.c (what is put between them), apply.c (their new places), mend.c, transfer.c
 * (encodings), tables.c (what describes code) only. */
#include "host/object/edit.h"

#define NOP 0x00000013u
#define C_NOP 0x0001u

/* FORM_FULL: a compressed transfer at full length; FORM_LONG: the inverse over a JAL; FORM_ADDRESS: AUIPC of an address
 * of the section; FORM_FAR: AUIPC and JALR, of a linked program (far.c).
 * FORM_SHORT, FORM_NEAR: a transfer compressed, a pair as JAL; in sections that get another order. */
enum edit_form { FORM_SAME, FORM_FULL, FORM_LONG, FORM_LONG_JUMP, FORM_ADDRESS, FORM_FAR, FORM_SHORT, FORM_NEAR };

struct edit_piece {
	struct edit_word *words;
	size_t count;
	uint32_t section, next; /* next: piece + 1 at the same place */
	uint32_t last;          /* of the first one at a place: piece + 1 of the last one there */
	uint64_t at;
	uint64_t like; /* old offset + 1 of an atom: it is unwound as that; 0: as where it stands */
};

struct edit_frame_change {
	uint32_t section;
	uint64_t function;
	uint32_t grow;
	bool begins;
	struct edit_saved saved[EDIT_SAVED_MAX];
	unsigned count;
};

/* Unwind entries and debug information that say distances, when atoms have their places and symbols their old ones. */
int edit_tables(struct edit *edit, char *detail, size_t size);

/* ---- transfer.c: direct transfers, 2 or 4 bytes long ---- */
int64_t transfer_distance(uint32_t word, unsigned length);
bool transfer_is_branch(uint32_t word, unsigned length);
uint32_t transfer_full(uint32_t word); /* a compressed one at full length */
uint32_t transfer_inverse(uint32_t word, unsigned length);
uint32_t transfer_short(uint32_t word); /* one of 4 bytes compressed; 0: it cannot be */

/* ---- placing.c ---- */
/* Calls of the host stay in one page; before places are found. */
int placing_host_calls(struct edit *edit, struct edit_section *section, char *detail, size_t size);
int placing_find(struct edit *edit, struct edit_section *section, char *detail, size_t size);
uint32_t placing_size(const struct edit *edit, const struct edit_atom *atom); /* of its own, without a jump behind it */
uint64_t placing_target(const struct edit *edit, const struct edit_section *section, const struct edit_atom *atom);
uint64_t placing_word_target(const struct edit *edit, const struct edit_section *section, const struct edit_word *word);
bool placing_own(const struct edit_section *section, const struct edit_atom *atom); /* a transfer within the section */
/* The instruction that a transfer has become, at distance 0 or of any. */
uint32_t placing_transfer(const struct edit_atom *atom, unsigned *length);

/* ---- order.c ---- */
static inline struct edit_atom *edit_nth(const struct edit_section *section, size_t i)
{
	return &section->atoms[section->order != NULL ? section->order[i] : i];
}
/* Bytes from the label of `from` on, in which atoms that lay before `to` follow one another. */
uint64_t order_extent(const struct edit *edit, const struct edit_section *section, uint64_t from, uint64_t to);
/* Lengths of code that exception tables and debug information give as the distance of two labels. */
int order_mend_lengths(struct edit *edit);

/* ---- far.c: jumps and calls of linked programs that may not reach ---- */
struct far_pair {
	uint32_t auipc, jalr, symbol; /* symbol: of another section; 0: none */
	int64_t addend;
};
/* Which transfers to other sections need a pair. */
void far_choose(struct edit *edit);
/* Whether a transfer within its section may become one. */
bool far_can(const struct edit *edit, const struct edit_atom *atom);
void far_words(
    const struct edit *edit, const struct edit_section *section, const struct edit_atom *atom, struct far_pair *pair);

/* ---- mend.c: when atoms have their places; symbols below old_symbols name old ones ---- */
int edit_mend_relocs(struct edit *edit, uint32_t old_symbols);
void edit_mend_symbols(struct edit *edit, uint32_t old_symbols);
void edit_mark_functions(struct edit *edit);

/* The sentence and the error for code that cannot be edited without doubt. */
int edit_too_odd(char *detail, size_t size, const struct object_section *s, uint64_t offset, const char *what);
#endif
