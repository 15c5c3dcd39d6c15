/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/comes_back.h"
#include "isa/isa.h"

#define REACH 32768 /* bytes to both sides of the target that are followed */
#define WAYS_MAX 256

struct follower {
	const struct insert_original *o;
	uint64_t base;
	uint8_t seen[2 * REACH / 2 / 8]; /* by halfword from base on */
	uint64_t ways[WAYS_MAX];         /* to be followed */
	unsigned count;
	bool calls, unknown;
};

/* Code of an object that was given to `rivulet insert` may have counters. */
static bool may_count(const struct insert_original *o, uint64_t pc)
{
	uint64_t start = pc;
	if (image_whole_function(o->image, pc, &start) == NULL)
		return true;
	for (size_t i = 0; i < o->map->function_count; i++) {
		const struct map_function *f = &o->map->functions[i];
		if (f->address != 0 && (f->address == start || f->address == pc))
			return true;
	}
	return false;
}

static void add_way(struct follower *f, uint64_t pc)
{
	if (f->count == WAYS_MAX || pc - f->base >= 2 * REACH || may_count(f->o, pc))
		f->unknown = true;
	else
		f->ways[f->count++] = pc;
}

static void follow_way_back(struct follower *f, uint64_t pc)
{
	while (!f->unknown) {
		struct isa_insn insn;
		uint64_t half = (pc - f->base) / 2;
		if (pc - f->base >= 2 * REACH || !image_insn(f->o->image, pc, 0, &insn)) {
			f->unknown = true;
			return;
		}
		if ((f->seen[half / 8] & 1u << half % 8) != 0)
			return;
		f->seen[half / 8] |= (uint8_t)(1u << half % 8);
		if ((insn.class_bits & ISA_CALL) != 0)
			f->calls = true;
		else if ((insn.class_bits & ISA_RETURN) != 0)
			return;
		else if ((insn.class_bits & (ISA_INDIRECT | ISA_RET)) != 0)
			f->unknown = true;
		else if ((insn.class_bits & (ISA_BRANCH | ISA_JUMP)) != 0)
			add_way(f, isa_target(&insn, pc));
		if ((insn.class_bits & ISA_JUMP) != 0 && (insn.class_bits & ISA_CALL) == 0)
			return;
		pc += insn.length;
	}
}

/* The linker's way to a shared library, which has no counters: AUIPC t3, a load of the address, JALR t1, t3. */
static bool is_stub(const struct image *image, uint64_t pc)
{
	struct isa_insn high, load, jump;
	return image_insn(image, pc, 0, &high) && high.op == ISA_AUIPC && high.rd == 28 &&
	       image_insn(image, pc + high.length, 0, &load) && (load.op == ISA_LD || load.op == ISA_LW) &&
	       load.rd == 28 && load.rs1 == 28 && image_insn(image, pc + high.length + load.length, 0, &jump) &&
	       jump.op == ISA_JALR && jump.rs1 == 28 && jump.rd == 6;
}

enum comes_back comes_back(const struct insert_original *o, uint64_t at)
{
	struct isa_insn insn, second;
	uint64_t target;
	if (!image_insn(o->image, at, 0, &insn))
		return COMES_BACK_UNKNOWN;
	if (insn.op == ISA_AUIPC && image_insn(o->image, at + insn.length, 0, &second) && second.op == ISA_JALR &&
	    second.rs1 == insn.rd)
		target = at + (uint64_t)(int64_t)insn.imm + (uint64_t)(int64_t)second.imm;
	else if ((insn.class_bits & (ISA_JUMP | ISA_BRANCH)) != 0)
		target = isa_target(&insn, at);
	else
		return COMES_BACK_UNKNOWN;
	if (o->map->xlen == 32)
		target = (uint32_t)target;
	if (is_stub(o->image, target))
		return COMES_BACK;
	struct follower f = {.o = o, .base = target - REACH};
	add_way(&f, target);
	while (f.count > 0 && !f.unknown)
		follow_way_back(&f, f.ways[--f.count]);
	if (f.unknown)
		return COMES_BACK_UNKNOWN;
	return f.calls ? COMES_BACK : COMES_BACK_ALONE;
}
