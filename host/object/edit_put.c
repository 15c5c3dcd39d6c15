/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What is put between atoms: pieces of words. The pieces at one place of an atom are a list, in the order in which they
 * are executed:
 *
 *        atom->pieces[fall] ──► piece ──► piece        who falls in from above
 *        atom->pieces[label] ─► piece                  who jumps to the atom's label, and who falls in
 */
#include <stdlib.h>
#include <string.h>
#include "host/object/edit_private.h"

/* A new piece with a copy of these words, at no place yet. */
static int new_piece(struct edit *e, struct edit_section *section, const struct edit_word *words, size_t count)
{
	if (e->piece_count == e->piece_size) {
		size_t larger = e->piece_size + e->piece_size / 2 + 64;
		struct edit_piece *pieces = realloc(e->pieces, larger * sizeof *pieces);
		if (pieces == NULL)
			return OBJECT_ENOMEM;
		e->pieces = pieces;
		e->piece_size = larger;
	}
	struct edit_piece *p = &e->pieces[e->piece_count];
	*p = (struct edit_piece){
	    .words = malloc((count + 1) * sizeof *words), .count = count, .section = section->number};
	if (p->words == NULL)
		return OBJECT_ENOMEM;
	if (count > 0)
		memcpy(p->words, words, count * sizeof *words);
	e->piece_count++;
	section->touched = true;
	return OBJECT_OK;
}

int edit_put(struct edit *e, const struct edit_spot *spot, const struct edit_word *words, size_t count, uint32_t *piece)
{
	int error = new_piece(e, spot->section, words, count);
	if (error != OBJECT_OK)
		return error;
	uint32_t *link = &spot->atom->pieces[spot->place == EDIT_LABEL];
	if (*link == 0)
		*link = (uint32_t)e->piece_count;
	else
		e->pieces[e->pieces[*link - 1].last - 1].next = (uint32_t)e->piece_count;
	e->pieces[*link - 1].last = (uint32_t)e->piece_count;
	if (piece != NULL)
		*piece = (uint32_t)e->piece_count - 1;
	return OBJECT_OK;
}

int edit_put_first(struct edit *e, const struct edit_spot *spot, const struct edit_word *words, size_t count)
{
	int error = new_piece(e, spot->section, words, count);
	if (error != OBJECT_OK)
		return error;
	uint32_t *link = &spot->atom->pieces[spot->place == EDIT_LABEL];
	e->pieces[e->piece_count - 1].next = *link;
	e->pieces[e->piece_count - 1].last = *link == 0 ? (uint32_t)e->piece_count : e->pieces[*link - 1].last;
	*link = (uint32_t)e->piece_count;
	return OBJECT_OK;
}

uint32_t edit_first(const struct edit_atom *atom, enum edit_place place)
{
	return atom->pieces[place == EDIT_LABEL];
}

uint32_t edit_next(const struct edit *e, uint32_t piece)
{
	return e->pieces[piece - 1].next;
}

void edit_take(struct edit *e, uint32_t piece, size_t first, size_t count)
{
	struct edit_piece *p = &e->pieces[piece - 1];
	memmove(p->words + first, p->words + first + count, (p->count - first - count) * sizeof *p->words);
	p->count -= count;
	for (size_t i = 0; i < p->count; i++) { /* words that others name; none that is taken */
		if (p->words[i].to == EDIT_TO_WORD && p->words[i].target > first)
			p->words[i].target -= count;
	}
}

void edit_redirect(struct edit_atom *atom, uint32_t piece)
{
	atom->redirect = piece + 1;
}

void edit_like(struct edit *e, uint32_t piece, const struct edit_atom *atom)
{
	e->pieces[piece].like = atom->offset + 1;
}

int edit_frame(struct edit *e, const struct edit_grown *grown, const struct edit_saved *saved, unsigned count)
{
	if (e->frame_change_count == e->frame_change_size) {
		size_t larger = e->frame_change_size * 2 + 16;
		struct edit_frame_change *changes = realloc(e->frame_changes, larger * sizeof *changes);
		if (changes == NULL)
			return OBJECT_ENOMEM;
		e->frame_changes = changes;
		e->frame_change_size = larger;
	}
	struct edit_frame_change *change = &e->frame_changes[e->frame_change_count++];
	*change = (struct edit_frame_change){
	    .section = grown->section, .function = grown->function, .grow = grown->grow, .begins = grown->begins};
	for (; change->count < count && change->count < EDIT_SAVED_MAX; change->count++)
		change->saved[change->count] = saved[change->count];
	return OBJECT_OK;
}

struct edit_word *edit_words(struct edit *e, uint32_t piece, size_t *count, bool *linked)
{
	if (piece >= e->piece_count)
		return NULL;
	*count = e->pieces[piece].count;
	*linked = edit_section(e, e->pieces[piece].section)->linked;
	return e->pieces[piece].words;
}

uint64_t edit_piece_offset(const struct edit *e, uint32_t piece)
{
	return e->pieces[piece].at;
}
