/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/walk/follow.h"
#include "host/walk/path.h"
#include "host/walk/walk.h"
#include "model/trace.h"

#define BASE 0x80000000u
#define NO_BACKWARD RV_CTRL_NO_BACKWARD_MASK
#define NO_INDIRECT RV_CTRL_NO_INDIRECT_MASK

/* A small assembler: instructions are appended at `at`. */
struct code {
	uint8_t bytes[1 << 16];
	uint32_t at;
};

static uint32_t here(const struct code *c)
{
	return BASE + c->at;
}

static void half(struct code *c, unsigned value)
{
	c->bytes[c->at++] = (uint8_t)value;
	c->bytes[c->at++] = (uint8_t)(value >> 8);
}

static void word(struct code *c, uint32_t value)
{
	half(c, value & 0xFFFF);
	half(c, value >> 16);
}

static uint32_t bit(uint32_t value, unsigned from, unsigned to)
{
	return (value >> from & 1) << to;
}

static uint32_t field(uint32_t value, unsigned high, unsigned low, unsigned to)
{
	return (value >> low & ((1u << (high - low + 1)) - 1)) << to;
}

static void nop(struct code *c)
{
	word(c, 0x00000013);
}
static void c_nop(struct code *c)
{
	half(c, 0x0001);
}

/* BEQ BNE BLT BGE BLTU BGEU: funct3 0 1 4 5 6 7 */
static void branch(struct code *c, unsigned funct3, uint32_t target)
{
	uint32_t o = target - here(c);
	word(c, bit(o, 12, 31) | field(o, 10, 5, 25) | 11u << 20 | 10u << 15 | funct3 << 12 | field(o, 4, 1, 8) |
		    bit(o, 11, 7) | 0x63);
}

/* C.BEQZ: 6, C.BNEZ: 7 */
static void c_branch(struct code *c, unsigned funct3, uint32_t target)
{
	uint32_t o = target - here(c);
	half(c, funct3 << 13 | bit(o, 8, 12) | field(o, 4, 3, 10) | 2u << 7 | field(o, 7, 6, 5) | field(o, 2, 1, 3) |
		    bit(o, 5, 2) | 1);
}

static void jal(struct code *c, unsigned rd, uint32_t target)
{
	uint32_t o = target - here(c);
	word(c, bit(o, 20, 31) | field(o, 10, 1, 21) | bit(o, 11, 20) | field(o, 19, 12, 12) | rd << 7 | 0x6F);
}

/* C.J: 5, C.JAL: 1 */
static void c_jump(struct code *c, unsigned funct3, uint32_t target)
{
	uint32_t o = target - here(c);
	half(c, funct3 << 13 | bit(o, 11, 12) | bit(o, 4, 11) | field(o, 9, 8, 9) | bit(o, 10, 8) | bit(o, 6, 7) |
		    bit(o, 7, 6) | field(o, 3, 1, 3) | bit(o, 5, 2) | 1);
}

static void jalr(struct code *c, unsigned rd, unsigned rs1, unsigned imm)
{
	word(c, imm << 20 | rs1 << 15 | rd << 7 | 0x67);
}
static void c_jr(struct code *c, unsigned rs1)
{
	half(c, 0x8002 | rs1 << 7);
}
static void c_jalr(struct code *c, unsigned rs1)
{
	half(c, 0x9002 | rs1 << 7);
}
static void mret(struct code *c)
{
	word(c, 0x30200073);
}
static void ecall(struct code *c)
{
	word(c, 0x00000073);
}

static struct code code;
static struct image *image;
static struct walk *walk;
static uint64_t pcs[1 << 17];
static size_t count;
static uint64_t at;

static void setup(void)
{
	memset(&code, 0, sizeof code);
	image = NULL;
	walk = NULL;
}

static void teardown(void)
{
	walk_close(walk);
	image_close(image);
}

static void ready(unsigned hist, uint32_t ctrl)
{
	const struct walk_config config = {.hist = hist, .ctrl = ctrl, .insn_bits = 16};
	walk_close(walk);
	image_close(image);
	ck_assert_int_eq(image_from_code(&image, BASE, code.bytes, code.at), IMAGE_OK);
	ck_assert_int_eq(walk_open(&walk, image, &config), WALK_OK);
}

static int run(uint64_t start, uint64_t hist, unsigned reason, uint32_t insns)
{
	const struct record record = {.start = start, .hist = hist, .reason = (uint8_t)reason, .insns = insns};
	return walk_pcs(walk, &record, pcs, sizeof pcs / sizeof *pcs, &count, &at);
}

static void expect(const uint32_t *offsets, size_t n)
{
	ck_assert_uint_eq(count, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(pcs[i], BASE + offsets[i]);
}
#define EXPECT(...)                                                                                                    \
	do {                                                                                                           \
		static const uint32_t expected[] = {__VA_ARGS__};                                                      \
		expect(expected, sizeof expected / sizeof *expected);                                                  \
	} while (0)

/* Each conditional branch, both outcomes, 32 and 16 bits. */
START_TEST(branches)
{
	static const unsigned kinds[8] = {0, 1, 4, 5, 6, 7, 106, 107};
	unsigned kind = kinds[_i];
	nop(&code); /* 0 */
	if (kind < 100)
		branch(&code, kind, BASE + 12); /* 4 */
	else {
		c_branch(&code, kind - 100, BASE + 12);
		c_nop(&code); /* 6 */
	}
	nop(&code);          /* 8 */
	c_nop(&code);        /* 12 */
	jal(&code, 0, BASE); /* 14: backward */
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 0), WALK_OK);
	EXPECT(0, 4, 12, 14);
	ck_assert_int_eq(run(BASE, 2, TRACE_BACKWARD, 0), WALK_OK);
	if (kind < 100)
		EXPECT(0, 4, 8, 12, 14);
	else
		EXPECT(0, 4, 6, 8, 12, 14);
	ck_assert_int_eq(run(BASE, 2, 0, 0), WALK_OK); /* a unit without reasons */
	ck_assert_int_eq(run(BASE, 2, TRACE_INDIRECT, 0), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 2, TRACE_FULL, 0), WALK_EREASON);
	ck_assert_uint_eq(at, BASE + 14);
	ck_assert_int_eq(run(BASE, 1, TRACE_BACKWARD, 0), WALK_EHISTORY); /* used up at the branch */
	ck_assert_uint_eq(at, BASE + 4);
	ck_assert_int_eq(run(BASE, 5, TRACE_BACKWARD, 0), WALK_EHISTORY); /* not used up at the end */
	ck_assert_uint_eq(at, BASE + 14);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 4), WALK_OK);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 5), WALK_EINSNS);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 65535), WALK_EINSNS); /* that many or more: there are 4 */
}
END_TEST

/* Taken backward branches end a trace; so does one to itself. */
START_TEST(backward_ends)
{
	nop(&code);                 /* 0 */
	branch(&code, 1, BASE + 4); /* 4: to itself */
	c_branch(&code, 7, BASE);   /* 8 */
	nop(&code);                 /* 10 */
	jal(&code, 0, BASE + 14);   /* 14: to itself */
	ready(8, 0);
	ck_assert_int_eq(run(BASE, 3, TRACE_BACKWARD, 2), WALK_OK);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 5, TRACE_BACKWARD, 3), WALK_OK);
	EXPECT(0, 4, 8);
	ck_assert_int_eq(run(BASE, 4, TRACE_BACKWARD, 5), WALK_OK);
	EXPECT(0, 4, 8, 10, 14);
	/* the same with NO_BACKWARD: the first goes round until the history is full */
	ready(8, NO_BACKWARD);
	ck_assert_int_eq(run(BASE, 0xFF, TRACE_FULL, 8), WALK_OK);
	EXPECT(0, 4, 4, 4, 4, 4, 4, 4);
	/* 1 0110100: 4 taken no, 8 taken yes, ... */
	ck_assert_int_eq(run(BASE, 0x80 | 0x36, TRACE_FULL, 0), WALK_OK);
	EXPECT(0, 4, 8, 10 - 10, 4, 4, 8, 0, 4, 4);
	/* jump to itself for ever */
	ck_assert_int_eq(run(BASE + 10, 1, TRACE_FULL, 0), WALK_EENDLESS);
	ck_assert_int_eq(run(BASE + 10, 1, TRACE_OFF, 6), WALK_OK);
	EXPECT(10, 14, 14, 14, 14, 14);
	ck_assert_int_eq(run(BASE + 10, 1, TRACE_OFF, 65535), WALK_UNKNOWN_END);
	ck_assert_uint_eq(count, 65535);
}
END_TEST

/* A branch to the next instruction: its outcome is always 0. */
START_TEST(branch_to_next)
{
	branch(&code, 0, BASE + 4);   /* 0 */
	c_branch(&code, 6, BASE + 6); /* 4 */
	jal(&code, 0, BASE);          /* 6 */
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 4, TRACE_BACKWARD, 3), WALK_OK);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 6, TRACE_BACKWARD, 3), WALK_EHISTORY);
	ck_assert_uint_eq(at, BASE);
	ck_assert_int_eq(run(BASE, 5, TRACE_BACKWARD, 3), WALK_EHISTORY);
	ck_assert_uint_eq(at, BASE + 4);
}
END_TEST

/* FULL, and that BACKWARD comes first where both apply. */
START_TEST(full)
{
	for (int i = 0; i < 6; i++)
		c_branch(&code, 6, BASE + 32); /* 0 2 .. 10 */
	branch(&code, 5, BASE);                /* 12 */
	while (code.at < 40)
		c_nop(&code);
	jal(&code, 0, BASE);
	ready(8, 0);
	ck_assert_int_eq(run(BASE, 0x80, TRACE_FULL, 7), WALK_OK);
	EXPECT(0, 2, 4, 6, 8, 10, 12);
	ck_assert_int_eq(run(BASE, 0x81, TRACE_BACKWARD, 7), WALK_OK);
	EXPECT(0, 2, 4, 6, 8, 10, 12);
	ck_assert_int_eq(run(BASE, 0x81, TRACE_FULL, 7), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 0x80, TRACE_OFF, 7), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 0x40, TRACE_FULL, 0), WALK_EHISTORY);  /* not full: used up at 12 */
	ck_assert_int_eq(run(BASE, 0x100, TRACE_FULL, 0), WALK_EHISTORY); /* wider than the register */
	ck_assert_int_eq(run(BASE, 0, TRACE_FULL, 0), WALK_EHISTORY);
	/* a wider register goes on */
	ready(64, 0);
	ck_assert_int_eq(run(BASE, 0x81, TRACE_BACKWARD, 7), WALK_OK);
	ck_assert_int_eq(run(BASE, UINT64_C(1) << 63, TRACE_FULL, 0), WALK_EREASON);
}
END_TEST

/* Every indirect jump ends a trace; C.JR and C.JALR with x0 are none. */
START_TEST(indirect)
{
	nop(&code); /* 0 */
	switch (_i) {
	case 0:
		jalr(&code, 0, 15, 8);
		break;
	case 1:
		jalr(&code, 1, 15, 0);
		break;
	case 2:
		jalr(&code, 0, 1, 0);
		break;
	case 3:
		c_jr(&code, 15);
		break;
	case 4:
		c_jr(&code, 1);
		break;
	case 5:
		c_jalr(&code, 15);
		break;
	}
	nop(&code);
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 1, TRACE_INDIRECT, 2), WALK_OK);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 1, TRACE_BACKWARD, 2), WALK_EREASON);
	ready(32, NO_INDIRECT);
	ck_assert_int_eq(run(BASE, 1, TRACE_FULL, 0), WALK_ETARGET);
	ck_assert_uint_eq(at, BASE + 4);
	ck_assert_int_eq(run(BASE, 1, TRACE_LEFT, 2), WALK_OK); /* the end lies before its target */
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 1, TRACE_LEFT, 3), WALK_ETARGET);
}
END_TEST

/* An instruction that cannot complete is in no trace. */
START_TEST(stuck)
{
	nop(&code); /* 0 */
	switch (_i) {
	case 0:
		ecall(&code);
		break;
	case 1:
		word(&code, 0x00100073);
		break;
	case 2:
		c_jalr(&code, 0); /* C.EBREAK */
		break;
	case 3:
		c_jr(&code, 0); /* reserved */
		break;
	case 4:
		half(&code, 0);
		break;
	case 5:
		word(&code, 0xFFFFFFFF);
		break;
	}
	nop(&code);
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 1, TRACE_TRAP, 1), WALK_OK);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 1, TRACE_TRAP, 2), WALK_EILLEGAL);
	ck_assert_uint_eq(at, BASE + 4);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 1, TRACE_INDIRECT, 0), WALK_EILLEGAL);
	ck_assert_int_eq(run(BASE + 4, 1, TRACE_INDIRECT, 0), WALK_EILLEGAL);
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(addresses)
{
	nop(&code);
	nop(&code);
	half(&code, 0x0013); /* the first half of an instruction: the other half is outside */
	ready(32, 0);
	ck_assert_int_eq(run(BASE + 1, 1, 1, 0), WALK_EODD);
	ck_assert_int_eq(run(BASE - 4, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(BASE + 10, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(UINT64_C(0x180000000), 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(BASE, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_uint_eq(at, BASE + 8);
	EXPECT(0, 4);
	ck_assert_int_eq(run(0, 1, 1, 0), WALK_EOUTSIDE);
	ck_assert_int_eq(run(0xFFFFFFFE, 1, 1, 0), WALK_EOUTSIDE);
}
END_TEST

START_TEST(trap_return)
{
	branch(&code, 0, BASE + 8); /* 0 */
	nop(&code);                 /* 4 */
	mret(&code);                /* 8 */
	nop(&code);
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 3, TRACE_XRET, 0), WALK_OK);
	EXPECT(0, 8);
	ck_assert_int_eq(run(BASE, 2, TRACE_XRET, 3), WALK_OK);
	EXPECT(0, 4, 8);
	ck_assert_int_eq(run(BASE, 2, TRACE_BACKWARD, 3), WALK_EREASON);
}
END_TEST

/* Discontinuities: the instruction count says where; without it the end is unknown. */
START_TEST(discontinuity)
{
	nop(&code);                   /* 0 */
	c_branch(&code, 6, BASE + 8); /* 4 */
	c_nop(&code);                 /* 6 */
	nop(&code);                   /* 8 */
	jal(&code, 0, BASE + 20);     /* 12 */
	nop(&code);                   /* 16 */
	nop(&code);                   /* 20 */
	branch(&code, 1, BASE);       /* 24 */
	unsigned reason = (unsigned[]){TRACE_TRAP, TRACE_LEFT, TRACE_OFF}[_i];
	ready(32, 0);
	ck_assert_int_eq(run(BASE, 2, reason, 3), WALK_OK);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 3, reason, 2), WALK_OK);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 3, reason, 5), WALK_OK);
	EXPECT(0, 4, 8, 12, 20);
	ck_assert_int_eq(run(BASE, 6, reason, 6), WALK_OK);
	EXPECT(0, 4, 8, 12, 20, 24);
	ck_assert_int_eq(run(BASE, 1, reason, 1), WALK_OK);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 1, reason, 2), WALK_EHISTORY);
	ck_assert_int_eq(run(BASE, 7, reason, 6), WALK_EREASON); /* a backward transfer would have ended it */
	ck_assert_int_eq(run(BASE, 6, reason, 5), WALK_EHISTORY);
	ck_assert_int_eq(run(BASE, 3, reason, 0), WALK_UNKNOWN_END);
	EXPECT(0, 4);
	ck_assert_int_eq(run(BASE, 1, reason, 0), WALK_UNKNOWN_END);
	ck_assert_uint_eq(count, 0);
}
END_TEST

/* A gap: the last instruction may have gone anywhere, wherever the code says that it goes; no other may. */
START_TEST(gap)
{
	nop(&code);                   /* 0 */
	c_branch(&code, 6, BASE + 8); /* 4 */
	branch(&code, 0, BASE + 10);  /* 6: to the next instruction */
	jal(&code, 0, BASE + 16);     /* 10 */
	c_nop(&code);                 /* 14 */
	nop(&code);                   /* 16 */
	branch(&code, 1, BASE);       /* 20 */
	jalr(&code, 0, 1, 0);         /* 24 */
	ready(32, 0);
	/* as any discontinuity: behind a plain instruction, behind a jump */
	ck_assert_int_eq(run(BASE, 1, TRACE_GAP, 1), WALK_OK);
	EXPECT(0);
	ck_assert_int_eq(run(BASE, 4, TRACE_GAP, 4), WALK_OK);
	EXPECT(0, 4, 6, 10);
	ck_assert_int_eq(run(BASE, 4, TRACE_GAP, 5), WALK_OK);
	EXPECT(0, 4, 6, 10, 16);
	/* a branch to the next instruction that went elsewhere: only as the last one */
	ck_assert_int_eq(run(BASE, 5, TRACE_GAP, 3), WALK_OK);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 5, TRACE_GAP, 4), WALK_EHISTORY);
	ck_assert_uint_eq(at, BASE + 6);
	ck_assert_int_eq(run(BASE, 10, TRACE_GAP, 6), WALK_EHISTORY);
	ck_assert_int_eq(run(BASE, 5, TRACE_TRAP, 3), WALK_EHISTORY);
	/* what would have ended the trace by itself: the last one, and the gap is the reason */
	ck_assert_int_eq(run(BASE, 9, TRACE_GAP, 6), WALK_OK);
	EXPECT(0, 4, 6, 10, 16, 20);
	ck_assert_int_eq(run(BASE, 9, TRACE_GAP, 7), WALK_EREASON);
	ck_assert_uint_eq(at, BASE + 20);
	ck_assert_int_eq(run(BASE, 9, TRACE_LEFT, 6), WALK_EREASON);
	ck_assert_int_eq(run(BASE, 8, TRACE_GAP, 7), WALK_OK);
	EXPECT(0, 4, 6, 10, 16, 20, 24);
	ck_assert_int_eq(run(BASE, 8, TRACE_LEFT, 7), WALK_EREASON);
	/* the history must be used up */
	ck_assert_int_eq(run(BASE, 8, TRACE_GAP, 5), WALK_EHISTORY);
	/* without a count: what is certain, up to the last outcome */
	ck_assert_int_eq(run(BASE, 4, TRACE_GAP, 0), WALK_UNKNOWN_END);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 5, TRACE_GAP, 0), WALK_UNKNOWN_END);
	EXPECT(0, 4, 6);
	ck_assert_int_eq(run(BASE, 11, TRACE_GAP, 0), WALK_EHISTORY);
}
END_TEST

/* NO_INDIRECT: returns of calls made in the same trace, nested, with both link registers, and none beyond. */
START_TEST(calls)
{
	jal(&code, 1, BASE + 32);    /* 0 */
	nop(&code);                  /* 4 */
	c_jump(&code, 1, BASE + 40); /* 8: C.JAL */
	c_nop(&code);                /* 10 */
	branch(&code, 0, BASE);      /* 12 */
	jalr(&code, 0, 1, 0);        /* 16 */
	while (code.at < 32)
		c_nop(&code);
	jal(&code, 5, BASE + 48); /* 32 */
	jalr(&code, 0, 1, 0);     /* 36 */
	nop(&code);               /* 40 */
	c_jr(&code, 1);           /* 44 */
	c_nop(&code);             /* 46 */
	jalr(&code, 0, 5, 0);     /* 48 */
	ready(32, NO_INDIRECT | NO_BACKWARD);
	ck_assert_int_eq(run(BASE, 2, TRACE_LEFT, 11), WALK_OK);
	EXPECT(0, 32, 48, 36, 4, 8, 40, 44, 10, 12, 16);
	ck_assert_int_eq(run(BASE, 2, TRACE_FULL, 0), WALK_ETARGET);
	ck_assert_uint_eq(at, BASE + 16);
	ck_assert_int_eq(run(BASE + 36, 1, TRACE_FULL, 0), WALK_ETARGET);
	ck_assert_int_eq(run(BASE + 48, 1, TRACE_FULL, 0), WALK_ETARGET);
	ready(8, NO_INDIRECT | NO_BACKWARD);
	ck_assert_int_eq(run(BASE + 12, 0xFF, TRACE_FULL, 0), WALK_OK);
	ck_assert_uint_eq(count, 7 + 6 * 9);
}
END_TEST

static int stop_at_once(void *context, const struct walk_visit *visit)
{
	(void)visit;
	++*(int *)context;
	return 1;
}

START_TEST(stopped)
{
	int visits = 0;
	const struct record record = {.start = BASE, .hist = 1, .reason = TRACE_BACKWARD};
	for (int i = 0; i < 100; i++)
		nop(&code); /* several blocks */
	jal(&code, 0, BASE);
	ready(32, 0);
	ck_assert_int_eq(walk_record(walk, &record, stop_at_once, &visits, NULL), WALK_ESTOPPED);
	ck_assert_int_eq(visits, 1);
	ck_assert_int_eq(walk_record(walk, &record, NULL, NULL, NULL), WALK_OK);
	for (int error = WALK_ENOMEM; error <= WALK_UNKNOWN_END; error++)
		ck_assert_str_ne(walk_strerror(error), "unknown error");
	ck_assert_str_eq(walk_strerror(WALK_EWRITTEN - 1), "unknown error");
}
END_TEST

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

/* follow.h: a unit with the given registers, holding the instruction at offset in stage S. */
static struct trace unit_at(uint32_t offset, uint32_t ctrl)
{
	struct trace trace = {.ctrl = ctrl};
	trace.config = (struct trace_config){.hist = 32,
	    .ranges = 1,
	    .with_freeze = true,
	    .with_mode = true,
	    .with_sample = true,
	    .with_insns = true,
	    .insn_bits = 16};
	trace.s = (struct trace_retire){.valid = true, .mode = 3, .pc = BASE + offset};
	return trace;
}

#define TRACING (RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK)

START_TEST(taken)
{
	struct trace trace = unit_at(0, TRACING);
	ck_assert(follow_taken(&trace));
	trace.s.trap = true;
	ck_assert(!follow_taken(&trace));
	trace = unit_at(0, TRACING & ~1u);
	ck_assert(!follow_taken(&trace));
	trace = unit_at(0, TRACING & ~(8u << 16)); /* mode 3 not traced */
	ck_assert(!follow_taken(&trace));
	trace = unit_at(0, TRACING);
	trace.s.intr = true; /* a handler begins */
	ck_assert(!follow_taken(&trace));
	trace.s.intr = false;
	trace.depth = 1; /* in a handler */
	ck_assert(!follow_taken(&trace));
	trace.ctrl |= 8; /* HANDLERS */
	ck_assert(follow_taken(&trace));
	trace = unit_at(0, TRACING | 1u << 20);
	trace.range_lo[0] = BASE + 2;
	trace.range_hi[0] = BASE + 8;
	ck_assert(!follow_taken(&trace));
	trace.s.pc = BASE + 2;
	ck_assert(follow_taken(&trace));
	trace.s.pc = BASE + 8;
	ck_assert(!follow_taken(&trace));
}
END_TEST

static void retire(struct follow *follow, uint32_t ctrl, const uint32_t *offsets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct trace trace = unit_at(offsets[i], ctrl);
		ck_assert_int_eq(follow_retire(follow, &trace), FOLLOW_OK);
	}
}

START_TEST(followed)
{
	static const uint32_t loop[] = {0, 4, 8, 0, 4, 8, 0, 4, 8}, wrong[] = {0, 4, 10}, call[] = {0, 4, 8, 12, 4};
	struct follow follow;
	struct record record = {.start = BASE, .hist = 2, .reason = TRACE_BACKWARD, .count = 3, .insns = 3};
	nop(&code);             /* 0 */
	branch(&code, 1, BASE); /* 4 */
	jal(&code, 0, BASE);    /* 8 */
	jalr(&code, 0, 15, 0);  /* 12 */
	ready(32, 0);
	struct trace trace = unit_at(0, TRACING);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	/* one record for three traces; CTRL is off by the time the last record comes, which changes nothing */
	retire(&follow, TRACING, loop, 9);
	trace.ctrl = 0;
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	ck_assert_uint_eq(follow.instructions, 9);
	ck_assert_uint_eq(follow.traces, 3);
	ck_assert_uint_eq(follow.waiting, 0);
	/* a trace too many */
	retire(&follow, TRACING, loop, 6);
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_ESHORT);
	/* another instruction */
	follow_close(&follow);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	record.count = 1;
	retire(&follow, TRACING, wrong, 3);
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_EPC);
	ck_assert_uint_eq(follow.got, BASE + 8);
	ck_assert_uint_eq(follow.expected, BASE + 10);
	ck_assert_uint_eq(follow.index, 2);
	/* a history that does not fit, an unknown end */
	follow_close(&follow);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	retire(&follow, TRACING, loop, 3);
	record.hist = 9;
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_EWALK);
	ck_assert_int_eq(follow.walk_error, WALK_EHISTORY);
	/* sampled records do not account for everything */
	retire(&follow, TRACING | 1u << 5, loop, 3);
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_ESAMPLED);
	/* NO_INDIRECT: behind an unknown target the number counts */
	follow_close(&follow);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	retire(&follow, TRACING | NO_INDIRECT | NO_BACKWARD, call + 3, 2);
	record = (struct record){.start = BASE + 12, .hist = 2, .reason = TRACE_OFF, .count = 1, .insns = 2};
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	ck_assert_uint_eq(follow.unresolved, 1);
	ck_assert_uint_eq(follow.skipped, 1);
	ck_assert_uint_eq(follow.instructions, 1);
	ck_assert_uint_eq(follow.waiting, 0);
	follow_close(&follow);
	for (int error = FOLLOW_ENOMEM; error <= FOLLOW_OK; error++)
		ck_assert_str_ne(follow_strerror(error), "unknown error");
}
END_TEST

/* The queue grows across its end, and has one. */
START_TEST(queue)
{
	struct follow follow;
	nop(&code);
	jal(&code, 0, BASE);
	ready(32, 0);
	struct trace trace = unit_at(0, TRACING);
	const struct record record = {.start = BASE, .hist = 1, .reason = TRACE_BACKWARD, .count = 1, .insns = 2};
	static const uint32_t loop[] = {0, 4};
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	for (int i = 0; i < 1000; i++)
		retire(&follow, TRACING, loop, 2);
	for (int i = 0; i < 900; i++)
		ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	for (int i = 0; i < 10000; i++)
		retire(&follow, TRACING, loop, 2);
	for (int i = 0; i < 10100; i++)
		ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	ck_assert_uint_eq(follow.waiting, 0);
	int error = FOLLOW_OK;
	for (uint32_t i = 0; i <= FOLLOW_QUEUE_MAX && error == FOLLOW_OK; i++)
		error = follow_retire(&follow, &trace);
	ck_assert_int_eq(error, FOLLOW_EQUEUE);
	follow_close(&follow);
}
END_TEST

START_TEST(path_of_entry)
{
	struct path path;
	branch(&code, 0, BASE + 8);
	nop(&code);
	jal(&code, 0, BASE);
	ready(32, 0);
	struct record entry = {.start = BASE, .hist = 2, .reason = TRACE_BACKWARD, .count = 1};
	ck_assert_int_eq(path_make(&path, walk, &entry), WALK_OK);
	ck_assert_int_eq(path_places(&path, image), WALK_OK);
	ck_assert_int_eq(path.error, WALK_OK);
	ck_assert_uint_eq(path.insns, 3);
	ck_assert_uint_eq(path.piece_count, 2);
	ck_assert_int_eq(path.pieces[0].outcome, 0);
	ck_assert_int_eq(path.pieces[1].outcome, -1);
	ck_assert_uint_eq(path.pieces[1].reason, TRACE_BACKWARD);
	ck_assert_uint_eq(path.function_count, 0);
	path_free(&path);
	entry.hist = 8;
	ck_assert_int_eq(path_make(&path, walk, &entry), WALK_OK);
	ck_assert_int_eq(path.error, WALK_EHISTORY);
	path_free(&path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *rules = tcase_create("rules"), *random = tcase_create("random");
	tcase_add_checked_fixture(rules, setup, teardown);
	tcase_add_loop_test(rules, branches, 0, 8);
	tcase_add_test(rules, backward_ends);
	tcase_add_test(rules, branch_to_next);
	tcase_add_test(rules, full);
	tcase_add_loop_test(rules, indirect, 0, 6);
	tcase_add_loop_test(rules, stuck, 0, 6);
	tcase_add_test(rules, addresses);
	tcase_add_test(rules, trap_return);
	tcase_add_loop_test(rules, discontinuity, 0, 3);
	tcase_add_test(rules, gap);
	tcase_add_test(rules, calls);
	tcase_add_test(rules, stopped);
	tcase_add_test(rules, path_of_entry);
	tcase_add_test(rules, taken);
	tcase_add_test(rules, followed);
	tcase_add_test(rules, queue);
	tcase_add_checked_fixture(random, setup, teardown);
	tcase_set_timeout(random, 120);
	tcase_add_loop_test(random, random_programs, 0, 64);
	suite_add_tcase(suite, rules);
	suite_add_tcase(suite, random);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}
