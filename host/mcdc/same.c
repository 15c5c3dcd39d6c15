/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/mcdc/same.h"

#include "isa/isa.h"

#define SAME_MAX 48 /* instructions that are compared */

#define READS_MAX 400 /* instructions that are looked at for a register */

#define SAVED_BY_CALLER UINT32_C(0xF003FCE2)
#define ARGUMENTS UINT32_C(0x0003FC00)
#define RESULTS UINT32_C(0x00000C00)

struct pair_at {
	uint64_t a, b;
	struct isa_insn x, y;
	unsigned upper;            /* register that AUIPC has just written, 0: none, */
	uint64_t upper_a, upper_b; /* and what it has now */
};

static bool is_plain_jump(const struct isa_insn *insn)
{
	return (insn->class_bits & (ISA_JUMP | ISA_CALL)) == ISA_JUMP;
}

static bool has_same_operands(const struct isa_insn *x, const struct isa_insn *y)
{
	return x->op == y->op && x->rd == y->rd && x->rs1 == y->rs1 && x->rs2 == y->rs2 && x->rs3 == y->rs3 &&
	       x->rm == y->rm;
}

/* The instructions at hand; those that say an address from their own place have the same one. */
static bool does_same(struct pair_at *p)
{
	const struct isa_insn *x = &p->x, *y = &p->y;
	if (!has_same_operands(x, y) || x->op == ISA_ILLEGAL || x->op == ISA_OTHER)
		return false;
	if (p->upper != 0) { /* the second half of an address */
		bool same = x->rs1 == p->upper &&
			    p->upper_a + (uint64_t)(int64_t)x->imm == p->upper_b + (uint64_t)(int64_t)y->imm;
		bool over = x->rd == p->upper || (x->class_bits & ISA_STORE) == 0;
		p->upper = 0;
		return same && over;
	}
	if (x->op == ISA_AUIPC) {
		p->upper = x->rd;
		p->upper_a = p->a + (uint64_t)(int64_t)x->imm;
		p->upper_b = p->b + (uint64_t)(int64_t)y->imm;
		return p->upper != 0;
	}
	if ((x->class_bits & (ISA_BRANCH | ISA_JUMP)) != 0)
		return isa_target(x, p->a) == isa_target(y, p->b);
	return x->imm == y->imm;
}

bool code_is_same(const struct image *image, uint64_t a, uint64_t b)
{
	struct pair_at p = {.a = a, .b = b};
	for (unsigned i = 0; i < SAME_MAX; i++) {
		if (p.a == p.b)
			return p.upper == 0;
		if (!image_insn(image, p.a, 0, &p.x) || !image_insn(image, p.b, 0, &p.y))
			return false;
		if (is_plain_jump(&p.x) || is_plain_jump(&p.y)) {
			p.a = is_plain_jump(&p.x) ? isa_target(&p.x, p.a) : p.a;
			p.b = is_plain_jump(&p.y) ? isa_target(&p.y, p.b) : p.b;
			continue;
		}
		if (!does_same(&p))
			return false;
		if ((p.x.class_bits & (ISA_RETURN | ISA_TRAPS)) != 0)
			return (p.x.class_bits & ISA_RETURN) != 0;
		if ((p.x.class_bits & ISA_INDIRECT) != 0 && (p.x.class_bits & ISA_CALL) == 0)
			return false;
		p.a += p.x.length;
		p.b += p.y.length;
	}
	return false;
}

static bool reads_from(const struct image *image, uint64_t at, uint32_t live, unsigned *budget)
{
	while (live != 0) {
		struct isa_insn insn;
		struct isa_registers r;
		if (*budget == 0 || !image_insn(image, at, 0, &insn) || insn.op == ISA_ILLEGAL || insn.op == ISA_OTHER)
			return true;
		(*budget)--;
		isa_registers(&insn, &r);
		if ((r.x_read & live) != 0 || (insn.class_bits & ISA_TRAPS) != 0)
			return true;
		live &= ~r.x_written;
		if ((insn.class_bits & ISA_RETURN) != 0)
			return (live & (RESULTS | ~SAVED_BY_CALLER)) != 0;
		if ((insn.class_bits & ISA_CALL) != 0) {
			if ((live & ARGUMENTS) != 0)
				return true;
			live &= ~SAVED_BY_CALLER;
		} else if ((insn.class_bits & (ISA_INDIRECT | ISA_RET)) != 0) {
			return true;
		}
		if ((insn.class_bits & ISA_BRANCH) != 0 && reads_from(image, isa_target(&insn, at), live, budget))
			return true;
		at = is_plain_jump(&insn) ? isa_target(&insn, at) : at + insn.length;
	}
	return false;
}

bool code_reads(const struct image *image, uint64_t address, uint32_t registers)
{
	unsigned budget = READS_MAX;
	return reads_from(image, address, registers, &budget);
}
