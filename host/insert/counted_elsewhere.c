/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_elsewhere.h"

#include <string.h>
#include "isa/isa.h"

#define SP 2u
#define FRAME_POINTER 8u

/* Of these the runtime learns what they leave, or it is said by their names. */
static bool is_known_leaver(const char *name)
{
	static const char *const names[] = {"longjmp", "_longjmp", "__longjmp", "siglongjmp", "__libc_longjmp",
	    "__libc_siglongjmp", "setcontext", "swapcontext", "makecontext", "__start_context"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* Whether a block loads its stack pointer from what is not its own frame. */
static bool takes_other_stack(const struct counted *c, const struct map_block *block)
{
	for (uint32_t r = block->runs; r < block->runs + block->run_count; r++) {
		struct isa_insn insn;
		for (uint64_t at = c->map->runs[r].start; at < c->map->runs[r].end; at += insn.length) {
			if (!image_insn(c->image, at, 0, &insn))
				break;
			if ((insn.class_bits & ISA_LOAD) != 0 && insn.rd == SP && insn.rs1 != SP &&
			    insn.rs1 != FRAME_POINTER && insn.op < ISA_CM_PUSH)
				return true;
		}
	}
	return false;
}

const char *counted_elsewhere(const struct counted *c)
{
	for (size_t i = 0; i < c->map->function_count; i++) {
		const struct map_function *f = &c->map->functions[i];
		const bool unknown = (f->flags & MAP_COUNTED) == 0;
		if (f->address == 0 || is_known_leaver(f->name))
			continue;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			if ((unknown || c->blocks[b] != 0) && takes_other_stack(c, &c->map->blocks[b]))
				return f->name;
		}
	}
	return NULL;
}
