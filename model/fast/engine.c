/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Execution of blocks: each op goes straight to the next one (labels as values, GCC and clang). The cycles and
 * instructions of a block are added where it is left.
 */
#include "model/fast/private.h"

#include <string.h>

static const void *const *places;

const void *const *engine_places(void)
{
	if (!places)
		engine_execute(NULL);
	return places;
}

static inline uint32_t rotate_right(uint32_t value, unsigned by)
{
	return by ? value >> by | value << (32 - by) : value;
}

/* Cycles of a division beyond the fewest. */
static inline unsigned longer(uint32_t magnitude, uint32_t divisor)
{
	unsigned zeros = magnitude ? (unsigned)__builtin_clz(magnitude) / 8 : 3;
	return divisor ? 21 - 7 * zeros : 21;
}
static inline uint32_t magnitude_of(uint32_t a)
{
	return a >> 31 ? 0 - a : a;
}

#define GO(o)                                                                                                          \
	do {                                                                                                           \
		op = (o);                                                                                              \
		goto * op->go;                                                                                         \
	} while (0)
#define NEXT GO(op + 1)
#define RD r[op->rd]
#define RS1 r[op->rs1]
#define RS2 r[op->rs2]
#define IMM op->imm

#define ALU(name, value)                                                                                               \
	do_##name : RD = (value);                                                                                      \
	NEXT;

/* An access inside of the window is aligned and in RAM: the rotation brings low bits that are not 0 to the top. */
#define OUTSIDE(w, bits) (rotate_right(at - (w)->first, bits) >= (w)->size >> (bits))
#define LOAD(name, type, bits)                                                                                         \
	do_##name:                                                                                                     \
	{                                                                                                              \
		uint32_t at = RS1 + IMM - f->ram_base;                                                                 \
		const struct window *w = &f->window[MEMORY_LOAD];                                                      \
		if (__builtin_expect(OUTSIDE(w, bits), 0) && OUTSIDE(w + MEMORY_OTHER, bits))                          \
			goto leave_memory;                                                                             \
		type value;                                                                                            \
		memcpy(&value, ram + at, sizeof value);                                                                \
		RD = (uint32_t)(int32_t)value;                                                                         \
		NEXT;                                                                                                  \
	}
#define STORE(name, type, bits)                                                                                        \
	do_##name:                                                                                                     \
	{                                                                                                              \
		uint32_t at = RS1 + IMM - f->ram_base;                                                                 \
		const struct window *w = &f->window[MEMORY_STORE];                                                     \
		if ((__builtin_expect(OUTSIDE(w, bits), 0) && OUTSIDE(w + MEMORY_OTHER, bits)) ||                      \
		    __builtin_expect(lines[at >> LINE_BITS], 0))                                                       \
			goto leave_memory;                                                                             \
		type value = (type)RS2;                                                                                \
		memcpy(ram + at, &value, sizeof value);                                                                \
		NEXT;                                                                                                  \
	}

/* Out of the block by exits[i]. */
#define OUT(i)                                                                                                         \
	do {                                                                                                           \
		e = &exits[i];                                                                                         \
		n += e->cycles;                                                                                        \
		insns += e->insns;                                                                                     \
		op = e->code;                                                                                          \
		if (__builtin_expect(n >= limit, 0))                                                                   \
			goto leave_limit;                                                                              \
		goto * op->go;                                                                                         \
	} while (0)
#define BRANCH(name, condition)                                                                                        \
	do_##name : if (condition) OUT(IMM);                                                                           \
	NEXT;

/* The same, with the outcomes shifted into the history. */
#define T_OUT(i)                                                                                                       \
	do {                                                                                                           \
		e = &exits[i];                                                                                         \
		goto traced_out;                                                                                       \
	} while (0)
#define T_BRANCH(name, condition)                                                                                      \
	do_T_##name : if (condition) T_OUT(IMM);                                                                       \
	NEXT;

/* Its jumps lie where they lie by the code alone, not by what stands before it: with them goes what the processor
 * predicts, by all bits of an address within a page, and half of the time of some programs. */
__attribute__((aligned(4096))) enum leave engine_execute(struct fast *f)
{
	static const void *const table[OP_COUNT] = {[ISA_ILLEGAL] = &&do_SLOW,
#define PLACE(name) [ISA_##name] = &&do_##name,
	    PLACE(JALR) PLACE(BEQ) PLACE(BNE) PLACE(BLT) PLACE(BGE) PLACE(BLTU) PLACE(BGEU) PLACE(LB) PLACE(LH) PLACE(
		LW) PLACE(LBU) PLACE(LHU) PLACE(SB) PLACE(SH) PLACE(SW) PLACE(ADDI) PLACE(SLTI) PLACE(SLTIU) PLACE(XORI)
		PLACE(ORI) PLACE(ANDI) PLACE(SLLI) PLACE(SRLI) PLACE(SRAI) PLACE(ADD) PLACE(SUB) PLACE(SLL) PLACE(SLT)
		    PLACE(SLTU) PLACE(XOR) PLACE(SRL) PLACE(SRA) PLACE(OR) PLACE(AND) PLACE(MUL) PLACE(MULH)
			PLACE(MULHSU) PLACE(MULHU) PLACE(DIV) PLACE(DIVU) PLACE(REM) PLACE(REMU)
#undef PLACE
#define PLACE(name) [OP_##name] = &&do_##name,
			    PLACE(NONE) PLACE(SLOW) PLACE(UNLINKED) PLACE(LI) PLACE(MV) PLACE(FALL) PLACE(JUMP)
				PLACE(T_BEQ) PLACE(T_BNE) PLACE(T_BLT) PLACE(T_BGE) PLACE(T_BLTU) PLACE(T_BGEU)
				    PLACE(T_FALL) PLACE(T_JUMP) PLACE(T_JALR)
#undef PLACE
					[OP_HEAD] = &&do_SLOW};
	if (!f) {
		places = table;
		return LEAVE_SLOW;
	}
	struct path nowhere = {0}; /* memory ran out */
	uint32_t *const r = f->r;
	uint8_t *const ram = f->ram;
	const uint8_t *const lines = f->lines;
	struct exit *const exits = f->exits;
	uint64_t limit = f->limit;
	uint64_t n = f->n, insns = f->insns, hist = f->hist;
	struct exit *e = NULL;
	uint32_t target = 0, unlinked = 0;
	uint16_t *log = f->log_count == 0 ? f->log : f->log + f->log_count; /* none: NULL */
	enum leave why;
	const struct op *op = f->op;
	goto * op->go;

	ALU(LI, IMM)
	ALU(MV, RS1)
	ALU(ADDI, RS1 + IMM)
	ALU(SLTI, (int32_t)RS1 < (int32_t)IMM)
	ALU(SLTIU, RS1 < IMM)
	ALU(XORI, RS1 ^ IMM)
	ALU(ORI, RS1 | IMM)
	ALU(ANDI, RS1 & IMM)
	ALU(SLLI, RS1 << IMM)
	ALU(SRLI, RS1 >> IMM)
	ALU(SRAI, (uint32_t)((int32_t)RS1 >> IMM))
	ALU(ADD, RS1 + RS2)
	ALU(SUB, RS1 - RS2)
	ALU(SLL, RS1 << (RS2 & 31))
	ALU(SLT, (int32_t)RS1 < (int32_t)RS2)
	ALU(SLTU, RS1 < RS2)
	ALU(XOR, RS1 ^ RS2)
	ALU(SRL, RS1 >> (RS2 & 31))
	ALU(SRA, (uint32_t)((int32_t)RS1 >> (RS2 & 31)))
	ALU(OR, RS1 | RS2)
	ALU(AND, RS1 & RS2)
	ALU(MUL, RS1 * RS2)
	ALU(MULH, (uint32_t)((uint64_t)((int64_t)(int32_t)RS1 * (int32_t)RS2) >> 32))
	ALU(MULHSU, (uint32_t)((uint64_t)((int64_t)(int32_t)RS1 * (int64_t)(uint64_t)RS2) >> 32))
	ALU(MULHU, (uint32_t)((uint64_t)RS1 * RS2 >> 32))
do_DIV:
do_REM:
	n += longer(magnitude_of(RS1), RS2);
	goto divide;
do_DIVU:
do_REMU:
	n += longer(RS1, RS2);
divide:
	RD = execute_alu(op->x, RS1, RS2);
	NEXT;

	LOAD(LB, int8_t, 0)
	LOAD(LBU, uint8_t, 0)
	LOAD(LH, int16_t, 1)
	LOAD(LHU, uint16_t, 1)
	LOAD(LW, int32_t, 2)
	STORE(SB, uint8_t, 0)
	STORE(SH, uint16_t, 1)
	STORE(SW, uint32_t, 2)

	BRANCH(BEQ, RS1 == RS2)
	BRANCH(BNE, RS1 != RS2)
	BRANCH(BLT, (int32_t)RS1 < (int32_t)RS2)
	BRANCH(BGE, (int32_t)RS1 >= (int32_t)RS2)
	BRANCH(BLTU, RS1 < RS2)
	BRANCH(BGEU, RS1 >= RS2)
do_FALL:
do_JUMP:
	OUT(IMM);
do_JALR:
	e = &exits[IMM];
	target = (RS1 + op[1].imm) & ~1u;
	RD = e->link;
	n += e->cycles;
	insns += e->insns;
indirect : {
	const struct jump *jump = &f->jumps[f->context][target >> 1 & (JUMPS - 1)];
	if (__builtin_expect(jump->pc != target || !jump->code, 0))
		goto leave_indirect;
	op = jump->code;
	if (__builtin_expect(n >= limit, 0))
		goto leave_indirect;
	goto * op->go;
}

	T_BRANCH(BEQ, RS1 == RS2)
	T_BRANCH(BNE, RS1 != RS2)
	T_BRANCH(BLT, (int32_t)RS1 < (int32_t)RS2)
	T_BRANCH(BGE, (int32_t)RS1 >= (int32_t)RS2)
	T_BRANCH(BLTU, RS1 < RS2)
	T_BRANCH(BGEU, RS1 >= RS2)
do_T_FALL:
do_T_JUMP:
	T_OUT(IMM);
traced_out:
	n += e->cycles;
	insns += e->insns;
	hist = hist << e->shift | e->bit;
	if (e->reason) {
		target = e->target;
		goto record;
	}
	op = e->code;
	if (__builtin_expect(n >= limit, 0))
		goto leave_limit;
	if (__builtin_expect(hist >> op[-1].x != 0, 0))
		goto leave_full;
	goto * op->go;
do_T_JALR:
	e = &exits[IMM];
	target = (RS1 + op[1].imm) & ~1u;
	unlinked = RD;
	RD = e->link;
	n += e->cycles;
	insns += e->insns;
	hist = hist << e->shift;
	if (!e->reason) {
		/* not the end of the trace: the room in the history is looked at there */
		goto leave_indirect;
	}
record:
	f->records++;
	if (e->key < KEY_UNKNOWN) {
		*log++ = e->key;
		goto recorded;
	}
	if (__builtin_expect(!f->plain, 0)) {
		if (f->tabled) {
			f->records--;
			if (!state_count(f, hist, n, insns, e->reason))
				goto leave_record;
			f->records++;
			goto recorded;
		}
		if (f->records_to == f->records)
			limit = 0; /* the next record is the model's */
		if (f->thinned)
			goto recorded;
	}
	{
		uint64_t cycles = n - f->trace_n, in_trace = insns - f->trace_insns;
		const uint32_t tag = (uint32_t)cycles & f->tag_mask;
		if (e->key < KEY_VARIES && f->plain && !f->counted) {
			f->log_count = (size_t)(log - f->log);
			order_by_exit(f, e, hist, in_trace, cycles, n);
			log = f->log + f->log_count;
			goto recorded;
		}
		if (e->key == KEY_LAST && order_is_last(f, e, hist, in_trace, cycles)) {
			*log++ = f->lasts[e - exits].key;
			goto noted;
		}
		struct path *path = f->strangers ? &nowhere : &f->paths[paths_hash(f->start, hist, tag) & f->path_mask];
		if (__builtin_expect(path->hist != hist || path->start != f->start || path->tag != tag, 0)) {
			if (!f->counted) {
				f->log_count = (size_t)(log - f->log);
				order_by_path(f, e, hist, in_trace, cycles, n);
				log = f->log + f->log_count;
				goto noted;
			}
			path = paths_find(f, f->start, hist, tag, (uint32_t)in_trace, e->reason);
			if (!path)
				path = &nowhere;
		}
		if (f->counted) {
			path->count++;
			path->cycles += cycles < f->cycles_max ? cycles : f->cycles_max;
		}
		f->met++;
		if (path->form == path_form(in_trace, e->reason) && path->usual == cycles && e->key >= KEY_VARIES &&
		    !f->apart) {
			*log++ = path->key;
		} else if (f->log) {
			f->log_count = (size_t)(log - f->log);
			order_add(f, path, e, in_trace, cycles, n);
			log = f->log + f->log_count;
		}
	noted:
		if (__builtin_expect(!f->plain, 0) && f->keeps_newest)
			state_keep(f, hist, cycles < f->cycles_max ? cycles : f->cycles_max, insns, e->reason);
	}
recorded:
	f->last_start = f->start;
	f->start = target;
	f->trace_n = n;
	f->trace_insns = insns;
	hist = 1;
	if (e->reason == TRACE_INDIRECT)
		goto indirect;
	op = e->code;
	if (__builtin_expect(n >= limit, 0))
		goto leave_limit;
	goto * op->go;

do_NONE:
	NEXT;
do_SLOW:
	why = LEAVE_SLOW;
	goto leave;
do_UNLINKED:
	why = LEAVE_LINK;
	goto leave;
leave_record: /* as if the instruction had not been executed */
	n -= e->cycles;
	insns -= e->insns;
	hist >>= e->shift;
	if (e->reason == TRACE_INDIRECT)
		RD = unlinked;
	why = LEAVE_SLOW;
	goto leave;
leave_memory:
	why = LEAVE_MEMORY;
	goto leave;
leave_limit:
	why = LEAVE_LIMIT;
	goto leave;
leave_full:
	why = op->go == table[OP_UNLINKED] ? LEAVE_LINK : LEAVE_FULL;
	goto leave;
leave_indirect:
	why = LEAVE_INDIRECT;
leave:
	f->op = op;
	f->n = n;
	f->insns = insns;
	f->hist = hist;
	if (f->log)
		f->log_count = (size_t)(log - f->log);
	f->exit = e;
	f->target = target;
	return why;
}
