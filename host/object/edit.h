/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EDIT_H
#define RIVULET_EDIT_H
/*
 * Puts code between the instructions of a relocatable object.
 *
 *   object_open() ──► edit_open() ──► atoms ──► edit_put(), edit_redirect() ──► edit_apply() ──► object_write()
 *
 * A section with code is a row of atoms: instructions, pairs that one relocation covers (a far call), padding that the
 * linker trims, data. Before each atom there are two places for new code, on either side of its label:
 *
 *              atom before            falls through, or not
 *     A:       new code               executed only by falling in from the atom before
 *     label ─► what branches, symbols, tables mean by this offset
 *     B:       new code               executed by all who come
 *              atom
 *
 * edit_apply() gives each atom its new offset. Branches become longer where they must, to a fixed point: a compressed
 * one a full one, a conditional one its inverse over a jump. Symbols, relocations, alignment, line tables, jump tables,
 * unwind and exception tables follow (tables.c). Nothing put: nothing changes.
 */
#include "host/object/object.h"

enum edit_kind {
	EDIT_INSN,
	EDIT_PAIR, /* AUIPC and JALR of a far call or jump: 8 bytes */
	EDIT_PAD,  /* R_RISCV_ALIGN: nops for the linker to trim */
	EDIT_DATA,
	EDIT_END /* behind the last one; length 0 */
};
enum edit_flow {
	EDIT_NEXT,     /* goes on behind it */
	EDIT_BRANCH,   /* conditional */
	EDIT_JUMP,     /* direct, without link */
	EDIT_CALL,     /* direct, with link */
	EDIT_INDIRECT, /* by a register, without link: return, switch, tail call */
	EDIT_INDIRECT_CALL
};

struct edit_atom {
	uint64_t offset;
	uint32_t length, word; /* word: the first 4 bytes, or 2 */
	uint8_t kind, flow;
	uint8_t link; /* of a pair: the register that its JALR writes */
	bool address; /* an AUIPC without relocation: with the ADDI behind it, the address `target` of this section */
	uint32_t section; /* of the target of a direct transfer; 0: it is not in this object */
	uint64_t target;
	uint32_t symbol;        /* that the target is given by, or 0 */
	uint32_t reloc, relocs; /* first, number: in the section's relocations */
	uint32_t redirect;      /* piece + 1 that it shall go to instead */
	/* when applied: place A, the label, the atom */
	uint64_t place, label, at;
	uint8_t form;          /* enum edit_form: of a transfer within the section */
	uint32_t exact_symbol; /* for PCREL_LO12 */
	uint32_t replace;      /* another instruction in its place, of 4 bytes; 0: none */
	uint32_t pieces[2];    /* first piece + 1 of A and B */
	/* of a section in another order: edit_order() */
	uint64_t then;       /* old offset + 1 where it goes on, by a jump behind it; 0: with what lies behind it */
	uint8_t then_length; /* of that jump */
	bool turned;         /* a branch that is inverted: it goes to where it went on */
	bool gone;           /* a jump to what lies behind it now */
	bool host_call;      /* the first of the three instructions of a call of the host (placing.c) */
	uint8_t fixed;       /* it keeps its length, as what lies around is computed with; 2: behind another such one */
};

struct edit_section {
	uint32_t number;
	struct edit_atom *atoms; /* by offset, without gaps; the last is EDIT_END */
	size_t count;
	bool linked; /* the linker moves code here: R_RISCV_RELAX or R_RISCV_ALIGN */
	bool touched;
	uint64_t new_size;
	uint32_t *order; /* atoms as they shall lie, the last is EDIT_END; NULL: as they do */
	uint32_t *rank;  /* with it, by atom: its place in order */
};

enum edit_to { EDIT_TO_NONE, EDIT_TO_LABEL, EDIT_TO_WORD, EDIT_TO_PIECE };
struct edit_word { /* an instruction to be put */
	uint32_t word;
	uint8_t length; /* 2, 4 */
	uint8_t to; /* a branch or a JAL without link: to a label of the same section (old offset), to another word of
			    the piece, or to another piece. A jump to a label or piece is given as C.J if the object has
			    compressed instructions, and made longer if that does not reach. PCREL_LO12: to the word
			    that is its AUIPC */
	uint64_t target; /* offset, index, piece */
	/* a relocation; type 0: none */
	uint32_t type, symbol;
	int64_t addend;
	bool relax;
	/* for who asks edit_words(): how often it is expected to be executed; what it is */
	uint64_t heat;
	uint8_t tag;
	/* for unwinding: what is so behind it, until another word says otherwise or the piece ends */
	uint8_t unwind; /* 0: as before it; else enum edit_unwind or-ed */
	int16_t pushed; /* with it: bytes that the stack pointer is lower, besides the frame of edit_frame() */
};
/* SAID alone: that frame is not there (yet, or any more); then this holds over the instruction behind the piece too. */
enum edit_unwind { EDIT_SAID = 1, EDIT_FRAMED = 2, EDIT_KEPT = 4 };

struct edit {
	struct object *object;
	struct edit_section *sections;
	size_t section_count;
	uint32_t *section_of;  /* by section number: index + 1 */
	uint32_t old_sections; /* of the object when it was opened; later ones are not edited */
	struct edit_piece *pieces;
	size_t piece_count, piece_size;
	struct edit_lost { /* what could not be carried over */
		uint32_t lines, lists, frames;
	} lost;
	struct edit_frame_change *frame_changes; /* of tables.c */
	size_t frame_change_count, frame_change_size;
	uint32_t old_symbols; /* number of symbols when edit_apply() began */
	bool linked;     /* made of a linked program (host/linked): jumps and calls have been shortened to fit it */
	bool near;       /* of it: calls of other sections are taken to reach; linked_write() says if one does not */
	uint64_t failed; /* OBJECT_EUNSUPPORTED of edit_apply(): old offset + 1 of the code; 0: of none */
	uint32_t failed_section;
	bool failed_unwind; /* its unwind entry, not a transfer */
	char detail[160];
};

int edit_open(struct edit **edit, struct object *object, char *detail, size_t detail_size);
void edit_close(struct edit *edit);
static inline struct edit_section *edit_section(const struct edit *edit, uint32_t number)
{
	uint32_t at = number < edit->old_sections ? edit->section_of[number] : 0;
	return at == 0 ? NULL : &edit->sections[at - 1];
}
/* The atom that covers an offset; the end atom for the section's size. */
struct edit_atom *edit_atom_at(const struct edit_section *section, uint64_t offset);

enum edit_place { EDIT_FALL, EDIT_LABEL }; /* A, B */
struct edit_spot {
	struct edit_section *section;
	struct edit_atom *atom;
	enum edit_place place;
};
/* Puts words before an atom, behind what was put there before. *piece: for edit_redirect(), may be NULL. */
int edit_put(
    struct edit *edit, const struct edit_spot *spot, const struct edit_word *words, size_t count, uint32_t *piece);
/* The words of piece number 0, 1, ..., of which addends and symbols may be changed; NULL: there are no more. linked: of
 * its section. */
struct edit_word *edit_words(struct edit *edit, uint32_t piece, size_t *count, bool *linked);
/* The first piece at a place, and the next one there: its number + 1, or 0. Words can be taken out of it, and be put
 * before all that is at a place. */
uint32_t edit_first(const struct edit_atom *atom, enum edit_place place);
uint32_t edit_next(const struct edit *edit, uint32_t piece);
void edit_take(struct edit *edit, uint32_t piece, size_t first, size_t count);
int edit_put_first(struct edit *edit, const struct edit_spot *spot, const struct edit_word *words, size_t count);
/* A direct transfer goes to a piece of its section. */
void edit_redirect(struct edit_atom *atom, uint32_t piece);
/* A piece that others jump to, from an atom of its section: it is unwound as that, not as what it stands between. */
void edit_like(struct edit *edit, uint32_t piece, const struct edit_atom *atom);
struct edit_saved {
	uint32_t reg, at; /* DWARF number; kept at CFA - at */
	bool with_ra;     /* wherever the entry has ra on the stack: -msave-restore puts both there */
};
#define EDIT_SAVED_MAX 16
struct edit_grown { /* the function (or its cold part) at an offset has a frame that is `grow` bytes larger */
	uint32_t section;
	uint64_t function;
	uint32_t grow;
	bool begins; /* words that were put say from where on; else it is there from the beginning */
};
/* For the unwind entry; registers are kept in the frame. */
int edit_frame(struct edit *edit, const struct edit_grown *grown, const struct edit_saved *saved, unsigned count);
/* Atoms of a section of a linked program in another order, by number; all but the last, which stays there. What went
 * on to the next atom does so: branches are inverted, jumps come behind and go. order is copied. */
int edit_order(struct edit *edit, struct edit_section *section, const uint32_t *order);
/* Gives everything its place. Once. */
int edit_apply(struct edit *edit, char *detail, size_t detail_size);

/* After edit_apply(): where code that was put begins; where an old offset's label is. */
uint64_t edit_piece_offset(const struct edit *edit, uint32_t piece);
uint64_t edit_label(const struct edit_section *section, uint64_t offset);
/* Where an atom's own instruction ends, without what a longer form has behind it; whether its branch was inverted. */
uint64_t edit_end(const struct edit_section *section, const struct edit_atom *atom);
bool edit_inverted(const struct edit_atom *atom);

/* ---- direct transfers: fields of their encodings ---- */
bool edit_reaches(uint32_t word, unsigned length, int64_t distance);
uint32_t edit_with_distance(uint32_t word, unsigned length, int64_t distance);
#endif
