/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/suite.h"
#include "tests/walk_bench.h"

/*
 * Random programs, executed by a machine that is told nothing but kinds and targets, traced by the rules of
 * docs/trace-unit.md; every record must walk to exactly what was executed.
 */
enum kind {
	PLAIN4,
	PLAIN2,
	BRANCH4,
	BRANCH2,
	JUMP4,
	JUMP2,
	CALL4,
	CALL2,
	RETURN4,
	RETURN2,
	COMPUTED,
	TRAP_RETURN,
	TRAPS,
	KINDS
};

#define INSNS 600
static struct {
	enum kind kind;
	uint32_t pc, target, length;
} program[INSNS];
static uint32_t state;

static uint32_t below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (uint32_t)(((uint64_t)state * n) >> 32);
}

static void make_program(void)
{
	uint32_t pc = BASE;
	for (int i = 0; i < INSNS; i++) {
		static const enum kind likely[] = {PLAIN4, PLAIN2, PLAIN4, PLAIN2, BRANCH4, BRANCH2, BRANCH4, BRANCH2,
		    BRANCH4, JUMP4, JUMP2, CALL4, CALL2, RETURN4, RETURN2};
		program[i].kind =
		    below(40) == 0 ? (enum kind)below(KINDS) : likely[below(sizeof likely / sizeof *likely)];
		if (i == INSNS - 1)
			program[i].kind = JUMP4;
		enum kind k = program[i].kind;
		program[i].pc = pc;
		program[i].length = k == PLAIN2 || k == BRANCH2 || k == JUMP2 || k == CALL2 || k == RETURN2 ? 2 : 4;
		pc += program[i].length;
	}
	for (int i = 0; i < INSNS; i++) {
		enum kind k = program[i].kind;
		int far = k == BRANCH2 ? 60 : INSNS, low = i > far ? i - far : 0,
		    high = i + far < INSNS ? i + far : INSNS - 1;
		int to = below(20) == 0 && i + 1 < INSNS ? i + 1 : low + (int)below((uint32_t)(high - low + 1));
		uint32_t target = program[to].pc;
		program[i].target = target;
		switch (k) {
		case BRANCH4:
			branch(&code, (unsigned[]){0, 1, 4, 5, 6, 7}[below(6)], target);
			break;
		case BRANCH2:
			c_branch(&code, 6 + below(2), target);
			break;
		case JUMP4:
			jal(&code, 0, target);
			break;
		case JUMP2:
			c_jump(&code, 5, target);
			break;
		case CALL4:
			jal(&code, 1, target);
			break;
		case CALL2:
			c_jump(&code, 1, target);
			break;
		case RETURN4:
			jalr(&code, 0, 1, 0);
			break;
		case RETURN2:
			c_jr(&code, 1);
			break;
		case COMPUTED:
			jalr(&code, below(2), 15, 4);
			break;
		case TRAP_RETURN:
			mret(&code);
			break;
		case TRAPS:
			ecall(&code);
			break;
		case PLAIN2:
			c_nop(&code);
			break;
		default:
			nop(&code);
		}
	}
}

static int index_of(uint32_t pc)
{
	for (int i = 0; i < INSNS; i++) {
		if (program[i].pc == pc)
			return i;
	}
	ck_abort_msg("no instruction at 0x%08x", pc);
}

static uint64_t executed[1 << 17];

START_TEST(random_programs)
{
	static const uint32_t ctrls[] = {0, NO_BACKWARD, NO_INDIRECT, NO_BACKWARD | NO_INDIRECT};
	static const unsigned hists[] = {8, 13, 32, 64};
	unsigned hist_bits = hists[_i & 3];
	uint32_t ctrl = ctrls[_i >> 2 & 3];
	state = 0x12345u + (uint32_t)_i * 7919;
	make_program();
	ready(hist_bits, ctrl);
	int i = 0;
	uint32_t stack[4096];
	size_t depth = 0,
	       base = 0; /* base: depth when the trace began; below it a return's target is not in the trace */
	uint64_t hist = 1;
	size_t done = 0, known = 0; /* instructions in the trace; up to its last branch */
	bool lost = false; /* the trace has a jump that cannot be followed; instructions up to it: `known_lost` */
	size_t known_lost = 0, records = 0, instructions = 0;
	while (records < 20000) {
		uint32_t pc = program[i].pc, next = pc + program[i].length;
		unsigned reason = TRACE_NONE;
		if (program[i].kind == TRAPS || below(200) == 0 || done > 5000) {
			reason = program[i].kind == TRAPS ? TRACE_TRAP
							  : (unsigned[]){TRACE_TRAP, TRACE_LEFT, TRACE_OFF}[below(3)];
			if (done == 0) {
				i = (int)below(INSNS);
				continue;
			}
		} else {
			uint32_t to = next;
			bool backward = false, unknown = false;
			switch (program[i].kind) {
			case BRANCH4:
			case BRANCH2:
				if (below(2) == 1)
					to = program[i].target;
				backward = to != next && to <= pc;
				hist = hist << 1 | (to != next);
				break;
			case JUMP4:
			case JUMP2:
				to = program[i].target;
				backward = to <= pc;
				break;
			case CALL4:
			case CALL2:
				to = program[i].target;
				backward = to <= pc;
				if (depth < 4096)
					stack[depth++] = next;
				break;
			case RETURN4:
			case RETURN2:
				if (depth > base)
					to = stack[--depth];
				else {
					to = program[below(INSNS)].pc;
					unknown = true;
				}
				break;
			case COMPUTED:
			case TRAP_RETURN:
				to = program[below(INSNS)].pc;
				break;
			default:
				break;
			}
			executed[done++] = pc;
			bool is_branch = program[i].kind == BRANCH4 || program[i].kind == BRANCH2;
			bool is_indirect =
			    program[i].kind == RETURN4 || program[i].kind == RETURN2 || program[i].kind == COMPUTED;
			if (is_branch)
				known = done;
			if (backward && (ctrl & NO_BACKWARD) == 0)
				reason = TRACE_BACKWARD;
			else if (is_indirect && (ctrl & NO_INDIRECT) == 0)
				reason = TRACE_INDIRECT;
			else if (program[i].kind == TRAP_RETURN)
				reason = TRACE_XRET;
			else if (is_branch && hist >> (hist_bits - 1) == 1)
				reason = TRACE_FULL;
			if (program[i].kind == COMPUTED && reason == TRACE_NONE) {
				/* what follows cannot be rebuilt: end the trace here, as leaving the range would */
				reason = TRACE_LEFT;
			}
			next = to;
			if (reason == TRACE_NONE && unknown && !lost) {
				lost = true;
				known_lost = done;
			}
		}
		if (reason != TRACE_NONE) {
			uint64_t start = executed[0];
			bool cut = reason == TRACE_TRAP || reason == TRACE_LEFT || reason == TRACE_OFF;
			int error = run(start, hist, reason, (uint32_t)done);
			if (lost && known_lost < done) {
				ck_assert(error < 0);
				ck_assert_uint_le(count, done);
			} else {
				if (error != WALK_OK)
					ck_abort_msg("record %zu: start 0x%08" PRIx64
						     ", history 0x%llx, reason %u, %zu "
						     "instructions: %s at 0x%08" PRIx64,
					    records, start, (unsigned long long)hist, reason, done,
					    walk_strerror(error), at);
				ck_assert_uint_eq(count, done);
				ck_assert_mem_eq(pcs, executed, done * sizeof *pcs);
				/* without the count */
				error = run(start, hist, reason, 0);
				ck_assert_int_eq(error, cut ? WALK_UNKNOWN_END : WALK_OK);
				ck_assert_uint_eq(count, cut ? known : done);
				ck_assert_mem_eq(pcs, executed, count * sizeof *pcs);
			}
			records++;
			instructions += done;
			done = known = 0;
			hist = 1;
			lost = false;
			base = depth;
			if (depth > 2000)
				depth = base = 0;
			next = program[below(8) == 0 || cut ? (int)below(INSNS) : index_of(next)].pc;
		}
		i = index_of(next);
	}
	ck_assert_uint_gt(instructions, 2 * records);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"random", random_programs, 64},
	};
	return SUITE_RUN("walk random", cases, setup, teardown);
}
