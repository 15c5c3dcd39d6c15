/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_STANDARD_WALKS_H
#define RIVULET_TESTS_STANDARD_WALKS_H
/*
 * For the suites of the trace standards: what a decoder gave, held against what ran; random code of all classes and a
 * machine that runs it by chance.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/standard/code.h"
#include "host/standard/decoder.h"
#include "host/standard/flow.h"

#define STREAM_MAX (1u << 20)
#define STEPS_MAX (1u << 16)

static inline size_t from_text(const char *text, uint8_t *bytes)
{
	size_t count = 0;
	for (const char *c = text; *c != '\0'; c += strspn(c, " ")) {
		char *end;
		bytes[count++] = (uint8_t)strtoul(c, &end, 16);
		c = end;
	}
	return count;
}

/* ---- runs ---- */

struct run {
	struct step {
		uint64_t pc;
		enum standard_event event;
		unsigned mode;
		uint64_t context, time; /* 0: none was told */
	} steps[STEPS_MAX];
	unsigned mode; /* of what comes next */
	uint64_t context, time;
	size_t times; /* told */
	bool chosen;  /* what the decoder is asked for: a context */
	uint64_t wanted;
	size_t count, more; /* more: steps for which there is no room */
	uint8_t stream[STREAM_MAX];
	size_t size;
	size_t told;
	uint64_t first_told;
};

static inline int keep_step(void *context, enum standard_event event, uint64_t pc)
{
	struct run *run = context;
	if (run->count == STEPS_MAX) { /* of a damaged stream */
		run->more++;
		return 0;
	}
	if (event == STANDARD_MODE)
		run->mode = (unsigned)pc;
	else if (event == STANDARD_CONTEXT)
		run->context = pc;
	else if (event == STANDARD_TIME) {
		run->time = pc;
		run->times++;
	} else
		run->steps[run->count++] = (struct step){pc, event, run->mode, run->context, run->time};
	return 0;
}

/* What is left of the run before; asks the decoder for a context if one is chosen. */
static inline void begin_run(struct run *run, struct standard_decoder *decoder)
{
	run->count = run->more = run->told = run->times = 0;
	run->mode = 3;
	run->time = run->context = 0;
	if (run->chosen)
		standard_choose_context(decoder, run->wanted);
}

static inline void keep_told(void *context, uint64_t offset, const char *text)
{
	struct run *run = context;
	ck_assert_ptr_nonnull(text);
	if (run->told++ == 0)
		run->first_told = offset;
}

static inline void keep_bytes(void *context, const uint8_t *bytes, size_t size)
{
	struct run *run = context;
	ck_assert_uint_lt(run->size + size, STREAM_MAX);
	memcpy(run->stream + run->size, bytes, size);
	run->size += size;
}

/* Addresses that retired, in hexadecimal; "!" where it does not join, "^" at a trap. */
static inline void expect_run(const struct run *run, const char *wanted)
{
	char got[4096] = "";
	for (size_t i = 0; i < run->count; i++) {
		const struct step *s = &run->steps[i];
		char *at = got + strlen(got);
		if (s->event == STANDARD_RETIRED)
			sprintf(at, "%" PRIx64 " ", s->pc);
		else
			strcpy(at, s->event == STANDARD_BROKEN ? "! " : "^ ");
	}
	ck_assert_str_eq(got, wanted);
}

/* ---- random programs ---- */

#define CODE_HALVES 600u

static uint64_t seed;
static inline uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % below;
}

static inline uint32_t jal(unsigned rd, int32_t offset)
{
	uint32_t u = (uint32_t)offset;
	return (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 | (u >> 11 & 1) << 20 | (u >> 12 & 0xFF) << 12 | rd << 7 |
	       0x6F;
}

static inline uint32_t branch(int32_t offset)
{
	uint32_t u = (uint32_t)offset;
	return (u >> 12 & 1) << 31 | (u >> 5 & 0x3F) << 25 | 0x00B51000u | (u >> 1 & 0xF) << 8 | (u >> 11 & 1) << 7 |
	       0x63;
}

#define AUIPC_A0 0x00000517u
#define JALR_RA_A0 0x000500E7u
#define JR_A0 0x00050067u

/* Each AUIPC with a jump behind it goes to a start further on. */
static inline void aim_pairs(uint8_t *code, const uint16_t *starts, size_t count)
{
	for (size_t i = 0; i + 2 < count; i++) {
		uint32_t word, jump;
		memcpy(&word, code + starts[i], sizeof word);
		memcpy(&jump, code + starts[i + 1], sizeof jump);
		uint32_t offset = starts[i + 2 + draw((uint32_t)(count - i - 2))] - starts[i];
		if (word != AUIPC_A0 || offset > 2047 || (jump != JALR_RA_A0 && jump != JR_A0))
			continue;
		jump |= offset << 20;
		memcpy(code + starts[i + 1], &jump, sizeof jump);
	}
}

/* Code of all classes, an instruction of 2 or 4 bytes at each place of starts. */
static inline size_t make_code(uint8_t *code, uint16_t *starts)
{
	static const unsigned links[] = {0, 1, 5, 6};
	static const uint32_t jumps[] = {0x00008067, 0x00028067, 0x000500E7, 0x00050067, 0x000082E7, 0x30200073};
	size_t count = 0;
	for (unsigned at = 0; at < CODE_HALVES;) {
		uint32_t word = 0x00B50533;
		unsigned kind = draw(16), size = 4;
		int32_t offset = 2 * ((int32_t)draw(CODE_HALVES) - (int32_t)at);
		if (kind < 5)
			word = 0x952E, size = 2;
		else if (kind < 9)
			word = branch(offset);
		else if (kind < 11)
			word = jal(links[draw(4)], offset);
		else if (kind < 13)
			word = jumps[draw(6)];
		else if (kind == 13 && at + 4 < CODE_HALVES) {
			word = AUIPC_A0; /* with a jump behind it that is inferable then */
			memcpy(code + 2 * at, &word, size);
			starts[count++] = (uint16_t)(2 * at);
			at += size / 2;
			word = draw(2) == 0 ? JALR_RA_A0 : JR_A0;
		}
		memcpy(code + 2 * at, &word, size);
		starts[count++] = (uint16_t)(2 * at);
		at += size / 2;
	}
	aim_pairs(code, starts, count);
	return count;
}

/* Runs the code: outcomes and targets by chance, targets always at a start; traps now and then. */
struct machine {
	struct standard_code *code;
	const uint16_t *starts;
	size_t count;
	uint64_t stack[64], last[8];
	unsigned depth;
	unsigned bias;               /* of outcomes: 0 to 8 of 8 */
	struct standard_insn before; /* at which a trap leaves no constant */
};

static inline bool is_start(const struct machine *m, uint64_t pc)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->starts[i] == pc)
			return true;
	}
	return false;
}

static inline uint64_t somewhere(const struct machine *m)
{
	return m->starts[draw((uint32_t)m->count)];
}

static inline uint64_t next_of(struct machine *m, const struct standard_insn *insn)
{
	uint64_t behind = insn->pc + insn->length, next = behind, target;
	bool known = standard_sequential(&m->before, insn, &target) && is_start(m, target);
	m->before = *insn;
	if (insn->class == STANDARD_BRANCH)
		return draw(8) < m->bias && is_start(m, insn->target) ? insn->target : behind;
	if (insn->class == STANDARD_JUMP || insn->class == STANDARD_CALL)
		next = insn->target;
	if (known)
		return target;
	if (standard_pops(insn) && m->depth > 0 && draw(8) != 0)
		next = m->stack[--m->depth % 64];
	else if (standard_uninferable(insn))
		next = somewhere(m);
	if (standard_pushes(insn))
		m->stack[m->depth++ % 64] = behind;
	return next;
}

static inline bool can_run(const struct machine *m, const struct standard_insn *insn)
{
	bool direct = insn->class == STANDARD_JUMP || insn->class == STANDARD_CALL;
	return insn->length != 0 && insn->class != STANDARD_TRAPS && (!direct || is_start(m, insn->target));
}

/* A jump that comes back to itself without a branch: E-Trace does not say how often. */
static inline bool circles(const struct machine *m, const struct standard_insn *insn)
{
	struct standard_insn before = *insn;
	uint64_t pc = insn->target, target;
	if (insn->class != STANDARD_JUMP && insn->class != STANDARD_CALL)
		return false;
	for (unsigned i = 0; i < CODE_HALVES && pc != insn->pc; i++) {
		const struct standard_insn *there = standard_code_at(m->code, pc);
		pc += there->length;
		if (there->class == STANDARD_JUMP || there->class == STANDARD_CALL)
			pc = there->target;
		else if (standard_sequential(&before, there, &target))
			pc = target;
		else if (there->class != STANDARD_PLAIN)
			return false;
		before = *there;
	}
	return true;
}

/* Whether the retired pcs of run are pieces of those of truth, in order; *piece: where the comparison stands. */
static inline bool is_part(const struct run *run, const struct run *truth)
{
	size_t at = 0;
	for (size_t i = 0; i < run->count;) {
		size_t length = 0;
		while (i + length < run->count && run->steps[i + length].event != STANDARD_BROKEN)
			length++;
		for (; length > 0; at++) {
			size_t same = 0;
			if (at + length > truth->count)
				return false;
			while (same < length && truth->steps[at + same].pc == run->steps[i + same].pc)
				same++;
			if (same == length)
				break;
		}
		at += length;
		i += length + 1;
	}
	return true;
}
#endif
