/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Divisions by a value that repeats. Most divisors are the same each time: 10, a base, the high half of a long divisor.
 * The trace asks whether it is that one, and multiplies by its reciprocal (Granlund, Montgomery, PLDI 1994):
 *
 *   divu a0, a0, a1          addi a1, a1, -10         ask
 *                            bnez a1, exit            its stub: addi a1, a1, 10; divu a0, a0, a1; jump behind it
 *                            li   a1, 0xCCCCCCCD
 *                            mulhu a0, a0, a1
 *                            srli a0, a0, 3
 *                            li   a1, 10
 *
 * The divisor's register is free to work in, because its value is known: no other register is needed. From the question
 * on the trace knows the value, and asks no more until the register is written. The exit executes the division itself:
 * it is an exit of length 0, no branch of the program, and leads behind the division. So it ends even where the trace
 * begins with the division that it leaves.
 *
 * Which values: struct optimise_divisor, of who runs the program. A value that was seen wrongly costs time, no more.
 */
#include "sw/optimise/private.h"

#define SEQUENCE 18u  /* instructions of one division at most */
#define DIGITS 4u     /* of a divisor, for a product by shifts */
#define SPARE_LEFT 4u /* free instructions that other passes keep */
#define LEAST_SEEN 3u /* looks at a division, before its value is taken */

static uint32_t divisor_slot(uint32_t pc, uint32_t room)
{
	return ((pc >> 1) * 0x9E3779B1u >> 16) % room;
}

__attribute__((noinline)) static struct optimise_divisor *divisor_place(
    const struct optimise_config *config, uint32_t pc)
{
	uint32_t room = config->divisor_room, at = room != 0 ? divisor_slot(pc, room) : 0;
	for (uint32_t n = 0; n < room; n++) {
		struct optimise_divisor *d = &config->divisors[at];
		if (d->pc == pc || d->pc == 0)
			return d;
		at = at + 1 == room ? 0 : at + 1;
	}
	return NULL;
}

struct optimise_divisor *optimise_divisor_met(const struct optimise *optimise, uint32_t pc, uint32_t count)
{
	struct optimise_divisor *d = divisor_place(&optimise->config, pc);
	if (d == NULL)
		return NULL;
	d->pc = pc;
	d->flow = d->flow > UINT32_MAX - count ? UINT32_MAX : d->flow + count;
	return d;
}

void optimise_divisor_seen(struct optimise_divisor *divisor, uint32_t value)
{
	if (divisor->seen == UINT8_MAX || (value == divisor->wrong && value != 0))
		return;
	divisor->seen++;
	if (divisor->same != 0 && divisor->value != value) {
		divisor->same--;
		return;
	}
	divisor->value = value;
	divisor->same++;
}

static bool of_most(const struct optimise_divisor *divisor)
{
	return divisor->seen >= LEAST_SEEN && 8 * divisor->same >= divisor->seen;
}

bool optimise_divisor_open(struct optimise_divisor *divisor, unsigned looks)
{
	if (divisor->seen < looks)
		return true;
	if (of_most(divisor))
		return false;
	divisor->seen = divisor->same = 0;
	return true;
}

bool optimise_divisor_repeats(const struct optimise *optimise, uint32_t pc, uint32_t *value)
{
	const struct optimise_divisor *d = divisor_place(&optimise->config, pc);
	if (d == NULL || d->pc != pc || !of_most(d))
		return false;
	*value = d->value;
	return true;
}

/* The reciprocal of a divisor: a quotient is the high half of dividend * factor, with the dividend added where `adds`,
 * shifted right. */
struct reciprocal {
	uint32_t factor;
	uint8_t shift;
	bool adds;
	bool power; /* of two: shift is its logarithm */
};

/* floor(2^(32 + exponent) / divisor) with 2^exponent < divisor. */
static uint32_t long_quotient(uint32_t divisor, unsigned exponent, uint32_t *rest)
{
	uint32_t quotient = 0, left = 1u << exponent;
	for (unsigned i = 0; i < 32; i++) {
		bool carry = left >> 31 != 0;
		left <<= 1;
		quotient <<= 1;
		if (carry || left >= divisor) {
			left -= divisor;
			quotient |= 1;
		}
	}
	*rest = left;
	return quotient;
}

/* divisor > 0; of a signed division > 1. The quotient by the factor is exact as long as what the factor is above
 * 2^(32 + exponent) / divisor stays below 2^log; else the factor has a bit more, and `adds` is that bit. */
static struct reciprocal reciprocal_of(uint32_t divisor, bool with_sign)
{
	unsigned log = 31 - (unsigned)__builtin_clz(divisor);
	struct reciprocal r = {.shift = (uint8_t)log, .power = (divisor & (divisor - 1)) == 0};
	uint32_t rest;
	if (r.power)
		return r;
	uint32_t factor = long_quotient(divisor, log - with_sign, &rest);
	if (divisor - rest < 1u << log) {
		r.shift = (uint8_t)(log - with_sign);
	} else {
		bool more = rest >> 31 != 0 || 2 * rest >= divisor;
		factor = 2 * factor + more;
		r.adds = true;
	}
	r.factor = factor + 1;
	return r;
}

/* What a division becomes. */
struct sequence {
	struct optimise *optimise;
	struct optimise_insn insns[SEQUENCE];
	uint32_t count;
	uint32_t pc, divisor;
	uint8_t rd, n, d; /* registers: result, dividend, divisor */
	bool with_sign, remainder;
	bool ok;
};

__attribute__((noinline)) static struct optimise_insn *sequence_add(
    struct sequence *s, uint8_t op, uint8_t rd, uint8_t rs1, uint8_t rs2)
{
	if (s->count == SEQUENCE) {
		s->ok = false;
		return &s->insns[0];
	}
	struct optimise_insn *insn = &s->insns[s->count++];
	*insn = (struct optimise_insn){
	    .pc = s->pc, .op = op, .rd = rd, .rs1 = rs1, .rs2 = rs2, .kind = KIND_PLAIN, .flags = OPTIMISE_EDITED};
	return insn;
}

__attribute__((noinline)) static void sequence_immediate(
    struct sequence *s, uint8_t op, uint8_t rd, uint8_t rs1, int32_t imm)
{
	sequence_add(s, op, rd, rs1, 0)->imm = imm;
}

__attribute__((noinline)) static void sequence_set(struct sequence *s, uint8_t rd, uint32_t value)
{
	struct optimise_insn *insn = sequence_add(s, ISA_LUI, rd, 0, 0);
	insn->kind = KIND_SET;
	insn->imm = (int32_t)value;
}

/* Asks whether the divisor is the known one. Afterwards register d is lost if the result's register is none to work in:
 * then *lost. */
static void sequence_ask(struct sequence *s, uint32_t word, bool *lost)
{
	bool in_result = s->rd != s->n && s->rd != s->d, near = s->divisor <= 2047;
	uint8_t work = in_result ? s->rd : s->d;
	uint16_t fix = optimise_fix(s->optimise, 0, FIX_WORD, 0, (int32_t)word, &s->ok);
	*lost = !in_result;
	s->ok = s->ok && (near || in_result);
	if (near)
		sequence_immediate(s, ISA_ADDI, work, s->d, -(int32_t)s->divisor);
	else
		sequence_set(s, work, s->divisor);
	if (!in_result)
		fix = optimise_fix(s->optimise, fix, FIX_ADD, s->d, (int32_t)s->divisor, &s->ok);
	struct optimise_insn *exit = sequence_add(s, ISA_BNE, 0, work, near ? 0 : s->d);
	exit->kind = KIND_EXIT;
	exit->target = s->pc + 4;
	exit->fix = fix;
}

/* The quotient of register n in register q, d is free if it is not q. */
__attribute__((noinline)) static void unsigned_quotient(
    struct sequence *s, uint8_t q, const struct reciprocal *r, bool *lost)
{
	if (r->power) {
		sequence_immediate(s, ISA_SRLI, q, s->n, r->shift);
		return;
	}
	uint8_t t = q == s->n || r->adds ? s->d : q;
	sequence_set(s, t, r->factor);
	*lost |= t == s->d;
	if (!r->adds) {
		sequence_add(s, ISA_MULHU, q, s->n, t);
	} else {
		s->ok = s->ok && q != s->d;
		sequence_add(s, ISA_MULHU, t, s->n, t);
		sequence_add(s, ISA_SUB, q, s->n, t);
		sequence_immediate(s, ISA_SRLI, q, q, 1);
		sequence_add(s, ISA_ADD, q, q, t);
	}
	if (r->shift != 0)
		sequence_immediate(s, ISA_SRLI, q, q, r->shift);
}

/* The same with signs: one more if it is below 0. q is not d. */
__attribute__((noinline)) static void signed_quotient(
    struct sequence *s, uint8_t q, const struct reciprocal *r, bool *lost)
{
	*lost = true;
	if (r->power) { /* -1 becomes 2^shift - 1 */
		sequence_immediate(s, ISA_SRAI, s->d, s->n, 31);
		sequence_immediate(s, ISA_SRLI, s->d, s->d, 32 - r->shift);
		sequence_add(s, ISA_ADD, q, s->n, s->d);
		sequence_immediate(s, ISA_SRAI, q, q, r->shift);
		return;
	}
	uint8_t t = q == s->n ? s->d : q, sign = q == s->n ? q : s->d;
	sequence_set(s, t, r->factor);
	sequence_add(s, ISA_MULH, t, s->n, t);
	if (r->adds)
		sequence_add(s, ISA_ADD, t, t, s->n);
	if (r->shift != 0)
		sequence_immediate(s, ISA_SRAI, t, t, r->shift);
	sequence_immediate(s, ISA_SRLI, sign, t, 31);
	sequence_add(s, ISA_ADD, q, t, sign);
}

/* n - q * divisor in the place of n, where q is in register d: the product is a few shifts, as the divisor is of few
 * digits 1 and -1 (10 = 2 + 8, 1000 = 1024 - 16 - 8). */
static void subtract_digits(struct sequence *s)
{
	uint64_t left = s->divisor;
	unsigned shift = 0, before = 0, digits = 0;
	for (; left != 0; shift++, left >>= 1) {
		if ((left & 1) == 0)
			continue;
		bool minus = (left & 3) == 3;
		left += minus ? 1 : (uint64_t)0 - 1;
		if (++digits > DIGITS || shift > 31) {
			s->ok = false;
			return;
		}
		if (shift != before)
			sequence_immediate(s, ISA_SLLI, s->d, s->d, (int32_t)(shift - before));
		sequence_add(s, minus ? ISA_ADD : ISA_SUB, s->rd, s->rd, s->d);
		before = shift;
	}
}

/* quotient: 0, or the register that it is in already; then nothing was asked. */
static void sequence_remainder(struct sequence *s, const struct reciprocal *r, uint8_t quotient, bool *lost)
{
	if (r->power && !s->with_sign && s->divisor - 1 <= 2047) {
		sequence_immediate(s, ISA_ANDI, s->rd, s->n, (int32_t)(s->divisor - 1));
		return;
	}
	if (s->rd != s->n) {
		s->ok = s->ok && s->rd != s->d;
		if (quotient == 0 && s->with_sign)
			signed_quotient(s, s->rd, r, lost);
		else if (quotient == 0)
			unsigned_quotient(s, s->rd, r, lost);
		if (*lost)
			sequence_set(s, s->d, s->divisor);
		*lost = false;
		sequence_add(s, ISA_MUL, s->rd, quotient != 0 ? quotient : s->rd, s->d);
		sequence_add(s, ISA_SUB, s->rd, s->n, s->rd);
		return;
	}
	if (quotient != 0) {
		*lost = true;
		sequence_add(s, ISA_MUL, s->d, quotient, s->d);
		sequence_add(s, ISA_SUB, s->rd, s->rd, s->d);
		return;
	}
	s->ok = s->ok && !s->with_sign && !r->adds;
	unsigned_quotient(s, s->d, r, lost);
	*lost = true;
	subtract_digits(s);
}

/* What the pass knows on its way along a trace. */
struct divisors {
	uint32_t known; /* registers whose value is in value[] */
	uint32_t value[32];
	uint8_t quotient; /* register with the quotient of n by d; 0: none */
	uint8_t n, d;
	bool with_sign;
};

static void divisors_follow(struct divisors *k, const struct optimise_insn *insn)
{
	uint32_t written = optimise_writes(insn);
	k->known &= ~written;
	if ((written & (1u << k->quotient | 1u << k->n | 1u << k->d)) != 0)
		k->quotient = 0;
	/* written: not by a NOP, whose x0 stays 0 */
	if (written != 0 &&
	    (insn->kind == KIND_SET || (insn->kind == KIND_PLAIN && insn->op == ISA_ADDI && insn->rs1 == 0))) {
		k->known |= written;
		k->value[insn->rd] = (uint32_t)insn->imm;
	}
}

/* The division as a sequence; false: it stays. */
static bool make_sequence(
    struct optimise *optimise, const struct divisors *k, const struct optimise_insn *insn, struct sequence *s)
{
	bool known = k->known >> insn->rs2 & 1, lost = false;
	*s = (struct sequence){.optimise = optimise,
	    .pc = insn->pc,
	    .divisor = k->value[insn->rs2],
	    .rd = insn->rd,
	    .n = insn->rs1,
	    .d = insn->rs2,
	    .with_sign = insn->op == ISA_DIV || insn->op == ISA_REM,
	    .remainder = insn->op == ISA_REM || insn->op == ISA_REMU,
	    .ok = true};
	if (insn->rs1 == 0 || insn->rs1 == insn->rs2 || (OPTIMISE_KEPT >> insn->rs2 & 1) != 0 ||
	    (OPTIMISE_KEPT >> insn->rd & 1) != 0 ||
	    (!known && !optimise_divisor_repeats(optimise, insn->pc, &s->divisor)) || s->divisor == 0 ||
	    (s->with_sign && (s->divisor == 1 || s->divisor >> 31 != 0)))
		return false;
	if (!known && (insn->flags & OPTIMISE_EDITED || insn->length != 4))
		return false;
	struct reciprocal r = reciprocal_of(s->divisor, s->with_sign);
	bool partner = k->quotient != 0 && k->n == s->n && k->d == s->d && k->with_sign == s->with_sign;
	if (!known)
		sequence_ask(s, insn->word, &lost);
	if (s->remainder)
		sequence_remainder(s, &r, partner ? k->quotient : 0, &lost);
	else if (s->with_sign)
		signed_quotient(s, s->rd, &r, &lost);
	else
		unsigned_quotient(s, s->rd, &r, &lost);
	s->ok = s->ok && !(s->with_sign && s->rd == s->d);
	if (lost && s->rd != s->d)
		sequence_set(s, s->d, s->divisor);
	return s->ok;
}

/* Insns[i] becomes the sequence: what is behind it moves into the free room behind the trace. */
static void put_sequence(struct optimise_insn *insns, uint32_t count, uint32_t i, const struct sequence *s)
{
	uint8_t flags = insns[i].flags & OPTIMISE_START;
	for (uint32_t k = count; k-- > i + 1;)
		insns[k + s->count - 1] = insns[k];
	for (uint32_t k = 0; k < s->count; k++)
		insns[i + k] = s->insns[k];
	insns[i].flags |= flags;
}

void optimise_reciprocal(struct optimise *optimise, struct optimise_trace *trace)
{
	struct optimise_insn *insns = &optimise->insns[trace->first];
	struct divisors k = {.known = 0};
	struct sequence s;
	for (uint32_t i = 0; i < trace->count; i++) {
		struct optimise_insn insn = insns[i];
		uint32_t fixes = optimise->fix_count;
		bool divides = insn.kind == KIND_PLAIN && optimise_division(insn.op);
		if (!divides || !make_sequence(optimise, &k, &insn, &s) || s.count - 1 + SPARE_LEFT > trace->spare) {
			optimise->fix_count = divides ? fixes : optimise->fix_count;
			divisors_follow(&k, &insn);
			continue;
		}
		put_sequence(insns, trace->count, i, &s);
		trace->count += s.count - 1;
		trace->spare = (uint8_t)(trace->spare - (s.count - 1));
		i += s.count - 1;
		divisors_follow(&k, &insn);
		if (s.rd != s.d) {
			k.known |= 1u << s.d;
			k.value[s.d] = s.divisor;
		}
		if (!s.remainder && s.rd != s.n && s.rd != s.d) {
			k.quotient = s.rd;
			k.n = s.n;
			k.d = s.d;
			k.with_sign = s.with_sign;
		}
	}
}
