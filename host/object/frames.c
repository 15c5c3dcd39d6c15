/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Unwind entries (.eh_frame, .debug_frame), when the code has got its new places. Those of edited code are written anew,
 * so that they hold at every instruction ("rows" below). Other ones are copied: an advance has 6, 8, 16 or 32 bits, and a
 * relocation pair for them; one that no longer holds its distance becomes wider. As entries grow, what points into the
 * section moves. With D the bytes of a frame that was put in (edit_frame()), the old stack pointer at entry is CFA - D:
 *
 *      old:  CFA = sp + N        x at CFA - a           new:  CFA = sp + N + D        x at CFA - a - D
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/anew.h"

enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0A,
	CFA_RESTORE_STATE = 0x0B,
	CFA_DEF_CFA = 0x0C,
	CFA_DEF_CFA_REGISTER = 0x0D,
	CFA_DEF_CFA_OFFSET = 0x0E,
	CFA_DEF_CFA_EXPRESSION = 0x0F,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2E,
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xC0
};

struct cie {
	uint64_t offset;
	uint64_t code_align;
	int64_t data_align;
	unsigned address_bytes; /* of initial location and range */
	bool augmented;
	bool plain; /* entries begin with CFA = sp, and no register saved */
};

struct program { /* a row of call frame instructions being copied */
	struct anew *out;
	const struct cie *cie;
	const struct edit_section *code; /* NULL: not edited */
	uint64_t loc;                    /* old offset of the present row in the code */
	const struct edit_frame_change *change;
};

/* An advance of `bytes` bytes operand (0: in the low 6 bits) whose instruction begins at o->at. */
static void advance(struct program *p, unsigned bytes)
{
	struct anew *o = p->out;
	uint64_t field = o->at + (bytes > 0 ? 1 : 0), end = o->at + 1 + bytes;
	uint64_t old = 0, distance;
	for (unsigned i = 0; i < bytes; i++)
		old |= (uint64_t)o->old->data[field + i] << 8 * i;
	if (bytes == 0)
		old = o->old->data[field] & 0x3F;
	old *= p->cie->code_align;
	const struct object_reloc *plus = NULL, *minus = NULL;
	for (size_t i = o->next; i < o->old->reloc_count && o->old->relocs[i].offset <= field; i++) {
		const struct object_reloc *r = &o->old->relocs[i];
		if (r->offset != field)
			continue;
		if (r->type == R_RISCV_SET6 || r->type == R_RISCV_SET8 || r->type == R_RISCV_SET16 ||
		    r->type == R_RISCV_SET32 || r->type == R_RISCV_ADD32 || r->type == R_RISCV_ADD16 ||
		    r->type == R_RISCV_ADD8)
			plus = r;
		else if (r->type == R_RISCV_SUB6 || r->type == R_RISCV_SUB8 || r->type == R_RISCV_SUB16 ||
			 r->type == R_RISCV_SUB32)
			minus = r;
	}
	struct object_reloc a = {0}, b = {0};
	bool symbolic = plus != NULL && minus != NULL;
	if (symbolic) {
		const struct edit_section *to, *from;
		a = *plus;
		b = *minus;
		uint64_t t = tables_where(o->edit, a.symbol, a.addend, &to),
			 f = tables_where(o->edit, b.symbol, b.addend, &from);
		p->loc = t;
		distance = tables_place(to, t) - tables_place(from, f);
	} else {
		uint64_t before = tables_place(p->code, p->loc);
		p->loc += old;
		distance = tables_place(p->code, p->loc) - before;
	}
	uint64_t steps = distance / p->cie->code_align;
	unsigned need = steps < 0x40 ? 0 : steps < 0x100 ? 1 : steps < 0x10000 ? 2 : 4;
	if (need <= bytes && symbolic) {
		anew_copy(o, end);
		return;
	}
	if (need < bytes)
		need = bytes;
	anew_skip(o, end);
	uint64_t at = o->size + (need > 0 ? 1 : 0);
	unsigned code = need == 0   ? CFA_ADVANCE | (unsigned)(steps & 0x3F)
			: need == 1 ? CFA_ADVANCE1
			: need == 2 ? CFA_ADVANCE2
				    : CFA_ADVANCE4;
	if (symbolic && need == 0)
		code = CFA_ADVANCE;
	anew_byte(o, code);
	for (unsigned i = 0; i < need; i++)
		anew_byte(o, symbolic ? 0 : (unsigned)(steps >> 8 * i & 0xFF));
	if (symbolic) {
		static const uint32_t set[] = {R_RISCV_SET6, R_RISCV_SET8, R_RISCV_SET16, 0, R_RISCV_SET32},
				      sub[] = {R_RISCV_SUB6, R_RISCV_SUB8, R_RISCV_SUB16, 0, R_RISCV_SUB32};
		anew_reloc(o, at, set[need], a.symbol, a.addend);
		anew_reloc(o, at, sub[need], b.symbol, b.addend);
	}
}

/* false: something that is not known. */
static bool copy_program(struct program *p, uint64_t end)
{
	struct anew *o = p->out;
	const uint8_t *d = o->old->data;
	bool bad = false;
	while (o->at < end && !bad && o->error == OBJECT_OK) {
		uint64_t at = o->at + 1;
		unsigned op = d[o->at], high = op & 0xC0;
		if (high == CFA_ADVANCE || op == CFA_ADVANCE1 || op == CFA_ADVANCE2 || op == CFA_ADVANCE4) {
			unsigned bytes = high == CFA_ADVANCE ? 0 : op == CFA_ADVANCE1 ? 1 : op == CFA_ADVANCE2 ? 2 : 4;
			if (end - o->at < 1 + bytes)
				return false;
			advance(p, bytes);
			continue;
		}
		if (high == CFA_OFFSET)
			tables_uleb(d, &at, end, &bad);
		else if (high == 0) {
			switch (op) {
			case CFA_NOP:
			case CFA_REMEMBER:
			case CFA_RESTORE_STATE:
				break;
			case CFA_RESTORE_EXTENDED:
			case CFA_UNDEFINED:
			case CFA_SAME_VALUE:
			case CFA_DEF_CFA_REGISTER:
			case CFA_DEF_CFA_OFFSET:
			case CFA_DEF_CFA_OFFSET_SF:
			case CFA_GNU_ARGS_SIZE:
				tables_uleb(d, &at, end, &bad);
				break;
			case CFA_OFFSET_EXTENDED:
			case CFA_REGISTER:
			case CFA_DEF_CFA:
			case CFA_OFFSET_EXTENDED_SF:
			case CFA_DEF_CFA_SF:
			case CFA_VAL_OFFSET:
			case CFA_VAL_OFFSET_SF:
				tables_uleb(d, &at, end, &bad);
				tables_uleb(d, &at, end, &bad);
				break;
			case CFA_EXPRESSION:
			case CFA_VAL_EXPRESSION:
				tables_uleb(d, &at, end, &bad);
				at += tables_uleb(d, &at, end, &bad);
				if (p->change != NULL)
					return false;
				break;
			case CFA_DEF_CFA_EXPRESSION:
				at += tables_uleb(d, &at, end, &bad);
				if (p->change != NULL)
					return false;
				break;
			default:
				return false;
			}
		}
		if (bad || at > end)
			return false;
		anew_copy(o, at);
	}
	return !bad;
}

/* ---------------------------------------------------------------- rows */
/*
 * In code that was edited an entry is written anew: its rows are read, each instruction that stands there now is given
 * the row of the atom that it belongs to, changed by what the frame and the pieces of code do to the stack pointer, and
 * the differences are written.
 */
#define ROW_REGISTERS 64
enum rule { RULE_NONE, RULE_OFFSET, RULE_UNDEFINED };
struct row {
	uint64_t loc; /* old offset in the code from which on it holds */
	uint32_t cfa;
	int64_t offset;
	uint8_t rule[ROW_REGISTERS];
	int64_t at[ROW_REGISTERS]; /* CFA - at, bytes */
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

static uint64_t advanced(const struct program *p, uint64_t loc, uint64_t at, unsigned bytes)
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
		unsigned bytes = high == CFA_ADVANCE ? 0 : op == CFA_ADVANCE1 ? 1 : op == CFA_ADVANCE2 ? 2 : 4;
		if (high == CFA_ADVANCE || op == CFA_ADVANCE1 || op == CFA_ADVANCE2 || op == CFA_ADVANCE4) {
			if (end - start < 1 + bytes)
				return false;
			bad = !next_row(rows, &now);
			uint64_t to = advanced(p, now.loc, start, bytes);
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
	if (object_add_symbol(g->p->out->edit->object, NULL, at, 0, g->p->code->number,
		ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, &symbol) != OBJECT_OK)
		g->failed = true;
	return symbol;
}

static void advance_to(struct generator *g, uint64_t to)
{
	struct anew *o = g->p->out;
	uint64_t steps = (to - g->at) / g->p->cie->code_align;
	unsigned need = steps < 0x40 ? 0 : steps < 0x100 ? 1 : steps < 0x10000 ? 2 : 4;
	bool linked = g->p->code->linked;
	if (to == g->at)
		return;
	anew_byte(o, need == 0   ? CFA_ADVANCE | (linked ? 0 : (unsigned)steps)
		     : need == 1 ? CFA_ADVANCE1
		     : need == 2 ? CFA_ADVANCE2
				 : CFA_ADVANCE4);
	uint64_t field = o->size - (need == 0 ? 1 : 0);
	for (unsigned i = 0; i < need; i++)
		anew_byte(o, linked ? 0 : (unsigned)(steps >> 8 * i & 0xFF));
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

/* From a new offset on, instructions belong to the present row and state. */
static void hold(struct generator *g, uint64_t at)
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
	for (unsigned i = 0; c != NULL && g->kept && i < c->count; i++) {
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
		bool same =
		    want.rule[i] == g->now.rule[i] && (want.rule[i] != RULE_OFFSET || want.at[i] == g->now.at[i]);
		if (same)
			continue;
		advance_to(g, at);
		if (want.rule[i] == RULE_OFFSET) {
			g->failed = g->failed || want.at[i] < 0 || want.at[i] % factor != 0;
			anew_byte(o, CFA_OFFSET | i);
			anew_uleb(o, (uint64_t)(want.at[i] / factor));
		} else if (want.rule[i] == RULE_UNDEFINED) {
			anew_byte(o, CFA_UNDEFINED);
			anew_uleb(o, i);
		} else
			anew_byte(o, CFA_RESTORE | i);
	}
	g->now = want;
}

static void usual(struct generator *g)
{
	g->framed = g->kept = g->begun;
	g->pushed = 0;
}

static void hold_pieces(struct generator *g, uint32_t first)
{
	const struct edit *e = g->p->out->edit;
	for (uint32_t p = first; p != 0; p = e->pieces[p - 1].next) {
		const struct edit_piece *piece = &e->pieces[p - 1];
		uint64_t at = piece->at;
		bool jumps = false;
		for (size_t i = 0; i < piece->count; i++) {
			const struct edit_word *w = &piece->words[i];
			hold(g, at);
			at += w->length;
			jumps = (w->to == EDIT_TO_LABEL || w->to == EDIT_TO_PIECE || w->type == R_RISCV_JAL);
			if (w->unwind == 0)
				continue;
			if ((w->unwind & EDIT_FRAMED) != 0 && !g->begun) {
				const struct row *row = &g->rows->rows[g->row];
				for (unsigned r = 0; r < ROW_REGISTERS; r++)
					g->above = row->rule[r] == RULE_OFFSET && row->at[r] > g->above ? row->at[r]
													: g->above;
				g->begun = g->p->change != NULL;
			}
			g->framed = g->begun && (w->unwind & EDIT_FRAMED) != 0;
			g->kept = g->begun && (w->unwind & EDIT_KEPT) != 0;
			g->pushed = w->pushed;
		}
		if (jumps)
			usual(g);
	}
}

/* The whole program of an entry for the code from p->loc on. false: it cannot be; nothing was put. */
static bool new_program(struct program *p, uint64_t end, uint64_t range)
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
	struct generator g = {.p = p, .rows = &rows, .now = {.cfa = 2}, .at = first->label};
	g.begun = p->change != NULL && !p->change->begins;
	g.symbol = s->linked ? place_symbol(&g, first->label) : 0;
	usual(&g);
	for (const struct edit_atom *atom = first; atom <= last; atom++) {
		while (g.row + 1 < rows.count && rows.rows[g.row + 1].loc <= atom->offset)
			g.row++;
		if (atom != first)
			hold_pieces(&g, atom->pieces[0]);
		usual(&g);
		if (atom == last)
			break;
		hold(&g, atom->label);
		hold_pieces(&g, atom->pieces[1]);
		hold(&g, atom->at);
		usual(&g);
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

/* A CIE's contents as far as FDEs need them. */
static bool read_cie(const struct edit *e, const uint8_t *d, uint64_t at, uint64_t end, bool eh, struct cie *cie)
{
	bool bad = false;
	if (end - at < 4)
		return false;
	unsigned version = d[at++];
	const uint8_t *text = d + at, *stop = memchr(text, 0, end - at);
	if (stop == NULL)
		return false;
	at += (uint64_t)(stop - text) + 1;
	cie->address_bytes = e->object->xlen / 8;
	if (version >= 4) {
		if (end - at < 2)
			return false;
		at += 2;
	}
	cie->code_align = tables_uleb(d, &at, end, &bad);
	cie->data_align = tables_sleb(d, &at, end, &bad);
	if (version == 1)
		at++;
	else
		tables_uleb(d, &at, end, &bad);
	cie->augmented = *text == 'z';
	if (*text != 0 && *text != 'z')
		return false;
	if (cie->augmented) {
		tables_uleb(d, &at, end, &bad);
		for (const uint8_t *c = text + 1; *c != 0 && !bad; c++) {
			unsigned encoding = at < end ? d[at] : 0, size;
			switch (*c) {
			case 'L':
				at++;
				break;
			case 'P':
				size =
				    (encoding & 0xF) == 0 || (encoding & 0xF) == 4 || (encoding & 0xF) == 0xC ? 8 : 4;
				if ((encoding & 0xF) == 0)
					size = e->object->xlen / 8;
				at += 1 + size;
				break;
			case 'R':
				at++;
				if (eh)
					cie->address_bytes = (encoding & 0xF) == 0x3 || (encoding & 0xF) == 0xB ? 4
							     : (encoding & 0xF) == 0 ? e->object->xlen / 8
							     : (encoding & 0xF) == 0x4 || (encoding & 0xF) == 0xC ? 8
														  : 0;
				break;
			case 'S':
				break;
			default:
				return false;
			}
		}
	}
	/* DW_CFA_def_cfa sp, 0, or DW_CFA_def_cfa_register sp, and padding */
	uint64_t rest = end > at && d[at] == CFA_DEF_CFA ? 3 : 2;
	cie->plain = !bad && end - at >= rest && d[at + 1] == 2 &&
		     ((rest == 3 && d[at + 2] == 0) || d[at] == CFA_DEF_CFA_REGISTER);
	for (uint64_t i = at + rest; cie->plain && i < end; i++)
		cie->plain = d[i] == CFA_NOP;
	return !bad && at <= end && cie->code_align > 0 && cie->code_align <= 4 && cie->data_align < 0 &&
	       cie->data_align >= -16 && cie->address_bytes != 0;
}

static const struct edit_frame_change *change_of(const struct edit *e, uint32_t section, uint64_t function)
{
	for (size_t i = 0; i < e->frame_change_count; i++) {
		if (e->frame_changes[i].section == section && e->frame_changes[i].function == function)
			return &e->frame_changes[i];
	}
	return NULL;
}

/* One FDE, from its initial location on, up to end. */
static bool copy_fde(struct edit *e, struct anew *o, const struct cie *cie, uint64_t end)
{
	const struct object_reloc *begins;
	struct program p = {.out = o, .cie = cie};
	uint64_t at = o->at + 2 * (uint64_t)cie->address_bytes;
	bool bad = false;
	if (at > end)
		return false;
	begins = anew_reloc_at(o, o->at, R_RISCV_32_PCREL, cie->address_bytes == 8 ? R_RISCV_64 : R_RISCV_32);
	if (begins == NULL)
		begins = anew_reloc_at(o, o->at, R_RISCV_ADD32, R_RISCV_ADD64);
	if (begins == NULL)
		return false;
	p.loc = tables_where(e, begins->symbol, begins->addend, &p.code);
	if (p.code != NULL && p.code->touched)
		p.change = change_of(e, p.code->number, p.loc);
	if (cie->augmented)
		at += tables_uleb(o->old->data, &at, end, &bad);
	if (bad || at > end)
		return false;
	/* a range that is a plain number */
	uint64_t range_at = o->size + cie->address_bytes;
	uint64_t range_old = o->at + cie->address_bytes;
	bool plain = anew_reloc_at(o, range_old, R_RISCV_ADD32, R_RISCV_ADD64) == NULL &&
		     anew_reloc_at(o, range_old, R_RISCV_32, R_RISCV_64) == NULL &&
		     anew_reloc_at(o, range_old, R_RISCV_SET32, R_RISCV_SET32) == NULL;
	uint64_t range = 0;
	memcpy(&range, o->old->data + range_old, cie->address_bytes);
	uint64_t old_range = range;
	if (!plain) {
		const struct edit_section *to;
		const struct object_reloc *ends = anew_reloc_at(o, range_old, R_RISCV_ADD32, R_RISCV_ADD64);
		if (ends == NULL)
			ends = anew_reloc_at(o, range_old, R_RISCV_SET32, R_RISCV_SET32);
		old_range = ends == NULL ? 0 : tables_where(e, ends->symbol, ends->addend, &to) - p.loc;
	}
	anew_copy(o, at);
	if (plain && o->error == OBJECT_OK) {
		range = tables_place(p.code, p.loc + range) - tables_place(p.code, p.loc);
		memcpy(o->data + range_at, &range, cie->address_bytes);
	}
	if (p.code != NULL && p.code->touched && new_program(&p, end, old_range))
		return true;
	/* what rows cannot say stays as it is: right but for what was put in */
	e->lost.frames += p.change != NULL;
	return copy_program(&p, end);
}

static void set_32(struct anew *o, uint64_t at, uint32_t value)
{
	if (o->error == OBJECT_OK)
		memcpy(o->data + at, &value, 4);
}

/* Everything in other sections that names a place in this one. */
static void mend_references(struct edit *e, uint32_t number, const struct anew *o, uint64_t old_size)
{
	for (uint32_t i = 1; i < e->object->section_count; i++) {
		struct object_section *s = &e->object->sections[i];
		for (size_t k = 0; k < s->reloc_count; k++) {
			struct object_reloc *r = &s->relocs[k];
			const struct object_symbol *symbol = &e->object->symbols[r->symbol];
			if (symbol->section != number || r->addend == 0)
				continue;
			uint64_t target = symbol->value + (uint64_t)r->addend;
			if (target <= old_size && symbol->value <= old_size)
				r->addend = (int64_t)(o->map[target] - o->map[symbol->value]);
		}
	}
	for (uint32_t i = 1; i < e->object->symbol_count; i++) {
		struct object_symbol *symbol = &e->object->symbols[i];
		if (symbol->section == number && symbol->value <= old_size)
			symbol->value = o->map[symbol->value];
	}
}

int frames_rewrite(struct edit *e, uint32_t number, bool eh, char *detail, size_t detail_size)
{
	struct object_section *s = &e->object->sections[number];
	struct anew o = {.edit = e, .old = s};
	uint64_t old_size = s->size;
	struct cie *cies = NULL;
	size_t cie_count = 0, cie_room = 0;
	int error = object_sort_relocs(e->object, number);
	o.map = malloc((s->size + 1) * sizeof *o.map);
	if (error != OBJECT_OK || o.map == NULL) {
		free(o.map);
		return OBJECT_ENOMEM;
	}
	bool good = true;
	while (good && o.at < old_size && o.error == OBJECT_OK) {
		uint64_t start = o.at, out_start = o.size;
		if (old_size - start < 4) {
			good = false;
			break;
		}
		uint32_t length = tables_32(s->data + start);
		uint64_t end = start + 4 + length;
		if (length == 0) { /* the end mark */
			anew_copy(&o, start + 4);
			continue;
		}
		if (length >= 0xFFFFFFF0u || end > old_size || length < 8) {
			good = false;
			break;
		}
		uint32_t id = tables_32(s->data + start + 4);
		const struct object_reloc *pointer = anew_reloc_at(&o, start + 4, R_RISCV_32, R_RISCV_ADD32);
		bool is_cie = pointer == NULL && (eh ? id == 0 : id == UINT32_MAX);
		anew_copy(&o, start + 8);
		if (is_cie) {
			if (cie_count == cie_room) {
				cie_room = 2 * cie_room + 4;
				struct cie *larger = realloc(cies, cie_room * sizeof *cies);
				if (larger == NULL) {
					o.error = OBJECT_ENOMEM;
					break;
				}
				cies = larger;
			}
			good = read_cie(e, s->data, start + 8, end, eh, &cies[cie_count]);
			cies[cie_count++].offset = start;
			anew_copy(&o, end);
			continue;
		}
		uint64_t of;
		if (pointer != NULL) {
			of = e->object->symbols[pointer->symbol].value + (uint64_t)pointer->addend;
			if (e->object->symbols[pointer->symbol].section != number)
				good = false;
		} else
			of = eh ? start + 4 - id : id;
		const struct cie *cie = NULL;
		for (size_t i = 0; i < cie_count && good; i++)
			cie = cies[i].offset == of ? &cies[i] : cie;
		good = good && cie != NULL && copy_fde(e, &o, cie, end);
		if (!good)
			break;
		uint64_t unit = length % 8 == 4 && e->object->xlen == 64 ? 8 : 4;
		while ((o.size - out_start - 4) % unit != length % unit && o.error == OBJECT_OK)
			anew_byte(&o, CFA_NOP);
		while ((o.size - out_start) % 4 != 0 && o.error == OBJECT_OK)
			anew_byte(&o, CFA_NOP);
		set_32(&o, out_start, (uint32_t)(o.size - out_start - 4));
		if (pointer == NULL)
			set_32(&o, out_start + 4, eh ? (uint32_t)(out_start + 4 - o.map[of]) : (uint32_t)o.map[of]);
	}
	free(cies);
	o.map[old_size] = o.size;
	error = o.error;
	if (error == OBJECT_OK && !good) {
		snprintf(detail, detail_size, "section %s, offset 0x%llx: an unwind entry that is not understood",
		    s->name, (unsigned long long)o.at);
		error = OBJECT_EUNSUPPORTED;
	}
	if (error == OBJECT_OK) {
		mend_references(e, number, &o, old_size);
		s = &e->object->sections[number];
		if (s->owned)
			free(s->data);
		free(s->relocs);
		s->data = o.data;
		s->size = o.size;
		s->owned = s->changed = true;
		s->relocs = o.relocs;
		s->reloc_count = o.reloc_count;
		s->reloc_size = o.reloc_room;
		if (s->data == NULL)
			s->data = calloc(1, 1);
	} else {
		free(o.data);
		free(o.relocs);
	}
	free(o.map);
	return error;
}
