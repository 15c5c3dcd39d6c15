/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/functional.h"
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"
#include "common/rivulet_regs.h"

/* clang-format off */
enum trace_point {
#define NAME2(line) POINT_##line
#define NAME(line) NAME2(line)
#define POINT(name, condition) NAME(__COUNTER__),
#include "tb/trace_points.def"
	POINTS
};
static const char *const point_names[POINTS] = {
#define POINT(name, condition) name,
#include "tb/trace_points.def"
};
/* clang-format on */

/* Kinds of instruction that an interrupt finds in X. */
enum kind { BRANCH, JUMP, INDIRECT, LOAD, STORE, MULTIPLY, DIVIDE, CSR, TRAP_RETURN, FENCE_I, TRAPPING, OTHER, KINDS };
static const char *const kind_names[KINDS] = {"branch", "jump", "indirect jump", "load", "store", "multiply", "divide",
    "CSR access", "trap return", "FENCE.I", "instruction that traps", "other instruction"};
enum { ROWS = 512, CAUSES = 32, DEPTHS = 4 };

struct functional {
	uint64_t points[POINTS];
	uint64_t retired[ROWS][2]; /* row of the instruction table; in U, in M */
	uint64_t traps[CAUSES][2], interrupts[CAUSES][2], interrupted[KINDS][2];
	uint64_t nested[DEPTHS]; /* interrupts taken with this many handlers active */
	/* of the cycle before */
	uint8_t mode;      /* of the last instruction in stage S */
	uint8_t core_mode; /* of the last retirement */
	uint32_t lost, asked;
	bool lost_known;
	unsigned handlers;
};

struct functional *functional_open(void)
{
	return calloc(1, sizeof(struct functional));
}

void functional_close(struct functional *f)
{
	free(f);
}

static uint64_t ones(unsigned bits)
{
	return (UINT64_C(1) << bits) - 1;
}

static bool inside(const struct trace *t, unsigned range)
{
	return t->s.pc >= t->range_lo[range] && t->s.pc < t->range_hi[range];
}

void functional_trace(struct functional *f, const struct trace *t, bool write, unsigned index)
{
	const struct trace_config *c = &t->config;
	const struct trace_retire *s = &t->s;
	uint32_t insn = s->insn;
	bool wide = (insn & 3) == 3;
	uint32_t low = insn & 0xFFFF, length = wide ? 4 : 2;
	bool br_bits = wide ? (insn & 0x7F) == 0x63 : (low & 0xC003) == 0xC001;
	bool done = s->valid && !s->trap, br = br_bits;
	bool jmp =
	    wide ? (insn & 0x7F) == 0x6F : (low & 0xE003) == 0xA001 || ((low & 0xE003) == 0x2001 && c->xlen == 32);
	bool ind = wide ? (insn & 0x7F) == 0x67 : (low & 0xE07F) == 0x8002 && low & 0xF80;
	bool ret = insn == 0x30200073 || insn == 0x10200073;
	uint64_t mask = c->xlen == 64 ? UINT64_MAX : UINT32_MAX, half = mask / 2;
	bool outcome = s->next_pc != ((s->pc + length) & mask);
	int32_t offset = (int32_t)((insn >> 8 & 0xF) << 1 | (insn >> 25 & 0x3F) << 5 | (insn >> 7 & 1) << 11);
	int32_t offset16 =
	    (int32_t)((low >> 3 & 3) << 1 | (low >> 10 & 3) << 3 | (low >> 2 & 1) << 5 | (low >> 5 & 3) << 6);
	bool both_next = wide ? offset == 4 && !(insn >> 31) : offset16 == 2 && !(low >> 12 & 1);

	bool enable = t->ctrl & RV_CTRL_ENABLE_MASK, freeze = c->with_freeze && !(t->ctrl & RV_CTRL_HANDLERS_MASK);
	unsigned depth_now = t->depth + (s->valid && s->intr && t->depth < 15);
	bool frozen = freeze && depth_now;
	bool with_mode = c->with_mode, mode_in = !with_mode || t->ctrl >> RV_CTRL_MODES_LSB >> s->mode & 1;
	uint32_t ranges = (uint32_t)(t->ctrl >> RV_CTRL_RANGE_EN_LSB & ones(c->ranges));
	bool one_range = ranges == 1, in_range = !ranges;
	for (unsigned i = 0; i < c->ranges; i++)
		in_range |= ranges >> i & 1 && inside(t, i);
	bool scope = mode_in && in_range, take = done && enable && scope && !frozen;
	unsigned disc = 0;
	if (!enable)
		disc = TRACE_OFF;
	else if (freeze ? s->valid && s->intr && t->depth == 15 : s->valid && (s->trap || s->intr))
		disc = TRACE_TRAP;
	else if (done && !frozen && !scope)
		disc = TRACE_LEFT;
	unsigned latch = !t->cur_valid ? 0 : t->end ? t->end_reason : disc;
	bool almost_full = t->cur_valid && t->cur_hist >> (c->hist - 2) == 1;
	bool sample = c->with_sample && t->ctrl & RV_CTRL_SAMPLE_MASK,
	     lifo = t->ctrl & RV_CTRL_LIFO_MASK && c->with_lifo;
	bool repeats = c->with_repeat && t->ctrl & RV_CTRL_REPEAT_MASK && !sample && !lifo;

	/* the discontinuities show in the mode of the instruction that makes them, or in that of the last one */
	unsigned number = 0;
	if (!t->end && s->valid)
		f->mode = s->mode;
#define POINT(name, condition) f->points[number++] += (condition) != 0;
#include "tb/trace_points.def"
	if (s->valid)
		f->mode = s->mode;
	f->lost_known = !(write && index == RV_REG_LOST);
	f->lost = t->lost;
	f->asked = trace_reg_read(t, RV_REG_STATUS) & (t->ctrl >> RV_CTRL_IE_LSB & 0x1F);
}

static enum kind kind_of(const struct isa_insn *insn)
{
	uint16_t bits = insn->class_bits;

	return bits & ISA_BRANCH                                 ? BRANCH
	       : bits & ISA_JUMP                                 ? JUMP
	       : bits & ISA_INDIRECT                             ? INDIRECT
	       : bits & ISA_LOAD                                 ? LOAD
	       : bits & ISA_STORE                                ? STORE
	       : bits & ISA_RET                                  ? TRAP_RETURN
	       : bits & ISA_TRAPS                                ? TRAPPING
	       : insn->op >= ISA_MUL && insn->op <= ISA_MULHU    ? MULTIPLY
	       : insn->op >= ISA_DIV && insn->op <= ISA_REMU     ? DIVIDE
	       : insn->op >= ISA_CSRRW && insn->op <= ISA_CSRRCI ? CSR
	       : insn->op == ISA_FENCE_I                         ? FENCE_I
								 : OTHER;
}

void functional_core(struct functional *f, const struct model *model, const struct model_out *out)
{
	struct isa_insn insn;

	if (!out->valid)
		return;
	bool machine = out->mode == 3;
	isa_decode(out->insn, ISA_CORE, &insn);
	if (out->trap) {
		/* the CSRs are written at the end of this very cycle */
		uint32_t csr[MODEL_CSR_COUNT];

		model_csrs(model, csr);
		f->traps[csr[MODEL_MCAUSE] % CAUSES][machine]++;
		f->handlers++;
	} else {
		f->retired[insn.row % ROWS][machine]++;
		if (insn.class_bits & ISA_RET && f->handlers)
			f->handlers--;
	}
	if (out->intr) {
		uint32_t csr[MODEL_CSR_COUNT], word = 0;

		model_csrs(model, csr);
		if (!out->trap && csr[MODEL_MCAUSE] >> 31) {
			unsigned before = csr[MODEL_MSTATUS] >> 11 & 1;

			model_read(model, csr[MODEL_MEPC], &word, 2);
			model_read(model, csr[MODEL_MEPC] + 2, (char *)&word + 2, 2);
			isa_decode(word, ISA_CORE, &insn);
			f->interrupts[csr[MODEL_MCAUSE] % CAUSES][before]++;
			f->interrupted[kind_of(&insn)][before]++;
			f->nested[f->handlers < DEPTHS ? f->handlers : DEPTHS - 1]++;
			f->handlers++;
		}
	}
}

int functional_write(const struct functional *f, FILE *file)
{
	static const char *const modes[] = {"U", "M"};
	static const unsigned causes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11}, lines[] = {3, 7, 11, 16};
	static const char *const depths[DEPTHS] = {"no handler", "one handler", "two handlers", "three and more"};

	for (unsigned i = 0; i < POINTS; i++)
		fprintf(file, "%llu\ttrace unit: %s\n", (unsigned long long)f->points[i], point_names[i]);
	for (unsigned row = 1; row < isa_rows(); row++) {
		struct isa_insn insn = {.row = (uint16_t)row};

		if (!isa_row_in(row, ISA_CORE))
			continue;
		for (unsigned m = 0; m < 2; m++)
			fprintf(file, "%llu\tinstruction in %s: %s\n", (unsigned long long)f->retired[row][m], modes[m],
			    isa_name(&insn));
	}
	for (unsigned m = 0; m < 2; m++) {
		for (unsigned i = 0; i < sizeof(causes) / sizeof(*causes); i++)
			fprintf(file, "%llu\texception in %s: cause %u\n", (unsigned long long)f->traps[causes[i]][m],
			    modes[m], causes[i]);
		for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++)
			fprintf(file, "%llu\tinterrupt in %s: cause %u\n",
			    (unsigned long long)f->interrupts[lines[i]][m], modes[m], lines[i]);
		for (unsigned i = 0; i < KINDS; i++)
			fprintf(file, "%llu\tinterrupt in %s: before a %s\n", (unsigned long long)f->interrupted[i][m],
			    modes[m], kind_names[i]);
	}
	for (unsigned i = 0; i < DEPTHS; i++)
		fprintf(file, "%llu\tinterrupt with %s active\n", (unsigned long long)f->nested[i], depths[i]);
	return ferror(file) ? -1 : 0;
}
