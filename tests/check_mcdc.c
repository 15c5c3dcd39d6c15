/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* MC/DC: a mapping as clang writes it, whole and damaged; vectors of random decisions against the definitions. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/bytes.h"
#include "host/mcdc/same.h"
#include "host/mcdc/text.h"
#include "host/mcdc/vectors.h"
#include "isa/isa.h"
#include "tests/suite.h"

#define ROOM 4096

/* ---------------------------------------------------------------- a mapping */

/* (a && b) || c in line 7, columns 5 to 20: file 1 of "/src" and "x.c". */
static const uint8_t function_map[] = {1, 1, 0, /* file 1; no expressions */
    5,                                          /* regions */
    1, 7, 1, 0, 30,                             /* code: a counter */
    5 << 3, 0, 3, 0, 5, 0, 20,                  /* decision of three conditions */
    6 << 3, 1, 5, 1, 2, 3, 0, 6, 0, 7,          /* a: true 2, false 3 */
    6 << 3, 1, 5, 2, 0, 3, 0, 11, 0, 12,        /* b: true ends, false 3 */
    6 << 3, 1, 5, 3, 0, 0, 0, 17, 0, 18};       /* c */

struct object {
	uint8_t bytes[ROOM];
	size_t size;
};

static size_t put_part(struct object *o, const void *bytes, size_t size)
{
	size_t at = o->size = (o->size + 7) & ~(size_t)7;
	ck_assert(at + size <= ROOM);
	memcpy(o->bytes + at, bytes, size);
	o->size += size;
	return at;
}

static void make_object(struct object *o)
{
	static const char names[] = "\0__llvm_covmap\0__llvm_covfun\0.shstrtab";
	static const uint8_t files[] = {2, 9, 0, 4, '/', 's', 'r', 'c', 3, 'x', '.', 'c'};
	uint8_t head[16 + sizeof files] = {0}, function[28 + sizeof function_map] = {0};
	Elf64_Ehdr elf = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_REL,
	    .e_machine = EM_X86_64,
	    .e_version = EV_CURRENT,
	    .e_ehsize = sizeof(Elf64_Ehdr),
	    .e_shentsize = sizeof(Elf64_Shdr),
	    .e_shnum = 4,
	    .e_shstrndx = 3};
	bytes_put32(head + 4, sizeof files);
	bytes_put32(head + 12, 6);
	memcpy(head + 16, files, sizeof files);
	bytes_put32(function + 8, sizeof function_map);
	memcpy(function + 28, function_map, sizeof function_map);
	*o = (struct object){.size = 0};
	put_part(o, &elf, sizeof elf);
	Elf64_Shdr sections[4] = {{0},
	    {.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_offset = put_part(o, head, sizeof head),
		.sh_size = sizeof head},
	    {.sh_name = 15,
		.sh_type = SHT_PROGBITS,
		.sh_offset = put_part(o, function, sizeof function),
		.sh_size = sizeof function},
	    {.sh_name = 29,
		.sh_type = SHT_STRTAB,
		.sh_offset = put_part(o, names, sizeof names),
		.sh_size = sizeof names}};
	elf.e_shoff = put_part(o, sections, sizeof sections);
	memcpy(o->bytes, &elf, sizeof elf);
}

START_TEST(read_mapping)
{
	struct object o;
	struct mcdc_mapping mapping = {0};
	make_object(&o);
	ck_assert_int_eq(mcdc_mapping_take(&mapping, o.bytes, o.size), MCDC_OK);
	ck_assert_int_eq(mcdc_mapping_take(&mapping, o.bytes, o.size), MCDC_OK); /* the same place once */
	ck_assert_uint_eq(mapping.count, 1);
	const struct mcdc_decision *d = &mapping.decisions[0];
	ck_assert_str_eq(d->file, "/src/x.c");
	ck_assert_str_eq(d->name, "x.c");
	ck_assert(d->count == 3 && !d->unclear);
	ck_assert(d->span.line == 7 && d->span.column == 5 && d->span.end_line == 7 && d->span.end_column == 20);
	ck_assert(d->conditions[0].if_true == 1 && d->conditions[0].if_false == 2);
	ck_assert(d->conditions[1].if_true == MCDC_TRUE && d->conditions[1].if_false == 2);
	ck_assert(d->conditions[2].if_true == MCDC_TRUE && d->conditions[2].if_false == MCDC_FALSE);
	ck_assert(d->conditions[2].span.column == 17 && d->conditions[2].span.end_column == 18);
	mcdc_mapping_free(&mapping);
}
END_TEST

/* What stays must be sound: each condition goes on at a later one. */
static void check_mapping(const struct mcdc_mapping *mapping)
{
	for (size_t i = 0; i < mapping->count; i++) {
		const struct mcdc_decision *d = &mapping->decisions[i];
		for (unsigned k = 0; k < d->count && !d->unclear && d->count <= MCDC_CONDITIONS; k++) {
			const struct mcdc_condition *c = &d->conditions[k];
			ck_assert(c->if_true < 0 || ((unsigned)c->if_true > k && (unsigned)c->if_true < d->count));
			ck_assert(c->if_false < 0 || ((unsigned)c->if_false > k && (unsigned)c->if_false < d->count));
		}
	}
}

START_TEST(read_damaged)
{
	struct object whole;
	unsigned refused = 0, taken = 0;
	make_object(&whole);
	for (size_t at = 0; at < whole.size; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct object o = whole;
			struct mcdc_mapping mapping = {0};
			o.bytes[at] ^= (uint8_t)(1u << bit);
			int error = mcdc_mapping_take(&mapping, o.bytes, o.size);
			ck_assert(error <= 0 && error >= MCDC_EFORMAT);
			ck_assert(error == MCDC_OK || mapping.count == 0);
			check_mapping(&mapping);
			*(error == MCDC_OK ? &taken : &refused) += 1;
			mcdc_mapping_free(&mapping);
		}
	}
	for (size_t size = 0; size < whole.size; size++) {
		struct mcdc_mapping mapping = {0};
		(void)mcdc_mapping_take(&mapping, whole.bytes, size);
		check_mapping(&mapping);
		mcdc_mapping_free(&mapping);
	}
	ck_assert_msg(refused > 300 && taken > 300, "%u refused, %u taken", refused, taken);
}
END_TEST

/* ---------------------------------------------------------------- vectors */

static uint64_t seed;

static unsigned draw(unsigned below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % below;
}

/* Conditions [first, end) as a random tree of && and ||; where it goes on if it is true, if it is false. */
static void draw_tree(struct mcdc_condition *conditions, unsigned first, unsigned end, int if_true, int if_false)
{
	if (end - first == 1) {
		conditions[first] = (struct mcdc_condition){.if_true = if_true, .if_false = if_false};
		return;
	}
	unsigned middle = first + 1 + draw(end - first - 1);
	bool both = draw(2) == 0;
	draw_tree(conditions, first, middle, both ? (int)middle : if_true, both ? if_false : (int)middle);
	draw_tree(conditions, middle, end, if_true, if_false);
}

static bool decide(const struct mcdc_decision *d, uint32_t inputs, uint32_t *evaluated)
{
	int at = 0;
	for (*evaluated = 0; at >= 0;) {
		*evaluated |= 1u << at;
		at = (inputs >> at & 1) != 0 ? d->conditions[at].if_true : d->conditions[at].if_false;
	}
	return at == MCDC_TRUE;
}

/* The branches of one evaluation; nested ones of other contexts between them. */
static void run_decision(struct mcdc_vectors *v, const bool *taken_is_true, uint32_t inputs, uint64_t context)
{
	const struct mcdc_decision *d = &v->mapping->decisions[0];
	int at = 0;
	while (at >= 0) {
		const bool value = (inputs >> at & 1) != 0;
		const struct mcdc_branch branch = {.condition = (uint8_t)at, .taken_is_true = taken_is_true[at]};
		ck_assert_int_eq(mcdc_vectors_branch(v, &branch, context, value == taken_is_true[at]), MCDC_OK);
		at = value ? d->conditions[at].if_true : d->conditions[at].if_false;
		if (at >= 0 && context < 3 && draw(8) == 0)
			run_decision(v, taken_is_true, inputs, context + 1);
	}
}

/* Unique cause by its definition, over all pairs of inputs that ran: the outcomes differ, and some choice of what was
 * not evaluated makes the inputs differ in this condition alone. */
static uint32_t unique_cause(const struct mcdc_decision *d, const uint32_t *inputs, unsigned count)
{
	uint32_t covered = 0;
	for (unsigned a = 0; a < count; a++) {
		for (unsigned b = 0; b < a; b++) {
			uint32_t x, y;
			if (decide(d, inputs[a], &x) == decide(d, inputs[b], &y))
				continue;
			for (unsigned i = 0; i < d->count; i++) {
				uint32_t one = 1u << i, common = x & y;
				if ((common & one) != 0 && ((inputs[a] ^ inputs[b]) & common) == one)
					covered |= one;
			}
		}
	}
	return covered;
}

START_TEST(judge_random)
{
	struct mcdc_condition conditions[6];
	uint32_t inputs[12];
	bool taken_is_true[6];
	unsigned all = 0;
	seed = (uint64_t)_i + 1;
	for (unsigned turn = 0; turn < 200; turn++) {
		struct mcdc_decision d = {.conditions = conditions, .count = 2 + draw(5)};
		struct mcdc_mapping mapping = {&d, 1, 1};
		struct mcdc_vectors v;
		unsigned count = 1 + draw(12);
		draw_tree(conditions, 0, d.count, MCDC_TRUE, MCDC_FALSE);
		for (unsigned i = 0; i < d.count; i++)
			taken_is_true[i] = draw(2) == 0;
		ck_assert_int_eq(mcdc_vectors_init(&v, &mapping), MCDC_OK);
		for (unsigned i = 0; i < count; i++) {
			inputs[i] = draw(1u << d.count);
			run_decision(&v, taken_is_true, inputs[i], 0);
		}
		mcdc_vectors_judge(&v);
		ck_assert_uint_eq(v.told[0].astray, 0);
		ck_assert_uint_eq(v.open_count, 0);
		ck_assert_uint_eq(v.told[0].unique, unique_cause(&d, inputs, count));
		ck_assert_uint_eq(v.told[0].unique & ~v.told[0].masking, 0);
		all += (unsigned)__builtin_popcount(v.told[0].unique);
		mcdc_vectors_free(&v);
	}
	ck_assert_uint_gt(all, 100);
}
END_TEST

/* (a && b) || c: c is covered by masking alone if a and b changed too, without any effect. */
START_TEST(judge_masking)
{
	struct mcdc_condition conditions[3] = {{.if_true = 1, .if_false = 2}, {.if_true = MCDC_TRUE, .if_false = 2},
	    {.if_true = MCDC_TRUE, .if_false = MCDC_FALSE}};
	struct mcdc_decision d = {.conditions = conditions, .count = 3};
	struct mcdc_mapping mapping = {&d, 1, 1};
	struct mcdc_vectors v;
	const bool sides[3] = {true, false, true};
	ck_assert_int_eq(mcdc_vectors_init(&v, &mapping), MCDC_OK);
	run_decision(&v, sides, 4, 3); /* F-T */
	run_decision(&v, sides, 1, 3); /* TFF */
	mcdc_vectors_judge(&v);
	ck_assert_uint_eq(v.told[0].unique, 0);
	ck_assert_uint_eq(v.told[0].masking, 4);
	const struct mcdc_branch second = {.condition = 1};
	ck_assert_int_eq(mcdc_vectors_branch(&v, &second, 3, true), MCDC_OK);
	ck_assert_uint_eq(v.told[0].astray, 1);
	mcdc_vectors_free(&v);
}
END_TEST

/* ---------------------------------------------------------------- texts, copies of code */

START_TEST(text_words)
{
	ck_assert(text_has_word("p->port == 80", "port") && text_has_word("port", "port"));
	ck_assert(!text_has_word("ports == port2", "port"));
	ck_assert(text_may_have("a > 85", 85) && text_may_have("a > 85", 86) && !text_may_have("a > 85", 87));
	ck_assert(text_may_have("a > -3", -2) && !text_may_have("a > -3", 8));
	ck_assert(text_may_have("c == '+'", 43) && text_may_have("c != '\\n'", 10) && !text_may_have("c == '+'", 45));
	ck_assert(text_may_have("a < 0x10", 16) && !text_may_have("a < 0x10", 99));
	ck_assert(text_may_have("a < LIMIT", 99) && text_may_have("ready", 0) && text_may_have("x9 < y", 4));
}
END_TEST

static void put_insn(uint8_t *code, size_t *size, uint64_t word)
{
	bytes_put32(code + *size, (uint32_t)word);
	*size += 4;
}

static uint64_t make_word(enum isa_op op, uint8_t rd, uint8_t rs1, uint8_t rs2, int32_t imm)
{
	struct isa_insn insn;
	uint64_t word;
	ck_assert_int_eq(isa_make(ISA_CORE, op, rd, rs1, rs2, imm, &insn), ISA_OK);
	ck_assert_int_eq(isa_encode(&insn, &word), ISA_OK);
	return word;
}

/* Two blocks that set a0 and return: with this difference between them. */
static bool blocks_same(int32_t first, int32_t second, bool upper)
{
	uint8_t code[64];
	size_t size = 0;
	const int32_t values[2] = {first, second};
	struct image *image;
	for (unsigned i = 0; i < 2; i++) {
		put_insn(
		    code, &size, upper ? make_word(ISA_AUIPC, 10, 0, 0, 0x1000) : make_word(ISA_LUI, 10, 0, 0, 0x1000));
		put_insn(code, &size, make_word(ISA_ADDI, 10, 10, 0, values[i]));
		put_insn(code, &size, make_word(ISA_JALR, 0, 1, 0, 0));
	}
	ck_assert_int_eq(image_from_code(&image, 0x1000, code, size), IMAGE_OK);
	bool same = code_is_same(image, 0x1000, 0x100C);
	ck_assert(code_is_same(image, 0x1004, 0x1004));
	ck_assert(code_reads(image, 0x1004, 1u << 10) && !code_reads(image, 0x1000, 1u << 10));
	ck_assert(code_reads(image, 0x1000, 1u << 8) && !code_reads(image, 0x1000, 1u << 28));
	image_close(image);
	return same;
}

START_TEST(copies_of_code)
{
	ck_assert(blocks_same(5, 5, false) && !blocks_same(5, 6, false));
	ck_assert(blocks_same(12, 0, true) && !blocks_same(5, 5, true)); /* the same address from two places */
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"mapping", read_mapping, 0}, {"damage", read_damaged, 0},
	    {"random decisions", judge_random, 20}, {"masking", judge_masking, 0}, {"texts", text_words, 0},
	    {"copies of code", copies_of_code, 0}};
	return suite_run("mcdc", cases, sizeof cases / sizeof *cases, NULL, NULL);
}
