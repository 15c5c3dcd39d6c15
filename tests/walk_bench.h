/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_WALK_BENCH_H
#define RIVULET_TESTS_WALK_BENCH_H
/* Code on the bench, for the suites of host/walk: a small assembler, and a record walked through what it made. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/walk/walk.h"

#define BASE 0x80000000u
#define NO_BACKWARD RV_CTRL_NO_BACKWARD_MASK
#define NO_INDIRECT RV_CTRL_NO_INDIRECT_MASK

/* A small assembler: instructions are appended at `at`. */
struct code {
	uint8_t bytes[1 << 16];
	uint32_t at;
};

static inline uint32_t here(const struct code *c)
{
	return BASE + c->at;
}

static inline void half(struct code *c, unsigned value)
{
	c->bytes[c->at++] = (uint8_t)value;
	c->bytes[c->at++] = (uint8_t)(value >> 8);
}

static inline void word(struct code *c, uint32_t value)
{
	half(c, value & 0xFFFF);
	half(c, value >> 16);
}

static inline uint32_t bit(uint32_t value, unsigned from, unsigned to)
{
	return (value >> from & 1) << to;
}

static inline uint32_t field(uint32_t value, unsigned high, unsigned low, unsigned to)
{
	return (value >> low & ((1u << (high - low + 1)) - 1)) << to;
}

static inline void nop(struct code *c)
{
	word(c, 0x00000013);
}
static inline void c_nop(struct code *c)
{
	half(c, 0x0001);
}

/* BEQ BNE BLT BGE BLTU BGEU: funct3 0 1 4 5 6 7 */
static inline void branch(struct code *c, unsigned funct3, uint32_t target)
{
	uint32_t o = target - here(c);
	word(c, bit(o, 12, 31) | field(o, 10, 5, 25) | 11u << 20 | 10u << 15 | funct3 << 12 | field(o, 4, 1, 8) |
		    bit(o, 11, 7) | 0x63);
}

/* C.BEQZ: 6, C.BNEZ: 7 */
static inline void c_branch(struct code *c, unsigned funct3, uint32_t target)
{
	uint32_t o = target - here(c);
	half(c, funct3 << 13 | bit(o, 8, 12) | field(o, 4, 3, 10) | 2u << 7 | field(o, 7, 6, 5) | field(o, 2, 1, 3) |
		    bit(o, 5, 2) | 1);
}

static inline void jal(struct code *c, unsigned rd, uint32_t target)
{
	uint32_t o = target - here(c);
	word(c, bit(o, 20, 31) | field(o, 10, 1, 21) | bit(o, 11, 20) | field(o, 19, 12, 12) | rd << 7 | 0x6F);
}

/* C.J: 5, C.JAL: 1 */
static inline void c_jump(struct code *c, unsigned funct3, uint32_t target)
{
	uint32_t o = target - here(c);
	half(c, funct3 << 13 | bit(o, 11, 12) | bit(o, 4, 11) | field(o, 9, 8, 9) | bit(o, 10, 8) | bit(o, 6, 7) |
		    bit(o, 7, 6) | field(o, 3, 1, 3) | bit(o, 5, 2) | 1);
}

static inline void jalr(struct code *c, unsigned rd, unsigned rs1, unsigned imm)
{
	word(c, imm << 20 | rs1 << 15 | rd << 7 | 0x67);
}
static inline void c_jr(struct code *c, unsigned rs1)
{
	half(c, 0x8002 | rs1 << 7);
}
static inline void c_jalr(struct code *c, unsigned rs1)
{
	half(c, 0x9002 | rs1 << 7);
}
static inline void mret(struct code *c)
{
	word(c, 0x30200073);
}
static inline void ecall(struct code *c)
{
	word(c, 0x00000073);
}

static struct code code;
static struct image *image;
static struct walk *walk;
static uint64_t pcs[1 << 17];
static size_t count;
static uint64_t at;

static inline void setup(void)
{
	memset(&code, 0, sizeof code);
	image = NULL;
	walk = NULL;
}

static inline void teardown(void)
{
	walk_close(walk);
	image_close(image);
}

static inline void ready(unsigned hist, uint32_t ctrl)
{
	const struct walk_config config = {.hist = hist, .ctrl = ctrl, .insn_bits = 16};
	walk_close(walk);
	image_close(image);
	ck_assert_int_eq(image_from_code(&image, BASE, code.bytes, code.at), IMAGE_OK);
	ck_assert_int_eq(walk_open(&walk, image, &config), WALK_OK);
}

static inline int run(uint64_t start, uint64_t hist, unsigned reason, uint32_t insns)
{
	const struct record record = {.start = start, .hist = hist, .reason = (uint8_t)reason, .insns = insns};
	return walk_pcs(walk, &record, pcs, sizeof pcs / sizeof *pcs, &count, &at);
}

static inline void expect(const uint32_t *offsets, size_t n)
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
#endif
