/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <elf.h>
#include <stdlib.h>
#include "host/object/frames_private.h"

/*
 * In code that was edited an entry is written anew: its rows are read, each instruction that stands there now is given
 * the row of the atom that it belongs to, changed by what the frame and the pieces of code do to the stack pointer, and
 * the differences are written.
 */
#define ROW_REGISTERS 64
enum rule { RULE_NONE, RULE_OFFSET, RULE_UNDEFINED, RULE_REGISTER };
struct row {
	uint64_t loc; /* old offset in the code from which on it holds */
	uint32_t cfa;
	int64_t offset;
	uint8_t rule[ROW_REGISTERS];
	int64_t at[ROW_REGISTERS]; /* CFA - at, bytes; REGISTER: the one that holds it */
};
struct rows {
	struct row *rows;
	size_t count, size;
	struct row stack[8]; /* remembered */
	unsigned depth;
};

static bool next_row(struct rows *rows, const struct row *now)
{
	if (rows->count > 0 && rows->rows[rows->count - 1].loc == now->loc)
		rows->count--;
	if (rows->count == rows->size) {
		size_t larger = 2 * rows->size + 16;
		struct row *more = realloc(rows->rows, larger * sizeof *more);
		if (more == NULL)
			return false;
		rows->rows = more;
		rows->size = larger;
	}
	rows->rows[rows->count++] = *now;
	return true;
}

static uint64_t advanced_location(const struct program *p, uint64_t loc, uint64_t at, unsigned bytes)
{
	const struct anew *o = p->out;
	const struct edit_section *section;
	uint64_t field = at + (bytes > 0 ? 1 : 0), by = 0;
	const struct object_reloc *plus = anew_reloc_at(o, field, R_RISCV_SET6, R_RISCV_SET8);
	if (plus == NULL)
		plus = anew_reloc_at(o, field, R_RISCV_SET16, R_RISCV_SET32);
	if (plus == NULL)
		plus = anew_reloc_at(o, field, R_RISCV_ADD32, R_RISCV_ADD16);
	if (plus != NULL)
		return tables_where(o->edit, plus->symbol, plus->addend, &section);
	for (unsigned i = 0; i < bytes; i++)
		by |= (uint64_t)o->old->data[field + i] << 8 * i;
	if (bytes == 0)
		by = o->old->data[at] & 0x3F;
	return loc + by * p->cie->code_align;
}

/* false: something that rows cannot say. */
static bool read_rows(const struct program *p, uint64_t from, uint64_t end, struct rows *rows)
{
	const uint8_t *d = p->out->old->data;
	int64_t factor = -p->cie->data_align;
	struct row now = {.loc = p->loc, .cfa = 2};
	bool bad = !next_row(rows, &now);
	for (uint64_t at = from; at < end && !bad;) {
		uint64_t start = at, reg = 0, n = 0;
		unsigned op = d[at++], high = op & 0xC0;
		unsigned bytes = frames_advance_bytes(op);
		if (high == CFA_ADVANCE || op == CFA_ADVANCE1 || op == CFA_ADVANCE2 || op == CFA_ADVANCE4) {
			if (end - start < 1 + bytes)
				return false;
			bad = !next_row(rows, &now);
			uint64_t to = advanced_location(p, now.loc, start, bytes);
			bad = bad || to < now.loc;
			now.loc = to;
			at = start + 1 + bytes;
			continue;
		}
		if (high == CFA_OFFSET || op == CFA_OFFSET_EXTENDED) {
			reg = high == CFA_OFFSET ? op & 0x3F : tables_uleb(d, &at, end, &bad);
			n = tables_uleb(d, &at, end, &bad);
			if (reg >= ROW_REGISTERS)
				return false;
			now.rule[reg] = RULE_OFFSET;
			now.at[reg] = (int64_t)n * factor;
			continue;
		}
		if (high == CFA_RESTORE || op == CFA_RESTORE_EXTENDED || op == CFA_UNDEFINED) {
			reg = high == CFA_RESTORE ? op & 0x3F : tables_uleb(d, &at, end, &bad);
			if (reg >= ROW_REGISTERS)
				return false;
			now.rule[reg] = op == CFA_UNDEFINED ? RULE_UNDEFINED : RULE_NONE;
			continue;
		}
		switch (op) {
		case CFA_NOP:
			break;
		case CFA_REMEMBER:
			if (rows->depth == 8)
				return false;
			rows->stack[rows->depth++] = now;
			break;
		case CFA_RESTORE_STATE:
			if (rows->depth == 0)
				return false;
			n = now.loc;
			now = rows->stack[--rows->depth];
			now.loc = n;
			break;
		case CFA_DEF_CFA:
			now.cfa = (uint32_t)tables_uleb(d, &at, end, &bad);
			now.offset = (int64_t)tables_uleb(d, &at, end, &bad);
			break;
		case CFA_DEF_CFA_REGISTER:
			now.cfa = (uint32_t)tables_uleb(d, &at, end, &bad);
			break;
		case CFA_DEF_CFA_OFFSET:
			now.offset = (int64_t)tables_uleb(d, &at, end, &bad);
			break;
		case CFA_DEF_CFA_SF:
			now.cfa = (uint32_t)tables_uleb(d, &at, end, &bad);
			now.offset = -tables_sleb(d, &at, end, &bad) * factor;
			break;
		case CFA_DEF_CFA_OFFSET_SF: /* gcc: behind a tail of -msave-restore, where no code is */
			now.offset = -tables_sleb(d, &at, end, &bad) * factor;
			break;
		case CFA_REGISTER: /* ra, where a context begins */
			reg = tables_uleb(d, &at, end, &bad);
			if (reg >= ROW_REGISTERS)
				return false;
			now.rule[reg] = RULE_REGISTER;
			now.at[reg] = (int64_t)tables_uleb(d, &at, end, &bad);
			break;
		case CFA_OFFSET_EXTENDED_SF:
			reg = tables_uleb(d, &at, end, &bad);
			if (reg >= ROW_REGISTERS)
				return false;
			now.rule[reg] = RULE_OFFSET;
			now.at[reg] = tables_sleb(d, &at, end, &bad) * factor;
			break;
		default:
			return false;
		}
	}
	return !bad && next_row(rows, &now);
}

struct generator {
	struct program *p;
	const struct rows *rows;
	size_t row;
	uint64_t range;           /* bytes of code, old ones */
	struct row now;           /* as written */
	uint64_t at;              /* new offset that it holds from on */
	uint32_t symbol;          /* of that place, in code that the linker moves */
	bool framed, kept, begun; /* what the words say */
	int64_t pushed, above;    /* above: bytes of registers saved above the frame */
	bool failed;
};

static uint32_t place_symbol(struct generator *g, uint64_t at)
{
	uint32_t symbol = 0;
	if (object_add_symbol(g->p->out->edit->object,
		&(struct object_new_symbol){NULL, at, 0, g->p->code->number, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		&symbol) != OBJECT_OK)
		g->failed = true;
	return symbol;
}

static void advance_to(struct generator *g, uint64_t to)
{
	struct anew *o = g->p->out;
	uint64_t steps = (to - g->at) / g->p->cie->code_align;
	unsigned need = frames_advance_for(steps);
	bool linked = g->p->code->linked;
	if (to == g->at)
		return;
	uint64_t field = o->size + (need == 0 ? 0 : 1);
	frames_put_advance(o, need, linked ? 0 : steps);
	if (linked) {
		static const uint32_t set[] = {R_RISCV_SET6, R_RISCV_SET8, R_RISCV_SET16, 0, R_RISCV_SET32},
				      sub[] = {R_RISCV_SUB6, R_RISCV_SUB8, R_RISCV_SUB16, 0, R_RISCV_SUB32};
		uint32_t symbol = place_symbol(g, to);
		anew_reloc(o, field, set[need], symbol, 0);
		anew_reloc(o, field, sub[need], g->symbol, 0);
		g->symbol = symbol;
	}
	g->at = to;
}

static void signed_number(struct anew *o, int64_t value)
{
	bool more = true;
	while (more) {
		const unsigned low = (unsigned)(value & 0x7F);
		value >>= 7;
		more = !((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0));
		anew_byte(o, low | (more ? 0x80u : 0));
	}
}

/* From a new offset on, instructions belong to the present row and state. */
static void hold_row(struct generator *g, uint64_t at)
{
	struct anew *o = g->p->out;
	const struct edit_frame_change *c = g->p->change;
	struct row want = g->rows->rows[g->row];
	int64_t factor = -g->p->cie->data_align;
	if (c != NULL && (g->framed || want.cfa != 2) && g->begun)
		want.offset += c->grow;
	if (want.cfa == 2)
		want.offset += g->pushed;
	for (unsigned i = 0; c != NULL && g->begun && i < ROW_REGISTERS; i++)
		want.at[i] += want.rule[i] == RULE_OFFSET && want.at[i] > g->above ? c->grow : 0;
	for (unsigned i = 0; c != NULL && i < c->count; i++) {
		if (c->saved[i].with_ra ? want.rule[1] != RULE_OFFSET : !g->kept)
			continue;
		want.rule[c->saved[i].reg] = RULE_OFFSET;
		want.at[c->saved[i].reg] = c->saved[i].at;
	}
	bool cfa = want.cfa != g->now.cfa || want.offset != g->now.offset;
	if (cfa)
		advance_to(g, at);
	if (cfa && want.cfa != g->now.cfa) {
		anew_byte(o, CFA_DEF_CFA);
		anew_uleb(o, want.cfa);
		anew_uleb(o, (uint64_t)want.offset);
	} else if (cfa) {
		anew_byte(o, CFA_DEF_CFA_OFFSET);
		anew_uleb(o, (uint64_t)want.offset);
	}
	g->failed = g->failed || want.offset < 0;
	for (unsigned i = 0; i < ROW_REGISTERS; i++) {
		const bool valued = want.rule[i] == RULE_OFFSET || want.rule[i] == RULE_REGISTER;
		const bool same = want.rule[i] == g->now.rule[i] && (!valued || want.at[i] == g->now.at[i]);
		if (same)
			continue;
		advance_to(g, at);
		if (want.rule[i] == RULE_OFFSET && want.at[i] < 0) { /* above the CFA: setcontext() */
			g->failed = g->failed || want.at[i] % factor != 0;
			anew_byte(o, CFA_OFFSET_EXTENDED_SF);
			anew_uleb(o, i);
			signed_number(o, want.at[i] / factor);
		} else if (want.rule[i] == RULE_OFFSET) {
			g->failed = g->failed || want.at[i] % factor != 0;
			anew_byte(o, CFA_OFFSET | i);
			anew_uleb(o, (uint64_t)(want.at[i] / factor));
		} else if (want.rule[i] == RULE_REGISTER) {
			anew_byte(o, CFA_REGISTER);
			anew_uleb(o, i);
			anew_uleb(o, (uint64_t)want.at[i]);
		} else if (want.rule[i] == RULE_UNDEFINED) {
			anew_byte(o, CFA_UNDEFINED);
			anew_uleb(o, i);
		} else
			anew_byte(o, CFA_RESTORE | i);
	}
	g->now = want;
}

static void usual_row(struct generator *g)
{
	g->framed = g->kept = g->begun;
	g->pushed = 0;
}

/* The row that holds at an old offset. */
static size_t frame_row_at(const struct rows *rows, uint64_t offset)
{
	size_t row = 0;
	while (row + 1 < rows->count && rows->rows[row + 1].loc <= offset)
		row++;
	return row;
}

static void hold_pieces(struct generator *g, uint32_t first)
{
	const size_t row = g->row;
	const struct edit *e = g->p->out->edit;
	for (uint32_t p = first; p != 0; p = e->pieces[p - 1].next) {
		const struct edit_piece *piece = &e->pieces[p - 1];
		uint64_t at = piece->at;
		bool elsewhere = piece->like != 0 && piece->like - 1 - g->p->loc < g->range;
		g->row = elsewhere ? frame_row_at(g->rows, piece->like - 1) : row;
		bool jumps = false;
		for (size_t i = 0; i < piece->count; i++) {
			const struct edit_word *w = &piece->words[i];
			hold_row(g, at);
			at += w->length;
			jumps = (w->to == EDIT_TO_LABEL || w->to == EDIT_TO_PIECE || w->type == R_RISCV_JAL);
			if (w->unwind == 0)
				continue;
			if ((w->unwind & EDIT_FRAMED) != 0 && !g->begun) {
				const struct row *now = &g->rows->rows[g->row];
				for (unsigned r = 0; r < ROW_REGISTERS; r++)
					g->above = now->rule[r] == RULE_OFFSET && now->at[r] > g->above ? now->at[r]
													: g->above;
				g->begun = g->p->change != NULL;
			}
			g->framed = g->begun && (w->unwind & EDIT_FRAMED) != 0;
			g->kept = g->begun && (w->unwind & EDIT_KEPT) != 0;
			g->pushed = w->pushed;
		}
		if (jumps)
			usual_row(g);
	}
	g->row = row;
}

/* The whole program of an entry for the code from p->loc on. false: it cannot be; nothing was put. */
bool frames_new_program(struct program *p, uint64_t end, uint64_t range)
{
	struct anew *o = p->out;
	struct rows rows = {0};
	const struct edit_section *s = p->code;
	bool good = s != NULL && s->touched && p->cie->plain && read_rows(p, o->at, end, &rows);
	struct edit_atom *first = good ? edit_atom_at(s, p->loc) : NULL,
			 *last = good ? edit_atom_at(s, p->loc + range) : NULL;
	size_t size = o->size, relocs = o->reloc_count;
	if (first == NULL || last == NULL || first->offset != p->loc || last < first) {
		free(rows.rows);
		return false;
	}
	struct generator g = {.p = p, .rows = &rows, .range = range, .now = {.cfa = 2}, .at = first->label};
	g.begun = p->change != NULL && !p->change->begins;
	g.symbol = s->linked ? place_symbol(&g, first->label) : 0;
	usual_row(&g);
	for (const struct edit_atom *atom = first; atom <= last; atom++) {
		while (atom != last && g.row + 1 < rows.count && rows.rows[g.row + 1].loc <= atom->offset)
			g.row++; /* what holds behind all code is of no instruction */
		if (atom != first)
			hold_pieces(&g, atom->pieces[0]);
		usual_row(&g);
		if (atom == last)
			break;
		hold_row(&g, atom->label);
		hold_pieces(&g, atom->pieces[1]);
		hold_row(&g, atom->at);
		usual_row(&g);
	}
	free(rows.rows);
	if (g.failed) {
		o->size = size;
		o->reloc_count = relocs;
		return false;
	}
	anew_skip(o, end);
	return true;
}

/* The same in a section of another order: for the atoms from one place of the order to another. */
bool frames_part_program(struct program *p, uint64_t from, uint64_t end, const struct frames_part *part)
{
	struct anew *o = p->out;
	struct rows rows = {0};
	const struct edit_section *s = p->code;
	const size_t size = o->size, relocs = o->reloc_count;
	struct generator g = {.p = p, .rows = &rows, .now = {.cfa = 2}, .at = edit_nth(s, part->from)->label};
	g.failed = !p->cie->plain || !read_rows(p, from, end, &rows);
	for (size_t i = part->from; i < part->to && !g.failed; i++) {
		const struct edit_atom *atom = edit_nth(s, i);
		g.row = frame_row_at(&rows, atom->offset);
		hold_row(&g, atom->label);
		if (atom->then == 0)
			continue;
		g.row = frame_row_at(&rows, atom->then - 1);
		hold_row(&g, atom->at + placing_size(o->edit, atom));
	}
	free(rows.rows);
	if (g.failed) {
		o->size = size;
		o->reloc_count = relocs;
	}
	return !g.failed;
}
