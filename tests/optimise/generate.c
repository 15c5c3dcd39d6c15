/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Puts a random program into the place random_code of an ELF file (tests/optimise/random): blocks of arithmetic, loads
 * and stores, with branches, counted loops up to three deep, functions with and without a frame. It always ends.
 * Usage: generate SEED IN.elf OUT.elf
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/image/image.h"
#include "isa/isa.h"

#define ROOM 4096u
#define FUNCTIONS 5

static uint8_t code[ROOM];
static uint32_t used, functions[FUNCTIONS], function_count;
static uint64_t state;

static const enum isa_op immediates[] = {
    ISA_ADDI, ISA_SLTI, ISA_SLTIU, ISA_XORI, ISA_ORI, ISA_ANDI, ISA_SLLI, ISA_SRLI, ISA_SRAI};
static const enum isa_op registers_only[] = {
    ISA_ADD, ISA_SUB, ISA_SLL, ISA_SLT, ISA_SLTU, ISA_XOR, ISA_SRL, ISA_SRA, ISA_OR, ISA_AND};
static const enum isa_op products[] = {ISA_MUL, ISA_MULH, ISA_MULHSU, ISA_MULHU, ISA_DIV, ISA_DIVU, ISA_REM, ISA_REMU};
static const enum isa_op branches[] = {ISA_BEQ, ISA_BNE, ISA_BLT, ISA_BGE, ISA_BLTU, ISA_BGEU};

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

static uint8_t reg(void)
{
	static const uint8_t of_random_code[] = {5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 25, 26, 27, 28,
	    29, 30, 31, 10, 11, 12, 13, 14, 15, 15, 14};
	return of_random_code[draw(sizeof of_random_code)];
}

static uint32_t put(enum isa_op op, uint8_t rd, uint8_t rs1, uint8_t rs2, int32_t imm)
{
	struct isa_insn insn, small;
	uint32_t at = used;
	if (isa_make(ISA_CORE, op, rd, rs1, rs2, imm, &insn) != ISA_OK || used + 4 > ROOM) {
		fprintf(stderr, "generate: op %d cannot be encoded, or the program is too long\n", (int)op);
		exit(2);
	}
	bool transfer = (insn.class_bits & (ISA_BRANCH | ISA_JUMP)) != 0;
	if (!transfer && draw(4) != 0 && isa_compress(&insn, ISA_CORE, &small) == ISA_OK)
		insn = small;
	for (unsigned i = 0; i < insn.length; i++)
		code[used++] = (uint8_t)(insn.word >> 8 * i);
	return at;
}

/* The transfer at `at` goes to `to`. */
static void aim(uint32_t at, uint32_t to)
{
	uint32_t word;
	struct isa_insn insn;
	uint64_t changed;
	memcpy(&word, code + at, 4);
	isa_decode(word, ISA_CORE, &insn);
	insn.imm = (int32_t)(to - at);
	if (isa_encode(&insn, &changed) != ISA_OK)
		exit(2);
	word = (uint32_t)changed;
	memcpy(code + at, &word, 4);
}

static void memory_access(void)
{
	static const enum isa_op ops[] = {
	    ISA_LW, ISA_LH, ISA_LHU, ISA_LB, ISA_LBU, ISA_SW, ISA_SH, ISA_SB, ISA_LW, ISA_SW};
	static const uint8_t sizes[] = {4, 2, 2, 1, 1, 4, 2, 1, 4, 4};
	unsigned i = draw(10);
	bool store = ops[i] == ISA_SW || ops[i] == ISA_SH || ops[i] == ISA_SB;
	uint8_t base = 8;
	int32_t offset = (int32_t)(draw(512) / sizes[i] * sizes[i]);
	if (draw(3) == 0) { /* through a pointer that is computed, and moved */
		base = reg();
		put(ISA_ANDI, base, reg(), 0, 0x3FC);
		put(ISA_ADD, base, base, 8, 0);
		offset = (int32_t)(draw(64) / 4 * 4);
	}
	put(ops[i], store ? 0 : reg(), base, store ? reg() : 0, offset);
	if (base != 8 && draw(2) == 0)
		put(ISA_ADDI, base, base, 0, 4);
}

static void straight(unsigned count)
{
	for (unsigned n = 0; n < count; n++) {
		uint32_t kind = draw(20);
		uint8_t rd = reg();
		if (kind < 5)
			put(ISA_ADDI, rd, rd, 0, (int32_t)draw(64) - 32);
		else if (kind < 8) {
			enum isa_op op = immediates[draw(9)];
			put(op, rd, reg(), 0,
			    op == ISA_SLLI || op == ISA_SRLI || op == ISA_SRAI ? (int32_t)draw(32)
									       : (int32_t)draw(4096) - 2048);
		} else if (kind < 12)
			put(registers_only[draw(10)], rd, reg(), reg(), 0);
		else if (kind == 12)
			put(ISA_LUI, rd, 0, 0, (int32_t)(draw(1u << 20) << 12));
		else if (kind == 13)
			put(products[draw(8)], rd, reg(), reg(), 0);
		else if (kind == 14) {
			uint8_t a = reg(), b = reg(), q = reg();
			bool is_signed = draw(2) != 0, first = draw(2) != 0;
			put(first ? is_signed ? ISA_DIV : ISA_DIVU : is_signed ? ISA_REM : ISA_REMU, q, a, b, 0);
			put(first ? is_signed ? ISA_REM : ISA_REMU : is_signed ? ISA_DIV : ISA_DIVU, rd, a, b, 0);
		} else
			memory_access();
	}
}

static void call(void)
{
	if (function_count > 0) {
		uint32_t at = put(ISA_JAL, 1, 0, 0, 4);
		aim(at, functions[draw(function_count)]);
	}
}

static void body(unsigned depth, bool may_call)
{
	unsigned parts = 1 + draw(3);
	for (unsigned n = 0; n < parts && used < ROOM - 900; n++) {
		uint32_t kind = draw(8);
		straight(1 + draw(6));
		if (kind < 3) { /* if, else */
			uint32_t branch = put(branches[draw(6)], 0, reg(), draw(3) ? reg() : 0, 8);
			straight(1 + draw(3));
			uint32_t jump = put(ISA_JAL, 0, 0, 0, 4);
			aim(branch, used);
			straight(draw(3));
			aim(jump, used);
		} else if (kind < 6 && depth < 3) { /* a loop with a counter of its own */
			uint8_t counter = (uint8_t)(18 + depth);
			put(ISA_ADDI, counter, 0, 0, 2 + (int32_t)draw(depth == 0 ? 16 : 5));
			uint32_t head = used;
			body(depth + 1, may_call && draw(2) == 0);
			put(ISA_ADDI, counter, counter, 0, -1);
			uint32_t back = put(ISA_BNE, 0, counter, 0, -4);
			aim(back, head);
		} else if (kind == 6 && may_call) {
			call();
		}
	}
}

/* Leaf functions, and some with a frame that call those before them. A loop of theirs has a counter of its own. */
static void function(void)
{
	bool frame = function_count > 1 && draw(2) != 0;
	uint32_t start = used;
	if (frame) {
		put(ISA_ADDI, 2, 2, 0, -16);
		put(ISA_SW, 0, 2, 1, 12);
		put(ISA_SW, 0, 2, 22, 8);
	}
	straight(1 + draw(6));
	if (frame) {
		call();
		straight(draw(3));
		put(ISA_LW, 22, 2, 0, 8);
		put(ISA_LW, 1, 2, 0, 12);
		put(ISA_ADDI, 2, 2, 0, 16);
	} else if (draw(2) != 0) {
		put(ISA_ADDI, 21, 0, 0, 1 + (int32_t)draw(4));
		uint32_t head = used;
		straight(1 + draw(4));
		put(ISA_ADDI, 21, 21, 0, -1);
		aim(put(ISA_BNE, 0, 21, 0, -4), head);
	}
	put(ISA_JALR, 0, 1, 0, 0);
	functions[function_count++] = start;
}

int main(int argc, char **argv)
{
	char detail[1024];
	struct image *image;
	uint64_t address;
	if (argc != 4) {
		fprintf(stderr, "usage: generate SEED IN.elf OUT.elf\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 0) * 2654435761u + 1;
	uint32_t entry = put(ISA_JAL, 0, 0, 0, 4);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		function();
	aim(entry, used);
	put(ISA_ADDI, 2, 2, 0, -16);
	put(ISA_SW, 0, 2, 1, 12);
	unsigned bodies = 1 + draw(3);
	for (unsigned i = 0; i < bodies && used < ROOM - 900; i++) {
		put(ISA_ADDI, 21, 0, 0, 6 + (int32_t)draw(24));
		/* the outermost counter is kept on the stack: functions use its register */
		uint32_t head = used;
		put(ISA_SW, 0, 2, 21, 4);
		body(0, true);
		put(ISA_LW, 21, 2, 0, 4);
		put(ISA_ADDI, 21, 21, 0, -1);
		uint32_t out = put(ISA_BEQ, 0, 21, 0, 8);
		aim(put(ISA_JAL, 0, 0, 0, -4), head);
		aim(out, used);
	}
	put(ISA_LW, 1, 2, 0, 12);
	put(ISA_ADDI, 2, 2, 0, 16);
	put(ISA_JALR, 0, 1, 0, 0);

	if (image_open(&image, argv[2], detail, sizeof detail) != IMAGE_OK) {
		fprintf(stderr, "generate: %s\n", detail);
		return 2;
	}
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
	if (image_symbol(image, "random_code", &address) != IMAGE_OK || in == NULL || out == NULL)
		return 2;
	for (int c; (c = getc(in)) != EOF;)
		putc(c, out);
	for (size_t i = 0; i < count; i++)
		if (address >= segments[i].address && address - segments[i].address + ROOM <= segments[i].file_size)
			fseek(out, (long)(segments[i].offset + (address - segments[i].address)), SEEK_SET);
	fwrite(code, 1, used, out);
	fclose(in);
	image_close(image);
	return fclose(out) == 0 ? 0 : 2;
}
